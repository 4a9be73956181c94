"""Trees as boxes: leaves, volumes, and overlaps of the leaves of many trees.

A box holds the samples with ``lower < x <= upper``. Boxes know nothing of missing values: a
sample with a missing value may reach a leaf whose box is on the other side of a split.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from counterpoint._kernels import boxes as kernels
from counterpoint._kernels import trees as tree_kernels
from counterpoint.trees.algebra import split_arrays
from counterpoint.trees.convert import TreeEnsemble, require_columns
from counterpoint.trees.structure import LEAF, Tree

_CHUNK = 20_000


def leaf_boxes(tree: Tree, n_features: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the boxes of the leaves of a tree.

    Together they fill the space, and no two overlap. A leaf that no sample can reach, because
    splits on its path exclude each other, has an empty box: ``lower >= upper`` somewhere.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    n_features : int
        Number of columns.

    Returns
    -------
    leaf : ndarray of shape (n_leaves,)
        Numbers of the leaves, increasing.
    lower, upper : ndarray of shape (n_leaves, n_features)
        A leaf holds the samples with ``lower < x <= upper``; -inf and inf where there is no edge.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.boxes import leaf_boxes
    >>> from counterpoint.trees.convert import from_sklearn
    >>> tree = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> leaf, lower, upper = leaf_boxes(tree, 1)
    >>> leaf.tolist(), lower.tolist(), upper.tolist()
    ([1, 2], [[-inf], [0.5]], [[0.5], [inf]])
    """
    _check_columns([tree], n_features)
    lower, upper = kernels.node_boxes(
        tree.children_left, tree.children_right, tree.feature, tree.threshold, n_features
    )
    leaf = np.flatnonzero(tree.is_leaf)
    return leaf, lower[leaf], upper[leaf]


def leaf_missing(tree: Tree, n_features: int) -> NDArray:
    """Say in which columns a sample that reaches a leaf may have a missing value.

    With :func:`leaf_boxes` this is all that :func:`restrict` needs to make a subtree for a leaf
    that is exact for missing values too.

    Parameters
    ----------
    tree : Tree
        With splits on columns only.
    n_features : int
        Number of columns.

    Returns
    -------
    ndarray of shape (n_leaves, n_features), bool
        Leaves as in :func:`leaf_boxes`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.boxes import leaf_missing
    >>> from counterpoint.trees.convert import from_sklearn
    >>> nan = float("nan")
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0], [nan]], [0, 1, 0])
    >>> leaf_missing(from_sklearn(tree), 1).tolist()
    [[True], [False]]
    """
    _check_columns([tree], n_features)
    held = np.ones((tree.node_count, n_features), dtype=bool)
    for node in np.flatnonzero(~tree.is_leaf):  # parents come first
        left, right, f = tree.children_left[node], tree.children_right[node], tree.feature[node]
        held[left] = held[right] = held[node]
        held[left, f] &= tree.missing_go_to_left[node]
        held[right, f] &= not tree.missing_go_to_left[node]
    return held[tree.is_leaf]


