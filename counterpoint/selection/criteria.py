"""What makes a subset of members good: the error of a rule, a measure of diversity, or both."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer_names

from counterpoint._ballot import vote_shares
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice, check_number, did_you_mean
from counterpoint.combiners import Combiner, MeanCombiner, VoteCombiner
from counterpoint.combiners.combiner import mean_loss
from counterpoint.diversity.measures import MEASURES, get_measure

# Not by diversity alone: less of these is better.
_LOWER = {"member_error", "vote_error", "kappa_error", "bad_diversity", "margin_spread"}


class Criterion(ABC):
    """A number for a subset of members; lower is better.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import Criterion
    >>> class Size(Criterion):
    ...     def value(self, outputs):
    ...         return float(outputs.n_members)
    >>> Size().value(MemberOutputs([[0, 1], [1, 1]], [0, 1]))
    2.0
    """

    @abstractmethod
    def value(self, outputs: MemberOutputs) -> float:
        """Return the number for these members; NaN counts as worst."""

    def parts(self, outputs: MemberOutputs) -> NDArray | None:
        """Return what the criterion judges the plain mean of, (n_members, n_samples), or None.

        Searches then keep a running sum, and ask :meth:`of_means`.
        """
        return None

    def of_means(self, means: NDArray, outputs: MemberOutputs) -> NDArray:
        """Return the number for each of some means of ``parts``, (n_means, n_samples)."""
        raise NotImplementedError


class VoteError(Criterion):
    """Error of the plain vote; searches know it and have a fast way for it.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import VoteError
    >>> VoteError().value(MemberOutputs([[0, 1], [1, 1], [1, 1]], [0, 1]))
    0.5
    """

    def value(self, outputs: MemberOutputs) -> float:
        """Return the error; members count alike, a tie goes to the first class."""
        outputs.need_votes("The error of the vote")
        return mean_loss(vote_shares(outputs.votes, outputs.n_classes), outputs)


class LogLoss(Criterion):
    """Log-loss of the plain mean of probabilities; searches have a fast way for it.

    Parameters
    ----------
    least : float, default=1e-6
        A member's probability of the truth counts as this at least.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import LogLoss
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.8, 0.2]]], y=[1], classes=[0, 1])
    >>> round(LogLoss().value(outputs), 3)
    0.693
    """

    def __init__(self, least: float = 1e-6) -> None:
        self.least = least

    def parts(self, outputs: MemberOutputs) -> NDArray:
        """Return the members' probabilities of the truth."""
        if outputs.proba is None:
            raise ValueError("Log-loss needs probabilities, but these outputs hold labels only.")
        return np.clip(outputs.proba[:, np.arange(outputs.n_samples), outputs.y], self.least, 1.0)

    def of_means(self, means: NDArray, outputs: MemberOutputs) -> NDArray:
        """Return the mean -log of each."""
        return _means(-np.log(means), outputs.sample_weight)

    def value(self, outputs: MemberOutputs) -> float:
        """Return the log-loss of the mean."""
        return float(self.of_means(self.parts(outputs).mean(axis=0)[None], outputs)[0])


def _means(losses, weight):
    # Asked thousands of times about few rows, where np.average takes as long as the sum.
    return losses.mean(axis=1) if weight is None else np.average(losses, axis=1, weights=weight)


class SquaredError(Criterion):
    """Squared error of the plain mean of numbers.

    Examples
    --------
    >>> from counterpoint import MemberPredictions
    >>> from counterpoint.selection import SquaredError
    >>> SquaredError().value(MemberPredictions([[1.0, 2.0], [1.0, 4.0]], [1.0, 3.5]))
    0.125
    """

    def parts(self, outputs: Any) -> NDArray:
        """Return the numbers of the members."""
        if not isinstance(outputs, MemberPredictions):
            raise ValueError("The squared error is of numbers: for classes take 'log-loss'.")
        return outputs.values

    def of_means(self, means: NDArray, outputs: Any) -> NDArray:
        """Return the squared error of each."""
        return _means((means - outputs.y) ** 2, outputs.sample_weight)

    def value(self, outputs: Any) -> float:
        """Return the squared error of the mean."""
        return float(self.of_means(self.parts(outputs).mean(axis=0)[None], outputs)[0])


