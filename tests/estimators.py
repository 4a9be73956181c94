"""Every public estimator, found by itself, and quick settings for those that are slow."""

import importlib
import inspect
import pkgutil

from sklearn.base import BaseEstimator
from sklearn.dummy import DummyRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import counterpoint
from counterpoint.combiners import Combiner
from counterpoint.dynamic import Competence, Region

# Parts of estimators: they clone and show their parameters, but are not fitted to X and y.
PARTS = (Combiner, Competence, Region)
# The default pool of the flagship takes minutes; its promises do not depend on what is in it.
FEW = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))]
FEW_NUMBERS = [("mean", DummyRegressor()), ("tree", DecisionTreeRegressor(max_depth=3))]
QUICK = {
    "MergedTreeRegressor": {"n_estimators": 10},
    "NegativeCorrelationBoostingClassifier": {"n_estimators": 2, "n_rounds": 20},
    "NegativeCorrelationBoostingRegressor": {"n_estimators": 2, "n_rounds": 20},
    "OverproduceSelectClassifier": {"pool": FEW, "cv": 2},
    "OverproduceSelectRegressor": {"pool": FEW_NUMBERS, "cv": 2},
}


def public_classes():
    """Yield every class that a package of ours exports, once."""
    seen = set()
    for module in pkgutil.iter_modules(counterpoint.__path__):
        if module.name in counterpoint.__all__:
            package = importlib.import_module(f"counterpoint.{module.name}")
            for name in package.__all__:
                value = getattr(package, name)
                if inspect.isclass(value) and value not in seen:
                    seen.add(value)
                    yield value


def public_estimators():
    """Yield every public estimator class."""
    for value in public_classes():
        abstract = inspect.isabstract(value) or value.__name__.startswith("Base")
        if issubclass(value, BaseEstimator) and not issubclass(value, PARTS) and not abstract:
            yield value


def quick(estimator):
    """Return an estimator with settings under which it is fitted fast."""
    return estimator(**QUICK.get(estimator.__name__, {}))
