import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.boosting import NominalConceptClassifier
from counterpoint.datasets import TabularEncoder, load

NAN = np.nan


@parametrize_with_checks(
    [  # the defaults are checked in tests/test_contract.py
        TabularEncoder(nominal="ordinal", scale="standard", missing_indicator=True),
        TabularEncoder(categorical_features=[0], scale="minmax"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "colour": pd.Categorical(["red", "blue", None, "red"]),
            "weight": [1.0, NAN, 3.0, 8.0],
            "ripe": [True, False, True, True],
            "size": pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"]),
            "seeds": [1, 2, 3, 4],
        }
    )


def test_onehot_by_hand(frame):
    encoder = TabularEncoder()
    out = encoder.fit_transform(frame)
    assert encoder.get_feature_names_out().tolist() == [
        *("weight", "seeds", "colour_red", "colour_nan"),
        *("ripe_True", "size_S", "size_M", "size_L"),
    ]
    expected = [
        [1, 1, 1, 0, 1, 1, 0, 0],
        [3, 2, 0, 0, 0, 0, 0, 1],  # the median of 1, 3, 8
        [3, 3, 0, 1, 1, 0, 1, 0],
        [8, 4, 1, 0, 1, 1, 0, 0],
    ]
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == np.float64


def test_ordinal_by_hand(frame):
    encoder = TabularEncoder(nominal="ordinal")
    out = encoder.fit_transform(frame)
    assert encoder.get_feature_names_out().tolist() == [
        *("weight", "seeds", "colour", "ripe", "size"),
    ]
    # blue 0, red 1, missing -1; the declared order S, M, L, not the alphabet
    expected = [[1, 1, 1, 1, 0], [3, 2, 0, 0, 2], [3, 3, -1, 1, 1], [8, 4, 1, 1, 0]]
    np.testing.assert_array_equal(out, expected)


def test_unseen_values(frame):
    new = frame.astype({"colour": object, "size": object}).iloc[:1].copy()
    new[["colour", "size"]] = ["green", None]
    out = TabularEncoder().fit(frame).transform(new)
    np.testing.assert_array_equal(out, [[1, 1, 0, 0, 1, 0, 0, 0]])
    out = TabularEncoder(nominal="ordinal").fit(frame).transform(new)
    # "size" had no missing value in fit, so missing is a value never seen
    np.testing.assert_array_equal(out, [[1, 1, -2, 1, -2]])


def test_only_values_seen_in_fit_get_a_column(frame):
    encoder = TabularEncoder().fit(frame.iloc[[0, 2]])
    assert encoder.get_feature_names_out().tolist() == [
        *("weight", "seeds", "colour_nan", "ripe_True", "size_M"),
    ]


def test_missing_indicator_and_scale(frame):
    encoder = TabularEncoder(scale="standard", missing_indicator=True).fit(frame)
    out = encoder.transform(frame)
    assert encoder.get_feature_names_out()[:3].tolist() == [
        *("weight", "seeds", "missingindicator_weight"),
    ]
    np.testing.assert_allclose(out[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(out[:, :2].std(axis=0), 1)
    np.testing.assert_array_equal(out[:, 2], [0, 1, 0, 0])  # never scaled
    out = TabularEncoder(scale="minmax").fit_transform(frame)
    np.testing.assert_allclose(out[:, 0], [0, 2 / 7, 2 / 7, 1])
    np.testing.assert_array_equal(out[:, 2:], TabularEncoder().fit_transform(frame)[:, 2:])


def test_empty_columns_stay():
    frame = pd.DataFrame({"a": [NAN, NAN], "b": pd.Categorical([None, None], categories=["x"])})
    out = TabularEncoder().fit_transform(frame)
    np.testing.assert_array_equal(out, [[0, 1], [0, 1]])


@pytest.mark.parametrize("nominal", ["onehot", "ordinal"])
def test_polars_and_pandas_agree(frame, nominal):
    twin = pl.DataFrame(
        {
            "colour": pl.Series(["red", "blue", None, "red"], dtype=pl.Categorical),
            "weight": [1.0, None, 3.0, 8.0],
            "ripe": [True, False, True, True],
            "size": pl.Series(["S", "L", "M", "S"], dtype=pl.Enum(["S", "M", "L"])),
            "seeds": [1, 2, 3, 4],
        }
    )
    encoder = TabularEncoder(nominal=nominal).fit(frame)
    expected = encoder.transform(frame)
    np.testing.assert_array_equal(encoder.transform(twin), expected)
    fitted = TabularEncoder(nominal=nominal).fit(twin)
    np.testing.assert_array_equal(fitted.transform(frame), expected)
    assert fitted.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    out = encoder.set_output(transform="polars").transform(twin)
    assert isinstance(out, pl.DataFrame)


def test_integers_with_missing_values():
    expected = [[1.0], [2.0], [3.0]]
    for column in (pd.array([1, None, 3], dtype="Int64"), pl.Series([1, None, 3])):
        module = pd if not isinstance(column, pl.Series) else pl
        out = TabularEncoder().fit_transform(module.DataFrame({"a": column}))
        np.testing.assert_array_equal(out, expected)


def test_arrays_are_numeric_unless_told():
    X = np.array([[1.0, 5.0], [2.0, NAN], [4.0, 7.0]])
    np.testing.assert_array_equal(TabularEncoder().fit_transform(X), [[1, 5], [2, 6], [4, 7]])
    encoder = TabularEncoder(categorical_features=[0])
    out = encoder.fit_transform(X)
    np.testing.assert_array_equal(out, [[5, 1, 0, 0], [6, 0, 1, 0], [7, 0, 0, 1]])
    assert encoder.get_feature_names_out().tolist() == ["x1", "x0_1.0", "x0_2.0", "x0_4.0"]


@pytest.mark.parametrize("chosen", [["code"], [1], [-1], [False, True], np.array([False, True])])
def test_ways_to_name_the_nominal_columns(chosen):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "code": [7, 8, 9]})
    encoder = TabularEncoder(categorical_features=chosen).fit(frame)
    assert encoder.nominal_features_ == [1]
    assert encoder.categories_ == [[7, 8, 9]]


def test_text_in_arrays():
    X = np.array([["a", 1.0], ["b", 2.0]], dtype=object)
    out = TabularEncoder(categorical_features=[0]).fit_transform(X)
    np.testing.assert_array_equal(out, [[1, 0], [2, 1]])
    with pytest.raises(ValueError, match=r"array that holds text.*`categorical_features`"):
        TabularEncoder().fit(X)


def test_names_that_meet_stay_unique():
    frame = pd.DataFrame({"a_b": [1.0, 2.0, 3.0], "a": ["b", "c", "d"]})
    encoder = TabularEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["a_b", "a_b_2", "a_c", "a_d"]
    assert encoder.set_output(transform="pandas").transform(frame).columns.is_unique


def test_pandas_output_here_and_everywhere(frame):
    expected = TabularEncoder().fit_transform(frame)
    out = (
        TabularEncoder()
        .set_output(transform="pandas")
        .fit_transform(frame.set_index(frame.index + 5))
    )
    assert out.columns[0] == "weight"
    assert out.index.tolist() == [5, 6, 7, 8]
    np.testing.assert_array_equal(out, expected)
    with sklearn.config_context(transform_output="pandas"):
        out = TabularEncoder().fit_transform(frame)
    assert isinstance(out, pd.DataFrame)
    np.testing.assert_array_equal(out, expected)


def test_clone_and_pickle(frame):
    encoder = TabularEncoder(
        nominal="ordinal", scale="minmax", categorical_features=["colour", "ripe", "size"]
    )
    assert clone(encoder).get_params() == encoder.get_params()
    fitted = encoder.fit(frame)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(frame), fitted.transform(frame))


