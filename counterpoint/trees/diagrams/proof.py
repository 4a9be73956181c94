"""Proof that a decision diagram decides as an ensemble of trees does, everywhere.

It shares nothing with what builds diagrams. The ensemble's trees are walked one after the other,
node by node, with the diagram beside them: where both ask the same, both go on; where only the tree
asks, the diagram waits on both sides. What comes to one place with the diagram at one question is
taken together: the least lead of each class over each other one, the least and greatest sum of
each class as the ensemble adds it, and the smallest box that holds all. So no lead is smaller, and
no sample elsewhere, than what is kept: if every answer wins with what is kept, it always wins.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.diagrams.structure import DecisionDiagram
from counterpoint.trees.structure import round_down


@dataclass
class _Front:
    """What comes to one node of a tree, a row for each question the diagram is at."""

    at: NDArray  # question or answer
    lead: NDArray  # (n, n_classes, n_classes): least of first over second
    least: NDArray  # (n, n_classes)
    most: NDArray
    lower: NDArray  # (n, n_features)
    upper: NDArray

    def take(self, which, **changed):
        rows = {name: value[which] for name, value in vars(self).items()}
        return _Front(**(rows | changed))


def sweep(
    diagram: DecisionDiagram, forest: tuple, *, fine: bool, most: int | None = None
) -> tuple[bool, int]:
    """Say whether all answers are proven, and how many places were looked at.

    ``forest`` are roots, left, right, feature, cut, table, offset and slack of the trees. If
    ``fine``, only what has the same box for the trees to come is taken together. Given up after
    ``most`` places.
    """
    roots, left, right, feature, cut, table, offset, slack = forest
    asked = (diagram.feature, round_down(diagram.threshold, diagram.dtype).astype(np.float64))
    n_classes, n_features = table.shape[1], diagram.n_features
    front = _Front(
        at=np.array([diagram.root], dtype=np.int64),
        lead=np.zeros((1, n_classes, n_classes)),
        least=np.zeros((1, n_classes)),
        most=np.zeros((1, n_classes)),
        lower=np.full((1, n_features), -np.inf),
        upper=np.full((1, n_features), np.inf),
    )
    looked = 0
    for root in roots:
        front = _widen(front, feature[root:], cut[root:]) if fine else front
        waiting = {int(root): [front]}
        done = []
        # Children come after their parents, so that all has come to a node before it is left.
        while waiting:
            node = min(waiting)
            here = _together(waiting.pop(node), fine)
            looked += len(here.at)
            if most is not None and looked > most:
                return False, looked
            if feature[node] < 0:
                done.append(_add(here, table[node]))
                continue
            for side, child in enumerate((left[node], right[node])):
                gone = _go(here, int(feature[node]), cut[node], side, diagram, asked)
                if len(gone.at):
                    waiting.setdefault(int(child), []).append(gone)
        front = _together(done, fine)
    return _won(front, diagram, offset, slack), looked


def _go(here, f, cut, side, diagram, asked):
    """Take one side of a question of a tree, the diagram with it where it asks the same."""
    on = (here.upper[:, f] > cut) if side else (here.lower[:, f] < cut)
    gone = here.take(on)
    edge = np.full(len(gone.at), cut)
    if side:
        gone.lower[:, f] = np.maximum(gone.lower[:, f], edge)
    else:
        gone.upper[:, f] = np.minimum(gone.upper[:, f], edge)
    for _ in range(diagram.n_nodes):
        node = np.maximum(gone.at, 0)
        open_ = gone.at >= 0
        if diagram.n_nodes == 0 or not open_.any():
            break
        same = open_ & (asked[0][node] == f) & (asked[1][node] == cut)
        if not same.any():
            break
        gone.at = np.where(same, (diagram.high if side else diagram.low)[node], gone.at)
    return gone


def _add(here, row):
    return here.take(
        slice(None),
        lead=here.lead + (row[:, None] - row[None, :]),
        least=here.least + row,
        most=here.most + row,
    )


def _widen(front, feature, cut):
    """Move the edges of boxes out to thresholds that trees to come ask for."""
    lower, upper = front.lower.copy(), front.upper.copy()
    for f in range(lower.shape[1]):
        cuts = np.unique(cut[feature == f])
        edges = np.r_[-np.inf, cuts, np.inf]
        lower[:, f] = edges[np.searchsorted(cuts, lower[:, f], side="right")]
        upper[:, f] = edges[np.searchsorted(cuts, upper[:, f], side="left") + 1]
    return front.take(slice(None), lower=lower, upper=upper)


def _together(fronts, fine):
    """Keep one row for each question the diagram is at, and each box if ``fine``."""
    joined = {
        name: np.concatenate([getattr(front, name) for front in fronts]) for name in vars(fronts[0])
    }
    if fine:
        keys = np.column_stack([joined["at"], joined["lower"], joined["upper"]]) + 0.0  # no -0
        group = np.unique(keys.view([("", keys.dtype)] * keys.shape[1]), return_inverse=True)[1]
    else:
        group = joined["at"]
    order = np.argsort(group.ravel(), kind="stable")
    at, group = joined["at"][order], group.ravel()[order]
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    ways = {"lead": np.minimum, "least": np.minimum, "most": np.maximum}
    ways |= {"lower": np.minimum, "upper": np.maximum}
    kept = {name: way.reduceat(joined[name][order], first) for name, way in ways.items()}
    return _Front(at=at[first], **kept)


def _won(front, diagram, offset, slack):
    """Say whether what the diagram answers wins with the least that is known of its lead."""
    if (front.at >= 0).any():
        return False
    for answer, lead, least, most in zip(
        -1 - front.at, front.lead, front.least, front.most, strict=True
    ):
        for other in range(len(offset)):
            if other == answer:
                continue
            ahead = lead[answer, other] + offset[answer] - offset[other]
            clear = ahead > 2 * slack if slack or answer > other else ahead >= 0
            mine, theirs = least[answer] + offset[answer], most[other] + offset[other]
            if not (clear or mine > theirs or (mine == theirs and answer < other)):
                return False
    return True
