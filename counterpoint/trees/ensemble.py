"""Trees side by side: the one layout that kernels read, questions to all, decisions together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from counterpoint._arrays import as_floats, check_floats
from counterpoint._kernels import forest as kernels
from counterpoint._kernels.descent import mark_leaves, mark_leaves_bins, mark_leaves_sets
from counterpoint._kernels.threads import threads_for
from counterpoint._reading import check_rows
from counterpoint._soundness import check_positions, check_shape
from counterpoint._validation import check_choice, check_count
from counterpoint.trees.binning import MISSING, BinnedData
from counterpoint.trees.structure import (
    LEAF,
    MOST_COLUMNS,
    OBLIQUE,
    Tree,
    check_children,
    check_tree,
    class_shares,
    join_trees,
)


@dataclass(frozen=True, kw_only=True)
class StackedTrees:
    """Trees laid end to end by :func:`stack_trees`; nodes are numbered over all trees."""

    roots: NDArray
    depths: NDArray
    left: NDArray
    right: NDArray
    feature: NDArray
    threshold: NDArray
    bin_threshold: NDArray
    missing_go_to_left: NDArray
    value: NDArray
    directions: NDArray | None = None  # of oblique splits: k is feature n_features + k
    categories: NDArray | None = None  # of splits on categories, whose threshold is NaN

    def _check_sound(self):
        n, roots = len(self.left), self.roots
        check_positions(roots, "roots", n)
        if not len(roots) or roots[0] != 0 or (np.diff(roots) <= 0).any():
            raise ValueError("The roots of stacked trees must increase from 0.")
        for name in ("right", "feature", "threshold", "bin_threshold", "missing_go_to_left"):
            check_shape(getattr(self, name), name, (n,))
        check_shape(self.depths, "depths", roots.shape)
        for first, last, depth in zip(roots, [*roots[1:], n], self.depths, strict=True):
            left, right = (side[first:last] for side in (self.left, self.right))
            left, right = (np.where(side < 0, side, side - first) for side in (left, right))
            deepest = check_children(left, right, "A stacked tree")
            if not deepest <= depth <= n:
                raise ValueError(f"A stacked tree has depth {depth}, but a path of {deepest}.")
        check_positions(self.feature[~self.is_leaf], "feature", MOST_COLUMNS)
        check_shape(self.value, "value", (n, *np.shape(self.value)[1:2]))
        if self.categories is not None:
            check_shape(self.categories, "categories", (n, 4))
            if self.categories.dtype != np.uint64:
                raise ValueError(f"categories is of type {self.categories.dtype}, expected uint64.")
        elif np.isnan(self.threshold[~self.is_leaf]).any():
            raise ValueError("A split of stacked trees has threshold NaN.")

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @property
    def is_leaf(self) -> NDArray:
        """Whether each node is a leaf."""
        return self.left == LEAF

    @cached_property
    def label(self) -> NDArray:
        """The heaviest class of each node, the first of equals."""
        return self.value.argmax(axis=1).astype(np.int32)

    @cached_property
    def _walk(self):
        """Columns, thresholds, bins, children (left, right, missing): a leaf is its own child."""
        own, leaf = np.arange(len(self.left), dtype=np.int32), self.is_leaf
        left, right = np.where(leaf, own, self.left), np.where(leaf, own, self.right)
        missing = np.where(self.missing_go_to_left, left, right)
        return (
            np.where(leaf, 0, self.feature).astype(np.int32),
            np.where(leaf, np.inf, self.threshold),
            np.where(leaf, np.uint8(MISSING), self.bin_threshold),
            np.stack([left, right, missing], axis=1).astype(np.int32),
        )

    @cached_property
    def _sets(self):
        """Rows of ``categories`` that are in use, and which is a node's, -1 for those with none."""
        if self.categories is None:
            return None
        used = np.flatnonzero(np.isnan(self.threshold) & ~self.is_leaf)
        place = np.full(len(self.left), -1, dtype=np.int32)
        place[used] = np.arange(len(used))
        return np.ascontiguousarray(self.categories[used]), place


