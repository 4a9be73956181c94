import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hyperboxes as naive
from numba import njit

from counterpoint._kernels import hyperbox_merging as merging
from counterpoint._kernels import hyperboxes as kernels
from counterpoint.hyperboxes.learning import agglomerate_best_first

KINDS = {
    "short": merging.SHORT,
    "long": merging.LONG,
    "mid-max": merging.MID_MAX,
    "mid-min": merging.MID_MIN,
}
SHAPES = ["points", "boxes", "missing", "grid"]


def make(shape, n, n_features, seed, n_classes=2):
    """Return random samples as boxes, with ties ("grid") or sides not known ("missing")."""
    rng = np.random.default_rng(seed)
    lower = rng.random((n, n_features))
    if shape == "grid":
        lower = np.round(lower * 8) / 8
    upper = lower.copy()
    if shape in ("boxes", "missing"):
        upper += 0.2 * rng.random(lower.shape) * (rng.random(lower.shape) < 0.5)
    if shape == "missing":
        gone = rng.random(lower.shape) < 0.2
        gone[:, 0] = False
        lower[gone], upper[gone] = np.inf, -np.inf
    return lower, upper, rng.integers(n_classes, size=n)


def as_boxes(lower, upper):
    return [(v.tolist(), w.tolist()) for v, w in zip(lower, upper)]


def by_class(lower, upper, codes, n_classes):
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n_classes + 1))
    return lower[order], upper[order], starts, order


def merged(lower, upper, codes, theta, gamma, min_similarity, kind):
    """Call the kernel as the classifier does; boxes in the order they came."""
    n_classes = int(codes.max()) + 1
    v, w, starts, order = by_class(lower, upper, codes, n_classes)
    slots = np.argsort(order)
    args = (theta, np.full(v.shape[1], gamma), min_similarity, KINDS[kind])
    into = merging.merge_passes(v, w, starts, slots, *args)
    keep = slots[into[slots] == slots]
    return v[keep], w[keep], codes[order][keep], np.bincount(into)[keep]


@njit
def overlap(lower, upper, other_lower, other_upper):
    return kernels.overlap(lower, upper, other_lower, other_upper)


@given(st.data())
def test_overlap_is_symmetric_and_matches_naive(data):
    side = st.tuples(st.integers(0, 4), st.integers(0, 2))
    boxes = [data.draw(st.lists(side, min_size=3, max_size=3)) for _ in range(2)]
    (v, w), (ov, ow) = (
        np.array([(low, low + length) for low, length in box], dtype=float).T for box in boxes
    )
    expected = naive.overlap((v, w), (ov, ow))
    assert overlap(v, w, ov, ow) == expected
    assert overlap(ov, ow, v, w) == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_classes", [1, 3])
def test_scores_and_gaps_match_naive(shape, n_classes):
    lower, upper, codes = make(shape, 40, 3, 0, n_classes)
    x_lower, x_upper, _ = make(shape, 30, 3, 1)
    gamma = np.array([1.0, 3.0, 0.5])
    certainty = np.random.default_rng(2).choice([0.0, 0.5, 1.0], size=40)
    v, w, starts, order = by_class(lower, upper, codes, n_classes)
    scores, distances = kernels.class_scores(
        x_lower, x_upper, v, w, starts, certainty[order], gamma
    )
    samples, boxes = as_boxes(x_lower, x_upper), as_boxes(lower, upper)
    expected = naive.class_scores(samples, boxes, codes, certainty, gamma, n_classes)
    np.testing.assert_array_equal(scores, expected[0])
    np.testing.assert_allclose(distances, expected[1], rtol=1e-12)
    gaps = kernels.class_gaps(x_lower, x_upper, v, w, starts, gamma)
    np.testing.assert_array_equal(gaps, naive.class_gaps(samples, boxes, codes, gamma, n_classes))


def test_a_class_without_boxes_scores_nothing():
    box = np.zeros((1, 2))
    starts = np.array([0, 0, 1])
    scores, distances = kernels.class_scores(box, box, box, box, starts, np.ones(1), np.ones(2))
    assert scores.tolist() == [[0.0, 1.0]]
    assert distances.tolist() == [[np.inf, 0.0]]
    assert kernels.class_gaps(box, box, box, box, starts, np.ones(2)).tolist() == [[np.inf, 0.0]]


def grown(lower, upper, codes, theta, gamma, parts=1):
    shape = (len(codes), lower.shape[1])
    v, w = np.empty(shape), np.empty(shape)
    box_codes, counts = np.empty(len(codes), dtype=np.int64), np.empty(len(codes))
    n = 0
    for rows in np.array_split(np.arange(len(codes)), parts):
        n = kernels.grow_online(
            lower[rows],
            upper[rows],
            codes[rows],
            np.ones(len(rows)),
            theta,
            gamma,
            v,
            w,
            box_codes,
            counts,
            n,
        )
    return v[:n], w[:n], box_codes[:n], counts[:n]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_features", [1, 2, 5])
