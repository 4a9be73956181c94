"""The rule on boosted nominal concepts."""

from itertools import product

import claim_checks as checks
import numpy as np
import pandas as pd
import pytest

from counterpoint.claims.nominal_concepts import CLAIM, rank_correlation


def test_one_member_makes_no_pair():
    frame = checks.smoke("nominal-concepts")
    assert frame.loc[frame["size"] == 1, ["q", "rho", "kappa"]].isna().all(axis=None)
    assert frame["test_error"].between(0, 1).all()


SIZES = (1, 2, 5, 10, 15, 20, 30, 50)
LOWEST = {"german-credit": -0.02, "pima": -0.3, "ionosphere": -0.15}


def rows(*, follows=True, lowest_at=20, gain=-0.4, ttt=-0.05, transfusion=0.0, low=0.0):
    """Curves in which Q follows the error or runs against it, with the ends wanted."""
    ends = {
        "german-credit": -0.1,
        "pima": -0.1,
        "ionosphere": gain,
        "tic-tac-toe": ttt,
        "blood-transfusion": transfusion,
    }
    made = []
    for (data, end), repeat in product(ends.items(), range(4)):
        for size in SIZES:
            # The error falls to its end at ``lowest_at`` members and comes back a little.
            there = min(size, lowest_at) / lowest_at - 0.002 * max(size - lowest_at, 0)
            wrong = 0.3 * (1 + end * there) - 1e-4 * there
            q = LOWEST.get(data, -0.1) + low + 0.3 * (1 - there)
            against = there if follows else 1 - there
            made.append(
                {"repeat": repeat, "fold": 0, "data": data, "size": size, "n_members": 50}
                | {"training": "resampling"}
                | {"test_error": wrong if size < 50 else 0.3 * (1 + end), "q_training": q}
                | {"q": q if follows else -q, "rho": against, "kappa": against}
            )
    frame = pd.DataFrame(made)
    if not follows:
        frame["q"] = frame["q"].abs() + 0.1
    frame.loc[frame["size"] == 1, ["q", "rho", "kappa"]] = np.nan
    return frame


def test_the_rule():
    found = CLAIM.judge(rows())
    assert found.word == "reproduced"
    table = found.table.set_index("data")
    assert table["lowest Q (ours)"]["pima"] == pytest.approx(-0.3)
    assert table["lowest Q (theirs)"]["pima"] == -0.3
    assert table["lowest at (ours)"]["ionosphere"] == 20
    assert table["lowest at (theirs)"]["ionosphere"] == "15 to 30"


@pytest.mark.parametrize(
    ("change", "failed"),
    [
        ({"lowest_at": 2}, "lowest Q at 10 to 30"),
        ({"low": -0.5}, "within 0.15"),
        ({"gain": -0.1}, "ionosphere gains"),
        ({"ttt": -0.4}, "tic-tac-toe"),
        ({"transfusion": -0.2}, "transfusion"),
    ],
)
def test_each_part_can_fail_alone(change, failed):
    found = CLAIM.judge(rows(**change))
    assert found.word == "differs"
    assert failed in found.why.split("Does not hold:")[1]


def test_not_reproduced():
    found = CLAIM.judge(rows(follows=False, gain=-0.1, ttt=-0.4, transfusion=-0.2, lowest_at=2))
    assert found.word == "not reproduced"


def test_what_was_trained_by_weights_stands_beside_and_decides_nothing():
    draws = rows()
    weights = rows(follows=False, gain=-0.1, ttt=-0.4, transfusion=-0.2, lowest_at=2)
    weights["training"] = np.nan  # cells by weights do not say so
    found = CLAIM.judge(pd.concat([draws, weights], ignore_index=True))
    assert found.parts == CLAIM.judge(draws).parts
    table = found.table.set_index("data")
    assert table["q with error, by weights"]["pima"] < 0 < table["q with error"]["pima"]
    assert set(CLAIM.judge(weights.drop(columns="training")).parts.values()) == {None}


def test_both_ways_to_train_see_the_same_folds_and_differ():
    made = CLAIM.experiment("smoke").cells()
    first, second = made[:2]
    assert first.values["training"] != second.values["training"]
    assert first.seed == second.seed
    frame = checks.smoke("nominal-concepts").pivot_table(
        index=["data", "fold", "size"], columns="training", values="test_error"
    )
    assert (frame["resampling"] != frame["weights"]).any()


def testrank_correlation_of_what_does_not_vary_is_nan():
    rising, flat = pd.Series([1.0, 2.0, 3.0]), pd.Series([1.0, 1.0, 1.0])
    assert rank_correlation(rising, rising**3) == pytest.approx(1.0)
    assert np.isnan(rank_correlation(rising, flat))
    assert np.isnan(rank_correlation(rising, pd.Series([np.nan, np.nan, 1.0])))