def stack_trees(trees: Sequence[Tree]) -> StackedTrees:
    """Lay trees end to end: at least one, all with the same number of classes."""
    if not trees:
        raise ValueError("No trees were given: pass at least one.")
    for k, tree in enumerate(trees):
        check_tree(tree, f"tree {k}" if k else "tree")
    widths = sorted({tree.value.shape[1] for tree in trees})
    if len(widths) > 1:
        raise ValueError(
            f"The trees hold values of different widths, {widths}: stack only trees grown on the "
            "same classes."
        )
    return stack_grown(trees)


def stack_grown(trees: Sequence[Tree]) -> StackedTrees:
    """Lay trees end to end that were just grown here: unchecked, but soon."""
    whole = join_trees(trees)
    feature, directions = _number_directions(whole)
    return StackedTrees(
        roots=np.cumsum([0, *(tree.node_count for tree in trees[:-1])]).astype(np.int32),
        depths=np.array([tree.max_depth for tree in trees], dtype=np.int64),
        left=whole.children_left,
        right=whole.children_right,
        feature=np.where(whole.is_leaf, LEAF, feature).astype(np.int32),
        threshold=whole.threshold,
        bin_threshold=whole.bin_threshold,
        missing_go_to_left=whole.missing_go_to_left.astype(bool),
        value=whole.value,
        directions=directions,
        categories=whole.categories,
    )


def _number_directions(tree):
    """Give each direction of an oblique split a number after those of the columns."""
    if not tree.is_oblique:
        return tree.feature, None
    oblique = tree.feature == OBLIQUE
    # Trees on a random basis have one direction at many nodes: project samples on it only once.
    directions, at = np.unique(tree.normals[oblique], axis=0, return_inverse=True)
    feature = tree.feature.copy()
    feature[oblique] = directions.shape[1] + at.ravel()
    return feature, directions


def predict_trees(
    stacked: StackedTrees,
    X: ArrayLike | BinnedData,
    *,
    kind: str = "votes",
    weights: ArrayLike | None = None,
) -> NDArray:
    """Ask all trees about all samples in one kernel.

    ``X`` are numbers, NaN for missing, or bins from the :class:`Binner` of the trees. Where each
    value has a bin, one never seen in training may lie in that of a threshold and go another way.

    Of shape (n_trees, n_samples): "votes", class codes; "leaves", node numbers within each tree;
    "values", first column of the value, the mean target of regression trees. Of shape (n_samples,
    n_classes), with ``weights`` (n_trees,): "vote_sum", the weight of the trees that vote for each
    class; "value_sum", weighted sum of the values in the leaves reached.
    """
    missing: float | np.uint8 = np.nan
    feature, threshold, bins, children = stacked._walk
    if stacked.directions is not None:
        X = _project(stacked.directions, X)
    if isinstance(X, BinnedData):
        codes, missing, cut = X.codes, np.uint8(MISSING), bins
    else:
        if isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64):
            codes = X
        else:
            codes = as_floats(X, "X", ("n_samples", "n_features"))
        codes, cut = np.ascontiguousarray(codes), threshold
    if codes.ndim != 2 or codes.shape[1] <= feature.max():
        raise ValueError(
            f"X has shape {codes.shape}, but the trees ask for column {feature.max()}: "
            "pass (n_samples, n_features) with the columns of the training data."
        )
    with threads_for(len(codes) * int(stacked.depths.sum())):
        return _ask(stacked, codes, missing, feature, cut, children, kind, weights)


