"""Every claim: its smoke run, the verdict on it, its picture, and the same rows again."""

import claim_checks as checks
import pytest

from counterpoint.claims import TOPICS, claim

CUT_SHORT = {
    "training-dynamics",
    "lambda-star",
    "network-complexity",
    "equivalent-tree",
    "merged-trees",
    "sampled-hyperboxes",
    "churn",
}


@pytest.mark.parametrize("topic", TOPICS)
def test_smoke(topic):
    frame = checks.smoke(topic)
    checks.check_verdict(claim(topic), frame)
    checks.check_figure(claim(topic), frame)
    checks.check_repeats(claim(topic))


@pytest.mark.parametrize("n_rows", [1, 3, 8])
@pytest.mark.parametrize("topic", sorted(CUT_SHORT))
def test_a_run_cut_short_can_be_judged_and_drawn(topic, n_rows):
    frame = checks.smoke(topic).head(n_rows)
    assert claim(topic).judge(frame).word != "reproduced"
    claim(topic).draw(frame).canvas.draw()


@pytest.mark.parametrize("topic", ["training-dynamics", "lambda-star", "network-complexity"])
def test_all_lambdas_share_split_and_start(topic):
    cells = claim(topic).experiment("full").cells()
    first = [c for c in cells if c.values["repeat"] == 0]
    nets = topic == "lambda-star"
    by_set = {(c.values.get("data"), c.values.get("nets") if nets else 0) for c in first}
    assert len({c.seed for c in first}) == len(by_set)


@pytest.mark.parametrize("topic", ["equivalent-tree", "merged-trees", "sampled-hyperboxes"])
def test_methods_share_data_and_folds(topic):
    cells = claim(topic).experiment("full").cells()
    first = [c for c in cells if c.values["repeat"] == 0 and c.values["data"] == "synthetic"]
    assert len({c.seed for c in first}) == 1
    assert len({c.values["fold_"] for c in first}) == 10
    again = [c for c in cells if c.values["repeat"] == 1 and c.values["data"] == "synthetic"]
    assert again[0].seed != first[0].seed
