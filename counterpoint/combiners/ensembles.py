"""Which rule a fitted ensemble combines its members by: told, known by its type, or tried out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)

from counterpoint import _members
from counterpoint._outputs import MemberOutputs, as_outputs
from counterpoint.combiners.combiner import Combiner, winner
from counterpoint.combiners.fixed import MeanCombiner, VoteCombiner
from counterpoint.combiners.stacking import StackingCombiner


class StagedCombiner(Combiner):
    """Members that add to the scores of those before: what the ensemble itself says after each.

    It knows the answers about the rows it was made for, and no others.

    Parameters
    ----------
    stages : ndarray of shape (n_members, n_samples) or None, default=None
        Answers after each member, as positions in the classes.

    Attributes
    ----------
    stages_ : ndarray of shape (n_members, n_samples)
        Answers after each member, as positions in the classes.
    """

    def __init__(self, stages: NDArray | None = None) -> None:
        self.stages = stages

    @property
    def stages_(self) -> NDArray | None:
        """Answers after each member."""
        return self.stages

    def combine(self, outputs: MemberOutputs) -> NDArray:
        """Return 1 for the class that the last stage says."""
        self.check(outputs)
        if self.stages is None:
            raise ValueError("These stages are not known: combiner_of(ensemble, X) finds them.")
        stages = np.asarray(self.stages)
        if outputs.votes.shape != stages.shape:
            raise ValueError(
                f"These stages are of {stages.shape} members and samples, the outputs of "
                f"{outputs.votes.shape}: ask combiner_of(ensemble, X) for the rows at hand."
            )
        return np.eye(outputs.n_classes)[stages[-1]]


class _StackedByScikitLearn(StackingCombiner):
    """The final estimator of scikit-learn's stacking, which for two classes sees the second."""

    def __init__(self, estimator, members=None, means=None):
        super().__init__(estimator)
        self.members, self.means = members, means
        self.n_members_ = len(estimator.estimators_) if members is None else len(members)
        self.estimator_, self.estimator_weights_ = estimator.final_estimator_, None

    def keep(self, members, outputs):
        """Return the rule for some of the members: the others say the same about all samples."""
        self._features(outputs)
        return _StackedByScikitLearn(self.estimator, members, self.means_)

    def _features(self, outputs):
        shown = outputs.proba[:, :, 1:] if outputs.n_classes == 2 else outputs.proba
        features = shown.transpose(1, 0, 2)
        if self.members is not None:
            all_members = np.tile(self.means, (outputs.n_samples, 1))
            all_members = all_members.reshape(outputs.n_samples, -1, shown.shape[2])
            all_members[:, self.members] = features
            features = all_members
        features = features.reshape(outputs.n_samples, -1)
        self.means_ = features.mean(axis=0)
        return features

    def _answer(self, features, outputs):
        if hasattr(self.estimator_, "predict_proba"):
            return super()._answer(features, outputs)
        return np.eye(outputs.n_classes)[self.estimator_.predict(features)]


def combiner_of(
    ensemble: Any, X: Any = None, outputs: MemberOutputs | None = None
) -> Combiner | None:
    """Find the rule that gives a fitted ensemble's answer from those of its members.

    Our ensembles keep it in ``combiner_``; forests, bagging, voting, AdaBoost, calibration and
    stacking of scikit-learn are known. For any other, rules are tried out on X: the (weighted)
    mean if it gives the ensemble's own probabilities, then its own stages, a (weighted) vote or
    mean that gives its answer about every row.

    Parameters
    ----------
    ensemble : classifier
        Fitted; pipelines and searches are looked into.
    X : array-like or frame of shape (n_samples, n_features), default=None
        Rows to try rules out on. None: only what is known without.
    outputs : MemberOutputs, default=None
        What the members say about these rows, if it is known already.

    Returns
    -------
    Combiner or None
        Fitted. None where no rule is found, or members answer questions of their own.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.combiners import combiner_of
    >>> X, y = load_iris(return_X_y=True)
    >>> combiner_of(RandomForestClassifier(5, random_state=0).fit(X, y))
    MeanCombiner()
    """
    inner = _members.strip_model(ensemble)[1]
    if is_regressor(inner):
        raise ValueError(
            f"{type(inner).__name__} is a regressor, and rules combine what classifiers say: pass "
            "a classifier."
        )
    known = getattr(inner, "combiner_", None)
    if isinstance(known, Combiner):
        return known
    known = _by_type(inner)
    if known is not None or X is None:
        return known
    if outputs is None:
        outputs = MemberOutputs.from_estimator(ensemble, X)
    outputs = as_outputs(outputs)
    return None if outputs.votes is None else _tried(ensemble, X, outputs)