def leaves_of(tree: Tree, X: NDArray | BinnedData, rows: NDArray | None = None) -> NDArray:
    """Return the leaf of each sample in one tree of ours that was just grown: unchecked, but soon.

    ``X`` as in :func:`predict_trees`, as an array; ``rows`` are those wanted, others hold anything.
    """
    missing: float | np.uint8 = np.nan
    if isinstance(X, BinnedData):
        codes, missing, cut = X.codes, np.uint8(MISSING), tree.bin_threshold
    else:
        codes, cut = X, tree.threshold
    rows = np.arange(len(codes)) if rows is None else rows
    leaf = np.empty(len(codes), dtype=np.int32)
    where = (tree.children_left, tree.feature, cut, tree.missing_go_to_left)
    with threads_for(len(rows) * tree.max_depth):
        if tree.categories is None and isinstance(X, BinnedData):
            mark_leaves_bins(codes, rows, *where, leaf)
        elif tree.categories is None:
            mark_leaves(codes, missing, rows, *where, leaf)
        else:
            sets = tree.on_categories, tree.categories
            mark_leaves_sets(codes, missing, rows, *where, *sets, leaf)
    return leaf


def _ask(stacked, codes, missing, feature, cut, children, kind, weights):
    where = (stacked.roots, stacked.depths, feature, cut, children)
    look_up, add_up = kernels.look_up, kernels.add_up
    if stacked._sets is not None:
        where = (*where, *stacked._sets)
        look_up, add_up = kernels.look_up_sets, kernels.add_up_sets
    if kind == "votes":
        return look_up(codes, missing, *where, stacked.label)
    if kind == "leaves":
        numbers = np.arange(len(stacked.feature), dtype=np.int32)
        return look_up(codes, missing, *where, numbers) - stacked.roots[:, None]
    if kind == "values":
        return look_up(codes, missing, *where, np.ascontiguousarray(stacked.value[:, 0]))
    check_choice(kind, "kind", ("votes", "leaves", "values", "vote_sum", "value_sum"))
    table = np.asarray(stacked.value, dtype=np.float64)
    if kind == "vote_sum":
        table = (np.arange(table.shape[1]) == stacked.label[:, None]).astype(np.float64)
    weights = np.ones(stacked.n_trees) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != (stacked.n_trees,):
        raise ValueError(
            f"weights has shape {weights.shape}, expected ({stacked.n_trees},): one per tree."
        )
    return add_up(codes, missing, *where, table, weights)


def _project(directions, X):
    """Put what samples are along each direction after their columns."""
    if isinstance(X, BinnedData):
        raise ValueError("Oblique splits need numbers: pass X, not its bins.")
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != directions.shape[1]:
        raise ValueError(
            f"X has shape {X.shape}, but the oblique splits are on {directions.shape[1]} columns: "
            "pass (n_samples, n_features) with the columns of the training data."
        )
    return np.concatenate([X, X @ directions.T], axis=1)


def rows_for_trees(X: ArrayLike, n_features: int, dtype: Any) -> NDArray:
    """Check samples, (n_samples, n_features), and round them to ``dtype``."""
    rows = check_rows(X, owner="an ensemble of trees", dtype=dtype, allow_nan=True)
    if rows.shape[1] != n_features:
        raise ValueError(
            f"X has {rows.shape[1]} columns, but the trees were grown on {n_features}: "
            "pass the columns of the training data."
        )
    return rows


