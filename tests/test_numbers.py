"""Numbers of every size and kind: each estimator answers rightly, or says what to change."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from estimators import public_estimators, quick
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils import get_tags

from counterpoint._tables import flushed, promoted

QUESTIONS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")


def task(estimator, n=24):
    """Return few rows of a task that the estimator can learn."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], n // 3)
    X = rng.normal(size=(n, 3)) + y[:, None]
    tags = get_tags(estimator)
    if tags.regressor_tags is not None:
        return X, X.sum(axis=1)
    if tags.classifier_tags is not None and not tags.classifier_tags.multi_class:
        y = np.minimum(y, 1)
    return X, np.array(["a", "b", "c"])[y]


def seeded(cls):
    model = quick(cls)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def answers(model, X):
    """Return what a fitted model says, by question."""
    said = {ask: getattr(model, ask)(X) for ask in QUESTIONS if hasattr(model, ask)}
    return {ask: np.asarray(a.toarray() if hasattr(a, "toarray") else a) for ask, a in said.items()}


def check(said):
    for values in said.values():
        assert values.dtype.kind != "f" or np.isfinite(values).all()
    if "predict_proba" in said:
        np.testing.assert_allclose(said["predict_proba"].sum(axis=1), 1, rtol=0, atol=1e-9)


@cache
def fitted(model):
    return clone(model).fit(*task(model))


# Numbers are only compared here, so that their size does not matter.
COMPARING = {
    "MDLDiscretizer", "NominalConceptClassifier", "RecentEventsTransformer", "TabularEncoder"
}  # fmt: skip
ESTIMATORS = [seeded(cls) for cls in public_estimators()]
every_estimator = pytest.mark.parametrize("model", ESTIMATORS, ids=lambda m: type(m).__name__)


@every_estimator
@pytest.mark.parametrize("size", [3e160, -3e307])
def test_a_number_too_large_is_refused_by_its_column(model, size):
    X, y = task(model)
    X[4, 1] = size
    if type(model).__name__ in COMPARING:
        check(answers(clone(model).fit(X, y), X))
        return
    for call in (lambda: clone(model).fit(X, y), lambda: answers(fitted(model), X)):
        with pytest.raises(ValueError, match=r"Column 1 of X holds 3e\+.*Scale it"):
            call()


@every_estimator
@pytest.mark.parametrize("scale", [1e-320, 1e-160])
def test_data_of_nothing_but_tiny_numbers_are_refused(model, scale):
    X, y = task(model)
    if type(model).__name__ not in COMPARING:
        with pytest.raises(ValueError, match=r"The largest number in X is .*Scale the data"):
            clone(model).fit(X * scale, y)
    check(answers(fitted(model), X * scale))


@every_estimator
@pytest.mark.parametrize("scale", [1e-37, 1e37])
def test_sizes_near_the_ends_are_computed_with(model, scale):
    X, y = task(model)
    check(answers(clone(model).fit(X * scale, y), X * scale))
    check(answers(fitted(model), X * scale))


@every_estimator
def test_what_vanishes_beside_ordinary_numbers_counts_as_nothing(model):
    X, y = task(model)
    rng = np.random.RandomState(1)
    dust = X.copy()
    dust[:, 1] = rng.choice([1e-320, 5e-324, -3e-310, 0.0], size=len(X))
    if type(model).__name__ in COMPARING:
        check(answers(clone(model).fit(dust, y), dust))
        return
    X[:, 1] = 0.0
    said, wanted = (answers(clone(model).fit(data, y), data) for data in (dust, X))
    check(said)
    for question, values in wanted.items():
        np.testing.assert_array_equal(said[question], values)


