"""The summary of a model holds the numbers that the functions below give."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs, diversity
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.combiners import combiner_of, member_contributions
from counterpoint.plots import DiversityMatrixDisplay, KappaErrorDisplay, MarginDisplay
from counterpoint.selection import EnsembleSelectionClassifier
from counterpoint.tabular import assess, explain
from counterpoint.tabular.members import brier_parts
from counterpoint.tabular.plain import to_json


def summarise(*args, **options):
    return assess(*args, **options).summary()


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X + np.random.default_rng(0).normal(0, 0.6, X.shape)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def forest(data):
    return RandomForestClassifier(7, max_depth=3, random_state=0).fit(data[0], data[1])


@pytest.fixture(scope="module")
def summary(forest, data):
    X, y, X_test, y_test = data
    return summarise(forest, X_test, y_test, X_train=X, y_train=y, facts={"Data": "iris"})


@pytest.fixture(scope="module")
def outputs(forest, data):
    return MemberOutputs.from_estimator(forest, data[2], data[3])


def test_it_is_json(summary):
    assert json.loads(to_json(summary)) == summary


def test_model_and_data(summary):
    assert summary["title"] == "RandomForestClassifier with 7 members"
    model = summary["model"]
    assert (model["name"], model["n_members"], model["n_train"]) == (
        "RandomForestClassifier",
        7,
        75,
    )
    assert model["kinds"] == [{"name": "DecisionTreeClassifier", "count": 7}]
    assert model["combined_by"] == "the mean of the members' probabilities"
    assert "max_depth=3" in model["written"]
    assert summary["facts"] == [{"name": "Data", "value": "iris"}]
    assert (summary["data"]["n_rows"], summary["data"]["n_features"]) == (75, 4)
    assert [c["rows"] for c in summary["data"]["classes"]] == [25, 25, 25]


def test_errors(summary, forest, data):
    _, _, X_test, y_test = data
    said = forest.predict(X_test)
    assert summary["score"]["error"] == pytest.approx(np.mean(said != y_test))
    table = np.array(summary["confusion"]["table"])
    assert table.sum() == 75
    assert table.trace() == (said == y_test).sum()
    at = summary["confusion"]["labels"].index("virginica")
    assert table[at].sum() == 25
    assert summary["baselines"]["rows"][0]["name"] == "majority class"
    assert f"{100 * np.mean(said != y_test):.1f} %" in summary["headline"]


def test_measures_and_worth_are_of_the_forest_itself(summary, outputs, forest, data):
    members, own = summary["members"], forest.predict(data[2])
    assert members["worth"]["vote_error"] == pytest.approx(summary["score"]["error"])
    assert diversity.vote_error(outputs) != pytest.approx(summary["score"]["error"])
    assert members["verdict"] == diversity.worth(outputs, own).verdict
    assert members["verdict"].startswith("The ensemble errs")
    frame = diversity.profile(outputs, own)
    assert {k: v["value"] for k, v in members["measures"].items()} == pytest.approx(
        frame["value"].to_dict()
    )


def test_cloud_and_matrix(summary, outputs):
    cloud, matrix = summary["members"]["cloud"], summary["members"]["matrix"]
    table = KappaErrorDisplay.from_outputs(outputs).table()
    assert cloud["n_pairs"] == len(table) == 21
    assert cloud["kappas"] == pytest.approx(table["kappa"].tolist())
    assert cloud["errors"] == pytest.approx(table["error"].tolist())
    assert cloud["kappa"] == pytest.approx(diversity.label_kappa(outputs))
    names = summary["members"]["names"]
    pairs = zip(cloud["first"], cloud["second"], strict=True)
    assert [(names[i], names[j]) for i, j in pairs] == list(
        zip(table["first"], table["second"], strict=True)
    )
    drawn = DiversityMatrixDisplay.from_outputs(outputs, measure="label_kappa", order="cluster")
    assert [names[k] for k in matrix["order"]] == drawn.names
    np.testing.assert_allclose(matrix["values"], drawn.matrix)


def test_table_of_members(summary, outputs, forest, data):
    shown = summary["members"]["table"]
    assert [row["change"] for row in shown] == sorted((r["change"] for r in shown), reverse=True)
    table = sorted(shown, key=lambda row: row["position"])
    assert [row["error"] for row in table] == pytest.approx(outputs.errors.tolist())
    against = [np.mean(forest.classes_[v] != forest.predict(data[2])) for v in outputs.votes]
    assert [row["disagrees"] for row in table] == pytest.approx(against)
    adds = member_contributions(outputs, combiner_of(forest))["adds"]
    whole = summary["score"]["error"]
    assert [row["without"] for row in table] == pytest.approx((whole + adds).tolist())
    assert [row["change"] for row in table] == pytest.approx(adds.tolist())
    assert all(row["weight"] is None for row in table)
    kappa = diversity.matrix(outputs, "label_kappa")
    assert table[2]["kappa"] == pytest.approx(np.delete(kappa[2], 2).mean())


def test_growth(summary, outputs):
    growth = summary["members"]["growth"]
    assert growth["error"][-1] == pytest.approx(summary["score"]["error"])  # as the model itself
    assert growth["low"][-1] == pytest.approx(summary["score"]["low"])
    followed = diversity.trajectory(outputs, ["member_error", "q"])
    assert growth["member_error"] == pytest.approx(followed["member_error"].tolist())
    assert growth["q"][0] is None
    assert growth["q"][1:] == pytest.approx(followed["q"].tolist()[1:], nan_ok=True)
    assert growth["error"][growth["best_at"] - 1] == growth["best"] == min(growth["error"])
    assert growth["error"][growth["enough"] - 1] <= growth["best"] + 0.005


def test_decompositions_add_up(summary, outputs):
    vote, brier = summary["members"]["decompositions"]
    for terms in (vote["terms"], brier["terms"]):
        values = [term["value"] for term in terms]
        assert sum(values[:-1]) == pytest.approx(values[-1])
    assert vote["terms"][-1]["value"] == pytest.approx(summary["score"]["error"])
    truth = np.eye(3)[outputs.y]
    squared = ((outputs.proba.mean(axis=0) - truth) ** 2).sum(axis=1).mean()
    assert brier["terms"][-1]["value"] == pytest.approx(squared)


def test_the_mean_takes_no_less_off_the_added_error_than_is_told():
    """By simulation: the labels' own noise counts as error of all, which makes it less."""
    rng = np.random.default_rng(0)
    n_members, n, correlation, size, chance = 5, 20_000, 0.3, 0.05, 0.75
    own, shared = rng.normal(size=(n_members, n)), rng.normal(size=n)
    errors = size * (np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared)
    first = np.clip(chance + errors, 0, 1)
    y = (rng.uniform(size=n) > chance).astype(int)
    outputs = MemberOutputs(proba=np.stack([first, 1 - first], axis=2), y=y, classes=[0, 1])
    told = brier_parts(outputs, np.full(n_members, 1 / n_members))["added_off"]
    member, whole = (
        diversity.added_error(1, 1, size**2, n_members=k, correlation=correlation if k > 1 else 0)
        for k in (1, n_members)
    )
    noise = chance * (1 - chance)
    assert told == pytest.approx((member - whole) / (member + noise), rel=0.03)
    assert told < (member - whole) / member


