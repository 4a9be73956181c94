"""Boxes learned from boxes: sample by sample, or by merging the most similar ones.

Plain functions of arrays between the estimators and the kernels. A side that is not known has
lower = inf and upper = -inf.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import hyperbox_merging as merging
from counterpoint._kernels import hyperbox_pairs as pairing
from counterpoint._kernels import hyperboxes as kernels

SIMILARITIES = {
    "short": merging.SHORT,
    "long": merging.LONG,
    "mid-max": merging.MID_MAX,
    "mid-min": merging.MID_MIN,
}

# Pairs take 16 bytes each, and as much again while they are sorted.
_MOST_PAIRS = 2**26


class Learned(NamedTuple):
    """Boxes (n_boxes, n_features), the class and the weight of each."""

    lower: NDArray
    upper: NDArray
    codes: NDArray
    weights: NDArray


class Merged(NamedTuple):
    """Boxes left, and for each box given the number of that which it is in now."""

    lower: NDArray
    upper: NDArray
    codes: NDArray
    into: NDArray


LEARNING = ("online", "agglomerative", "best-first")


def learn_boxes(
    lower, upper, codes, weights, *, learning, boxes: Learned | None = None, **merging
) -> Learned:
    """Learn boxes from samples, themselves boxes, in one of the three ways; see the classifier."""
    if learning == "online":
        options = {name: merging[name] for name in ("theta", "gamma")}
        return grow_online(lower, upper, codes, weights, boxes=boxes, **options)
    merge = agglomerate if learning == "agglomerative" else agglomerate_best_first
    merged = merge(lower, upper, codes, **merging)
    return Learned(merged.lower, merged.upper, merged.codes, np.bincount(merged.into, weights))


def grow_online(
    lower, upper, codes, weights, *, theta, gamma, boxes: Learned | None = None
) -> Learned:
    """Learn samples, themselves boxes, one after the other; go on from ``boxes``."""
    n_features = lower.shape[1]
    n = 0 if boxes is None else len(boxes.codes)
    v, w = np.empty((n + len(codes), n_features)), np.empty((n + len(codes), n_features))
    box_codes, box_weights = np.empty(n + len(codes), dtype=np.int64), np.zeros(n + len(codes))
    if boxes is not None:
        for target, source in zip((v, w, box_codes, box_weights), boxes, strict=True):
            target[:n] = source
    n = kernels.grow_online(
        lower, upper, codes, weights, theta, gamma, v, w, box_codes, box_weights, n
    )
    return Learned(v[:n].copy(), w[:n].copy(), box_codes[:n].copy(), box_weights[:n].copy())


def agglomerate(lower, upper, codes, *, theta, gamma, similarity, min_similarity) -> Merged:
    """Merge boxes of equal classes until no two can be merged; in the order they came."""
    order, starts = by_class(codes)
    v, w = lower[order], upper[order]
    slots = np.argsort(order)
    into = merging.merge_passes(
        v, w, starts, slots, theta, gamma, min_similarity, SIMILARITIES[similarity]
    )
    return _left_over(v, w, codes[order], slots, into[slots])


def agglomerate_best_first(
    lower, upper, codes, *, theta, gamma, similarity, min_similarity
) -> Merged:
    """Merge the most similar two boxes of equal classes, again and again."""
    v, w = lower.copy(), upper.copy()
    options = (theta, gamma, min_similarity, SIMILARITIES[similarity])
    none = np.empty(0, dtype=np.int32)
    n_pairs = pairing.list_pairs(v, w, codes, *options, none, none, np.empty(0))
    if n_pairs > _MOST_PAIRS:
        raise ValueError(
            f"{len(codes)} boxes make {n_pairs} pairs that may be merged, more than "
            f'{_MOST_PAIRS}: choose learning="agglomerative", which does not list them, or a '
            "smaller theta."
        )
    first, second = (np.empty(n_pairs, dtype=np.int32) for _ in range(2))
    alike = np.empty(n_pairs)
    pairing.list_pairs(v, w, codes, *options, first, second, alike)
    order = np.argsort(alike, kind="stable")
    into = pairing.merge_pairs(v, w, codes, *options, first[order], second[order], alike[order])
    return _left_over(v, w, codes, np.arange(len(codes)), into)


def _left_over(lower, upper, codes, slots, into):
    left = slots[into == slots]
    number = np.empty(len(codes), dtype=np.int64)
    number[left] = np.arange(len(left))
    return Merged(lower[left], upper[left], codes[left], number[into])


def by_class(codes, n_classes=None):
    """Return the order that sorts boxes by class, and where each class begins in it."""
    n_classes = int(codes.max()) + 1 if n_classes is None else n_classes
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes[order], np.arange(n_classes + 1))
