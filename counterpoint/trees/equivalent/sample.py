"""One tree grown on a sample of the overlaps of an ensemble's leaves."""

from dataclasses import replace

import numpy as np

from counterpoint._kernels.overlap_tree import grow_on_boxes
from counterpoint._kernels.trees import sum_up
from counterpoint.trees.algebra import apply
from counterpoint.trees.boxes import box_volumes, data_bounds
from counterpoint.trees.cells import cells_at, sample_overlaps
from counterpoint.trees.equivalent.exact import cell_measures, pack, to_tree
from counterpoint.trees.structure import class_shares, impurities, round_down

# Sums of votes that differ by less are equal: the trees of an overlap come in any order.
_ROUNDING = 1e-9
_ANY = np.iinfo(np.int64).max


def grow_on_sample(model, ensemble, rows, rng):
    """Return a tree grown on sampled overlaps by the options of ``model``, and their number."""
    lower, upper, scores = sample_overlaps(ensemble, model.n_overlaps, rng, model.sampling, rows)
    if (scores < 0).any():
        raise ValueError(
            "The trees add scores below zero, so their agreement is no share: method='sample' "
            "needs votes or probabilities. Use method='exact'."
        )
    packed = pack(ensemble)
    # Of a hundred thousand drawn a few hundred may be left: only these are compared.
    some = np.flatnonzero(class_shares(scores).max(axis=1) > model.agreement - _ROUNDING)
    first, last, once = _distinct(packed, lower[some], upper[some], ensemble.dtype)
    votes = class_shares(scores[some[once]])
    chosen = _agreed(votes, model.agreement, model.keep)
    if len(chosen) == 0:
        raise _none_left(packed, ensemble.dtype, lower, upper, scores, model.agreement)
    once, votes = once[chosen], votes[chosen]
    first, last, lower, upper = first[once], last[once], lower[some[once]], upper[some[once]]
    bounds = data_bounds(rows)
    weight = np.zeros(len(votes))
    if model.weight != "data":
        weight += _volume_shares(lower, upper, bounds)
    if model.weight != "volume":
        weight += _row_shares(ensemble, packed, rows, first, last)
    held = weight > 0
    if not held.any():
        raise ValueError(
            f"weight='data', but none of the {len(weight)} overlaps that are left holds a training "
            "row: use sampling='data', weight='both', or a lower agreement."
        )
    cells = np.stack([first[held], last[held]], axis=1)
    weight, votes = weight[held], np.ascontiguousarray(votes[held])
    width, _ = cell_measures(packed, bounds, None)
    most = _ANY if model.max_leaves is None else model.max_leaves
    splits, label, value = grow_on_boxes(
        cells, weight, votes, votes.argmax(axis=1), packed.first, width, most
    )
    tree = to_tree(packed, splits, label, votes.shape[1])
    count = np.bincount(apply(tree, rows), minlength=tree.node_count).astype(float)[:, None]
    sum_up(tree.children_left, tree.children_right, count)
    filled = replace(
        tree,
        value=value,
        n_node_samples=count[:, 0].astype(np.int64),
        weighted_n_node_samples=count[:, 0],
        impurity=impurities(value),
    )
    return filled, int(held.sum())


def _distinct(packed, lower, upper, dtype):
    """First and last cells of overlaps, and the positions of those to keep: each once."""
    first, last = _cells(packed, lower, upper, dtype)
    # Two thresholds may have no number of the type between them: such an overlap is empty.
    some = np.flatnonzero((first <= last).all(axis=1))
    return first, last, some[np.unique(_as_keys(first[some], last[some]), return_index=True)[1]]


def _agreed(votes, least, share):
    """Positions of the overlaps to keep: agreement above the least, then the best share."""
    agreement = votes.max(axis=1)
    chosen = np.flatnonzero(agreement > least)
    n_kept = int(np.ceil(share * len(chosen)))
    best = np.argsort(-agreement[chosen], kind="stable")[:n_kept]
    return np.sort(chosen[best])


def _none_left(packed, dtype, lower, upper, scores, least):
    """Return the error that says why no overlap is left."""
    *_, once = _distinct(packed, lower, upper, dtype)
    if len(once) == 0:
        return ValueError(
            f"No number of type {np.dtype(dtype)} is in any of the {len(lower)} overlaps drawn: "
            "raise n_overlaps."
        )
    most = class_shares(scores[once]).max()
    return ValueError(
        f"agreement={least} leaves no overlap of {len(once)}: the trees agree on {most:.3g} at "
        "most, and it must be above. Lower it, or use keep=0.5 or so to keep a share of the "
        "overlaps."
    )


def _cells(packed, lower, upper, dtype):
    """First and last cell of boxes, in the columns that trees ask for."""
    first = np.empty((len(lower), len(packed.columns)), dtype=np.int32)
    last = np.empty_like(first)
    for at, f in enumerate(packed.columns):
        cuts = packed.grid[packed.first[at] : packed.first[at + 1]]
        # A cell ends at its cut: the one that begins there is the next.
        first[:, at] = np.searchsorted(cuts, round_down(lower[:, f], dtype), side="right")
        last[:, at] = np.searchsorted(cuts, round_down(upper[:, f], dtype), side="left")
    return first, last


def _as_keys(first, last):
    # One column more: trees of one leaf ask for none.
    one = np.zeros((len(first), 1), dtype=first.dtype)
    both = np.ascontiguousarray(np.concatenate([one, first, last], axis=1))
    return both.view(np.dtype((np.void, both.dtype.itemsize * both.shape[1]))).ravel()


def _volume_shares(lower, upper, bounds):
    """Volumes, as shares of their sum. By logarithms: in many columns volumes are tiny."""
    logs = box_volumes(lower, upper, bounds, relative=True, log=True)
    most = logs.max()
    if np.isneginf(most):
        return np.full(len(logs), 1 / len(logs))
    volume = np.exp(logs - most)
    # Boxes outside the bounds have no volume, but say what the ensemble does there.
    volume = np.maximum(volume, 1e-12 * volume.max())
    return volume / volume.sum()


def _row_shares(ensemble, packed, rows, first, last):
    """Share of the rows in each overlap. Overlaps part the space: a row is in one at most."""
    lower, upper, _ = cells_at(ensemble, rows)
    keys = _as_keys(*_cells(packed, lower, upper, ensemble.dtype))
    known, count = np.unique(keys, return_counts=True)
    own = _as_keys(first, last)
    at = np.minimum(np.searchsorted(known, own), len(known) - 1)
    return np.where(known[at] == own, count[at], 0) / len(rows)
