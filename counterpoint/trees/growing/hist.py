"""Decision trees on binned columns, as scikit-learn estimators."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state

from counterpoint._typing import ClassWeight, DataLike, Seed, Target, Weights
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import check_weights, validate_data
from counterpoint.trees.binning import MAX_BINS, Binner
from counterpoint.trees.growing.categories import CategoriesMixin
from counterpoint.trees.growing.monotone import read_directions
from counterpoint.trees.growing.prepared import GrownClassifierMixin, GrownTreeMixin, PreparedRows
from counterpoint.trees.growing.workspace import MAX_CLASSES, GrowWorkspace, grow
from counterpoint.trees.single import TreeMixin


class _HistTree(GrownTreeMixin, TreeMixin, BaseEstimator):
    """What the two trees share: checks, binning, growing."""

    _input_dtype = [np.float64, np.float32]  # noqa: RUF012
    min_weight_leaf = 0.0
    is_categorical_: Any = None
    takes_rows = True  # `prepare` bins some rows of a table without a copy

    def _bin(self, X, sample_weight, *, codes=None, target=None, class_factor=None, among=None):
        weight = check_weights(sample_weight, X if among is None else among[:, None])
        if class_factor is not None:
            weight = class_factor if weight is None else weight * class_factor
        rows = None
        if weight is not None and (weight == 0).any():
            # No weight, no say: neither in the bins nor in the numbers of samples.
            rows = weight > 0
        binner = Binner(self.max_bins, self.is_categorical_)
        if among is not None and rows is None:
            X = binned = binner.fit_transform(X, among)
        else:
            X = X if among is None else X[among]
            binned = binner.fit_transform(X if rows is None else X[rows])
        n_classes = None if codes is None else len(self.classes_)
        own = codes if codes is None or rows is None else codes[rows]
        workspace = GrowWorkspace(binned, own, n_classes=n_classes)
        return PreparedRows(X, workspace, weight, class_factor, codes, target, rows)

    def fit_prepared(
        self,
        data: Any,
        sample_weight: Weights = None,
        target: NDArray | None = None,
        rows: NDArray | None = None,
    ) -> Self:
        """Grow the tree on what ``prepare`` of this tree, or of one with the same parameters, made.

        ``sample_weight`` and the ``target`` of a regressor take the place of those given there;
        ``rows`` are the positions of those to grow it on, None for all.
        """
        weight = data.weigh(sample_weight)
        target = data.target if target is None else target
        grower, kept = data.grower, data.rows
        if rows is not None:
            if kept is not None:
                rows = rows[kept[rows]]
                grower = grower.take((np.cumsum(kept) - 1)[rows])
            else:
                grower = grower.take(rows)
            kept = rows
        if kept is not None:
            weight = None if weight is None else weight[kept]
            target = None if target is None else target[kept]
        least = self.min_weight_leaf
        if self.min_weight_fraction_leaf > 0:
            least = max(self.min_weight_fraction_leaf * grower.total_weight(weight), least)
        self.tree_ = grow(
            grower,
            weight,
            target=target,
            criterion=self.criterion,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_leaf=least,
            min_impurity_decrease=self.min_impurity_decrease,
            **self._further(data),
        )
        # With rows of no weight left out it is not known which of the others are where.
        known = data.rows is None
        data.remember(self.tree_, grower.leaf if known else None, rows if known else None)
        return self

    def _further(self, data):
        """Return what else there is to say to the grower."""
        return {}

    def _check(self):
        check_choice(self.criterion, "criterion", self._criteria)
        for name, low in {"max_depth": 1, "max_leaf_nodes": 2}.items():
            if getattr(self, name) is not None:
                check_count(getattr(self, name), name, low=low, hint=", or None for no limit")
        check_count(self.min_samples_split, "min_samples_split", low=2)
        check_count(self.min_samples_leaf, "min_samples_leaf")
        check_number(self.min_impurity_decrease, "min_impurity_decrease", low=0)
        check_number(self.min_weight_fraction_leaf, "min_weight_fraction_leaf", low=0, high=0.5)


class HistTreeClassifier(GrownClassifierMixin, ClassifierMixin, _HistTree):
    """Decision tree on columns cut into at most 255 bins.

    Built for ensembles that grow many trees on the same rows with other weights: ``prepare`` reads
    and bins the rows once, ``fit_prepared`` grows a tree on them, and ``fit`` is one after the
    other. On columns with at most ``max_bins`` distinct values it makes the splits that
    scikit-learn's tree makes; the first of equally good splits is taken, by column and then by
    threshold, so that nothing is random. Missing values (NaN) go to the side that is better for
    each split; where a split saw none, to the side with more samples.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default="gini"
        Impurity that a split lowers.
    max_depth : int or None, default=None
        Most splits on a path.
    max_leaf_nodes : int or None, default=None
        Most leaves; the best splits are then made first.
    min_samples_split : int, default=2
        A node with fewer samples is a leaf.
    min_samples_leaf : int, default=1
        Fewest samples in a leaf.
    min_weight_fraction_leaf : float, default=0.0
        Least share of all weight in a leaf, from 0 to 0.5.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity by a split, times the node's share of all weight.
    max_bins : int, default=255
        Most bins of a column, from 2 to 255, missing values not counted.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with ``sample_weight``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. At most 256.
    tree_ : Tree
        The tree as arrays: ``children_left``, ``children_right``, ``feature``, ``threshold``,
        ``missing_go_to_left``, ``value``, ``n_node_samples`` and others.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree",
       NIPS 2017: histograms and the difference of siblings.
    .. [2] L. Breiman et al., "Classification and Regression Trees", 1984.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = HistTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.get_n_leaves(), round(tree.score(X, y), 2)
    (3, 0.96)
    """

    _criteria = ("gini", "entropy")

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_bins: int = MAX_BINS,
        class_weight: ClassWeight = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.class_weight = class_weight

    def _prepare(self, X, codes, sample_weight, class_factor, **rows):
        if len(self.classes_) > MAX_CLASSES:
            raise ValueError(
                f"y holds {len(self.classes_)} classes, and a tree on bins takes {MAX_CLASSES}: if "
                "y is a number to be predicted, use HistTreeRegressor."
            )
        return self._bin(X, sample_weight, codes=codes, class_factor=class_factor, **rows)

    def predict(self, X: DataLike) -> NDArray:
        """Return the heaviest class of the leaf reached, the first of equals, (n_samples,)."""
        votes = self._walk(X, "votes")
        return self.classes_[votes]


class HistTreeRegressor(CategoriesMixin, RegressorMixin, _HistTree):
    """Regression tree on columns cut into at most 255 bins; squared error.

    See :class:`HistTreeClassifier` for what bins, missing values and ties mean.

    A column of categories is parted in two sets. At each node its categories are sorted by their
    mean target, drawn to the node's by a weight of 10, and cut where that is best. So that many or
    rare ones do not lead by chance, 10 is added to ``l2_regularization`` when the cut is judged
    (LightGBM's cat_smooth and cat_l2, [2]_), and it must bring half the mean squared deviation of
    the node's rows, whatever their weight, for each category beyond two: about what sorting brings
    where there is nothing to be found. For squared error no other two sets would be better, were
    nothing added ([3]_). A category that a split has not seen goes where missing values go: to the
    side that is better, or, where none was missing, to that with more weight.

    Parameters
    ----------
    criterion : {"squared_error"}, default="squared_error"
        Impurity that a split lowers.
    max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf
        As for :class:`HistTreeClassifier`.
    min_weight_fraction_leaf, min_impurity_decrease, max_bins
        Likewise.
    min_weight_leaf : float, default=0.0
        Least weight in a leaf, where ``min_weight_fraction_leaf`` asks for a share.
    l2_regularization : float, default=0.0
        Added to the weight of a leaf when its value is worked out, which draws the value towards
        0; splits are chosen by what is then gained, and not made where that is less than nothing
        (Chen and Guestrin 2016, eq. 7).
    max_features : float, default=1.0
        Share of the columns, drawn at random, that the tree may split on.
    categorical_features : "from_dtype", array-like or None, default=None
        Which columns hold categories: their positions, names, or a mask; "from_dtype" takes those
        of strings, categories, objects and booleans in a pandas or polars frame. Such columns are
        numbered for you, and of more than 255 values the rarest share a number; others hold whole
        numbers from 0 to 254. NaN is missing. What ``predict`` is given and ``fit`` was not counts
        as missing.
    monotonic_cst : array-like of int, dict or None, default=None
        For each column, or by names of columns: 1 if answers must rise with it or stay, -1 if they
        must fall or stay, 0 if they are free. Below a split on such a column no value crosses the
        middle of its two sides, and splits are chosen by what is then gained. Not for categories.
    random_state : int, RandomState instance or None, default=None
        Draws the columns.

    Attributes
    ----------
    tree_ : Tree
        The tree as arrays, see :class:`HistTreeClassifier`; ``categories`` holds the sets that go
        left.
    is_categorical_ : ndarray of shape (n_features,) or None
        Whether each column holds categories.
    categories_ : list or None
        For each column of names its values in the order of their numbers, else None.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] T. Chen and C. Guestrin, "XGBoost: A scalable tree boosting system", KDD 2016.
    .. [2] G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree", NIPS 2017.
    .. [3] W. D. Fisher, "On grouping for maximum homogeneity", JASA 53, 1958.

    Examples
    --------
    >>> from counterpoint.trees import HistTreeRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]
    >>> HistTreeRegressor(max_depth=1).fit(X, y).predict([[0.4], [2.2]]).tolist()
    [1.0, 6.0]
    >>> import pandas as pd
    >>> X = pd.DataFrame({"colour": ["red", "green", "blue", "red"] * 10})
    >>> tree = HistTreeRegressor(max_depth=1, categorical_features="from_dtype")
    >>> tree.fit(X, [1.0, 5.0, 1.0, 1.0] * 10).predict(X[:3]).tolist()
    [1.0, 5.0, 1.0]
    """

    _criteria = ("squared_error",)

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        max_leaf_nodes: int | str | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_bins: int = MAX_BINS,
        min_weight_leaf: float = 0.0,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        categorical_features: str | ArrayLike | None = None,
        monotonic_cst: ArrayLike | dict | None = None,
        random_state: Seed = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.min_weight_leaf = min_weight_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.random_state = random_state

    def _check(self):
        super()._check()
        check_number(self.min_weight_leaf, "min_weight_leaf", low=0)
        check_number(self.l2_regularization, "l2_regularization", low=0)
        check_number(self.max_features, "max_features", low=0, high=1, open_low=True)

    def _bin(self, X, sample_weight, **options):
        names = getattr(self, "feature_names_in_", None)
        directions = read_directions(self.monotonic_cst, X.shape[1], names, self.is_categorical_)
        data = super()._bin(X, sample_weight, **options)
        data.is_random, data.directions = self.max_features < 1, directions
        return data

    def _further(self, data):
        columns = None
        if self.max_features < 1:
            n = data.grower.binned.n_features
            columns = np.zeros(n, dtype=bool)
            wanted = max(1, round(self.max_features * n))
            columns[check_random_state(self.random_state).permutation(n)[:wanted]] = True
        return {
            "l2": self.l2_regularization,
            "columns": columns,
            "directions": data.directions,
        }

    def prepare(
        self, X: DataLike, y: Target = None, sample_weight: Weights = None, *, among: Any = None
    ) -> Any:
        """Read and bin the training rows, once for all trees that are grown on them.

        ``y`` None: ``fit_prepared`` is given other numbers each time. Then ``among`` may hold the
        positions of the rows to train on, where X has others too: they are binned without a copy.
        """
        self._check()
        options = {"dtype": self._input_dtype, "ensure_all_finite": "allow-nan"}
        X = self._learn_categories(X)
        if y is None:
            return self._bin(validate_data(self, X, **options), sample_weight, among=among)
        X, y = validate_data(self, X, y, y_numeric=True, **options)
        return self._bin(X, sample_weight, target=np.asarray(y, dtype=np.float64))

    def read_rows(self, X: DataLike) -> NDArray:
        """Return samples as the array of numbers that the tree is asked about."""
        return super().read_rows(self._code_categories(X))

    def predict(self, X: DataLike) -> NDArray:
        """Return the mean target of the leaf reached, (n_samples,)."""
        return self._walk(X, "values")
