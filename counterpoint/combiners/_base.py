"""What every combiner is: an object that turns member outputs into support for classes."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from counterpoint._outputs import MemberOutputs


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

    # Whether the rule reads probabilities, and whether fit looks at the truth.
    needs_proba = False
    needs_truth = False

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
        return self

    @abstractmethod
    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the support for each class.

        Parameters
        ----------
        outputs : MemberOutputs

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            From 0; the class with most support is the answer.
        """

    def predict(self, outputs: MemberOutputs) -> NDArray:
        """Return the label with most support, the first of equals.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return outputs.classes[self.combine(outputs).argmax(axis=1)]

    def predict_proba(self, outputs: MemberOutputs) -> NDArray:
        """Return the support as shares that add up to 1; equal shares where there is none.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return as_shares(self.combine(outputs))

    def check(self, outputs: MemberOutputs) -> None:
        """Raise unless the outputs hold what the rule reads."""
        outputs.need_votes(type(self).__name__)
        if self.needs_proba and outputs.proba is None:
            raise ValueError(
                f"{type(self).__name__} combines probabilities, but these outputs hold labels "
                "only: use members that all have predict_proba, or a VoteCombiner."
            )


def as_shares(support: NDArray) -> NDArray:
    """Scale non-negative support to add up to 1; equal shares where there is none."""
    total = support.sum(axis=1, keepdims=True)
    return np.where(total > 0, support / np.where(total > 0, total, 1.0), 1.0 / support.shape[1])


def check_n_members(outputs: MemberOutputs, n_members: int, name: str) -> None:
    """Raise unless there are as many members as the rule was fitted on."""
    if outputs.n_members != n_members:
        raise ValueError(
            f"{name} was fitted on {n_members} members, but these outputs are of "
            f"{outputs.n_members}: pass outputs of the same members in the same order."
        )
