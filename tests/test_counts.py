import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterpoint import PairCounts

FLAGS = arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 150)))


@settings(max_examples=60)
@given(FLAGS)
def test_counts_are_the_four_products(correct):
    counts = PairCounts.from_correct(correct)
    right = correct.astype(int)
    wrong = 1 - right
    np.testing.assert_array_equal(counts.n11, right @ right.T)
    np.testing.assert_array_equal(counts.n10, right @ wrong.T)
    np.testing.assert_array_equal(counts.n01, wrong @ right.T)
    np.testing.assert_array_equal(counts.n00, wrong @ wrong.T)
    np.testing.assert_array_equal(
        counts.right_votes, np.bincount(right.sum(axis=0), minlength=len(correct) + 1)
    )
    assert counts.total == correct.shape[1]


@settings(max_examples=40)
@given(FLAGS, st.data())
def test_merging_chunks_is_exact_in_any_order(correct, data):
    cuts = sorted(data.draw(st.lists(st.integers(1, correct.shape[1]), max_size=4)))
    chunks = [c for c in np.split(correct, cuts, axis=1) if c.shape[1]]
    whole = PairCounts.from_correct(correct)
    assert sum(PairCounts.from_correct(c) for c in reversed(chunks)) == whole
    started = PairCounts.zeros(len(correct))
    for chunk in chunks:
        started.update(chunk)
    assert started == whole


def test_weights_that_repeat_samples_count_as_repeats():
    rng = np.random.default_rng(0)
    correct = rng.random((5, 20_000)) < 0.6  # more than one chunk of the weighted count
    times = rng.integers(0, 4, size=20_000)
    weighted = PairCounts.from_correct(correct, sample_weight=times)
    repeated = PairCounts.from_correct(np.repeat(correct, times, axis=1))
    np.testing.assert_allclose(weighted.both, repeated.both, rtol=1e-12)
    np.testing.assert_allclose(weighted.right_votes, repeated.right_votes, rtol=1e-12)


def test_a_chunk_of_other_members_is_refused():
    two, three = np.ones((2, 4), dtype=bool), np.ones((3, 4), dtype=bool)
    with pytest.raises(ValueError, match="2 members with counts of 3"):
        PairCounts.from_correct(two).update(three)
    with pytest.raises(TypeError):
        PairCounts.from_correct(two) + 5


def test_values_other_than_right_and_wrong_are_refused():
    with pytest.raises(ValueError, match=r"right or wrong.*holds 0, 1, 2"):
        PairCounts.from_correct([[0, 1, 2], [1, 1, 0]])


def test_shapes_must_fit():
    with pytest.raises(ValueError, match=r"expected \(n_members, n_members\)"):
        PairCounts(np.zeros((2, 2)), np.zeros(2))


def test_counts_pickle():
    counts = PairCounts.from_correct([[1, 0, 1], [1, 1, 0]])
    assert pickle.loads(pickle.dumps(counts)) == counts
    assert repr(counts) == "PairCounts(2 members, 3 samples)"


def test_transposed_memory_order_gives_the_same():
    correct = np.random.default_rng(0).random((70, 6)) < 0.5
    assert PairCounts.from_correct(correct.T) == PairCounts.from_correct(correct.T.copy())
