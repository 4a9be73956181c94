"""What a model is judged by: against scikit-learn's own numbers, and labels made for it."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    d2_pinball_score,
    f1_score,
    log_loss,
    make_scorer,
    mean_absolute_error,
    mean_pinball_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB

from counterpoint.auto import OverproduceSelectClassifier, OverproduceSelectRegressor
from counterpoint.auto.metric import class_metric, labels_of, number_metric


def drawn(n_classes, n=300, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(n_classes, size=n)
    shares = rng.dirichlet(np.ones(n_classes), size=n)
    shares[np.arange(n), y] += 0.3
    return shares / shares.sum(axis=1, keepdims=True), y, rng.uniform(0.1, 2.0, size=n)


PLAIN = {
    "log-loss": lambda y, p, w: log_loss(y, p, sample_weight=w),
    "error": lambda y, p, w: np.average(p.argmax(axis=1) != y, weights=w),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", PLAIN)
def test_losses_of_rows_are_those_of_scikit_learn(name, weighted, n_classes):
    shares, y, weight = drawn(n_classes)
    weight = weight if weighted else None
    metric = class_metric(name, np.arange(n_classes))
    decision = metric.decide(shares, y, weight)
    assert metric.loss(shares, y, weight, decision) == pytest.approx(PLAIN[name](y, shares, weight))


def test_losses_of_sets_are_those_of_scikit_learn():
    shares, y, weight = drawn(2)
    classes = np.arange(2)

    def loss(given, told=None):
        metric = class_metric(given, classes)
        decision = np.eye(2) if told is None else told
        return metric.loss(shares, y, weight, decision)

    answer = shares.argmax(axis=1)
    assert loss("brier") == pytest.approx(
        2 * brier_score_loss(y, shares[:, 1], sample_weight=weight)
    )
    assert loss("auc") == pytest.approx(1 - roc_auc_score(y, shares[:, 1], sample_weight=weight))
    assert loss("f1") == pytest.approx(1 - f1_score(y, answer, sample_weight=weight))
    balanced = balanced_accuracy_score(y, answer, sample_weight=weight)
    assert loss("balanced-error") == pytest.approx(1 - balanced)
    recalls = recall_score(y, answer, average=None, sample_weight=weight)
    assert loss("g-mean") == pytest.approx(1 - np.sqrt(np.prod(recalls)))
    assert loss("roc_auc") == pytest.approx(-roc_auc_score(y, shares[:, 1], sample_weight=weight))
    scorer = make_scorer(f1_score)
    assert class_metric(scorer, classes).loss(shares, y, None, None) == -f1_score(y, answer)


def test_several_classes_have_an_area_and_an_f1_too():
    shares, y, _ = drawn(3)
    area = roc_auc_score(y, shares, multi_class="ovo")
    metric = class_metric("auc", np.arange(3))
    assert metric.loss(shares, y, None, None) == pytest.approx(1 - area, abs=1e-6)
    macro = f1_score(y, shares.argmax(axis=1), average="macro")
    metric = class_metric("f1", np.arange(3))
    assert metric.loss(shares, y, None, np.eye(3)) == pytest.approx(1 - macro)
    few = metric.loss(shares[y < 2], y[y < 2], None, np.eye(3))
    assert 0 < few < 1


def test_labels_are_made_for_the_metric():
    shares = np.array([[0.7, 0.3], [0.95, 0.05], [0.2, 0.8]])
    cost = class_metric([[0, 1], [5, 0]], np.arange(2))  # to miss the second costs five
    assert labels_of(shares, cost.decide(shares, np.array([0, 0, 1]), None)).tolist() == [1, 0, 1]
    assert cost.loss(shares, np.array([1, 1, 0]), None, -cost.matrix) == pytest.approx(6 / 3)
    y = np.array([0] * 9 + [1])
    rare = np.stack([np.full(10, 0.8), np.full(10, 0.2)], axis=1)
    even = class_metric("balanced-error", np.arange(2))
    assert labels_of(rare, even.decide(rare, y, None)).tolist() == [1] * 10
    assert even.loss(rare, y, None, even.decide(rare, y, None)) == pytest.approx(0.5)


def test_numbers_are_shifted_to_what_the_metric_asks_for():
    rng = np.random.RandomState(0)
    y, told, weight = rng.exponential(size=400), np.ones(400), rng.uniform(0.5, 2, size=400)
    mae, low = number_metric("mae"), number_metric(("quantile", 0.1))
    assert mae.loss(told, y, weight, 0.0) == pytest.approx(
        mean_absolute_error(y, told, sample_weight=weight)
    )
    assert low.loss(told, y, None, 0.0) == pytest.approx(mean_pinball_loss(y, told, alpha=0.1))
    assert 1 + mae.decide(told, y, None) == pytest.approx(np.median(y))
    assert np.average(y < 1 + low.decide(told, y, weight), weights=weight) == pytest.approx(
        0.1, abs=0.01
    )
    assert number_metric("rmse").loss(told, y, None, 0.0) == pytest.approx(((y - 1) ** 2).mean())
    pinball = make_scorer(d2_pinball_score)
    assert number_metric(pinball).loss(told, y, None, 0.0) == -d2_pinball_score(y, told)


POOL = [("bayes", GaussianNB()), ("logistic", LogisticRegression(max_iter=1000))]


@pytest.fixture(scope="module")
def rare():
    return make_classification(
        1500, 8, n_informative=5, weights=[0.93], flip_y=0.03, random_state=0
    )


def test_probabilities_stay_and_labels_follow_the_metric(rare):
    X, y = rare
    fits = {
        str(metric): OverproduceSelectClassifier(POOL, metric=metric, random_state=0).fit(
            X[:900], y[:900]
        )
        for metric in ("log-loss", "balanced-error", "f1", "auc")
    }
    test, truth = X[900:], y[900:]
    plain, even, f1 = fits["log-loss"], fits["balanced-error"], fits["f1"]
    assert balanced_accuracy_score(truth, even.predict(test)) > balanced_accuracy_score(
        truth, plain.predict(test)
    )
    assert f1_score(truth, f1.predict(test)) >= f1_score(truth, plain.predict(test)) - 0.02
    for model in fits.values():  # whatever the metric: as calibrated as by log-loss
        assert log_loss(truth, model.predict_proba(test)) < 1.1 * log_loss(
            truth, plain.predict_proba(test)
        )
        assert 0 <= model.cv_loss_ <= 1
    costly = OverproduceSelectClassifier(POOL, metric=[[0, 1], [20, 0]], random_state=0)
    costly.fit(X[:900], y[:900])
    cost = np.array([[0, 1], [20, 0]])
    assert cost[truth, costly.predict(test)].mean() < cost[truth, plain.predict(test)].mean()


@pytest.mark.parametrize("metric", ["loss", 3, [[0, 1]], [[0, np.nan], [1, 0]], "rmse"])
def test_what_is_no_metric_for_classes_is_refused(metric, rare):
    with pytest.raises(ValueError, match="metric"):
        OverproduceSelectClassifier(POOL, metric=metric).fit(*rare)


@pytest.mark.parametrize("metric", ["log-loss", ("quantile", 1.5), ("quantil", 0.5), 3])
def test_what_is_no_metric_for_numbers_is_refused(metric):
    X = np.random.RandomState(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match=r"metric|quantile"):
        OverproduceSelectRegressor(metric=metric).fit(X, X[:, 0])


def test_where_a_class_is_missing_the_area_counts_weights_too():
    rng = np.random.RandomState(0)
    shares, y = rng.dirichlet(np.ones(3), size=40), rng.randint(2, size=40)
    weight = rng.randint(1, 5, size=40).astype(float)
    own = class_metric("auc", np.arange(3)).loss(shares, y, weight, np.eye(3))
    second = shares[:, 1] / shares[:, :2].sum(axis=1)
    assert own == pytest.approx(1 - roc_auc_score(y, second, sample_weight=weight))
    assert own != pytest.approx(1 - roc_auc_score(y, second))


def test_a_class_that_nearly_all_rows_are_of_is_not_sought_in_silence():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] + rng.normal(scale=0.3, size=200) > 1.2, "fraud", "ok")
    pool = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
    model = OverproduceSelectClassifier(pool, metric="f1", random_state=0)
    with pytest.warns(UserWarning, match="metric='f1' is about 'ok', .*you seek 'fraud', rename"):
        model.fit(X, y)
    assert f"1 - F1 of class ok {model.cv_loss_:.4g}" in model.explain()
    model.fit(X, (y == "ok").astype(int))  # 1 is what everybody means
    model.fit(X, np.where(y == "ok", "0 ok", "1 fraud"))
    assert "1 - F1 of class 1 fraud" in model.explain()
