"""The general fuzzy min-max classifier: boxes of full membership that fade outside."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from counterpoint._typing import DataLike, Target
from counterpoint._validation import check_choice
from counterpoint.base import read_labels, validate_data
from counterpoint.hyperboxes.base import (
    BoxClassifier,
    as_intervals,
    check_known,
    data_range,
    to_unit,
)
from counterpoint.hyperboxes.learning import LEARNING, Learned, learn_boxes


def _is_online(estimator):
    if estimator.learning == "online":
        return True
    raise AttributeError(
        f"learning={estimator.learning!r} needs all the data at once: partial_fit is there for "
        'learning="online".'
    )


class HyperboxClassifier(BoxClassifier):
    """GFMM, the general fuzzy min-max classifier: a few boxes for each class.

    A sample inside a box belongs to it fully. Outside, the membership falls with the side on
    which the sample sticks out most: it is 1 - gamma times that distance, at least 0. A class
    counts by its best box. The columns are scaled to [0, 1] first.

    ``learning="online"`` follows [1]_: a sample joins the box of its class that it belongs to
    most, of those whose sides stay within ``theta``, or becomes a box. A box that has grown is
    then cut free of boxes of other classes, along the side on which they overlap least.
    ``learning="agglomerative"`` is AGGLO-2 of [2]_: each sample is a box, and boxes are merged with
    the most similar box of their class (the last of equals), unless a side gets longer than
    ``theta`` or the result overlaps with a box of another class. ``learning="best-first"`` is
    AGGLO-SM of [2]_: the same, but the most similar pair of all is merged first, which takes time
    and memory for all pairs. The first two depend on the order of the rows, this one only in ties:
    of equally similar pairs the last is merged.

    Boxes of different classes share no more than faces in the end. Exceptions: online, a sample
    inside a box of another class stays a box of size 0, until it or the other grows; merging
    leaves overlaps that were there before, between intervals or samples that coincide.

    Samples without a label, which GFMM can cluster, are not taken.

    Parameters
    ----------
    theta : float, default=0.3
        Longest side of a box, above 0 and at most 1, as a share of the range of the data.
    learning : {"online", "agglomerative", "best-first"}, default="online"
        Sample by sample, or merging: box by box, or the most similar two of all.
    gamma : float or array-like of shape (n_features,), default=1.0
        How fast membership falls outside a box: at 1, to 0 over the range of the data.
    similarity : {"mid-max", "mid-min", "short", "long"}, default="mid-max"
        For merging: 1 - gamma times the gap between two boxes ("short"), the length of both
        together ("long"), or how far one sticks out of the other: the lesser ("mid-max") or the
        greater ("mid-min") of the two ways round.
    min_similarity : float, default=0.5
        For merging: boxes that are less similar are not merged.
    bounds : (low, high) or None, default=None
        Range of the data, numbers or one for each column, that becomes [0, 1]. None: that of the
        training data, with ``partial_fit`` that of the first batch. ``(0, 1)`` leaves the data
        as it is.

    Attributes
    ----------
    boxes_ : (lower, upper)
        Corners of the boxes, each of shape (n_boxes, n_features), in the units of the data; from
        -inf to inf where nothing is known.
    box_classes_ : ndarray of shape (n_boxes,)
        Their labels.
    box_weights_ : ndarray of shape (n_boxes,)
        Samples that went into each.
    box_certainty_ : ndarray of shape (n_boxes,)
        Factors of the memberships, here all 1.
    n_boxes_ : int
        Number of boxes.
    rules_ : RuleList
        The boxes as rules, the heaviest first; see :class:`counterpoint.trees.Rule`.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    data_min_, data_range_ : ndarray of shape (n_features,)
        What becomes 0, and the range that becomes 1.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    Notes
    -----
    A missing value (NaN) is not known: it fits any box, and a box that holds only such values in
    a column reaches over all of it, until a sample with a value joins.

    References
    ----------
    .. [1] B. Gabrys and A. Bargiela, "General fuzzy min-max neural network for clustering and
       classification", IEEE Transactions on Neural Networks 11(3), 2000.
    .. [2] B. Gabrys, "Agglomerative learning algorithms for general fuzzy min-max neural
       network", Journal of VLSI Signal Processing 32, 2002.
    .. [3] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       2.5.2 and 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.hyperboxes import HyperboxClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> model = HyperboxClassifier(0.5, learning="agglomerative").fit(X[["petal width"]], y)
    >>> for rule in model.rules_[:3]:
    ...     print(rule)
    if petal width <= 0.6 then 0 (50 samples)
    if petal width >= 1.8 then 2 (45 samples)
    if 1 <= petal width <= 1.4 then 1 (35 samples)
    """

    def __init__(
        self,
        theta: float = 0.3,
        *,
        learning: str = "online",
        gamma: float | ArrayLike = 1.0,
        similarity: str = "mid-max",
        min_similarity: float = 0.5,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        self.theta = theta
        self.learning = learning
        self.gamma = gamma
        self.similarity = similarity
        self.min_similarity = min_similarity
        self.bounds = bounds

    def fit(self, X: DataLike, y: Target, X_upper: DataLike = None) -> Self:
        """Learn boxes from samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is not known.
        y : array-like of shape (n_samples,)
            Labels.
        X_upper : array-like of shape (n_samples, n_features), default=None
            Upper ends, if samples are intervals and X are the lower ends.

        Returns
        -------
        HyperboxClassifier
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        self._check()
        self.classes_, codes = np.unique(read_labels(self, y), return_inverse=True)
        lower, upper = as_intervals(X, X_upper)
        return self._learn(lower, upper, codes, np.ones(len(codes)))

    def fit_boxes(
        self, lower: ArrayLike, upper: ArrayLike, y: Target, *, weights: ArrayLike | None = None
    ) -> Self:
        """Learn boxes from boxes, such as those of other models.

        Parameters
        ----------
        lower, upper : array-like of shape (n_given, n_features)
            Corners. NaN is not known. Infinite ends are cut off at the range of the others, or
            at ``bounds``.
        y : array-like of shape (n_given,)
            Labels.
        weights : array-like of shape (n_given,), default=None
            Samples in each, for ``box_weights_``. None is 1 each.

        Returns
        -------
        HyperboxClassifier
        """
        lower = validate_data(self, lower, dtype=np.float64, ensure_all_finite=False)
        self._check()
        y = read_labels(self, y)
        if len(y) != len(lower):
            raise ValueError(f"{len(lower)} boxes, but {len(y)} labels in y: give one each.")
        weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
        if weights.shape != y.shape or not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError("weights must be one number from 0 for each box.")
        lower, upper = as_intervals(lower, upper)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return self._learn(lower, upper, codes, weights)

    @available_if(_is_online)
    def partial_fit(
        self, X: DataLike, y: Target, classes: ArrayLike | None = None, X_upper: DataLike = None
    ) -> Self:
        """Go on learning from further samples.

        Parameters
        ----------
        X, y, X_upper
            As for :meth:`fit`.
        classes : array-like of shape (n_classes,), default=None
            All labels there will be; needed with the first batch.

        Returns
        -------
        HyperboxClassifier
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("Pass classes, all labels there will be, with the first batch.")
        X, y = validate_data(
            self, X, y, reset=first, dtype=np.float64, ensure_all_finite="allow-nan"
        )
        self._check()
        y = read_labels(self, y)
        if first:
            self.classes_ = np.unique(np.asarray(classes))
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes are {np.unique(classes).tolist()}, but the first batch had "
                f"{self.classes_.tolist()}: they cannot change."
            )
        codes = np.searchsorted(self.classes_, y)
        codes = np.minimum(codes, len(self.classes_) - 1)
        strange = self.classes_[codes] != y
        if strange.any():
            raise ValueError(
                f"y holds {y[strange][0]!r}, which is not among the classes "
                f"{self.classes_.tolist()} of the first batch."
            )
        lower, upper = as_intervals(X, X_upper)
        before = None
        if not first:
            before = Learned(self._lower, self._upper, self._codes, self.box_weights_)
        return self._learn(lower, upper, codes, np.ones(len(codes)), before)

    def _learn(self, lower, upper, codes, weights, before=None):
        check_known(lower, upper)
        if before is None:
            self.data_min_, self.data_range_ = data_range(lower, upper, self.bounds)
        lower, upper = to_unit(lower, upper, self.data_min_, self.data_range_)
        lower, upper = _cut_off(lower, upper)
        options = {"learning": self.learning, "boxes": before, **self._merging()}
        return self._keep(*learn_boxes(lower, upper, codes, weights, **options))

    def _check(self):
        check_choice(self.learning, "learning", LEARNING)
        self._check_box_options()


def _cut_off(lower, upper):
    """Cut infinite ends at the bounds; sides that are not known stay as they are."""
    known = lower <= upper
    lower = np.where(known & (lower == -np.inf), np.minimum(0.0, upper), lower)
    return lower, np.where(known & (upper == np.inf), np.maximum(1.0, lower), upper)
