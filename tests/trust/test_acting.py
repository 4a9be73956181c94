"""Conformal sets and intervals, abstention, and the split of uncertainty."""

import numpy as np
import pytest
from scipy.stats import binom, entropy
from sklearn.datasets import make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.decomposition import LOSSES, BregmanLoss
from counterpoint.trust import (
    DOUBTS,
    conformal_intervals,
    conformal_sets,
    cross_conformal,
    guarantee_risk,
    selective_curve,
    split_uncertainty,
)


def drawn(rng, n, n_members=4, n_classes=3, signal=1.5):
    """Members that know something about y, with probabilities."""
    y = rng.integers(n_classes, size=n)
    score = rng.normal(size=(n_members, n, n_classes)) + signal * np.eye(n_classes)[y]
    proba = np.exp(score) / np.exp(score).sum(axis=2, keepdims=True)
    return MemberOutputs(proba=proba, y=y, classes=np.arange(n_classes))


@pytest.mark.parametrize("per_class", [False, True])
def test_sets_hold_the_truth_as_often_as_asked(per_class):
    """Over 1000 splits, within the binomial interval of one row each."""
    rng = np.random.default_rng(0)
    whole = drawn(rng, 20_000, signal=0.5)  # wrong more often than one in ten: no set is empty
    held, sizes = [], []
    for _ in range(1000):
        rows = rng.choice(20_000, 91, replace=False)
        reference, new = whole.take_rows(rows[:90]), whole.take_rows(rows[90:])
        told = conformal_sets(reference, new, coverage=0.9, per_class=per_class)
        held.append(told.sets[0, new.y[0]])
        sizes.append(told.sizes[0])
    n = np.sum(held)
    low, high = binom.ppf([0.001, 0.999], 1000, 0.9)
    # With n rows the chance is ceil((n + 1) 0.9) / (n + 1): 0.9011 of 90, up to 0.93 of 30 a class.
    assert low <= n <= high + 25 * per_class
    assert 1 < np.mean(sizes) < 3


def test_per_class_sets_hold_the_rare_class():
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.1).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(size=4000) + 1.2 * (2 * y - 1) - 2)))
    outputs = MemberOutputs(proba=np.stack([1 - p, p], axis=1)[None], y=y)
    reference, new = outputs.take_rows(slice(0, 2000)), outputs.take_rows(slice(2000, 4000))
    rare = new.y == 1
    plain = conformal_sets(reference, new).sets[rare, 1].mean()
    mondrian = conformal_sets(reference, new, per_class=True).sets[rare, 1].mean()
    assert plain < 0.8 < 0.85 < mondrian


def test_intervals_hold_the_truth_and_widen_where_members_disagree():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(1000):
        spread = rng.uniform(0.2, 3, size=60)
        values = rng.normal(size=(5, 60)) * spread
        y = rng.normal(size=60) * spread
        reference = MemberPredictions(values[:, :59], y[:59])
        low, high = conformal_intervals(reference, MemberPredictions(values[:, 59:]), coverage=0.8)
        held.append(low[0] <= y[59] <= high[0])
    low, high = binom.ppf([0.001, 0.999], 1000, 0.8)
    assert low <= np.sum(held) <= high + 20  # 48 / 60 at least
    new = MemberPredictions([[0.0, 0.0], [0.0, 9.0]])
    reference = MemberPredictions(rng.normal(size=(2, 50)), np.zeros(50))
    low, high = conformal_intervals(reference, new)
    assert high[1] - low[1] > high[0] - low[0]


def test_cross_conformal_takes_nothing_of_what_a_fitted_model_learnt():
    X, y = make_regression(60, 3, noise=20, random_state=0)
    tree = DecisionTreeRegressor(random_state=0)
    asked = cross_conformal(tree, X[:40], y[:40], X[40:])
    again = cross_conformal(tree.fit(X, y), X[:40], y[:40], X[40:])
    np.testing.assert_array_equal(asked, again)


def test_cross_conformal_of_classes_holds():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(30):
        X = rng.normal(size=(160, 2))
        y = (X.sum(axis=1) + rng.normal(size=160) > 0).astype(int)
        pool = [("bayes", GaussianNB()), ("linear", LogisticRegression())]
        told = cross_conformal(pool, X[:80], y[:80], X[80:], coverage=0.8, cv=4)
        held.append(told.sets[np.arange(80), y[80:]].mean())
    assert 0.77 < np.mean(held) < 0.87


def test_cross_conformal_by_class_is_counted_row_by_row():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70, 2))
    y = np.where(X[:, 0] + rng.normal(size=70) > 1, "rare", "usual")
    X, y, new = X[:60], y[:60], X[60:]
    told = cross_conformal(GaussianNB(), X, y, new, coverage=0.8, per_class=True, cv=KFold(3))
    for at, row in enumerate(new):
        p = []
        for k, label in enumerate(told.classes):
            more = 0
            for train, test in KFold(3).split(X):
                model = GaussianNB().fit(X[train], y[train])
                held = model.predict_proba(X[test])[:, k][y[test] == label]
                more += sum(held <= model.predict_proba([row])[0, k] + 1e-12)
            p.append((1 + more) / (1 + sum(y == label)))
        expected = np.array(p) > 1 - 0.8
        expected[np.argmax(p)] = True
        assert told.sets[at].tolist() == expected.tolist()


