"""Balanced subsets for rare classes, with the prior put right again."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterpoint._tables import select_rows
from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import takes_weights
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.view import TrainingSet, View


@dataclass
class BalancedView(View):
    """All rows of the rarest class and a sample of each of the others.

    Parameters
    ----------
    ratio : float, default=1.0
        Rows drawn of another class, as a multiple of the rows of the rarest.
    weighted : bool, default=False
        Weigh the rows by equation 6.1 (see :class:`BalancedSubsetsClassifier`), times the number
        of rows, so that they weigh 1 on average.
    priors : dict or None, default=None
        True frequency of every label; None is that in the data.

    Attributes
    ----------
    counts_ : ndarray of shape (n_classes,)
        Rows of each class that the member sees.
    class_weights_ : ndarray of shape (n_classes,)
        Equation 6.1: the prior of a class over the rows of it that the member sees. Over all rows
        these weights add up to 1. Rows of a class that is twice as heavy, by ``sample_weight``,
        count as twice as many.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.views import BalancedView
    >>> X, y = np.arange(10.0)[:, None], np.array([0] * 8 + [1] * 2)
    >>> view = BalancedView(weighted=True)
    >>> data = view.fit(X, y, None, np.random.RandomState(0))
    >>> view.counts_.tolist(), view.class_weights_.tolist()
    ([2, 2], [0.4, 0.1])
    """

    ratio: float = 1.0
    weighted: bool = False
    priors: dict | None = None
    _dealt: list | None = field(default=None, repr=False)

    def fit(
        self, X: DataLike, y: NDArray, sample_weight: NDArray | None, rng: np.random.RandomState
    ) -> TrainingSet:
        """Draw the rows."""
        check_number(self.ratio, "ratio", low=0, open_low=True)
        labels, codes = np.unique(y, return_inverse=True)
        available = np.bincount(codes)
        wanted = balanced_counts(available, self.ratio)
        if self._dealt is not None:
            rows = np.concatenate(self._dealt)
            self._dealt = None
        else:
            each = [rng.permutation(np.flatnonzero(codes == k))[:n] for k, n in enumerate(wanted)]
            rows = np.concatenate(each)
        self.counts_ = np.bincount(codes[rows], minlength=len(labels))
        priors, mean_weight = class_masses(labels, codes, sample_weight, self.priors)
        self.class_weights_ = priors / (self.counts_ * mean_weight)
        weight = None if sample_weight is None else sample_weight[rows]
        if self.weighted:
            factor = self.class_weights_[codes[rows]] * len(rows)
            weight = factor if weight is None else weight * factor
        return TrainingSet(select_rows(X, rows), y[rows], weight)


class BalancedSubsetsClassifier(BaseViewClassifier):
    """Train each member on all rows of the rare class and another sample of the common ones.

    Members see classes in nearly equal numbers, and together they see much more of the common
    class than one balanced sample holds. They would then find the rare class too probable, so the
    prior is put right: by weights while training (equation 6.1) or in the probabilities after it.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``.
    n_estimators : int, default=10
        Number of members.
    ratio : float, default=1.0
        Rows drawn of a class, as a multiple of the rows of the rarest; at most all.
    sampling : {"random", "deal"}, default="random"
        "random": each member has its own sample without repeats. "deal": rows of a common class are
        shuffled and dealt out, so that none is used again before all have been.
    correction : {"weights", "probabilities"} or None, default="weights"
        "weights": the rows of class c weigh prior / number of them in the sample (equation 6.1,
        for any number of classes). "probabilities": members learn without weights, and what they
        say of c is multiplied by prior / share in the sample. None: nothing is put right, and
        rare classes are predicted more often than they occur.
    priors : dict or None, default=None
        True frequency of every label, adding up to 1; None is that in the data.
    min_rows : int, default=1
        Fewest rows that a class must have.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds samples and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    priors_ : ndarray of shape (n_classes,)
        Frequencies that are put right again.
    counts_ : ndarray of shape (n_classes,)
        Rows of each class that a member sees.
    class_weights_ : ndarray of shape (n_classes,)
        Equation 6.1. Members get it times their number of rows.
    estimators_ : list of classifiers
        The members.
    views_ : list of BalancedView
        Their samples.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    sklearn.utils.class_weight.compute_sample_weight : Weights on all rows instead of samples.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.1, equation 6.1.
    .. [2] M. Saerens et al., "Adjusting the outputs of a classifier to new a priori
       probabilities", Neural Computation 14, 2002: correction="probabilities".

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from counterpoint.views import BalancedSubsetsClassifier
    >>> X, y = make_classification(500, weights=[0.9], random_state=0)
    >>> ensemble = BalancedSubsetsClassifier(random_state=0).fit(X, y)
    >>> bool(ensemble.counts_[0] == ensemble.counts_[1])
    True
    """

    _numeric = False

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 10,
        ratio: float = 1.0,
        sampling: str = "random",
        correction: str | None = "weights",
        priors: dict | None = None,
        min_rows: int = 1,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.ratio = ratio
        self.sampling = sampling
        self.correction = correction
        self.priors = priors
        self.min_rows = min_rows
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        self._check()
        labels, codes = np.unique(y, return_inverse=True)
        available = np.bincount(codes)
        if available.min() < self.min_rows:
            k = available.argmin()
            raise ValueError(
                f"Class {labels.tolist()[k]!r} has {available[k]} rows, and "
                f"min_rows={self.min_rows}: join it with another class, leave it out, or lower "
                "min_rows."
            )
        self.priors_, mean_weight = class_masses(labels, codes, sample_weight, self.priors)
        self.counts_ = balanced_counts(available, self.ratio)
        self._sizes = self.counts_ * mean_weight
        self.class_weights_ = self.priors_ / self._sizes
        weighted = self.correction == "weights"
        if self.sampling == "random":
            view = BalancedView(ratio=self.ratio, weighted=weighted, priors=self.priors)
            return [view] * self.n_estimators
        dealt = [
            _deal(np.flatnonzero(codes == k), self.counts_[k], self.n_estimators, rng)
            for k in range(len(labels))
        ]
        return [
            BalancedView(ratio=self.ratio, weighted=weighted, priors=self.priors, _dealt=list(hand))
            for hand in zip(*dealt, strict=True)
        ]

    def _check(self):
        check_count(self.n_estimators, "n_estimators")
        check_number(self.ratio, "ratio", low=0, open_low=True)
        check_count(self.min_rows, "min_rows")
        check_choice(self.sampling, "sampling", ("random", "deal"))
        check_choice(self.correction, "correction", ("weights", "probabilities", None))
        template = self._template()
        if self.correction == "weights" and not takes_weights(template):
            raise ValueError(
                f"{type(template).__name__} takes no sample_weight, which correction='weights' "
                "needs: choose correction='probabilities', or another learner."
            )
        if self.correction == "probabilities" and not hasattr(template, "predict_proba"):
            raise ValueError(
                f"{type(template).__name__} has no predict_proba, which "
                "correction='probabilities' needs: choose 'weights', or another learner."
            )

    def _each_proba(self, X):
        if self.correction != "probabilities":
            return super()._each_proba(X)
        return map(self._corrected, super()._each_proba(X))

    def _each_labels(self, X):
        if self.correction != "probabilities":
            return super()._each_labels(X)
        return (self.classes_[proba.argmax(axis=1)] for proba in self._each_proba(X))

    def _corrected(self, proba):
        proba = proba * (self.class_weights_ * self._sizes.sum())
        return proba / proba.sum(axis=1, keepdims=True)


def balanced_counts(available, ratio):
    """Rows of each class in a balanced subset: all of the rarest, a multiple of that of others."""
    ratio = np.minimum(ratio, available.max())  # more would be all of them, too
    wanted = np.maximum(1, np.round(ratio * available.min()).astype(int))
    counts = np.minimum(available, wanted)
    counts[available == available.min()] = available.min()  # the rarest are always all there
    return counts


def class_masses(labels, codes, sample_weight, priors) -> tuple[NDArray, NDArray]:
    """Frequencies of the classes, given or by weight, and how heavy their rows are on the mean."""
    counts = np.bincount(codes)
    mass = counts if sample_weight is None else np.bincount(codes, sample_weight)
    frequencies = mass / mass.sum() if priors is None else _given_priors(labels, priors)
    return frequencies, (mass / counts) / (mass.sum() / len(codes))


def _given_priors(labels, priors):
    if not isinstance(priors, dict):
        raise TypeError(f"priors={priors!r}: give a dict from label to frequency, or None.")
    missing = [label for label in labels.tolist() if label not in priors]
    if missing:
        raise ValueError(
            f"priors says nothing of class {missing[0]!r}: give the frequency of each of "
            f"{labels.tolist()}."
        )
    values = np.array([priors[label] for label in labels.tolist()], dtype=float)
    if (values <= 0).any() or not np.isclose(values.sum(), 1.0):
        raise ValueError(
            f"priors are {values.tolist()}, adding up to {values.sum():.4g}: give frequencies "
            "above 0 that add up to 1."
        )
    return values


def _deal(rows, size, n_hands, rng):
    """Hands of ``size`` different rows each; no row again before all have been dealt."""
    hands, deck = [], rng.permutation(rows)
    for _ in range(n_hands):
        hand, deck = deck[:size], deck[size:]
        if len(hand) < size:
            others = rng.permutation(np.setdiff1d(rows, hand))
            hand, deck = (
                np.concatenate([hand, others[: size - len(hand)]]),
                np.concatenate([others[size - len(hand) :], rng.permutation(hand)]),
            )
        hands.append(hand)
    return hands
