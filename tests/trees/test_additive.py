"""The trees of gradient boosting add up to what the model says."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
)
from sklearn.linear_model import LogisticRegression

from counterpoint.boosting import LogitBoostClassifier
from counterpoint.trees import refine_leaves, take_trees

X, Y = load_wine(return_X_y=True)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
NOISE = np.random.default_rng(1).normal(1, 0.15, size=X.shape)


def raw_scores(model, rows):
    name = type(model).__name__
    if name == "GradientBoostingClassifier":
        said = model.decision_function(rows)
    elif name == "LGBMClassifier":
        said = model.predict(rows, raw_score=True)
    else:
        said = model.predict(rows, output_margin=True)
    return np.column_stack([np.zeros(len(rows)), said]) if np.ndim(said) == 1 else said


def check(model, rows):
    trees = take_trees(model)
    assert trees.kind == "scores"
    np.testing.assert_allclose(trees.score(rows), raw_scores(model, rows), atol=1e-4)
    np.testing.assert_array_equal(trees.predict(rows), model.predict(rows))
    return trees


@pytest.mark.parametrize("labels", [Y, Y > 0], ids=["three", "two"])
def test_scikit_learn(labels):
    model = GradientBoostingClassifier(n_estimators=8, random_state=0).fit(X, labels)
    check(model, X * NOISE)
    check(GradientBoostingClassifier(n_estimators=3, init="zero").fit(X, labels), X)


@pytest.mark.parametrize("rows", [X, GAPS], ids=["whole", "gaps"])
@pytest.mark.parametrize("labels", [Y, Y > 0], ids=["three", "two"])
def test_lightgbm(rows, labels):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=8, min_child_samples=5, verbose=-1, n_jobs=1)
    frame = pd.DataFrame(rows, columns=[f"c{k}" for k in range(13)])
    model.fit(frame, labels)
    trees = check(model, frame * NOISE)
    assert trees.feature_names.tolist() == list(frame.columns)
    # Missing values where training had none count as 0 there.
    check(model, pd.DataFrame(GAPS, columns=frame.columns))


@pytest.mark.parametrize("rows", [X, GAPS], ids=["whole", "gaps"])
@pytest.mark.parametrize("labels", [Y, (Y > 0).astype(int)], ids=["three", "two"])
def test_xgboost(rows, labels):
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=8, max_depth=3, n_jobs=1).fit(rows, labels)
    check(model, rows * NOISE)
    check(model, X)  # at the values that thresholds were made of
    frame = pd.DataFrame(rows, columns=[f"c{k}" for k in range(13)])
    check(xgboost.XGBClassifier(n_estimators=2, n_jobs=1).fit(frame, labels), frame)


def test_models_that_cannot_be_taken():
    flat = GradientBoostingClassifier(n_estimators=2, init=LogisticRegression(max_iter=5000))
    scaled = X / X.std(axis=0)
    with pytest.raises(TypeError, match="no tree"):
        take_trees(flat.fit(scaled, Y))
    with pytest.raises(TypeError, match="regressor"):
        take_trees(GradientBoostingRegressor(n_estimators=2).fit(X, Y))
    with pytest.raises(TypeError, match="HistGradientBoostingClassifier was given"):
        take_trees(HistGradientBoostingClassifier(max_iter=2).fit(X, Y))
    with pytest.raises(TypeError, match="add up to a score"):
        take_trees(LogitBoostClassifier(n_estimators=2).fit(X, Y))
    model = GradientBoostingClassifier(n_estimators=2).fit(X, Y)
    with pytest.raises(ValueError, match="scores"):
        refine_leaves(take_trees(model), X, Y)


def test_boosters_of_other_kinds_cannot_be_taken():
    xgboost = pytest.importorskip("xgboost")
    two = (Y > 0).astype(int)
    with pytest.raises(TypeError, match="dart"):
        take_trees(xgboost.XGBClassifier(n_estimators=2, booster="dart").fit(X, two))
    with pytest.raises(TypeError, match="several trees a round"):
        take_trees(xgboost.XGBClassifier(n_estimators=2, num_parallel_tree=2).fit(X, two))
    lightgbm = pytest.importorskip("lightgbm")
    colours = pd.DataFrame({"colour": pd.Categorical(np.array(["r", "g", "b"])[Y]), "x": X[:, 0]})
    model = lightgbm.LGBMClassifier(n_estimators=2, min_child_samples=5, verbose=-1, n_jobs=1)
    with pytest.raises(TypeError, match="categories"):
        take_trees(model.fit(colours, two))
