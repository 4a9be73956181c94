"""Recall, precision, balanced error and AUC, and what is said loudly of them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import (
    balanced_accuracy_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from counterpoint.tabular import fit
from counterpoint.tabular.class_scores import describe_classes, missed_classes


def made(n_classes, n=120, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.choice(n_classes, p=np.arange(1, n_classes + 1) / sum(range(n_classes + 1)), size=n)
    proba = rng.dirichlet(np.ones(n_classes), size=n) + 0.6 * np.eye(n_classes)[y]
    proba /= proba.sum(axis=1, keepdims=True)
    labels = np.array([f"class {k}" for k in range(n_classes)])
    return labels[y], labels[proba.argmax(axis=1)], proba, labels


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_they_are_those_of_scikit_learn(n_classes):
    y, said, proba, classes = made(n_classes)
    told = describe_classes(y, said, proba, classes)
    recall = recall_score(y, said, average=None, labels=classes)
    precision = precision_score(y, said, average=None, labels=classes)
    np.testing.assert_allclose([row["recall"] for row in told["rows"]], recall)
    np.testing.assert_allclose([row["precision"] for row in told["rows"]], precision)
    assert told["balanced_error"] == pytest.approx(1 - balanced_accuracy_score(y, said))
    assert told["balanced_low"] < told["balanced_error"] < told["balanced_high"]
    options = {} if n_classes == 2 else {"multi_class": "ovo"}
    expected = roc_auc_score(y, proba[:, 1] if n_classes == 2 else proba, **options)
    assert told["auc"] == pytest.approx(expected)
    first = told["rows"][0]
    limits = binomtest(first["right"], first["rows"]).proportion_ci(method="wilson")
    assert (first["recall_low"], first["recall_high"]) == pytest.approx((limits.low, limits.high))


def test_limits_do_not_depend_on_the_order_of_rows():
    y, said, proba, classes = made(3)
    turned = np.random.RandomState(1).permutation(len(y))
    one = describe_classes(y, said, proba, classes)
    two = describe_classes(y[turned], said[turned], proba[turned], classes)
    assert (one["balanced_low"], one["balanced_high"]) == (
        two["balanced_low"],
        two["balanced_high"],
    )


def test_what_is_not_there_is_undefined():
    y, said = np.array(["a", "a", "b"]), np.array(["a", "b", "b"])
    told = describe_classes(y, said, None, np.array(["a", "b", "c"]))
    assert told["rows"][2]["recall"] is None
    assert told["rows"][2]["precision"] is None
    assert told["auc"] is None
    assert told["balanced_error"] == pytest.approx(0.25)
    one = describe_classes(y[:2], said[:2], np.full((2, 3), 1 / 3), np.array(["a", "b", "c"]))
    assert one["auc"] is None  # one class alone has no curve


def test_a_missed_class_is_named():
    y = np.repeat(["a", "b", "c", "d", "e"], [20, 10, 3, 4, 1])
    said = np.repeat(["a", "b", "a", "d", "a"], [20, 4, 9, 1, 4])
    told = describe_classes(y, said, None, np.array(["a", "b", "c", "d", "e"]))
    # Of the fourth, few rows and one found, and the fifth, one row, too little is known.
    assert missed_classes(told) == [
        "CLASS 'c' IS MISSED: all of its 3 rows are taken for something else.",
        "CLASS 'b' IS MISSED: 60.0 % of its 10 rows are taken for something else.",
    ]
    many = {"rows": [{"label": str(k), "rows": 9, "recall": 0.1} for k in range(5)]}
    assert missed_classes(many)[-1].startswith("AND 2 MORE CLASSES")


def test_a_rare_class_that_is_missed_is_told_at_once():
    rng = np.random.RandomState(0)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    table["class"] = np.where(rng.rand(300) < 0.1, "seldom", "often")
    summary = fit(table, "class", "random-forest").summary(tree=False)
    assert any(line.startswith("CLASS 'seldom' IS MISSED") for line in summary["warnings"])
    row = next(row for row in summary["by_class"]["rows"] if row["label"] == "seldom")
    assert row["recall"] < 0.5
