"""Every public estimator keeps scikit-learn's contract; a new one is found by itself."""

import importlib
import inspect
import pickle
import pkgutil

import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import counterpoint
from counterpoint.combiners import Combiner
from counterpoint.dynamic import Competence, Region

# Parts of estimators: they clone and show their parameters, but are not fitted to X and y.
PARTS = (Combiner, Competence, Region)


def public_estimators():
    for module in pkgutil.iter_modules(counterpoint.__path__):
        if module.name in counterpoint.__all__:
            package = importlib.import_module(f"counterpoint.{module.name}")
            for name in package.__all__:
                value = getattr(package, name)
                if (
                    not inspect.isclass(value)
                    or issubclass(value, PARTS)
                    or inspect.isabstract(value)
                ):
                    continue
                if issubclass(value, BaseEstimator):
                    yield value


# The default pool of the flagship takes minutes; its promises do not depend on what is in it.
FEW = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
QUICK = {"OverproduceSelectClassifier": {"candidates": FEW, "cv": 2}}

ESTIMATORS = [estimator(**QUICK.get(estimator.__name__, {})) for estimator in public_estimators()]


# A row of weight two is here not the same as two rows: rows are drawn, moved or counted.
WEIGHTS_ARE_NO_COPIES = {
    "BalancedSubsetsClassifier": "each member draws rows",
    "ForestRCClassifier": "each tree draws rows",
    "HeterogeneousPoolClassifier": "columns are scaled without weights before they are learned",
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
