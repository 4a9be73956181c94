"""What members take from each other: root-quartic repulsion and mixtures of cross-entropies.

Squared negative correlation learning itself is :class:`counterpoint.networks._engine.Pull`.

Everything here with a strength s in [0, 1] means the same: 0 trains every network alone, 1 trains
all of them as one. For the squared error and the cross-entropy it is even one formula: the
networks descend ::

    N * J,   J = (1 - s) * mean_i loss(f_i) + s * loss(f)

with ``f`` the mean of the outputs. For the squared error that is negative correlation learning
(J = loss(f) + (1 - s) * ambiguity, by the ambiguity decomposition), for the cross-entropy it is
what Buschjäger et al. 2020 call generalized negative correlation learning.
"""

import math

import numpy as np
from numpy.typing import NDArray

from counterpoint.networks._engine import Coupling, Pull
from counterpoint.networks._strength import lambda_star, resolve_strength

PENALTIES = ("ncl", "root-quartic")
LOSSES = ("squared", "cross-entropy")
# The largest lambda at which the root-quartic penalty never drives ideal linear outputs apart,
# for any number of members. With d_i = f_i - f and V the mean of d_i^2, the Cauchy-Schwarz
# inequality bounds the derivative of p_i by 2 sqrt(d_i^2 + V), and applied once more
# sum_i d_i dp_i/df_i <= 2 sqrt(2) sum_i d_i^2. Two camps of equal size reach the bound.
ROOT_QUARTIC_STAR = 1.0 / (2.0 * math.sqrt(2.0))


class RootQuartic(Coupling):
    """Squared error less the root of fourth powers of distances to the other members.

    The error of member i at a point is ``(f_i - d)^2 / 2 - lam * p_i`` with
    ``p_i = sqrt(mean_j (f_i - f_j)^4)``, output by output. The penalty of the sources is a
    distance, so it is *subtracted*: only so it drives members apart. Its derivative is
    ``2 mean_j (f_i - f_j)^3 / p_i``, and 0 where all members agree, which is its limit.

    Parameters
    ----------
    lam : float
        Weight of the penalty. Up to ``1 / (2 sqrt(2))`` ideal linear outputs do not spread.

    References
    ----------
    .. [1] R. McKay and H. Abbass, "Anti-correlation: a diversity promoting mechanism in ensemble
       learning", Australian Journal of Intelligent Information Processing Systems, 2001.
    .. [2] Eastwood's thesis, section 4.2.
    """

    def __init__(self, lam: float):
        self.lam = lam

    def error(self, outputs, targets):
        """Return half the squared error less lambda times the penalty."""
        own = 0.5 * ((outputs - targets) ** 2).sum(axis=2)
        size, root, _ = _quartic(outputs)
        return own - self.lam * (size**2 * root).sum(axis=2)

    def gradient(self, outputs, targets):
        """Return (f_i - d) - 2 lambda mean_j (f_i - f_j)^3 / p_i."""
        size, root, cubes = _quartic(outputs)
        return (outputs - targets) - (2.0 * self.lam) * size * cubes / root


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


