"""What every classifier that is one tree can do with it."""

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from counterpoint._soundness import check_shape
from counterpoint._typing import DataLike
from counterpoint.base import validate_data
from counterpoint.trees.convert import as_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.rules.rule import RuleList, tree_rules
from counterpoint.trees.structure import Tree


class TreeMixin:
    """Answers from ``tree_``, one fitted :class:`Tree`."""

    tree_: Tree
    # What samples are rounded to before they meet thresholds, as in scikit-learn's trees.
    _input_dtype: type | list = np.float32
    _takes_missing = True

    def _check_sound(self):
        if hasattr(self, "n_features_in_") and not isinstance(getattr(self, "tree_", None), Tree):
            raise ValueError("its tree is missing")

    def read_rows(self, X: DataLike) -> NDArray:
        """Return samples as the array of numbers that the tree is asked about."""
        check_is_fitted(self)
        finite = "allow-nan" if self._takes_missing else True
        return validate_data(
            self, X, reset=False, dtype=self._input_dtype, ensure_all_finite=finite
        )

    def _walk(self, X, kind) -> NDArray:
        """Return what the tree says of each sample: see :func:`predict_trees`."""
        X = self.read_rows(X)
        return predict_trees(stack_trees([self.tree_]), X, kind=kind)[0]

    def apply(self, X: DataLike) -> NDArray:
        """Return the leaf that each sample reaches, a node of ``tree_``: (n_samples,), int32."""
        return self._walk(X, "leaves")

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = self._takes_missing
        return tags


class SharesMixin:
    """Decides by ``predict_proba``, the shares of classes among training samples."""

    classes_: NDArray

    def predict_proba(self, X: DataLike) -> NDArray:
        """Return a share for each class, (n_samples, n_classes)."""
        raise NotImplementedError

    def predict(self, X: DataLike) -> NDArray:
        """Return the class with the greatest share, the first of equals, (n_samples,)."""
        share = self.predict_proba(X)
        return self.classes_[share.argmax(axis=1)]

    def predict_log_proba(self, X: DataLike) -> NDArray:
        """Return the logarithm of :meth:`predict_proba`; -inf where it is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class SingleTreeMixin(SharesMixin, TreeMixin):
    """A tree for ``classes_``."""

    n_features_in_: int

    def _check_sound(self):
        super()._check_sound()
        tree = getattr(self, "tree_", None)
        if tree is not None:
            check_shape(tree.value, "value", (tree.node_count, len(self.classes_)))

    def predict_proba(self, X: DataLike) -> NDArray:
        """Return shares of classes in the weight of the leaf reached, (n_samples, n_classes)."""
        leaf = self.apply(X)
        weight = self.tree_.value[leaf]
        return weight / weight.sum(axis=1, keepdims=True)

    @property
    def rules_(self) -> RuleList:
        """The tree as rules, the one with most support first; only for splits on columns."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return tree_rules(self.tree_, self.classes_, names)

    def as_sklearn(self) -> DecisionTreeClassifier:
        """Return a ``DecisionTreeClassifier``, for ``plot_tree`` and so on; no oblique splits."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return as_sklearn(self.tree_, self.classes_, self.n_features_in_, names)
