"""Every public estimator keeps scikit-learn's contract; a new one is found by itself."""

import inspect
import pickle

import pytest
from estimators import public_estimators, quick
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [quick(estimator) for estimator in public_estimators()]


# A row of weight two is here not the same as two rows: rows are drawn, moved or counted.
WEIGHTS_ARE_NO_COPIES = {
    "ArcX4Classifier": "each member draws rows",
    "BaggedTreesClassifier": "each tree draws rows",
    "BalancedSubsetsClassifier": "each member draws rows",
    "EnsembleKernelSVC": "leaves count rows",
    "EnsembleTreeClassifier": "each bagged tree draws rows",
    "ForestRCClassifier": "each tree draws rows",
    "HeterogeneousPoolClassifier": "columns are scaled without weights before they are learned",
    "HistBoostClassifier": "each tree draws rows",
    "HistBoostRegressor": "each tree draws rows",
    "HyperboxEnsembleClassifier": "each tree draws rows",
    "NegativeCorrelationBoostingClassifier": "each tree draws rows",
    "NegativeCorrelationBoostingRegressor": "each tree draws rows",
    "NoiseInjectionClassifier": "each copy of a row is moved by its own noise",
    "ProjectionEnsembleClassifier": "directions are found on rows drawn",
    "ViewEnsembleClassifier": "each member draws rows",
}


def expected_failures(estimator):
    reason = WEIGHTS_ARE_NO_COPIES.get(type(estimator).__name__)
    return {} if reason is None else {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_pickled_estimator_answers_the_same(estimator):
    X, y = load_iris(return_X_y=True)
    kind = get_tags(estimator).classifier_tags
    if kind is not None and not kind.multi_class:
        y = y == 1
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    ask = next(m for m in ("predict", "transform", "score_samples") if hasattr(fitted, m))
    assert_array_equal(getattr(again, ask)(X), getattr(fitted, ask)(X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_init_takes_options_by_keyword_only(estimator):
    """All but the first (an estimator, a pool): so that a new option never breaks a caller."""
    parameters = list(inspect.signature(type(estimator).__init__).parameters.values())[2:]
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
