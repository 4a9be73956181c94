import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss

from counterpoint import MemberOutputs
from counterpoint.combiners import COMBINERS, MeanCombiner, VoteCombiner
from counterpoint.datasets import load
from counterpoint.dynamic import DynamicSelectionClassifier, decide_dynamically
from counterpoint.tabular import WhatIf
from counterpoint.tabular import what_if as module
from counterpoint.tabular.calibration import describe_calibration


@pytest.fixture(scope="module")
def forest():
    data = load("vehicle")
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    two = np.isin(y, np.unique(y)[:2])
    X, y = X[two], y[two]
    model = RandomForestClassifier(15, max_depth=3, random_state=0).fit(X[::2], y[::2])
    return model, X[1::2], y[1::2]


@pytest.fixture(scope="module")
def what(forest):
    outputs = MemberOutputs.from_estimator(*forest)
    return WhatIf(outputs, points=forest[1], own=MeanCombiner())


def test_a_vote_is_judged_as_the_combiner_answers(what):
    weights = np.arange(15) % 4
    told = what.judge("vote", weights)
    shares = VoteCombiner(weights).combine(what.outputs)
    said = shares.argmax(axis=1)
    assert told["error"] == pytest.approx(np.mean(said != what.outputs.y), abs=1e-12)
    assert told["log_loss"] == pytest.approx(log_loss(what.outputs.y, shares), abs=1e-9)
    recall = [np.mean(said[what.outputs.y == k] == k) for k in range(2)]
    assert [row["recall"] for row in told["classes"]] == pytest.approx(recall)
    classes = what.outputs.classes
    expected = describe_calibration(shares, classes[what.outputs.y], classes)
    assert told["calibration"]["gap"] == pytest.approx(expected["gap"], abs=1e-12)
    for ours, theirs in zip(told["calibration"]["curve"], expected["curve"], strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert told["n_members"] == 11
    assert told["n_rows"] == told["n_of"] == what.outputs.n_samples


def test_the_parts_add_up(what):
    for rule in ("vote", "mean", "choquet", "ola"):
        for parts in what.judge(rule)["decompositions"]:
            *terms, whole = [term["value"] for term in parts["terms"]]
            assert sum(terms) == pytest.approx(whole, abs=1e-9)


def test_every_rule_can_be_asked(what):
    names = [rule["name"] for rule in what.rules]
    assert {"own", *COMBINERS, *module.DYNAMIC} == set(names)
    for name in names:
        told = what.judge(name, [1] * 10 + [0] * 5)
        assert told["low"] <= told["error"] <= told["high"]
        assert all(rule["title"] != rule["name"] or "-" not in rule["name"] for rule in what.rules)
    assert what.judge("own")["error"] == what.judge("mean")["error"]


def test_what_needs_more_than_labels_is_not_offered(what):
    labels = MemberOutputs(what.outputs.votes, what.outputs.y)
    names = {rule["name"] for rule in WhatIf(labels).rules}
    assert names == {name for name, rule in COMBINERS.items() if not rule.needs_proba}
    with pytest.raises(ValueError, match="rule='mean'"):
        WhatIf(labels).judge("mean")


def test_a_rule_that_learns_is_judged_on_the_other_half(what):
    told = what.judge("templates")
    wrong = 0
    for fit, held in what._halves(what.outputs.y):
        rule = COMBINERS["templates"]().fit(what.outputs.take_rows(fit))
        some = what.outputs.take_rows(held)
        wrong += np.sum(rule.predict(some) != some.classes[some.y])
    assert told["error"] == pytest.approx(wrong / what.outputs.n_samples)


def test_dynamic_selection_says_what_the_classifier_says(forest, what):
    model, X, y = forest
    wrong = 0
    for fit, held in what._halves(what.outputs.y):
        chooser = DynamicSelectionClassifier(model, method="knora-u").fit(X[fit], y[fit])
        wrong += np.sum(chooser.predict(X[held]) != y[held])
    assert what.judge("knora-u")["error"] == pytest.approx(wrong / len(y))


def test_the_best_of_some_is_judged_on_rows_the_choice_has_not_seen(what):
    best = what.best([0, 1, 2, 3])
    assert sum(best["weights"][4:]) == 0
    assert best["n_chosen_on"] + best["n_rows"] == what.outputs.n_samples
    held = what._halves(what.outputs.y)[0][1]
    said = VoteCombiner(best["weights"]).combine(what.outputs)[held].argmax(axis=1)
    assert best["error"] == pytest.approx(np.mean(said != what.outputs.y[held]))


def test_rows_are_drawn_where_there_are_too_many_numbers(what, monkeypatch):
    monkeypatch.setattr(module, "_MOST_CELLS", 3000)
    monkeypatch.setattr(module, "_FEWEST_ROWS", 50)
    again = WhatIf(what.outputs)
    told = again.judge("mean")
    assert told["n_rows"] == 100
    assert told["n_of"] == what.outputs.n_samples
    assert again.judge("vote")["n_rows"] == what.outputs.n_samples


def test_weighted_rows_count_by_their_weight(what):
    outputs = what.outputs
    weight = np.where(outputs.y == 0, 2.0, 1.0)
    heavy = MemberOutputs(outputs.votes, outputs.y, sample_weight=weight, names=outputs.names)
    told = WhatIf(heavy).judge("vote")
    wrong = outputs.majority != outputs.y
    assert told["error"] == pytest.approx(np.average(wrong, weights=weight))


def test_weights_may_go_by_name_and_must_not_all_be_0(what):
    name = what.outputs.names[3]
    assert what.judge("vote", {name: 2}) == what.judge("vote", [0, 0, 0, 5] + [0] * 11)
    for weights in ({"nobody": 1}, [0] * 15, [1, 2]):
        with pytest.raises(ValueError, match="weights"):
            what.judge("vote", weights)


def test_disputed_rows_of_some_members(what):
    rows = what.disputed([0, 5], n=5)
    votes = what.outputs.votes[[0, 5]]
    assert [row["row"] for row in rows] == np.flatnonzero(votes[0] != votes[1])[:5].tolist()
    assert all(row["dispute"] == 0.5 and row["split"] == [0.5, 0.5] for row in rows)


def test_growth_ends_with_the_whole(what):
    grown = what.growth()
    assert grown["error"][-1] == pytest.approx(what.judge("own")["error"])
    assert grown["error"][0] == pytest.approx(what.judge("mean", [1] + [0] * 14)["error"])


def test_thresholds_count_what_they_say(what):
    told = what.thresholds("mean", fn=5.0)
    y, shares = what.outputs.y, MeanCombiner().combine(what.outputs)
    k = int(np.bincount(y)[1] <= np.bincount(y)[0])
    assert told["positive"] == str(what.outputs.classes[k])
    for at in (0, 30, 50, 100):
        yes = np.round(shares[:, k], 12) >= max(at / 100, 1e-9)
        missed, false = np.mean(~yes & (y == k)), np.mean(yes & (y != k))
        assert told["error"][at] == pytest.approx(missed + false)
        assert told["cost"][at] == pytest.approx(5 * missed + false)
    assert told["cost"][told["best"]] == min(told["cost"])


def test_points_belong_to_the_samples(what):
    half = what.outputs.take_rows(np.arange(50))
    for points, word in ((what.points[:49], "points has shape"), (what.points[:50, 1:], "columns")):
        with pytest.raises(ValueError, match=word):
            decide_dynamically("ola", half, what.points[:50], half, points)
    with pytest.raises(ValueError, match="same members"):
        decide_dynamically("ola", half, what.points[:50], half.take([0]), what.points[:50])
    labels = MemberOutputs(half.votes, half.y)
    with pytest.raises(ValueError, match="reads probabilities"):
        decide_dynamically("rrc", labels, what.points[:50], labels, what.points[:50])
