"""Classifiers of sequences: a hidden Markov model per class, from many starts."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, column_or_1d

from counterpoint._arrays import code_type
from counterpoint._members import Answers
from counterpoint._options import numbers_of
from counterpoint._typing import DataLike, Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import BaseEnsembleClassifier, draw_seed, encode_target, need_target
from counterpoint.combiners import combine_ranks
from counterpoint.combiners.ranks import RANK_FUNCTIONS
from counterpoint.sequences.data import read_sequences
from counterpoint.sequences.discrete import DiscreteHMM
from counterpoint.sequences.hmm import MixtureHMM

# Log odds beyond this are as good as certain; a sequence one model cannot make has infinite ones.
_CERTAIN = 1e6


@dataclass
class ClassModels:
    """A hidden Markov model for each class, all from one start: a member of the classifiers."""

    models: list[MixtureHMM]  # in the order of the classes
    classes_: NDArray
    log_prior: NDArray

    def log_odds(self, X) -> NDArray:
        """Return log prior plus log-likelihood, (n_sequences, n_classes)."""
        return np.array([model.score_samples(X) for model in self.models]).T + self.log_prior

    def predict_proba(self, X) -> NDArray:
        """Return probabilities, (n_sequences, n_classes)."""
        joint = self.log_odds(X)
        # A sequence that no model can make says nothing: the priors are left.
        joint[np.isneginf(joint).all(axis=1)] = self.log_prior
        return softmax(joint, axis=1)

    def predict(self, X) -> NDArray:
        """Return the most probable class of each sequence."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class HMMClassifier(BaseEnsembleClassifier):
    """Classify sequences by the hidden Markov model, one per class, most likely to make them.

    A sequence belongs to the class whose :class:`MixtureHMM` gives it the highest likelihood
    times the prior of the class. Models depend on where EM starts, so every start makes a
    member, and the members' probabilities are averaged.

    Sequences are a list of (n_events, n_features) arrays, a 3-D array, or :class:`Histories`; in a
    2-D array each row is a sequence of one event. NaN is missing.

    Parameters
    ----------
    n_states : int or dict, default=2
        Hidden states; a dict gives a number for each class.
    n_mixtures : int or dict, default=1
        Gaussians per state.
    covariance : {"full", "diag", "tied"}, default="full"
        Shape of the Gaussians.
    emission : {"gaussian", "discrete"}, default="gaussian"
        What states put out: mixtures of Gaussians, or values out of a few, column by column, as in
        :class:`DiscreteHMM`: for types of events. ``n_mixtures``, ``covariance`` and ``floor`` are
        then of no use.
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
    estimators_ : list
        For each start, its ``models``, a :class:`MixtureHMM` for each class.
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
        n_states: int | dict = 2,
        *,
        n_mixtures: int | dict = 1,
        covariance: str = "full",
        emission: str = "gaussian",
        n_starts: int = 1,
        shrink: bool = True,
        priors: str | ArrayLike = "empirical",
        max_iter: int = 50,
        tol: float = 1e-3,
        floor: float = 1e-3,
        transitions: ArrayLike | None = None,
        first_states: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_states = n_states
        self.n_mixtures = n_mixtures
        self.covariance = covariance
        self.emission = emission
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

    def _read(self, X, y):
        check_count(self.n_starts, "n_starts")
        check_choice(self.emission, "emission", ("gaussian", "discrete"))
        check_number(self.tol, "tol", low=0)
        data = read_sequences(self, X, reset=True)
        need_target(self, y)
        y = column_or_1d(y, warn=True)
        check_consistent_length(data, y)
        self.classes_, _ = encode_target(self, y)
        return data, y

    def _fit_members(self, data, y, sample_weight, rng):
        weight = np.ones(len(data)) if sample_weight is None else sample_weight
        data, y, weight = data.take(weight > 0), y[weight > 0], weight[weight > 0]
        self.classes_, codes = encode_target(self, y)
        self._choose_sizes(data, codes)
        self.class_prior_ = self._priors(np.bincount(codes, weights=weight))
        size = len(self.classes_)
        jobs = [
            (k, self._model(k, draw_seed(rng))) for _ in range(self.n_starts) for k in range(size)
        ]
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit)(model, data.take(codes == k), weight[codes == k]) for k, model in jobs
        )
        log_prior = np.log(self.class_prior_)
        self.estimators_ = [
            ClassModels(fitted[s * size : (s + 1) * size], self.classes_, log_prior)
            for s in range(self.n_starts)
        ]
        self.n_iter_ = max(model.n_iter_ for model in fitted)

    def _choose_sizes(self, data, codes):
        """Settle the number of states and Gaussians of each class, by how many events it has."""
        self.sizes_ = {}
        for k, label in enumerate(self.classes_):
            events = int(data.lengths[codes == k].sum())
            states = check_count(_of(self.n_states, label), "n_states")
            mixtures = check_count(_of(self.n_mixtures, label), "n_mixtures")
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
        if self.emission == "discrete":
            names = ("max_iter", "tol", "transitions", "first_states")
            given = {name: getattr(self, name) for name in names}
            return DiscreteHMM(states, random_state=seed, **given)
        same = ("covariance", "max_iter", "tol", "floor", "transitions", "first_states")
        options = {name: getattr(self, name) for name in same}
        return MixtureHMM(states, n_mixtures=mixtures, random_state=seed, **options)

    def _priors(self, mass):
        if isinstance(self.priors, str):
            check_choice(self.priors, "priors", ("empirical", "uniform"))
            uniform = self.priors == "uniform"
            return np.full(len(mass), 1.0 / len(mass)) if uniform else mass / mass.sum()
        priors = numbers_of(self.priors, "priors", "'empirical', 'uniform', or a number per class")
        if priors.shape != mass.shape or not (priors > 0).all() or abs(priors.sum() - 1) > 1e-6:
            raise ValueError(
                f"priors={self.priors!r}: give {len(mass)} numbers above 0 that add up to 1, one "
                "per class in the order of classes_."
            )
        return priors

    def _check_X(self, X):
        check_is_fitted(self)
        return read_sequences(self, X, reset=False)

    def _ask(self, X):
        data = self._check_X(X)
        proba = np.stack([member.predict_proba(data) for member in self.estimators_])
        names = [f"start {k}" for k in range(len(proba))]
        votes = proba.argmax(axis=2).astype(code_type(len(self.classes_)))
        return Answers(self.classes_, names, votes, proba)

    def _member_answers(self, X):
        return self._ask(X)

    def member_log_odds(self, X: DataLike) -> NDArray:
        """Return log prior plus log-likelihood, (n_members, n_sequences, n_classes)."""
        data = self._check_X(X)
        return np.stack([member.log_odds(data) for member in self.estimators_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class HMMPairClassifier(HMMClassifier):
    """Rank sequences by how much more likely they are to be of one class than of the other.

    A pair of hidden Markov models, one per class, from each of many starts; the rankings of the
    starts are combined, as in section 6.2.1 of the thesis that :class:`HMMClassifier` is from. Made
    for rare events such as churn: :meth:`rank` says whom to call first, whatever the probabilities.

    Parameters
    ----------
    n_states : int or dict, default=12
        Hidden states; a dict gives a number for each class.
    n_mixtures : int or dict, default=4
        Gaussians per state.
    n_starts : int, default=5
        Pairs of models, each from a start of its own.
    combine : str or callable, default="inverse-square"
        How ranks become a score, as ``function`` of
        :func:`counterpoint.combiners.combine_ranks`; "mean" averages probabilities instead.
    covariance, emission, shrink, priors, transitions, first_states, n_jobs, random_state
        As in :class:`HMMClassifier`.
    max_iter, tol, floor
        Of EM, as in :class:`HMMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels, sorted; the second is the one ranked for.
    estimators_ : list
        For each start, its ``models``, a pair of :class:`MixtureHMM`.
    class_prior_, sizes_, n_iter_, n_features_in_
        As in :class:`HMMClassifier`.

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
        n_states: int | dict = 12,
        *,
        n_mixtures: int | dict = 4,
        covariance: str = "full",
        emission: str = "gaussian",
        n_starts: int = 5,
        combine: str | Callable[..., Any] = "inverse-square",
        shrink: bool = True,
        priors: str | ArrayLike = "empirical",
        max_iter: int = 30,
        tol: float = 1e-2,
        floor: float = 1e-3,
        transitions: ArrayLike | None = None,
        first_states: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_states=n_states,
            n_mixtures=n_mixtures,
            covariance=covariance,
            emission=emission,
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
        if not callable(self.combine):
            check_choice(self.combine, "combine", ("mean", *RANK_FUNCTIONS))
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: y holds {len(self.classes_)} classes, "
                f"{self.classes_[:5].tolist()}. Use HMMClassifier for more."
            )
        super()._choose_sizes(data, codes)

    def member_scores(self, X: DataLike) -> NDArray:
        """Return the log odds of the second class by each start, (n_members, n_sequences)."""
        joint = self.member_log_odds(X)
        with np.errstate(invalid="ignore"):
            odds = joint[..., 1] - joint[..., 0]
        prior = np.log(self.class_prior_)
        odds = np.where(np.isnan(odds), prior[1] - prior[0], odds)
        return np.clip(odds, -_CERTAIN, _CERTAIN)

    def score_samples(self, X: DataLike) -> NDArray:
        """Return the mean log odds of the second class over the starts, (n_sequences,)."""
        return self.member_scores(X).mean(axis=0)

    def rank(self, X: DataLike) -> NDArray:
        """Return the place of each sequence, 1 for the first to be taken; of equals the first row.

        The rankings of the starts are combined, so a place depends on all sequences of ``X``.

        Parameters
        ----------
        X : sequences, as in ``fit``

        Returns
        -------
        ndarray of shape (n_sequences,), int64
        """
        if self.combine == "mean":
            return places(self.predict_proba(X)[:, 1])
        return places(combine_ranks(self.member_scores(X), function=self.combine))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def places(scores: NDArray) -> NDArray:
    """Return the place of each score, 1 for the highest; of equals the first comes first."""
    order = np.argsort(-scores, kind="stable")
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(1, len(order) + 1)
    return found


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
