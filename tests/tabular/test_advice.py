"""What to do next follows from the numbers of the summary, and from nothing else."""

import numpy as np
import pandas as pd
import pytest
from tables import mixed_table, number_table

from counterpoint import tabular
from counterpoint.tabular.advice import advise


@pytest.fixture(scope="module")
def rare():
    """A class of one row in ten that one column tells apart, but never for certain."""
    rng = np.random.RandomState(0)
    y = np.where(np.arange(800) % 10 == 0, "seldom", "often")
    x = rng.normal(size=800) + 1.2 * (y == "seldom")
    return pd.DataFrame({"x": x, "other": rng.normal(size=800), "y": y})


@pytest.fixture(scope="module")
def fitted(rare):
    return tabular.fit(rare, "y", "logistic-regression").summary(tree=False)


def test_a_missed_class_comes_first_and_says_how_to_find_it(fitted):
    assert fitted["warnings"][-1].startswith("CLASS 'seldom' IS MISSED")
    first = fitted["advice"][0]
    assert first.startswith("To find more of 'seldom': say class_weight='balanced'")
    assert "with cost=" in first
    assert f"AUC {fitted['by_class']['auc']:.2f}" in first


def test_what_is_advised_helps(rare, fitted):
    again = tabular.fit(rare, "y", "logistic-regression", class_weight="balanced")
    told = again.summary(tree=False)
    recall = [row["recall"] for row in told["by_class"]["rows"] if row["label"] == "seldom"]
    before = [row["recall"] for row in fitted["by_class"]["rows"] if row["label"] == "seldom"]
    assert recall > before
    assert not any(line.startswith("To find more") for line in told["advice"])
    priced = tabular.fit(rare, "y", "logistic-regression", cost={"fn": 10, "fp": 1}).summary(
        tree=False
    )
    assert not any(line.startswith("To find more") for line in priced["advice"])


def test_a_simple_model_that_is_as_good_is_named_with_its_method():
    table = mixed_table(200)
    told = tabular.fit(table, "class", "naive-bayes").summary(tree=False)
    told["as_good"] = "logistic regression"
    line = next(line for line in advise(told) if line.startswith("Take "))
    assert line.startswith("Take logistic regression instead")
    assert "method='logistic-regression'" in line
    told["fit"] |= {"stop_reason": "time_limit", "leaderboard": [{}]}
    line = next(line for line in advise(told) if line.startswith("Take "))
    assert "time_limit=: only one member was tried" in line


@pytest.mark.parametrize("method", ["bagging", "tree"])
def test_columns_that_know_nothing_are_not_relied_on(method):
    rng = np.random.RandomState(1)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    told = tabular.fit(table.assign(d=rng.normal(size=300)), "d", method).summary(tree=False)
    assert told["advice"][0].startswith(
        ("Do not rely on it: the mean", "Do not rely on it: the med")
    )
    y = np.where(rng.uniform(size=300) < 0.3, "yes", "no")
    told = tabular.fit(table.assign(d=y), "d", method).summary(tree=False)
    assert any(line.startswith("Do not rely on it: the majority") for line in told["advice"])


def test_a_good_model_is_to_be_used_and_shown_as_a_tree():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(900, 2)), columns=["a", "b"])
    inside = (X.a**2 + X.b**2 < 0.6) ^ (rng.uniform(size=900) < 0.2)
    told = tabular.fit(X.assign(c=inside.astype(str)), "c", "random-forest").summary()
    assert told["as_good"] is None
    assert told["advice"][0].startswith("Use it: it errs clearly less than the ")
    easy = tabular.fit(X.assign(c=(X.a > X.b - 0.5).astype(str)), "c", "bagging").summary()
    numbers = tabular.fit(number_table(400), "price", "hist-boosting").summary()
    for one in (told, easy, numbers):
        shown = one["tree"]["shown"]
        said = any(f"one tree of {shown['n_leaves']} leaves" in line for line in one["advice"])
        assert said == (shown["fidelity"] >= 0.9)
        assert 1 <= len(one["advice"]) <= 4
    assert easy["tree"]["shown"]["fidelity"] >= 0.9


def test_rows_to_tell_are_those_of_the_test():
    """So many rows with the same shares are what McNemar's test needs, by its normal form."""
    told = {
        "task": "classification", "as_good": None, "decision": None, "fit": None, "tree": None,
        "by_class": {"rows": [], "auc": None}, "calibration": None,
        "score": {"error": 0.10, "n": 1000},
        "warnings": [],
        "baselines": {"rows": [{"name": "single tree", "error": 0.11, "only_this": 60,
                                "only_model": 50, "p": 0.4}]},
    }  # fmt: skip
    [line] = advise(told)
    n = int(line.split("about ")[1].split(" test")[0].replace(",", ""))
    grown = n / 1000
    z = (60 - 50) * grown / np.sqrt((60 + 50) * grown)
    assert z == pytest.approx(1.96, rel=0.02)
    told["baselines"]["rows"][0] |= {"only_this": 6, "only_model": 5}
    assert "more rows before" in advise(told)[0]
