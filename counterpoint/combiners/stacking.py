"""Stacking: any classifier learnt on what the members say."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from counterpoint._asking import said
from counterpoint._interrupts import whole
from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Estimator
from counterpoint._validation import check_choice
from counterpoint.combiners.combiner import Combiner, normalise

_FEATURES = ("proba", "votes", "log-odds")
# Log odds of surer members than this count as if they were so sure.
_SUREST = 1e-3


class StackingCombiner(Combiner):
    """Learn any classifier on the members' outputs.

    Parameters
    ----------
    estimator : classifier, default=None
        With ``predict_proba``. None is logistic regression.
    use : {"proba", "votes", "log-odds"}, default="proba"
        Features: all probabilities, the votes as indicators, or logarithms of the probabilities
        less their mean over the classes (for two classes, of the second only).

    Attributes
    ----------
    estimator_ : classifier
        Fitted; its classes are positions in the classes of the outputs.
    means_ : ndarray of shape (n_features,)
        Mean of each feature: what a member says that has fallen silent.
    estimator_weights_ : ndarray of shape (n_members,) or None
        By the mean size of the members' coefficients; None for a classifier without.

    References
    ----------
    .. [1] D. H. Wolpert, "Stacked generalization", Neural Networks 5, 1992.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import StackingCombiner
    >>> outputs = MemberOutputs([[0, 0, 1, 1], [1, 0, 1, 0]], [1, 1, 0, 0])
    >>> StackingCombiner(use="votes").fit(outputs).predict(outputs).tolist()
    [1, 1, 0, 0]
    """

    needs_truth = True

    def __init__(self, estimator: Estimator = None, *, use: str = "proba") -> None:
        self.estimator = estimator
        self.use = use

    @property
    def needs_proba(self) -> bool:  # type: ignore[override]
        """Whether the features are made of probabilities."""
        return self.use != "votes"

    def fit(self, outputs: MemberOutputs) -> Self:
        """Fit the classifier to the members' outputs."""
        check_choice(self.use, "use", _FEATURES)
        self.check(outputs)
        outputs.need_truth()
        model = LogisticRegression(max_iter=1000) if self.estimator is None else self.estimator
        if not hasattr(model, "predict_proba"):
            raise ValueError(
                f"{type(model).__name__} has no predict_proba, which stacking needs: wrap it in "
                "CalibratedClassifierCV."
            )
        self.n_members_ = outputs.n_members
        features = self._features(outputs)
        extra = {}
        if outputs.sample_weight is not None:
            extra["sample_weight"] = outputs.sample_weight
        nothing = np.ptp(outputs.y) == 0
        if nothing:
            # One class only, which many classifiers refuse: there is nothing to learn but that.
            model = DummyClassifier(strategy="prior")
        with whole():
            self.estimator_ = clone(model).fit(features, outputs.y, **extra)
        self.means_ = features.mean(axis=0)
        coef = getattr(self.estimator_, "coef_", None)
        self.estimator_weights_ = normalise(np.ones(outputs.n_members)) if nothing else None
        if coef is not None:
            size = np.abs(coef).mean(axis=0).reshape(outputs.n_members, -1).mean(axis=1)
            self.estimator_weights_ = normalise(size)
        return self

    def _features(self, outputs):
        if self.use == "votes":
            shown = (outputs.votes[:, :, None] == np.arange(outputs.n_classes)).astype(float)
        elif self.use == "proba":
            shown = outputs.proba
        else:
            shown = np.log(np.clip(outputs.proba, _SUREST, 1.0))
            shown = shown - shown.mean(axis=2, keepdims=True)
            if outputs.n_classes == 2:
                shown = shown[:, :, 1:]
        return shown.transpose(1, 0, 2).reshape(outputs.n_samples, -1)

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return the classifier's probabilities; 0 for classes it never saw."""
        return self._answer(self._checked(outputs), outputs)

    def silence(self, member: int, outputs: MemberOutputs, whole: NDArray | None = None) -> NDArray:
        """Return its probabilities where the member says the same about all samples."""
        features = self._checked(outputs).copy()
        width = features.shape[1] // outputs.n_members
        own = slice(member * width, (member + 1) * width)
        features[:, own] = self.means_[own]
        return self._answer(features, outputs)

    def _checked(self, outputs):
        self.check(outputs)
        self.check_n_members(outputs, self.n_members_)
        return self._features(outputs)

    def _answer(self, features, outputs):
        support = np.zeros((outputs.n_samples, outputs.n_classes))
        support[:, self.estimator_.classes_] = said(self.estimator_, features)
        return support
