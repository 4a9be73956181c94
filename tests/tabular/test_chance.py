"""A tree of probabilities where a tree of labels has nothing to tell."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from counterpoint import tabular
from counterpoint.tabular.chance import ProbabilityRegressor


@pytest.fixture(scope="module")
def rare():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(1200, 3)), columns=["a", "b", "c"])
    y = np.where(rng.uniform(size=1200) < 0.02 + 0.2 * ((X.a > 0.2) & (X.b < 0)), "yes", "no")
    return X, y


def test_labels_tell_nothing_and_probabilities_do(rare):
    X, y = rare
    model = LogisticRegression().fit(X, y)
    labels = tabular.explain(model, X, y)
    assert labels.constant == "no"
    assert labels.fidelity <= labels.constant_fidelity == pytest.approx(1, abs=0.02)
    assert "Always saying 'no'" in labels.sentences()[1]
    assert "probability_of=" in labels.sentences()[1]
    chance = tabular.explain(model, X, y, probability_of="yes", max_leaves=8)
    assert chance.constant is chance.constant_fidelity is chance.classes is None
    assert chance.fidelity > 0.8
    said = chance.predict(X)
    # What the tree gives back is the probability, to the share of its variance that it claims.
    asked = model.predict_proba(X)[:, 1]
    left = np.var(asked - said) / np.var(asked)
    assert 1 - left == pytest.approx(chance.fidelity, abs=0.1)
    assert chance.important_columns()[0] in ("a", "b")


def test_it_is_the_column_of_predict_proba():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000).fit(X, y)
    one = ProbabilityRegressor(model, "2")
    np.testing.assert_array_equal(one.predict(X), model.predict_proba(X)[:, 2])
    np.testing.assert_array_equal(one.truth(y), (y == 2).astype(float))


def test_wrong_classes_are_told(rare):
    X, y = rare
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"probability_of='yess' is no class .* 'yes'"):
        tabular.explain(model, X, y, probability_of="yess")
    with pytest.raises(ValueError, match="gives no probabilities"):
        tabular.explain(LinearSVC().fit(X, y), X, y, probability_of="yes")
