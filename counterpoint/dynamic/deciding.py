"""Dynamic selection among members whose answers are known: no model is asked."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from counterpoint._kernels import dynamic as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import as_shares
from counterpoint.dynamic.competence import Queries
from counterpoint.dynamic.methods import COMPETENCES
from counterpoint.dynamic.regions import as_region


def decide_dynamically(
    method: str,
    known: MemberOutputs,
    known_points: ArrayLike,
    outputs: MemberOutputs,
    points: ArrayLike,
) -> NDArray:
    """Let those members vote on each sample who are most competent near it.

    What :class:`DynamicSelectionClassifier` does, where the answers of the members are at hand.

    Parameters
    ----------
    method : str
        As for :class:`DynamicSelectionClassifier`: "ola", "knora-e" and so on.
    known : MemberOutputs
        What members said about rows that show where each can be trusted, with the truth.
    known_points : array-like of shape (n_known, n_features)
        These rows, as numbers.
    outputs : MemberOutputs
        What the same members say about the samples to decide on.
    points : array-like of shape (n_samples, n_features)
        These samples, as numbers.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        The share of the say that each class gets.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.dynamic import decide_dynamically
    >>> truth = [0] * 8 + [1] * 8
    >>> known = MemberOutputs([[0] * 16, [1] * 16], truth)
    >>> asked = MemberOutputs([[0, 0], [1, 1]], classes=[0, 1])
    >>> near_and_far = [[0.0]] * 8 + [[9.0]] * 8
    >>> decide_dynamically("ola", known, near_and_far, asked, [[1.0], [8.0]])
    array([[1., 0.],
           [0., 1.]])
    """
    competence = COMPETENCES[check_choice(method, "method", COMPETENCES)]()
    known, outputs = as_outputs(known), as_outputs(outputs)
    known.need_truth()
    outputs.need_votes("Dynamic selection")
    if outputs.n_members != known.n_members or outputs.n_classes != known.n_classes:
        raise ValueError(
            f"known is of {known.n_members} members and {known.n_classes} classes, outputs of "
            f"{outputs.n_members} and {outputs.n_classes}: give the same members and classes."
        )
    if competence.needs_proba and (known.proba is None or outputs.proba is None):
        raise ValueError(f"method={method!r} reads probabilities, and these outputs hold labels.")
    known_points = _points(known_points, "known_points", known)
    points = _points(points, "points", outputs, n_features=known_points.shape[1])
    region = None
    if competence.needs_region:
        region = as_region(None, None).fit(known_points, known.y)
    competence.fit(known, region=region, points=known_points)
    queries = Queries(
        near=None if region is None else region.near(points),
        votes=np.asfortranarray(outputs.votes),
        proba=outputs.proba if competence.needs_proba else None,
        points=points,
    )
    say = competence.weigh(competence.estimate(queries))
    votes = np.ascontiguousarray(outputs.votes.T)
    with threads_for(votes.size):
        support = kernels.weighted_vote(votes, np.ascontiguousarray(say.T), outputs.n_classes)
    return as_shares(support)


def _points(points, name: str, outputs: MemberOutputs, n_features: int | None = None) -> NDArray:
    found = check_array(points, dtype=np.float64, input_name=name)
    if len(found) != outputs.n_samples or n_features not in (None, found.shape[1]):
        raise ValueError(
            f"{name} has shape {found.shape}: give a row for each of {outputs.n_samples} samples, "
            "with the same columns as the other points."
        )
    return found