class CrossEntropyPull(Coupling):
    """Cross-entropies of every member and of their mean, mixed: generalized NCL.

    The error of member i at a point is ``(1 - s) CE(f_i) + s N CE(f)``. For outputs that are
    distributions (softmax) ``CE(f) = -sum_k d_k log f_k``; for separate probabilities
    (sigmoid) ``-sum_k d_k log f_k + (1 - d_k) log(1 - f_k)``.

    Parameters
    ----------
    s : float
        0 trains each network alone, 1 all as one.
    output : {"softmax", "sigmoid"}
        The output units.

    References
    ----------
    .. [1] S. Buschjäger, L. Pfahler and K. Morik, "Generalized negative correlation learning for
       deep ensembling", arXiv:2011.02952, 2020.
    .. [2] A. Jeffares, T. Liu, J. Crabbé and M. van der Schaar, "Joint training of deep ensembles
       fails due to learner collusion", NeurIPS 2023.
    """

    kernel = "entropy"

    def __init__(self, s: float, output: str):
        self.s = s
        self.output = output

    def error(self, outputs, targets):
        """Return the mixture of a member's own cross-entropy and that of the mean."""
        own = cross_entropy(outputs, targets, self.output)
        joint = cross_entropy(outputs.mean(axis=0), targets, self.output)
        return (1 - self.s) * own + self.s * len(outputs) * joint

    def gradient(self, outputs, targets):
        """Return the derivative; huge where a probability is nearly 0. ``delta`` never is."""
        mean = outputs.mean(axis=0)
        return (1 - self.s) * _slope(outputs, targets, self.output) + self.s * _slope(
            mean, targets, self.output
        )

    def delta(self, outputs, targets, output):
        """Return the derivative by what goes into the output units.

        Ratios f_i / f are at most N, so nothing here can overflow.
        """
        if output != self.output:
            raise ValueError(f"This coupling is for {self.output} outputs, not {output}.")
        own = (1 - self.s) * (outputs - targets)
        if self.s == 0:
            return own
        mean = outputs.mean(axis=0)
        if output == "sigmoid":
            up = (1 - outputs) * _ratio(outputs, mean)
            down = outputs * _ratio(1 - outputs, 1 - mean)
            return own + self.s * ((1 - targets) * down - targets * up)
        share = targets * _ratio(outputs, mean)
        return own + self.s * (outputs * share.sum(axis=-1, keepdims=True) - share)


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
    found = -(targets * np.log(np.maximum(outputs, floor))).sum(axis=-1)
    if output == "sigmoid":
        found -= ((1 - targets) * np.log(np.maximum(1 - outputs, floor))).sum(axis=-1)
    return found


def pointwise_loss(outputs: NDArray, targets: NDArray, loss: str, output: str) -> NDArray:
    """Return the loss at every sample: the cross-entropy, or the mean square over outputs."""
    if loss == "cross-entropy":
        return cross_entropy(outputs, targets, output)
    return ((outputs - targets) ** 2).mean(axis=-1)


def joint_objective(coupling: Coupling, outputs: NDArray, targets: NDArray) -> NDArray:
    """Return at every sample what the networks descend together, (n_samples,).

    In the units of ``coupling.error``: half of the squared error summed over outputs. Members
    with the root-quartic penalty descend no common function; the mean of their errors stands in.
    """
    mean = outputs.mean(axis=0)
    if isinstance(coupling, CrossEntropyPull):
        own = cross_entropy(outputs, targets, coupling.output).mean(axis=0)
        joint = cross_entropy(mean, targets, coupling.output)
    elif isinstance(coupling, Pull):
        own = 0.5 * ((outputs - targets) ** 2).sum(axis=2).mean(axis=0)
        joint = 0.5 * ((mean - targets) ** 2).sum(axis=1)
    else:
        return coupling.error(outputs, targets).mean(axis=0)
    return (1 - coupling.s) * own + coupling.s * joint


def star(penalty: str, n_members: int) -> float:
    """Return the lambda of strength 1: NaN for one member."""
    if penalty == "ncl" or n_members == 1:
        return lambda_star(n_members)
    return ROOT_QUARTIC_STAR


def resolve(
    strength, lam, n_members: int, default: float, penalty: str, loss: str
) -> tuple[float, float]:
    """Return strength and lambda, of whichever was set, for this penalty."""
    s, raw = resolve_strength(strength, lam, n_members, default)
    if penalty == "root-quartic" and n_members > 1:
        if lam is None:
            raw = s * ROOT_QUARTIC_STAR
        else:
            s = raw / ROOT_QUARTIC_STAR
    if loss == "cross-entropy" and s > 1 + 1e-9:
        raise ValueError(
            f"lam={lam!r} is strength {s:.4g}: a mixture of cross-entropies has none beyond 1, "
            f"its error would have no lower bound. Give lam up to {star(penalty, n_members):.6g}, "
            "or loss='squared'."
        )
    return s, raw


def make_coupling(s: float, lam: float, penalty: str, loss: str, output: str) -> Coupling:
    """Return the coupling for these options, which fit together."""
    if loss == "cross-entropy":
        return CrossEntropyPull(min(s, 1.0), output)
    return Pull(s) if penalty == "ncl" else RootQuartic(lam)
