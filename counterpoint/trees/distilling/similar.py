"""The member of an ensemble that decides most like the whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from counterpoint import _members
from counterpoint._arrays import SQUARABLE
from counterpoint._reading import check_rows
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.trees.distilling.artificial import SAMPLINGS, Sampler, choose_sampling


def _agreement(c):
    return np.trace(c) / c.sum()


def _kappa(c):
    n = c.sum()
    chance = (c.sum(axis=0) @ c.sum(axis=1)) / n**2
    return (np.trace(c) / n - chance) / (1.0 - chance) if chance < 1.0 else np.nan


def _balanced(c):
    times = c.sum(axis=0)  # how often the ensemble says each class
    return float(np.mean(np.diag(c)[times > 0] / times[times > 0]))


def _correlation(c):
    n, rows, columns = c.sum(), c.sum(axis=1), c.sum(axis=0)
    spread = (n**2 - rows @ rows) * (n**2 - columns @ columns)
    return (n * np.trace(c) - rows @ columns) / np.sqrt(spread) if spread > 0 else np.nan


def _information(c):
    p = c / c.sum()
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    held = p > 0
    shared = (p[held] * np.log(p[held] / np.outer(rows, columns)[held])).sum()
    entropy = -(columns[columns > 0] * np.log(columns[columns > 0])).sum()
    return shared / entropy if entropy > 0 else np.nan


# What a confusion matrix, member by ensemble, says about their similarity; higher is more alike.
SIMILARITIES: dict[str, Callable[[NDArray], float]] = {
    "agreement": _agreement,
    "kappa": _kappa,
    "balanced": _balanced,
    "correlation": _correlation,
    "information": _information,
}


@dataclass(frozen=True, kw_only=True)
class SimilarMember:
    """The member most like the ensemble.

    Attributes
    ----------
    index : int
        Its position among the members, the first of equals.
    member : estimator or None
        The member itself, if the ensemble keeps a list of them.
    similarity : ndarray of shape (n_members,)
        Of all members; NaN where it is undefined.
    """

    index: int
    member: Any
    similarity: NDArray


def most_similar_member(
    pool: Any,
    X: ArrayLike,
    *,
    similarity: str = "agreement",
    n_samples: int = 10_000,
    sampling: str = "auto",
    noise: float = 0.2,
    random_state: Any = None,
) -> SimilarMember:
    """Find the member that decides most like the whole ensemble, on artificial samples.

    Parameters
    ----------
    pool : fitted classifier with members, or list of fitted classifiers
        A list decides by plurality, ties to the first class.
    X : array-like of shape (n_samples, n_features)
        Data that artificial samples are to look like. No labels are needed.
    similarity : str, default="agreement"
        From the confusion matrix of member and ensemble. "agreement": share of samples on which
        they agree, equation 2.30 of [2]_. "kappa": agreement beyond chance. "balanced": agreement
        averaged over the classes that the ensemble says, so that rare ones count. "correlation":
        Matthews' coefficient for many classes. "information": what the member tells about the
        ensemble, as a share of the ensemble's entropy; it also honours members that are
        consistently wrong. NaN: kappa where both say one class only, and the same; correlation
        where one of them says one class only; information where the ensemble does.
    n_samples : int, default=10_000
        Artificial samples. 0 compares on X itself.
    sampling : {"auto", "leaves", "data", "uniform"}, default="auto"
        As in :class:`DistilledTreeClassifier`.
    noise : float, default=0.2
        For sampling "data".
    random_state : int, RandomState instance or None, default=None
        Seeds the samples.

    Returns
    -------
    SimilarMember
        ``index``, ``member`` and the ``similarity`` of all members.

    References
    ----------
    .. [1] C. Ferri, J. Hernandez-Orallo and M. J. Ramirez-Quintana, "From Ensemble Methods to
       Comprehensible Models", Discovery Science, 2002.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 2.5.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trees import most_similar_member
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> chosen = most_similar_member(forest, X, random_state=0)
    >>> chosen.member is forest.estimators_[chosen.index]
    True
    """
    check_choice(similarity, "similarity", SIMILARITIES)
    check_count(n_samples, "n_samples", low=0)
    check_number(noise, "noise", low=0, high=SQUARABLE)
    check_choice(sampling, "sampling", SAMPLINGS)
    names = getattr(X, "columns", None)
    numbers = [np.float64, np.float32]
    rows = check_rows(X, owner="most_similar_member", dtype=numbers, most=SQUARABLE)
    if n_samples:
        how, trees = choose_sampling(sampling, pool)
        sampler = Sampler(how, trees, rows, np.ones(len(rows)), noise)
        rows = sampler.draw(n_samples, check_random_state(random_state))
    samples: Any = rows
    if names is not None:
        samples = pd.DataFrame(rows, columns=list(names))
    answers = _members.answers_of(pool, samples)
    if answers.votes is None:
        raise TypeError(
            f"The members of a {type(pool).__name__} each solve a two-class task of their "
            "own, and none of them could stand for the ensemble."
        )
    whole = _decisions(pool, answers, samples)
    matrices = confusion_matrices(answers.votes, whole, len(answers.classes))
    values = np.array([SIMILARITIES[similarity](c) for c in matrices], dtype=float)
    if np.isnan(values).all():
        raise ValueError(
            f"similarity={similarity!r} is undefined for every member: ensemble or members say "
            "one class only. Use similarity='agreement', or other samples."
        )
    index = int(np.nanargmax(values))
    return SimilarMember(index=index, member=_member_at(pool, index), similarity=values)


def _decisions(pool, answers, X):
    if _members.is_pool(pool):
        tally = np.stack([(answers.votes == k).sum(axis=0) for k in range(len(answers.classes))])
        return tally.argmax(axis=0)
    return np.searchsorted(answers.classes, np.asarray(pool.predict(X)))


def _member_at(pool, index):
    if _members.is_pool(pool):
        return _members.named_pool(pool)[index].estimator
    members = getattr(_members.strip(pool)[1], "estimators_", None)
    return None if members is None or len(members) <= index else members[index]


def confusion_matrices(votes: NDArray, whole: NDArray, n_classes: int) -> NDArray:
    """Count what each member says (rows) and the ensemble (columns), one matrix a member."""
    cells = votes.astype(np.int64) * n_classes + whole
    counts = [np.bincount(row, minlength=n_classes**2) for row in cells]
    return np.stack(counts).reshape(len(votes), n_classes, n_classes)
