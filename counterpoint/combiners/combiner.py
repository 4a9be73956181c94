"""What every combiner is: an object that turns member outputs into one answer."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from counterpoint._arrays import check_member_weight
from counterpoint._ballot import even
from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice

LOSSES = ("error", "log-loss", "squared")
# Sums of weights taken away again miss zero by a rounding: a tie must stay a tie.
_ROUNDING = 1e-9


class Combiner(BaseEstimator, ABC):
    """Turn what the members said into one answer.

    Subclasses give :meth:`combine`; those that learn give :meth:`fit` too. Parameters are set in
    ``__init__`` and can be read, set and cloned as those of any scikit-learn estimator.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import Combiner
    >>> class FirstMember(Combiner):
    ...     def combine(self, outputs):
    ...         return outputs.proba[0]
    >>> outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.9, 0.1]]])
    >>> FirstMember().predict(outputs).tolist()
    [1]
    """

    # Whether the rule reads probabilities, whether fit looks at the truth, and whether it can
    # combine numbers of regressors, too.
    needs_proba = False
    needs_truth = False
    takes_numbers = False

    def fit(self, outputs: MemberOutputs) -> "Combiner":
        """Learn from outputs on data the members were not trained on; fixed rules learn nothing.

        Parameters
        ----------
        outputs : MemberOutputs
            With the truth, where the rule needs it.

        Returns
        -------
        Combiner
        """
        self.check(outputs)
        if self.needs_truth:
            outputs.need_truth()
        self._learn(outputs)
        return self

    def _learn(self, outputs: MemberOutputs) -> None:
        """Learn from outputs that are checked; rules that learn write it."""

    @abstractmethod
    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the support for each class.

        Parameters
        ----------
        outputs : MemberOutputs
            Or MemberPredictions, where ``takes_numbers`` is set.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            From 0; the class with most support is the answer. For numbers, (n_samples,).
        """

    def predict(self, outputs: MemberOutputs) -> NDArray:
        """Return the label with most support, the first of equals; for numbers, the number.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        answer = self.combine(outputs)
        return answer if answer.ndim == 1 else outputs.classes[answer.argmax(axis=1)]

    def predict_proba(self, outputs: MemberOutputs) -> NDArray:
        """Return the support as shares that add up to 1; equal shares where there is none.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return as_shares(self.combine(outputs))

    def shares(self, outputs: MemberOutputs) -> NDArray:
        """Return how much each member counts, (n_members,), adding up to 1."""
        learnt = getattr(self, "estimator_weights_", None)
        if learnt is not None:
            return learnt
        given = check_member_weight(getattr(self, "weights", None), outputs.n_members)
        return normalise(outputs.say if given is None else given)

    def keep(self, members: Any, outputs: MemberOutputs) -> "Combiner":
        """Return the rule for some of the members only.

        Parameters
        ----------
        members : ndarray of int
            Positions of those that stay.
        outputs : MemberOutputs
            Of all members; rules that cannot be cut down learn anew from it.

        Returns
        -------
        Combiner
        """
        rule = clone(self)
        if getattr(self, "weights", None) is not None:
            rule.set_params(weights=np.asarray(self.weights)[members])
        return rule.fit(outputs.take(members))

    def silence(self, member: int, outputs: MemberOutputs, whole: NDArray | None = None) -> NDArray:
        """Return the support that is left where one member falls silent.

        The others count as much as before, relative to each other, wherever the rule allows it.

        Parameters
        ----------
        member : int
            Its position.
        outputs : MemberOutputs
            Of all members.
        whole : ndarray of shape (n_samples, n_classes), default=None
            What ``combine`` gives, where it is at hand.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        others = np.delete(np.arange(outputs.n_members), member)
        return self.keep(others, outputs).combine(outputs.take(others))

    def check(self, outputs: MemberOutputs) -> None:
        """Raise unless the outputs hold what the rule reads."""
        name = type(self).__name__
        if isinstance(outputs, MemberPredictions):
            if not self.takes_numbers:
                raise ValueError(
                    f"{name} combines classes, but these are predictions of regressors: use "
                    "MeanCombiner, MedianCombiner or WeightedMeanCombiner."
                )
            return
        as_outputs(outputs).need_votes(name)
        if self.needs_proba and outputs.proba is None:
            raise ValueError(
                f"{name} combines probabilities, but these outputs hold labels only: use members "
                "that all have predict_proba, or a VoteCombiner."
            )

    def check_n_members(self, outputs: MemberOutputs, n_members: int) -> None:
        """Raise unless there are as many members as the rule was fitted on."""
        if outputs.n_members != n_members:
            raise ValueError(
                f"{type(self).__name__} was fitted on {n_members} members, but these outputs are "
                f"of {outputs.n_members}: pass outputs of the same members in the same order."
            )


class AdditiveCombiner(Combiner):
    """A rule whose support is a weighted sum of what each member adds; see :meth:`addend`."""

    def addend(self, member: int, outputs: MemberOutputs) -> NDArray:
        """Return what one member would say alone, (n_samples, n_classes).

        Its probabilities, or numbers, where the rule reads them; else its votes as 0 and 1.
        """
        if self.needs_proba:
            return answers(outputs)[member]
        return np.eye(outputs.n_classes)[outputs.votes[member]]

    def silence(self, member: int, outputs: MemberOutputs, whole: NDArray | None = None) -> NDArray:
        """Return what the others add up to."""
        share = self.shares(outputs)
        rest = 1.0 - share[member]
        if rest < 1e-12:  # nobody else counts: then all others do
            return super().silence(member, outputs)
        whole = self.combine(outputs) if whole is None else whole
        return (whole - share[member] * self.addend(member, outputs)) / rest


def check_combiner(combiner: Any) -> Combiner:
    """Return a combiner, or say that this is none."""
    if isinstance(combiner, Combiner):
        return combiner
    raise TypeError(
        f"combiner={combiner!r} is no combiner: pass one of counterpoint.combiners, such as "
        "MeanCombiner(), or None."
    )


def answers(outputs: MemberOutputs) -> NDArray:
    """Return the probabilities of all members, or their numbers."""
    return outputs.values if isinstance(outputs, MemberPredictions) else outputs.proba


def as_shares(support: NDArray) -> NDArray:
    """Scale non-negative support to add up to 1; equal shares where there is none."""
    total = support.sum(axis=1, keepdims=True)
    return np.where(total > 0, support / np.where(total > 0, total, 1.0), 1.0 / support.shape[1])


def winner(support: NDArray) -> NDArray:
    """Return the class with most support, (n_samples,), the first of equals up to rounding."""
    return even(support, _ROUNDING).argmax(axis=1)


def normalise(weights: NDArray) -> NDArray:
    """Scale weights to add up to 1; equal ones where all are 0."""
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))


def losses(support: NDArray, outputs: MemberOutputs, loss: str, least: float = 1e-12) -> NDArray:
    """Return what a combined answer loses on each sample, (n_samples,).

    Whether it is wrong, -log of the share of the truth (from ``least``: a logarithm must stay
    finite), or the squared distance; support is in shares for all but "error".
    """
    check_choice(loss, "loss", LOSSES)
    if loss == "error":
        return support.argmax(axis=1) != outputs.y
    truth = support[np.arange(outputs.n_samples), outputs.y]
    if loss == "log-loss":
        return -np.log(np.clip(truth, least, 1.0))
    return (support**2).sum(axis=1) - 2 * truth + 1


def mean_loss(
    support: NDArray, outputs: MemberOutputs, loss: str = "error", least: float = 1e-12
) -> float:
    """Return the mean of :func:`losses`, by sample weights."""
    return float(np.average(losses(support, outputs, loss, least), weights=outputs.sample_weight))
