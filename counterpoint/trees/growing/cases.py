"""Cases drawn or dealt out to members, so that a weight of 2 is the same as the row twice.

Rows are put in an order given by what they hold; draws then do not depend on how the rows were
ordered, or on whether a repeated row came as copies or as a weight.
"""

import numpy as np
from sklearn.base import clone

from counterpoint._arrays import count_cases
from counterpoint._interrupts import whole
from counterpoint.base import set_random_states


def content_order(X, codes):
    """Return an order of the rows: by class, then by value."""
    return np.lexsort((*X.T[::-1], codes))


def out_of_bag(X, codes, drawn):
    """Say which samples bags have not drawn, (n_bags, n_samples): neither them nor equal ones.

    A sample whose copy was drawn was seen, so that copies and weights mean the same.
    """
    order = content_order(X, codes)
    rows, own = X[order], codes[order]
    same = (rows[1:] == rows[:-1]) | (np.isnan(rows[1:]) & np.isnan(rows[:-1]))
    start = np.concatenate([[True], ~(same.all(axis=1) & (own[1:] == own[:-1]))])
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(start) - 1
    seen = np.zeros((len(drawn), int(start.sum())), dtype=bool)
    for bag, mark in zip(drawn, seen, strict=True):
        mark[group[bag > 0]] = True
    return ~seen[:, group]


def bootstrap_cases(X, codes, weight, n_bags, rng):
    """Draw as many cases as there are for each bag, with replacement: (n_bags, n_samples)."""
    order = content_order(X, codes)
    limits = np.cumsum(weight[order])
    n_cases = round(limits[-1])
    counts = np.zeros((n_bags, len(codes)))
    for bag in counts:
        u = rng.random_sample(n_cases) * limits[-1]
        drawn = np.minimum(np.searchsorted(limits, u, side="right"), len(codes) - 1)
        bag[order] = np.bincount(drawn, minlength=len(codes))
    return counts


def count_drawn(samples, n_samples):
    """Count how often each member drew each sample, (n_members, n_samples), from their positions.

    None where nobody knows, or where they were drawn from more samples than these.
    """
    if samples is None or any(max(own, default=0) >= n_samples for own in samples):
        return None
    return np.stack([np.bincount(own, minlength=n_samples) for own in samples]) * 1.0


def deal_cases(X, codes, weight, n_parts, rng):
    """Deal cases out to disjoint parts, each with its share of every class: (n_parts, n_samples).

    Copies of a row may go to different parts; rows whose weights are not whole are not divided.
    """
    order = content_order(X, codes)
    is_whole = count_cases(weight) is not None
    rows = np.repeat(order, weight[order].astype(np.int64)) if is_whole else order
    shuffled = [rng.permutation(rows[codes[rows] == k]) for k in np.unique(codes)]
    dealt = np.concatenate(shuffled)  # dealt in turn, so that sizes differ by one at most
    parts = np.zeros((n_parts, len(codes)))
    np.add.at(parts, (np.arange(len(dealt)) % n_parts, dealt), 1.0 if is_whole else weight[dealt])
    return parts


def fit_cases(learner, X, y, weight, rng):
    """Fit a copy of a learner on the rows with a weight, seeded where it has no seed."""
    held = weight > 0
    model = set_random_states(clone(learner), rng, only_missing=True)
    with whole():
        return model.fit(X[held], y[held], sample_weight=weight[held])


def hold_out(codes, weight, share, rng):
    """Mark the samples to prune by: a share of each class, at least one case in all."""
    order = rng.permutation(np.flatnonzero(weight > 0))
    order = order[np.argsort(codes[order], kind="stable")]
    if len(order) < 2:
        raise ValueError(
            f"n_samples={len(order)} with a weight: criterion='reduced-error' needs 2 or more, "
            "some to grow on and some to prune by."
        )
    n_held = min(max(round(len(order) * share), 1), len(order) - 1)
    # Evenly spaced in order of class: the same share of each.
    held = np.zeros(len(codes), dtype=bool)
    held[order[((np.arange(n_held) + 0.5) * len(order) / n_held).astype(int)]] = True
    return held
