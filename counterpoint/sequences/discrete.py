"""Hidden Markov models whose states put out values out of a few: types of events, say."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import check_sample_weight
from counterpoint._kernels import sequences as kernels
from counterpoint._typing import DataLike, Seed, Target, Weights
from counterpoint._validation import check_count, check_number
from counterpoint.sequences.chain import Limits, log_shares
from counterpoint.sequences.data import read_sequences


class DiscreteHMM(BaseEstimator):
    """Hidden Markov model of events whose columns hold a few values each.

    A state puts out each value with a probability of its own, column by column and independently.
    Fitted by expectation maximisation over many sequences of any length. What is missing (NaN), or
    was not there in training, says nothing.

    Parameters
    ----------
    n_states : int, default=2
        Hidden states.
    max_iter : int, default=100
        Most steps of EM per start.
    tol : float, default=1e-3
        EM stops when the mean log-likelihood of a sequence rises by less.
    n_starts : int, default=1
        Starts from different points; the one with the highest likelihood is kept.
    transitions : array-like of shape (n_states, n_states), default=None
        0 where a move from the state of the row to that of the column cannot be.
    first_states : array-like of shape (n_states,), default=None
        0 where a sequence cannot begin.
    random_state : int, RandomState instance or None, default=None
        Seeds the starts.

    Attributes
    ----------
    start_ : ndarray of shape (n_states,)
        Probabilities of first states.
    transitions_ : ndarray of shape (n_states, n_states)
        Probabilities of moves.
    values_ : list of ndarray
        For each column the values that were there, sorted.
    emissions_ : list of ndarray of shape (n_states, n_values)
        For each column the probability of every value in every state.
    log_likelihood_ : ndarray of shape (n_iter + 1,)
        Mean log-likelihood of a sequence before each step, of the start that was kept.
    converged_ : bool
        Whether the rise fell below ``tol``.
    n_iter_ : int
        Steps of EM of the start that was kept.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    MixtureHMM : The same with mixtures of Gaussians, for numbers.

    References
    ----------
    .. [1] L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in speech
       recognition", Proceedings of the IEEE 77, 1989, section III.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.2.

    Examples
    --------
    >>> from counterpoint.sequences import DiscreteHMM
    >>> calm_then_upset = [[[0], [0], [1], [1]]] * 10 + [[[0], [0], [0], [1]]] * 10
    >>> model = DiscreteHMM(2, random_state=0).fit(calm_then_upset)
    >>> [path.tolist() for path in model.decode([[[0], [0], [1], [1]]])][0][0] in (0, 1)
    True
    """

    def __init__(
        self,
        n_states: int = 2,
        *,
        max_iter: int = 100,
        tol: float = 1e-3,
        n_starts: int = 1,
        transitions: ArrayLike | None = None,
        first_states: ArrayLike | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_states = n_states
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.transitions = transitions
        self.first_states = first_states
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target = None, sample_weight: Weights = None) -> Self:
        """Fit the model to sequences.

        Parameters
        ----------
        X : list of (n_events, n_features) arrays, 3-D array, or 2-D array
            Sequences of numbers that stand for values; a 2-D array is one event per sequence. NaN
            is missing.
        y : ignored
        sample_weight : array-like of shape (n_sequences,), default=None
            How much each sequence counts.

        Returns
        -------
        DiscreteHMM
        """
        for name in ("n_states", "max_iter", "n_starts"):
            check_count(getattr(self, name), name)
        check_number(self.tol, "tol", low=0)
        limits = Limits.from_masks(self.n_states, self.transitions, self.first_states)
        data = read_sequences(self, X, reset=True)
        weight = check_sample_weight(sample_weight, len(data))
        weight = np.ones(len(data)) if weight is None else weight
        data, weight = data.take(weight > 0), weight[weight > 0]
        if len(data.values) < self.n_states:
            raise ValueError(
                f"n_samples={len(data)}: their {len(data.values)} events are too few for "
                f"{self.n_states} states: give more, or lower n_states."
            )
        self.values_ = [np.unique(column[~np.isnan(column)]) for column in data.values.T]
        codes = self._codes(data.values)
        rng = check_random_state(self.random_state)
        runs = [self._climb(codes, data, weight, limits, rng) for _ in range(self.n_starts)]
        parameters, path, self.converged_ = max(runs, key=lambda run: run[1][-1])
        self._log_start, self._log_move, self._log_out = parameters
        self.start_, self.transitions_ = np.exp(self._log_start), np.exp(self._log_move)
        self.emissions_ = [np.exp(table) for table in self._log_out]
        self.log_likelihood_, self.n_iter_ = np.array(path), len(path) - 1
        if not self.converged_:
            warnings.warn(
                f"EM was still rising after {self.max_iter} steps: raise max_iter, or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _climb(self, codes, data, weight, limits, rng):
        """Repeat E and M steps from one start."""
        n = self.n_states
        log_start = log_shares(limits.start * rng.uniform(0.5, 1.5, n))
        log_move = log_shares(limits.move * rng.uniform(0.5, 1.5, (n, n)))
        log_out = [log_shares(rng.uniform(0.2, 1.8, (n, max(len(v), 1)))) for v in self.values_]
        path: list[float] = []
        for step in range(self.max_iter + 1):
            known = log_start, log_move, log_out
            own, firsts, moves, share = _pass(codes, data.start, weight, *known)
            path.append(float(own @ weight / weight.sum()))
            flat = step > 0 and path[-1] - path[-2] < self.tol
            if flat or step == self.max_iter:
                break
            log_start, log_move = log_shares(firsts, log_start), log_shares(moves, log_move)
            log_out = [
                log_shares(_count(column, share, table.shape[1]), table)
                for column, table in zip(codes.T, log_out, strict=True)
            ]
        return (log_start, log_move, log_out), path, bool(flat)

    def score_samples(self, X: DataLike) -> NDArray:
        """Return the log-likelihood of each sequence; -inf for those that cannot be.

        Parameters
        ----------
        X : sequences, as in ``fit``

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        check_is_fitted(self)
        data = read_sequences(self, X, reset=False)
        known = self._log_start, self._log_move, self._log_out
        return _pass(self._codes(data.values), data.start, np.ones(len(data)), *known)[0]

    def score(self, X: DataLike, y: Target = None, sample_weight: Any = None) -> float:
        """Return the mean log-likelihood of a sequence."""
        return float(np.average(self.score_samples(X), weights=sample_weight))

    def decode(self, X: DataLike) -> list[NDArray]:
        """Return the most probable states of each sequence (Viterbi), a list of (n_events,)."""
        check_is_fitted(self)
        data = read_sequences(self, X, reset=False)
        log_e = _log_emissions(self._codes(data.values), self._log_out)
        return [
            kernels.best_path(log_e[a:b], self._log_start, self._log_move)[0]
            for a, b in zip(data.start[:-1], data.start[1:], strict=True)
        ]

    def _codes(self, events):
        """Return the position of every value among those of training; -1 where it has none."""
        codes = np.full(events.shape, -1, dtype=np.int64)
        for k, known in enumerate(self.values_):
            if len(known):
                at = np.minimum(np.searchsorted(known, events[:, k]), len(known) - 1)
                codes[:, k] = np.where(known[at] == events[:, k], at, -1)
        return codes

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _log_emissions(codes, log_out):
    """Return log probabilities of events, (n_events, n_states); nothing seen says nothing."""
    log_e = np.zeros((len(codes), len(log_out[0])))
    for column, table in zip(codes.T, log_out, strict=True):
        log_e += np.where((column >= 0)[:, None], table.T[np.maximum(column, 0)], 0.0)
    return log_e


def _pass(codes, start, weight, log_start, log_move, log_out):
    """Return likelihoods, weighted first states and moves, and whose the events are."""
    log_e = _log_emissions(codes, log_out)
    plain, offset = kernels.less_the_most(log_e)
    np.exp(plain, out=plain)
    sums = kernels.pass_over(log_e, plain, offset, start, log_start, log_move, 1, weight)
    return *sums, plain


def _count(column, share, n_values):
    """Weight of every value in every state, (n_states, n_values)."""
    seen = column >= 0
    return np.array(
        [np.bincount(column[seen], state[seen], minlength=n_values) for state in share.T]
    )
