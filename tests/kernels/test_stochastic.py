import numpy as np
import pytest
from naive import subset_kernels as naive

from counterpoint._kernels import stochastic as kernels


def random_models(seed, n_models=40, n_boxes=2, n_sides=2, n_features=4, n=70):
    rng = np.random.default_rng(seed)
    n_bins = rng.integers(2, 9, size=n_features)
    rows = np.stack([rng.integers(b, size=n) for b in n_bins], axis=1)
    middles = np.full((n_features, 256), np.inf)
    for f, b in enumerate(n_bins):
        middles[f, :b] = (np.arange(b) + 0.5) / b
    features = np.stack(
        [rng.permutation(n_features)[:n_sides] for _ in range(n_models * n_boxes)]
    ).reshape(n_models, n_boxes, n_sides)
    width = rng.uniform(0.05, 0.9, size=features.shape)
    start = rng.uniform(-0.5, 1.0, size=features.shape)
    boxes = kernels.boxes_in_bins(middles, features.astype(np.int32), start, width)
    columns = np.ascontiguousarray(rows.T.astype(np.uint8))
    return rows, columns, boxes, naive.boxes_in_bins(middles, features, start, width)


@pytest.mark.parametrize(
    ("n_boxes", "n_sides", "n"), [(1, 1, 70), (2, 2, 70), (3, 4, 1), (2, 3, 2100)]
)
def test_boxes_hold_and_count_as_the_twin(n_boxes, n_sides, n):
    rows, columns, boxes, models = random_models(n, 12, n_boxes, n_sides, n=n)
    expected = np.array(naive.hold(rows.tolist(), models))
    np.testing.assert_array_equal(kernels.hold(columns, *boxes), expected)
    first, last = n // 5, n // 2
    own, total = kernels.count(columns, *boxes, first, last)
    np.testing.assert_array_equal(total, expected.sum(axis=1))
    np.testing.assert_array_equal(own, expected[:, first:last].sum(axis=1))
    group, weights = np.arange(len(expected)) % 3, np.linspace(-1, 2, len(expected))
    sums = kernels.add_up(columns, *boxes, weights, group, 3)
    for g in range(3):
        np.testing.assert_allclose(sums[g], weights[group == g] @ expected[group == g], atol=1e-12)


def test_some_boxes_are_empty():
    _, columns, boxes, models = random_models(0, n_boxes=1, n_sides=4)
    empty = [model[0] is None for model in models]
    assert 0 < sum(empty) < len(empty)
    np.testing.assert_array_equal(boxes[0][:, 0, 0] == -1, empty)
    assert not kernels.hold(columns, *boxes)[empty].any()


@pytest.mark.parametrize("patience", [0, 1, 3, 8])
@pytest.mark.parametrize("wanted", [7, 100])
def test_models_are_accepted_as_by_the_twin(patience, wanted):
    _, columns, boxes, _ = random_models(3, n_models=60, n=50)
    first, last = 10, 30
    held = kernels.hold(columns, *boxes)
    own, total = kernels.count(columns, *boxes, first, last)
    some = total > 0
    held, own, total = held[some], own[some], total[some]
    coverage = np.zeros(50, dtype=np.int64)
    taken, forced, done = kernels.accept(held, own, total, first, last, patience, coverage, wanted)
    is_own = [first <= i < last for i in range(50)]
    counts = [0] * 50
    expected = naive.accept(held.tolist(), is_own, patience, counts, wanted)
    assert list(zip(taken.tolist(), forced.tolist())) == expected
    assert coverage.tolist() == counts == held[taken].sum(axis=0).tolist()
    if patience == 0:
        assert done == len(held)
        assert not forced.any()
    else:
        assert len(held) - done < patience or len(taken) == wanted


def test_a_stream_in_parts_is_the_same_stream():
    _, columns, boxes, _ = random_models(5, n_models=80)
    held = kernels.hold(columns, *boxes)
    own, total = kernels.count(columns, *boxes, 0, 30)
    some = total > 0
    held, own, total = held[some], own[some], total[some]
    whole = np.zeros(70, dtype=np.int64)
    taken, _, _ = kernels.accept(held, own, total, 0, 30, 5, whole, 1000)
    parts, again, at = np.zeros(70, dtype=np.int64), [], 0
    while True:
        stop = at + 9
        got, _, done = kernels.accept(
            held[at:stop], own[at:stop], total[at:stop], 0, 30, 5, parts, 1000
        )
        again += (got + at).tolist()
        at += done
        if done == 0:
            break
    assert again == taken.tolist()
    np.testing.assert_array_equal(parts, whole)
