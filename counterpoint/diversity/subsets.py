"""Enrichment and uniformity of a collection of subsets, and of an ensemble.

Stochastic discrimination's words for accuracy and diversity: a good collection holds more of
one class than of the others (enrichment), and covers all samples of a class alike (uniformity).
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import as_labels, check_axes, check_correct
from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Target
from counterpoint.diversity.inputs import as_outputs


def member_subsets(outputs: MemberOutputs) -> NDArray:
    """Turn an ensemble into subsets: for each member and class, the samples it gives that class.

    Parameters
    ----------
    outputs : MemberOutputs

    Returns
    -------
    ndarray of shape (n_members * n_classes, n_samples)
        Boolean; the classes of one member stand together.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.diversity import member_subsets
    >>> member_subsets(MemberOutputs([["a", "b", "a"]])).astype(int)
    array([[1, 0, 1],
           [0, 1, 0]])
    """
    outputs = as_outputs(outputs)
    outputs.need_votes("Subsets of an ensemble")
    labels = np.arange(outputs.n_classes)
    return (outputs.votes[:, None, :] == labels[:, None]).reshape(-1, outputs.n_samples)


def _captured(subsets, y):
    if isinstance(subsets, MemberOutputs):
        if y is None:
            y = subsets.y
        subsets = member_subsets(subsets)
    if y is None:
        raise ValueError("Pass y, the class of each sample.")
    y = as_labels(y, "y")
    check_axes(y, "y", ("n_samples",))
    subsets = check_correct(subsets, name="subsets", n_samples=len(y))
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes.tolist()}: nothing to tell apart.")
    return subsets, y, classes


def enrichment(subsets: ArrayLike | MemberOutputs, y: Target = None) -> NDArray:
    """How unevenly each subset captures a class and the rest.

    Parameters
    ----------
    subsets : array-like of shape (n_subsets, n_samples) or MemberOutputs
        Whether each subset holds each sample; an ensemble is taken apart by ``member_subsets``.
    y : array-like of shape (n_samples,), default=None
        Class of each sample; may be left out for MemberOutputs.

    Returns
    -------
    ndarray of shape (n_subsets, n_classes)
        |r(M, class) - r(M, rest)|, with r(M, A) the share of A inside M. With two classes
        both columns are the same.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles", PhD thesis, Bournemouth
       University, 2010, definition 1 (after Kleinberg).

    Examples
    --------
    >>> from counterpoint.diversity import enrichment
    >>> enrichment([[1, 1, 1, 0], [1, 0, 0, 1]], ["a", "a", "b", "b"])
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    subsets, y, classes = _captured(subsets, y)
    inside = np.stack([subsets[:, y == c].mean(axis=1) for c in classes], axis=1)
    rest = np.stack([subsets[:, y != c].mean(axis=1) for c in classes], axis=1)
    return np.abs(inside - rest)


def enrichment_degree(subsets: ArrayLike, y: Target = None) -> float:
    """Enrichment of the least enriched subset, over the class it tells best.

    Eastwood (2010), see :func:`enrichment`, equation 3.2.

    Parameters
    ----------
    subsets, y
        As for :func:`enrichment`.

    Returns
    -------
    float
        Must be above zero for the collection to classify.

    Examples
    --------
    >>> from counterpoint.diversity import enrichment_degree
    >>> enrichment_degree([[1, 1, 1, 0], [1, 0, 0, 0]], ["a", "a", "b", "b"])
    0.5
    """
    return float(enrichment(subsets, y).max(axis=1).min())


