"""A tree that splits on random sums of a few columns, the member of Forest-RC."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels import oblique as kernels
from counterpoint._soundness import check_positions, check_shape
from counterpoint._typing import DataLike, Seed, Target, Weights
from counterpoint._validation import check_count
from counterpoint.base import check_weights, read_labels, validate_data
from counterpoint.trees.single import SharesMixin
from counterpoint.trees.structure import check_children
from counterpoint.views.scaling import centre_and_scale

_UNLIMITED = np.iinfo(np.int32).max
# Sums are drawn for so many nodes at first, and then at a time: always the same, so that a row of
# weight 2 and two rows lead to the same tree.
_FIRST_DRAWS, _MORE_DRAWS, _FIRST_NODES = 64, 2048, 1024


@dataclass(kw_only=True)
class CombinationTree:
    """A tree of sums of columns as arrays; node 0 is the root.

    Sums are of columns less ``centre``, over ``scale``. ``left`` is the left child, -1 at a
    leaf; the right child comes next. A sample goes left if its sum is at most ``threshold``.
    """

    centre: NDArray
    scale: NDArray
    left: NDArray
    features: NDArray
    coefficients: NDArray
    threshold: NDArray
    value: NDArray
    depth: NDArray

    def _check_sound(self):
        n, terms = len(self.left), self.features.shape
        inner = self.left >= 0
        right = np.where(inner, self.left.astype(np.int64) + 1, -1)
        check_children(np.where(inner, self.left, -1), right, "A tree of sums")
        check_positions(self.features[inner], "features", len(self.centre))
        check_shape(self.features, "features", (n, *terms[1:2]))
        check_shape(self.coefficients, "coefficients", terms)
        check_shape(self.threshold, "threshold", (n,))
        check_shape(self.value, "value", (n, *self.value.shape[1:2]))

    def scaled(self, X) -> NDArray:
        """Return samples on the common scale on which sums are taken."""
        with np.errstate(over="ignore"):
            scaled = ((X - self.centre) / self.scale).astype(np.float32)
        if not np.isfinite(scaled).all():
            raise ValueError(
                "X holds values so far from those seen in training, by the spread of their "
                "column, that they are too large for dtype('float32')."
            )
        return scaled

    def leaves(self, scaled) -> NDArray:
        """Return the leaf of each sample on the common scale, (n_samples,)."""
        return kernels.leaves_of(
            scaled, self.left, self.features, self.coefficients, self.threshold
        )

    def shares(self) -> NDArray:
        """Return the shares of the classes in the weight of each node."""
        return self.value / self.value.sum(axis=1, keepdims=True)


class CombinationTreeClassifier(SharesMixin, ClassifierMixin, BaseEstimator):
    """Decision tree whose splits are random sums of columns: the member of Forest-RC.

    At every node ``n_combinations`` sums are drawn, each of ``n_terms`` columns with
    coefficients uniform in [-1, 1], and the best threshold of the best of them splits the node
    (Gini). Columns are first centred and divided by their standard deviation: sums of metres and
    grams mean nothing. Nodes of more than 128 rows try the edges of 256 bins of the sum
    instead of every threshold.

    Parameters
    ----------
    n_combinations : int or None, default=None
        Sums tried at each node; None is log2(number of columns) + 1.
    n_terms : int or None, default=None
        Columns in a sum; None is 3, or all if there are fewer.
    max_depth : int or None, default=None
        Most splits on a path.
    min_samples_split : int, default=2
        A node with fewer samples is a leaf.
    min_samples_leaf : int, default=1
        Fewest samples in a leaf.
    random_state : int, RandomState instance or None, default=None
        Draws the sums.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    combination_tree_ : CombinationTree
        The tree as arrays.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 2001, section 5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import CombinationTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CombinationTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        *,
        n_combinations: int | None = None,
        n_terms: int | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        random_state: Seed = None,
    ) -> None:
        self.n_combinations = n_combinations
        self.n_terms = n_terms
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target, sample_weight: Weights = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative. Samples of weight 0 are left out.

        Returns
        -------
        CombinationTreeClassifier
        """
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        self.classes_, codes = np.unique(read_labels(self, y), return_inverse=True)
        weight = check_weights(sample_weight, X)
        weight = np.ones(len(X)) if weight is None else weight
        self._check(X.shape[1])
        rng = check_random_state(self.random_state)
        centre, scale = centre_and_scale(X, weight)
        columns = columns_of(X, centre, scale)
        self.combination_tree_ = self._grow(
            columns, codes.astype(np.int32), weight, centre, scale, rng
        )
        return self

    def _check(self, n_features):
        if self.n_combinations is not None:
            check_count(self.n_combinations, "n_combinations", hint=", or None")
        if self.n_terms is not None:
            hint = ", the number of columns, or None"
            check_count(self.n_terms, "n_terms", high=n_features, hint=hint)
        if self.max_depth is not None:
            check_count(self.max_depth, "max_depth", hint=", or None for no limit")
        check_count(self.min_samples_split, "min_samples_split", low=2)
        check_count(self.min_samples_leaf, "min_samples_leaf")

    def _grow(self, columns, y, weight, centre, scale, rng):
        d = len(columns)
        n_tries = int(math.log2(d)) + 1 if self.n_combinations is None else self.n_combinations
        n_terms = min(3, d) if self.n_terms is None else self.n_terms
        rows = np.flatnonzero(weight > 0).astype(np.int32)
        nodes = _Nodes(n_terms, len(self.classes_), len(rows))
        features, coefficients = _draw(rng, _FIRST_DRAWS, n_tries, n_terms, d)
        while True:
            kernels.grow(
                columns, y, weight, rows, features, coefficients,
                _UNLIMITED if self.max_depth is None else self.max_depth,
                self.min_samples_split, self.min_samples_leaf, *nodes.arrays(),
            )  # fmt: skip
            status = nodes.state[kernels.STATUS]
            if status == kernels.MORE_DRAWS:
                features, coefficients = _draw(rng, _MORE_DRAWS, n_tries, n_terms, d)
                nodes.state[kernels.N_USED] = 0
            elif status == kernels.MORE_NODES:
                nodes.reserve(2 * len(nodes.left))
            else:
                return nodes.tree(centre, scale)

    def apply(self, X: DataLike) -> NDArray:
        """Return the leaf that each sample reaches, (n_samples,) int32."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self.combination_tree_.leaves(self.combination_tree_.scaled(X))

    def predict_proba(self, X: DataLike) -> NDArray:
        """Return the shares of the classes in the leaf reached, (n_samples, n_classes)."""
        leaves = self.apply(X)
        return self.combination_tree_.shares()[leaves]

    def get_depth(self) -> int:
        """Return the number of splits on the longest path."""
        check_is_fitted(self)
        return int(self.combination_tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return int((self.combination_tree_.left < 0).sum())


class _Nodes:
    """Room for the nodes of a growing tree."""

    # What there is a row a node of, in the order the kernel takes them.
    names = ("left", "spans", "depth", "features", "coefficients", "threshold", "value")

    def __init__(self, n_terms, n_classes, n_rows):
        self.state = np.array([1, 1, 0, 0], dtype=np.int64)
        self.stack = np.zeros(1, dtype=np.int64)
        self.left = np.zeros(0, dtype=np.int32)
        self.spans = np.zeros((0, 2), dtype=np.int64)
        self.depth = np.zeros(0, dtype=np.int32)
        self.features = np.zeros((0, n_terms), dtype=np.int32)
        self.coefficients = np.zeros((0, n_terms), dtype=np.float32)
        self.threshold = np.zeros(0, dtype=np.float32)
        self.value = np.zeros((0, n_classes))
        self.reserve(min(_FIRST_NODES, 2 * n_rows + 1))
        self.spans[0] = 0, n_rows

    def arrays(self):
        """Return them in the order the kernel takes them."""
        return self.state, self.stack, *(getattr(self, name) for name in self.names)

    def reserve(self, n):
        """Make room for n nodes."""
        for name in self.names:
            old = getattr(self, name)
            new = np.zeros((n, *old.shape[1:]), dtype=old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)
        # A node is open together with siblings of those above it: never more than there are nodes.
        self.stack = np.concatenate([self.stack, np.zeros(n, dtype=np.int64)])

    def tree(self, centre, scale):
        """Return the finished tree, without the room left over."""
        n = self.state[kernels.N_NODES]
        arrays = {name: getattr(self, name)[:n].copy() for name in self.names if name != "spans"}
        return CombinationTree(centre=centre, scale=scale, **arrays)


def columns_of(X, centre, scale):
    """Return the columns on a common scale, one after the other, (n_features, n_samples)."""
    columns = np.empty(X.shape[::-1], dtype=np.float32)
    for f in range(len(columns)):  # a column at a time: no second copy of X as float64
        columns[f] = (X[:, f] - centre[f]) / scale[f]
    return columns


def _draw(rng, n_draws, n_tries, n_terms, n_features):
    """Columns without repeats (Floyd's algorithm, all sums at once) and their coefficients."""
    shape = (n_draws, n_tries, n_terms)
    features = np.empty(shape, dtype=np.int32)
    for t in range(n_terms):
        last = n_features - n_terms + t
        drawn = rng.randint(last + 1, size=shape[:2])
        taken = (features[:, :, :t] == drawn[:, :, None]).any(axis=2)
        features[:, :, t] = np.where(taken, last, drawn)
    return features, rng.uniform(-1, 1, size=shape).astype(np.float32)