def test_every_class_is_held_where_one_is_rare():
    rng = np.random.default_rng(0)
    rare = {False: [], True: []}
    for _ in range(30):
        X = rng.normal(size=(300, 2))
        y = (X.sum(axis=1) + rng.normal(size=300) > 2).astype(int)
        for per_class, held in rare.items():
            told = cross_conformal(
                GaussianNB(), X[:200], y[:200], X[200:], coverage=0.8, per_class=per_class, cv=4
            )
            held.append(told.sets[np.flatnonzero(y[200:]), 1].mean())
    assert np.mean(rare[False]) < 0.75 < 0.78 < np.mean(rare[True]) < 0.92


def test_numbers_have_no_classes():
    with pytest.raises(ValueError, match="per_class=True: numbers have no classes"):
        cross_conformal(Ridge(), [[0.0], [1.0]], [0.0, 1.0], [[2.0]], cv=2, per_class=True)


def test_too_few_rows_rule_nothing_out():
    rng = np.random.default_rng(0)
    reference, new = drawn(rng, 5), drawn(rng, 3)
    assert conformal_sets(reference, new, coverage=0.9).sets.all()
    low, high = cross_conformal(Ridge(), [[0.0], [1.0]], [0.0, 1.0], [[2.0]], cv=2)
    assert np.isinf([low[0], high[0]]).all()


@pytest.mark.parametrize("doubt", DOUBTS)
def test_the_risk_is_kept(doubt):
    rng = np.random.default_rng(1)
    whole = drawn(rng, 40_000, n_members=7, n_classes=2)
    broken, answered = 0, []
    for _ in range(60):
        reference = whole.take_rows(rng.choice(40_000, 400, replace=False))
        rule = guarantee_risk(reference, risk=0.05, confidence=0.9, doubt=doubt)
        yes = rule.accept(whole)
        answer = whole.proba.mean(axis=0).argmax(axis=1)
        broken += bool(yes.any()) and np.mean(answer[yes] != whole.y[yes]) > 0.05
        answered.append(yes.mean())
    assert broken <= binom.ppf(0.999, 60, 0.1)
    assert np.mean(answered) > 0.2


def test_a_risk_that_cannot_be_kept_answers_nothing():
    rng = np.random.default_rng(0)
    outputs = MemberOutputs(rng.integers(2, size=(3, 50)), rng.integers(2, size=50))
    rule = guarantee_risk(outputs, risk=0.01)
    assert rule.n_answered == 0
    assert not rule.accept(outputs).any()


def test_the_selective_curve_ends_at_the_error():
    outputs = drawn(np.random.default_rng(0), 500)
    curve = selective_curve(outputs)
    wrong = outputs.proba.mean(axis=0).argmax(axis=1) != outputs.y
    assert curve["error"].iloc[-1] == pytest.approx(wrong.mean())
    assert curve["coverage"].iloc[-1] == pytest.approx(1)
    assert curve.attrs["area"] < wrong.mean()  # doubt tells something
    # By hand: the error of the surest half.
    sure = outputs.proba.mean(axis=0).max(axis=1)
    half = sure >= np.sort(sure)[-250]
    at = (curve["coverage"] - 0.5).abs().argmin()
    assert curve["error"].iloc[at] == pytest.approx(wrong[half].mean())


@pytest.mark.parametrize("loss", ["cross-entropy", "squared", "logistic"])
def test_uncertainty_splits_exactly(loss):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([1, 1], size=(5, 30))
    weights = rng.random(5)
    parts = split_uncertainty(MemberOutputs(proba=proba, weights=weights), loss=loss)
    np.testing.assert_allclose(parts.total, parts.noise + parts.disagreement, atol=1e-12)
    # The third by its own definition: the mean divergence of the members from their mean.
    share = weights / weights.sum()
    mean = np.tensordot(share, proba, axes=1)
    if loss == "squared":
        away = [((p - mean) ** 2).sum(axis=1) for p in proba]
    else:
        away = [entropy(p, mean, axis=1) for p in proba]
    np.testing.assert_allclose(parts.disagreement, share @ np.array(away), atol=1e-9)


def test_a_loss_of_ones_own_splits_as_its_own_divergence():
    loss = BregmanLoss(
        "cubic", generator=lambda q: (q**3).sum(axis=-1), gradient=lambda q: 3 * q**2,
        inverse_gradient=lambda t: np.sqrt(t / 3), domain=(0, 1), vector=True,
    )  # fmt: skip
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], size=(4, 20))
    parts = split_uncertainty(MemberOutputs(proba=proba), loss=loss)
    mean = proba.mean(axis=0)
    away = [loss.divergence(p, mean) for p in proba]
    np.testing.assert_allclose(parts.disagreement, np.mean(away, axis=0), atol=1e-9)


def test_uncertainty_of_numbers():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=4000)
    values = truth + rng.normal(0, 1, size=(20, 4000))
    y = truth + rng.normal(0, 2, size=4000)
    parts = split_uncertainty(
        MemberPredictions(values[:, :10]), reference=MemberPredictions(values, y)
    )
    np.testing.assert_allclose(parts.disagreement, values[:, :10].var(axis=0))
    # The mean misses by 4 + 1/20; its members' variance of 0.95 is not noise.
    assert parts.noise[0] == pytest.approx(4 + 0.05 - 0.95, abs=0.4)
    with pytest.raises(ValueError, match="Numbers say nothing of noise"):
        split_uncertainty(MemberPredictions(values))
    with pytest.raises(ValueError, match="is of numbers"):
        split_uncertainty(MemberOutputs([[0, 1]]), loss=LOSSES["poisson"])
