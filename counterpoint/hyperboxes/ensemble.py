"""A few boxes out of an ensemble of trees, from the overlaps of its leaves."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from counterpoint import _members, _tables
from counterpoint._kernels import hyperboxes as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._reading import thin_rows
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_choice, check_count, check_number, check_pool
from counterpoint.base import (
    BaseEnsemble,
    check_weights,
    draw_seed,
    fit_member,
    read_labels,
    validate_data,
)
from counterpoint.hyperboxes.base import BoxClassifier, data_range, to_unit
from counterpoint.hyperboxes.learning import agglomerate
from counterpoint.trees.boxes import box_volumes
from counterpoint.trees.cells import all_cells, cells_at, sample_overlaps
from counterpoint.trees.take import take_trees

_BOXES = ("data", "all", "largest", "sample")
_DRAWS = 10  # overlaps drawn for each of the largest that are kept


class HyperboxEnsembleClassifier(BoxClassifier, BaseEnsemble):
    """Turn an ensemble of trees into a few labelled boxes.

    The leaves of the trees cut the space into cells, overlaps of one leaf of each tree, in which
    the ensemble says one thing. Some of these boxes, those that the trees agree on, become a
    fuzzy min-max classifier: as they are, or merged with their neighbours as in
    :class:`HyperboxClassifier`. Follows [1]_, section 5.3.1.

    Parameters
    ----------
    pool : classifier, list of trees, TreeEnsemble or None, default=None
        An ensemble of trees, see :func:`counterpoint.trees.take_trees`. One that is not
        fitted, as after ``clone`` or in a grid search, is fitted first. None is 20 bagged trees.
    boxes : {"data", "all", "largest", "sample"}, default="data"
        Which overlaps. "data": those that hold training samples. "all": every one, where there
        are not too many. "sample": ``n_boxes`` drawn roughly evenly, doubles dropped. "largest":
        of ten times as many drawn, and above the threshold, the ``n_boxes`` largest by volume
        within the range of the data.
    n_boxes : int, default=1000
        For "largest" and "sample": how many.
    threshold : float, default=0.0
        Keep boxes where the share of the score for the winner is above this. With more than two
        classes a high one may leave a class without boxes.
    weighting : {None, "certainty"}, default=None
        Multiply memberships with that share.
    agglomerate : bool, default=True
        Merge boxes of equal classes as long as they overlap with no box of another class.
    theta : float, default=1.0
        For merging: longest side of a box, as a share of the range of the data. Leaves seldom
        cut all columns, so that less than 1 leaves most boxes alone.
    gamma : float or array-like of shape (n_features,), default=1.0
        How fast membership falls outside a box: at 1, to 0 over the range of the data.
    similarity : {"mid-max", "mid-min", "short", "long"}, default="short"
        For merging, see :class:`HyperboxClassifier`. With "short" boxes that touch come first.
    min_similarity : float, default=0.0
        For merging: boxes that are less similar are not merged.
    max_boxes : int, default=100_000
        For "all": refuse to work with more. Their number can grow exponentially with the trees.
    max_samples : int or None, default=10_000
        For "data": most training samples whose overlaps are taken; of more, so many are drawn by
        lot, every class in its share, with a ``ThinnedWarning``. Trees are fitted to all. Nearly
        every sample has an overlap of its own, and merging them looks at all pairs. None takes all.
    random_state : int, RandomState instance or None, default=None
        Seeds the default ensemble, those without a seed of their own, and the draws.

    Attributes
    ----------
    pool_ : classifier, list of trees or TreeEnsemble
        The fitted ensemble.
    boxes_ : (lower, upper)
        Corners of the boxes, each of shape (n_boxes, n_features), in the units of the data; -inf
        and inf where there is no edge.
    box_classes_ : ndarray of shape (n_boxes,)
        Their labels.
    box_weights_ : ndarray of shape (n_boxes,)
        Training samples in each of the overlaps that it was made of; with more samples than
        ``max_samples``, those of the sample.
    box_certainty_ : ndarray of shape (n_boxes,)
        Factors of the memberships: 1, or the share of the score for the winner; for merged boxes
        its mean, by samples (plus one, for boxes without any).
    n_overlaps_ : int
        Overlaps before merging.
    n_boxes_, rules_, classes_, data_min_, data_range_, n_features_in_, feature_names_in_
        As for :class:`HyperboxClassifier`.

    See Also
    --------
    HyperboxClassifier : Learns boxes from the data.
    counterpoint.trees.EnsembleTreeClassifier : One tree out of the same overlaps.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       5.3.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.hyperboxes import HyperboxEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = HyperboxEnsembleClassifier(threshold=0.7, random_state=0).fit(X, y)
    >>> model.n_boxes_ < model.n_overlaps_
    True
    """

    _takes_missing = False  # a sample with missing values is in no overlap of leaves

    def __init__(
        self,
        pool: Pool = None,
        *,
        boxes: str = "data",
        n_boxes: int = 1000,
        threshold: float = 0.0,
        weighting: str | None = None,
        agglomerate: bool = True,
        theta: float = 1.0,
        gamma: float | ArrayLike = 1.0,
        similarity: str = "short",
        min_similarity: float = 0.0,
        max_boxes: int = 100_000,
        max_samples: int | None = 10_000,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.boxes = boxes
        self.n_boxes = n_boxes
        self.threshold = threshold
        self.weighting = weighting
        self.agglomerate = agglomerate
        self.theta = theta
        self.gamma = gamma
        self.similarity = similarity
        self.min_similarity = min_similarity
        self.max_boxes = max_boxes
        self.max_samples = max_samples
        self.random_state = random_state

    def _learners(self):
        unfitted = hasattr(self.pool, "fit") and not _members.is_fitted(self.pool)
        return {"pool": self.pool} if unfitted else {}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the ensemble, unless it is, and take boxes out of it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, without missing values.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Passed on to the ensemble; samples of weight 0 are left out. Boxes count samples, not
            weights.

        Returns
        -------
        HyperboxEnsembleClassifier
        """
        check_pool(self.pool, owner=type(self).__name__)
        frame = X
        X, y = validate_data(self, X, y, dtype=np.float64)
        self._check()
        y = read_labels(self, y)
        weight = check_weights(sample_weight, X)
        if weight is not None and not weight.all():
            rows = np.flatnonzero(weight)
            frame = _tables.select_rows(frame if hasattr(frame, "columns") else X, rows)
            X, y, weight = X[rows], y[rows], weight[rows]
        rng = check_random_state(self.random_state)
        self.pool_ = self._fitted(frame, y, weight, rng)
        trees = take_trees(self.pool_)
        if trees.kind == "scores":
            raise TypeError(
                f"What the trees of a {type(self.pool_).__name__} say sums up to a score: they "
                "do not vote, and how far they agree has no meaning. Pass bagged trees or a forest."
            )
        if trees.n_features != X.shape[1]:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the ensemble was fitted on {trees.n_features}."
            )
        self.classes_ = trees.classes
        self.data_min_, self.data_range_ = data_range(X, X, None)
        if self.boxes == "data":
            sample = thin_rows(self, y, "taking overlaps")
            X = X if sample is None else X[sample]
        lower, upper, scores = self._overlaps(trees, X, rng)
        agreement = _winners_share(scores)
        kept = np.flatnonzero(agreement > self.threshold)
        if not len(kept):
            raise ValueError(
                f"threshold={self.threshold} leaves none of {len(scores)} boxes: the trees agree "
                f"to {agreement.max():.3g} at most. Choose a lower one."
            )
        if self.boxes == "largest":
            kept = kept[self._largest(lower[kept], upper[kept])]
        lower, upper, agreement = lower[kept], upper[kept], agreement[kept]
        codes = scores[kept].argmax(axis=1)
        with threads_for(X.size * len(lower)):
            # Trees round samples before they compare them.
            counts = kernels.count_inside(trees.check_rows(X).astype(float), lower, upper)
        self.n_overlaps_ = len(lower)
        lower, upper = to_unit(lower, upper, self.data_min_, self.data_range_)
        if not self.agglomerate:
            certainty = agreement if self.weighting == "certainty" else None
            return self._keep(lower, upper, codes, counts.astype(float), certainty)
        return self._merge(lower, upper, codes, counts, agreement)

    def _merge(self, lower, upper, codes, counts, agreement):
        inside = np.clip(lower, 0, 1), np.clip(upper, 0, 1)
        merged = agglomerate(*inside, codes, **self._merging())
        # With their ends where the leaves had them, which may be nowhere.
        low, high = np.full(merged.lower.shape, np.inf), np.full(merged.lower.shape, -np.inf)
        np.minimum.at(low, merged.into, lower)
        np.maximum.at(high, merged.into, upper)
        certainty = None
        if self.weighting == "certainty":
            size = counts + 1.0
            certainty = np.bincount(merged.into, size * agreement) / np.bincount(merged.into, size)
        weights = np.bincount(merged.into, counts.astype(float))
        return self._keep(low, high, merged.codes, weights, certainty)

    def _overlaps(self, trees, X, rng):
        if self.boxes == "all":
            return all_cells(trees, limit=self.max_boxes)
        if self.boxes == "data":
            cells = cells_at(trees, X)
        else:
            n = self.n_boxes * (_DRAWS if self.boxes == "largest" else 1)
            cells = sample_overlaps(trees, n, random_state=rng)
        corners = np.hstack(cells[:2])
        first = np.sort(np.unique(corners, axis=0, return_index=True)[1])
        return cells[0][first], cells[1][first], cells[2][first]

    def _largest(self, lower, upper):
        bounds = self.data_min_, self.data_min_ + self.data_range_
        volume = box_volumes(lower, upper, bounds, relative=True, log=True)
        return np.sort(np.argsort(-volume, kind="stable")[: self.n_boxes])

    def _fitted(self, X, y, sample_weight, rng):
        if self.pool is None:
            pool = BaggingClassifier(DecisionTreeClassifier(), n_estimators=20)
            params = {"sample_weight": sample_weight}
        elif not self._learners():
            return self.pool
        else:
            pool, params = clone(self.pool), self._fit_params(sample_weight)["pool"]
        if pool.get_params().get("random_state", 0) is None:
            pool.set_params(random_state=draw_seed(rng))
        return fit_member(pool, X, y, **params)

    def _check(self):
        self._check_box_options()
        check_choice(self.boxes, "boxes", _BOXES)
        check_count(self.n_boxes, "n_boxes")
        check_count(self.max_boxes, "max_boxes")
        hint = ", the share that the agreement must exceed"
        check_number(self.threshold, "threshold", low=0, high=1, open_high=True, hint=hint)
        check_choice(self.weighting, "weighting", (None, "certainty"))


def _winners_share(scores):
    """Share of the winner in the score; equal shares where there is no score."""
    total = scores.sum(axis=1)
    even = np.full(len(scores), 1 / scores.shape[1])
    return np.divide(scores.max(axis=1), total, out=even, where=total > 0)
