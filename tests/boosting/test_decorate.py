"""DECORATE against plain Python, on names and numbers, and what it promises."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import decorate as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting.decorate import ArtificialRows, DecorateClassifier, opposed
from counterpoint.datasets import TabularEncoder, load


@pytest.fixture
def hard():
    X, y = make_classification(
        90, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, flip_y=0.2,
        random_state=0,
    )  # fmt: skip
    return X, y


@pytest.fixture
def mixed():
    """Numbers, strings, categories (one never seen), booleans, missing values."""
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame(
        {
            "size": rng.normal(5, 2, n),
            "count": rng.integers(9, size=n),
            "colour": rng.choice(["red", "blue"], n, p=[0.8, 0.2]),
            "grade": pd.Categorical(rng.choice(["a", "b"], n), categories=["a", "b", "never"]),
            "flag": rng.random(n) < 0.5,
        }
    )
    frame.loc[3, "size"] = np.nan
    frame.loc[5, "colour"] = None
    y = np.where((frame["colour"] == "red") ^ (frame["size"] > 5), "yes", "no")
    return frame, y


def test_rounds_match_naive(hard):
    """Twelve trials, with the random numbers that the estimator draws, in its order."""
    X, y = hard
    fitted = DecorateClassifier(GaussianNB(), n_estimators=12, max_trials=12, random_state=10)
    fitted.fit(X, y)

    rng = np.random.RandomState(10)
    models, rejected = [GaussianNB().fit(X, y)], 0
    for _ in range(11):
        noise = [rng.standard_normal(len(X)).tolist() for _ in range(X.shape[1])]
        labels = rng.random_sample(len(X)).tolist()
        model, taken = naive.decorate_round(
            GaussianNB, models, X.tolist(), y.tolist(), noise, labels
        )
        models += [model] if taken else []
        rejected += not taken
    assert rejected == fitted.n_rejected_ > 0
    assert len(fitted.estimators_) == len(models) > 1
    for ours, twin in zip(fitted.estimators_, models, strict=True):
        assert_allclose(ours.theta_, twin.theta_, rtol=1e-9)
    assert_allclose(fitted.predict_proba(X), naive.mean_proba(models, X), rtol=1e-9)


@given(
    arrays(float, (6, 3), elements=st.floats(0, 1)).filter(lambda p: (p.sum(axis=1) > 0).all()),
    st.lists(st.floats(0, 1), min_size=6, max_size=6),
)
@settings(max_examples=50)
def test_labels_contradict(raw, noise):
    proba = raw / raw.sum(axis=1, keepdims=True)
    new = opposed(proba)
    assert_allclose(new.sum(axis=1), 1.0)
    for given_, turned, u in zip(proba, new, noise, strict=True):
        held = given_ > 1e-12
        # inverse: the product with what was given is one number for all classes
        products = (given_ * turned)[held]
        assert_allclose(products, products.max(), rtol=1e-9)
        assert naive.pick(turned.tolist(), u) == naive.contrary_label(given_.tolist(), u)


def test_classes_of_probability_zero_share_the_mass():
    assert_allclose(opposed(np.array([[1.0, 0.0, 0.0]])), [[0.0, 0.5, 0.5]], atol=1e-11)


def test_columns_match_naive(mixed):
    X, _ = mixed
    rng = np.random.default_rng(1)
    rows = ArtificialRows(X, np.ones(len(X)))
    noise = [column.noise(200, np.random.RandomState(k)) for k, column in enumerate(rows.columns)]
    noise[2:] = [rng.random(200) for _ in noise[2:]]
    drawn = rows.from_noise(noise)
    held = X["size"].dropna().tolist()
    assert_allclose(drawn["size"], naive.artificial_column(held, noise[0].tolist()))
    count = X["count"].astype(float).tolist()
    assert_allclose(drawn["count"], naive.artificial_column(count, noise[1].tolist()))
    for k, name, names in (
        (2, "colour", ["blue", "red"]),
        (3, "grade", ["a", "b", "never"]),
        (4, "flag", [False, True]),
    ):
        values = X[name].dropna().tolist()
        expected = naive.artificial_names(values, names, noise[k].tolist())
        assert drawn[name].tolist() == expected
        assert drawn[name].dtype == X[name].dtype
    assert "never" in set(drawn["grade"])
    joined = rows.join(drawn)
    assert joined.shape == (260, 5)
    assert joined["grade"].dtype == X["grade"].dtype


def test_whole_weights_are_copies_in_the_distributions():
    X = np.array([[1.0], [2.0], [5.0]])
    weighted = ArtificialRows(X, np.array([1.0, 3.0, 2.0])).columns[0]
    repeated = ArtificialRows(np.repeat(X, [1, 3, 2], axis=0), np.ones(6)).columns[0]
    assert weighted.mean == pytest.approx(repeated.mean)
    assert weighted.deviation == pytest.approx(repeated.deviation)
    assert weighted.deviation == pytest.approx(np.std([1, 2, 2, 2, 5, 5], ddof=1))


def test_one_row_or_an_empty_column_has_no_spread():
    rows = ArtificialRows(np.array([[3.0, np.nan]]), np.ones(1))
    drawn = rows.draw(4, np.random.RandomState(0))
    assert_array_equal(drawn, [[3.0, np.nan]] * 4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("learner", [None, GaussianNB()])
def test_training_error_never_rises(hard, learner, seed):
    X, y = hard
    fitted = DecorateClassifier(learner, n_estimators=8, max_trials=20, random_state=seed)
    fitted.fit(X, y)
    history = fitted.history_
    assert (history["train_error"].diff().dropna() <= 1e-12).all()
    assert history["train_error"].iloc[-1] == pytest.approx(1 - fitted.score(X, y))
    last = history["trials"].iloc[-1]
    assert fitted.n_rejected_ >= last - len(history)
    for stage, error in zip(fitted.staged_predict(X), history["train_error"], strict=True):
        assert np.mean(stage != y) == pytest.approx(error)


def test_the_first_member_is_the_base_learner(hard):
    X, y = hard
    fitted = DecorateClassifier(GaussianNB(), n_estimators=3, random_state=0).fit(X, y)
    alone = GaussianNB().fit(X, y)
    assert_allclose(next(fitted.staged_predict_proba(X)), alone.predict_proba(X))


def test_probabilities_are_the_mean_of_the_members(hard):
    X, y = hard
    fitted = DecorateClassifier(n_estimators=4, random_state=0).fit(X, y)
    mean = np.mean([member.predict_proba(X) for member in fitted.estimators_], axis=0)
    assert_allclose(fitted.predict_proba(X), mean)
    assert_array_equal(fitted.predict(X), fitted.classes_[mean.argmax(axis=1)])
    assert_array_equal(fitted.estimator_weights_, np.ones(4))


def test_members_differ(hard):
    """A deterministic learner on the data alone would give the same member each time."""
    X, y = hard
    fitted = DecorateClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert len(np.unique(fitted.member_predict(X), axis=0)) > 1


def test_trials_end_training(hard):
    X, y = hard
    fitted = DecorateClassifier(GaussianNB(), n_estimators=30, max_trials=6, random_state=0)
    fitted.fit(X, y)
    assert fitted.stop_reason_ == "exhausted"
    assert len(fitted.estimators_) + fitted.n_rejected_ == 6


def test_a_single_trial_leaves_the_base_learner(hard):
    X, y = hard
    fitted = DecorateClassifier(max_trials=1, random_state=0).fit(X, y)
    assert (len(fitted.estimators_), fitted.stop_reason_) == (1, "exhausted")
    one = DecorateClassifier(n_estimators=1, max_trials=1, random_state=0).fit(X, y)
    assert one.stop_reason_ == "complete"


def test_names_through_an_encoder(mixed):
    X, y = mixed
    learner = make_pipeline(TabularEncoder(), DecisionTreeClassifier(min_samples_leaf=3))
    fitted = DecorateClassifier(learner, n_estimators=5, random_state=0).fit(X, y)
    assert fitted.score(X, y) > 0.9
    assert fitted.n_features_in_ == 5


def test_shipped_data_with_names():
    data = load("zoo")
    learner = make_pipeline(TabularEncoder(), DecisionTreeClassifier(min_samples_leaf=2))
    fitted = DecorateClassifier(learner, n_estimators=3, random_state=0)
    assert fitted.fit(data.data, data.target).score(data.data, data.target) > 0.9


def test_arrays_of_objects_hold_names(mixed):
    X, _ = mixed
    array = X[["size", "colour"]].dropna().to_numpy(dtype=object)
    rows = ArtificialRows(array, np.ones(len(array)))
    drawn = rows.draw(50, np.random.RandomState(0))
    assert drawn.dtype == object
    assert set(drawn[:, 1]) == {"red", "blue"}
    assert all(isinstance(v, float) for v in drawn[:, 0])


def test_polars_frames():
    X, y = load_iris(return_X_y=True, as_frame=True)
    kept = DecorateClassifier(n_estimators=3, random_state=0).fit(X, y)
    frame = pl.from_pandas(X)
    fitted = DecorateClassifier(n_estimators=3, random_state=0).fit(frame, y)
    assert_array_equal(fitted.predict(frame), kept.predict(X))


def test_a_warm_start_goes_on(hard):
    X, y = hard
    whole = DecorateClassifier(n_estimators=6, random_state=0).fit(X, y)
    parts = DecorateClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    parts.set_params(n_estimators=6).fit(X, y)
    assert_allclose(parts.predict_proba(X), whole.predict_proba(X))
    assert parts.n_rejected_ == whole.n_rejected_
    assert len(parts.history_) == 6


def test_evaluation_data_in_the_history(hard):
    X, y = hard
    fitted = DecorateClassifier(n_estimators=4, random_state=0)
    fitted.fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    assert fitted.history_["eval_error"].iloc[-1] == pytest.approx(1 - fitted.score(X[60:], y[60:]))


def test_weights_reach_the_members(hard):
    X, y = hard
    weight = np.where(y == 0, 0.01, 1.0)
    fitted = DecorateClassifier(n_estimators=3, random_state=0).fit(X, y, weight)
    plain = DecorateClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert np.mean(fitted.predict(X) == 0) < np.mean(plain.predict(X) == 0)


def test_a_learner_without_weights_gets_rows_by_weight(hard):
    X, y = hard
    weight = np.where(y == 0, 1e-6, 1.0)
    fitted = DecorateClassifier(KNeighborsClassifier(1), n_estimators=1, random_state=0)
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
        fitted.fit(X, y, weight)
    assert not (fitted.predict(X) == 0).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.fit(X, y)  # equal weights need no drawing


def test_a_learner_without_probabilities_is_refused(hard):
    with pytest.raises(ValueError, match=r"LinearSVC has no predict_proba.*Calibrated"):
        DecorateClassifier(LinearSVC()).fit(*hard)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"artificial_size": 0}, "artificial_size=0: give a number above 0"),
        ({"artificial_size": "many"}, "artificial_size='many'"),
        ({"artificial_size": np.inf}, "artificial_size=inf"),
        (
            {"artificial_size": 1e40},
            "artificial_size=1e[+]40 times .* cases are .* give less than",
        ),
        ({"max_trials": 0}, "max_trials=0: give a whole number from 1"),
        ({"max_trials": 2.5}, "max_trials=2.5"),
        ({"n_estimators": 0}, "n_estimators=0"),
    ],
)
def test_bad_options(hard, options, message):
    with pytest.raises(ValueError, match=message):
        DecorateClassifier(**options).fit(*hard)


def test_one_class_is_refused(hard):
    X, y = hard
    with pytest.raises(ValueError, match="one class only"):
        DecorateClassifier().fit(X, np.zeros(len(y)))


def test_missing_numbers_are_for_learners_that_take_them(hard):
    X, y = hard
    X = X.copy()
    X[::7, 1] = np.nan
    assert DecorateClassifier(n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.5
    with pytest.raises(ValueError, match="NaN"):
        DecorateClassifier(GaussianNB()).fit(X, y)
