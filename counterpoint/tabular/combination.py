"""How a fitted ensemble makes one answer of many, found out from its answers.

An ensemble may take a vote, average probabilities, or add up scores. What a member is worth
depends on it. Few ensembles say how they do it, so it is tried out: the way that gives the
ensemble's own probabilities, or else its own answers on every row, is the one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint import _members
from counterpoint._outputs import MemberOutputs

__all__ = ["Combination", "find_combination"]

# Sums of weights taken away again miss zero by a rounding: a tie must stay a tie.
_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class Combination:
    """What the members' answers are added up to.

    Attributes
    ----------
    kind : {"vote", "mean", "stages", "unknown"}
        A vote; the mean of the members' probabilities; the ensemble's own stages
        (``staged_predict``); or nothing that could be found, for which a vote stands in.
    weighted : bool
        Whether the members have different weights.
    growth : ndarray of shape (n_members,)
        Error of the first 1, 2, ... members together.
    without : ndarray of shape (n_members,) or None
        Error of all but each; None where members build on each other, or is there one only.
    said : ndarray of shape (n_samples,)
        What all together say, as positions in ``classes``.
    """

    kind: str
    weighted: bool
    growth: NDArray
    without: NDArray | None
    said: NDArray


def find_combination(
    fitted: Any, X: Any, outputs: MemberOutputs, predicted: NDArray
) -> Combination | None:
    """Find how an ensemble combines its members.

    Parameters
    ----------
    fitted : classifier
        Whose members these are.
    X : array-like or frame of shape (n_samples, n_features)
        The rows the outputs are about.
    outputs : MemberOutputs
        With the truth. Without labels, of right/wrong flags, there is nothing to combine.
    predicted : ndarray of shape (n_samples,)
        What ``fitted`` itself says.

    Returns
    -------
    Combination or None

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, random_state=0).fit(X[::2], y[::2])
    >>> outputs = MemberOutputs.from_estimator(forest, X[1::2], y[1::2])
    >>> find_combination(forest, X[1::2], outputs, forest.predict(X[1::2])).kind
    'mean'
    """
    if outputs.votes is None:
        return None
    own = np.searchsorted(outputs.classes, predicted)
    say = own_weights(fitted, outputs)
    mean = None if outputs.proba is None else _total(outputs.proba, say) / say.sum()
    # On few rows a vote and a mean may happen to say the same; probabilities tell them apart.
    if mean is not None and _gives(fitted, X, mean):
        return _summed("mean", outputs.proba, say, outputs, own)
    votes = _OneHot(outputs)
    stages = _stages(fitted, X, outputs, own)
    if stages is not None and (_is_sum(fitted) or not _are_votes(stages, votes, say)):
        weight = outputs.sample_weight
        growth = np.array([np.average(said != outputs.y, weights=weight) for said in stages])
        return Combination(kind="stages", weighted=False, growth=growth, without=None, said=own)
    if np.array_equal(_winner(_total(votes, say)), own):
        return _summed("vote", votes, say, outputs, own)
    if mean is not None and np.array_equal(_winner(mean), own):
        return _summed("mean", outputs.proba, say, outputs, own)
    return _summed("unknown", votes, say, outputs, _winner(_total(votes, say)))


def _gives(fitted: Any, X: Any, mean: NDArray) -> bool:
    """Whether these are the ensemble's own probabilities."""
    if not hasattr(fitted, "predict_proba"):
        return False
    proba = np.asarray(fitted.predict_proba(X))
    return proba.shape == mean.shape and np.allclose(proba, mean, atol=1e-6)


def own_weights(fitted: Any, outputs: MemberOutputs) -> NDArray:
    """Return the say of each member: as the outputs know it, or as ``weights_`` has it."""
    if outputs.weights is not None:
        return outputs.weights
    given = getattr(_members.strip(fitted)[1], "weights_", None)
    if given is not None and np.shape(given) == (outputs.n_members,):
        given = np.asarray(given, dtype=float)
        if np.isfinite(given).all() and given.min() >= 0 and given.sum() > 0:
            return given
    return np.ones(outputs.n_members)


class _OneHot:
    """The votes as shares, a member at a time: all at once would be large."""

    def __init__(self, outputs: MemberOutputs):
        self._votes, self._n_classes = outputs.votes, outputs.n_classes

    def __iter__(self) -> Iterator[NDArray]:
        eye = np.eye(self._n_classes)
        return (eye[votes] for votes in self._votes)


def _total(answers: Any, say: NDArray) -> NDArray:
    total: Any = 0.0
    for share, answer in zip(say, answers, strict=True):
        total = total + share * answer
    return total


def _winner(total: NDArray) -> NDArray:
    return np.round(total, _DIGITS).argmax(axis=1)


def _summed(
    kind: str, answers: Any, say: NDArray, outputs: MemberOutputs, said: NDArray
) -> Combination:
    def error(total: NDArray) -> float:
        return float(np.average(_winner(total) != outputs.y, weights=outputs.sample_weight))

    total: Any = 0.0
    growth = []
    for share, answer in zip(say, answers, strict=True):
        total = total + share * answer
        growth.append(error(total))
    without = None
    if len(say) > 1:
        without = np.array([error(total - w * a) for w, a in zip(say, answers, strict=True)])
    return Combination(
        kind=kind,
        weighted=bool((say != say[0]).any()),
        growth=np.array(growth),
        without=without,
        said=said,
    )


def _stages(fitted: Any, X: Any, outputs: MemberOutputs, own: NDArray) -> list[NDArray] | None:
    """Return what the ensemble says after each member, where it can tell."""
    before, ensemble = _members.strip(fitted)
    if not hasattr(ensemble, "staged_predict"):
        return None
    for step in before:
        X = step.transform(X)
    stages = [np.searchsorted(outputs.classes, s) for s in ensemble.staged_predict(X)]
    if len(stages) != outputs.n_members or not np.array_equal(stages[-1], own):
        return None
    return stages


def _is_sum(fitted: Any) -> bool:
    # A few rounds may happen to say what their vote would: these are known to add up scores.
    ensemble = _members.strip(fitted)[1]
    return isinstance(ensemble, _members._ADDITIVE_CLASSIFIERS) or getattr(
        ensemble, "_members_are_corrections", False
    )


def _are_votes(stages: list[NDArray], votes: Any, say: NDArray) -> bool:
    """Whether a vote gives the same at every stage; scores added up seldom do."""
    total: Any = 0.0
    for said, share, vote in zip(stages, say, votes, strict=True):
        total = total + share * vote
        if not np.array_equal(_winner(total), said):
            return False
    return True