def boosting_objective(
    subsets: ArrayLike, y: Target = None, *, label: ArrayLike | None = None
) -> pd.DataFrame:
    """Objective of L2Boost for each subset, given those before: enrichment, size, uniformity.

    Boosting with members that are +1 inside a subset M and -1 outside, each fitted to the residual
    of the mean of those before, minimises ``-4 e - 4 |M| / n + 8 P``: e is what M holds more of the
    class than of the rest (as shares of all samples), P the chance that a sample drawn at random
    is in M and in one of the subsets before, drawn at random. So it asks for subsets that are
    enriched, large, and where the others are not. It tells of any ensemble how far its members do.

    Parameters
    ----------
    subsets, y
        As for :func:`enrichment`; in their order.
    label : object, default=None
        The class that counts as +1; None is the last of the sorted ones. An ensemble's subsets
        are those of this class.

    Returns
    -------
    DataFrame
        A row per subset: ``enrichment`` (-4 e), ``size`` (-4 |M| / n), ``uniformity`` (8 P, 0 for
        the first), their sum ``objective``, and ``residual``, the mean square of the residual less
        the member: ``objective`` plus what the subset cannot change.

    References
    ----------
    .. [1] M. Eastwood, "Building well-performing classifier ensembles", PhD thesis, Bournemouth
       University, 2010, equation 3.33.

    Examples
    --------
    >>> from counterpoint.diversity import boosting_objective
    >>> rows = [[1, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    >>> boosting_objective(rows, ["b", "b", "a", "a"]).loc[:, :"objective"]
       enrichment  size  uniformity  objective
    0        -1.0  -3.0         0.0       -4.0
    1        -1.0  -1.0         2.0        0.0
    2        -1.0  -1.0         1.0       -1.0
    """
    votes = subsets if isinstance(subsets, MemberOutputs) else None
    subsets, y, classes = _captured(subsets, y)
    label = classes[-1] if label is None else label
    if label not in classes:
        raise ValueError(f"label={label!r}: give one of the classes {classes.tolist()}.")
    if votes is not None:
        names = list(votes.classes) if votes.classes is not None else []
        k = names.index(label) if label in names else int(np.searchsorted(classes, label))
        subsets = votes.votes == k
    inside = subsets.astype(float)
    sign = np.where(y == label, 1.0, -1.0)
    before = np.cumsum(inside, axis=0) - inside
    covered = before / np.maximum(np.arange(len(inside)), 1)[:, None]
    parts = pd.DataFrame(
        {
            "enrichment": -4.0 * (inside @ sign) / len(sign),
            "size": -4.0 * inside.mean(axis=1),
            "uniformity": 8.0 * (covered * inside).mean(axis=1),
        }
    )
    parts["objective"] = parts.sum(axis=1)
    mean = 2.0 * covered - 1.0
    mean[0] = 0.0  # nothing is there before the first
    parts["residual"] = ((sign - mean - (2.0 * inside - 1.0)) ** 2).mean(axis=1)
    return parts


def coverage(subsets: ArrayLike) -> NDArray:
    """Share of the subsets that hold each sample.

    Parameters
    ----------
    subsets : array-like of shape (n_subsets, n_samples)

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from counterpoint.diversity import coverage
    >>> coverage([[1, 1, 1, 0], [1, 0, 0, 1]])
    array([1. , 0.5, 0.5, 0.5])
    """
    return check_correct(subsets, name="subsets").mean(axis=0)


def coverage_spread(subsets: ArrayLike, y: Target = None) -> NDArray:
    """Uniformity: how unevenly the samples of each class are covered.

    A subset counts for a class when it captures more of it than of the rest, since only
    those vote for it. Zero is a uniform cover. Eastwood (2010), see :func:`enrichment`,
    definition 2 (after Kleinberg).

    Parameters
    ----------
    subsets, y
        As for :func:`enrichment`.

    Returns
    -------
    ndarray of shape (n_classes,)
        Standard deviation, over the samples of a class, of the share of its subsets that
        hold them; NaN for a class that no subset favours.

    Examples
    --------
    >>> from counterpoint.diversity import coverage_spread
    >>> coverage_spread([[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1]], ["a", "a", "b", "b"])
    array([0.25, 0.  ])
    """
    subsets, y, classes = _captured(subsets, y)
    spread = np.full(len(classes), np.nan)
    for k, label in enumerate(classes):
        favours = subsets[:, y == label].mean(axis=1) > subsets[:, y != label].mean(axis=1)
        if favours.any():
            spread[k] = subsets[favours][:, y == label].mean(axis=0).std()
    return spread
