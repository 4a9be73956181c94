"""Hidden Markov models with mixtures of Gaussians, fitted to many short sequences at once."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import check_sample_weight
from counterpoint._kernels import sequences as kernels
from counterpoint._typing import DataLike, Seed, Target, Weights
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.sequences.chain import Chain, Limits
from counterpoint.sequences.data import Sequences, read_sequences
from counterpoint.sequences.em import climb, expect, threads
from counterpoint.sequences.gaussians import COVARIANCES, Gaussians


class MixtureHMM(BaseEstimator):
    """Hidden Markov model whose states put out mixtures of Gaussians.

    Fitted by expectation maximisation over many sequences of any length. Columns are scaled
    inside; missing values (NaN) count with what the model expects of them.

    Parameters
    ----------
    n_states : int, default=4
        Hidden states.
    n_mixtures : int, default=1
        Gaussians per state.
    covariance : {"full", "diag", "tied"}, default="full"
        Shape of the Gaussians; "tied" is one full matrix for all.
    max_iter : int, default=100
        Most steps of EM per start.
    tol : float, default=1e-3
        EM stops when the mean log-likelihood of a sequence rises by less.
    n_starts : int, default=1
        Starts from different points; the one with the highest likelihood is kept.
    floor : float, default=1e-3
        Least variance in any direction, as a share of the variance of the column.
    transitions : array-like of shape (n_states, n_states), default=None
        0 where a move from the state of the row to that of the column cannot be; other entries
        only say that it can.
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
    mixture_ : ndarray of shape (n_states, n_mixtures)
        Shares of the Gaussians in a state.
    means_ : ndarray of shape (n_states, n_mixtures, n_features)
        Means, in the units of the data.
    covariances_ : ndarray of shape (n_states, n_mixtures, n_features, n_features)
        Covariances, in the units of the data.
    log_likelihood_ : ndarray of shape (n_iter,)
        Mean log-likelihood of a sequence before each step, of the start that was kept.
    restarts_ : list of int
        Steps at which a dead component was set anew; only there may the likelihood fall.
    converged_ : bool
        Whether the rise fell below ``tol``.
    n_iter_ : int
        Steps of EM of the start that was kept.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in speech
       recognition", Proceedings of the IEEE 77, 1989, section IV.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.sequences import MixtureHMM
    >>> rng = np.random.RandomState(0)
    >>> low_then_high = [np.r_[rng.randn(3, 1), 9 + rng.randn(3, 1)] for _ in range(20)]
    >>> model = MixtureHMM(2, random_state=0).fit(low_then_high)
    >>> sorted(model.means_.ravel().round().tolist())
    [0.0, 9.0]
    """

    def __init__(
        self,
        n_states: int = 4,
        *,
        n_mixtures: int = 1,
        covariance: str = "full",
        max_iter: int = 100,
        tol: float = 1e-3,
        n_starts: int = 1,
        floor: float = 1e-3,
        transitions: ArrayLike | None = None,
        first_states: ArrayLike | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_states = n_states
        self.n_mixtures = n_mixtures
        self.covariance = covariance
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.floor = floor
        self.transitions = transitions
        self.first_states = first_states
        self.random_state = random_state

    @classmethod
    def from_parameters(
        cls,
        start: ArrayLike,
        transitions: ArrayLike,
        mixture: ArrayLike,
        means: ArrayLike,
        covariances: ArrayLike,
    ) -> Self:
        """Return a fitted model with given parameters, to ask or to draw from.

        Parameters
        ----------
        start, transitions, mixture, means, covariances : array-like
            Of the shapes of ``start_``, ``transitions_`` and so on; covariances are full.

        Returns
        -------
        MixtureHMM

        Examples
        --------
        >>> from counterpoint.sequences import MixtureHMM
        >>> one = MixtureHMM.from_parameters([1.0], [[1.0]], [[1.0]], [[[0.0]]], [[[[1.0]]]])
        >>> one.score_samples([[[0.0]]]).round(4).tolist()
        [-0.9189]
        """
        shares = [np.asarray(a, dtype=float) for a in (start, transitions, mixture)]
        mean, cov = np.asarray(means, dtype=float), np.asarray(covariances, dtype=float)
        shapes = [a.shape for a in (*shares, mean, cov)]
        n, d = len(np.atleast_1d(shares[0])), mean.shape[-1] if mean.ndim else 0
        m = shares[2].shape[-1] if shares[2].ndim else 0
        if shapes != [(n,), (n, n), (n, m), (n, m, d), (n, m, d, d)]:
            raise ValueError(
                f"Shapes {shapes} do not go together: expected (n_states,), (n_states, n_states), "
                "(n_states, n_mixtures), then n_features behind, once and twice."
            )
        for name, a in zip(("start", "transitions", "mixture"), shares, strict=True):
            if not (a >= 0).all() or not np.allclose(a.sum(axis=-1), 1.0):
                raise ValueError(f"{name} must hold shares from 0 that add up to 1 in each row.")
        if not (np.linalg.eigvalsh(cov) > 0).all():
            raise ValueError("covariances must be positive definite, symmetric matrices.")
        model = cls(n, n_mixtures=m)
        model.n_features_in_ = d
        model._center, model._spread = np.zeros(d), np.ones(d)
        with np.errstate(divide="ignore"):
            logs = [np.log(a) for a in shares]
        parts = Gaussians(mean=mean.reshape(n * m, d), covariance=cov.reshape(n * m, d, d))
        return model._keep(Chain(log_start=logs[0], log_move=logs[1], log_mix=logs[2], parts=parts))

    # -- fitting -------------------------------------------------------------------------------

    def fit(self, X: DataLike, y: Target = None, sample_weight: Weights = None) -> Self:
        """Fit the model to sequences.

        Parameters
        ----------
        X : list of (n_events, n_features) arrays, 3-D array, or 2-D array
            Sequences; a 2-D array is one event per sequence. NaN is missing.
        y : ignored
        sample_weight : array-like of shape (n_sequences,), default=None
            How much each sequence counts.

        Returns
        -------
        MixtureHMM
        """
        limits = self._check()
        data = read_sequences(self, X, reset=True)
        weight = check_sample_weight(sample_weight, len(data))
        weight = np.ones(len(data)) if weight is None else weight
        data, weight = data.take(weight > 0), weight[weight > 0]
        n_parts = self.n_states * self.n_mixtures
        if len(data.values) < n_parts:
            raise ValueError(
                f"n_samples={len(data)}: their {len(data.values)} events are too few for "
                f"{self.n_states} states of {self.n_mixtures} Gaussians each: give at least "
                f"{n_parts} events, or lower n_states or n_mixtures."
            )
        self._learn_scale(data, weight)
        shift = self._scaling(data) @ weight / weight.sum()
        data = self._scale(data)
        rng = check_random_state(self.random_state)
        options = {name: getattr(self, name) for name in ("max_iter", "tol", "floor")}
        with threads(len(data.values), n_parts) as each:
            runs = []
            for _ in range(self.n_starts):
                start = Chain.draw(data, weight, self.n_mixtures, self.covariance, limits, rng)
                runs.append(climb(start, data, weight, limits, rng, each, **options))
        best = max(runs, key=lambda run: run.path[-1])
        self.restarts_, self.converged_ = best.restarts, best.converged
        self.n_iter_ = len(best.path) - 1
        self.log_likelihood_ = np.array(best.path) - shift
        self._keep(best.chain)
        if not self.converged_:
            warnings.warn(
                f"EM was still rising after {self.max_iter} steps: raise max_iter, or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _keep(self, chain):
        """Make this chain the model; attributes are in the units of the data."""
        self._chain = chain
        shape = chain.log_mix.shape
        self.start_, self.transitions_ = np.exp(chain.log_start), np.exp(chain.log_move)
        self.mixture_ = np.exp(chain.log_mix)
        self.means_ = (chain.parts.mean * self._spread + self._center).reshape(*shape, -1)
        cov = chain.parts.covariance * np.outer(self._spread, self._spread)
        self.covariances_ = cov.reshape(*shape, *cov.shape[1:])
        return self

    def _learn_scale(self, data, weight):
        mass = np.where(np.isnan(data.values), 0.0, np.repeat(weight, data.lengths)[:, None])
        total = np.maximum(mass.sum(axis=0), np.finfo(float).tiny)  # a column may never be seen
        values = np.nan_to_num(data.values)
        self._center = (mass * values).sum(axis=0) / total
        spread = np.sqrt((mass * (values - self._center) ** 2).sum(axis=0) / total)
        # What rounding leaves of a constant column is no spread.
        self._spread = np.where(spread > 1e-12 * (1 + np.abs(self._center)), spread, 1.0)

    def _scaling(self, data):
        """Return what scaling adds to the log density of each sequence; by the values seen."""
        return np.add.reduceat(~np.isnan(data.values) @ np.log(self._spread), data.start[:-1])

    def _scale(self, data):
        return Sequences(values=(data.values - self._center) / self._spread, start=data.start)

    # -- asking --------------------------------------------------------------------------------

    def score_samples(self, X: DataLike) -> NDArray:
        """Return the log-likelihood of each sequence; -inf for those that cannot be.

        Missing values are left out of it.

        Parameters
        ----------
        X : sequences, as in ``fit``

        Returns
        -------
        ndarray of shape (n_sequences,)
        """
        check_is_fitted(self)
        raw = read_sequences(self, X, reset=False)
        data = self._scale(raw)
        with threads(len(data.values), self._chain.log_mix.size) as each:
            expected = expect(self._chain, data, np.ones(len(data)), each, learn=False)
        return expected.likelihood - self._scaling(raw)

    def score(self, X: DataLike, y: Target = None, sample_weight: Any = None) -> float:
        """Return the mean log-likelihood of a sequence."""
        return float(np.average(self.score_samples(X), weights=sample_weight))

    def decode(self, X: DataLike) -> list[NDArray]:
        """Return the most probable states of each sequence (Viterbi), a list of (n_events,)."""
        check_is_fitted(self)
        data = self._scale(read_sequences(self, X, reset=False))
        paths = []
        for values in data:
            log_e = self._chain.emissions(values)[0]
            log_b = logsumexp(log_e.reshape(len(values), self.n_states, -1), axis=2)
            paths.append(kernels.best_path(log_b, self._chain.log_start, self._chain.log_move)[0])
        return paths

    def predict_state_proba(self, X: DataLike) -> list[NDArray]:
        """Return the probability of each state at each event, given the whole sequence.

        Returns
        -------
        list of ndarray of shape (n_events, n_states)
        """
        check_is_fitted(self)
        data = self._scale(read_sequences(self, X, reset=False))
        log_e, plain, offset = self._chain.emissions(data.values)
        kernels.pass_over(
            log_e, plain, offset, data.start, self._chain.log_start, self._chain.log_move,
            self.n_mixtures, np.ones(len(data)),
        )  # fmt: skip
        share = plain.reshape(len(plain), self.n_states, -1).sum(axis=2)
        return [share[a:b] for a, b in zip(data.start[:-1], data.start[1:], strict=True)]

    def sample(self, lengths: int | ArrayLike, random_state: Seed = None) -> list[NDArray]:
        """Draw sequences from the model.

        Parameters
        ----------
        lengths : int or array-like of int
            Number of events of each sequence to draw.
        random_state : int, RandomState instance or None, default=None

        Returns
        -------
        list of ndarray of shape (n_events, n_features)
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        drawn = []
        for length in np.atleast_1d(lengths):
            state, rows = rng.choice(self.n_states, p=self.start_), []
            for _ in range(length):
                m = rng.choice(self.n_mixtures, p=self.mixture_[state])
                rows.append(
                    rng.multivariate_normal(self.means_[state, m], self.covariances_[state, m])
                )
                state = rng.choice(self.n_states, p=self.transitions_[state])
            drawn.append(np.array(rows))
        return drawn

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # -- checks --------------------------------------------------------------------------------

    def _check(self):
        for name in ("n_states", "n_mixtures", "max_iter", "n_starts"):
            check_count(getattr(self, name), name)
        check_number(self.tol, "tol", low=0)
        check_choice(self.covariance, "covariance", COVARIANCES)
        check_number(self.floor, "floor", low=1e-100, hint=", for example 1e-3")
        return Limits.from_masks(self.n_states, self.transitions, self.first_states)
