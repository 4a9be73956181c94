"""What members take from each other while they are trained, and how to add to it.

A :class:`Coupling` gives the error that each member descends, from the outputs of all members.
Strength s in [0, 1] means the same everywhere: 0 trains every network alone; 1 is the strongest
coupling at which members do not fly apart. For the squared error (negative correlation learning)
and the cross-entropy (its generalization by Buschjäger et al. 2020) the networks descend ::

    N * J,   J = (1 - s) * mean_i loss(f_i) + s * loss(f)

with ``f`` the mean of the outputs.
"""

import math
from abc import ABC, abstractmethod
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from counterpoint._strength import lambda_star, lambda_upper, resolve_strength
from counterpoint._validation import check_choice

LOSSES = ("squared", "cross-entropy")
# The largest lambda at which the root-quartic penalty never drives ideal linear outputs apart,
# for any number of members. With d_i = f_i - f and V the mean of d_i^2, the Cauchy-Schwarz
# inequality bounds the derivative of p_i by 2 sqrt(d_i^2 + V), and applied once more
# sum_i d_i dp_i/df_i <= 2 sqrt(2) sum_i d_i^2. Two camps of equal size reach the bound.
ROOT_QUARTIC_STAR = 1.0 / (2.0 * math.sqrt(2.0))

# All couplings with a name, by that name and the loss they go with.
COUPLINGS: dict[tuple[str, str], type["Coupling"]] = {}


def register_coupling(coupling: type["Coupling"]) -> type["Coupling"]:
    """Make a coupling known by its ``name``, so that ``penalty="name"`` finds it.

    Parameters
    ----------
    coupling : subclass of Coupling
        With a ``name`` of its own; another one of the same name and loss is replaced.

    Returns
    -------
    subclass of Coupling
        The same: use it as a decorator.

    Examples
    --------
    >>> from counterpoint.networks import NegativeCorrelationClassifier, register_coupling
    >>> from counterpoint.networks.coupling import NegativeCorrelation
    >>> @register_coupling
    ... class Independence(NegativeCorrelation):
    ...     name = "none"
    ...     def gradient(self, outputs, targets):
    ...         return outputs - targets
    >>> NegativeCorrelationClassifier(penalty="none")
    NegativeCorrelationClassifier(penalty='none')
    """
    if not (isinstance(coupling, type) and issubclass(coupling, Coupling)):
        raise TypeError(f"coupling={coupling!r}: give a subclass of Coupling.")
    if not coupling.name:
        raise ValueError(f"{coupling.__name__} has no name: give the class a `name` to go by.")
    COUPLINGS[coupling.name, coupling.loss] = coupling
    return coupling