class DiverseLoss(Criterion):
    """The loss of the plain mean, less a weight times how much its members disagree.

    Log-loss and squared error of a mean are the mean loss L of its members less their ambiguity A
    [1]_, so what is judged is ``L - (1 + weight) A``. A weight of 0 is the loss of the mean, which
    pays for disagreement what it is worth; -1 pays nothing for it, and a positive weight more.

    Parameters
    ----------
    weight : float
        At least -1.
    criterion : {"log-loss", "squared"} or Criterion, default="log-loss"
        The loss: convex, and of a plain mean.

    References
    ----------
    .. [1] A. Krogh and J. Vedelsby, "Neural network ensembles, cross validation, and active
       learning", NIPS 1994, eq. 6.

    Examples
    --------
    >>> from counterpoint import MemberPredictions
    >>> from counterpoint.selection import DiverseLoss
    >>> members = MemberPredictions([[1.0], [3.0]], [2.5])  # L = 1.25, A = 1
    >>> [DiverseLoss(w, "squared").value(members) for w in (-1, 0, 0.5)]
    [1.25, 0.25, -0.25]
    """

    def __init__(self, weight: float, criterion: Any = "log-loss") -> None:
        self.weight = check_number(weight, "weight", low=-1, high=1e6)
        self.criterion = as_criterion(criterion)

    def parts(self, outputs: MemberOutputs) -> NDArray:
        """Return what the loss has, and as one more column the loss of each member alone."""
        parts = self.criterion.parts(outputs)
        if parts is None:
            raise ValueError(
                f"{type(self.criterion).__name__} is no loss of a plain mean: give 'log-loss' or "
                "'squared'."
            )
        return np.column_stack([parts, self.criterion.of_means(parts, outputs)])

    def of_means(self, means: NDArray, outputs: MemberOutputs) -> NDArray:
        """Return L - (1 + weight) A of each."""
        loss = self.criterion.of_means(means[:, :-1], outputs)
        return (1.0 + self.weight) * loss - self.weight * means[:, -1]

    def value(self, outputs: MemberOutputs) -> float:
        """Return L - (1 + weight) A."""
        return float(self.of_means(self.parts(outputs).mean(axis=0)[None], outputs)[0])


class CombinedError(Criterion):
    """Error of any combiner.

    Parameters
    ----------
    combiner : Combiner
        Rules that learn are fitted to the same outputs they are judged by: prefer fixed ones.
    loss : {"error", "log-loss", "squared"}, default="error"
        Share of wrong answers, mean -log of the share given to the truth, or mean squared
        distance to it.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import MeanCombiner
    >>> from counterpoint.selection import CombinedError
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.6, 0.4]]], y=[1], classes=[0, 1])
    >>> CombinedError(MeanCombiner()).value(outputs)
    0.0
    """

    def __init__(self, combiner: Combiner, loss: str = "error") -> None:
        self.combiner = combiner
        self.loss = check_choice(loss, "loss", ("error", "log-loss", "squared"))

    def value(self, outputs: MemberOutputs) -> float:
        """Return the loss of the combined answer."""
        rule = self.combiner.fit(outputs) if self.combiner.needs_truth else self.combiner
        answer = rule.combine if self.loss == "error" else rule.predict_proba
        return mean_loss(answer(outputs), outputs, self.loss)


class ScorerCriterion(Criterion):
    """Any scorer of scikit-learn, of the combined answer.

    Parameters
    ----------
    scoring : str or callable
        Name such as "neg_log_loss" or "balanced_accuracy" (for numbers, "neg_mean_squared_error"),
        or a scorer; higher is better, as always in scikit-learn.
    combiner : Combiner, default=None
        How members are combined. None averages probabilities, or counts votes.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import ScorerCriterion
    >>> outputs = MemberOutputs([[0, 1, 1], [0, 1, 1]], [0, 1, 0])
    >>> ScorerCriterion("balanced_accuracy").value(outputs)
    -0.75
    """

    def __init__(self, scoring: str | Callable[..., Any], combiner: Combiner | None = None) -> None:
        self.scorer, self.combiner = check_scoring(_Answer(), scoring), combiner

    def value(self, outputs: Any) -> float:
        """Return the score with its sign turned."""
        rule: Any = self.combiner
        if rule is None:
            votes = isinstance(outputs, MemberOutputs) and outputs.proba is None
            rule = VoteCombiner() if votes else MeanCombiner()
        if rule.needs_truth:
            rule.fit(outputs)
        if isinstance(outputs, MemberPredictions):
            return self._score(_Numbers(rule.combine(outputs)), outputs.y, outputs)
        answer = _Answer(outputs.classes, rule.predict_proba(outputs))
        return self._score(answer, outputs.classes[outputs.y], outputs)

    def parts(self, outputs: Any) -> NDArray | None:
        """Return the numbers of regressors, where their plain mean is scored."""
        plain = self.combiner is None and isinstance(outputs, MemberPredictions)
        return outputs.values if plain else None

    def of_means(self, means: NDArray, outputs: MemberOutputs) -> NDArray:
        """Return the score of each with its sign turned."""
        return np.array([self._score(_Numbers(mean), outputs.y, outputs) for mean in means])

    def _score(self, answer, y, outputs):
        weight = outputs.sample_weight
        extra = {} if weight is None else {"sample_weight": weight}
        return -float(self.scorer(answer, np.arange(outputs.n_samples)[:, None], y, **extra))


