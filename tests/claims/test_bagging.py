"""The rule on bagged trees, and their data."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims import sources
from counterpoint.claims.bagging import CLAIM, rows_of


def bagging(decrease):
    """Rows of all sets, with the lecture's tree errors and the decrease wanted."""
    rng = np.random.default_rng(0)
    rows = []
    theirs = sources.BAGGING.set_index("data")["tree_theirs"]
    for repeat in range(20):
        for data, tree in theirs.items():
            one = tree / 100 + 0.002 * rng.standard_normal()
            many = tree / 100 * (1 - decrease) + 0.002 * rng.standard_normal()
            rows.append({"repeat": repeat, "data": data, "tree_error": one, "bagging_error": many})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("decrease", "word"), [(0.26, "reproduced"), (0.12, "differs"), (-0.1, "not reproduced")]
)
def test_the_rule_on_bagging(decrease, word):
    found = CLAIM.judge(bagging(decrease))
    assert found.word == word
    table = found.table.set_index("data")
    assert table["decrease_ours"]["waveform"] == pytest.approx(100 * decrease, abs=2)
    assert table["decrease_theirs"]["waveform"] == 33


def test_heart_has_no_say():
    frame = bagging(0.26)
    heart = frame["data"] == "heart"
    frame.loc[heart, "bagging_error"] = 0.5  # it is not the source's data
    assert CLAIM.judge(frame).word == "reproduced"


def test_diabetes_is_pima_with_the_smaller_class_twice():
    X, y = rows_of("diabetes", np.random.default_rng(0))
    assert len(X) == len(y) == 1036
    assert sorted(np.bincount(y)) == [500, 536]
    _, once = rows_of("diabetes, each row once", np.random.default_rng(0))
    assert len(once) == 768
    X, y = rows_of("soybean", np.random.default_rng(0))
    assert X.shape == (307, 35)
    assert y.max() == 18
