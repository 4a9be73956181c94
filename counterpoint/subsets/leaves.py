"""The leaves that the trees of a fitted ensemble put rows into."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import validate_data

from counterpoint._arrays import check_member_weight
from counterpoint._members import is_fitted, is_pool, strip, through
from counterpoint._reading import tree_input
from counterpoint._tables import select_columns
from counterpoint.exceptions import MemberError


@dataclass(frozen=True)
class _Tree:
    """A tree, what stands before it (pipeline steps, a view), and the columns it sees."""

    tree: Any
    before: tuple
    columns: Any = None


class FittedTrees:
    """The trees of a fitted ensemble, whoever made it, and its name for messages.

    Forests, bagged and boosted trees, views of trees, one tree, and pipelines or searches
    around them. A tree is anything with ``apply`` and ``tree_``, or a tree of sums of columns.
    """

    def __init__(self, fitted):
        if is_pool(fitted) or not hasattr(fitted, "fit"):
            raise MemberError(
                f"Expected a fitted ensemble of trees or a StochasticDiscriminationClassifier, "
                f"got a {type(fitted).__name__}."
            )
        self.before, self.ensemble = strip(fitted)
        self.name = type(self.ensemble).__name__
        if not is_fitted(self.ensemble):
            raise MemberError(f"This {self.name} is not fitted. Call fit first.")
        self.trees = self._find()

    def _find(self):
        ensemble = self.ensemble
        if isinstance(ensemble, HistGradientBoostingClassifier | HistGradientBoostingRegressor):
            raise MemberError(
                f"{self.name} does not tell which leaves its rows are in. Use "
                "GradientBoostingClassifier or counterpoint.boosting instead."
            )
        if _is_tree(ensemble):
            return [_Tree(ensemble, ())]
        if not hasattr(ensemble, "estimators_"):
            raise MemberError(
                f"{self.name} is neither a tree nor an ensemble of trees (it has no "
                "`estimators_`), so it has no leaves to share."
            )
        members = list(ensemble.estimators_)
        columns = getattr(ensemble, "estimators_features_", None)
        views = getattr(ensemble, "views_", None)
        trees = []
        for m, member in enumerate(members):
            group = np.ravel(member) if isinstance(member, np.ndarray) else member
            for one in group if isinstance(group, list | np.ndarray) else [group]:
                before, tree = strip(one)
                if not _is_tree(tree):
                    raise MemberError(
                        f"Member {m} of this {self.name} is a {type(tree).__name__}, which has no "
                        "leaves: kernels and features are made from trees."
                    )
                steps = (*(() if views is None else (views[m],)), *before)
                trees.append(_Tree(tree, steps, None if columns is None else columns[m]))
        return trees

    def weights(self, weights) -> NDArray:
        """Return the weight of each tree, float32."""
        n = len(self.trees)
        if isinstance(weights, str) and weights == "ensemble":
            own = getattr(self.ensemble, "estimator_weights_", None)
            if own is None:
                raise MemberError(
                    f"{self.name} has no estimator_weights_: pass weights=None or an array."
                )
            n_members = len(self.ensemble.estimators_)
            weights = np.repeat(np.asarray(own, dtype=float)[:n_members], n // n_members)
        elif isinstance(weights, str):
            raise ValueError(f'weights={weights!r}: pass None, "ensemble" or an array.')
        checked = check_member_weight(weights, n)
        if checked is None:
            return np.ones(n, dtype=np.float32)
        # Only their ratios count; a power of two keeps the digits, and all within float32.
        return np.ldexp(checked, -np.frexp(checked.max())[1]).astype(np.float32)

    def leaves(self, X) -> NDArray:
        """Return the number of the node where each row of X ends, (n_trees, n_samples) int32."""
        X = through(self.before, X)
        plain = all(isinstance(t.tree, BaseDecisionTree) and not t.before for t in self.trees)
        if plain:
            checked = tree_input(self.ensemble, X)
        else:
            checked = validate_data(self.ensemble, X, reset=False, skip_check_array=True)
        if self.trees[0].columns is not None and hasattr(checked, "columns"):
            checked = np.asarray(checked)  # bagging trains on numbered columns of a plain array
        leaves = Parallel(n_jobs=getattr(self.ensemble, "n_jobs", None), prefer="threads")(
            delayed(_apply)(tree, checked, plain) for tree in self.trees
        )
        return np.stack(leaves)

    def leaf_numbers(self) -> list[NDArray]:
        """Return which nodes of each tree are leaves."""
        return [np.flatnonzero(_children(t.tree) < 0) for t in self.trees]

    def node_counts(self) -> NDArray:
        """Return the number of nodes of each tree."""
        return np.array([len(_children(t.tree)) for t in self.trees])


def _is_tree(model):
    return hasattr(model, "apply") and _children(model) is not None


def _children(tree):
    structure = getattr(tree, "tree_", getattr(tree, "combination_tree_", None))
    return getattr(structure, "children_left", getattr(structure, "left", None))


def _apply(tree, X, plain):
    X = select_columns(X, tree.columns)
    if plain:
        return tree.tree.apply(X, check_input=False).astype(np.int32)
    return np.asarray(tree.tree.apply(through(tree.before, X))).astype(np.int32)
