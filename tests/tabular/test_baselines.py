"""Simple models to beat, and intervals of errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from counterpoint.auto import OverproduceSelectRegressor
from counterpoint.auto.fold_mean import FoldMeanClassifier
from counterpoint.tabular import assess
from counterpoint.tabular.baselines import SIMPLE_MODELS, compare_with_baselines
from counterpoint.tabular.scores import mcnemar


def test_mcnemar_counts_rows_one_alone_has_wrong():
    y = np.array([0, 0, 0, 0, 0, 0, 0, 0])
    these = np.array([1, 1, 1, 1, 1, 1, 0, 0])
    model = np.array([0, 0, 0, 0, 0, 1, 1, 0])
    # Two-sided binomial of 5 or more in 6, by hand: 2 (6 + 1) / 64.
    assert mcnemar(these, model, y) == (5, 1, pytest.approx(14 / 64))


def test_against_itself_is_no_evidence():
    y, said = np.array([0, 1]), np.array([1, 1])
    assert mcnemar(said, said, y) == (0, 0, 1.0)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_trained_on_the_training_rows(iris):
    X, y = iris
    scores, tests, how = compare_with_baselines(
        y[1::2], X[1::2], y[1::2], X_train=X[::2], y_train=y[::2]
    )
    assert list(scores) == ["majority class", "single tree", "logistic regression"]
    assert how == "trained on 75 training rows"
    assert scores["majority class"].error == pytest.approx(2 / 3)
    assert scores["single tree"].error < 0.15
    assert scores["logistic regression"].error < 0.1
    assert scores["logistic regression"].log_loss < scores["majority class"].log_loss
    assert tests["majority class"][:2] == (50, 0)  # against a model that is always right


def test_cross_validated_without_training_rows(iris):
    X, y = iris
    scores, _, how = compare_with_baselines(y, X, y, random_state=3)
    again, _, _ = compare_with_baselines(y, X, y, random_state=3)
    assert how == "cross-validated in 5 parts on the very rows of this page"
    assert scores == again
    # Had it seen the rows it answers for, a tree would make no error.
    assert 0 < scores["single tree"].error < 0.15


def test_a_fitted_one_is_asked(iris):
    X, y = iris
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    scores, _, _ = compare_with_baselines(
        y, X, y, X_train=X, y_train=y, fitted={"single tree": stump}
    )
    assert scores["single tree"].error == pytest.approx(np.mean(stump.predict(X) != y))


def test_words_and_gaps_are_encoded():
    X = pd.DataFrame({"colour": ["red", "blue"] * 20, "size": [1.0, np.nan] * 20})
    y = np.array(["yes", "no"] * 20)
    assert compare_with_baselines(y, X, y)[0]["single tree"].error == 0


def test_a_class_with_one_row_cannot_be_cross_validated():
    y = np.array([0, 0, 1])
    scores, _, how = compare_with_baselines(y, np.zeros((3, 1)), y)
    assert scores == {}
    assert "a class has a single row" in how


def test_what_no_simple_model_can_read_is_left_out():
    texts, y = np.array(["a b", "b c"] * 10, dtype=object), np.array([0, 1] * 10)
    assert list(compare_with_baselines(y, texts, y)[0]) == ["majority class"]


def test_a_model_is_not_told_of_a_difference_from_its_own_kind():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=200)
    alone = OverproduceSelectRegressor(pool=["ridge regression"], random_state=0).fit(
        X[:120], y[:120]
    )
    told = assess(alone, X[120:], y[120:], X_train=X[:120], y_train=y[:120]).summary(tree=False)
    assert "of the same kind as the best simple model, linear model, which is" in told["headline"]
    assert "chance" not in told["headline"]
    line = make_pipeline(LogisticRegression()).fit(X[:120], y[:120] > 0)
    told = assess(line, X[120:], y[120:] > 0, X_train=X[:120], y_train=y[:120] > 0)
    assert (
        "same kind as the best simple model, logistic regression, which errs on"
        in (told.summary(tree=False)["headline"])
    )


def test_an_ensemble_of_one_member_is_of_that_members_kind():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 2))
    names = ["single tree", "linear model"]
    alone = OverproduceSelectRegressor(pool=["ridge regression"], random_state=0)
    alone.fit(X, X @ [1.0, 2.0] + rng.normal(size=60))
    assert len(alone.pool_) == 1
    assert SIMPLE_MODELS["regression"].others(make_pipeline(alone), names) == ["single tree"]
    folds = FoldMeanClassifier([LogisticRegression(), LogisticRegression()], [0, 1])
    names = ["single tree", "logistic regression"]
    assert SIMPLE_MODELS["classification"].others(folds, names) == ["single tree"]
    assert SIMPLE_MODELS["classification"].others(GaussianNB(), names) == names
