"""The discrete hidden Markov model against all paths."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from counterpoint.sequences import DiscreteHMM, HMMClassifier


def drawn(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return [
        np.column_stack([rng.integers(3, size=m), rng.integers(2, size=m)]).astype(float)
        for m in rng.integers(2, 6, size=n)
    ]


def by_paths(model, sequence):
    """Sum, and the best, over all paths of hidden states."""
    total, best = 0.0, (-1.0, None)
    for path in product(range(model.n_states), repeat=len(sequence)):
        chance = model.start_[path[0]]
        for before, after in pairwise(path):
            chance *= model.transitions_[before, after]
        for state, event in zip(path, sequence):
            for column, value in enumerate(event):
                if not np.isnan(value):
                    at = model.values_[column].tolist().index(value)
                    chance *= model.emissions_[column][state, at]
        total += chance
        best = max(best, (chance, path))
    return total, best[1]


def test_likelihoods_and_best_paths_are_those_of_all_paths():
    sequences = drawn()
    sequences[3][1, 0] = np.nan
    model = DiscreteHMM(3, random_state=0, max_iter=20, tol=0).set_params(tol=1e-2).fit(sequences)
    expected = [by_paths(model, sequence) for sequence in sequences]
    assert_allclose(model.score_samples(sequences), np.log([total for total, _ in expected]))
    for path, (_, best) in zip(model.decode(sequences), expected, strict=True):
        assert path.tolist() == list(best)


def test_em_never_falls_and_shares_add_up():
    model = DiscreteHMM(3, random_state=1, tol=1e-6, max_iter=2000).fit(drawn(1))
    assert (np.diff(model.log_likelihood_) > -1e-9).all()
    assert len(model.log_likelihood_) > 5
    for table in (model.start_[None], model.transitions_, *model.emissions_):
        assert_allclose(table.sum(axis=1), 1.0)


def test_one_step_is_the_one_by_all_paths():
    """The expected counts of Rabiner (1989), equations 40, by enumeration."""
    sequences = drawn(2, n=8)
    before = DiscreteHMM(2, random_state=0, max_iter=1, tol=1e9).fit(sequences)
    rng = np.random.RandomState(0)
    start = rng.uniform(0.5, 1.5, 2)
    move = rng.uniform(0.5, 1.5, (2, 2))
    out = [rng.uniform(0.2, 1.8, (2, 3)), rng.uniform(0.2, 1.8, (2, 2))]
    start, move = start / start.sum(), move / move.sum(axis=1, keepdims=True)
    out = [table / table.sum(axis=1, keepdims=True) for table in out]
    firsts, counts = np.zeros(2), np.zeros((2, 3))
    for sequence in sequences:
        weights = {}
        for path in product(range(2), repeat=len(sequence)):
            chance = start[path[0]] * np.prod([move[a, b] for a, b in pairwise(path)])
            for state, (a, b) in zip(path, sequence):
                chance *= out[0][state, int(a)] * out[1][state, int(b)]
            weights[path] = chance
        total = sum(weights.values())
        for path, chance in weights.items():
            firsts[path[0]] += chance / total
            for state, (a, _) in zip(path, sequence):
                counts[state, int(a)] += chance / total
    assert_allclose(before.start_, firsts / firsts.sum())
    assert_allclose(before.emissions_[0], counts / counts.sum(axis=1, keepdims=True))


def test_values_not_seen_say_nothing_and_classes_are_told_apart():
    model = DiscreteHMM(2, random_state=0).fit(drawn())
    odd = [np.array([[9.0, 0.0], [0.0, 1.0]])]
    gap = [np.array([[np.nan, 0.0], [0.0, 1.0]])]
    assert_allclose(model.score_samples(odd), model.score_samples(gap))
    rng = np.random.default_rng(0)
    rising = [np.sort(rng.integers(3, size=(5, 1)), axis=0).astype(float) for _ in range(40)]
    falling = [x[::-1].copy() for x in rising]
    both = HMMClassifier(3, emission="discrete", n_starts=3, random_state=0)
    both.fit(rising + falling, [0] * 40 + [1] * 40)
    assert both.score(rising + falling, [0] * 40 + [1] * 40) > 0.9
    with pytest.raises(ValueError, match="emission='words'"):
        HMMClassifier(emission="words").fit(rising, [0, 1] * 20)
