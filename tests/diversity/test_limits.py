from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from counterpoint import MemberOutputs, PairCounts
from counterpoint.diversity import (
    c_bound,
    first_order_bound,
    forest_bound,
    independent_vote_error,
    q_statistic,
    strength_and_correlation,
    tandem_bound,
    variance_factor,
    vote_error,
    vote_error_limits,
)

FLAGS = arrays(bool, st.tuples(st.integers(1, 7), st.integers(1, 40)))

# The ensemble-learning lecture's table: members, error of each, error of the vote.
LECTURE = {
    (5, 0.1): 0.008560, (5, 0.2): 0.057920, (5, 0.4): 0.317440,
    (10, 0.1): 0.000147, (10, 0.2): 0.006369, (10, 0.4): 0.166239,
    (20, 0.1): 0.000001, (20, 0.2): 0.000563, (20, 0.4): 0.127521,
}  # fmt: skip


@pytest.mark.parametrize(("n_members", "error"), LECTURE)
def test_the_lectures_table_to_six_digits(n_members, error):
    assert round(independent_vote_error(error, n_members), 6) == LECTURE[n_members, error]


@pytest.mark.parametrize("errors", [[0.3], [0.1, 0.2, 0.3], [0.4, 0.1, 0.25, 0.6, 0.05]])
def test_independent_vote_sums_over_all_outcomes(errors):
    expected = 0.0
    for wrong in product([0, 1], repeat=len(errors)):
        if sum(wrong) > len(errors) / 2:
            expected += np.prod([e if w else 1 - e for e, w in zip(errors, wrong, strict=True)])
    assert_allclose(independent_vote_error(errors), expected, rtol=1e-12)


@settings(max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=5).filter(lambda e: len(e) % 2))
def test_limits_of_a_vote_are_those_of_the_best_and_worst_table(errors):
    """A linear program over all patterns of right and wrong, with the errors as given."""
    outcomes = np.array(list(product([0, 1], repeat=len(errors))))  # 1: wrong
    lost = outcomes.sum(axis=1) > len(errors) / 2
    constraints = np.vstack([outcomes.T, np.ones(len(outcomes))])
    given_errors = np.append(errors, 1.0)
    best = linprog(lost, A_eq=constraints, b_eq=given_errors).fun
    worst = -linprog(-lost.astype(float), A_eq=constraints, b_eq=given_errors).fun
    assert_allclose(vote_error_limits(errors), (best, worst), atol=1e-7)


@settings(max_examples=60)
@given(FLAGS.filter(lambda c: len(c) % 2))
def test_every_vote_stays_within_its_limits(correct):
    best, worst = vote_error_limits(1 - correct.mean(axis=1))
    assert best - 1e-9 <= vote_error(correct) <= worst + 1e-9


def test_variance_factor_is_that_of_a_mean_of_correlated_variables():
    rho, n = 0.3, 6
    covariance = np.full((n, n), rho) + (1 - rho) * np.eye(n)
    assert_allclose(variance_factor(rho, n), np.full(n, 1 / n) @ covariance @ np.full(n, 1 / n))


@settings(max_examples=80)
@given(FLAGS, st.data())
def test_bounds_hold_for_every_vote(correct, data):
    weights = data.draw(arrays(float, len(correct), elements=st.floats(0.1, 3.0)))
    outputs = MemberOutputs.from_correct(correct, weights=weights)
    error = vote_error(outputs)
    assert error <= tandem_bound(outputs) + 1e-9
    assert error <= first_order_bound(outputs) + 1e-9
    bound = c_bound(outputs)
    assert np.isnan(bound) or error <= bound + 1e-9
    assert tandem_bound(outputs, delta=0.05) >= tandem_bound(outputs)


@settings(max_examples=40)
@given(FLAGS)
def test_tandem_bound_is_the_two_class_form_with_disagreement(correct):
    """4 E[L(h, h')] = 4 E[L] - 2 E[D], drawing members with return."""
    wrong = (~correct).astype(float)
    error = wrong.mean()
    differ = np.mean([[np.mean(a != b) for a in wrong] for b in wrong])
    assert_allclose(tandem_bound(correct), 4 * error - 2 * differ, atol=1e-12)
    assert_allclose(tandem_bound(PairCounts.from_correct(correct)), tandem_bound(correct))


def test_pac_bayes_bound_is_the_least_over_lambda():
    correct = np.random.default_rng(0).random((5, 400)) < 0.8
    loss, n, delta = tandem_bound(correct) / 4, 400, 0.05
    cost = np.log(2 * np.sqrt(n) / delta)  # equal weights and prior: no divergence
    lam = np.linspace(0.001, 1.999, 20_000)
    every = 4 * (loss / (1 - lam / 2) + cost / (lam * (1 - lam / 2) * n))
    assert_allclose(tandem_bound(correct, delta=delta), every.min(), rtol=1e-6)


def test_bound_falls_with_disagreement_where_the_first_order_one_is_blind():
    apart = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    together = np.array([[1, 1, 0, 1]] * 3)
    assert first_order_bound(apart) == first_order_bound(together)
    assert tandem_bound(apart) < tandem_bound(together)
    assert q_statistic(apart) < 0


@settings(max_examples=40)
@given(FLAGS)
def test_strength_and_correlation_of_two_classes(correct):
    """Breiman's rho is also the mean of rho sd sd over all pairs, by the mean of sd sd."""
    strength, rho = strength_and_correlation(correct)
    margin = 2.0 * correct - 1.0
    assert_allclose(strength, margin.mean(), atol=1e-12)
    spread = margin.std(axis=1)
    if spread.sum() == 0:
        assert np.isnan(rho)
        return
    covariance = np.atleast_2d(np.cov(margin, bias=True))
    assert_allclose(rho, covariance.mean() / np.outer(spread, spread).mean(), atol=1e-9)


def test_strength_looks_at_the_best_other_class():
    votes = [[0, 1, 2, 0], [0, 2, 2, 1], [1, 1, 0, 2]]
    outputs = MemberOutputs(votes, [0, 1, 1, 0], classes=[0, 1, 2])
    strength, _ = strength_and_correlation(outputs)
    assert_allclose(strength, np.mean([2 / 3 - 1 / 3, 2 / 3 - 1 / 3, 0 - 2 / 3, 0]))


def test_forest_bound_is_undefined_without_strength():
    assert np.isnan(forest_bound(strength=0.0, correlation=0.5))
    assert_allclose(forest_bound(strength=0.6, correlation=0.2), 0.2 * 0.64 / 0.36)
    correct = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]])
    s, rho = strength_and_correlation(correct)
    assert_allclose(forest_bound(correct), rho * (1 - s**2) / s**2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: independent_vote_error(0.2), "n_members=None: give a whole number from 1"),
        (lambda: independent_vote_error([0.2, 0.3], 5), "leave it out"),
        (lambda: independent_vote_error(1.2, 3), "between 0 and 1"),
        (lambda: vote_error_limits([0.1, 0.2]), "odd number"),
        (lambda: variance_factor(-0.5, 10), "cannot correlate less than -0.1111"),
        (lambda: variance_factor(0.5, 0), "n_members=0: give a whole number from 1"),
        (lambda: forest_bound(strength=0.5), "both strength and correlation"),
        (lambda: tandem_bound([[1, 0]], delta=2), "delta=2"),
        (lambda: tandem_bound([[1, 0], [1, 1]], delta=0.1, prior=[1, 0]), "prior is zero"),
        (lambda: tandem_bound([[1, 0], [1, 1]], weights=[1]), "one per member"),
    ],
)
def test_wrong_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