class _Answer(ClassifierMixin, BaseEstimator):
    """A finished answer that a scorer can ask as if it were a classifier."""

    def __init__(self, classes=None, share=None):
        self.classes_, self.share_ = classes, share

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.classes_[self.share_.argmax(axis=1)]

    def predict_proba(self, X):
        return self.share_


class _Numbers(RegressorMixin, BaseEstimator):
    """Finished numbers that a scorer can ask as if they were a regressor."""

    def __init__(self, values=None):
        self.values_ = values

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.values_


class Diversity(Criterion):
    """Any measure of :data:`counterpoint.diversity.MEASURES`, turned so that lower is better.

    Parameters
    ----------
    measure : str
        Its name, such as "q" or "double_fault".

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import Diversity
    >>> Diversity("disagreement").value(MemberOutputs([[0, 1], [1, 1]], [0, 1]))
    -0.5
    """

    def __init__(self, measure: str) -> None:
        self.measure = get_measure(measure)

    def value(self, outputs: MemberOutputs) -> float:
        """Return the measure, or its negative; NaN for one member alone."""
        if isinstance(outputs, MemberPredictions):
            outputs.need_votes("A measure of diversity")
        value = float(self.measure.function(outputs))
        lower = self.measure.more_diverse == "lower" or self.measure.name in _LOWER
        return value if lower else -value


class WeightedSum(Criterion):
    """Several criteria at once.

    Parameters
    ----------
    criteria : sequence of Criterion, or names
        See :func:`as_criterion`.
    weights : array-like, default=None
        What each counts; None is 1.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.selection import WeightedSum
    >>> both = WeightedSum(["error", "disagreement"], [1.0, 0.5])
    >>> both.value(MemberOutputs([[0, 1], [1, 1]], [0, 1]))
    -0.25
    """

    def __init__(self, criteria: Sequence, weights: ArrayLike | None = None) -> None:
        self.criteria = [as_criterion(c) for c in criteria]
        self.weights = np.ones(len(self.criteria)) if weights is None else np.asarray(weights)
        if self.weights.shape != (len(self.criteria),):
            raise ValueError(
                f"{len(self.criteria)} criteria but weights of shape {self.weights.shape}."
            )

    def value(self, outputs: MemberOutputs) -> float:
        """Return the weighted sum; a part that is undefined counts nothing."""
        parts = np.array([c.value(outputs) for c in self.criteria])
        return float(np.nansum(self.weights * parts))


_NAMED: dict[str, type[Criterion]] = {
    "error": VoteError,
    "log-loss": LogLoss,
    "squared": SquaredError,
}


def as_criterion(given: Any) -> Criterion:
    """Return a criterion from its short name.

    Parameters
    ----------
    given : Criterion, Combiner or str
        "error" is the error of the plain vote, "log-loss" that of the plain mean, "squared" that
        of the plain mean of numbers; a combiner
        stands for its error; other names are measures of diversity, then scorers of scikit-learn.

    Returns
    -------
    Criterion

    Examples
    --------
    >>> from counterpoint.selection import as_criterion
    >>> type(as_criterion("error")).__name__
    'VoteError'
    """
    if isinstance(given, Criterion):
        return given
    if isinstance(given, Combiner):
        return CombinedError(given)
    if isinstance(given, str) and given in _NAMED:
        return _NAMED[given]()
    if isinstance(given, str) and given in MEASURES:
        return Diversity(given)
    if isinstance(given, str) and given in get_scorer_names():
        return ScorerCriterion(given)
    raise ValueError(
        f"criterion={given!r}: give 'error', 'log-loss', 'squared', a measure of diversity "
        f"({', '.join(MEASURES)}), the name of a scikit-learn scorer, a Combiner or a Criterion."
        + did_you_mean(given, [*_NAMED, *MEASURES, *get_scorer_names()])
    )
