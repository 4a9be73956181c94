"""Proof that one tree, or a diagram, decides as an ensemble of trees does, everywhere."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import certificate as kernels
from counterpoint._validation import check_count
from counterpoint.trees.boxes import leaf_boxes
from counterpoint.trees.compare import point_in
from counterpoint.trees.diagrams.proof import sweep
from counterpoint.trees.diagrams.structure import DecisionDiagram, check_diagram
from counterpoint.trees.ensemble import TreeEnsemble, check_ensemble
from counterpoint.trees.structure import Tree, require_columns, round_down

# Overlaps looked at before one call of the kernel gives Ctrl-C a chance.
_CHUNK = 1024
# Samples at which a diagram that is not proven soon is asked.
_PROBES = 20_000


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What :func:`certify` found.

    Attributes
    ----------
    equal : bool or None
        True: the tree, or diagram, decides as the ensemble does at every point without missing
        values.
        False: it does not at ``counterexample``. None: the limit was reached first.
    n_regions : int
        Leaves of the tree that are proven; of a diagram, sides of questions that are answers.
    n_overlaps : int
        Overlaps of leaves of the ensemble that were looked at; for a diagram, places: nodes of
        trees, each with what the diagram may ask there.
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


def certify(
    tree: Tree | DecisionDiagram, ensemble: TreeEnsemble, *, limit: int | None = None
) -> Certificate:
    """Prove that a tree or diagram decides as an ensemble does, or find a point where it does not.

    For each leaf the trees of the ensemble are walked within its box, one after the other in
    their order, until no leaf of those to come can take the lead from the label of the leaf, or
    the last is reached and the score is known. Nothing but the arrays of the trees is shared
    with the code that builds trees. Where scores are not sums of whole numbers, a lead counts
    only if it is larger than all rounding can be; below that the score is summed as the ensemble
    sums it, number by number, so the proof is about the ensemble as it runs, rounding included.

    A diagram has too many ways to walk them all. The trees are walked once, node by node, with the
    diagram beside them, and what comes to one place is taken together by the least leads it has;
    that is enough if every answer leads with these. Where it is not, ways are taken one by one.

    Parameters
    ----------
    tree : Tree or DecisionDiagram
        With splits on columns only. A tree decides for the heaviest class, the first of equals.
    ensemble : TreeEnsemble
        From :func:`counterpoint.trees.take_trees`.
    limit : int, default=None
        Give up after so many overlaps of leaves, or places. None: never.

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
    if isinstance(tree, DecisionDiagram):
        return _certify_diagram(check_diagram(tree), ensemble, limit)
    require_columns([tree, *ensemble.trees], "A certificate")
    _same_classes("tree", tree.value.shape[1], ensemble)
    # No number of the type is between a threshold and itself rounded down.
    rounded = replace(tree, threshold=round_down(tree.threshold, ensemble.dtype).astype(np.float64))
    leaf, lower, upper = leaf_boxes(rounded, ensemble.n_features)
    label = tree.label[leaf].astype(np.int64)
    prover = _Prover(ensemble, limit)
    # A chunk of leaves at a time, and no single leaf for ever: Ctrl-C must be noticed.
    for at in range(0, len(leaf), _CHUNK):
        some = slice(at, at + _CHUNK)
        if (ended := prover.prove(lower[some], upper[some], label[some])) is not None:
            return ended
    return Certificate(equal=True, n_regions=len(leaf), n_overlaps=prover.looked)


class _Prover:
    """Boxes with labels, proven some at a time."""

    def __init__(self, ensemble, limit, looked=0):
        self._ensemble, self._limit = ensemble, limit
        self._forest, self._depth = _lay_out(ensemble)
        self.proven, self.looked = 0, looked

    def prove(self, lower, upper, label):
        """Return how it ended if a box is not proven, None if all are."""
        edges = np.empty((2, self._ensemble.n_features))
        room = np.iinfo(np.int64).max if self._limit is None else self._limit - self.looked
        arguments: tuple = (lower, upper, label, 0, room, *self._forest, self._depth, edges)
        how, end, n = kernels.prove(*arguments)
        self.proven, self.looked = self.proven + int(end), self.looked + int(n)
        if how == kernels.GAVE_UP:
            return Certificate(equal=None, n_regions=self.proven, n_overlaps=self.looked)
        if how == kernels.REFUTED:
            point = point_in(edges[0], edges[1], dtype=self._ensemble.dtype)
            return self.refuted(point, int(label[end]))
        return None

    def refuted(self, point, given):
        """Return the certificate of a point that is decided otherwise."""
        return Certificate(
            equal=False,
            n_regions=self.proven,
            n_overlaps=self.looked,
            counterexample=point,
            expected=int(self._ensemble.score(point[None])[0].argmax()),
            given=given,
        )


