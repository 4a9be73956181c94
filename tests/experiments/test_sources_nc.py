"""R4-R6: the smoke run, the rule and the picture of each."""

import claim_checks as checks
import numpy as np
import pandas as pd
import pytest

from counterpoint.experiments.sources_nc import CLAIMS, R4, R5, R6, _cross_fitted
from counterpoint.experiments.sources_nc_gaussians import _boundary_length


@pytest.fixture(scope="module", params=CLAIMS, ids=lambda claim: claim.id)
def ran(request):
    return request.param, checks.smoke(request.param)


def test_smoke(ran):
    claim, frame = ran
    checks.check_verdict(claim, frame)
    checks.check_figure(claim, frame)
    checks.check_repeats(claim)


def test_lambda_zero_and_nine_share_their_data():
    zero, nine = (
        next(c for c in R4.experiment("full").cells() if c.values["lam"] == lam) for lam in (0, 9)
    )
    assert zero.seed == nine.seed


def test_length_of_a_straight_boundary():
    region = np.zeros((201, 201), dtype=int)
    region[:100] = 1
    assert _boundary_length(region) == pytest.approx(201 * 0.05)


def gaussians(shifts):
    """Rows in which lambda 9 differs from 0 by so much in covariance, error and length."""
    rng = np.random.default_rng(0)
    rows = []
    for repeat in range(8):
        for distance in (2.6, 4.0):
            for lam in (0, 9):
                cov, wrong, length = (
                    base + (lam == 9) * shift + 0.1 * abs(shift) * rng.standard_normal()
                    for base, shift in zip((0.05, 0.1, 20.0), shifts, strict=True)
                )
                for t in (1, 2, 5, 10, 11):
                    rows.append(
                        {
                            "repeat": repeat,
                            "distance": distance,
                            "lam": lam,
                            "n_members": 11,
                            "round": t,
                            "covariance": np.nan if t == 1 else cov,
                            "test_error": wrong,
                            "boundary": length if t == 11 else np.nan,
                            "regions": 3.0 if t == 11 else np.nan,
                        }
                    )
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("shifts", "word"),
    [
        ((-0.01, -0.02, -5.0), "reproduced"),
        ((0.01, -0.02, -5.0), "differs"),
        ((0.01, 0.02, 5.0), "not reproduced"),
    ],
)
def test_the_rule_on_gaussians(shifts, word):
    found = R4.judge(gaussians(shifts))
    assert found.word == word
    first = found.table.iloc[0]
    assert first["9 less 0"] == pytest.approx(shifts[0], abs=0.005)
    assert first["theirs"] == "lower at 9"


SETS = ("sonar", "ionosphere", "promoters", "pima", "crx", "german-credit")
LARGER = ("pima", "crx", "german-credit")


def over_lambda(small, large, *, best=3):
    """Rows in which the best lambda changes the error by these shares on sets of either size."""
    rng = np.random.default_rng(1)
    rows = []
    for repeat in range(12):
        for data in SETS:
            for learner in ("tree", "network"):
                for lam in range(5):
                    change = large if data in LARGER else small
                    wrong = 0.2 * (1 + change * (lam == best)) + 0.002 * rng.standard_normal()
                    row = {"repeat": repeat, "data": data, "learner": learner, "lam": lam}
                    rows.append(row | {"test_error": wrong, "balanced_error": wrong})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ((-0.1, -0.3), "reproduced"),
        ((-0.3, -0.1), "differs"),  # lower, but most on the smaller sets
        ((0.1, 0.3), "not reproduced"),
    ],
)
def test_the_rule_on_lambda(changes, word):
    # A change for the worse must hit all lambdas, or the next best is as good as none.
    frame = over_lambda(*changes)
    if word == "not reproduced":
        worse = np.where(frame["data"].isin(LARGER), 0.3, 0.1)
        frame["test_error"] += 0.2 * worse * ((frame["lam"] > 0) & (frame["lam"] != 3))
    found = R5.judge(frame)
    assert found.word == word
    if word != "not reproduced":
        assert (found.table["best_lam_ours"] == 3).all()
    crx = found.table[found.table["data"] == "crx"]
    assert set(crx["best_lam_theirs"]) == {4}


def test_the_best_of_many_equals_has_no_luck():
    rng = np.random.default_rng(2)
    gaps, hindsight = [], []
    for _ in range(200):
        wide = pd.DataFrame(rng.normal(0.2, 0.02, size=(10, 13)), columns=range(13))
        gaps.append((_cross_fitted(wide) - wide[0]).mean())
        hindsight.append(wide.drop(columns=0).mean().min() - wide[0].mean())
    assert abs(np.mean(gaps)) < 0.002
    assert np.mean(hindsight) < -0.008  # what the source's way of choosing would claim


def over_size(lead, fall=0.4, late=0.0):
    """Rows of error curves: NC's lead by size, the fall from 5 to 51 and the change after."""
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
    assert R6.judge(over_size((0.2, 0.05))).word == "reproduced"
    growing = R6.judge(over_size((0.05, 0.2)))
    assert growing.word == "differs"
    assert "a larger lead" in growing.why
    # Never ahead, no larger lead early on, and errors still change after 51.
    frame = over_size((0.0, 0.0), late=-0.3)
    frame.loc[frame["lam"] > 0, "test_error"] *= 1.1
    assert R6.judge(frame).word == "not reproduced"


def test_size_takes_the_lambda_that_is_best_at_nine():
    table = R6.judge(over_size((0.2, 0.05))).table
    assert table["lead up to 21"].to_numpy() == pytest.approx(0.2)
    assert table["lead from 51"].to_numpy() == pytest.approx(0.05)


def test_size_cut_short_judges_whole_repeats():
    frame = over_size((0.2, 0.05))
    cut = frame[~((frame["repeat"] == 3) & (frame["lam"] == 4))]
    assert R6.judge(cut).word == "reproduced"
