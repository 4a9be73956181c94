"""Bregman losses: the losses with a clean decomposition, and the combiner each one asks for.

A Bregman loss is ``B(y, q) = phi(y) - phi(q) - <grad phi(q), y - q>`` for a convex generator
``phi``. Heskes (2025) shows that, up to a change of variables, only these have a clean
bias-variance decomposition. Wood et al. (2023) show that the diversity of an ensemble is one
more term of it, if members are averaged in the coordinates ``theta = grad phi(q)``: the
centroid combiner.

Work is done in those coordinates throughout. A combined probability may round to 1, while
its logit still tells it from its neighbours; this is what keeps the identities exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr, expit, log_softmax, xlogy

from counterpoint._arrays import (
    SQUARABLE,
    as_array,
    check_floats,
    check_member_weight,
    check_samples,
)
from counterpoint._validation import check_choice, check_number
from counterpoint.decomposition.inputs import check_classes, check_probabilities, encode

DEFAULT_EPS = 1e-12


@dataclass(frozen=True)
class BregmanLoss:
    """A loss made from a convex generator; give your own to :func:`bias_variance_diversity`.

    Parameters
    ----------
    name : str
        What to call it.
    generator : callable
        ``phi``: values to convex function values, element by element; a ``vector`` loss sums
        over the last axis.
    gradient : callable
        Gradient of ``phi``, of the shape of its argument.
    inverse_gradient : callable
        Undoes ``gradient``.
    domain : (float, float), default=(-inf, inf)
        Outputs lie strictly between these; one on a finite edge is moved inside by ``eps``,
        one beyond is an error. Targets may lie on the edge if the loss is finite there.
    vector : bool, default=False
        True when an output is a vector, such as class probabilities: arrays then have one
        more axis, the last.

    Examples
    --------
    The Itakura-Saito loss, whose combiner is the harmonic mean:

    >>> import numpy as np
    >>> loss = BregmanLoss(
    ...     "itakura-saito",
    ...     generator=lambda q: -np.log(q),
    ...     gradient=lambda q: -1 / q,
    ...     inverse_gradient=lambda theta: -1 / theta,
    ...     domain=(0, np.inf),
    ... )
    >>> centroid([[1.0], [3.0]], loss)
    array([1.5])
    """

    name: str
    generator: Callable[[NDArray], NDArray]
    gradient: Callable[[NDArray], NDArray]
    inverse_gradient: Callable[[NDArray], NDArray]
    domain: tuple[float, float] = (-np.inf, np.inf)
    vector: bool = False

    # B(y + c, q + c) = B(y, q): callers may measure from the target, which keeps digits
    shifts: ClassVar[bool] = False

    def divergence(self, p: ArrayLike, q: ArrayLike) -> NDArray:
        """Return ``B(p, q)``: the loss of predicting ``q`` where ``p`` is true."""
        p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
        return self.from_target(p, self.gradient(q))

    def centre(self, theta: NDArray, *, axis: int, weights: NDArray | None = None) -> NDArray:
        """Return the coordinates of the centroid of outputs with coordinates ``theta``."""
        return np.average(theta, axis=axis, weights=weights)

    def from_target(self, y: NDArray, theta: NDArray) -> NDArray:
        """Return the loss against target ``y`` of outputs with coordinates ``theta``."""
        q = self.inverse_gradient(theta)
        return self.generator(y) - self.generator(q) - self._dot(theta, y - q)

    def from_centre(self, centre: NDArray, theta: NDArray) -> NDArray:
        """Return the loss of outputs against a centroid, both given by coordinates."""
        return self.from_target(self.inverse_gradient(centre), theta)

    def noise(self, y: NDArray) -> NDArray:
        """Return the expected loss of the mean ``y`` of a target; 0 where ``y`` cannot tell."""
        return np.zeros(y.shape[: y.ndim - self.vector])

    def check_outputs(self, outputs: ArrayLike, axes: Sequence[str], eps: float) -> NDArray:
        """Return outputs strictly inside the domain, or say which is outside."""
        check_number(eps, "eps", low=0, high=0.1, open_low=True, open_high=True)
        values = check_floats(outputs, "outputs", axes, most=SQUARABLE)
        self._check_range(values, "outputs")
        low, high = self.domain
        if np.isfinite(self.domain).any():
            values = np.clip(values, low + eps, high - eps)
        return values

    def check_target(
        self, y: ArrayLike, outputs: NDArray, axes: Sequence[str], classes: ArrayLike | None
    ) -> NDArray:
        """Return the target in the shape of one output a sample."""
        if classes is not None and not self.vector:
            raise ValueError(
                f"classes are given, but {self.name!r} loss has one number an output, not one a "
                "class: leave classes out."
            )
        target = as_array(y, "y")
        if self.vector and target.ndim == 1:
            target = self._one_hot(target, outputs.shape[-1], classes)
        else:
            target = self._check_points(y, outputs)
        check_samples(outputs, "outputs", axes, len(target))
        return target

    def _check_points(self, y: ArrayLike, outputs: NDArray) -> NDArray:
        target = check_floats(y, "y", self._target_axes(), most=SQUARABLE)
        self._check_width(target, outputs)
        self._check_range(target, "y")
        with np.errstate(all="ignore"):
            finite = np.isfinite(self.generator(target))
        if not finite.all():
            i = int(np.argmin(finite))
            raise ValueError(
                f"y is {target[i]} at sample {i}, where {self.name!r} loss is not finite: "
                "leave that sample out or choose another loss."
            )
        return target

    def _target_axes(self) -> list[str]:
        return ["n_samples", "n_classes"] if self.vector else ["n_samples"]

    def _check_width(self, target: NDArray, outputs: NDArray) -> None:
        if self.vector and target.shape[-1] != outputs.shape[-1]:
            raise ValueError(
                f"y has {target.shape[-1]} columns, but outputs has {outputs.shape[-1]} classes "
                "on its last axis: they must match."
            )

    def _check_range(self, values: NDArray, name: str) -> None:
        low, high = self.domain
        if values.min() < low or values.max() > high:
            bad = values[(values < low) | (values > high)][0]
            raise ValueError(
                f"{name} has {bad:g}, but {self.name!r} loss needs values from {low:g} to {high:g}."
            )

    def _one_hot(self, labels: NDArray, n_classes: int, classes: ArrayLike | None) -> NDArray:
        known = np.arange(n_classes) if classes is None else check_classes(classes)
        if len(known) != n_classes:
            raise ValueError(
                f"classes has {len(known)} values, but outputs has {n_classes} classes on its "
                "last axis: give the label of each, in order."
            )
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError(f"y has {labels[~np.isfinite(labels)][0]}: every label must be known.")
        labels = labels.astype(np.intp) if labels.dtype == bool else labels
        return np.eye(n_classes)[encode(labels, known, "y")]

    def _dot(self, a: NDArray, b: NDArray) -> NDArray:
        return (a * b).sum(axis=-1) if self.vector else a * b


class _Squared(BregmanLoss):
    shifts = True

    def from_target(self, y, theta):
        return (y - theta / 2) ** 2

    def from_centre(self, centre, theta):
        return ((centre - theta) / 2) ** 2


class _Poisson(BregmanLoss):
    def from_target(self, y, theta):
        # y h(theta - log y), h(u) = exp(u) - 1 - u, is exact for near misses; h ends at y = 0
        with np.errstate(divide="ignore", invalid="ignore"):
            away = theta - np.log(y)
            near = y * (np.expm1(away) - away)
        return np.where(y > 0, near, np.exp(theta))

    def from_centre(self, centre, theta):
        away = theta - centre
        return np.exp(centre) * (np.expm1(away) - away)


class _Logistic(BregmanLoss):
    def from_target(self, y, theta):
        loss = y * np.logaddexp(0, -theta) + (1 - y) * np.logaddexp(0, theta)
        return loss - self.noise(y)

    def from_centre(self, centre, theta):
        of_one = np.logaddexp(0, -theta) - np.logaddexp(0, -centre)
        of_zero = np.logaddexp(0, theta) - np.logaddexp(0, centre)
        return expit(centre) * of_one + expit(-centre) * of_zero

    def noise(self, y):
        return entr(y) + entr(1 - y)


class _CrossEntropy(BregmanLoss):
    """Coordinates are log-probabilities, which are the gradient up to a constant."""

    def centre(self, theta, *, axis, weights=None):
        return log_softmax(np.average(theta, axis=axis, weights=weights), axis=-1)

    def from_target(self, y, theta):
        return (xlogy(y, y) - y * theta).sum(axis=-1)

    def from_centre(self, centre, theta):
        return (np.exp(centre) * (centre - theta)).sum(axis=-1)

    def noise(self, y):
        return entr(y).sum(axis=-1)

    def check_outputs(self, outputs, axes, eps):
        values = super().check_outputs(check_probabilities(outputs, "outputs", axes), axes, eps)
        values /= values.sum(axis=-1, keepdims=True)  # a copy: the domain has edges to clip to
        return values

    def _check_points(self, y, outputs):
        target = check_probabilities(y, "y", self._target_axes())
        self._check_width(target, outputs)
        return target / target.sum(axis=-1, keepdims=True)

    def _check_range(self, values, name):
        """Probabilities have been checked, up to rounding of their sum."""


def _double(q):
    return 2 * q


def _half(theta):
    return theta / 2


def _count_entropy(q):
    return xlogy(q, q) - q


def _bernoulli_entropy(q):
    return xlogy(q, q) + xlogy(1 - q, 1 - q)


def _logit(q):
    return np.log(q) - np.log1p(-q)


def _class_entropy(q):
    return xlogy(q, q).sum(axis=-1)


def _softmax(theta):
    return np.exp(log_softmax(theta, axis=-1))


#: The built-in losses by name.
LOSSES: dict[str, BregmanLoss] = {
    "squared": _Squared("squared", np.square, _double, _half),
    "cross-entropy": _CrossEntropy(
        "cross-entropy", _class_entropy, np.log, _softmax, domain=(0, 1), vector=True
    ),
    "poisson": _Poisson("poisson", _count_entropy, np.log, np.exp, domain=(0, np.inf)),
    "logistic": _Logistic("logistic", _bernoulli_entropy, _logit, expit, domain=(0, 1)),
}


def get_loss(loss: str | BregmanLoss) -> BregmanLoss:
    """Return the loss of this name, or the loss itself."""
    if isinstance(loss, BregmanLoss):
        return loss
    return LOSSES[check_choice(loss, "loss", LOSSES)]


def centroid(
    outputs: ArrayLike,
    loss: str | BregmanLoss = "squared",
    *,
    weights: ArrayLike | None = None,
    eps: float = DEFAULT_EPS,
) -> NDArray:
    """Combine members as the loss asks for: by the mean of their gradient coordinates.

    That is the arithmetic mean for squared loss, the normalised geometric mean for
    cross-entropy, the geometric mean for Poisson loss, and the mean of the logits for
    logistic loss. Only with this combiner is diversity a clean term of the error.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_classes)
        With classes for cross-entropy and other vector losses. Means for squared and Poisson
        loss, probabilities of the second class for logistic loss.
    loss : str or BregmanLoss, default="squared"
        The loss that the ensemble will meet, from :data:`LOSSES` or of your own.
    weights : array-like of shape (n_members,) or None, default=None
        Non-negative weights of the members; None means equal.
    eps : float, default=1e-12
        Outputs on the edge of the domain, such as zero probabilities, are moved inside by
        this much (and probabilities made to add up to one again): one member's zero would
        else outvote all others.

    Returns
    -------
    combined : ndarray of shape (n_samples,) or (n_samples, n_classes)

    References
    ----------
    .. [1] D. Wood et al., "A unified theory of diversity in ensemble learning", JMLR 24, 2023.
    .. [2] N. Gupta et al., "Ensembles of classifiers: a bias-variance perspective", TMLR 2022.

    Examples
    --------
    >>> centroid([[1.0], [4.0]], "poisson")
    array([2.])
    """
    bregman = get_loss(loss)
    axes = ["n_members", "n_samples", "n_classes"][: 2 + bregman.vector]
    values = bregman.check_outputs(outputs, axes, eps)
    share = check_member_weight(weights, len(values))
    theta = bregman.gradient(values)
    return bregman.inverse_gradient(bregman.centre(theta, axis=0, weights=share))
