import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import make_classification

from counterpoint.auto import forests


@pytest.mark.parametrize("name", [
    "ExtraTreesClassifier", "RandomForestClassifier", "ExtraTreesRegressor",
    "RandomForestRegressor",
])  # fmt: skip
def test_forests_are_those_of_scikit_learn_to_the_last_bit(name):
    X, y = make_classification(60, 5, random_state=0)
    options = {"n_estimators": 5, "max_features": 0.5, "min_samples_leaf": 2, "random_state": 3}
    theirs = getattr(ensemble, name)(**options).fit(X, y)
    ours = clone(getattr(forests, name)(**options)).fit(X, y)
    ours.fit(X, y)  # again: nothing is left of the first time
    assert isinstance(ours, getattr(ensemble, name))
    assert vars(ours).keys() == vars(theirs).keys()
    for a, b in zip(theirs.estimators_, ours.estimators_, strict=True):
        assert a.get_params() == b.get_params()
        np.testing.assert_array_equal(a.predict(X), b.predict(X))
    ask = "predict_proba" if hasattr(theirs, "predict_proba") else "predict"
    np.testing.assert_array_equal(getattr(theirs, ask)(X), getattr(ours, ask)(X))
