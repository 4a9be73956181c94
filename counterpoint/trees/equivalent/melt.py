"""Melt a fitted ensemble of trees into one tree: :func:`equivalent_tree`."""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier

from counterpoint._kernels.trees import sum_up
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.trees.algebra import apply
from counterpoint.trees.boxes import box_volumes, data_bounds, leaf_boxes
from counterpoint.trees.compare import point_in
from counterpoint.trees.convert import as_sklearn
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.equivalent.certificate import Certificate, certify
from counterpoint.trees.equivalent.exact import Melter, pack, threshold_bounds, to_tree
from counterpoint.trees.equivalent.smallest import find_smallest
from counterpoint.trees.structure import Tree, class_shares, impurities
from counterpoint.trees.take import take_trees

CRITERIA = ("cells", "volume")
MINIMIZE = (None, "leaves", "depth")


@dataclass(frozen=True, kw_only=True)
class Faithfulness:
    """How far a tree decides as its ensemble does, as shares; NaN without training rows."""

    volume: float  # of the space within the bounds, where that is proven
    rows: float  # of the training rows, in regions where it is proven
    agreement: float  # of the training rows, where both decide the same, proven or not


@dataclass(frozen=True, kw_only=True)
class EquivalentTree:
    """One tree made of an ensemble; from :func:`equivalent_tree`.

    Attributes
    ----------
    tree : Tree
        The weights of the classes in a leaf are the mean scores of the ensemble: over the rows
        in the leaf, or at a point in its middle if there are none.
    ensemble : TreeEnsemble
        What it was made of.
    exact : bool
        Whether the tree decides as the ensemble does everywhere: no limit was reached.
    smallest : bool
        Whether it is proven that no tree with the same decisions has fewer leaves (or is less
        deep, if that was asked for).
    stopped_by : str
        The limit that was reached: "max_leaves", "time_limit", "interrupted", or "".
    faithfulness : Faithfulness
    """

    tree: Tree
    ensemble: TreeEnsemble
    exact: bool
    smallest: bool
    stopped_by: str
    faithfulness: Faithfulness

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    def verify(self, *, limit: int | None = None) -> Certificate:
        """Prove region by region that the tree decides as the ensemble, as :func:`certify` does."""
        return certify(self.tree, self.ensemble, limit=limit)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the label of the leaf each sample reaches, (n_samples,); none may be missing."""
        rows = _without_missing(self.ensemble.check_rows(X))
        return self.ensemble.classes[self.tree.label[apply(self.tree, rows)]]

    def as_sklearn(self) -> DecisionTreeClassifier:
        """Return the tree as a fitted ``DecisionTreeClassifier``."""
        e = self.ensemble
        names = None if e.feature_names is None else list(e.feature_names)
        return as_sklearn(self.tree, e.classes, e.n_features, names)


def equivalent_tree(
    pool: Any,
    X: ArrayLike | None = None,
    *,
    criterion: str = "cells",
    minimize: str | None = None,
    max_leaves: int | None = 100_000,
    time_limit: float | None = None,
) -> EquivalentTree:
    """Melt a fitted ensemble of trees into one tree with the same decisions.

    Space is split from the top down. A region is a leaf as soon as the leaves that the trees
    still have in it cannot change the winner. Otherwise it is split at a threshold of some
    tree, chosen by what all trees say in the region, so the result does not depend on their
    order [1]_. Regions in which the trees are the same functions are worked out once.

    Parameters
    ----------
    pool : fitted ensemble of trees, list of trees, or TreeEnsemble
        What :func:`counterpoint.trees.take_trees` takes.
    X : array-like of shape (n_samples, n_features), default=None
        Rows that say which regions matter, when a limit is reached, and between which bounds
        volumes are measured. None: bounds a little outside the thresholds.
    criterion : {"cells", "volume"}, default="cells"
        What a split should tell apart. "cells": the decisions in the cells between thresholds,
        each counted alike: the smaller tree, as a rule. "volume": the votes of the trees, by
        volume (5.1 and 5.2 in [1]_, each side weighted by its volume): large regions first.
    minimize : {None, "leaves", "depth"}, default=None
        Search for the tree with fewest leaves, or the least deep, among all trees with the same
        decisions [2]_. That may take long, and up to 4 GiB of memory; when ``time_limit`` is over,
        the result is the tree that would be made without.
    max_leaves : int or None, default=100_000
        Most leaves. When there are so many, open regions get the decision that most of their rows
        get, or that of a point in their middle.
    time_limit : float or None, default=None
        Most seconds for splitting, likewise. Ctrl-C also keeps what there is.

    Returns
    -------
    EquivalentTree

    Notes
    -----
    The decision is the class with the highest score, the first of equals. Scores that are sums of
    whole numbers, and votes of equal weight, are compared exactly. Of others, a lead
    counts as such only if it is larger than all rounding can be; where it is not, the score is
    summed number by number as the ensemble does it. So the tree has the decisions of the
    ensemble as it runs, rounding included, at every number of ``ensemble.dtype`` (float32 for
    scikit-learn's trees). Missing values are not covered: the trees of the ensemble may send
    them where they like, this tree sends them right.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 5.1.
    .. [2] T. Vidal and M. Schiffer, "Born-again tree ensembles", ICML 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import equivalent_tree
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, max_depth=2, random_state=0).fit(X, y)
    >>> one = equivalent_tree(forest, X)
    >>> one.exact, one.verify().equal
    (True, True)
    """
    check_choice(criterion, "criterion", CRITERIA)
    check_choice(minimize, "minimize", MINIMIZE)
    check_limits(max_leaves, time_limit)
    trees = take_trees(pool)
    packed = pack(trees)
    rows = None if X is None else _without_missing(trees.check_rows(X))
    bounds = threshold_bounds(packed) if rows is None else data_bounds(rows)
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    melter = Melter(packed, bounds, rows, by_volume=criterion == "volume")
    finished, reason = melter.run(max_leaves, deadline)
    melted = melter.result(max_leaves, finished, reason)
    smallest = False
    if minimize is not None and melted.finished:
        better, smallest = find_smallest(packed, melted, minimize, deadline)
        if better.n_leaves <= (max_leaves or np.inf):
            melted = better
        else:
            smallest = False
    tree = to_tree(packed, melted.splits, melted.label, trees.n_classes)
    tree, faithfulness = _fill(tree, melted.label, trees, rows, bounds)
    return EquivalentTree(
        tree=tree,
        ensemble=trees,
        exact=melted.finished,
        smallest=smallest,
        stopped_by=melted.reason,
        faithfulness=faithfulness,
    )


def _fill(tree, label, ensemble, rows, bounds):
    """Give nodes the mean scores of the ensemble, and open leaves a label."""
    leaf, lower, upper = leaf_boxes(tree, ensemble.n_features)
    n_classes = ensemble.n_classes
    count = np.zeros(tree.node_count, dtype=np.int64)
    score = np.zeros((tree.node_count, n_classes))
    wins = np.zeros((tree.node_count, n_classes))
    if rows is not None:
        reached, scores = apply(tree, rows), ensemble.score(rows)
        decided = scores.argmax(axis=1)
        count = np.bincount(reached, minlength=tree.node_count)
        np.add.at(score, reached, scores)
        np.add.at(wins, (reached, decided), 1.0)
    bare = leaf[count[leaf] == 0]
    if len(bare):
        at = np.isin(leaf, bare)
        middle = _middles(lower[at], upper[at], bounds, ensemble.dtype)
        score[bare] = ensemble.score(middle)
        wins[bare, score[bare].argmax(axis=1)] = 1.0
    closed = label[leaf] >= 0
    decision = np.where(closed, label[leaf], wins[leaf].argmax(axis=1))
    value = np.zeros((tree.node_count, n_classes))
    shares = class_shares(np.maximum(score[leaf], 0.0))
    # Rounding, scores below zero and open regions must not turn the decision.
    turned = (shares.argmax(axis=1) != decision) | (score[leaf] < 0).any(axis=1)
    shares[turned] = np.eye(n_classes)[decision[turned]]
    value[leaf] = shares
    value, weight = _sum_up(tree, value, count)
    volume = box_volumes(lower, upper, bounds, relative=True)
    filled = replace(
        tree,
        value=value,
        weighted_n_node_samples=weight,
        n_node_samples=_sums(tree, count[:, None].astype(float))[:, 0].astype(np.int64),
        impurity=impurities(value),
    )
    agreement = proven = np.nan
    if rows is not None:
        agreement = float((filled.label[reached] == decided).mean())
        proven = float(closed[np.searchsorted(leaf, reached)].mean())
    share = float(volume[closed].sum() / volume.sum()) if not closed.all() else 1.0
    return filled, Faithfulness(volume=share, rows=proven, agreement=agreement)


def _sum_up(tree, shares, count):
    """Weigh the shares in leaves by rows, 0 for none, and sum them up in the nodes above."""
    leaf = tree.is_leaf
    weighted = np.where(leaf[:, None], shares * count[:, None], 0.0)
    # A product can round two shares to one: such leaves, and those without rows, keep shares.
    plain = leaf & (class_shares(weighted).argmax(axis=1) != shares.argmax(axis=1))
    plain |= leaf & (count == 0)
    total = _sums(tree, weighted)
    weight = _sums(tree, np.where(leaf, count, 0).astype(float)[:, None])[:, 0]
    empty = ~leaf & (total.sum(axis=1) == 0)
    if empty.any():
        total[empty] = _sums(tree, np.where(leaf[:, None], shares, 0.0))[empty]
    total[plain] = shares[plain]
    return total, weight


def _sums(tree, table):
    table = np.ascontiguousarray(table, dtype=np.float64)
    sum_up(tree.children_left, tree.children_right, table)
    return table


def _middles(lower, upper, bounds, dtype):
    """Return a point in each box, in the middle of its part within the bounds if there is one."""
    low, high = np.maximum(lower, bounds[0]), np.minimum(upper, bounds[1])
    with np.errstate(invalid="ignore", over="ignore"):
        middle = ((low + high) / 2).astype(dtype)
    for box, f in zip(*np.nonzero(~((lower < middle) & (middle <= upper))), strict=True):
        point = point_in(lower[box, f : f + 1], upper[box, f : f + 1], dtype=dtype)
        middle[box, f] = point[0] if not np.isnan(point[0]) else upper[box, f]
    return middle


def _without_missing(rows):
    if np.isnan(rows).any():
        raise ValueError(
            "X holds missing values (NaN), and an equivalent tree says nothing of them: fill them "
            "in first, for example with sklearn.impute.SimpleImputer in a pipeline."
        )
    return rows


def check_limits(max_leaves: Any, time_limit: Any) -> None:
    """Refuse limits that are none."""
    if max_leaves is not None:
        check_count(max_leaves, "max_leaves", hint=", or None")
    if time_limit is not None:
        check_number(time_limit, "time_limit", low=0, open_low=True, hint=", or None")
