"""Merge the trees of an ensemble into one, by pruning them together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from counterpoint._reading import check_labels
from counterpoint._validation import check_choice, check_flag
from counterpoint.trees.boxes import data_bounds
from counterpoint.trees.growing.growers import case_weights
from counterpoint.trees.merging.loop import STEP, TreeMerger
from counterpoint.trees.merging.targets import ClassTargets, NumberTargets
from counterpoint.trees.pruning.criteria import LOCAL
from counterpoint.trees.structure import Tree, refuse_categories
from counterpoint.trees.take import take_trees

ORDERS = ("samples", "volume")
# Of a merge, by the names that functions and estimators have for them.
OPTIONS = (
    "criterion",
    "corrected",
    "order",
    "cf",
    "limit",
    "m",
    "prior",
    "factor",
    "split_criterion",
)
MERGING = (*LOCAL, "reduced-error")


@dataclass(frozen=True, kw_only=True)
class MergedTree:
    """One tree made of many; from :func:`merge_trees`.

    Attributes
    ----------
    tree : Tree
        With the weights of the classes among the samples given.
    classes : ndarray of shape (n_classes,) or None
        Labels, as the columns of ``tree.value`` stand for them; None for trees of numbers.
    history : DataFrame
        One row for each node that was changed, in order: ``tree`` and ``node``, which tree and
        which node of it as it was given; ``action``, "leaf" or "graft", and ``source``, the tree
        that was grafted from, -1 for a leaf; ``weight`` of the samples in the node;
        ``leaves_before`` and ``leaves_after`` of the tree under it; ``cost_before`` and
        ``cost_after`` by the criterion, with its margin; ``cost_as_leaf``.
    winner : int
        The tree that was best at the root; -1 if a leaf was.
    cost : float
        Of the tree kept, by the criterion.
    """

    tree: Tree
    classes: NDArray | None
    history: pd.DataFrame
    winner: int
    cost: float

    @property
    def n_grafts(self) -> int:
        """Number of nodes that took over what another tree had there."""
        return int((self.history["action"] == "graft").sum())


def merge_trees(
    pool: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "error-based",
    corrected: bool = True,
    order: str = "samples",
    cf: float = 0.25,
    limit: str = "binomial",
    m: float | str = 2.0,
    prior: str | ArrayLike = "data",
    factor: float | None = None,
    sample_weight: ArrayLike | None = None,
    split_criterion: str = "entropy",
    X_val: ArrayLike | None = None,
    y_val: ArrayLike | None = None,
) -> MergedTree:
    """Merge the trees of a fitted ensemble: prune them together, and graft where that is better.

    All nodes of all trees are visited, from the one with the fewest samples up. Every tree says
    something about the samples of a node: the part of it, as it is by then, that these samples
    reach. A criterion of pruning gives all these subtrees a cost, and a leaf too. The node is made
    a leaf, left alone, or replaced by a copy of the best subtree. At the root the best tree is
    kept. With one tree this is ordinary bottom-up pruning.

    The best of many subtrees looks better than it is. So, ``corrected``, the *mean* cost of the
    subtrees decides whether a node is made a leaf, and only if it is not, the best is taken.

    Parameters
    ----------
    pool : estimator, list of trees, or TreeEnsemble
        What :func:`counterpoint.trees.take_trees` takes. Only the splits are used; how
        the members vote plays no part.
    X : array-like of shape (n_samples, n_features)
        Samples to count in the nodes, best those the ensemble was trained on; NaN is missing.
    y : array-like of shape (n_samples,)
        Labels.
    criterion : {"error-based", "pessimistic", "minimum-error", "mdl", "mdl-exceptions", \
            "kearns-mansour", "multiple-comparisons", "reduced-error"}, default="error-based"
        What subtrees cost, see :func:`counterpoint.trees.prune`. "reduced-error" is the error on
        the rows of ``X_val``.
    corrected : bool, default=True
        Let the mean of the subtrees decide against a leaf, not the best. Not with
        "multiple-comparisons", which corrects for the number of trees itself.
    order : {"samples", "volume"}, default="samples"
        Visit nodes by samples, then volume, or by volume, then samples. Volumes are of the part
        of the range of the data that a node covers, and need splits on columns.
    cf, limit : float and {"binomial", "chen"}, default=0.25 and "binomial"
        For error-based, kearns-mansour and multiple-comparisons. ``cf`` must be below 1.
    m, prior : float and str or array-like, default=2.0 and "data"
        For minimum-error.
    factor : float or None, default=None
        For criteria that charge for size: multiplies that.
    sample_weight : array-like of shape (n_samples,), default=None
        Numbers of cases if whole, else scaled to sum to the number of samples.
    split_criterion : {"entropy", "gini"}, default="entropy"
        The impurity that the nodes of the tree show.
    X_val, y_val : array-like, default=None
        For reduced-error: rows the trees were not grown on, and their labels. They judge; leaves
        are labelled by X and y. The tree that comes out counts both.

    Returns
    -------
    MergedTree

    Notes
    -----
    Nothing that no sample reaches is kept: splits with an empty side are dropped, first in all
    trees, then in each copy. The smallest node of another tree that contains a node, by samples or
    by volume, therefore always leads to the same subtree, and no such choice is offered. A copy is
    not pruned again below its top. Ties go to the leaf, then to the tree itself, then to the
    first of the others.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", 1993, chapter 4 (error-based).
    .. [2] J. R. Quinlan, "Simplifying decision trees", International Journal of Man-Machine
       Studies 27, 1987 (pessimistic).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import merge_trees
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> merged = merge_trees(forest, X, y)
    >>> merged.tree.n_leaves < 15
    True
    """
    check_choice(criterion, "criterion", MERGING)
    check_flag(corrected, "corrected")
    check_choice(split_criterion, "split_criterion", ("entropy", "gini"))
    trees = take_trees(pool)
    rows = trees.check_rows(X)
    labels = check_labels(y, len(rows))
    with np.errstate(all="ignore"):
        check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    weight = case_weights(rows, labels, sample_weight, None)
    held = np.zeros(len(rows), dtype=bool)
    if (criterion == "reduced-error") != (X_val is not None and y_val is not None):
        raise ValueError(
            f"criterion={criterion!r}: give X_val and y_val, rows the trees were not grown on, "
            "with 'reduced-error', and with nothing else."
        )
    if X_val is not None:
        more, theirs = trees.check_rows(X_val), check_labels(y_val, len(trees.check_rows(X_val)))
        code = np.searchsorted(classes, theirs).clip(max=len(classes) - 1)
        if (classes[code] != theirs).any():
            raise ValueError("y_val has labels that y has not: give labels of y.")
        held = np.arange(len(rows) + len(more)) >= len(rows)
        rows, codes = np.concatenate([rows, more]), np.concatenate([codes, code])
        weight = np.concatenate([weight, np.ones(len(more))])
    used = weight > 0
    apart = held[used] if criterion == "reduced-error" else None
    return merge_arrays(
        list(trees.trees),
        rows[used],
        ClassTargets(codes[used], weight[used], len(classes), apart),
        classes=classes,
        criterion=criterion,
        corrected=corrected,
        order=order,
        cf=cf,
        limit=limit,
        m=m,
        prior=prior,
        factor=factor,
        split_criterion=split_criterion,
    )


def merge_arrays(
    trees: Sequence[Tree],
    X: NDArray,
    targets: ClassTargets | NumberTargets,
    *,
    classes: NDArray | None,
    criterion: str,
    corrected: bool,
    order: str,
    split_criterion: str = "squared_error",
    **options: Any,
) -> MergedTree:
    """Merge trees on rows with weights above 0 as numbers of cases; see merge_trees."""
    check_choice(criterion, "criterion", MERGING)
    check_choice(order, "order", ORDERS)
    for k, tree in enumerate(trees):
        refuse_categories(tree, "Merging", f"Tree {k}")
    oblique = any(tree.is_oblique for tree in trees)
    if oblique and order == "volume":
        raise ValueError(
            "order='volume' needs trees with splits on columns, and some of these are oblique: "
            "choose order='samples'."
        )
    merger = TreeMerger(
        trees,
        X,
        targets,
        criterion=targets.criterion(criterion, X.shape[1], len(trees), **options),
        corrected=corrected and criterion != "multiple-comparisons",
    )
    volume = np.zeros(len(merger.left))
    if not oblique:
        volume = merger.volumes(*data_bounds(X))
    winner = merger.run(merger.order(order, volume))
    return MergedTree(
        tree=merger.tree(winner, split_criterion),
        classes=classes,
        history=pd.DataFrame(merger.steps, columns=list(STEP)).astype(STEP),
        winner=winner,
        cost=merger.cost,
    )
