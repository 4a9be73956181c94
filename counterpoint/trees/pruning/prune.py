"""Prune a grown tree by one of the criteria of the textbooks."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_array, check_consistent_length

from counterpoint._arrays import check_vector
from counterpoint._validation import check_choice, check_flag, check_number
from counterpoint.trees.convert import from_sklearn, to_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.pruning import paths
from counterpoint.trees.pruning.bottom_up import Pruning, collapse, cut, prune_bottom_up
from counterpoint.trees.pruning.criteria import LOCAL, check_cf
from counterpoint.trees.pruning.local import local_criterion
from counterpoint.trees.structure import LEAF, Tree, check_children, check_tree

CRITERIA = (
    "cost-complexity",
    "reduced-error",
    "pessimistic",
    "critical-value",
    "minimum-error",
    "error-based",
    "mdl",
    "mdl-exceptions",
    "kearns-mansour",
    "multiple-comparisons",
)
# Of the criteria, by the names that functions and estimators have for them.
OPTIONS = (
    "cf",
    "limit",
    "m",
    "prior",
    "factor",
    "ccp_alpha",
    "node_cost",
    "critical_value",
    "one_se",
)


def prune(
    tree: Tree | DecisionTreeClassifier,
    criterion: str = "error-based",
    *,
    cf: float = 0.25,
    limit: str = "binomial",
    m: float | str = 2.0,
    prior: str | ArrayLike = "data",
    factor: float | None = None,
    ccp_alpha: float | None = None,
    node_cost: str = "impurity",
    critical_value: float | None = None,
    one_se: bool = False,
    X_val: ArrayLike | None = None,
    y_val: ArrayLike | None = None,
    sample_weight_val: ArrayLike | None = None,
    total: float | None = None,
) -> Tree | DecisionTreeClassifier:
    """Prune a grown classification tree by one of ten criteria.

    ==================== ===========================================================
    cost-complexity      CART: cut links that save less than ``ccp_alpha`` per leaf
    reduced-error        cut where held-out rows are predicted no worse
    pessimistic          half an error more per leaf, and one standard error to beat
    critical-value       cut where no split below gains more than ``critical_value``
    minimum-error        expected error, shares of classes drawn towards a prior
    error-based          C4.5: upper confidence limits of the error rates
    mdl                  bits of the tree and of the classes, given their shares [4]_
    mdl-exceptions       bits of the tree and of the exceptions to it [5]_
    kearns-mansour       a bound on the true error, by size and depth [6]_
    multiple-comparisons gain beyond chance, corrected for the splits compared [7]_
    ==================== ===========================================================

    Seven work on the training rows alone: all but cost-complexity, reduced-error and
    critical-value. All go from the bottom up except cost-complexity, which cuts the
    weakest link first.

    Parameters
    ----------
    tree : Tree or DecisionTreeClassifier
        Fitted; it is not changed.
    criterion : str, default="error-based"
        One of the table.
    cf : float, default=0.25
        For error-based: confidence of the limits, above 0 and at most 1. Smaller prunes more, as a
        rule; 1 prunes nothing. For multiple-comparisons the level of the test, for
        kearns-mansour the chance that the bound fails; both below 1.
    limit : {"binomial", "chen"}, default="binomial"
        For error-based: the limits, see ``upper_limit`` in ``criteria.py``.
    m : float or "laplace", default=2.0
        For minimum-error: how many cases the prior is worth. "laplace" is the number of classes
        with a uniform prior, as in the method's first paper. More prunes more, as a rule.
    prior : {"data", "uniform"} or array-like of shape (n_classes,), default="data"
        For minimum-error: shares of the classes in the root, or equal ones, or these.
    factor : float, default=None
        For mdl, mdl-exceptions, kearns-mansour and multiple-comparisons: multiplies what size
        costs. None is 0.1 for kearns-mansour, whose bound leaves its constant open, else 1.
    ccp_alpha : float, default=None
        For cost-complexity: what a leaf must save. 0 prunes nothing. None chooses the number by
        the error on ``X_val``.
    node_cost : {"impurity", "error"}, default="impurity"
        For cost-complexity: as in scikit-learn, or as in CART's book.
    critical_value : float, default=None
        For critical-value: gain of a split, in the impurity the tree was grown by. None chooses
        it by the error on ``X_val``.
    one_se : bool, default=False
        When a number is chosen: take the smallest tree within one standard error of the best.
    X_val : array-like of shape (n_held_out, n_features), default=None
        Rows the tree was not grown on, for reduced-error and to choose a number.
    y_val : array-like of shape (n_held_out,), default=None
        Their labels; for a :class:`Tree` their class codes. Classes unknown to the tree count as
        errors.
    sample_weight_val : array-like of shape (n_held_out,), default=None
        Their weights.
    total : float, default=None
        Number of cases that the weights in the root stand for. None takes weights as numbers of
        cases.

    Returns
    -------
    Tree or DecisionTreeClassifier
        As given.

    References
    ----------
    .. [1] J. Mingers, "An empirical comparison of pruning methods for decision tree induction",
       Machine Learning 4, 1989 (critical value, and most others).
    .. [2] J. R. Quinlan, "Simplifying decision trees", International Journal of Man-Machine
       Studies 27, 1987 (reduced error, pessimistic).
    .. [3] T. Niblett and I. Bratko, "Learning decision rules in noisy domains", Expert Systems 86,
       1986; B. Cestnik and I. Bratko, "On estimating probabilities in tree pruning", EWSL 1991
       (minimum error, and its m).
    .. [4] M. Mehta, J. Rissanen and R. Agrawal, "MDL-based decision tree pruning", KDD 1995.
    .. [5] J. R. Quinlan and R. L. Rivest, "Inferring decision trees using the minimum description
       length principle", Information and Computation 80, 1989.
    .. [6] M. Kearns and Y. Mansour, "A fast, bottom-up decision tree pruning algorithm with
       near-optimal generalization", ICML 1998.
    .. [7] D. Jensen and M. Schmill, "Adjusting for multiple comparisons in decision tree pruning",
       KDD 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import prune
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[:400], y[:400])
    >>> prune(tree, "reduced-error", X_val=X[400:], y_val=y[400:]).tree_.node_count
    13
    """
    check_choice(criterion, "criterion", CRITERIA)
    check_flag(one_se, "one_se")
    if isinstance(tree, Tree):
        arrays, codes = check_tree(tree), y_val
    elif not isinstance(tree, DecisionTreeClassifier):
        raise TypeError(
            f"A {type(tree).__name__} was given, expected a Tree or a DecisionTreeClassifier: only "
            "trees for classes are pruned by errors."
        )
    else:
        arrays = from_sklearn(tree)
        if X_val is not None:
            X_val = check_array(X_val, dtype=np.float32, ensure_all_finite="allow-nan")
        codes = None if y_val is None else _codes(y_val, tree.classes_)
    pruning, _ = find_pruning(
        arrays,
        criterion,
        held_out=_check_held_out(arrays, X_val, codes, sample_weight_val),
        cf=cf,
        limit=limit,
        m=m,
        prior=prior,
        factor=factor,
        ccp_alpha=ccp_alpha,
        node_cost=node_cost,
        critical_value=critical_value,
        one_se=one_se,
        total=total,
        n_features=getattr(tree, "n_features_in_", None),
    )
    pruned = cut(arrays, pruning)
    return pruned if isinstance(tree, Tree) else to_sklearn(pruned, tree)


def find_pruning(
    tree: Tree,
    criterion: str,
    *,
    held_out=None,
    judges=None,
    cf=0.25,
    limit="binomial",
    m=2.0,
    prior="data",
    factor=None,
    ccp_alpha=None,
    node_cost="impurity",
    critical_value=None,
    one_se=False,
    total=None,
    n_features=None,
) -> tuple[Pruning, float | None]:
    """Return the pruning that :func:`prune` makes, and the number chosen for it if there is one.

    ``held_out`` is (leaf of each held-out row, class codes, weights), ``judges`` are (tree, leaf,
    codes, weights) from cross-validation; the cost is that of errors on these, or the criterion's.
    ``n_features`` None is as many columns as the tree uses.
    """
    if criterion in LOCAL:
        check_children(tree.children_left, tree.children_right)
        value = _check_value(tree.value, tree.node_count, total)
        n = value.sum(axis=1)
        if criterion == "error-based":
            check_cf(cf)
            if cf == 1:
                is_leaf = tree.children_left == LEAF
                wrong = np.maximum(n - value.max(axis=1), 0.0)[is_leaf]
                return _collapsed(tree, is_leaf, float(wrong.sum())), None
        local = local_criterion(
            criterion,
            classes=value[0],
            cf=cf,
            limit=limit,
            m=m,
            prior=prior,
            factor=factor,
            n_features=n_features or used_columns(tree),
        )
        margin: Any = None
        if criterion not in ("error-based", "minimum-error"):
            depth = node_depths(tree)

            def beyond(below, node, leaves):
                return float(local.margin(below, value[node], leaves, depth[node]))

            margin = beyond

        cost = local.leaf_cost(value)
        return prune_bottom_up(tree.children_left, tree.children_right, cost, margin=margin), None
    if criterion == "reduced-error":
        if held_out is None:
            raise ValueError("reduced-error needs rows the tree was not grown on: give X_val.")
        wrong = paths.node_errors(tree, *held_out)
        return prune_bottom_up(tree.children_left, tree.children_right, wrong), None
    costly = criterion == "cost-complexity"
    name, level = ("ccp_alpha", ccp_alpha) if costly else ("critical_value", critical_value)

    def strengths(tree):
        if costly:
            return paths.cost_complexity_path(tree, node_cost).strength
        return paths.critical_strength(tree)

    strength = strengths(tree)
    if level is None:
        if judges is None:
            if held_out is None:
                raise ValueError(
                    f"{criterion} needs {name}, or rows the tree was not grown on to choose it "
                    f"by: give {name} or X_val."
                )
            judges = [(tree, *held_out)]
        level, rate = paths.choose_level(
            tree,
            strength,
            (
                (judge, strengths(judge), paths.node_errors(judge, leaf, codes, w), w.sum())
                for judge, leaf, codes, w in judges
            ),
            one_se=one_se,
            geometric=costly,
        )
    else:
        check_number(level, name, low=0, hint=", or None to have it chosen")
        rate = float("nan")
        if costly and level == 0:
            strength = np.full(tree.node_count, np.inf)  # as in scikit-learn
    is_leaf = (tree.children_left == LEAF) | (strength <= level)
    n = tree.value.sum(axis=1)
    wrong = np.maximum(n - tree.value.max(axis=1), 0.0)
    pruning = _collapsed(tree, is_leaf, 0.0)
    leaves = pruning.kept[pruning.children_left == LEAF]
    errors = float(wrong[leaves].sum()) if np.isnan(rate) else rate * float(n[0])
    return replace(pruning, cost=errors), float(level)


def used_columns(tree: Tree) -> int:
    """Return how many columns a tree splits on, at least one."""
    return max(len(np.unique(tree.feature[tree.feature >= 0])), int(tree.is_oblique), 1)


def node_depths(tree: Tree) -> list[int]:
    """Return the number of splits above every node."""
    depth = [0] * tree.node_count
    for node, (left, right) in enumerate(
        zip(tree.children_left.tolist(), tree.children_right.tolist(), strict=True)
    ):
        if left != LEAF:
            depth[left] = depth[right] = depth[node] + 1
    return depth


def _collapsed(tree, is_leaf, cost):
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    return collapse(left, right, is_leaf.tolist(), cost)


def _check_value(value, n_nodes, total):
    """Return weights of classes, (n_nodes, n_classes), scaled to ``total`` in the root."""
    value = np.asarray(value, dtype=np.float64)
    if value.ndim != 2 or len(value) != n_nodes or value.shape[1] == 0:
        raise ValueError(
            f"value has shape {value.shape}, expected ({n_nodes}, n_classes): the weight of "
            "each class in each node."
        )
    if not np.isfinite(value).all() or (value < 0).any():
        raise ValueError(
            "value holds negative or non-finite numbers, expected weights of classes: regression "
            "trees cannot be pruned by errors."
        )
    if total is None:
        return value
    held = value[0].sum()
    if held <= 0:
        raise ValueError("There are weights of 0 in the root: they must be above zero.")
    return value * (check_number(total, "total", low=0, open_low=True) / held)


def _codes(y, classes):
    """Class codes of labels; -1 for labels that are not among the classes."""
    y = np.asarray(y)
    code = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    return np.where(classes[code] == y, code, -1)


def _check_held_out(tree, X, codes, weight):
    if X is None and codes is None and weight is None:
        return None
    if X is None or codes is None:
        raise ValueError("Held-out rows need both X_val and y_val: one of them was not given.")
    check_consistent_length(X, codes)
    if weight is None:
        weight = np.ones(len(codes))
    weight = check_vector(weight, "sample_weight_val", len(codes), "held-out row", low=0)
    if weight.sum() == 0:
        raise ValueError("No held-out row has a weight: at least one must count.")
    leaf = predict_trees(stack_trees([tree]), X, kind="leaves")[0]
    return leaf, np.asarray(codes), weight
