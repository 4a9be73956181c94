"""Decision templates: the typical outputs of the members for each class."""

import numpy as np
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import Combiner

_SIMILARITIES = ("euclidean", "s1", "s2", "s3", "s4", "symmetric-difference")


class DecisionTemplatesCombiner(Combiner):
    """Answer with the class whose typical outputs are most like those at hand.

    The template of a class is the mean of the members' probabilities over its samples.

    Parameters
    ----------
    similarity : str, default="euclidean"
        "euclidean": 1 less the mean squared difference. Fuzzy ones of [1]_: "s1" is the sum of
        minima over the sum of maxima, "s2" 1 less the mean absolute difference, "s3" (also
        called "symmetric-difference") 1 less the mean of ``max(min(t, 1-p), min(1-t, p))``,
        "s4" 1 less the greatest absolute difference.

    Attributes
    ----------
    templates_ : ndarray of shape (n_classes, n_members, n_classes)
        NaN for classes without samples, which are never the answer.

    References
    ----------
    .. [1] L. I. Kuncheva, J. C. Bezdek and R. P. W. Duin, "Decision templates for multiple
       classifier fusion: an experimental comparison", Pattern Recognition 34, 2001.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import DecisionTemplatesCombiner
    >>> proba = [[[0.9, 0.1], [0.4, 0.6]], [[0.6, 0.4], [0.5, 0.5]]]
    >>> combiner = DecisionTemplatesCombiner().fit(MemberOutputs(proba=proba, y=[0, 1]))
    >>> combiner.predict(MemberOutputs(proba=[[[0.5, 0.5]], [[0.5, 0.5]]])).tolist()
    [1]
    """

    needs_proba = True
    needs_truth = True

    def __init__(self, similarity: str = "euclidean") -> None:
        self.similarity = similarity

    def _learn(self, outputs):
        check_choice(self.similarity, "similarity", _SIMILARITIES)
        weight = outputs.sample_weight
        weight = np.ones(outputs.n_samples) if weight is None else weight
        self.templates_ = np.full((outputs.n_classes, outputs.n_members, outputs.n_classes), np.nan)
        for c in range(outputs.n_classes):
            own = outputs.y == c
            if weight[own].sum() > 0:
                self.templates_[c] = np.average(outputs.proba[:, own], axis=1, weights=weight[own])

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the similarity to the template of each class, 0 for those without one."""
        self.check(outputs)
        self.check_n_members(outputs, self.templates_.shape[1])
        support = np.zeros((outputs.n_samples, outputs.n_classes))
        for c, template in enumerate(self.templates_):
            if not np.isnan(template).any():
                support[:, c] = self._alike(outputs.proba, template[:, None, :])
        return support

    def _alike(self, p, t):
        axes = (0, 2)
        gap = np.abs(p - t)
        if self.similarity == "euclidean":
            return 1.0 - (gap**2).mean(axis=axes)
        if self.similarity == "s1":
            return np.minimum(p, t).sum(axis=axes) / np.maximum(p, t).sum(axis=axes)
        if self.similarity == "s4":
            return 1.0 - gap.max(axis=axes)
        if self.similarity in ("s3", "symmetric-difference"):
            return 1.0 - np.maximum(np.minimum(t, 1 - p), np.minimum(1 - t, p)).mean(axis=axes)
        return 1.0 - gap.mean(axis=axes)
