"""The rule on kernels of subset collections, and the equations."""

import math

import claim_checks as checks
import numpy as np
import pytest

from counterpoint.claims.subset_kernels import CLAIM, KINDS, fitted, formula, look_alike, places


@pytest.fixture(scope="module")
def frame():
    return checks.smoke("subset-kernels")


def test_our_kernel_is_the_equation(frame):
    assert (CLAIM.judge(frame).table["kernel less the equation, at most (ours)"] < 1e-9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_all_kernels_are_1_at_0_and_fall(kind):
    x = places(kind)
    for values in (formula(kind, x, 1.0), look_alike(kind, x, 1.0)):
        assert values[0] == pytest.approx(1)
        assert (np.diff(values) <= 1e-12).all()
        assert (values >= 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_fitted_is_best(kind):
    x, best = places(kind), fitted(kind)

    def gap(value):
        return np.mean((formula(kind, x, value) - look_alike(kind, x, value)) ** 2)

    assert gap(best) < min(gap(0.95 * best), gap(1.05 * best))
    assert 0 < best < math.pi / 2


def test_the_rule(frame):
    alike = frame.assign(look_alike=frame["equation"])
    assert CLAIM.judge(alike).word == "reproduced"
    assert CLAIM.judge(alike.assign(drawn=alike["drawn"] + 0.2)).word == "differs"
    other = frame.assign(look_alike=1 + frame["x"], drawn=frame["drawn"] + 0.2)
    assert CLAIM.judge(other).word == "not reproduced"