@dataclass(frozen=True, kw_only=True)
class TreeEnsemble:
    """Trees that decide together; made by :func:`counterpoint.trees.take_trees`.

    Attributes
    ----------
    trees : tuple of Tree
        Each with one column of ``value`` a class.
    weights : ndarray of shape (n_trees,)
    classes : ndarray of shape (n_classes,)
        Labels.
    n_features : int
        Number of columns.
    kind : {"votes", "shares", "scores"}
        What a tree adds to the score: its weight to its heaviest class, its weight times the
        shares of the classes in the leaf reached, or its weight times the values as they are.
        The values of a tree that adds scores are of one class; it casts no vote of its own.
    feature_names : ndarray of shape (n_features,) or None, default=None
    dtype : type, default=numpy.float32
        What samples are rounded to before they meet thresholds. scikit-learn's trees round to
        float32; trees of :class:`HistTreeClassifier` take float64 as it is.
    offset : ndarray of shape (n_classes,) or None, default=None
        Where the sum of scores begins.
    """

    trees: tuple[Tree, ...]
    weights: NDArray
    classes: NDArray
    n_features: int
    kind: str = "votes"
    feature_names: NDArray | None = None
    dtype: Any = np.float32
    offset: NDArray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.trees)

    def contributions(self) -> list[NDArray]:
        """List what a sample in a node adds to the score, weighted: (n_nodes, n_classes) a tree."""
        return [
            weight * _node_scores(tree, self.kind)
            for tree, weight in zip(self.trees, self.weights, strict=True)
        ]

    def score(self, X: ArrayLike) -> NDArray:
        """Sum what the trees say of each class, (n_samples, n_classes); NaN in X is missing."""
        rows = self.check_rows(X)
        total = predict_trees(self._scored, rows, kind="value_sum", weights=self.weights)
        return total if self.offset is None else total + self.offset

    def positions(self, labels: ArrayLike) -> NDArray:
        """Return where labels, all of them known, are in ``classes``."""
        order = np.argsort(self.classes, kind="stable")
        return order[np.searchsorted(self.classes, labels, sorter=order)]

    def shares(self, X: ArrayLike) -> NDArray:
        """Return the share of each class in the score, (n_samples, n_classes); softmax of scores.

        Where no class has a score above 0, all have the same share.
        """
        score = self.score(X)
        if self.kind == "scores":
            return softmax(score, axis=1)
        return class_shares(np.maximum(score, 0.0))

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the label with the highest score, the first of equals, (n_samples,)."""
        return self.classes[self.score(X).argmax(axis=1)]

    def member_votes(self, X: ArrayLike) -> NDArray:
        """Return the position in ``classes`` of what each tree votes for, (n_trees, n_samples)."""
        return predict_trees(self.stacked, self.check_rows(X))

    def check_rows(self, X: ArrayLike) -> NDArray:
        """Check samples, (n_samples, n_features), and round them to ``dtype`` as the trees do."""
        return rows_for_trees(X, self.n_features, self.dtype)

    @cached_property
    def stacked(self) -> StackedTrees:
        """The trees end to end."""
        return stack_trees(self.trees)

    @cached_property
    def _scored(self) -> StackedTrees:
        scores = np.concatenate([_node_scores(tree, self.kind) for tree in self.trees])
        return replace(self.stacked, value=scores)


def check_ensemble(ensemble: Any) -> TreeEnsemble:
    """Return trees that decide together, or say which of them, or what else, is at fault."""
    if not isinstance(ensemble, TreeEnsemble):
        raise TypeError(
            f"ensemble is a {type(ensemble).__name__}: give a TreeEnsemble, as take_trees makes it."
        )
    n_features = check_count(ensemble.n_features, "n_features", low=0, high=MOST_COLUMNS)
    check_choice(ensemble.kind, "kind", ("votes", "shares", "scores"))
    check_choice(ensemble.dtype, "dtype", (np.float32, np.float64))
    if not ensemble.trees:
        raise ValueError("The ensemble has no trees: give at least one.")
    for k, tree in enumerate(ensemble.trees):
        check_tree(tree, f"tree {k} of the ensemble", n_features=n_features)
        if tree.value.shape[1] != ensemble.n_classes:
            raise ValueError(
                f"Tree {k} of the ensemble has {tree.value.shape[1]} classes, the ensemble "
                f"{ensemble.n_classes}: give trees on the same classes."
            )
    numbers = [("weights", ensemble.weights, ensemble.n_trees)]
    if ensemble.offset is not None:
        numbers.append(("offset", ensemble.offset, ensemble.n_classes))
    for name, array, n in numbers:
        values = check_floats(array, name, ("n_trees" if name == "weights" else "n_classes",))
        if len(values) != n:
            raise ValueError(f"{name} has shape {values.shape}, expected ({n},).")
    return ensemble


def _node_scores(tree, kind):
    if kind == "votes":
        return (np.arange(tree.value.shape[1]) == tree.label[:, None]).astype(np.float64)
    return class_shares(tree.value) if kind == "shares" else np.asarray(tree.value, dtype=float)