def data_bounds(X: ArrayLike) -> tuple[NDArray, NDArray]:
    """Return the least and the greatest value of each column, missing ones left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    low, high : ndarray of shape (n_features,)
        Both 0 for a column without a value.

    Examples
    --------
    >>> from counterpoint.trees.boxes import data_bounds
    >>> low, high = data_bounds([[0.0, 2.0], [1.0, 2.0]])
    >>> low.tolist(), high.tolist()
    ([0.0, 2.0], [1.0, 2.0])
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or len(X) == 0:
        raise ValueError(f"X has shape {X.shape}: pass (n_samples, n_features), not empty.")
    known = ~np.isnan(X)
    low = np.where(known, X, np.inf).min(axis=0)
    high = np.where(known, X, -np.inf).max(axis=0)
    none = ~known.any(axis=0)
    return np.where(none, 0.0, low), np.where(none, 0.0, high)


def box_volumes(
    lower: ArrayLike,
    upper: ArrayLike,
    bounds: tuple[ArrayLike, ArrayLike],
    *,
    relative: bool = False,
    log: bool = False,
) -> NDArray:
    """Return the volumes of boxes within bounds.

    A column in which the bounds coincide has no extent: it counts as a factor of 1 for a box
    that holds its one value, and 0 for others, so that the volumes of boxes that fill the space
    add up to that of the bounds.

    Parameters
    ----------
    lower, upper : array-like of shape (n_boxes, n_features)
        Infinite edges are cut off at the bounds.
    bounds : (low, high)
        Each of shape (n_features,), finite; see :func:`data_bounds`.
    relative : bool, default=False
        Give shares of the volume of the bounds.
    log : bool, default=False
        Give natural logarithms, -inf for no volume. In many columns volumes get too small or
        large for a number.

    Returns
    -------
    ndarray of shape (n_boxes,)

    Examples
    --------
    >>> from counterpoint.trees.boxes import box_volumes
    >>> inf = float("inf")
    >>> box_volumes([[-inf, 0.0], [1.0, 0.0]], [[1.0, 1.0], [inf, 1.0]], ([0, 0], [4, 1])).tolist()
    [1.0, 3.0]
    """
    lower, upper = (np.atleast_2d(np.asarray(edge, dtype=np.float64)) for edge in (lower, upper))
    low, high = (np.asarray(edge, dtype=np.float64) for edge in bounds)
    if lower.shape != upper.shape or low.shape != high.shape or low.shape != lower.shape[1:]:
        raise ValueError(
            f"Boxes have edges of shapes {lower.shape} and {upper.shape}, bounds {low.shape} and "
            f"{high.shape}: give (n_boxes, n_features) and (n_features,)."
        )
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
        raise ValueError("bounds must be finite, low not above high: take those of the data.")
    side = np.maximum(np.minimum(upper, high) - np.maximum(lower, low), 0.0)
    flat = low == high
    side[:, flat] = ((lower < low) & (low <= upper))[:, flat]
    if relative:
        side /= np.where(flat, 1.0, high - low)
    if not log:
        return side.prod(axis=1)
    with np.errstate(divide="ignore"):
        return np.log(side).sum(axis=1)


def overlap(
    lower_a: ArrayLike, upper_a: ArrayLike, lower_b: ArrayLike, upper_b: ArrayLike
) -> tuple[NDArray, NDArray, NDArray]:
    """Return all overlaps of boxes of one list with boxes of another.

    Parameters
    ----------
    lower_a, upper_a : array-like of shape (n_boxes_a, n_features)
    lower_b, upper_b : array-like of shape (n_boxes_b, n_features)

    Returns
    -------
    pairs : ndarray of shape (n_overlaps, 2)
        Which box of the first list, and which of the second.
    lower, upper : ndarray of shape (n_overlaps, n_features)

    Examples
    --------
    >>> from counterpoint.trees.boxes import overlap
    >>> pairs, lower, upper = overlap([[0], [1]], [[1], [3]], [[2]], [[4]])
    >>> pairs.tolist(), lower.tolist(), upper.tolist()
    ([[1, 0]], [[2.0]], [[3.0]])
    """
    edges = [np.asarray(e, dtype=np.float64) for e in (lower_a, upper_a, lower_b, upper_b)]
    if any(e.ndim != 2 for e in edges) or len({e.shape[1] for e in edges}) > 1:
        raise ValueError(
            f"The edges have shapes {[e.shape for e in edges]}: give (n_boxes, n_features), with "
            "the same columns."
        )
    pairs = kernels.overlapping_pairs(*(np.ascontiguousarray(e) for e in edges))
    i, j = pairs.T
    return pairs, np.maximum(edges[0][i], edges[2][j]), np.minimum(edges[1][i], edges[3][j])


def sample_overlaps(
    ensemble: TreeEnsemble,
    n: int,
    random_state: Any = None,
    how: str = "uniform",
    X: ArrayLike | None = None,
    *,
    noise: float = 0.1,
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw from the overlaps of leaves, one leaf of each tree.

    Parameters
    ----------
    ensemble : TreeEnsemble
        With splits on columns only; from :func:`counterpoint.trees.convert.take_trees`.
    n : int
        How many to draw. The same overlap may come more than once.
    random_state : int, RandomState instance or None, default=None
    how : {"uniform", "data", "volume"}, default="uniform"
        "uniform": trees are taken in random order, and of the leaves of a tree that meet the
        overlap so far one is drawn, all with the same chance. [1]_ asks for roughly uniform, and
        so it is: for 5 to 20 trees in 2 columns nine overlaps of ten came 0.26 to 2.6 times as
        often as they should. "data": the overlap that a row of X falls in, after noise. "volume":
        the overlap around a point drawn evenly from the bounds of X.
    X : array-like of shape (n_samples, n_features), default=None
        For "data" and "volume". Without missing values.
    noise : float, default=0.1
        For "data": standard deviation of the normal noise, in standard deviations of each
        column of X.

    Returns
    -------
    lower, upper : ndarray of shape (n, n_features)
        The overlaps hold the samples with ``lower < x <= upper``.
    scores : ndarray of shape (n, n_classes)
        What the ensemble says of each class there, see :meth:`TreeEnsemble.score`.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 5.1.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees.boxes import sample_overlaps
    >>> from counterpoint.trees.convert import take_trees
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = take_trees(RandomForestClassifier(10, random_state=0).fit(X, y))
    >>> lower, upper, scores = sample_overlaps(trees, 100, random_state=0)
    >>> lower.shape, scores.shape, bool((lower < upper).all())
    ((100, 4), (100, 3), True)
    """
    if how not in ("uniform", "data", "volume"):
        raise ValueError(f"how={how!r}: choose uniform, data or volume.")
    if n < 1:
        raise ValueError(f"n={n}: draw at least one overlap.")
    rng = check_random_state(random_state)
    if how == "uniform":
        return _draw(ensemble, n, rng)
    if X is None:
        raise ValueError(f"how={how!r} needs data: pass X.")
    X = ensemble.check_rows(X)
    if np.isnan(X).any():
        raise ValueError(
            "X holds missing values, and a sample with such is in no box: fill them in first."
        )
    if how == "data":
        rows = rng.randint(len(X), size=n)
        points = X[rows] + noise * X.std(axis=0) * rng.standard_normal((n, X.shape[1]))
    else:
        low, high = data_bounds(X)
        points = rng.uniform(low, high, size=(n, X.shape[1]))
    return cells_at(ensemble, points)