@pytest.mark.parametrize("theta", [0.15, 0.4, 1.0])
def test_online_matches_naive(shape, n_features, theta):
    lower, upper, codes = make(shape, 80, n_features, 3, n_classes=3)
    gamma = np.linspace(1, 2, n_features)
    v, w, box_codes, counts = grown(lower, upper, codes, theta, gamma)
    expected = naive.online(as_boxes(lower, upper), codes.tolist(), theta, gamma)
    assert box_codes.tolist() == [b[2] for b in expected]
    assert counts.tolist() == [b[3] for b in expected]
    np.testing.assert_array_equal(v, [b[0] for b in expected])
    np.testing.assert_array_equal(w, [b[1] for b in expected])


@pytest.mark.parametrize("shape", SHAPES)
def test_online_in_parts_is_online_at_once(shape):
    lower, upper, codes = make(shape, 60, 2, 4)
    once = grown(lower, upper, codes, 0.3, np.ones(2))
    for part, whole in zip(grown(lower, upper, codes, 0.3, np.ones(2), parts=4), once):
        np.testing.assert_array_equal(part, whole)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_features", [1, 2, 6])
def test_merging_matches_naive(kind, shape, n_features):
    lower, upper, codes = make(shape, 90, n_features, 5, n_classes=2)
    for theta, low in ((0.25, 0.0), (0.6, 0.7)):
        v, w, box_codes, counts = merged(lower, upper, codes, theta, 1.5, low, kind)
        expected = naive.agglomerate(
            as_boxes(lower, upper), codes.tolist(), theta, [1.5] * n_features, low, kind
        )
        assert box_codes.tolist() == [b[2] for b in expected]
        assert counts.tolist() == [b[3] for b in expected]
        np.testing.assert_array_equal(v, [b[0] for b in expected])
        np.testing.assert_array_equal(w, [b[1] for b in expected])


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(SHAPES), st.integers(1, 3))
def test_merging_matches_naive_on_any_data(seed, shape, n_classes):
    rng = np.random.default_rng(seed)
    lower, upper, codes = make(shape, int(rng.integers(1, 40)), 2, seed, n_classes)
    theta = float(rng.choice([0.125, 0.3, 0.5, 1.0]))
    v, w, _, counts = merged(lower, upper, codes, theta, 1.0, 0.3, "mid-max")
    expected = naive.agglomerate(
        as_boxes(lower, upper), codes.tolist(), theta, [1.0] * 2, 0.3, "mid-max"
    )
    assert counts.tolist() == [b[3] for b in expected]
    np.testing.assert_array_equal(v, [b[0] for b in expected])
    np.testing.assert_array_equal(w, [b[1] for b in expected])


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.sampled_from(SHAPES),
    st.sampled_from(list(KINDS)),
    st.integers(1, 3),
    st.sampled_from([0.125, 0.3, 0.5, 1.0]),
)
def test_merging_the_best_pair_first_matches_naive(seed, shape, kind, n_classes, theta):
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 4))
    lower, upper, codes = make(shape, int(rng.integers(1, 22)), n_features, seed, n_classes)
    gamma = rng.choice([0.5, 1.0, 2.0], size=n_features)
    options = dict(theta=theta, gamma=gamma, similarity=kind, min_similarity=0.3)
    found = agglomerate_best_first(lower, upper, codes, **options)
    expected = naive.agglomerate_best_first(
        as_boxes(lower, upper), codes.tolist(), theta, gamma.tolist(), 0.3, kind
    )
    assert found.codes.tolist() == [b[2] for b in expected]
    assert np.bincount(found.into).tolist() == [b[3] for b in expected]
    np.testing.assert_array_equal(found.lower, [b[0] for b in expected])
    np.testing.assert_array_equal(found.upper, [b[1] for b in expected])


def test_blocks_of_boxes_leave_none_out():
    # More than one block of 64, in both classes.
    lower, upper, codes = make("points", 300, 3, 6)
    v, w, _, _ = merged(lower, upper, codes, 0.2, 1.0, 0.0, "short")
    boxes = as_boxes(lower, upper)
    expected = naive.agglomerate(boxes, codes.tolist(), 0.2, [1.0] * 3, 0.0, "short")
    np.testing.assert_array_equal(v, [b[0] for b in expected])
    np.testing.assert_array_equal(w, [b[1] for b in expected])


def test_count_inside_takes_upper_edges_in_and_lower_ones_not():
    X = np.array([[0.0, 0.5], [1.0, 0.5], [0.5, 0.5], [0.5, 1.5]])
    lower, upper = np.array([[0.0, 0.0], [-np.inf, 0.0]]), np.array([[1.0, 1.0], [np.inf, np.inf]])
    assert kernels.count_inside(X, lower, upper).tolist() == [2, 4]


@pytest.mark.parametrize("n_boxes", [2, 3, 16])
def test_boxes_of_which_nothing_is_known_do_not_merge_with_what_is_gone(n_boxes):
    """All sides unknown, such a box fits with any other: each may go into another once."""
    blank = np.full((n_boxes, 3), np.inf)
    *_, counts = merged(blank, -blank, np.zeros(n_boxes, dtype=np.int64), 0.3, 1.0, 0.0, "mid-max")
    assert counts.sum() == n_boxes
