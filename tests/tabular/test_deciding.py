"""Answers made for costs or a metric: the threshold, where it is chosen, what it gains."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import mixed_table, number_table

from counterpoint.tabular import assess, explain, fit, load, predict, save
from counterpoint.tabular.deciding import (
    DecidedClassifier,
    decide,
    find_decision,
    parse_costs,
    read_costs,
)


def rare_table(n=600, seed=0):
    rng = np.random.RandomState(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    chance = 1 / (1 + np.exp(2.2 - 1.5 * frame["a"]))
    return frame.assign(ill=np.where(rng.rand(n) < chance, "yes", "no"))


TABLE = rare_table()
COST = {"fn": 10, "fp": 1}


@pytest.fixture(scope="module")
def decided():
    return fit(TABLE, "ill", "logistic-regression", cost=COST)


def test_the_threshold_costs_least_on_rows_not_fitted_on():
    X, y = TABLE[["a", "b"]].to_numpy(), TABLE["ill"].to_numpy(str)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    made = decide(model, X, y, costs, random_state=3)
    parts = StratifiedKFold(5, shuffle=True, random_state=3)
    share = cross_val_predict(model, X, y, cv=parts, method="predict_proba")[:, 1]

    def cost(threshold):
        said = share > threshold
        return np.sum(~said & (y == "yes")) * 10 + np.sum(said & (y == "no"))

    decision = made[-1].decision_
    t = decision[0, 0] / (decision[0, 0] + decision[1, 1])
    if decision[0, 0] <= 0:  # as the costs say, without a better one
        t = 1 / 11
    assert cost(t) == min(cost(v) for v in [-1.0, *share])
    np.testing.assert_array_equal(made.predict_proba(X), model.predict_proba(X))
    proba = model.predict_proba(X)
    np.testing.assert_array_equal(made.predict(X) == "yes", proba[:, 1] > t)


def test_costs_change_the_answers_and_pay(decided):
    plain = fit(TABLE, "ill", "logistic-regression")
    told = decided.summary(tree=False)["decision"]
    assert told["positive"] == "yes"  # the rarer
    assert told["threshold"] < 0.3
    truth = decided.y_test

    def mean_cost(said):
        missed, wrong = (truth == "yes") & (said == "no"), (truth == "no") & (said == "yes")
        return np.mean(10.0 * missed + wrong)

    own, usual = (m.model.predict(decided.X_test) for m in (decided, plain))
    assert told["loss"] == pytest.approx(mean_cost(own))
    assert told["plain_loss"] == pytest.approx(mean_cost(usual))
    assert told["gain_plain"] == pytest.approx(mean_cost(usual) - mean_cost(own))
    assert told["gain_plain_low"] <= told["gain_plain"] <= told["gain_plain_high"]
    constant = min(mean_cost(np.full(len(truth), label)) for label in ("yes", "no"))
    assert told["constant"]["loss"] == pytest.approx(constant)
    assert plain.summary(tree=False)["decision"] is None


def test_a_file_keeps_the_threshold(decided, tmp_path):
    again = load(save(decided, tmp_path / "model.skops"))
    first, second = (predict(model, TABLE, proba=True).table for model in (decided, again))
    pd.testing.assert_frame_equal(first, second)
    told = decided.summary(tree=False)["decision"]
    said_yes = first["p(yes)"] > told["threshold"]
    assert ((first["prediction"] == "yes") == said_yes).all()
    assert not (said_yes == (first["p(yes)"] > 0.5)).all()
    assert assess(again, TABLE).summary(tree=False)["decision"] == told
    tree = explain(again)
    said = decided.model.predict(decided.X_test)
    assert tree.fidelity == np.mean(tree.predict(decided.X_test) == said) > 0.7


def test_a_decision_for_other_classes_is_refused(decided, tmp_path):
    step = DecidedClassifier(decided.model[-1].estimator, np.eye(3), "f1", "")
    decided.model.steps[-1], kept = ("model", step), decided.model.steps[-1]
    try:
        path = save(decided, tmp_path / "model.skops")
    finally:
        decided.model.steps[-1] = kept
    with pytest.raises(ValueError, match="its decision is not one for its classes"):
        load(path)


@pytest.mark.parametrize("method", ["logistic-regression", "random-forest"])
def test_balanced_error(method):
    plain = fit(TABLE, "ill", method)
    made = fit(TABLE, "ill", method, metric="balanced-error")
    told = made.summary(tree=False)
    said = made.model.predict(made.X_test)
    assert told["decision"]["loss"] == pytest.approx(1 - balanced_accuracy_score(made.y_test, said))
    assert told["by_class"]["balanced_error"] == pytest.approx(told["decision"]["loss"])
    before = plain.summary(tree=False)["by_class"]["balanced_error"]
    assert told["decision"]["plain_loss"] == pytest.approx(before)
    assert told["decision"]["loss"] < before


def test_weights_of_classes():
    plain = fit(TABLE, "ill", "logistic-regression")
    for method in ("logistic-regression", "gradient-boosting", "adaboost"):
        made = fit(TABLE, "ill", method, class_weight="balanced")
        recall = {r["label"]: r["recall"] for r in made.summary(tree=False)["by_class"]["rows"]}
        assert recall["yes"] > 0.3
    share = [m.model.predict_proba(plain.X_test)[:, 1].mean() for m in (plain, made)]
    assert share[1] > share[0]
    with pytest.raises(ValueError, match="'neighbours' learns without weights"):
        fit(TABLE, "ill", "neighbours", class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight='heavy': give 'balanced'"):
        fit(TABLE, "ill", "tree", class_weight="heavy")
    both = fit(TABLE, "ill", "adaboost", class_weight="balanced", cost=COST)
    assert both.summary(tree=False)["decision"]["metric"] == "cost"


def test_auto_is_made_for_costs(monkeypatch):
    from sklearn.naive_bayes import GaussianNB

    from counterpoint.auto import Candidate

    monkeypatch.setattr(
        "counterpoint.auto.overproduce.default_pool",
        lambda *sizes: [
            Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
            Candidate(name="line", family="linear", make=lambda s: LogisticRegression()),
        ],
    )
    told = fit(TABLE, "ill", cost=COST).summary(tree=False)["decision"]
    assert told["threshold"] == pytest.approx(1 / 11)
    assert told["gain_plain"] > 0
    made = fit(TABLE, "ill", metric="f1", class_weight="balanced")
    assert made.model[-1].get_params()["class_weight"] == "balanced"


def test_members_of_a_decided_model_are_still_looked_at():
    made = fit(TABLE, "ill", "bagging", cost=COST)
    summary = made.summary(tree=False)
    assert summary["members"]["n_members"] == 50
    assert summary["members"]["growth"] is None
    assert any("A threshold makes the answers" in note for note in summary["notes"])
    assert f"errs {100 * summary['score']['error']:.1f} %" in summary["members"]["verdict"]


# -- costs as they are given -------------------------------------------------------------------


def test_costs_of_two_classes():
    classes, counts = ["no", "yes"], {"no": 90, "yes": 10}
    np.testing.assert_array_equal(read_costs(COST, classes, counts), [[0, 1], [10, 0]])
    turned = read_costs(COST, classes, counts, "no")
    np.testing.assert_array_equal(turned, [[0, 10], [1, 0]])
    whole = read_costs({"fn": 5, "fp": 1, "tp": -2, "tn": 0}, classes, counts)
    np.testing.assert_array_equal(whole, [[0, 1], [5, -2]])


def test_costs_of_a_table(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("truth,b,a,1\na,3,0,1\n1,2,4,0\nb,0,9,8\n")
    costs = read_costs(parse_costs(str(path)), ["1", "a", "b"], {})
    np.testing.assert_array_equal(costs, [[0, 4, 2], [1, 0, 3], [8, 9, 0]])
    frame = pd.DataFrame([[0, 1], [2, 0]], index=["x", "y"], columns=["x", "y"])
    np.testing.assert_array_equal(read_costs(frame, ["x", "y"], {}), [[0, 1], [2, 0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": {"fn": 1}}, "cost= names fn: give fn .* and fp"),
        ({"cost": {"fn": 1, "fp": 1, "xx": 2}}, "cost= names fn, fp, xx"),
        ({"cost": np.eye(3)}, r"cost= has shape \(3, 3\): 2 classes"),
        ({"cost": COST, "positive": "maybe"}, "positive='maybe' is none of the classes"),
        ({"cost": np.eye(2), "positive": "yes"}, "a table names its classes itself"),
        ({"positive": "yes"}, "positive= says what cost= is about"),
        ({"cost": COST, "metric": "f1"}, "metric= and cost= say two things"),
        ({"metric": "f2"}, "metric='f2': give one of"),
        ({"metric": "auc"}, "can be given a threshold for 'balanced-error', 'g-mean', 'f1'"),
        ({"cost": pd.DataFrame({"no": [0, 1], "maybe": [1, 0]})}, "it needs a row"),
    ],
)
def test_wrong_aims(options, message):
    with pytest.raises(ValueError, match=message):
        fit(TABLE, "ill", "logistic-regression", **options)


def test_numbers_have_no_costs():
    table = number_table()
    with pytest.raises(ValueError, match="are for classes, and this target is numbers"):
        fit(table, "price", "linear", cost=COST)
    with pytest.raises(ValueError, match="'linear' is made for squared error"):
        fit(table, "price", "linear", metric="mae")
    with pytest.raises(ValueError, match="is no cost; write fn=10,fp=1"):
        parse_costs("fn=ten,fp=1")


def test_auto_is_made_for_another_error_of_numbers(monkeypatch):
    from sklearn.linear_model import Ridge

    from counterpoint.auto import Candidate

    monkeypatch.setattr(
        "counterpoint.auto.regressor.default_number_pool",
        lambda *sizes: [Candidate(name="line", family="linear", make=lambda s: Ridge())],
    )
    made = fit(number_table().assign(price=lambda t: np.exp(t["price"] / 20)), "price",
               metric="mae")  # fmt: skip
    assert made.model[-1].metric == "mae"
    assert made.model[-1].shift_ < 0  # the median of what is left lies below its mean


def test_a_usual_model_has_no_decision():
    assert find_decision(fit(mixed_table(), "class", "bagging").model) is None
