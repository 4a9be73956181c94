"""What a subset of members is judged by."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.selection import (
    DiverseLoss,
    LogLoss,
    SquaredError,
    bagged_weights,
)


def numbers(n_members=6, n_samples=40):
    rng = np.random.default_rng(0)
    y = rng.normal(size=n_samples)
    return MemberPredictions(y + rng.normal(size=(n_members, n_samples)), y)


def classes(n_members=5, n_samples=30):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1, 1, 1], size=(n_members, n_samples))
    return MemberOutputs(proba=proba, y=rng.integers(3, size=n_samples))


@pytest.mark.parametrize("weight", [-1.0, -0.3, 0.0, 2.0])
def test_diverse_loss_is_the_loss_less_the_ambiguity(weight):
    members = numbers()
    mean = members.values.mean(axis=0)
    ambiguity = np.mean((members.values - mean) ** 2)  # Krogh and Vedelsby
    loss = np.mean((mean - members.y) ** 2)
    found = DiverseLoss(weight, "squared").value(members)
    assert found == pytest.approx(loss - weight * ambiguity)


@pytest.mark.parametrize(("make", "own"), [(numbers, SquaredError()), (classes, LogLoss())])
def test_diverse_loss_at_its_ends(make, own):
    members = make()
    alone = np.mean([own.value(members.take([k])) for k in range(members.n_members)])
    assert DiverseLoss(0, own).value(members) == pytest.approx(own.value(members))
    assert DiverseLoss(-1, own).value(members) == pytest.approx(alone)


@pytest.mark.parametrize("make", [numbers, classes])
def test_paid_nothing_for_disagreement_the_best_is_taken_alone(make):
    members = make()
    name = "squared" if make is numbers else "log-loss"
    own = SquaredError() if make is numbers else LogLoss()
    best = np.argmin([own.value(members.take([k])) for k in range(members.n_members)])
    blind = bagged_weights(members, DiverseLoss(-1, name), n_bags=1)
    assert_allclose(blind, np.eye(members.n_members)[best])


@pytest.mark.parametrize(("make", "own"), [(numbers, SquaredError()), (classes, LogLoss())])
def test_of_all_subsets_the_best_disagree_the_more_the_more_is_paid_for_it(make, own):
    members = make()
    every = range(members.n_members)
    subsets = [list(s) for k in every for s in combinations(every, k + 1)]
    apart = []
    for weight in (-1, -0.5, 0, 1, 5):
        values = [DiverseLoss(weight, own).value(members.take(s)) for s in subsets]
        best = members.take(subsets[int(np.argmin(values))])
        apart.append(DiverseLoss(-1, own).value(best) - own.value(best))
    assert apart == sorted(apart)
    assert apart[0] == pytest.approx(0, abs=1e-12)
    assert apart[-1] > apart[0] + 0.1


def test_diverse_loss_says_what_it_cannot_judge():
    with pytest.raises(ValueError, match="weight=-2: give a number from -1"):
        DiverseLoss(-2)
    with pytest.raises(ValueError, match="is no loss of a plain mean"):
        DiverseLoss(1, "error").value(classes())