def test_margins(summary, outputs):
    margins = summary["members"]["margins"]
    drawn = MarginDisplay.from_outputs(outputs).summary.iloc[0]
    assert margins["below_zero"] == pytest.approx(drawn["below_zero"])
    assert margins["at_zero"] == pytest.approx(drawn["at_zero"])
    assert margins["mean"] == pytest.approx(diversity.margin_mean(outputs))
    assert sum(margins["counts"]) == 75


def test_disputed_rows(summary, outputs, data):
    _, _, X_test, y_test = data
    disputed = summary["members"]["disputed"]
    dispute = 1 - (outputs.tally**2).sum(axis=1)
    first = disputed["rows"][0]
    assert first["dispute"] == pytest.approx(dispute.max())
    at = X_test.index.get_loc(int(first["row"]))
    assert dispute[at] == pytest.approx(dispute.max())
    assert first["truth"] == y_test[at]
    assert [v["number"] for v in first["values"]] == pytest.approx(X_test.iloc[at].tolist())
    assert disputed["columns"] == list(X_test.columns)
    assert sum(part["share"] for part in first["split"]) == pytest.approx(1)
    disputes = [row["dispute"] for row in disputed["rows"]]
    assert disputes == sorted(disputes, reverse=True)
    assert min(disputes) > 0
    assert disputed["n_disputed"] == (dispute > 1e-9).sum()


