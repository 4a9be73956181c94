"""Probabilities held against what came true."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import brier_score_loss

from counterpoint.tabular.calibration import describe_calibration

CLASSES = np.array(["no", "yes"])


def made(n=400, seed=0, power=1.0):
    rng = np.random.RandomState(seed)
    share = rng.beta(1, 2, size=n)
    y = CLASSES[(rng.rand(n) < share).astype(int)]
    told = share**power / (share**power + (1 - share) ** power)
    return np.column_stack([1 - told, told]), y


def test_scores_and_curve():
    proba, y = made()
    told = describe_calibration(proba, y, CLASSES)
    assert told["of"] == "yes"
    assert told["brier"] == pytest.approx(brier_score_loss(y, proba[:, 1], pos_label="yes"))
    share = (y == "yes").mean()
    assert told["base"] == pytest.approx(share * (1 - share))
    order = np.argsort(proba[:, 1])
    parts = np.array_split(order, 10)
    assert [row["rows"] for row in told["curve"]] == [40] * 10
    for row, part in zip(told["curve"], parts, strict=True):
        assert row["said"] == pytest.approx(proba[part, 1].mean())
        assert row["came"] == pytest.approx((y[part] == "yes").mean())
        limits = binomtest(int((y[part] == "yes").sum()), 40).proportion_ci(method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((limits.low, limits.high), abs=1e-12)
    gap = np.mean([abs(row["said"] - row["came"]) for row in told["curve"]])
    assert told["gap"] == pytest.approx(gap)


def test_chance_is_told_from_fault():
    good = [describe_calibration(*made(seed=s), CLASSES) for s in range(30)]
    beyond = sum(told["gap"] > told["chance_gap"] for told in good)
    assert beyond <= 5  # one in twenty is expected
    bad = [describe_calibration(*made(seed=s, power=3.0), CLASSES) for s in range(10)]
    assert all(told["gap"] > told["chance_gap"] for told in bad)
    assert "more than chance explains" in bad[0]["sentence"]


def test_of_several_classes_the_answer_is_looked_at():
    rng = np.random.RandomState(0)
    classes = np.array(list("abc"))
    proba = rng.dirichlet(np.ones(3), size=200)
    y = classes[[rng.choice(3, p=p) for p in proba]]
    told = describe_calibration(proba, y, classes)
    assert told["of"] is None
    right = classes[proba.argmax(axis=1)] == y
    total = sum(row["came"] * row["rows"] for row in told["curve"])
    assert total == pytest.approx(right.sum())
    truth = (y[:, None] == classes).astype(float)
    assert told["brier"] == pytest.approx(((proba - truth) ** 2).sum(axis=1).mean())


def test_nothing_is_said_of_few_rows_or_labels_alone():
    proba, y = made(19)
    assert describe_calibration(proba, y, CLASSES) is None
    assert describe_calibration(None, made(50)[1], CLASSES) is None


def test_equal_probabilities_stay_together():
    proba, y = np.tile([[0.75, 0.25]], (100, 1)), np.tile(["no", "no", "no", "yes"], 25)
    told = describe_calibration(proba, y, CLASSES)
    assert len(told["curve"]) == 1
    assert told["gap"] == pytest.approx(0.0)