class Coupling(ABC):
    """What the error of one member takes from the outputs of the others.

    A subclass gives the error and its derivative at every sample; means over samples, weights of
    samples and the way back through the networks are the engine's. The estimator sets
    ``strength`` and ``lam`` by :meth:`with_strength`; options of the coupling's own are for its
    ``__init__``.

    Parameters
    ----------
    strength : float, default=0.0
        s; 0 trains each network alone.
    lam : float or None, default=None
        Lambda, the weight of the penalty. None is strength times the strongest.
    output : {"linear", "sigmoid", "softmax"}, default="linear"
        The output units of the networks.

    Attributes
    ----------
    name : str
        The name to register it by.
    loss : {"squared", "cross-entropy"}
        What the ensemble is judged by.
    for_classes : bool
        Whether it makes sense with an output for each class only.
    """

    name: str = ""
    for_classes: bool = False
    loss: str = "squared"
    strength: float = 0.0
    lam: float | None = None
    output: str = "linear"

    def __init__(
        self, strength: float = 0.0, lam: float | None = None, output: str = "linear"
    ) -> None:
        self.strength, self.lam, self.output = strength, lam, output

    def __repr__(self):
        return f"{type(self).__name__}(strength={self.strength:g})"

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if {"gradient", "delta"} & vars(cls).keys() and "kernel" not in vars(cls):
            cls.kernel = Coupling.kernel  # type: ignore[method-assign]  # its parent's is another

    @abstractmethod
    def error(self, outputs: NDArray, targets: NDArray) -> NDArray:
        """Return every member's own error at every sample.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_samples, n_outputs)
        targets : ndarray of shape (n_samples, n_outputs)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """

    @abstractmethod
    def gradient(self, outputs: NDArray, targets: NDArray) -> NDArray:
        """Return the derivative of every member's own error with respect to its own outputs.

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_outputs)
        """

    def objective(self, outputs: NDArray, targets: NDArray) -> NDArray:
        """Return at every sample what the networks descend together, (n_samples,).

        It is watched to end training. Members that descend no common function have the mean of
        their errors stand in.
        """
        return self.error(outputs, targets).mean(axis=0)

    def judged(self, outputs: NDArray, targets: NDArray) -> NDArray:
        """Return the outputs as the loss sees them: less what is not trained, here nothing."""
        return outputs

    def delta(self, outputs: NDArray, targets: NDArray, output: str) -> NDArray:
        """Return the derivative with respect to what goes *into* the output units.

        Override where both steps together are simpler or safer than one after the other.
        """
        return through_output(self.gradient(outputs, targets), outputs, output)

    def strongest(self, n_members: int) -> float:
        """Return the lambda of strength 1: the largest at which members do not fly apart.

        NaN for one member. Here it is that of negative correlation learning.
        """
        return lambda_star(n_members)

    def upper(self, n_members: int) -> float:
        """Return the lambda from which a member's own error has no minimum; NaN: not known."""
        return math.nan

    def kernel(self, output: str) -> str | None:
        """Name the compiled kernel that has this gradient, or None to compute it by numpy.

        "squared" is that of :class:`NegativeCorrelation`, "entropy" of
        :class:`CrossEntropyMixture`, both of strength ``strength``.
        """
        return None

    def strength_of(self, lam: float, n_members: int) -> float:
        """Return the strength of a lambda."""
        return lam / self.strongest(n_members)

    def resolve(
        self, strength: float, lam: float, n_members: int, default: float
    ) -> tuple[float, float]:
        """Return strength and lambda, of whichever of the two was set."""
        s, raw = resolve_strength(strength, lam, n_members, default)
        if n_members == 1:
            return s, raw
        if lam is None:
            return s, s * self.strongest(n_members)
        return self.strength_of(raw, n_members), raw

    def with_strength(self, strength: float, lam: float | None, output: str = "linear") -> Self:
        """Return the same coupling at this strength, for these output units."""
        coupling = copy(self)
        coupling.strength, coupling.lam, coupling.output = strength, lam, output
        return coupling

    def lam_for(self, n_members: int) -> float:
        """Return lambda for so many members."""
        return self.strength * self.strongest(n_members) if self.lam is None else self.lam


@register_coupling
class NegativeCorrelation(Coupling):
    """Squared error with a pull apart: negative correlation learning (Liu and Yao 1999).

    The error of member i at a point is ``(f_i - d)^2 / 2 - lambda (f_i - f)^2`` and its
    derivative ``(f - d) + (1 - s)(f_i - f)`` with ``s = 2 lambda (1 - 1/N)``: equation 4.10 of
    Eastwood's thesis, 2010, with f as a function of f_i. The compiled kernel knows this coupling.
    """

    name = "ncl"

    def error(self, outputs, targets):
        """Return half the squared error less lambda times the squared distance to the mean."""
        targets, mean, n_members = self._parts(outputs, targets)
        lam = self.strength * 0.5 / (1 - 1 / n_members) if n_members > 1 else 0.0
        return self._own_loss(outputs, targets) - lam * ((outputs - mean) ** 2).sum(axis=2)

    def gradient(self, outputs, targets):
        """Return (f - d) + (1 - s)(f_i - f)."""
        targets, mean, _ = self._parts(outputs, targets)
        return (1.0 - self.strength) * outputs + (self.strength * mean - targets)

    def objective(self, outputs, targets):
        """Return J: the mixture of the members' mean loss and the loss of their mean."""
        own = self._own_loss(outputs, targets).mean(axis=0)
        joint = self._own_loss(outputs.mean(axis=0), targets)
        return (1 - self.strength) * own + self.strength * joint

    def upper(self, n_members):
        """Return 0.5 / (1 - 1/N)^2."""
        return lambda_upper(n_members)

    def kernel(self, output):
        """Name the kernel of squared errors."""
        return "squared"

    def strength_of(self, lam, n_members):
        """Return 2 lambda (1 - 1/N)."""
        return 2.0 * lam * (n_members - 1) / n_members

    def _parts(self, outputs, targets):
        """Return targets, the mean output, and the number of members it is over."""
        return targets, outputs.mean(axis=0), len(outputs)

    def _own_loss(self, outputs, targets):
        return 0.5 * ((outputs - targets) ** 2).sum(axis=-1)