def cells_at(ensemble: TreeEnsemble, X: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """Return the overlap of leaves that each sample is in.

    Parameters
    ----------
    ensemble : TreeEnsemble
        With splits on columns only.
    X : array-like of shape (n_samples, n_features)
        Without missing values.

    Returns
    -------
    lower, upper : ndarray of shape (n_samples, n_features)
    scores : ndarray of shape (n_samples, n_classes)
        As :meth:`TreeEnsemble.score`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.boxes import cells_at
    >>> from counterpoint.trees.convert import take_trees
    >>> trees = [DecisionTreeClassifier().fit([[0], [x]], [0, 1]) for x in (1, 2)]
    >>> lower, upper, scores = cells_at(take_trees(trees), [[0.75]])
    >>> lower.tolist(), upper.tolist(), scores.tolist()
    ([[0.5]], [[1.0]], [[1.0, 1.0]])
    """
    X = ensemble.check_rows(X)
    if np.isnan(X).any():
        raise ValueError(
            "X holds missing values, and a sample with such is in no box: fill them in first."
        )
    roots, left, right, _, feature, cut, table = _lay_out(ensemble)
    lower, upper, scores = _blank(ensemble, len(X))
    kernels.cells_at(X, roots, left, right, feature, cut, table, lower, upper, scores)
    return lower, upper, scores


def all_cells(ensemble: TreeEnsemble, limit: int = 1_000_000) -> tuple[NDArray, NDArray, NDArray]:
    """List all overlaps of leaves, one leaf of each tree.

    Parameters
    ----------
    ensemble : TreeEnsemble
        With splits on columns only.
    limit : int, default=1_000_000
        Refuse to list more than so many. Their number can grow exponentially with the trees.

    Returns
    -------
    lower, upper : ndarray of shape (n_overlaps, n_features)
        They fill the space, and no two overlap.
    scores : ndarray of shape (n_overlaps, n_classes)
        As :meth:`TreeEnsemble.score`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.boxes import all_cells
    >>> from counterpoint.trees.convert import take_trees
    >>> trees = [DecisionTreeClassifier().fit([[0], [x]], [0, 1]) for x in (1, 2)]
    >>> all_cells(take_trees(trees))[1].tolist()
    [[0.5], [1.0], [inf]]
    """
    count = count_cells(ensemble, limit)
    if count > limit:
        raise ValueError(
            f"The trees have more than limit={limit} overlaps: raise the limit, take fewer or "
            "smaller trees, or draw some with sample_overlaps."
        )
    out = _blank(ensemble, count)
    _walk(ensemble, limit, out)
    return out


def count_cells(ensemble: TreeEnsemble, limit: int = 1_000_000) -> int:
    """Count the overlaps of leaves, one leaf of each tree.

    Parameters
    ----------
    ensemble : TreeEnsemble
        With splits on columns only.
    limit : int, default=1_000_000
        Stop counting there.

    Returns
    -------
    int
        ``limit + 1`` if there are more than the limit.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees.boxes import count_cells
    >>> from counterpoint.trees.convert import take_trees
    >>> trees = [DecisionTreeClassifier().fit([[0], [x]], [0, 1]) for x in (1, 2)]
    >>> count_cells(take_trees(trees))
    3
    """
    if limit < 1:
        raise ValueError(f"limit={limit}: give a number from 1.")
    nowhere = np.empty((0, ensemble.n_features))
    return _walk(ensemble, limit, (nowhere, nowhere, np.empty((0, ensemble.n_classes))))


# -- the arrays behind -------------------------------------------------------------------------


def _check_columns(trees, n_features):
    require_columns(trees, "Taking leaves as boxes")
    asked = max(int(tree.feature.max()) for tree in trees)
    if asked >= n_features:
        raise ValueError(f"n_features={n_features}, but the trees ask for column {asked}.")


def _lay_out(ensemble):
    """Lay trees end to end: roots, left, right, parent, feature, cut, contributions."""
    _check_columns(ensemble.trees, ensemble.n_features)
    high = np.full(ensemble.n_features, np.inf)
    low, gaps = -high, np.zeros(ensemble.n_features, dtype=bool)
    parts, start = [], 0
    for tree, table in zip(ensemble.trees, ensemble.contributions(), strict=True):
        # Splits that those above them decide would make leaves that nothing can reach.
        kept, left, right = tree_kernels.restrict(*split_arrays(tree), low, high, gaps)
        left, right = (np.where(side == LEAF, LEAF, side + start) for side in (left, right))
        parts.append((start, left, right, tree.feature[kept], tree.threshold[kept], table[kept]))
        start += len(kept)
    roots, *arrays = zip(*parts, strict=True)
    left, right, feature, cut, tables = (np.concatenate(array) for array in arrays)
    parent = np.full(len(left), -1, dtype=np.int32)
    inner = np.flatnonzero(left >= 0).astype(np.int32)
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    return (
        np.array(roots, dtype=np.int32),
        left.astype(np.int32),
        right.astype(np.int32),
        parent,
        feature,
        cut,
        tables,
    )


def _blank(ensemble, n):
    lower = np.full((n, ensemble.n_features), -np.inf)
    scores = np.zeros((n, ensemble.n_classes))
    if ensemble.offset is not None:
        scores += ensemble.offset
    return lower, -lower, scores


def _draw(ensemble, n, rng):
    roots, left, right, parent, feature, cut, table = _lay_out(ensemble)
    trees = (roots, left, right, parent, feature, cut, table)
    lower, upper, scores = _blank(ensemble, n)
    for start in range(0, n, _CHUNK):
        some = slice(start, min(n, start + _CHUNK))
        uniform = rng.uniform(size=(some.stop - start, ensemble.n_trees))
        order = np.argsort(rng.uniform(size=uniform.shape), axis=1).astype(np.int32)
        kernels.draw_overlaps(*trees, order, uniform, lower[some], upper[some], scores[some])
    return lower, upper, scores


def _walk(ensemble, limit, out):
    roots, left, right, _, feature, cut, table = _lay_out(ensemble)
    high = np.full(ensemble.n_features, np.inf)
    begin = np.zeros(ensemble.n_classes) if ensemble.offset is None else ensemble.offset
    depth = sum(tree.max_depth for tree in ensemble.trees)
    return int(
        kernels.all_cells(
            roots, left, right, feature, cut, table, -high, high, begin, depth, limit, out
        )
    )
