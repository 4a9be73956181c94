import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.large.sketch import QuantileSketch


def rank_error(sketch, data):
    """Return the largest error of a rank, as a share of the values."""
    data = np.sort(data)
    values, counts = sketch.values()
    about = np.concatenate([[0], np.cumsum(counts)])
    at_most = np.searchsorted(data, values, side="right")
    below = np.searchsorted(data, values, side="left")
    # The sketch puts a value somewhere between the ranks it has and the rank after it.
    gap = np.maximum(below - about[1:], about[:-1] - at_most)
    return max(gap.max(), 0) / len(data)


@pytest.mark.parametrize("kind", ["sorted", "backwards", "shuffled", "heavy", "ties"])
def test_ranks_are_wrong_by_no_more_than_it_says(kind):
    rng = np.random.default_rng(0)
    data = {
        "sorted": np.arange(50_000.0),
        "backwards": -np.arange(50_000.0),
        "shuffled": rng.permutation(50_000).astype(float),
        "heavy": rng.standard_cauchy(50_000),
        "ties": np.floor(rng.exponential(3000, 50_000)),
    }[kind]
    sketch = QuantileSketch(size=256)
    for part in np.array_split(data, 97):
        sketch.add(part)
    assert not sketch.exact
    assert sum(sketch.values()[1]) == sketch.n == 50_000
    assert rank_error(sketch, data) <= sketch.error < 0.1
    halves = [QuantileSketch(size=256) for _ in range(3)]
    for half, part in zip(halves, np.array_split(data, 3)):
        half.add(part)
    halves[0].merge(halves[1])
    halves[0].merge(halves[2])
    assert rank_error(halves[0], data) <= halves[0].error < 0.1
    assert sum(halves[0].values()[1]) == 50_000


@given(st.lists(st.lists(st.integers(0, 30)), max_size=6), st.integers(0, 6))
def test_few_values_are_known_exactly(parts, cut):
    one, other = QuantileSketch(size=40), QuantileSketch(size=40)
    for k, part in enumerate(parts):
        (one if k < cut else other).add(np.array([*part, np.nan], dtype=float))
    one.merge(other)
    values, counts = np.unique([v for part in parts for v in part], return_counts=True)
    found = one.values()
    np.testing.assert_array_equal(found[0], values)
    np.testing.assert_array_equal(found[1], counts)
    assert one.exact
    assert one.error == 0
    assert one.n_missing == len(parts)


def test_merging_exact_and_sketched_keeps_all():
    few, many = QuantileSketch(size=64), QuantileSketch(size=64)
    few.add(np.repeat([1.0, 2.0], 500))
    many.add(np.arange(1000.0))
    for one, other in ((few, many), (many, few)):
        both = QuantileSketch(size=64)
        both.merge(one)
        both.merge(other)
        assert both.n == sum(both.values()[1]) == 2000
        data = np.concatenate([np.repeat([1.0, 2.0], 500), np.arange(1000.0)])
        assert rank_error(both, data) <= both.error