def _same_classes(what, n_classes, ensemble):
    if n_classes != ensemble.n_classes:
        raise ValueError(
            f"The {what} has {n_classes} classes, the ensemble {ensemble.n_classes}: only "
            "decisions about the same classes can be compared."
        )


def _certify_diagram(diagram, ensemble, limit):
    require_columns(ensemble.trees, "A certificate")
    _same_classes("diagram", len(diagram.classes), ensemble)
    if diagram.n_features != ensemble.n_features or diagram.dtype != ensemble.dtype:
        raise ValueError(
            f"The diagram is for {diagram.n_features} columns of {np.dtype(diagram.dtype)}, the "
            f"ensemble for {ensemble.n_features} of {np.dtype(ensemble.dtype)}: give the ensemble "
            "that it was made of, or one like it."
        )
    forest, _ = _lay_out(ensemble)
    looked = 0
    for fine in (False, True):
        if fine and (wrong := _probe(diagram, ensemble)) is not None:
            return _Prover(ensemble, limit, looked).refuted(*wrong)
        room = None if limit is None else limit - looked
        proven, n = sweep(diagram, forest, fine=fine, most=room)
        looked += n
        if proven:
            sides = int((diagram.low < 0).sum() + (diagram.high < 0).sum())
            return Certificate(equal=True, n_regions=max(sides, 1), n_overlaps=looked)
    if limit is not None and looked >= limit:
        return Certificate(equal=None, n_regions=0, n_overlaps=looked)
    return _way_by_way(diagram, _Prover(ensemble, limit, looked))


def _probe(diagram, ensemble):
    """Ask both at samples just below and above thresholds, drawn column by column."""
    at = ensemble.stacked
    rng = np.random.RandomState(0)
    points = np.zeros((_PROBES, ensemble.n_features), dtype=ensemble.dtype)
    asked = ((at.feature, at.threshold), (diagram.feature, diagram.threshold))
    for f in range(ensemble.n_features):
        cuts = round_down(np.concatenate([cut[on == f] for on, cut in asked]), ensemble.dtype)
        if len(cuts := cuts[np.isfinite(cuts)]):
            cuts = np.unique(np.r_[cuts, np.nextafter(cuts, ensemble.dtype(np.inf))])
            points[:, f] = rng.choice(cuts, size=_PROBES)
    given = diagram.apply(points)
    wrong = np.flatnonzero(given != ensemble.score(points).argmax(axis=1))
    return (points[wrong[0]], int(given[wrong[0]])) if len(wrong) else None


def _way_by_way(diagram, prover):
    """Prove the box of every way through a diagram."""
    cut = round_down(diagram.threshold, diagram.dtype).astype(np.float64)
    stack = [
        (diagram.root, np.full(diagram.n_features, -np.inf), np.full(diagram.n_features, np.inf))
    ]
    boxes: list[tuple] = []
    while stack:
        node, lower, upper = stack.pop()
        if node < 0:
            boxes.append((lower, upper, -1 - node))
        else:
            f = diagram.feature[node]
            for side, end in enumerate((diagram.low[node], diagram.high[node])):
                low, high = lower.copy(), upper.copy()
                (low if side else high)[f] = (max if side else min)(
                    (low if side else high)[f], cut[node]
                )
                if low[f] < high[f]:
                    stack.append((int(end), low, high))
        if len(boxes) == _CHUNK or (boxes and not stack):
            lower, upper, label = (np.array(part) for part in zip(*boxes, strict=True))
            if (ended := prover.prove(lower, upper, label.astype(np.int64))) is not None:
                return ended
            boxes = []
    return Certificate(equal=True, n_regions=prover.proven, n_overlaps=prover.looked)


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
