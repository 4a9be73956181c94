"""How far the members of a model are from agreeing about the rows it is asked about."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from counterpoint import _members
from counterpoint._outputs import MemberOutputs
from counterpoint.exceptions import MemberError


@dataclass(frozen=True, kw_only=True)
class Dispute:
    """How far the members of a model are from agreeing about rows.

    Attributes
    ----------
    disagreement : ndarray of shape (n_samples,)
        Share of the votes, by the weight of those who cast them, for other classes than the
        model's answer; for numbers, the standard deviation of the members' answers.
    tally : ndarray of shape (n_samples, n_classes), or None
        Share of the votes of each class; None for numbers.
    n_members : int
    outputs : MemberOutputs or None
        What each member said; None for numbers.
    """

    disagreement: NDArray
    tally: NDArray | None
    n_members: int
    outputs: MemberOutputs | None = None


def dispute(model: Any, X: Any, answers: NDArray) -> Dispute | None:
    """Ask the members of a model about rows; None where there are none that could disagree.

    Parameters
    ----------
    model : classifier or regressor
        Fitted; a pipeline is fine.
    X : rows as the model takes them
    answers : ndarray of shape (n_samples,)
        What the model itself says about them.
    """
    last = _members.strip(model)[1]
    try:
        if not is_classifier(last):
            values = _members.values_of(model, X)
            return Dispute(disagreement=values.std(axis=0), tally=None, n_members=len(values))
        if _members.members_are_corrections(last):
            return None
        outputs = MemberOutputs.from_estimator(model, X)
    except MemberError:
        return None
    if outputs.votes is None or outputs.n_members < 2:
        return None
    at = np.searchsorted(outputs.classes, answers)
    tally = outputs.tally
    against = np.round(1.0 - tally[np.arange(len(at)), at], 12)
    return Dispute(disagreement=against, tally=tally, n_members=outputs.n_members, outputs=outputs)
