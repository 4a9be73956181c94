"""Members asked once within ``asked_once``, and always otherwise."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint import boosting, combiners, views
from counterpoint._asking import asked_once, once, said
from counterpoint.auto import OverproduceSelectClassifier, OverproduceSelectRegressor
from counterpoint.trees import DistilledTreeClassifier


class Counted:
    def __init__(self):
        self.asked = 0

    def ask(self, X):
        self.asked += 1
        return X.sum(axis=1)


class Lost(DecisionTreeClassifier):
    """Answers NaN, as learners do that met columns which do not vary."""

    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


@pytest.mark.parametrize(
    "ensemble",
    [
        views.HeterogeneousPoolClassifier({"a": DecisionTreeClassifier(), "b": Lost()}),
        views.ViewEnsembleClassifier(Lost()),
        views.InputDecimationClassifier(gate=Lost()),
        views.OutputCodeClassifier(Lost(), decoding="soft"),
        boosting.DecorateClassifier(Lost()),
        DistilledTreeClassifier(RandomForestClassifier(3), estimator=Lost()),
        combiners.CombinedClassifier([Lost(), DecisionTreeClassifier()]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_learner_that_says_nothing_is_named(ensemble):
    X, y = make_classification(40, random_state=0)
    with pytest.raises(ValueError, match="gives sample 0 the probability nan"):
        ensemble.fit(X, y).predict_proba(X)


def test_what_is_said_is_doubles():
    X, y = make_classification(40, random_state=0)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    np.testing.assert_array_equal(said(tree, X.astype(np.float32)), tree.predict_proba(X))


def test_the_same_rows_are_asked_about_once_and_others_again():
    one, other = Counted(), Counted()
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    once(one, X, one.ask), once(one, X, one.ask)
    assert one.asked == 2  # not within
    with asked_once():
        first = once(one, X, one.ask)
        assert once(one, X.copy(), one.ask) is first
        assert one.asked == 3
        X[1, 1] = 4.0  # the same array, other rows
        np.testing.assert_array_equal(once(one, X, one.ask), [np.nan, 6.0])
        once(one, X.astype(np.float32), one.ask)
        once(one, X[:1], one.ask)
        assert one.asked == 6
        once(other, X, other.ask)
        once(one, X.tolist(), lambda rows: one.ask(np.array(rows)))
        assert (one.asked, other.asked) == (7, 1)
    once(other, X, other.ask)
    assert other.asked == 2


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_all_answers_of_an_ensemble_from_one_question(task, monkeypatch):
    if task == "classes":
        X, y = make_classification(60, random_state=0)
        pool = [("a", LogisticRegression()), ("b", DecisionTreeClassifier(random_state=0))]
        model = OverproduceSelectClassifier(pool, random_state=0).fit(X, y)
        questions = ("predict", "predict_proba", "member_predict")
    else:
        X, y = make_regression(60, random_state=0)
        pool = [("a", LinearRegression()), ("b", DecisionTreeRegressor(random_state=0))]
        model = OverproduceSelectRegressor(pool, random_state=0).fit(X, y)
        questions = ("predict", "predict_interval", "member_predict")
    alone = [getattr(model, name)(X[:9]) for name in questions]
    count, ask = [], model._ask_pool
    monkeypatch.setattr(model, "_ask_pool", lambda rows: count.append(1) or ask(rows))
    with asked_once():
        together = [getattr(model, name)(X[:9]) for name in questions]
    assert len(count) == 1
    for a, b in zip(alone, together, strict=True):
        np.testing.assert_array_equal(a, b)
