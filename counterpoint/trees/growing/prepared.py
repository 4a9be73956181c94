"""Training rows made ready once, for trees by one weight after another.

``fit`` is ``prepare``, then ``fit_prepared``; an ensemble calls the first once for all its trees.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_sample_weight

from counterpoint._arrays import code_type
from counterpoint._kernels.threads import threads_for
from counterpoint._kernels.votes import votes_of_leaves
from counterpoint._reading import is_store, need_memory, train_on
from counterpoint._typing import DataLike, Target, Weights
from counterpoint.base import need_target, read_labels, validate_data
from counterpoint.trees.binning import BinnedData
from counterpoint.trees.ensemble import leaves_of
from counterpoint.trees.single import SingleTreeMixin
from counterpoint.trees.structure import Tree


@dataclass
class PreparedRows:
    """Rows that were read, checked and binned, and what a tree must know of them."""

    X: NDArray | BinnedData  # to find the leaves of all rows in any tree
    grower: Any  # GrowWorkspace or Grower
    weight: NDArray | None = None  # given to prepare, times those of the classes; None: all 1
    class_factor: NDArray | None = None  # weight of each sample's class
    codes: NDArray | None = None
    target: NDArray | None = None
    rows: NDArray | None = None  # those with a weight, if not all: others are in no bin or count
    is_random: bool = False  # whether the same weights may give another tree
    directions: NDArray | None = None  # where answers must rise, 1, or fall, -1, with a column
    _last: tuple = (None, None, None)

    def weigh(self, sample_weight: NDArray | None) -> NDArray | None:
        """Return the weights of all rows, with those of the classes; None is as prepared."""
        if sample_weight is None:
            return self.weight
        return sample_weight if self.class_factor is None else sample_weight * self.class_factor

    def remember(self, tree: Tree, leaf: NDArray | None, rows: NDArray | None = None) -> None:
        """Note the leaves in the tree grown last, if known: of ``rows``, sorted; None for all."""
        self._last = (tree, leaf, rows)

    @property
    def has_bins(self) -> bool:
        """Whether the grower knows the bins of every row, and some of them can do without it."""
        return self.rows is None and hasattr(self.grower, "some")

    def some(self, rows: NDArray) -> "PreparedRows | None":
        """Return some rows, by their positions, in the same bins; None where that is no saving."""
        if not self.has_bins:
            return None
        own: dict[str, Any] = {
            name: None if array is None else array[rows]
            for name in ("weight", "class_factor", "codes", "target")
            for array in [getattr(self, name)]
        }
        grower = self.grower.some(rows, own["codes"])
        return replace(self, X=grower.binned, grower=grower, _last=(None, None, None), **own)

    def leaves(self, tree: Tree) -> NDArray:
        """Return the leaf of every row."""
        last, known, rows = self._last
        if last is not tree or known is None:
            return leaves_of(tree, self.X)
        if rows is None:
            return known
        # The others are looked up by their bins: those are in one byte each.
        others = np.ones(self.grower.binned.n_samples, dtype=bool)
        others[rows] = False
        leaf = leaves_of(tree, self.grower.binned, others.nonzero()[0])
        leaf[rows] = known
        return leaf


class GrownTreeMixin:
    """One tree in ``tree_`` that is grown by weight: what classifiers and regressors share."""

    tree_: Tree

    @property
    def shares_work(self) -> bool:
        """Whether ``prepare`` saves work when many trees are grown on the same rows."""
        return True

    def fit(
        self, X: DataLike, y: Target = None, sample_weight: Weights = None, *, client: Any = None
    ) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is missing. Or a :class:`counterpoint.large.BinnedStore`, which has the
            targets and weights too.
        y : array-like of shape (n_samples,)
            Labels, or numbers for a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Samples of weight 0 are left out.
        client : distributed.Client, default=None
            For a store: the workers that add up its rows. None: this process.

        Returns
        -------
        self
        """
        if is_store(X):
            return train_on(X, self, y, sample_weight, client=client)
        need_memory(client)
        need_target(self, y)
        return self.fit_prepared(self.prepare(X, y, sample_weight))  # type: ignore[attr-defined]

    def _with_tree(self, tree, classes=None):
        """Return a copy of this estimator that holds a tree grown elsewhere."""
        made: Any = copy(self)
        made.tree_ = tree
        if classes is not None:
            made.classes_ = classes
        return made

    def predict_prepared(self, data: PreparedRows, *, proba: bool = False) -> Any:
        """Return class codes of the prepared rows, and shares or None; of a regressor numbers."""
        leaf = data.leaves(self.tree_)
        value = self.tree_.value
        if data.codes is None:
            return value[:, 0].take(leaf)
        labels = value.argmax(axis=1).astype(code_type(value.shape[1]))
        with threads_for(len(leaf)):
            votes = votes_of_leaves(labels, leaf)
        if not proba:
            return votes, None
        shares = value[leaf]
        return votes, shares / shares.sum(axis=1, keepdims=True)


class GrownClassifierMixin(GrownTreeMixin, SingleTreeMixin):
    """A tree for classes; a subclass checks its options by ``_check``, and bins in ``_prepare``."""

    class_weight: Any
    _check: Callable[[], None]
    _prepare: Callable[..., PreparedRows]

    def prepare(
        self,
        X: DataLike,
        y: Target,
        sample_weight: Weights = None,
        *,
        classes: Any = None,
        **rows: Any,
    ) -> Any:
        """Read and bin the training rows, once for all trees that are grown on them.

        ``y`` are class codes if ``classes``, sorted, are given; some of these may have no sample
        here. Where a tree counts cases, whole weights count as copies, others are scaled to sum to
        the number of samples; that many cases all weights given to ``fit_prepared`` stand for. A
        tree that ``takes_rows`` may be given ``among`` with ``classes``: positions of the rows of X
        to train on, which are those of ``y`` and the weights.
        """
        self._check()
        options = {"dtype": self._input_dtype, "ensure_all_finite": "allow-nan"}
        if classes is None:
            X, y = validate_data(self, X, y, **options)
            self.classes_, codes = np.unique(read_labels(self, y), return_inverse=True)
        else:
            X, self.classes_, codes = validate_data(self, X, **options), classes, y
        factor = None
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, self.classes_[codes])
        return self._prepare(X, codes, sample_weight, factor, **rows)