def test_tree(summary, forest, data):
    X, y, X_test, y_test = data
    tree = summary["tree"]
    assert tree["method"] == "merged"
    assert tree["from_training_rows"]
    one = explain(forest, X, y, X_test=X_test, y_test=y_test)
    assert (tree["n_leaves"], tree["fidelity"]) == (one.n_leaves, one.fidelity)
    shown = tree["shown"]
    assert sum(node["yes"] is None for node in shown["nodes"]) == shown["n_leaves"]
    assert len(shown["rules"]) == shown["n_leaves"]
    assert len(tree["rules"]) == tree["n_leaves"]


def test_without_training_rows_all_comes_from_the_rows_given(forest, data):
    summary = summarise(forest, data[2], data[3])
    assert "cross-validated" in summary["baselines"]["how"]
    assert not summary["tree"]["from_training_rows"]
    assert summary["tree"]["n_fit"] + summary["tree"]["n_test"] == 75


def test_the_same_seed_gives_the_same_summary(forest, data):
    first, second = (summarise(forest, *data[2:], random_state=4) for _ in range(2))
    assert first == second


def test_many_rows_are_drawn_from_and_many_members_shown_in_part(forest, data):
    summary = summarise(forest, *data[2:], max_rows=40, max_members=3)
    assert (summary["data"]["n_rows"], summary["data"]["n_given"]) == (40, 75)
    assert "Of the 75 rows given, 40 drawn at random" in summary["notes"][0]
    members = summary["members"]
    assert (members["n_members"], members["shown"]) == (7, [0, 3, 6])
    assert len(members["matrix"]["values"]) == len(members["names"]) == len(members["errors"]) == 3
    assert len(members["table"]) == 7
    assert len(members["growth"]["error"]) == 7


def test_rows_are_fewer_where_members_are_many(forest, data, monkeypatch):
    monkeypatch.setattr("counterpoint.tabular.inputs._MOST_ANSWERS", 1)
    X, y = (np.concatenate([part] * 3) for part in data[2:])
    summary = summarise(forest, pd.DataFrame(X, columns=data[2].columns), y)
    assert summary["data"]["n_rows"] == 200


def test_a_note_if_there_is_not_one_error(data):
    X, y, _, _ = data
    model = BaggingClassifier(DecisionTreeClassifier(), 3, bootstrap=False).fit(X, y)
    assert "Not one error" in summarise(model, X, y)["notes"][0]


def test_one_model_has_no_members(data):
    X, y, X_test, y_test = data
    summary = summarise(GaussianNB().fit(X, y), X_test, y_test)
    assert summary["members"] is None
    assert "GaussianNB is one model" in summary["no_members"]
    assert summary["title"] == "GaussianNB"
    assert summary["tree"]["method"] == "distilled"


def test_members_with_tasks_of_their_own(data):
    X, y, X_test, y_test = data
    model = OneVsRestClassifier(GaussianNB()).fit(X, y)
    members = summarise(model, X_test, y_test)["members"]
    assert not members["votes_known"]
    assert members["growth"] is members["margins"] is members["disputed"] is None
    assert members["decompositions"] == []
    assert members["cloud"]["measure"] == "kappa"
    outputs = MemberOutputs.from_estimator(model, X_test, y_test)
    assert [r["error"] for r in members["table"]] == pytest.approx(outputs.errors.tolist())


