"""Boxes of several fuzzy min-max machines, merged into one machine."""

import warnings
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from counterpoint._kernels import hyperboxes as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._typing import DataLike, Seed, Target
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import read_labels, validate_data
from counterpoint.exceptions import ThinnedWarning
from counterpoint.hyperboxes.base import (
    BoxClassifier,
    as_intervals,
    check_known,
    data_range,
    to_unit,
)
from counterpoint.hyperboxes.learning import LEARNING, Learned, agglomerate, learn_boxes

# Machines that compare boxes pair by pair take no larger share than this many samples.
_MOST_COMPARED = 10_000


class MergedHyperboxClassifier(BoxClassifier):
    """Train several fuzzy min-max machines on parts of the data, and merge their boxes into one.

    Each machine is a :class:`HyperboxClassifier` on samples drawn without replacement. Their boxes
    are then boxes to learn from: those of equal classes are merged as long as they stay within
    ``theta`` and overlap with no box of another class. The result is one machine, with boxes that
    several agree on; where they do not, boxes of different classes overlap, and the nearer centre
    decides, or their ``weighting``. One machine is left as it is. Follows [1]_ and [2]_.

    Parameters
    ----------
    n_estimators : int, default=10
        Machines to train.
    max_samples : float or int, default=0.5
        Samples that each draws, of every class in its share: a share of them, or how many. 1.0
        takes all, in their order. Unless they learn "online" they compare all pairs of boxes: then
        a share is 10,000 samples at most, with a warning, and a number is what it says.
    theta : float, default=0.3
        Longest side of a box, as a share of the range of the data.
    learning : {"online", "agglomerative", "best-first"}, default="agglomerative"
        How the machines learn, see :class:`HyperboxClassifier`.
    gamma : float or array-like of shape (n_features,), default=1.0
        How fast membership falls outside a box.
    similarity : {"mid-max", "mid-min", "short", "long"}, default="mid-max"
        For merging, see :class:`HyperboxClassifier`.
    min_similarity : float, default=0.5
        For merging: boxes that are less similar are not merged.
    weighting : {None, "certainty"}, default=None
        Multiply memberships with the share of its own class among the training samples in a box.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws.

    Attributes
    ----------
    machine_boxes_ : ndarray of shape (n_estimators,)
        Boxes of each machine, before merging.
    boxes_ : (lower, upper)
        Corners of the boxes, each of shape (n_boxes, n_features), in the units of the data.
    box_classes_ : ndarray of shape (n_boxes,)
        Their labels.
    box_weights_ : ndarray of shape (n_boxes,)
        Samples that went into each, over all machines.
    box_certainty_ : ndarray of shape (n_boxes,)
        Factors of the memberships: 1, or the share of its class among the samples inside.
    n_boxes_, rules_, classes_, data_min_, data_range_, n_features_in_, feature_names_in_
        As for :class:`HyperboxClassifier`.

    See Also
    --------
    HyperboxEnsembleClassifier : Boxes out of the leaves of trees.

    References
    ----------
    .. [1] B. Gabrys, "Combining neuro-fuzzy classifiers for improved generalisation and
       reliability", IJCNN 2002.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       2.5.2 and 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.hyperboxes import MergedHyperboxClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MergedHyperboxClassifier(5, random_state=0).fit(X, y)
    >>> bool(model.n_boxes_ < model.machine_boxes_.sum())
    True
    """

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        max_samples: float = 0.5,
        theta: float = 0.3,
        learning: str = "agglomerative",
        gamma: float | ArrayLike = 1.0,
        similarity: str = "mid-max",
        min_similarity: float = 0.5,
        weighting: str | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.theta = theta
        self.learning = learning
        self.gamma = gamma
        self.similarity = similarity
        self.min_similarity = min_similarity
        self.weighting = weighting
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target) -> Self:
        """Train the machines and merge their boxes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is not known.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        MergedHyperboxClassifier
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        self._check()
        self.classes_, codes = np.unique(read_labels(self, y), return_inverse=True)
        lower, upper = as_intervals(X, None)
        check_known(lower, upper)
        self.data_min_, self.data_range_ = data_range(lower, upper, None)
        lower, upper = to_unit(lower, upper, self.data_min_, self.data_range_)
        rng = check_random_state(self.random_state)
        machines, n_drawn = [], self._n_drawn(len(codes))
        for _ in range(self.n_estimators):
            rows = self._draw(codes, n_drawn, rng)
            given = lower[rows], upper[rows], codes[rows], np.ones(len(rows))
            machines.append(learn_boxes(*given, learning=self.learning, **self._merging()))
        self.machine_boxes_ = np.array([len(machine.codes) for machine in machines])
        boxes = Learned(*(np.concatenate(parts) for parts in zip(*machines, strict=True)))
        if len(machines) > 1:
            merged = agglomerate(boxes.lower, boxes.upper, boxes.codes, **self._merging())
            weights = np.bincount(merged.into, boxes.weights)
            boxes = Learned(merged.lower, merged.upper, merged.codes, weights)
        certainty = None
        if self.weighting == "certainty":
            certainty = self._certainty(lower, codes, boxes)
        return self._keep(*boxes, certainty)

    def _n_drawn(self, n):
        """Return how many of n samples a machine draws."""
        if not isinstance(self.max_samples, float | np.floating):
            return min(self.max_samples, n)
        wanted = max(round(self.max_samples * n), 1)
        if self.learning == "online" or wanted <= _MOST_COMPARED:
            return wanted
        warnings.warn(
            f"max_samples={self.max_samples:g} of {type(self).__name__} is {wanted:,} samples, of "
            f"which {_MOST_COMPARED:,} are drawn: learning={self.learning!r} compares all pairs. "
            "Give max_samples as a number for more, at the price of time, or learning='online'.",
            ThinnedWarning,
            stacklevel=3,
        )
        return _MOST_COMPARED

    def _draw(self, codes, n_drawn, rng):
        """Draw samples, of every class in its share, in their order."""
        n = len(codes)
        if n_drawn >= n:
            return np.arange(n)
        order = rng.permutation(n)
        order = order[np.argsort(codes[order], kind="stable")]
        spaced = ((np.arange(n_drawn) + 0.5) * n / n_drawn).astype(int)
        return np.sort(order[spaced])

    def _certainty(self, rows, codes, boxes):
        """Share of its own class among the samples in each box; one sample more of its own."""
        counts = np.empty((len(self.classes_), len(boxes.codes)))
        for k in range(len(self.classes_)):
            some = np.ascontiguousarray(rows[codes == k])
            with threads_for(some.size * len(boxes.codes)):
                below = np.nextafter(boxes.lower, -np.inf)
                counts[k] = kernels.count_inside(some, below, boxes.upper)
        own = counts[boxes.codes, np.arange(len(boxes.codes))]
        return (own + 1.0) / (counts.sum(axis=0) + 1.0)

    def _check(self):
        self._check_box_options()
        check_choice(self.learning, "learning", LEARNING)
        check_choice(self.weighting, "weighting", (None, "certainty"))
        check_count(self.n_estimators, "n_estimators")
        if isinstance(self.max_samples, float | np.floating):
            hint = ", a share of the samples, or a whole number of them"
            check_number(self.max_samples, "max_samples", low=0, open_low=True, high=1, hint=hint)
        else:
            check_count(self.max_samples, "max_samples", hint=", or a share above 0, up to 1.0")
