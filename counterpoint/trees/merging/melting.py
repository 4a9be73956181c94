"""What the classifier and the regressor share: trees that differ, and the path of their sizes."""

from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from counterpoint._validation import check_choice, check_count, check_number, is_word
from counterpoint.base import MAX_SEED
from counterpoint.trees.growing.cases import bootstrap_cases
from counterpoint.trees.growing.growers import Grower
from counterpoint.trees.merging.readable import readable_thresholds
from counterpoint.trees.merging.sizes import ALIKE, out_of_bag_errors, sized_trees
from counterpoint.trees.merging.soft import LEAVES
from counterpoint.trees.structure import Tree

# The most leaves of a path that chooses its size itself.
_AUTO = 32


class MeltingMixin:
    """Grows trees that differ, and keeps the best tree of every size."""

    n_estimators: int
    diversify: str | None
    max_leaf_nodes: Any
    max_features: Any
    min_samples_leaf: int
    max_depth: int | None
    readable: bool
    leaf_values: str
    shrinkage: float
    grower: str
    n_jobs: int | None
    random_state: Any
    tree_: Tree
    n_leaves_: int
    estimated_error_: float
    path_: pd.DataFrame
    _path_trees: list[Tree]
    _drawn: NDArray
    # Columns that splits are chosen from in trees that only say what rows are: those of a forest
    # know more together. None is all.
    _columns_of_judges: str | None = None

    def _make_path(self, trees, soft, rows, weight, drawn, rng, *, scale=1.0, ask=None):
        """Find the best tree of every size, and keep the one asked for.

        ``drawn`` (n_trees, n_samples) says what trees were grown on, or is None where nobody knows;
        ``scale`` multiplies costs and errors; ``ask`` gives the ensemble's answers to rows, where
        its trees do not give them by themselves.
        """
        most = _AUTO
        if self.max_leaf_nodes != "auto":  # leaves beyond the number of rows would be empty ones
            most = min(int(self.max_leaf_nodes), max(len(rows), _AUTO))
        leaves = {"leaf_values": self.leaf_values, "shrinkage": self.shrinkage}
        on = soft.judged(trees, rows, weight, rng, ask)
        sized = sized_trees(soft, on, most, rng, **leaves)
        if self.readable:
            done = {id(one): readable_thresholds(one.tree, rows) for one in sized}
            sized = [replace(one, tree=done[id(one)]) for one in sized]
        errors = np.full(most, np.nan)
        if drawn is not None:
            errors = scale * out_of_bag_errors(trees[:ALIKE], soft, weight, drawn, most)
        self.path_ = pd.DataFrame(
            {
                "leaves": [one.tree.n_leaves for one in sized],
                "cost": [scale * one.cost / on.weight.sum() for one in sized],
                "oob_error": errors,
            },
            index=pd.RangeIndex(1, most + 1, name="max_leaf_nodes"),
        )
        self._path_trees = [one.tree for one in sized]
        at = most
        if self.max_leaf_nodes == "auto" and not np.isnan(errors).all():
            at = int(np.nanargmin(errors)) + 1
        self._take_size(at)

    def _take_size(self, size):
        self.tree_ = self._path_trees[size - 1]
        self.n_leaves_ = self.tree_.n_leaves
        self.estimated_error_ = float(self.path_["cost"].iloc[size - 1])

    def at_size(self, max_leaf_nodes: int) -> Self:
        """Return the model with the tree of another size on its path.

        Parameters
        ----------
        max_leaf_nodes : int
            From 1 to the most that ``path_`` has.

        Returns
        -------
        self
            A copy, fitted; this one stays as it is.
        """
        check_is_fitted(self)
        if not hasattr(self, "_path_trees"):
            raise ValueError(
                "There is no path of sizes: fit with max_leaf_nodes='auto' or the most leaves "
                "wanted."
            )
        check_count(max_leaf_nodes, "max_leaf_nodes", high=len(self._path_trees))
        other = copy(self)
        other._take_size(max_leaf_nodes)
        return other

    def _grow_apart(self, X, y, order, weight, rng):
        """Grow trees on bootstrap samples, kept as ``_drawn``, or on some of the columns.

        ``order`` are numbers that put equal rows in the same order, whatever theirs was.
        """
        seeds = rng.randint(MAX_SEED, size=self.n_estimators)
        # The other grower has threads of its own, and one workspace.
        n_jobs = self.n_jobs if self.grower == "sklearn" else 1
        parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        if self.diversify == "features":
            grow = self._on_some_columns
            return parallel(delayed(grow)(X, y, order, weight, seed) for seed in seeds)
        used = weight > 0
        drawn = np.zeros((self.n_estimators, len(X)))
        drawn[:, used] = bootstrap_cases(X[used], order[used], weight[used], len(drawn), rng)
        if self.max_leaf_nodes is not None:
            self._drawn = drawn
        growers = [Grower(self, X, y, order, weight)] * len(drawn)
        if self.max_leaf_nodes is not None and self._columns_of_judges is not None:
            judge = Grower(self, X, y, order, weight, max_features=self._columns_of_judges)
            growers[ALIKE:] = [judge] * len(growers[ALIKE:])
        grown = parallel(
            delayed(grower.grow)(counts, seed)
            for grower, counts, seed in zip(growers, drawn, seeds, strict=True)
        )
        return [tree for tree, _ in grown]

    def _on_some_columns(self, X, y, order, weight, seed):
        rng = np.random.RandomState(seed)
        columns = np.sort(rng.choice(X.shape[1], self._n_columns(X.shape[1]), replace=False))
        tree, _ = Grower(self, X[:, columns], y, order, weight).grow(weight, rng)
        feature = np.where(tree.feature >= 0, columns[tree.feature], tree.feature)
        return replace(tree, feature=feature.astype(np.int32))

    def _n_columns(self, n):
        wanted = self.max_features
        if wanted == "sqrt":
            return max(1, int(np.sqrt(n)))
        if wanted == "log2":
            return max(1, int(np.log2(n)))
        return max(1, min(int(wanted) if isinstance(wanted, Integral) else round(wanted * n), n))

    def _check_sizes(self):
        """Check what concerns growing and the path."""
        check_count(self.n_estimators, "n_estimators")
        if not (self.max_leaf_nodes is None or is_word(self.max_leaf_nodes, "auto")):
            check_count(self.max_leaf_nodes, "max_leaf_nodes", hint=", 'auto' or None")
        check_choice(self.leaf_values, "leaf_values", LEAVES)
        check_number(self.shrinkage, "shrinkage", low=0)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth", hint=", or None for no limit")
        if isinstance(self.max_features, str) and self.max_features in ("sqrt", "log2"):
            return
        if isinstance(self.max_features, Integral):
            check_count(self.max_features, "max_features")
        else:
            hint = ", a whole number from 1, 'sqrt' or 'log2'"
            check_number(self.max_features, "max_features", low=0, open_low=True, high=1, hint=hint)
