"""Strength and lambda: the thesis's numbers, one meaning for every N, and errors that help."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint._strength import lambda_star, lambda_upper, resolve_strength


def test_the_thesis_values():
    """N = 3: lambda* = 0.75 (figure 4.4); both limits fall to 1/2 as N grows."""
    assert lambda_star(3) == 0.75
    assert lambda_upper(3) == 1.125
    assert lambda_star(2) == 1.0
    assert lambda_star(10**9) == pytest.approx(0.5)
    assert lambda_upper(10**9) == pytest.approx(0.5)


def test_limits_of_one_member_are_undefined():
    assert np.isnan(lambda_star(1))
    assert np.isnan(lambda_upper(1))


@given(st.integers(2, 1000), st.floats(0, 1))
def test_strength_is_the_share_of_lambda_star(n, strength):
    s, lam = resolve_strength(strength, None, n, default=0.3)
    assert s == strength
    assert lam == pytest.approx(strength * lambda_star(n))
    assert resolve_strength(None, lam, n, default=0.3)[0] == pytest.approx(s, abs=1e-12)


@given(st.integers(2, 1000), st.floats(0, 3))
def test_strength_is_what_multiplies_the_gradient(n, lam):
    """At lambda* the coefficient 1 - 2 lambda (1 - 1/N) of the spread is zero (equation 4.10)."""
    s, same = resolve_strength(None, lam, n, default=0.3)
    assert same == lam
    assert s == pytest.approx(2 * lam * (1 - 1 / n))
    assert (s < 1) == (lam < lambda_star(n)) or s == pytest.approx(1)


@pytest.mark.parametrize("n", [2, 5])
def test_the_default_when_nothing_is_set(n):
    assert resolve_strength(None, None, n, default=0.3) == (
        0.3,
        pytest.approx(0.3 * lambda_star(n)),
    )


def test_only_lambda_goes_beyond():
    s, lam = resolve_strength(None, 1.5, 3, default=0.3)
    assert (s, lam) == (2.0, 1.5)


def test_one_member_has_no_strength():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert resolve_strength(None, None, 1, default=0.3) == (0.0, 0.0)
        assert resolve_strength(0.0, None, 1, default=0.3) == (0.0, 0.0)
        assert resolve_strength(None, 0, 1, default=0.3) == (0.0, 0.0)
    for asked in ({"strength": 0.5, "lam": None}, {"strength": None, "lam": 0.1}):
        with pytest.warns(UserWarning, match="lambda\\* is undefined for n_estimators=1"):
            assert resolve_strength(**asked, n_members=1, default=0.3) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("strength", "lam", "error", "match"),
    [
        (0.5, 0.3, ValueError, "set one of them"),
        (1.01, None, ValueError, "strength=1.01: give a number from 0"),
        (-0.1, None, ValueError, "strength=-0.1: give a number from 0"),
        (float("nan"), None, ValueError, "strength=nan"),
        (None, -1e-9, ValueError, "lam=-1e-09: give a number from 0"),
        (None, float("inf"), ValueError, "lam=inf.*lambda\\* is 0.75"),
        (None, float("nan"), ValueError, "lam=nan"),
        ("much", None, ValueError, "strength='much': give a number"),
        (True, None, ValueError, "strength=True: give a number"),
        (None, [0.5], ValueError, "lam=\\[0.5\\]: give a number"),
    ],
)
def test_bad_strengths(strength, lam, error, match):
    with pytest.raises(error, match=match):
        resolve_strength(strength, lam, 3, default=0.5)


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", True, None])
@pytest.mark.parametrize("function", [lambda_star, lambda_upper])
def test_bad_sizes(function, size):
    with pytest.raises(ValueError, match="give a whole number from 1"):
        function(size)


def test_numpy_numbers_are_numbers():
    s, lam = resolve_strength(np.float32(0.5), None, np.int64(3), default=0.3)
    assert type(s) is float
    assert (s, lam) == (0.5, 0.375)