def test_weights_and_names_of_members(data):
    X, y, X_test, y_test = data
    pool = [("bayes", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1))]
    model = VotingClassifier(pool, weights=[2, 1]).fit(X, y)
    table = summarise(model, X_test, y_test)["members"]["table"]
    assert {row["name"]: row["weight"] for row in table} == pytest.approx(
        {"bayes": 2 / 3, "stump": 1 / 3}
    )
    named = summarise(model, X_test, y_test, names=["one", "two"])["members"]
    assert named["names"] == ["one", "two"]


def test_members_of_overproduce_and_select(data):
    X, y, X_test, y_test = data
    pool = [("bayes", GaussianNB()), ("forest", RandomForestClassifier(5))]
    model = OverproduceSelectClassifier(pool, cv=3, random_state=0).fit(X, y)
    summary = summarise(model, X_test, y_test)
    assert summary["members"]["names"] == [name for name, _ in model.pool_]
    assert sum(kind["count"] for kind in summary["model"]["kinds"]) == len(model.pool_)


def test_members_that_were_selected(data):
    X, y, X_test, y_test = data
    pool = [
        (f"tree {k}", DecisionTreeClassifier(max_depth=k, random_state=0)) for k in (1, 2, 3, 4)
    ]
    model = EnsembleSelectionClassifier(pool, random_state=0).fit(X, y)
    summary = summarise(model, X_test, y_test)
    assert summary["members"]["names"] == [f"tree {k + 1}" for k in model.selected_]
    assert summary["model"]["combination"] != "unknown"


def test_texts():
    X = ["good day", "bad day", "good night", "bad night"] * 10
    y = ["yes", "no"] * 20
    model = make_pipeline(CountVectorizer(), RandomForestClassifier(5, random_state=0)).fit(X, y)
    summary = summarise(model, X, y, X_train=X, y_train=y)
    assert summary["model"]["steps"] == ["CountVectorizer"]
    assert [row["name"] for row in summary["baselines"]["rows"]] == ["majority class"]
    assert summary["tree"]["fidelity"] == 1.0


def test_wrong_input(forest, data):
    X, _, X_test, y_test = data
    with pytest.raises(TypeError, match="A list was given, expected a fitted classifier"):
        summarise([forest], X_test, y_test)
    with pytest.raises(TypeError, match="LinearRegression is a regressor, but y holds words"):
        summarise(LinearRegression().fit(X, np.arange(75)), X_test, y_test)
    with pytest.raises(NotFittedError):
        summarise(RandomForestClassifier(), X_test, y_test)
    with pytest.raises(ValueError, match=r"X has 75 rows and y has shape \(74,\)"):
        summarise(forest, X_test, y_test[1:])
    with pytest.raises(ValueError, match="X has no rows"):
        summarise(forest, X_test[:0], y_test[:0])
    with pytest.raises(ValueError, match="X_train and y_train go together"):
        summarise(forest, X_test, y_test, X_train=X)
    with pytest.raises(ValueError, match="'daisy', which the model never saw: it knows"):
        summarise(forest, X_test, np.array(["daisy"] * 75))
    with pytest.raises(ValueError, match="2 names for 7 members"):
        summarise(forest, X_test, y_test, names=["a", "b"])
    with pytest.raises(ValueError, match="1 feature_names for 4 columns"):
        summarise(forest, X_test, y_test, feature_names=["a"])
    with pytest.raises(ValueError, match="max_members=1: give a whole number from 2"):
        summarise(forest, X_test, y_test, max_members=1)
    with pytest.raises(ValueError, match="max_rows=0"):
        summarise(forest, X_test, y_test, max_rows=0)
