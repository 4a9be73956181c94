"""Weight averaging: an ensemble of perturbed copies of a network made into one network."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from counterpoint._interrupts import keep_partial
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count
from counterpoint.networks.base import BaseNetworkClassifier, check_layers
from counterpoint.networks.coupling import CROSS_ENTROPY
from counterpoint.networks.engine import Networks, Trainer, start_networks
from counterpoint.networks.search import Best
from counterpoint.networks.training import train

STARTS = ("shared", "different")


def averaged(networks: Networks) -> Networks:
    """Return one network with the mean weights of several."""
    return replace(
        networks,
        coefs=[w.mean(axis=0, keepdims=True) for w in networks.coefs],
        intercepts=[b.mean(axis=0, keepdims=True) for b in networks.intercepts],
    )


def aligned(networks: Networks) -> Networks:
    """Reorder the hidden units of all networks to match those of the first.

    A network of tanh units computes the same with its units in any order, and with a unit's
    weights negated on both sides. Units are paired, layer by layer, so that the products of
    their weights add up to the most. What the networks compute stays the same.
    """
    networks = networks.copy()
    coefs, biases = networks.coefs, networks.intercepts
    last = len(coefs) - 2
    for member in range(1, networks.n_members):
        for layer in range(last + 1):
            w, b, after = coefs[layer], biases[layer], coefs[layer + 1]
            match = w[0].T @ w[member] + np.outer(b[0], b[member])
            if layer == last:  # the order of the units after it is given: that of the classes
                match += after[0] @ after[member].T
            order = linear_sum_assignment(-np.abs(match))[1]
            sign = np.where(match[np.arange(len(order)), order] < 0, -1.0, 1.0)
            w[member] = w[member][:, order] * sign
            b[member] = b[member][order] * sign
            after[member] = after[member][order] * sign[:, None]
    return networks


class AveragedNetworkClassifier(BaseNetworkClassifier):
    """Average the weights of perturbed copies of a network: the ensemble becomes one network.

    A network is trained for a while. Copies of it are trained a little further, each without
    one part of the rows. Their hidden units still do similar jobs, so the mean of their weights
    makes sense as a network. It costs one network to store and to ask, and comes near the
    copies' own ensemble.

    Parameters
    ----------
    n_estimators : int, default=10
        Copies, and parts the rows are divided into.
    hidden_layer_sizes : tuple of int, default=(10,)
        Hidden layers, of tanh units.
    start : {"shared", "different"}, default="shared"
        "different" trains networks from random starts of their own, not copies, and reorders
        their hidden units to match the first network's before averaging. Such networks divide
        the work among their units in different ways, so the mean can be worse than any of them.
    base_epochs : int, default=100
        Most epochs before the copies part, at the least loss on held-out rows.
    max_epochs : int, default=60
        Epochs of the copies, after they parted.
    every : int, default=5
        Epochs between two looks at the mean of the copies.
    learning_rate : float, default=0.02
        Of Adam.
    batch_size : int or None, default=256
        Rows in a step; None takes all.
    validation_fraction : float in [0, 1) or None, default=0.2
        Rows held out, the same fraction of each class: they decide how far the copies go.
        None or 0: training rows stand in.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds everything.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    network_ : Networks
        The one that answers: the mean of least loss on held-out rows that errs there no more
        than the network before the copies parted.
    networks_ : Networks
        The copies at that time. ``member_predict`` asks them.
    cv_error_ : float
        Mean error of the copies on the parts left out: what the method takes for the error of
        the network it returns. Optimistic, as the copies' common past has seen all parts.
        NaN if ``start="different"`` and the first network alone was kept.
    history_ : DataFrame
        Per look: ``epoch`` (of the copies), ``valid_error`` and ``valid_loss`` of the mean
        network, ``ensemble_error`` of the copies' mean outputs, ``member_error`` (mean),
        ``cv_error``, and ``spread`` of the weights, their standard deviation over copies.
    best_epoch_ : int
        Epochs of the copies when ``network_`` is their mean.
    held_out_ : ndarray of bool of shape (n_samples,)
    stop_reason_ : {"complete", "interrupted"}

    Notes
    -----
    Departures from [1]_: held-out rows choose the number of epochs, before and after the
    copies part; and ``start="different"``, where the first row of ``history_`` is the first
    network alone.

    References
    ----------
    .. [1] M. Eastwood, PhD thesis, Bournemouth University, 2010, section 2.5.2.
    .. [2] J. Utans, "Weight averaging for neural networks and local resampling schemes", AAAI
       workshop on integrating multiple learned models, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.averaging import AveragedNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> net = AveragedNetworkClassifier(random_state=0).fit(X, y)
    >>> net.network_.n_members, net.networks_.n_members
    (1, 10)
    """

    def __init__(
        self,
        n_estimators: int = 10,
        *,
        hidden_layer_sizes: tuple[int, ...] = (10,),
        start: str = "shared",
        base_epochs: int = 100,
        max_epochs: int = 60,
        every: int = 5,
        learning_rate: float = 0.02,
        batch_size: int | None = 256,
        validation_fraction: float | None = 0.2,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.start = start
        self.base_epochs = base_epochs
        self.max_epochs = max_epochs
        self.every = every
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.progress = progress
        self.random_state = random_state

    def _fit(self, rows, valid, rng):
        hidden = check_layers(self.hidden_layer_sizes, "hidden_layer_sizes")
        is_shared = self.start == "shared"
        base = start_networks(
            1 if is_shared else self.n_estimators,
            (rows.X.shape[1], *hidden, rows.targets.shape[1]),
            output="softmax",
            random_state=rng,
        )
        options = {
            "coupling": CROSS_ENTROPY,
            "solver": "adam",
            "learning_rate": self.learning_rate,
            "batch_size": self.batch_size,
            "random_state": rng,
        }
        begun = train(
            Trainer(networks=base, **options),
            rows.X,
            rows.targets,
            max_epochs=self.base_epochs,
            sample_weight=rows.weight,
            every=self.every,
            watch=lambda networks: float(valid.loss(networks.outputs(valid.X)).mean()),
            progress=self.progress,
        )
        base, copies = begun.networks, [0] * self.n_estimators
        self._history: list = []
        self._best = Best()
        left_out = _parts(len(rows.X), self.n_estimators, rng)
        self._look(0, base.take(copies), rows, valid, left_out if is_shared else None)

        def record(epoch, networks):
            if epoch:
                self._look(epoch, networks, rows, valid, left_out)

        outcome = train(
            Trainer(networks=base.take(copies) if is_shared else base, **options),
            rows.X,
            rows.targets,
            max_epochs=0 if begun.reason == "interrupted" else self.max_epochs,
            sample_weight=_without(rows.weight, left_out),
            every=self.every,
            record=record,
            progress=self.progress,
        )
        is_cut_off = "interrupted" in (begun.reason, outcome.reason)
        self.stop_reason_ = "interrupted" if is_cut_off else "complete"
        if is_cut_off:
            keep_partial(f"{type(self).__name__} keeps the best found so far.", stacklevel=4)
        self.history_ = pd.DataFrame(self._history)
        self.network_, self.networks_, self.cv_error_, self.best_epoch_ = self._best.state
        del self._history, self._best

    def _look(self, epoch, networks, rows, valid, left_out):
        """Measure the mean of the copies; keep it if it is the best."""
        if self.start == "different":
            networks = aligned(networks)
        mean = averaged(networks)
        error, loss = valid.judge(mean.outputs(valid.X)[0])
        outputs = networks.outputs(valid.X)
        spread = np.concatenate([p.std(axis=0).ravel() for p in networks.parameters])
        look = {
            "epoch": epoch,
            "valid_error": error,
            "valid_loss": loss,
            "ensemble_error": float(valid.error(outputs.mean(axis=0))),
            "member_error": float(valid.error(outputs).mean()),
            "cv_error": np.nan if left_out is None else _left_out_error(networks, rows, left_out),
            "spread": float(spread.mean()),
        }
        self._history.append(look)
        self._best.offer(error, loss, (mean, networks.copy(), look["cv_error"], epoch))

    def _scores(self, X):
        X = self._check_X(X)
        return self.network_.outputs(X)[0]

    def _ensemble_proba(self, scores):
        return scores

    def _check_options(self):
        check_count(self.n_estimators, "n_estimators", low=2)
        check_choice(self.start, "start", STARTS)
        for name in ("base_epochs", "max_epochs"):
            check_count(getattr(self, name), name, low=0)
        check_count(self.every, "every")
        check_layers(self.hidden_layer_sizes, "hidden_layer_sizes")
        self._check_training()


def _parts(n_rows, n_parts, rng):
    """Divide rows at random; (n_parts, n_rows), True where a copy does not see the row."""
    part = rng.permutation(np.arange(n_rows) % n_parts)
    return part == np.arange(n_parts)[:, None]


def _without(weight, left_out):
    weights = weight * ~left_out
    # A copy that would see nothing sees all rows.
    return np.where(weights.sum(axis=1, keepdims=True) > 0, weights, weight)


def _left_out_error(networks, rows, left_out):
    wrong = networks.outputs(rows.X).argmax(axis=2) != rows.targets.argmax(axis=1)
    weight = rows.weight * left_out
    total = weight.sum(axis=1)
    seen = total > 0
    return float(((wrong * weight).sum(axis=1)[seen] / total[seen]).mean())
