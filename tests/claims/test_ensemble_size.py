"""The rule on the number of members."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims.ensemble_size import CLAIM


def over_size(lead, fall=0.4, late=0.0):
    """Rows of error curves: the lead by size, the fall from 5 to 51 and the change after."""
    sizes = np.array([5, 9, 15, 21, 51, 101, 201])
    base = 0.3 * (1 - fall * np.minimum((sizes - 5) / 46, 1.0))
    base = base * np.where(sizes > 51, 1 + late, 1.0)
    rows = []
    for repeat in range(4):
        for data in ("sonar", "pima", "german-credit"):
            for lam in (0, 2, 4):
                ahead = np.where(sizes <= 21, *lead) * (lam == 2)
                for size, wrong in zip(sizes, base * (1 - ahead), strict=True):
                    row = {"repeat": repeat, "data": data, "lam": lam, "size": size}
                    rows.append(row | {"test_error": wrong})
    return pd.DataFrame(rows)


def test_the_rule_on_size():
    assert CLAIM.judge(over_size((0.2, 0.05))).word == "reproduced"
    growing = CLAIM.judge(over_size((0.05, 0.2)))
    assert growing.word == "differs"
    assert "a larger lead" in growing.why
    # Never ahead, no larger lead early on, and errors still change after 51.
    frame = over_size((0.0, 0.0), late=-0.3)
    frame.loc[frame["lam"] > 0, "test_error"] *= 1.1
    assert CLAIM.judge(frame).word == "not reproduced"


def test_size_takes_the_lambda_that_is_best_at_nine():
    table = CLAIM.judge(over_size((0.2, 0.05))).table
    assert table["lead up to 21"].to_numpy() == pytest.approx(0.2)
    assert table["lead from 51"].to_numpy() == pytest.approx(0.05)


def test_size_cut_short_judges_whole_repeats():
    frame = over_size((0.2, 0.05))
    cut = frame[~((frame["repeat"] == 3) & (frame["lam"] == 4))]
    assert CLAIM.judge(cut).word == "reproduced"