@register_coupling
class RootQuartic(Coupling):
    """Squared error less the root of fourth powers of distances to the other members.

    The error of member i at a point is ``(f_i - d)^2 / 2 - lam * p_i`` with
    ``p_i = sqrt(mean_j (f_i - f_j)^4)``, output by output. The penalty of [1]_ (section 4.2 of
    Eastwood's thesis) is a distance, so it is *subtracted*: only so it drives members apart. Its
    derivative is ``2 mean_j (f_i - f_j)^3 / p_i``, and 0 where all members agree, which is its
    limit. Up to lambda ``1 / (2 sqrt(2))`` ideal linear outputs do not spread.

    References
    ----------
    .. [1] R. McKay and H. Abbass, "Anti-correlation: a diversity promoting mechanism in ensemble
       learning", Australian Journal of Intelligent Information Processing Systems, 2001.
    """

    name = "root-quartic"

    def error(self, outputs, targets):
        """Return half the squared error less lambda times the penalty."""
        own = 0.5 * ((outputs - targets) ** 2).sum(axis=2)
        size, root, _ = _quartic(outputs)
        return own - self.lam_for(len(outputs)) * (size**2 * root).sum(axis=2)

    def gradient(self, outputs, targets):
        """Return (f_i - d) - 2 lambda mean_j (f_i - f_j)^3 / p_i."""
        size, root, cubes = _quartic(outputs)
        return (outputs - targets) - (2.0 * self.lam_for(len(outputs))) * size * cubes / root

    def strongest(self, n_members):
        """Return 1 / (2 sqrt(2)) for any number of members, NaN for one."""
        return ROOT_QUARTIC_STAR if n_members > 1 else math.nan


def _quartic(outputs):
    """Return parts of p = size^2 * root and mean cube = size^3 * cubes that cannot underflow.

    Distances are divided by the largest of each member, ``size``; ``root`` is then at least
    1/sqrt(N), or 1 where all agree.
    """
    low, high = outputs.min(axis=0), outputs.max(axis=0)
    size = np.maximum(high - outputs, outputs - low)
    unit = np.where(size > 0, size, 1)
    fourths, cubes = np.zeros_like(outputs), np.zeros_like(outputs)
    for other in outputs:
        away = (outputs - other) / unit
        cube = away * away * away  # ten times faster than a power
        cubes += cube
        fourths += cube * away
    root = np.sqrt(fourths / len(outputs))
    root[size == 0] = 1
    return size, root, cubes / len(outputs)


@register_coupling
class CrossEntropyMixture(NegativeCorrelation):
    """Cross-entropies of every member and of their mean, mixed: generalized NCL.

    The error of member i at a point is ``(1 - s) CE(f_i) + s N CE(f)`` (Buschjäger et al. 2020).
    For outputs that are distributions (softmax) ``CE(f) = -sum_k d_k log f_k``; for separate
    probabilities (sigmoid) ``-sum_k d_k log f_k + (1 - d_k) log(1 - f_k)``.
    """

    loss = "cross-entropy"

    def error(self, outputs, targets):
        """Return the mixture of a member's own cross-entropy and that of the mean."""
        own = self._own_loss(outputs, targets)
        joint = self._own_loss(outputs.mean(axis=0), targets)
        return (1 - self.strength) * own + self.strength * len(outputs) * joint

    def gradient(self, outputs, targets):
        """Return the derivative; huge where a probability is nearly 0. ``delta`` never is."""
        own, joint = (_slope(f, targets, self.output) for f in (outputs, outputs.mean(axis=0)))
        return (1 - self.strength) * own + self.strength * joint

    def delta(self, outputs, targets, output):
        """Return the derivative by what goes into the output units.

        Ratios f_i / f are at most N, so nothing here can overflow.
        """
        if output != self.output:
            raise ValueError(f"This coupling is for {self.output} outputs, not {output}.")
        own = (1 - self.strength) * (outputs - targets)
        if self.strength == 0:
            return own
        mean = outputs.mean(axis=0)
        if output == "sigmoid":
            up = (1 - outputs) * _ratio(outputs, mean)
            down = outputs * _ratio(1 - outputs, 1 - mean)
            return own + self.strength * ((1 - targets) * down - targets * up)
        share = targets * _ratio(outputs, mean)
        return own + self.strength * (outputs * share.sum(axis=-1, keepdims=True) - share)

    def kernel(self, output):
        """Name the kernel of mixed cross-entropies, for the output units this is for."""
        return "entropy" if output == self.output else None

    def resolve(self, strength, lam, n_members, default):
        """Return strength and lambda; refuse a strength beyond 1."""
        s, raw = super().resolve(strength, lam, n_members, default)
        if s > 1 + 1e-9:
            raise ValueError(
                f"lam={lam!r} is strength {s:.4g}: a mixture of cross-entropies has none beyond "
                "1, its error would have no lower bound. Give lam up to "
                f"{self.strongest(n_members):.6g}, or loss='squared'."
            )
        return min(s, 1.0), raw

    def _own_loss(self, outputs, targets):
        return cross_entropy(outputs, targets, self.output)