def _by_type(ensemble):
    if isinstance(ensemble, RandomForestClassifier | ExtraTreesClassifier | CalibratedClassifierCV):
        return MeanCombiner()
    if isinstance(ensemble, BaggingClassifier):
        soft = all(hasattr(member, "predict_proba") for member in ensemble.estimators_)
        return MeanCombiner() if soft else VoteCombiner()
    if isinstance(ensemble, VotingClassifier):
        weights = _members.member_weights(ensemble, len(ensemble.estimators_))
        return MeanCombiner(weights) if ensemble.voting == "soft" else VoteCombiner(weights)
    if isinstance(ensemble, AdaBoostClassifier):
        return VoteCombiner(ensemble.estimator_weights_[: len(ensemble.estimators_)])
    if isinstance(ensemble, StackingClassifier):
        plain = not ensemble.passthrough and set(ensemble.stack_method_) == {"predict_proba"}
        return _StackedByScikitLearn(ensemble) if plain else None
    return None


# -- trying out --------------------------------------------------------------------------------


def _tried(ensemble, X, outputs):
    own = np.searchsorted(outputs.classes, np.asarray(ensemble.predict(X)))
    weights = outputs.weights
    mean = MeanCombiner(weights)
    # On few rows a vote and a mean may happen to say the same; probabilities tell them apart.
    if outputs.proba is not None and _gives_proba(ensemble, X, mean.combine(outputs)):
        return mean
    vote = VoteCombiner(weights)
    stages = _stages(ensemble, X, outputs, own)
    if stages is not None:
        # A few rounds may happen to say what their vote would.
        inner = _members.strip(ensemble)[1]
        if _members.members_are_corrections(inner) or not _are_votes(stages, outputs):
            return StagedCombiner(stages)
    if np.array_equal(winner(vote.combine(outputs)), own):
        return vote
    if outputs.proba is not None and np.array_equal(winner(mean.combine(outputs)), own):
        return mean
    return None


def _gives_proba(ensemble, X, mean):
    if not hasattr(ensemble, "predict_proba"):
        return False
    proba = np.asarray(ensemble.predict_proba(X))
    return proba.shape == mean.shape and np.allclose(proba, mean, atol=1e-6)


def _stages(ensemble, X, outputs, own) -> NDArray | None:
    """Return what the ensemble says after each member, where it can tell."""
    before, inner = _members.strip(ensemble)
    if not hasattr(inner, "staged_predict"):
        return None
    X = _members.through(before, X)
    stages = [np.searchsorted(outputs.classes, s) for s in inner.staged_predict(X)]
    if len(stages) != outputs.n_members or not np.array_equal(stages[-1], own):
        return None
    return np.stack(stages)


def _are_votes(stages, outputs):
    """Whether a vote gives the same at every stage; scores added up seldom do."""
    total = 0.0
    for stage, share, votes in zip(stages, outputs.say, outputs.votes, strict=True):
        total = total + share * np.eye(outputs.n_classes)[votes]
        if not np.array_equal(winner(total), stage):
            return False
    return True
