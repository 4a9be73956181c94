"""The rule on the number of members."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims.ensemble_size import CLAIM, SIZES, SOURCE

SAID = SOURCE["over_size"]


def over_size(early=0.3, late=None, after=0.0):
    """Rows of error curves: the lead up to 21, the lead from 51 on as each set has it, and the
    change of both methods after 51.
    """
    rng = np.random.default_rng(0)
    sizes = np.array(SIZES)
    base = 0.3 * (1 - 0.4 * np.minimum((sizes - 5) / 46, 1.0)) * np.where(sizes > 51, 1 + after, 1)
    rows = []
    for repeat in range(6):
        for data, said in SAID.items():
            end = (0.3 if "throughout" in said else 0.0) if late is None else late
            for lam in (0, 2, 4):
                ahead = np.where(sizes <= 21, early, end) * (lam == 2)
                wrong = base * (1 - ahead) + 0.001 * rng.standard_normal(len(sizes))
                row = {"repeat": repeat, "data": data, "lam": lam}
                rows += [
                    row | {"size": k, "test_error": e} for k, e in zip(sizes, wrong, strict=True)
                ]
    return pd.DataFrame(rows)


def test_the_rule_on_size():
    found = CLAIM.judge(over_size())
    assert found.word == "reproduced"
    assert "ahead from 51 on, on hypothyroid" in found.parts
    assert "level from 51 on, on crx" in found.parts
    assert not any("promoters" in name for name in found.parts)


def test_a_lead_that_turns_into_a_loss_is_no_reproduction():
    found = CLAIM.judge(over_size(late=-0.3))
    assert found.word == "differs"
    assert found.parts["level from 51 on, on crx"] is False
    assert found.parts["ahead from 51 on, on pima"] is False


def test_nothing_of_it():
    # Behind from the start, at other levels in the end, and errors still change after 51.
    frame = over_size(early=0.0, late=0.0, after=-0.4)
    frame.loc[frame["lam"] > 0, "test_error"] *= 1.3
    found = CLAIM.judge(frame)
    assert found.word == "not reproduced"


def test_size_takes_the_lambda_that_is_best_at_nine():
    table = CLAIM.judge(over_size()).table.set_index("data")
    lead = -table["AdaBoost.NC less AdaBoost, up to 21 (ours)"]
    assert lead["sonar"] == pytest.approx(
        0.3 * 0.3 * (1 - 0.4 * (0 + 4 + 10 + 16) / 4 / 46), rel=0.02
    )


def test_size_cut_short_judges_whole_repeats():
    frame = over_size()
    cut = frame[~((frame["repeat"] == 5) & (frame["lam"] == 4))]
    found = CLAIM.judge(cut)
    assert found.word == "reproduced"
    assert set(found.table["repeats"]) == {5}


def test_a_set_that_was_not_run_is_open():
    frame = over_size()
    found = CLAIM.judge(frame[frame["data"] != "sonar"])
    assert found.word == "open"
    assert found.parts["ahead up to 21 on sonar"] is None
