"""Weights by class."""

import numpy as np
from numpy.testing import assert_allclose

from counterpoint import MemberOutputs
from counterpoint.combiners import ClassWeightedMeanCombiner, WeightedMeanCombiner


def outputs(seed=0, n_members=4, n=300, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    score = rng.normal(size=(n_members, n, n_classes)) + 1.5 * np.eye(n_classes)[y]
    proba = np.exp(score)
    return MemberOutputs(proba=proba / proba.sum(axis=2, keepdims=True), y=y)


def test_equal_weights_of_all_classes_are_one_weight():
    given = outputs()
    one = WeightedMeanCombiner("accuracy").fit(given)
    rule = ClassWeightedMeanCombiner().fit(given)
    rule.class_weights_ = np.repeat(one.estimator_weights_[:, None], 3, axis=1)
    assert_allclose(rule.combine(given), one.combine(given))
    assert_allclose(rule.shares(given), one.estimator_weights_)
    kept, fewer = np.array([0, 2]), given.take([0, 2])
    assert_allclose(rule.keep(kept, given).combine(fewer), one.keep(kept, given).combine(fewer))


def test_least_squares_are_the_best_weights_of_every_class():
    """Against a grid over the simplex of two members, class by class."""
    given = outputs(1, n_members=2)
    rule = ClassWeightedMeanCombiner().fit(given)
    grid = np.linspace(0, 1, 2001)
    for k in range(3):
        truth = (given.y == k).astype(float)
        a, b = given.proba[:, :, k]
        error = [np.mean((w * a + (1 - w) * b - truth) ** 2) for w in grid]
        assert abs(rule.class_weights_[0, k] - grid[np.argmin(error)]) <= 1e-3
    assert np.ptp(rule.class_weights_[0]) > 0  # classes differ


def test_a_member_that_knows_one_class_counts_for_it():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=600)
    first = np.where((y == 0)[:, None], [0.9, 0.05, 0.05], [0.04, 0.48, 0.48])  # knows class 0
    second = np.where((y == 0)[:, None], rng.dirichlet(np.ones(3), 600), np.eye(3)[y])  # the others
    given = MemberOutputs(proba=[first, second], y=y)
    weights = ClassWeightedMeanCombiner().fit(given).class_weights_
    assert weights[0, 0] > 0.9
    assert weights[1, 1:].min() > weights[0, 1:].max()
    assert ClassWeightedMeanCombiner("precision").fit(given).class_weights_[0, 0] > 0.5
