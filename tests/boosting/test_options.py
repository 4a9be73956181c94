"""Scikit-learn's contract holds for the options too, not only for the defaults."""

from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    NominalConceptClassifier,
)
from counterpoint.trees import HistTreeClassifier

OPTIONS = [
    AdaBoostNCClassifier(HistTreeClassifier(max_depth=2), n_estimators=10, confidence=True),
    AdaBoostNCClassifier(HistTreeClassifier(max_depth=2), n_estimators=10, lam="dynamic"),
    AdaBoostClassifier(GaussianNB(), n_estimators=5, on_failure="stop"),
    AdaBoostM2Classifier(NominalConceptClassifier(n_attributes=3), n_estimators=5),
]


def known(estimator):
    """Class weights are where the samples start from; boosting is free to move away from there."""
    if not isinstance(estimator, AdaBoostNCClassifier):
        return {}
    return {"check_class_weight_classifiers": "weights of classes are a start, not a cost"}


@parametrize_with_checks(OPTIONS, expected_failed_checks=known)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
