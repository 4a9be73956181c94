"""The rule on two Gaussians."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.claims.two_gaussians import CLAIM, boundary_length


def test_lambda_zero_and_nine_share_their_data():
    zero, nine = (
        next(c for c in CLAIM.experiment("full").cells() if c.values["lam"] == lam)
        for lam in (0, 9)
    )
    assert zero.seed == nine.seed


def test_length_of_a_straight_boundary():
    region = np.zeros((201, 201), dtype=int)
    region[:100] = 1
    assert boundary_length(region) == pytest.approx(201 * 0.05)


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
    found = CLAIM.judge(gaussians(shifts))
    assert found.word == word
    first = found.table.iloc[0]
    assert first["9 less 0"] == pytest.approx(shifts[0], abs=0.005)
    assert first["theirs"] == "lower at 9"