# Cross-entropy of each network by itself.
CROSS_ENTROPY = CrossEntropyMixture(output="softmax")


def find_coupling(penalty: "str | Coupling", loss: str, *, classes: bool = True) -> Coupling:
    """Return the coupling of ``penalty=`` for this loss: a registered name, or a coupling.

    ``classes`` says whether there is an output for each class.
    """
    if isinstance(penalty, type):
        raise ValueError(f"penalty={penalty.__name__} is a class: pass {penalty.__name__}().")
    if not isinstance(penalty, Coupling):
        names = list(dict.fromkeys(name for name, _ in COUPLINGS))
        check_choice(penalty, "penalty", names)
        losses = [own for name, own in COUPLINGS if name == penalty]
        coupling = COUPLINGS[penalty, loss]() if loss in losses else None
    else:
        losses = [penalty.loss]
        coupling = penalty if loss in losses else None
    if coupling is None:
        others = " or ".join(repr(name) for name, own in COUPLINGS if own == loss)
        raise ValueError(
            f"penalty={penalty!r} goes with loss={losses[0]!r} only; for loss={loss!r} choose "
            f"penalty={others}."
        )
    if coupling.for_classes and not classes:
        raise ValueError(f"penalty={penalty!r} is for classes: choose penalty='ncl' for numbers.")
    return coupling


def through_output(gradient: NDArray, outputs: NDArray, output: str) -> NDArray:
    """Take a derivative with respect to outputs back through the output units."""
    if output == "linear":
        return gradient
    if output == "sigmoid":
        return gradient * outputs * (1.0 - outputs)
    inner = (gradient * outputs).sum(axis=-1, keepdims=True)
    return outputs * (gradient - inner)


def _ratio(part, whole):
    """Return part / whole; 1 where both are 0, as for members that are all alike."""
    return np.divide(part, whole, out=np.ones_like(part), where=whole > 0)


def _slope(outputs, targets, output):
    floor = np.finfo(outputs.dtype).tiny
    slope = -targets / np.maximum(outputs, floor)
    if output == "sigmoid":
        slope = slope + (1 - targets) / np.maximum(1 - outputs, floor)
    return slope


def cross_entropy(outputs: NDArray, targets: NDArray, output: str) -> NDArray:
    """Return the cross-entropy at every sample: outputs (..., n_samples, n_outputs)."""
    floor = np.finfo(outputs.dtype).tiny  # log(0) would be -inf: an error of some 700 will do
    entropy = -(targets * np.log(np.maximum(outputs, floor))).sum(axis=-1)
    if output == "sigmoid":
        entropy -= ((1 - targets) * np.log(np.maximum(1 - outputs, floor))).sum(axis=-1)
    return entropy


def pointwise_loss(outputs: NDArray, targets: NDArray, loss: str, output: str) -> NDArray:
    """Return the loss at every sample: the cross-entropy, or the mean square over outputs."""
    if loss == "cross-entropy":
        return cross_entropy(outputs, targets, output)
    return ((outputs - targets) ** 2).mean(axis=-1)
