"""Orders in which members may join: by error, kappa, margin, complementarity."""

import numpy as np
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint._validation import check_number
from counterpoint.diversity import matrix

# Reference point of margin distance minimisation: the middle of the range [1]_ advises.
_OBJECTIVE = 0.075


def order_by_error(outputs: MemberOutputs) -> NDArray:
    """Return members from the least error to the most; of equals the first.

    The plainest order; on many pools hard to beat.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import order_by_error
    >>> order_by_error(MemberOutputs([[1, 1], [0, 1], [0, 0]], [0, 1])).tolist()
    [1, 0, 2]
    """
    return np.argsort(as_outputs(outputs, numbers=True).errors, kind="stable")


def order_by_kappa(outputs: MemberOutputs) -> NDArray:
    """Return members in the order they appear in the pairs that agree least.

    Pairs are sorted by the kappa of their labels, lowest first; members join as their pairs come
    up. Kappa pruning of [1]_.

    References
    ----------
    .. [1] D. Margineantu and T. Dietterich, "Pruning adaptive boosting", ICML 1997.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import order_by_kappa
    >>> order_by_kappa(MemberOutputs([[0, 1, 1], [0, 1, 1], [1, 0, 0]], [0, 1, 1])).tolist()
    [0, 2, 1]
    """
    outputs = as_outputs(outputs)
    kappa = np.nan_to_num(matrix(outputs, "label_kappa"), nan=1.0)
    i, j = np.triu_indices(outputs.n_members, k=1)
    pairs = np.argsort(kappa[i, j], kind="stable")
    seen = np.stack([i[pairs], j[pairs]], axis=1).ravel()
    if len(seen) == 0:
        return np.zeros(1, dtype=np.int64)
    return seen[np.sort(np.unique(seen, return_index=True)[1])]


def order_by_margin_distance(outputs: MemberOutputs, *, objective: float = _OBJECTIVE) -> NDArray:
    """Return members in the order that brings the signatures nearest to an objective.

    The signature of a member is +1 where it is right and -1 where it is wrong; each step adds the
    member that brings the mean signature nearest to the point where every sample has the margin
    ``objective``: samples won by more are left alone. Margin distance minimisation [1]_.

    Parameters
    ----------
    outputs : MemberOutputs
    objective : float, default=0.075
        Above 0 and below 1.

    References
    ----------
    .. [1] G. Martinez-Munoz, D. Hernandez-Lobato and A. Suarez, "An analysis of ensemble pruning
       techniques based on ordered aggregation", IEEE TPAMI 31, 2009, section 3.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import order_by_margin_distance
    >>> order_by_margin_distance(MemberOutputs([[0, 0], [0, 1], [1, 1]], [0, 1])).tolist()
    [1, 0, 2]
    """
    check_number(objective, "objective", low=0, high=1, open_low=True, open_high=True)
    sign = np.where(as_outputs(outputs).correct, 1.0, -1.0)
    n = len(sign)
    left, order, total = list(range(n)), [], np.zeros(sign.shape[1])
    while left:
        short = np.maximum(objective - (total + sign[left]) / n, 0.0)
        best = int(np.argmin((short**2).sum(axis=1)))
        total += sign[left[best]]
        order.append(left.pop(best))
    return np.array(order)


def order_by_complementarity(outputs: MemberOutputs) -> NDArray:
    """Return members in the order they help where the vote so far is wrong.

    Starts from the best member; each step adds the one that is right on most of the samples the
    vote of those in has wrong [1]_.

    References
    ----------
    .. [1] G. Martinez-Munoz and A. Suarez, "Aggregation ordering in bagging", AIA 2004.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import order_by_complementarity
    >>> outputs = MemberOutputs([[0, 1, 1], [0, 1, 0], [1, 0, 0]], [0, 1, 0])
    >>> order_by_complementarity(outputs).tolist()
    [1, 0, 2]
    """
    outputs = as_outputs(outputs)
    outputs.need_votes("Complementarity")
    weight = outputs.sample_weight
    weight = np.ones(outputs.n_samples) if weight is None else weight
    rows = np.arange(outputs.n_samples)
    tally = np.zeros((outputs.n_samples, outputs.n_classes))
    order = [int(np.argmin(outputs.errors))]
    left = [m for m in range(outputs.n_members) if m != order[0]]
    while left:
        tally[rows, outputs.votes[order[-1]]] += 1
        lost = weight * (tally.argmax(axis=1) != outputs.y)
        best = int(np.argmax(outputs.correct[left] @ lost))
        order.append(left.pop(best))
    return np.array(order)