@pytest.mark.parametrize("form", [np.array, np.asfortranarray, pd.DataFrame, csr_matrix])
def test_small_numbers_vanish_in_every_form_and_what_was_given_stays(form):
    values = np.array([[1.0, 1e-320, np.nan], [1e-38, -1e-39, np.inf], [-2.0, 0.0, 3e-200]])
    given = form(values)
    found = flushed(given)
    wanted = [[1.0, 0.0, np.nan], [1e-38, 0.0, np.inf], [-2.0, 0.0, 0.0]]
    np.testing.assert_array_equal(found.toarray() if form is csr_matrix else found, wanted)
    np.testing.assert_array_equal(given.toarray() if form is csr_matrix else given, values)
    assert flushed(found) is found
    frame = pd.DataFrame({"word": ["a", "b"], "count": [0, 1], "size": [1e-320, 1.0]})
    pd.testing.assert_frame_equal(flushed(frame), frame.assign(size=[0.0, 1.0]))


@every_estimator
def test_half_precision_is_promoted(model):
    X, y = task(model)
    X = X.astype(np.float16)
    check(answers(clone(model).fit(X, y), X))


def test_numbers_are_promoted_and_other_columns_are_left_as_they_are():
    sizes = pd.Categorical(["S", "L", "S"], categories=["S", "L"], ordered=True)
    frame = pd.DataFrame(
        {
            "size": sizes,
            "half": np.ones(3, dtype=np.float16),
            "swapped": np.arange(3.0).astype(">f8"),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "word": ["a", "b", "c"],
        }
    )
    found = promoted(frame)
    assert found["half"].dtype == found["swapped"].dtype == np.float64
    rest = ["size", "count", "word"]
    pd.testing.assert_frame_equal(found[rest], frame[rest])
    np.testing.assert_array_equal(found["swapped"], [0.0, 1.0, 2.0])


@pytest.mark.parametrize("part", [np.s_[::2], np.s_[:, ::2], np.s_[:, 1:]])
def test_parts_of_arrays_lie_in_memory_as_their_copies_in_other_processes(part):
    X = np.arange(24.0).reshape(6, 4)[part]
    there = pickle.loads(pickle.dumps(X))
    assert promoted(X).strides == there.strides != X.strides
    np.testing.assert_array_equal(promoted(X), X)
    for whole in (there, there.T):
        assert promoted(whole) is whole


@pytest.mark.parametrize(
    "model",
    [m for m in ESTIMATORS if get_tags(m).regressor_tags is not None],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("gap", [None, pd.NA])
def test_a_gap_in_numbers_to_learn_is_named(model, gap):
    X, y = task(model)
    y = y.astype(object)
    y[5] = gap
    with pytest.raises(ValueError, match="y has no number in row 5"):
        clone(model).fit(X, y)


# Linear models of scikit-learn are matrix products, which BLAS adds up in another order for one
# row than for many: as members by default, or as what combines them.
BY_BLAS = {
    "CombinedClassifier": "logistic regression",
    "DynamicSelectionRegressor": "ridge regression",
    "EnsembleSelectionClassifier": "logistic regression",
    "EnsembleSelectionRegressor": "ridge regression",
    "HeterogeneousPoolClassifier": "linear discriminant",
    "OverproduceSelectClassifier": "logistic regression on members",
}


@every_estimator
def test_answers_do_not_depend_on_what_else_is_asked(model):
    X, _ = task(model)
    X = np.vstack([X, 2 * np.random.RandomState(1).normal(size=(7, 3)) + 1])
    close = 1e-12 if type(model).__name__ in BY_BLAS else 0.0
    together = answers(fitted(model), X)
    for size in (1, 3):
        parts = [answers(fitted(model), X[at : at + size]) for at in range(0, len(X), size)]
        for ask, values in together.items():
            apart = np.concatenate([part[ask] for part in parts])
            if values.dtype.kind == "f":
                np.testing.assert_allclose(apart, values, rtol=close, atol=close)
            else:
                np.testing.assert_array_equal(apart, values)


@pytest.mark.parametrize("name", BY_BLAS)
def test_the_docstring_says_where_a_batch_differs_in_the_last_digits(name):
    model = next(m for m in ESTIMATORS if type(m).__name__ == name)
    assert "in the last digits" in type(model).__doc__
