import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor, VotingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from counterpoint.exceptions import MemberError
from counterpoint.selection import EnsembleSelectionRegressor

POOL = [
    ("line", LinearRegression()),
    ("near", KNeighborsRegressor(10)),
    ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    ("stump", DecisionTreeRegressor(max_depth=1, random_state=0)),
]


@pytest.fixture(scope="module")
def data():
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def told(data):
    X, y = data
    return np.array([cross_val_predict(model, X, y, cv=KFold(5)) for _, model in POOL])


@pytest.mark.parametrize(
    ("scoring", "loss"),
    [
        ("neg_mean_squared_error", mean_squared_error),
        ("neg_mean_absolute_error", mean_absolute_error),
    ],
)
def test_greedy_is_what_it_says(data, told, scoring, loss):
    X, y = data
    model = EnsembleSelectionRegressor(POOL, criterion=scoring, n_members=12).fit(X, y)
    taken, losses = [], []
    for _ in range(12):
        tried = [loss(y, np.mean([told[m] for m in [*taken, k]], axis=0)) for k in range(4)]
        taken.append(int(np.argmin(tried)))
        losses.append(min(tried))
    assert model.trace_.steps[-1].tolist() == taken
    np.testing.assert_allclose(model.trace_.values, losses)
    kept = taken[: int(np.argmin(losses)) + 1]
    weights = np.bincount(kept, minlength=4) / len(kept)
    np.testing.assert_allclose(model.estimator_weights_, weights[model.selected_])
    np.testing.assert_allclose(model.leaderboard_["weight"], weights)
    # The first to join is the best alone, so the mean kept is no worse.
    assert min(losses) <= min(loss(y, own) for own in told)


def test_simplex_has_the_least_squared_error(data, told):
    X, y = data
    model = EnsembleSelectionRegressor(POOL, search="all", combiner="weighted-mean").fit(X, y)
    assert model.estimator_weights_.min() >= 0
    assert model.estimator_weights_.sum() == pytest.approx(1)
    found = minimize(
        lambda w: np.mean((w @ told - y) ** 2) / 1000, np.full(4, 0.25), method="SLSQP",
        bounds=[(0, 1)] * 4, constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    )  # fmt: skip
    ours = np.mean((model.estimator_weights_ @ told - y) ** 2)
    assert ours <= np.mean((found.x @ told - y) ** 2) * (1 + 1e-6)
    np.testing.assert_allclose(model.leaderboard_["mse"], ((told - y) ** 2).mean(axis=1))


def test_mean_is_voting_and_median_the_middle(data):
    X, y = data
    mean = EnsembleSelectionRegressor(POOL, search="all", combiner="mean").fit(X, y)
    np.testing.assert_allclose(mean.predict(X), VotingRegressor(POOL).fit(X, y).predict(X))
    middle = EnsembleSelectionRegressor(POOL, search="all", combiner="median").fit(X, y)
    np.testing.assert_allclose(middle.predict(X), np.median(middle.member_predict(X), axis=0))


def test_fitted_members_and_ensembles(data):
    X, y = data
    fitted = [LinearRegression().fit(X[:200], y[:200]), KNeighborsRegressor().fit(X[:200], y[:200])]
    model = EnsembleSelectionRegressor(fitted, search="backward").fit(X[200:], y[200:])
    assert model.pool_[0][1] is fitted[0]
    forest = EnsembleSelectionRegressor(RandomForestRegressor(8, random_state=0)).fit(X, y)
    assert len(forest.leaderboard_) == 8
    assert forest.member_predict(X[:5]).shape == (len(forest.selected_), 5)
    assert forest.predict(X[:5]).shape == (5,)


def test_columns_of_their_own(data):
    X, y = data
    columns = [[0, 1], None, [2], [3]]
    model = EnsembleSelectionRegressor(POOL, search="all", columns=columns).fit(X, y)
    alone = LinearRegression().fit(X[:, :2], y).predict(X[:, :2])
    np.testing.assert_allclose(model.member_predict(X)[0], alone)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"search": "best"}, ValueError, "search='best': choose 'forward', 'backward'"),
        ({"n_members": 0}, ValueError, "n_members=0: give a whole number from 1"),
        ({"combiner": "vote"}, ValueError, "VoteCombiner combines classes"),
        ({"criterion": "error"}, ValueError, "The error of a vote needs classes"),
        ({"search": "thinning"}, ValueError, "needs classes"),
        ({"criterion": "q"}, ValueError, "A measure of diversity needs classes"),
        ({"pool": []}, MemberError, "at least one regressor"),
        (
            {"pool": [LogisticRegression()]},
            MemberError,
            "no regressor: use an estimator whose name ends in Classifier",
        ),
        ({"criterion": "beauty"}, ValueError, "beauty"),
    ],
)
def test_wrong_input(data, options, error, match):
    with pytest.raises(error, match=match):
        EnsembleSelectionRegressor(**options).fit(*data)