@pytest.mark.parametrize("name", ["crx", "labor", "soybean-large", "anneal", "hypothyroid"])
@pytest.mark.parametrize("nominal", ["onehot", "ordinal"])
def test_shipped_sets_come_out_complete(name, nominal):
    X, _ = load(name, return_X_y=True)
    encoder = TabularEncoder(nominal=nominal)
    out = encoder.fit_transform(X)
    assert np.isfinite(out).all()
    assert out.shape == (len(X), len(encoder.get_feature_names_out()))
    if nominal == "ordinal":
        assert out.shape == X.shape


def test_in_a_pipeline():
    X, y = load("crx", return_X_y=True)
    model = make_pipeline(TabularEncoder(scale="standard"), LogisticRegression(max_iter=500))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=8))
def test_onehot_tells_all_seen_values_apart(values):
    frame = pd.DataFrame({"v": pd.Series(values, dtype=object)})
    encoder = TabularEncoder().fit(frame)
    out = encoder.transform(frame)
    codes = {value: tuple(row) for value, row in zip(values, out, strict=True)}
    assert len(set(codes.values())) == len(codes)
    assert (out.sum(axis=1) <= 1).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nominal": "hot"}, r"nominal='hot': choose 'onehot', 'ordinal'"),
        ({"scale": "robust"}, r"scale='robust': choose False, 'standard', 'minmax'"),
        ({"categorical_features": "all"}, r"categorical_features='all': give 'from_dtype'"),
        ({"categorical_features": ["taste"]}, r"has 'taste', which is no column of X.*'colour'"),
        ({"categorical_features": [9]}, "has 9, which is no column"),
        ({"categorical_features": [True]}, "a mask of length 1, but X has 5 columns"),
        (
            {"categorical_features": []},
            r"Column 'colour' should be numeric.*`categorical_features`",
        ),
    ],
)
def test_wrong_parameters(frame, parameters, message):
    with pytest.raises(ValueError, match=message):
        TabularEncoder(**parameters).fit(frame)


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_codes_in_the_byte_order_of_other_machines(kind):
    X = np.array([[1.0, 2.0], [3.0, 2.0], [1.0, 4.0]])
    encoder = TabularEncoder(categorical_features=[0])
    expected = encoder.fit(X).transform(X)
    swapped = kind(X.astype(">f8"))
    assert (encoder.fit(swapped).transform(swapped) == expected).all()
    coded = NominalConceptClassifier(discretize="none").fit(X, [0, 1, 1])
    assert (coded.predict(swapped) == coded.predict(X)).all()


