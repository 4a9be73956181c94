import numpy as np
import pandas as pd
import pytest
from naive import dynamic as naive
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes, make_regression
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from counterpoint.dynamic import DynamicSelectionRegressor, LeafRegion, NeighbourRegion
from counterpoint.exceptions import MemberError


class Constant(RegressorMixin, BaseEstimator):
    """Says one number."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


@pytest.fixture(scope="module")
def halves():
    """Left of zero the truth is 1, right of it 5."""
    X = np.linspace(-1, 1, 80)[:, None]
    return X, np.where(X[:, 0] < 0, 1.0, 5.0)


@pytest.mark.parametrize("method", ["best", "weighted", "both"])
def test_each_member_decides_where_it_is_good(halves, method):
    X, y = halves
    pool = [("one", Constant(1.0)), ("five", Constant(5.0)), ("ten", Constant(10.0))]
    model = DynamicSelectionRegressor(pool, method=method, region=NeighbourRegion(3)).fit(X, y)
    np.testing.assert_allclose(model.predict(np.array([[-0.8], [0.7]])), [1.0, 5.0])
    told = model.explain_selection(np.array([[-0.8], [0.7]]))
    assert told["member"].tolist() == ["one", "five"]
    assert told["error"].tolist() == [0.0, 0.0]


def test_weights_are_one_over_the_local_error():
    X, y = make_regression(120, 3, noise=20, random_state=0)
    pool = [Ridge().fit(X[:40], y[:40]), DecisionTreeRegressor(random_state=0).fit(X[:40], y[:40])]
    region = NeighbourRegion(5, scale=False, by_distance=True)
    model = DynamicSelectionRegressor(pool, region=region).fit(X[40:100], y[40:100])
    errors = (np.stack([m.predict(X[40:100]) for m in pool], axis=1) - y[40:100, None]) ** 2
    near = model.region_.near(X[100:])
    said = np.stack([m.predict(X[100:]) for m in pool], axis=1)
    for q, decided in enumerate(model.predict(X[100:])):
        own = slice(near.start[q], near.start[q + 1])
        rows, pull = near.rows[own].tolist(), near.pull[own].tolist()
        weight = [1 / naive.local_error(rows, pull, errors, m) for m in range(2)]
        assert decided == pytest.approx(np.dot(weight, said[q]) / sum(weight))


def test_specialists_together_beat_each_of_them():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (600, 2))
    left = X[:, 0] < 0
    y = np.where(left, 3 * X[:, 1], -2 * X[:, 1]) + rng.normal(0, 0.3, 600)
    pool = [LinearRegression().fit(X[:200][own], y[:200][own]) for own in (left[:200], ~left[:200])]
    model = DynamicSelectionRegressor(pool).fit(X[200:400], y[200:400])
    assert model.score(X[400:], y[400:]) > max(m.score(X[400:], y[400:]) for m in pool)
    whole = model.predict(X[400:])
    model.batch_size = 7
    np.testing.assert_allclose(model.predict(X[400:]), whole)


@pytest.mark.parametrize("prefit", [True, False])
def test_an_ensemble_is_a_pool(prefit):
    X, y = load_diabetes(return_X_y=True)
    bag = BaggingRegressor(DecisionTreeRegressor(max_depth=3), 8, random_state=0)
    bag = bag.fit(X[:200], y[:200]) if prefit else bag
    model = DynamicSelectionRegressor(bag, region=LeafRegion(20), cv=3).fit(X[200:], y[200:])
    assert model.errors_.shape == (8, 242)
    assert model.score(X[200:], y[200:]) > 0.2
    assert (model.pool_ is bag) == prefit


def test_members_have_columns_of_their_own_and_are_cross_fitted():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    pool = {"bmi": DecisionTreeRegressor(), "bp": DecisionTreeRegressor()}
    model = DynamicSelectionRegressor(pool, columns=[["bmi"], ["bp"]]).fit(X, y)
    assert model.pool_[0][1].n_features_in_ == 1
    # A full tree has hardly any error on the rows it was fitted on.
    assert model.errors_.mean() > 1000
    assert isinstance(model.explain_selection(X[:3]), pd.DataFrame)


def test_wrong_input_says_what_to_change():
    X, y = load_diabetes(return_X_y=True)
    for options, message in [
        ({"method": "luck"}, "choose 'best', 'weighted', 'both'"),
        ({"pool": [Ridge()], "columns": [None, None]}, "columns has 2 entries"),
        ({"pool": []}, "empty"),
        ({"pool": [GaussianNB()]}, "no regressor"),
        ({"cv": [(np.arange(9), np.arange(9))]}, "every sample exactly once"),
    ]:
        with pytest.raises((ValueError, MemberError), match=message):
            DynamicSelectionRegressor(**options).fit(X, y)
    with pytest.raises(TypeError, match="expected a Region"):
        DynamicSelectionRegressor(region=7).fit(X, y)
