import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from counterpoint.auto import OverproduceSelectClassifier, OverproduceSelectRegressor


@pytest.fixture(scope="module")
def grouped():
    """Return rows of 40 groups: what is known of a group tells its class, and of no other."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 8)
    X = np.repeat(rng.normal(size=(40, 3)), 8, axis=0) + 0.01 * rng.normal(size=(320, 3))
    return X, np.repeat(rng.integers(2, size=40), 8), groups


POOL = [("three", KNeighborsClassifier(3)), ("one", KNeighborsClassifier(1))]


@pytest.mark.filterwarnings("ignore:All members together")
def test_groups_tell_what_a_random_split_would_have_promised(grouped):
    X, y, groups = grouped
    model = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y, groups=groups)
    assert model.by_lot_.here > 0.3
    assert model.by_lot_.by_lot == 0
    assert "would have seemed that it errs on 0.0%" in model.explain()
    # Rows drawn by lot promise no more than they do: nothing is told of them.
    assert OverproduceSelectClassifier(POOL, random_state=0).fit(X, y).by_lot_ is None


@pytest.mark.filterwarnings("ignore:All members together")
def test_looking_at_rows_drawn_by_lot_changes_nothing(grouped, monkeypatch):
    X, y, groups = grouped
    one = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y, groups=groups)
    monkeypatch.setattr("counterpoint.auto.engine.promised_by_lot", lambda trying: None)
    other = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y, groups=groups)
    assert other.by_lot_ is None
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@pytest.mark.filterwarnings("ignore:All members together")
def test_numbers_that_grow_with_time_seem_easier_by_lot():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(300.0), rng.normal(size=300)])
    pool = [("neighbours", KNeighborsRegressor(3)), ("again", KNeighborsRegressor(4))]
    model = OverproduceSelectRegressor(pool, cv=TimeSeriesSplit(4), random_state=0)
    model.fit(X, X[:, 0] + rng.normal(size=300))
    assert model.by_lot_.here > 5 * model.by_lot_.by_lot
    assert "off (RMSE)" in model.explain().splitlines()[-1]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.filterwarnings("ignore:All members together")
def test_dates_and_folds_by_lot_are_warned_about(kind):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=120), "when": pd.date_range("2024-01-01", periods=120)})
    y = (X["a"] > 0).to_numpy()
    if kind == "polars":
        X = pytest.importorskip("polars").DataFrame({name: X[name].to_list() for name in X})
    pool = [("ridge", Ridge())]
    with pytest.warns(UserWarning, match=r"when holds dates.*cv=TimeSeriesSplit"):
        OverproduceSelectRegressor(pool, random_state=0).fit(X, y.astype(float))
    timed = OverproduceSelectRegressor(pool, cv=TimeSeriesSplit(3), random_state=0)
    assert len(timed.fit(X, y.astype(float)).predict(X)) == 120


def test_dates_of_polars_are_those_of_pandas():
    polars = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    when = pd.date_range("2024-01-01", periods=200, freq="7h").to_series().reset_index(drop=True)
    since = when - when[0]
    when[3], since[5] = pd.NaT, pd.NaT
    X = pd.DataFrame({"when": when, "since": since, "a": rng.normal(size=200)})
    other = polars.DataFrame({n: [None if pd.isna(v) else v for v in X[n]] for n in X})
    other = other.with_columns(polars.col("when").dt.replace_time_zone("UTC"))
    y = (when.dt.hour.fillna(0) + X["a"] > 12).to_numpy()
    model = OverproduceSelectClassifier([("bayes", GaussianNB())], cv=TimeSeriesSplit(3))
    one, two = model.fit(X, y).predict_proba(X), model.fit(other, y).predict_proba(other)
    np.testing.assert_array_equal(one, two)
