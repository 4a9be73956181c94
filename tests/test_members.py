"""Every estimator that has members can be asked for what they say."""

import numpy as np
import pytest
from estimators import public_estimators, quick
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.utils import get_tags

from counterpoint import MemberOutputs, member_predictions
from counterpoint._tables import select_columns
from counterpoint.base import BaseEnsemble
from counterpoint.exceptions import MemberError

ESTIMATORS = [quick(estimator) for estimator in public_estimators()]
PREDICTORS = [e for e in ESTIMATORS if is_classifier(e) or is_regressor(e)]
# Melted into one model, which answers without its members.
MELTED = {
    "DistilledTreeClassifier",
    "EnsembleKernelSVC",
    "EnsembleTreeClassifier",
    "HyperboxEnsembleClassifier",
    "MergedTreeClassifier",
    "MergedTreeRegressor",
    "RuleMergeClassifier",
}

# Members' answers become one by a rule that the outputs carry along; in others by a mean or a vote,
# or by more than the answers (a gate that looks at X).
WITH_RULE = {
    "AddemupClassifier",
    "CombinedClassifier",
    "EPNetClassifier",
    "EnsembleSelectionClassifier",
    "EvolutionaryEnsembleClassifier",
    "EvolvedEnsembleClassifier",
    "QueryByCommittee",
    "OverproduceSelectClassifier",
}


def small(estimator):
    """Return few rows of a task the estimator is for: train, test, and labels of both."""
    X, y = (load_iris if is_classifier(estimator) else load_diabetes)(return_X_y=True)
    kind = get_tags(estimator).classifier_tags
    if kind is not None and not kind.multi_class:
        y = np.where(y == 1, "yes", "no")
    elif kind is not None:
        y = np.array(["setosa", "versicolor", "virginica"])[y]
    return X[::2], y[::2], X[1::4], y[1::4]


@pytest.mark.parametrize("estimator", PREDICTORS, ids=lambda e: type(e).__name__)
def test_members_answer_for_themselves(estimator):
    X, y, X_new, y_new = small(estimator)
    fitted = clone(estimator).fit(X, y)
    has_members = hasattr(fitted, "estimators_") or hasattr(fitted, "pool_")
    if type(estimator).__name__ in MELTED or not (
        has_members or isinstance(estimator, BaseEnsemble)
    ):
        assert not hasattr(fitted, "member_predict"), "asks members: derive from BaseEnsemble"
        return
    answers = fitted.member_predict(X_new)
    assert answers.shape[1] == len(X_new)
    if is_regressor(estimator):
        if getattr(fitted, "_members_are_corrections", False):
            assert_allclose(fitted.start_ + answers.sum(axis=0), fitted.predict(X_new))
        else:
            assert_array_equal(member_predictions(fitted, X_new), answers)
            assert_array_equal(fitted.member_outputs(X_new, y_new).values, answers)
        return
    outputs = fitted.member_outputs(X_new, y_new)
    assert isinstance(outputs, MemberOutputs)
    assert outputs.n_samples == len(X_new)
    same = MemberOutputs.from_estimator(fitted, X_new, y_new)
    assert_array_equal(outputs.correct, same.correct)
    if outputs.votes is None:  # members with tasks of their own: right or wrong is all there is
        return
    assert_array_equal(fitted.classes_[outputs.votes], answers)
    if hasattr(fitted, "member_predict_proba"):
        proba = fitted.member_predict_proba(X_new)
        assert proba.shape == (*answers.shape, len(fitted.classes_))
        assert_allclose(proba.sum(axis=2), 1.0)
        assert_array_equal(outputs.proba, proba)


@pytest.mark.parametrize("estimator", PREDICTORS, ids=lambda e: type(e).__name__)
def test_what_members_say_adds_up_to_what_the_ensemble_says(estimator):
    X, y, X_new, y_new = small(estimator)
    fitted = clone(estimator).fit(X, y)
    if is_regressor(estimator) or not hasattr(fitted, "member_outputs"):
        return
    outputs = fitted.member_outputs(X_new, y_new)
    rule = outputs.combiner
    assert (rule is not None) == (type(estimator).__name__ in WITH_RULE)
    if rule is None:
        return
    assert_array_equal(fitted.classes_[rule.combine(outputs).argmax(axis=1)], fitted.predict(X_new))


@pytest.mark.parametrize("columns", [None, slice(1, 3)])
def test_members_get_numbers_without_gaps(columns):
    """As a process gets them: last bits do not depend on whether one is used."""
    X = np.arange(40.0).reshape(10, 4)[::2]
    for given in (X, np.asfortranarray(X)):
        seen = select_columns(given, columns)
        assert seen.flags.c_contiguous or seen.flags.f_contiguous
        assert_array_equal(seen, given if columns is None else given[:, columns])
    kept = np.asfortranarray(X)
    assert select_columns(kept, None) is kept


def test_members_that_answer_with_classes_there_are_not():
    X, y = load_iris(return_X_y=True)
    bagged = BaggingClassifier(random_state=0).fit(X, y)
    bagged.estimators_[2].classes_ = np.array([0, 7, 1])
    with pytest.raises(MemberError, match="answers with class number 7, but there are 3 classes"):
        MemberOutputs.from_estimator(bagged, X, y)


def test_probabilities_that_add_up_to_more_than_one_are_shares():
    class Twice(DummyClassifier):
        def predict_proba(self, X):
            return np.tile([1.0, 0.0, 1.0], (len(X), 1))

    X, y = np.zeros((6, 1)), np.array([0, 1, 2, 0, 1, 2])
    members = [Twice().fit(X, y), DummyClassifier(strategy="prior").fit(X, y)]
    outputs = MemberOutputs.from_estimator(members, X)
    np.testing.assert_array_equal(outputs.proba[0], np.tile([0.5, 0.0, 0.5], (6, 1)))
    np.testing.assert_array_equal(outputs.proba[1], members[1].predict_proba(X))