def test_wrong_columns(frame):
    when = frame.assign(when=pd.to_datetime("2020-01-01"))
    with pytest.raises(TypeError, match=r"Column 'when' is of type datetime64.*leave it out"):
        TabularEncoder().fit(when)
    with pytest.raises(TypeError, match=r"Column 'l' is of type List"):
        TabularEncoder().fit(pl.DataFrame({"l": [[1], [2]]}))
    with pytest.raises(TypeError, match=r"polars LazyFrame: call .collect\(\)"):
        TabularEncoder().fit(pl.DataFrame({"a": [1]}).lazy())
    with pytest.raises(TypeError, match=r"Column 'd' is nominal, but.*type dict.*must be a string"):
        TabularEncoder().fit(pd.DataFrame({"d": [{}, {}]}))
    with pytest.raises(TypeError, match=r"Column 'm' is nominal, but.*type int and str.*strings"):
        TabularEncoder().fit(pd.DataFrame({"m": pd.Series([1, "x"], dtype=object)}))
    with pytest.raises(ValueError, match=r"infinity.*column 'weight'"):
        TabularEncoder().fit(frame.assign(weight=np.inf))
    with pytest.raises(ValueError, match="Complex data not supported: column 'weight'"):
        TabularEncoder().fit(frame.assign(weight=1j))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        TabularEncoder().fit(frame.iloc[:0])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        TabularEncoder().fit(frame.iloc[:, :0])
    fitted = TabularEncoder().fit(frame)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame.rename(columns={"colour": "color"}))
    with pytest.raises(ValueError, match=r"Column 'weight' should be numeric, but.*heavy"):
        fitted.transform(frame.assign(weight="heavy"))
    with pytest.raises(ValueError, match="input_features is not equal"):
        fitted.get_feature_names_out(["a", "b", "c", "d", "e"])
    with pytest.raises(ValueError, match="should have length equal"):
        TabularEncoder().fit(np.ones((2, 2))).get_feature_names_out(["a"])


@pytest.mark.parametrize("missing_indicator", [False, True])
def test_indicators_tell_the_value_of_every_column_of_zeros_and_ones(missing_indicator):
    X = pd.DataFrame(
        {
            "age": [1.0, None, 3.0, 4.0],
            "colour": ["red", "blue", None, "green"],
            "sex": ["f", "m", "m", "f"],
        }
    )
    encoder = TabularEncoder(missing_indicator=missing_indicator).fit(X)
    told = encoder.indicators()
    out = pd.DataFrame(encoder.transform(X), columns=encoder.get_feature_names_out())
    assert len(told) == out.shape[1] - 1 - missing_indicator
    for name, (column, value) in told.items():
        meant = X[column].isna() if pd.isna(value) else X[column] == value
        assert out[name].tolist() == meant.astype(float).tolist()
    assert TabularEncoder(nominal="ordinal").fit(X).indicators() == {}
    assert TabularEncoder().fit(X[["age"]]).indicators() == {}
