"""Every public estimator keeps scikit-learn's contract; a new one is found by itself."""

import importlib
import inspect
import pickle
import pkgutil

import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import counterpoint


def public_estimators():
    for module in pkgutil.iter_modules(counterpoint.__path__):
        if module.name in counterpoint.__all__:
            package = importlib.import_module(f"counterpoint.{module.name}")
            for name in package.__all__:
                value = getattr(package, name)
                if inspect.isclass(value) and issubclass(value, BaseEstimator):
                    yield value


ESTIMATORS = [estimator() for estimator in public_estimators()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_pickled_estimator_answers_the_same(estimator):
    X, y = load_iris(return_X_y=True)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    ask = "predict" if hasattr(fitted, "predict") else "transform"
    assert_array_equal(getattr(again, ask)(X), getattr(fitted, ask)(X))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_init_takes_options_by_keyword_only(estimator):
    """All but the first (an estimator, a pool): so that a new option never breaks a caller."""
    parameters = list(inspect.signature(type(estimator).__init__).parameters.values())[2:]
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
