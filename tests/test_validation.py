"""One wording for each kind of check."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest
from sklearn.tree import DecisionTreeClassifier

from counterpoint._arrays import (
    check_axes,
    check_floats,
    check_proba,
    check_sample_weight,
    check_samples,
)
from counterpoint._options import solver_steps
from counterpoint._statistics import wilson_interval
from counterpoint._validation import (
    check_choice,
    check_count,
    check_learner,
    check_number,
    did_you_mean,
)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "3", None])
def test_a_count_is_a_whole_number(value):
    with pytest.raises(ValueError, match=re.escape(f"n={value!r}: give a whole number from 1.")):
        check_count(value, "n")


def test_limits_of_numbers_are_told():
    assert check_count(3, "n", low=0, high=3) == 3
    with pytest.raises(ValueError, match=r"n=4: give a whole number from 0 to 3, or None\."):
        check_count(4, "n", low=0, high=3, hint=", or None")
    assert check_number(1, "tol", low=0) == 1.0
    with pytest.raises(ValueError, match=r"tol=0: give a number above 0 and below 1\."):
        check_number(0, "tol", low=0, high=1, open_low=True, open_high=True)
    for value in (math.nan, math.inf, "1", None, True):
        with pytest.raises(ValueError, match="give a finite number"):
            check_number(value, "tol")


def test_numbers_that_overflow_as_soon_as_they_are_used_are_refused():
    assert check_number(1e50, "alpha", low=0) == 1e50
    assert check_number(1e-50, "alpha", low=0, open_low=True) == 1e-50
    assert check_number(1e60, "alpha", high=1e100) == 1e60
    assert check_number(1e308, "rate", low=0, high=np.inf) == 1e308
    with pytest.raises(ValueError, match=r"rate=-1: give a number from 0\."):
        check_number(-1, "rate", low=0, high=np.inf)
    assert check_number(5e-324, "tol", low=0) == 5e-324  # nothing is divided by what may be 0
    with pytest.raises(ValueError, match=r"alpha=1e\+308: give a number from 0 to 1e\+50\."):
        check_number(1e308, "alpha", low=0)
    with pytest.raises(ValueError, match=r"bias=-1e\+308: give a number from -1e\+50\."):
        check_number(-1e308, "bias")
    with pytest.raises(ValueError, match=r"rate=1e-320: give a number from 1e-50 to 1\."):
        check_number(1e-320, "rate", low=0, high=1, open_low=True)


def test_a_choice_that_is_nearly_right_is_told():
    assert check_choice("forward", "search", ["forward", None]) == "forward"
    assert check_choice(None, "search", ["forward", None]) is None
    with pytest.raises(ValueError, match=r"choose 'forward', 'back'\. Did you mean 'forward'\?"):
        check_choice("Foward", "search", ["forward", "back"])
    with pytest.raises(ValueError, match="choose 0, 1"):
        check_choice(True, "flag", [0, 1])
    assert did_you_mean("zzz", ["forward"]) == ""
    assert did_you_mean(3, ["forward"]) == ""


def test_what_is_no_learner_says_what_to_write():
    check_learner(None, owner="X")
    check_learner(DecisionTreeClassifier(), owner="X")
    with pytest.raises(TypeError, match=r"X\(n_estimators=10\)"):
        check_learner(10, owner="X", count="n_estimators")
    with pytest.raises(TypeError, match=r"DecisionTreeClassifier\(\)"):
        check_learner(DecisionTreeClassifier, owner="X")
    with pytest.raises(TypeError, match="object with fit"):
        check_learner("tree", owner="X")


TRIALS = ("n_trials", "n_members", "n_samples")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_axes(np.ones((2, 3)), "a", TRIALS), "For a single trial, pass a[None]."),
        (lambda: check_axes(np.ones(3), "a", TRIALS), "a has shape (3,): expected (n_trials,"),
        (lambda: check_axes(np.ones((2, 0, 3)), "a", TRIALS), "n_members is 0, at least 1"),
        (lambda: check_samples(np.ones((2, 4, 3)), "a", TRIALS, 4), "np.swapaxes(a, 1, 2)"),
        (lambda: check_samples(np.ones((2, 4, 3)), "a", TRIALS, 5), "one value for each sample"),
        (lambda: check_floats([[1, np.inf]], "a", TRIALS[1:]), "a has inf at member 0, sample 1"),
        (lambda: check_floats([["x"]], "a", TRIALS[1:]), "a must be numbers in one rectangular"),
        (lambda: check_proba([[[0.5, 0.6]]]), "proba adds up to 1.1 over the classes at member 0"),
        (lambda: check_proba([[[1.5, -0.5]]]), "-0.5 at member 0, sample 0, class 1"),
        (lambda: check_proba([[0.5, 0.6]], "p", ("n_samples", "n_classes")), "at sample 0: the la"),
    ],
)
def test_arrays_are_told_by_the_names_of_their_axes(check, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check()


def test_probabilities_keep_their_precision():
    proba = np.full((2, 3, 4), 0.25, dtype=np.float32)
    assert check_proba(proba) is proba
    assert check_proba([[[1, 0]]]).dtype == float


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([1e-320, 2e-320], [0.5, 1]),
        ([1e300, 5e299], [1, 0.5]),
        ([1e-250, 0.5], [0, 0.5]),
        ([0.25, 3.0], [0.25, 3.0]),
    ],
)
def test_weights_can_be_added_and_divided_by(given, wanted):
    assert_allclose(check_sample_weight(given, 2), wanted, rtol=1e-3)


@pytest.mark.parametrize(("wrong", "n"), [(0, 5), (3, 7), (7, 7), (20, 1000)])
def test_wilson_equals_scipy(wrong, n):
    ci = binomtest(wrong, n).proportion_ci(0.9, method="wilson")
    assert wilson_interval(wrong, n, 0.9) == pytest.approx((ci.low, ci.high))
    assert all(map(math.isnan, wilson_interval(0, 0)))


def test_a_solver_gives_up_after_steps_that_grow_with_the_samples():
    assert [solver_steps(n) for n in (1, 33, 1000, 5000, 20_000)] == [
        10_000, 10_000, 300_000, 1_000_000, 2_000_000,
    ]  # fmt: skip
