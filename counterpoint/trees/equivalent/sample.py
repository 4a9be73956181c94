"""One tree grown on a sample of the overlaps of an ensemble's leaves."""

import heapq
from dataclasses import replace

import numpy as np

from counterpoint._kernels import equivalent as kernels
from counterpoint._kernels.trees import sum_up
from counterpoint.trees.algebra import apply
from counterpoint.trees.boxes import box_volumes, data_bounds
from counterpoint.trees.cells import cells_at, sample_overlaps
from counterpoint.trees.equivalent.exact import cell_measures, pack, to_tree
from counterpoint.trees.structure import class_shares, impurities, round_down


def grow_on_sample(model, ensemble, rows, rng):
    """Return a tree grown on sampled overlaps by the options of ``model``, and their number."""
    lower, upper, scores = sample_overlaps(ensemble, model.n_overlaps, rng, model.sampling, rows)
    if (scores < 0).any():
        raise ValueError(
            "The trees add scores below zero, so their agreement is no share: method='sample' "
            "needs votes or probabilities. Use method='exact'."
        )
    packed = pack(ensemble)
    first, last = _cells(packed, lower, upper, ensemble.dtype)
    # Two thresholds may have no number of the type between them: such an overlap is empty.
    some = np.flatnonzero((first <= last).all(axis=1))
    if len(some) == 0:
        raise ValueError(
            f"No number of type {np.dtype(ensemble.dtype)} is in any of the {len(lower)} overlaps "
            "drawn: raise n_overlaps."
        )
    once = some[np.unique(_as_keys(first[some], last[some]), return_index=True)[1]]
    votes = class_shares(scores[once])
    chosen = _agreed(votes, model.agreement, model.keep)
    once, votes = once[chosen], votes[chosen]
    first, last = first[once], last[once]
    bounds = data_bounds(rows)
    weight = np.zeros(len(once))
    if model.weight != "data":
        weight += _volume_shares(lower[once], upper[once], bounds)
    if model.weight != "volume":
        weight += _row_shares(ensemble, packed, rows, first, last)
    held = weight > 0
    if not held.any():
        raise ValueError(
            f"weight='data', but none of the {len(weight)} overlaps that are left holds a training "
            "row: use sampling='data', weight='both', or a lower agreement."
        )
    boxes = (first[held], last[held], weight[held], votes[held])
    width, _ = cell_measures(packed, bounds, None)
    splits, label, value = _grow(packed, boxes, width, model.max_leaves)
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


def _agreed(votes, least, share):
    """Positions of the overlaps to keep: agreement above the least, then the best share."""
    agreement = votes.max(axis=1)
    chosen = np.flatnonzero(agreement > least)
    if len(chosen) == 0:
        raise ValueError(
            f"agreement={least} leaves no overlap of {len(votes)}: the trees agree on "
            f"{agreement.max():.3g} at most, and it must be above. Lower it, or use keep=0.5 or so "
            "to keep a share of the overlaps."
        )
    n_kept = int(np.ceil(share * len(chosen)))
    best = np.argsort(-agreement[chosen], kind="stable")[:n_kept]
    return np.sort(chosen[best])


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


def _grow(packed, boxes, width, max_leaves):
    """Split boxes by entropy of votes, the heaviest node first, until those of a node agree."""
    n_classes = boxes[3].shape[1]
    splits, label, value = [[-1, -1, -1, -1]], [-1], [np.zeros(n_classes)]
    queue = [(-boxes[2].sum(), 0)]
    waiting = {0: boxes}
    n_leaves = 1
    while queue:
        _, node = heapq.heappop(queue)
        first, last, weight, votes = waiting.pop(node)
        total = weight @ votes
        value[node] = total
        winner = votes.argmax(axis=1)
        if n_leaves == max_leaves or (winner == winner[0]).all():
            # All agree: the label is theirs, whatever rounding makes of the sum.
            label[node] = int(winner[0]) if (winner == winner[0]).all() else int(total.argmax())
            if total.argmax() != label[node] or not total.sum() > 0:
                value[node] = np.eye(n_classes)[label[node]]
            continue
        f, k = kernels.split_boxes(first, last, weight, votes, packed.first, width)
        n_leaves += 1
        splits[node] = [int(f), int(k), len(splits), len(splits) + 1]
        cumulative = np.concatenate([[0.0], np.cumsum(width[packed.first[f] + f :])])
        low, high = first[:, f], last[:, f]
        span = cumulative[high + 1] - cumulative[low]
        for side in range(2):
            goes = (low <= k) if side == 0 else (high > k)
            new_first, new_last = first[goes], last[goes]
            if side == 0:
                new_last[:, f] = np.minimum(new_last[:, f], k)
            else:
                new_first[:, f] = np.maximum(new_first[:, f], k + 1)
            part = cumulative[new_last[:, f] + 1] - cumulative[new_first[:, f]]
            part = weight[goes] * part / span[goes]
            child = len(splits)
            waiting[child] = (new_first, new_last, part, votes[goes])
            heapq.heappush(queue, (-part.sum(), child))
            splits.append([-1, -1, -1, -1])
            label.append(-1)
            value.append(np.zeros(n_classes))
    return np.array(splits, dtype=np.int64), np.array(label), np.array(value)
