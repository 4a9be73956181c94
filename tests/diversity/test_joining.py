"""What members bring, against identities, enumeration, simulation and a linear program."""

from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris

from counterpoint import MemberOutputs
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.diversity import (
    added_error,
    boosting_objective,
    coincidences,
    covariance_with_vote,
    double_fault,
    member_error,
    trajectory,
    vote_error_limits,
    vote_gains,
)
from counterpoint.trees import HistTreeClassifier

FLAGS = arrays(bool, st.tuples(st.integers(1, 7), st.integers(1, 12)))


def check_identities(gains, outputs):
    """Theorem 2 of Wang and Yao (2010), on every round."""
    change = np.diff(gains["accuracy"], prepend=0.0)
    assert_allclose(gains["won"] - gains["lost"], change, atol=1e-12)
    parts = gains["member_accuracy"] * gains["pivotal"] + gains["covariance"]
    assert_allclose(parts, gains["won"], atol=1e-12)
    assert_allclose(1 - gains["accuracy"], trajectory(outputs, "vote_error"), atol=1e-12)
    assert_allclose(gains["vote_covariance"], covariance_with_vote(outputs), atol=1e-12)


@given(FLAGS)
@settings(max_examples=60)
def test_theorem_2_is_exact_for_flags(right):
    gains = vote_gains(right)
    check_identities(gains, right)
    for t in range(1, len(right) + 1):  # as in print: n - 1 right of t - 1, and the t-th right
        before, need = right[: t - 1].sum(axis=0), t // 2 + 1
        if (t - 1) // 2 + 1 == need:  # the number that is needed stays
            assert gains["won"][t] == pytest.approx(np.mean((before == need - 1) & right[t - 1]))
            assert gains["lost"][t] == 0
        else:
            assert gains["lost"][t] == pytest.approx(np.mean((before == need - 1) & ~right[t - 1]))
            assert gains["won"][t] == 0


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_theorem_2_is_exact_on_every_round_of_a_run(load):
    X, y = load(return_X_y=True)
    model = AdaBoostNCClassifier(HistTreeClassifier(max_depth=1), n_estimators=15, lam=1.0)
    model.fit(X, y)
    outputs = MemberOutputs(model.member_predict(X), y)
    check_identities(vote_gains(outputs), outputs)
    if load is load_breast_cancer:
        assert_allclose(
            vote_gains(outputs)["vote_covariance"][1:], model.history_["covariance"][1:]
        )


@pytest.mark.parametrize("n_members", [1, 4])
@pytest.mark.parametrize("correlation", [0.0, 0.4])
@pytest.mark.parametrize("bias", [0.0, 0.1])
def test_added_error_against_simulation(n_members, correlation, bias):
    """By decisions on a fine grid, not by the shift of the boundary: probabilities 1/2 +- z."""
    if n_members == 1 and correlation:
        pytest.skip("one member has nobody to correlate with")
    rng = np.random.default_rng(0)
    sigma, trials = 0.05, 4000
    shared = rng.normal(size=(trials, 1, 2)) * np.sqrt(correlation)
    own = rng.normal(size=(trials, n_members, 2)) * np.sqrt(1 - correlation)
    errors = (sigma * (shared + own)).mean(axis=1)  # of the average, for both classes
    z = np.linspace(-0.5, 0.5, 2001)
    truth = np.stack([0.5 + z, 0.5 - z])
    said = truth[0] + errors[:, :1] + bias > truth[1] + errors[:, 1:]
    lost = np.where(said, truth[1], truth[0]).mean() - np.minimum(*truth).mean()
    expected = added_error(
        1.0, 2.0, sigma**2, bias=bias, n_members=n_members, correlation=correlation
    )
    assert lost == pytest.approx(expected, rel=0.06)


@given(FLAGS)
@settings(max_examples=40)
def test_coincidences_of_all_orders(right):
    wrong, levels = ~right, coincidences(right)
    n = len(right)
    for r in range(1, n + 1):
        groups = [wrong[list(group)].all(axis=0).mean() for group in combinations(range(n), r)]
        assert levels[r - 1] == pytest.approx(np.mean(groups))
    # Inclusion and exclusion: somebody is wrong.
    somebody = sum((-1) ** (r + 1) * comb(n, r) * levels[r - 1] for r in range(1, n + 1))
    assert somebody == pytest.approx(wrong.any(axis=0).mean())
    assert levels[0] == pytest.approx(member_error(right))
    if n > 1:
        assert levels[1] == pytest.approx(double_fault(right))


@pytest.mark.parametrize("margin", [0, 1, 2])
@pytest.mark.parametrize(
    "errors", [[0.4] * 5, [0.1, 0.2, 0.3, 0.45, 0.5], [0.05, 0.6, 0.3, 0.3, 0.2]]
)
def test_stable_patterns_by_linear_programming(errors, margin):
    patterns = np.array(list(product([0, 1], repeat=5)))  # 1: right
    marginals = np.vstack([patterns.T, np.ones(len(patterns))])
    right = np.append(1 - np.array(errors), 1.0)
    need = 3 + margin
    votes = patterns.sum(axis=1)
    best, worst = (
        linprog(-1.0 * (side >= need), A_eq=marginals, b_eq=right, bounds=(0, 1))
        for side in (votes, 5 - votes)
    )
    assert_allclose(vote_error_limits(errors, margin=margin), [1 + best.fun, -worst.fun], atol=1e-9)


@given(arrays(bool, st.tuples(st.integers(1, 6), st.integers(2, 9))), st.data())
@settings(max_examples=40)
def test_objective_is_its_expansion(subsets, data):
    """Eastwood 2010, 3.33: E (y - f - h)^2 less what does not depend on the new subset."""
    n = subsets.shape[1]
    y = np.array(data.draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)))
    y[:2] = [0, 1]
    found = boosting_objective(subsets, y)
    sign = 2.0 * y - 1
    for k in range(1, len(subsets)):
        covered = subsets[:k].mean(axis=0)
        f, h = 2 * covered - 1, 2.0 * subsets[k] - 1
        constant = np.mean((sign + 2 - 2 * covered) ** 2)
        assert found["residual"][k] == pytest.approx(np.mean((sign - f - h) ** 2))
        assert found["objective"][k] + constant == pytest.approx(found["residual"][k])


def test_objective_of_an_ensemble():
    votes = np.array([["a", "b", "b", "a"], ["b", "b", "a", "a"]])
    outputs = MemberOutputs(votes, ["b", "b", "a", "a"])
    ours = boosting_objective(outputs)
    expected = boosting_objective(votes == "b", ["b", "b", "a", "a"])
    assert_allclose(ours, expected)
    assert_allclose(ours["size"], [-2, -2])
    with pytest.raises(ValueError, match="label='c': give one of"):
        boosting_objective(outputs, label="c")
