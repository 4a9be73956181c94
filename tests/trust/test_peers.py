"""The same numbers as libraries we did not write, where the method is the same.

They are no dependency: each test runs where its peer is installed. ``tests/trust`` holds slow twins
of the same methods that run always.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict

from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.datasets import make_votes
from counterpoint.trust import (
    QUERY_MEASURES,
    VoteLog,
    conformal_intervals,
    conformal_sets,
    cross_conformal,
    estimate_error,
    estimate_truth,
    find_label_errors,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def peer(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, exc_type=ImportError)


def long_frame(votes):
    who, at = np.nonzero(~pd.isna(votes))
    cells = {"worker": who, "task": at, "label": [votes[m, s] for m, s in zip(who, at)]}
    return pd.DataFrame(cells)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_dawid_skene_posteriors_are_crowd_kits(n_classes):
    crowdkit = peer("crowdkit.aggregation")
    # A negative tol: theirs would stop where rounding lowers its bound, some steps early.
    made = make_votes(300, n_classes=n_classes, missing=0.3, random_state=n_classes)
    votes = made.votes
    theirs = crowdkit.DawidSkene(n_iter=40, tol=-1).fit_predict_proba(long_frame(votes))
    ours = estimate_truth(votes, discount=False, smoothing=0, max_iter=40, tol=0)
    assert np.abs(theirs.loc[range(300), list(range(n_classes))] - ours.proba).max().max() < 1e-6


def test_one_coin_and_glad_agree_with_crowd_kits():
    crowdkit = peer("crowdkit.aggregation")
    votes = make_votes(300, n_members=9, missing=0.2, random_state=3).votes
    frame = long_frame(votes)
    theirs = crowdkit.OneCoinDawidSkene(n_iter=40, tol=-1).fit_predict_proba(frame)
    ours = estimate_truth(votes, method="one-coin", discount=False, smoothing=0, max_iter=40, tol=0)
    assert np.abs(theirs.loc[range(300), [0, 1]] - ours.proba).max().max() < 1e-6
    theirs = crowdkit.GLAD(n_iter=50, silent=True).fit_predict(frame)
    ours = estimate_truth(votes, method="glad", discount=False)
    assert np.mean(theirs.loc[range(300)] == ours.labels) > 0.97


def forest_outputs():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + rng.normal(0, 0.5, X.shape)
    order = rng.permutation(150)
    fit, held, new = order[:50], order[50:100], order[100:]
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X[fit], y[fit])
    reference = MemberOutputs.from_estimator(forest, X[held], y[held])
    return forest, X, y, held, new, reference, MemberOutputs.from_estimator(forest, X[new])


def test_conformal_sets_are_mapies():
    mapie = peer("mapie.classification")
    forest, X, y, held, new, reference, asked = forest_outputs()
    wrapped = mapie.SplitConformalClassifier(forest, confidence_level=0.9, prefit=True)
    wrapped.conformalize(X[held], y[held])
    theirs = wrapped.predict_set(X[new])[1][:, :, 0]
    ours = conformal_sets(reference, asked, coverage=0.9).sets
    empty = ~theirs.any(axis=1)  # we keep the likeliest class
    assert (ours[~empty] == theirs[~empty]).all()


@pytest.mark.parametrize("method", ["split", "cross"])
def test_conformal_intervals_are_mapies(method):
    mapie = peer("mapie.regression")
    X, y = load_diabetes(return_X_y=True)
    if method == "split":
        model = Ridge(0.1).fit(X[:150], y[:150])
        wrapped = mapie.SplitConformalRegressor(model, confidence_level=0.85, prefit=True)
        theirs = wrapped.conformalize(X[150:300], y[150:300]).predict_interval(X[300:])[1][:, :, 0]
        reference = MemberPredictions(model.predict(X[150:300])[None], y[150:300])
        new = MemberPredictions(model.predict(X[300:])[None])
        ours = conformal_intervals(reference, new, coverage=0.85, by_spread=False)
    else:
        wrapped = mapie.CrossConformalRegressor(Ridge(0.1), confidence_level=0.85, cv=KFold(5))
        wrapped.fit_conformalize(X[:300], y[:300])
        theirs = wrapped.predict_interval(X[300:])[1][:, :, 0]
        ours = cross_conformal(Ridge(0.1), X[:300], y[:300], X[300:], coverage=0.85, cv=5)
    np.testing.assert_allclose(np.stack(ours, axis=1), theirs, rtol=1e-10)


def test_label_errors_of_one_member_are_cleanlabs():
    cleanlab = peer("cleanlab.filter")
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    given = np.where(rng.random(150) < 0.15, rng.integers(3, size=150), y)
    proba = cross_val_predict(
        LogisticRegression(max_iter=1000), X, given, cv=5, method="predict_proba"
    )
    theirs = cleanlab.find_label_issues(given, proba, filter_by="prune_by_noise_rate")
    ours = find_label_errors(MemberOutputs(proba=proba[None], y=given))
    assert (ours.wrong == theirs).mean() > 0.98
    assert abs(ours.wrong.sum() - theirs.sum()) <= 2


def test_query_measures_are_scikit_activemls():
    pool = peer("skactiveml.pool")
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 1, 1], size=(5, 40))
    outputs = MemberOutputs(proba=proba)
    theirs = pool.average_kl_divergence(proba)
    np.testing.assert_allclose(QUERY_MEASURES["divergence"](outputs), theirs, rtol=1e-8)
    theirs = pool.vote_entropy(outputs.votes.T, np.arange(3))
    ours = QUERY_MEASURES["vote-entropy"](outputs)
    # Theirs is divided by the log of the number of classes.
    np.testing.assert_allclose(ours / ours.max(), theirs / theirs.max(), rtol=1e-8)


def test_calibrated_confidence_is_nannymls():
    nannyml = peer("nannyml")
    rng = np.random.default_rng(0)
    p = rng.beta(1, 1, size=4000)
    y = (rng.random(4000) < p**1.5).astype(int)  # not calibrated
    frame = pd.DataFrame({"p": p, "said": (p > 0.5).astype(int), "y": y})
    cbpe = nannyml.CBPE(
        y_pred="said", y_pred_proba="p", y_true="y", metrics=["accuracy"],
        problem_type="classification_binary", chunk_size=2000,
    )  # fmt: skip
    cbpe.fit(frame[:2000].reset_index(drop=True))
    theirs = cbpe.estimate(frame[2000:].reset_index(drop=True)).to_df()
    accuracy = theirs[("accuracy", "value")].iloc[-1]
    proba = np.stack([1 - p, p], axis=1)
    told = estimate_error(
        MemberOutputs(proba=proba[None, :2000], y=y[:2000]),
        MemberOutputs(proba=proba[None, 2000:]),
        methods=["confidence"],
        n_draws=2,
    )
    assert abs((1 - told.error) - accuracy) < 1e-3


def test_a_log_in_long_form_is_the_same_as_an_array():
    votes = make_votes(50, missing=0.3, random_state=0).votes
    frame = long_frame(votes)
    names = [f"v{k:02d}" for k in frame["worker"]]
    long = VoteLog(names, frame["task"], frame["label"].astype(int))
    np.testing.assert_allclose(
        estimate_truth(long, random_state=0).proba, estimate_truth(votes, random_state=0).proba
    )
