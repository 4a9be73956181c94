"""Proof that one tree decides as an ensemble of trees does, everywhere."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import certificate as kernels
from counterpoint._validation import check_count
from counterpoint.trees.boxes import leaf_boxes
from counterpoint.trees.compare import point_in
from counterpoint.trees.ensemble import TreeEnsemble, check_ensemble
from counterpoint.trees.structure import Tree, require_columns, round_down

# Overlaps looked at before one call of the kernel gives Ctrl-C a chance.
_CHUNK = 1024


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What :func:`certify` found.

    Attributes
    ----------
    equal : bool or None
        True: the tree decides as the ensemble does at every point without missing values.
        False: it does not at ``counterexample``. None: the limit was reached first.
    n_regions : int
        Leaves of the tree that are proven.
    n_overlaps : int
        Overlaps of leaves of the ensemble that were looked at.
    counterexample : ndarray of shape (n_features,) or None
        A sample the two decide differently.
    expected, given : int or None
        Position of the class that the ensemble decides for there, and that the tree does.
    """

    equal: bool | None
    n_regions: int
    n_overlaps: int
    counterexample: NDArray | None = None
    expected: int | None = None
    given: int | None = None

    def __bool__(self) -> bool:
        return self.equal is True


def certify(tree: Tree, ensemble: TreeEnsemble, *, limit: int | None = None) -> Certificate:
    """Prove that a tree decides as an ensemble does, or find a point where it does not.

    For each leaf the trees of the ensemble are walked within its box, one after the other in
    their order, until no leaf of those to come can take the lead from the label of the leaf, or
    the last is reached and the score is known. Nothing but the arrays of the trees is shared
    with the code that builds trees. Where scores are not sums of whole numbers, a lead counts
    only if it is larger than all rounding can be; below that the score is summed as the ensemble
    sums it, number by number, so the proof is about the ensemble as it runs, rounding included.

    Parameters
    ----------
    tree : Tree
        With splits on columns only. It decides for the heaviest class, the first of equals.
    ensemble : TreeEnsemble
        From :func:`counterpoint.trees.take_trees`.
    limit : int, default=None
        Give up after so many overlaps of leaves. None: never.

    Returns
    -------
    Certificate

    Notes
    -----
    Points are all numbers of ``ensemble.dtype``: where scikit-learn rounds to float32, parts of
    space between two neighbouring numbers of that kind do not count. Samples with missing values
    are not covered.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import certify, take_trees
    >>> one, two = (DecisionTreeClassifier().fit([[0], [x]], [0, 1]) for x in (1, 2))
    >>> certify(take_trees(one).trees[0], take_trees([one])).equal
    True
    >>> certify(take_trees(one).trees[0], take_trees([two])).counterexample.tolist()
    [0.75]
    """
    if limit is not None:
        check_count(limit, "limit", hint=", or None")
    check_ensemble(ensemble)
    require_columns([tree, *ensemble.trees], "A certificate")
    if tree.value.shape[1] != ensemble.n_classes:
        raise ValueError(
            f"The tree has {tree.value.shape[1]} classes, the ensemble {ensemble.n_classes}: only "
            "decisions about the same classes can be compared."
        )
    dtype = ensemble.dtype
    # No number of the type is between a threshold and itself rounded down.
    rounded = replace(tree, threshold=round_down(tree.threshold, dtype).astype(np.float64))
    leaf, lower, upper = leaf_boxes(rounded, ensemble.n_features)
    label = tree.label[leaf].astype(np.int64)
    forest, depth = _lay_out(ensemble)
    edges = np.empty((2, ensemble.n_features))
    at, looked = 0, 0
    while at < len(leaf):
        # A chunk of leaves at a time, and no single leaf for ever: Ctrl-C must be noticed.
        last = min(at + _CHUNK, len(leaf))
        room = np.iinfo(np.int64).max if limit is None else limit - looked
        boxes = (lower[at:last], upper[at:last], label[at:last], 0, room)
        arguments: tuple = (*boxes, *forest, depth, edges)
        how, end, n = kernels.prove(*arguments)
        at, looked = at + int(end), looked + int(n)
        if how == kernels.GAVE_UP:
            return Certificate(equal=None, n_regions=at, n_overlaps=looked)
        if how == kernels.REFUTED:
            point = point_in(edges[0], edges[1], dtype=dtype)
            return Certificate(
                equal=False,
                n_regions=at,
                n_overlaps=looked,
                counterexample=point,
                expected=int(ensemble.score(point[None])[0].argmax()),
                given=int(label[at]),
            )
    return Certificate(equal=True, n_regions=len(leaf), n_overlaps=looked)


def _lay_out(ensemble):
    """Arrays of all trees, in their order, with what leaves add to the score."""
    at = ensemble.stacked
    offset = np.zeros(ensemble.n_classes) if ensemble.offset is None else ensemble.offset
    table, slack = _slack(ensemble.contributions(), at, offset)
    cut = round_down(at.threshold, ensemble.dtype).astype(np.float64)
    whole = (array.astype(np.int64) for array in (at.roots, at.left, at.right, at.feature))
    return (*whole, cut, table, offset, slack), int(at.depths.max())


def _slack(tables, at, offset):
    """How far two sums of scores may be off from each other by rounding."""
    table = np.concatenate(tables)
    added = table[at.is_leaf]
    sizes = np.unique(added[added != 0])
    # The same number added n times is the same sum, whoever adds it: count how often.
    if len(sizes) == 1 and sizes[0] > 0 and not np.any(offset):
        return (table != 0).astype(np.float64), 0.0
    leaves = np.split(at.is_leaf, at.roots[1:])
    most = sum(float(np.abs(part[leaf]).max()) for part, leaf in zip(tables, leaves, strict=True))
    most += np.abs(offset).max()
    whole = np.array_equal(added, np.rint(added)) and np.array_equal(offset, np.rint(offset))
    if whole and most < 2**52:
        return table, 0.0
    return table, 4.0 * (len(tables) + 1) * most * 2.0**-53
