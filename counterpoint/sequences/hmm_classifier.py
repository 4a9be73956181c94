"""Classifiers of sequences: a hidden Markov model per class, from many starts."""

import warnings
from numbers import Integral
from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from counterpoint._validation import check_sample_weight
from counterpoint.combiners import combine_ranks
from counterpoint.sequences._sequences import read_sequences
from counterpoint.sequences.hmm import MixtureHMM

# Log odds beyond this are as good as certain; a sequence one model cannot make has infinite ones.
_CERTAIN = 1e6
_SEEDS = np.iinfo(np.int32).max


class HMMClassifier(ClassifierMixin, BaseEstimator):
    """Classify sequences by the hidden Markov model, one per class, most likely to make them.

    A sequence belongs to the class whose :class:`MixtureHMM` gives it the highest likelihood
    times the prior of the class. Models depend on where EM starts, so every start makes a
    member, and the members' probabilities are averaged.

    Parameters
    ----------
    n_states : int or dict, default=2
        Hidden states; a dict gives a number for each class.
    n_mixtures : int or dict, default=1
        Gaussians per state.
    covariance : {"full", "diag", "tied"}, default="full"
        Shape of the Gaussians.
    n_starts : int, default=1
        Members: models of all classes, each from a start of its own.
    shrink : bool, default=True
        Use fewer Gaussians, then fewer states, for a class with too few events. Else too few are
        an error.
    priors : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
        Probabilities of the classes.
    max_iter : int, default=50
        Most steps of EM.
    tol : float, default=1e-3
        EM stops when the mean log-likelihood of a sequence rises by less.
    floor : float, default=1e-3
        Least variance in any direction, as a share of the variance of the column.
    transitions, first_states : array-like, default=None
        0 where a move or a first state cannot be, as in :class:`MixtureHMM`.
    n_jobs : int, default=None
        Models fitted at a time.
    random_state : int, RandomState instance or None, default=None
        Seeds the starts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    models_ : list of list of MixtureHMM
        For each start, a model for each class.
    class_prior_ : ndarray of shape (n_classes,)
        Priors used.
    sizes_ : dict
        For each class the numbers of states and of Gaussians per state.
    n_iter_ : int
        Most steps of EM that a model took.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.sequences import HMMClassifier
    >>> rng = np.random.RandomState(0)
    >>> rising = [np.sort(rng.randn(6, 1), axis=0) for _ in range(30)]
    >>> falling = [x[::-1] for x in rising]
    >>> model = HMMClassifier(random_state=0).fit(rising + falling, [1] * 30 + [0] * 30)
    >>> print(model.predict([[[-2], [-1], [0], [1], [2]]])[0])
    1
    """

    def __init__(
        self,
        n_states=2,
        *,
        n_mixtures=1,
        covariance="full",
        n_starts=1,
        shrink=True,
        priors="empirical",
        max_iter=50,
        tol=1e-3,
        floor=1e-3,
        transitions=None,
        first_states=None,
        n_jobs=None,
        random_state=None,
    ):
        self.n_states = n_states
        self.n_mixtures = n_mixtures
        self.covariance = covariance
        self.n_starts = n_starts
        self.shrink = shrink
        self.priors = priors
        self.max_iter = max_iter
        self.tol = tol
        self.floor = floor
        self.transitions = transitions
        self.first_states = first_states
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None) -> Self:
        """Fit a model per class and start.

        Parameters
        ----------
        X : list of (n_events, n_features) arrays, 3-D array, or 2-D array
            Sequences; a 2-D array is one event per sequence. NaN is missing.
        y : array-like of shape (n_sequences,)
            Labels.
        sample_weight : array-like of shape (n_sequences,), default=None
            How much each sequence counts.

        Returns
        -------
        HMMClassifier
        """
        if not isinstance(self.n_starts, Integral) or self.n_starts < 1:
            raise ValueError(f"n_starts={self.n_starts!r}: give a whole number from 1.")
        data = read_sequences(self, X, reset=True)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        if len(y) != len(data):
            raise ValueError(f"There are {len(data)} sequences but {len(y)} labels in y.")
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, len(data))
        weight = np.ones(len(data)) if weight is None else weight
        data, y, weight = data.take(weight > 0), y[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only, {self.classes_[0]}: at least two are needed."
            )
        self._choose_sizes(data, codes)
        self.class_prior_ = self._priors(np.bincount(codes, weights=weight))
        rng = check_random_state(self.random_state)
        jobs = [
            (k, self._model(k, rng.randint(_SEEDS)))
            for _ in range(self.n_starts)
            for k in range(len(self.classes_))
        ]
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(model, data.take(codes == k), weight[codes == k]) for k, model in jobs
        )
        size = len(self.classes_)
        self.models_ = [fitted[s * size : (s + 1) * size] for s in range(self.n_starts)]
        self.n_iter_ = max(model.n_iter_ for model in fitted)
        return self

    def _choose_sizes(self, data, codes):
        """Settle the number of states and Gaussians of each class, by how many events it has."""
        self.sizes_ = {}
        for k, label in enumerate(self.classes_):
            events = int(data.lengths[codes == k].sum())
            states, mixtures = _of(self.n_states, label), _of(self.n_mixtures, label)
            if self.shrink:
                # A Gaussian wants some events more than it has directions.
                most = max(1, events // (data.n_features + 2))
                mixtures = max(1, min(mixtures, most // states))
                if self.transitions is None and self.first_states is None:
                    states = min(states, max(1, most // mixtures))
            if events < states * mixtures:
                raise ValueError(
                    f"Class {np.asarray(label).item()!r} has {events} events in "
                    f"{int((codes == k).sum())} sequences, "
                    f"too few for {states * mixtures} Gaussians: lower n_states or n_mixtures, "
                    "let shrink=True do so, or give more sequences of it."
                )
            self.sizes_[label] = (states, mixtures)

    def _model(self, k, seed):
        states, mixtures = self.sizes_[self.classes_[k]]
        return MixtureHMM(
            states,
            n_mixtures=mixtures,
            covariance=self.covariance,
            max_iter=self.max_iter,
            tol=self.tol,
            floor=self.floor,
            transitions=self.transitions,
            first_states=self.first_states,
            random_state=seed,
        )

    def _priors(self, mass):
        if isinstance(self.priors, str):
            if self.priors == "empirical":
                return mass / mass.sum()
            if self.priors == "uniform":
                return np.full(len(mass), 1.0 / len(mass))
            raise ValueError(f"priors={self.priors!r}: choose empirical, uniform, or an array.")
        priors = np.asarray(self.priors, dtype=float)
        if priors.shape != mass.shape or not (priors > 0).all() or abs(priors.sum() - 1) > 1e-6:
            raise ValueError(
                f"priors={self.priors!r}: give {len(mass)} numbers above 0 that add up to 1, one "
                "per class in the order of classes_."
            )
        return priors

    def member_log_odds(self, X) -> NDArray:
        """Return log prior plus log-likelihood, (n_members, n_sequences, n_classes)."""
        check_is_fitted(self)
        data = read_sequences(self, X, reset=False)
        scores = [[model.score_samples(data) for model in models] for models in self.models_]
        return np.array(scores).transpose(0, 2, 1) + np.log(self.class_prior_)

    def member_predict_proba(self, X) -> NDArray:
        """Return probabilities by each start, (n_members, n_sequences, n_classes)."""
        joint = self.member_log_odds(X)
        # A sequence that no model can make says nothing: the priors are left.
        lost = np.isneginf(joint).all(axis=2)
        joint[lost] = np.log(self.class_prior_)
        return softmax(joint, axis=2)

    def member_predict(self, X) -> NDArray:
        """Return labels by each start, (n_members, n_sequences)."""
        return self.classes_[self.member_predict_proba(X).argmax(axis=2)]

    def predict_proba(self, X) -> NDArray:
        """Return the mean of the members' probabilities.

        Parameters
        ----------
        X : sequences, as in :meth:`fit`

        Returns
        -------
        ndarray of shape (n_sequences, n_classes)
        """
        return self.member_predict_proba(X).mean(axis=0)

    def predict(self, X) -> NDArray:
        """Return the most probable class, the first of equals.

        Parameters
        ----------
        X : sequences, as in :meth:`fit`

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class HMMPairClassifier(HMMClassifier):
    """Rank sequences by how much more likely they are to be of one class than of the other.

    A pair of hidden Markov models, one per class, from each of many starts; the rankings of the
    starts are combined. Made for rare events such as churn: :meth:`rank` says whom to call first,
    whatever the probabilities.

    Parameters
    ----------
    n_states : int or dict, default=12
        Hidden states; a dict gives a number for each class.
    n_mixtures : int or dict, default=4
        Gaussians per state.
    covariance : {"full", "diag", "tied"}, default="full"
        Shape of the Gaussians.
    n_starts : int, default=5
        Pairs of models, each from a start of its own.
    combine : str or callable, default="inverse-square"
        How ranks become a score, as ``function`` of
        :func:`counterpoint.combiners.combine_ranks`; "mean" averages probabilities instead.
    shrink : bool, default=True
        Use fewer Gaussians, then fewer states, for a class with too few events. Else too few are
        an error.
    priors, max_iter, tol, floor, transitions, first_states, n_jobs, random_state
        As in :class:`HMMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels, sorted; the second is the one ranked for.
    models_ : list of list of MixtureHMM
        For each start the pair of models.
    class_prior_ : ndarray of shape (2,)
        Priors used.
    n_iter_ : int
        Most steps of EM that a model took.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.sequences import HMMPairClassifier
    >>> rng = np.random.RandomState(0)
    >>> calm = [rng.randn(3, 2) for _ in range(80)]
    >>> upset = [rng.randn(3, 2) + [[0], [1], [4]] for _ in range(20)]
    >>> model = HMMPairClassifier(2, n_mixtures=1, random_state=0)
    >>> ranks = model.fit(calm + upset, [0] * 80 + [1] * 20).rank(calm + upset)
    >>> bool((ranks[80:] <= 25).all())
    True
    """

    def __init__(
        self,
        n_states=12,
        *,
        n_mixtures=4,
        covariance="full",
        n_starts=5,
        combine="inverse-square",
        shrink=True,
        priors="empirical",
        max_iter=30,
        tol=1e-2,
        floor=1e-3,
        transitions=None,
        first_states=None,
        n_jobs=None,
        random_state=None,
    ):
        super().__init__(
            n_states=n_states,
            n_mixtures=n_mixtures,
            covariance=covariance,
            n_starts=n_starts,
            shrink=shrink,
            priors=priors,
            max_iter=max_iter,
            tol=tol,
            floor=floor,
            transitions=transitions,
            first_states=first_states,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.combine = combine

    def _choose_sizes(self, data, codes):
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: y holds {len(self.classes_)} classes, "
                f"{self.classes_[:5].tolist()}. Use HMMClassifier for more."
            )
        super()._choose_sizes(data, codes)

    def member_scores(self, X) -> NDArray:
        """Return the log odds of the second class by each start, (n_members, n_sequences)."""
        joint = self.member_log_odds(X)
        with np.errstate(invalid="ignore"):
            odds = joint[..., 1] - joint[..., 0]
        prior = np.log(self.class_prior_)
        odds = np.where(np.isnan(odds), prior[1] - prior[0], odds)
        return np.clip(odds, -_CERTAIN, _CERTAIN)

    def score_samples(self, X) -> NDArray:
        """Return the mean log odds of the second class over the starts.

        Parameters
        ----------
        X : sequences, as in :meth:`fit`

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        return self.member_scores(X).mean(axis=0)

    def rank(self, X) -> NDArray:
        """Return the place of each sequence, 1 for the first to be taken; of equals the first row.

        The rankings of the starts are combined, so a place depends on all sequences of ``X``.

        Parameters
        ----------
        X : sequences, as in :meth:`fit`

        Returns
        -------
        ndarray of shape (n_sequences,), int64
        """
        if self.combine == "mean":
            score = self.predict_proba(X)[:, 1]
        else:
            score = combine_ranks(self.member_scores(X), function=self.combine)
        order = np.argsort(-score, kind="stable")
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(1, len(order) + 1)
        return places

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _fit(model, data, weight):
    with warnings.catch_warnings():
        # EM stopped early is one of many members, not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(data, sample_weight=weight)


def _of(value: int | dict | ArrayLike, label) -> int:
    if isinstance(value, dict):
        if label not in value:
            raise ValueError(f"A dict of sizes was given without the class {label}.")
        return value[label]
    return value  # type: ignore[return-value]
