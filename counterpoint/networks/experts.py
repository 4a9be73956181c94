"""Mixtures of experts: members that share the input space instead of repeating each other."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._ballot import weighted_sum
from counterpoint._interrupts import keep_partial
from counterpoint._progress import track
from counterpoint._typing import DataLike, Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import draw_seed
from counterpoint.networks import mixture as mixtures
from counterpoint.networks.base import (
    BaseNetworkClassifier,
    BaseNetworkRegressor,
    BaseNetworks,
    check_layers,
)

GATES = ("soft", "stochastic", "hard")
SOLVERS = ("em", "gradient")
# Iterations in a row without a gain of ``tol``; steps of gradient ascent go up and down.
_PATIENCE = {"em": 1, "gradient": 10}


class BaseMixtureOfExperts(BaseNetworks):
    """Options, training and gate that classifier and regressor share."""

    def __init__(
        self,
        n_estimators: int = 4,
        *,
        hidden_layer_sizes: int | tuple[Any, ...] = (),
        gate: str = "soft",
        gate_hidden_layer_sizes: Any = (),
        solver: str = "em",
        alpha: float = 1e-4,
        max_epochs: int = 100,
        tol: float = 1e-4,
        inner_iter: int = 5,
        learning_rate: float = 0.02,
        batch_size: int | None = 256,
        n_init: int = 1,
        validation_fraction: float = 0.1,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.gate = gate
        self.gate_hidden_layer_sizes = gate_hidden_layer_sizes
        self.solver = solver
        self.alpha = alpha
        self.max_epochs = max_epochs
        self.tol = tol
        self.inner_iter = inner_iter
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_init = n_init
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.random_state = random_state

    def _check_options(self):
        for name in ("n_estimators", "inner_iter", "n_init"):
            check_count(getattr(self, name), name)
        check_count(self.max_epochs, "max_epochs", low=0)
        check_choice(self.gate, "gate", GATES)
        check_choice(self.solver, "solver", SOLVERS)
        check_number(self.alpha, "alpha", low=0)
        check_number(self.tol, "tol", low=0)
        self._check_training()

    @np.errstate(over="ignore", invalid="ignore")  # a step that ran away is seen, and not kept
    def _fit(self, rows, valid, rng):
        """Train from ``n_init`` starts; keep the mixture most likely on the held-out rows."""
        best, paths, self.stop_reason_ = -np.inf, [], "max_epochs"
        self._gate_seed = draw_seed(rng)
        try:
            for begin in range(self.n_init):
                path: list = []
                paths.append(path)
                start = mixtures.start(
                    self.n_estimators,
                    check_layers(self.hidden_layer_sizes, "hidden_layer_sizes", may_be_empty=True),
                    check_layers(
                        self.gate_hidden_layer_sizes, "gate_hidden_layer_sizes", may_be_empty=True
                    ),
                    rows,
                    output="linear" if self._is_regression else "softmax",
                    alpha=self.alpha,
                    rng=rng,
                )
                for mixture in self._states(start, rows, rng):
                    path.append(self._look(mixture, rows, valid, begin, len(path)))
                    # A NaN is never larger, so a step that ran away is never kept.
                    if path[-1]["valid_log_likelihood"] > best:
                        best = path[-1]["valid_log_likelihood"]
                        self._mixture, kept = mixture, (begin, len(path) - 1)
                    if self._is_still(path):
                        self.stop_reason_ = "converged"
                        break
        except KeyboardInterrupt:
            if best == -np.inf:
                raise
            keep_partial(f"{type(self).__name__} keeps the best found so far.", stacklevel=4)
            self.stop_reason_ = "interrupted"
        if best == -np.inf:
            raise ArithmeticError(
                "No mixture with a finite likelihood was found: lower the learning rate "
                f"({self.learning_rate:g})."
            )
        begin, self.best_epoch_ = kept
        self.history_ = pd.DataFrame([look for path in paths for look in path])
        self.log_likelihood_ = np.array([look["log_likelihood"] for look in paths[begin]])
        self.n_epochs_ = len(paths[begin]) - 1

    def _states(self, mixture, rows, rng):
        yield mixture
        if self.solver == "em":
            better = mixtures.em(mixture, rows, alpha=self.alpha, inner=self.inner_iter)
        else:
            better = mixtures.ascend(
                mixture,
                rows,
                alpha=self.alpha,
                learning_rate=self.learning_rate,
                batch_size=self.batch_size,
                rng=rng,
            )
        steps = track(range(self.max_epochs), description="Training experts", show=self.progress)
        for _ in steps:
            yield next(better)

    def _look(self, mixture, rows, valid, begin, epoch):
        share = mixture.gate.outputs(rows.X)[0].T @ rows.weight
        share = share[share > 0]
        return {
            "start": begin,
            "epoch": epoch,
            "log_likelihood": mixture.log_likelihood(rows) - mixture.penalty(self.alpha),
            "valid_log_likelihood": mixture.log_likelihood(valid),
            "experts_in_use": float(np.exp(-(share * np.log(share)).sum())),
        }

    def _is_still(self, path):
        wait = _PATIENCE[self.solver]
        if len(path) <= wait:
            return False
        values = [look["log_likelihood"] for look in path]
        return not max(values[-wait:]) > max(values[:-wait]) + self.tol

    @property
    def experts_(self) -> Any:
        """The experts, as stacked arrays."""
        return self._mixture.experts

    networks_ = experts_

    @property
    def gate_(self) -> Any:
        """The gate, a network with one output per expert."""
        return self._mixture.gate

    def gate_proba(self, X: DataLike) -> NDArray:
        """Return how the gate shares each row among the experts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
            Rows add up to 1.
        """
        X = self._check_X(X)
        return self.gate_.outputs(X)[0]

    def _scores(self, X):
        """Combine what the experts put out by ``gate``."""
        X = self._check_X(X)
        outputs, share = self.experts_.outputs(X), self.gate_.outputs(X)[0]
        if self.gate == "soft":
            return self.scale_.back(weighted_sum(share.T[:, :, None], outputs))
        if self.gate == "hard":
            chosen = share.argmax(axis=1)
        else:
            drawn = np.random.RandomState(self._gate_seed).random_sample((len(X), 1))
            chosen = np.minimum((share.cumsum(axis=1) < drawn).sum(axis=1), share.shape[1] - 1)
        return self.scale_.back(outputs[chosen, np.arange(len(X))])


class MixtureOfExpertsClassifier(BaseMixtureOfExperts, BaseNetworkClassifier):
    """Mixture of experts: a gate learns which member to ask where, while the members learn.

    The probability of class y at x is ``sum_i g_i(x) p_i(y | x)``: a gate with a softmax output
    per expert, and experts with a softmax output per class. Both are trained together to make
    the training data likely. Experts are linear unless ``hidden_layer_sizes`` says otherwise.

    Parameters
    ----------
    n_estimators : int, default=4
        Number of experts.
    hidden_layer_sizes : tuple of int, default=()
        Hidden layers of each expert; () makes experts linear.
    gate : {"soft", "stochastic", "hard"}, default="soft"
        What answers: the experts' mean with the gate's weights, one expert drawn with the
        gate's probabilities, or the expert the gate favours. Training is the same. Draws are
        seeded in ``fit``: the same rows, in the same order, get the same answers.
    gate_hidden_layer_sizes : tuple of int, default=()
        Hidden layers of the gate; () makes its borders linear.
    solver : {"em", "gradient"}, default="em"
        Expectation-maximisation [2]_, which never lowers the likelihood, or gradient ascent
        [1]_ by Adam.
    alpha : float, default=1e-4
        Half this times the squared weights is taken off the mean log-likelihood. With 0
        weights can grow without end where classes are separable.
    max_epochs : int, default=100
        Most rounds of EM, or epochs of gradient ascent, per start.
    tol : float, default=1e-4
        Stop when the (penalised, mean) log-likelihood rises by no more: after one round of EM,
        after ten epochs of gradient ascent.
    inner_iter : int, default=5
        Steps of L-BFGS for gate and experts in a round of EM.
    learning_rate : float, default=0.02
        Of ``solver="gradient"``.
    batch_size : int or None, default=256
        Rows in a step of ``solver="gradient"``; None takes all.
    n_init : int, default=1
        Random starts; EM finds a local maximum only.
    validation_fraction : float in [0, 1) or None, default=0.1
        Rows held out, the same fraction of each class. Of all epochs of all starts the
        mixture most likely on them is kept. None or 0: training rows stand in.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds starts, held-out rows, batches and draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    log_likelihood_ : ndarray of shape (n_epochs_ + 1,)
        Mean log-likelihood of a training row less the penalty, from the start on; of the start
        that was kept. EM never lowers it.
    n_epochs_, best_epoch_ : int
        Rounds of EM or epochs of gradient ascent done, and the one that was kept.
    history_ : DataFrame
        Per start and epoch: ``log_likelihood``, ``valid_log_likelihood``, and
        ``experts_in_use``, the exponential of the entropy of the gate's mean shares.
    held_out_ : ndarray of bool of shape (n_samples,)
        Rows of the training data that were held out.
    stop_reason_ : {"converged", "max_epochs", "interrupted"}
    experts_, gate_ : Networks
        The trained networks, for inputs scaled by ``scale_``.

    Notes
    -----
    Departures: [2]_ fit gate and experts of classes by iteratively reweighted least squares,
    here L-BFGS does that for a few steps, which is a generalised EM. Training starts from a
    rough split of the rows by distance rather than from random weights.

    References
    ----------
    .. [1] R. Jacobs, M. Jordan, S. Nowlan and G. Hinton, "Adaptive mixtures of local experts",
       Neural Computation 3, 1991.
    .. [2] M. Jordan and R. Jacobs, "Hierarchical mixtures of experts and the EM algorithm",
       Neural Computation 6, 1994.
    .. [3] M. Eastwood, PhD thesis, Bournemouth University, 2010, section 2.3.3.

    Examples
    --------
    Two linear experts solve what one cannot:

    >>> import numpy as np
    >>> from counterpoint.networks.experts import MixtureOfExpertsClassifier
    >>> X = np.random.RandomState(0).uniform(-1, 1, (400, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> alone = MixtureOfExpertsClassifier(1, random_state=0).fit(X, y)
    >>> both = MixtureOfExpertsClassifier(2, random_state=0).fit(X, y)
    >>> bool(both.score(X, y) > 0.9 > 0.7 > alone.score(X, y))
    True
    """

    def _ensemble_proba(self, scores):
        return scores


class MixtureOfExpertsRegressor(BaseMixtureOfExperts, BaseNetworkRegressor):
    """Mixture of experts for values: a gate shares the input space among regressions.

    The density of y at x is ``sum_i g_i(x) N(y; f_i(x), v_i)``: experts are linear (or networks)
    with a variance of their own. For one output.

    Parameters
    ----------
    n_estimators, hidden_layer_sizes, gate, gate_hidden_layer_sizes, solver, alpha, max_epochs, \
tol, inner_iter, learning_rate, batch_size, n_init, validation_fraction, progress, random_state
        As in :class:`MixtureOfExpertsClassifier`; rows are held out at random.

    Attributes
    ----------
    noise_ : ndarray of shape (n_estimators,)
        Standard deviation of each expert's distribution, in the unit of y.
    log_likelihood_, n_epochs_, best_epoch_, history_, held_out_, stop_reason_, experts_, gate_
        As in :class:`MixtureOfExpertsClassifier`, for targets scaled to variance 1.

    Notes
    -----
    A variance is never below a millionth of that of y, so an expert cannot make the likelihood
    infinite by going through a few points. Linear experts have a closed form in EM.

    See Also
    --------
    MixtureOfExpertsClassifier : The same for labels, with its sources.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.networks.experts import MixtureOfExpertsRegressor
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> y = np.abs(X[:, 0])
    >>> mixture = MixtureOfExpertsRegressor(2, random_state=0).fit(X, y)
    >>> bool(mixture.score(X, y) > 0.99)
    True
    """

    @property
    def noise_(self) -> NDArray:
        """Standard deviation of each expert's distribution, in the unit of y."""
        return np.sqrt(self._mixture.variance) * self.scale_.y_unit
