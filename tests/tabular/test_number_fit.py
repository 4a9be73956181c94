"""A target of numbers: fitting, judging, keeping, asking."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from tables import mixed_table, number_table

from counterpoint import MemberPredictions
from counterpoint.auto import Candidate
from counterpoint.cli.options import NUMBER_METHOD_NAMES
from counterpoint.tabular import NUMBER_METHODS, assess, compare, explain, fit, load, predict, save
from counterpoint.tabular.intervals import describe_intervals, interval_of, too_narrow
from counterpoint.tabular.methods import make_method
from counterpoint.tabular.number_members import describe_number_members, error_correlations
from counterpoint.tabular.number_methods import NUMBERS_COMPARED
from counterpoint.tabular.number_scores import compare_rmse, draw_counts, score_numbers

TABLE = number_table()
SLOW = {"auto", "selection"}


@pytest.fixture(scope="module")
def forest():
    return fit(TABLE, "price", "random-forest", random_state=1)


def test_the_command_knows_the_same_methods():
    assert list(NUMBER_METHOD_NAMES) == list(NUMBER_METHODS)
    assert set(NUMBERS_COMPARED) <= set(NUMBER_METHODS)


@pytest.mark.parametrize("name", [name for name in NUMBER_METHODS if name not in SLOW])
def test_every_method_learns_a_mixed_frame(name):
    X, y = TABLE[["size", "colour", "age"]], TABLE["price"].to_numpy()
    model = make_method(name, random_state=0, task="regression").fit(X, y)
    error = root_mean_squared_error(y, model.predict(X))
    assert error < (0.7 if name not in ("mean", "median") else 1.05) * y.std()


def test_methods_of_the_other_kind_are_refused():
    with pytest.raises(ValueError, match="method=adaboost is for classes, and this target is nu"):
        fit(TABLE, "price", "adaboost")
    with pytest.raises(ValueError, match="method=linear is for numbers, and this target is clas"):
        fit(mixed_table(), "class", "linear")


def test_scores_are_those_of_scikit_learn(forest):
    said, truth = forest.model.predict(forest.X_test), forest.y_test
    score = forest.score
    assert score.rmse == pytest.approx(root_mean_squared_error(truth, said))
    assert score.mae == pytest.approx(mean_absolute_error(truth, said))
    assert score.r2 == pytest.approx(r2_score(truth, said))
    assert score.low < score.rmse < score.high
    assert score.mae_low < score.mae < score.mae_high
    assert score.r2_low < score.r2 < score.r2_high
    assert (len(forest.y_train), score.n) == (120, 40)
    assert forest.classes == []
    assert forest.task == "regression"


def test_limits_are_percentiles_of_drawn_rows():
    rng = np.random.RandomState(3)
    y, said = rng.normal(size=30), rng.normal(size=30)
    counts = draw_counts(30)
    drawn = [np.repeat(np.arange(30), row.astype(int)) for row in counts]
    expected = np.quantile([root_mean_squared_error(y[d], said[d]) for d in drawn], [0.025, 0.975])
    score = score_numbers(said, y, counts)
    np.testing.assert_allclose([score.low, score.high], expected)
    expected = np.quantile([r2_score(y[d], said[d]) for d in drawn], [0.025, 0.975])
    np.testing.assert_allclose([score.r2_low, score.r2_high], expected)
    above, low, high = compare_rmse(said, np.zeros(30), y, counts)
    assert above == pytest.approx(np.sqrt(np.mean(y**2)) - score.rmse)
    assert low < above < high


def test_limits_do_not_depend_on_the_order_of_rows(forest):
    turned = assess(forest.model, forest.X_test[::-1], forest.y_test[::-1])
    straight = assess(forest.model, forest.X_test, forest.y_test)
    assert turned.score.low == pytest.approx(straight.score.low)
    assert turned.score.r2_high == pytest.approx(straight.score.r2_high)


def test_simple_models_are_what_they_say(forest):
    means = forest.baselines["mean"]
    gap = forest.y_test - forest.y_train.mean()
    assert means.rmse == pytest.approx(np.sqrt(np.mean(gap**2)))
    medians = forest.baselines["median"]
    assert medians.mae == pytest.approx(np.abs(forest.y_test - np.median(forest.y_train)).mean())
    assert list(forest.baselines) == ["mean", "median", "single tree", "linear model"]
    rows = forest.summary(tree=False)["baselines"]["rows"]
    for row in rows:
        assert row["above"] == pytest.approx(row["rmse"] - forest.score.rmse)
        assert row["above_low"] <= row["above"] <= row["above_high"]


def test_a_model_no_better_than_the_mean_says_so_loudly():
    rng = np.random.RandomState(0)
    noise = pd.DataFrame(rng.normal(size=(200, 4)), columns=list("abcd"))
    summary = fit(noise, "d", "neighbours").summary(tree=False)
    assert summary["warnings"][0].startswith("NOT BETTER THAN ")
    assert summary["warnings"][0] not in summary["notes"]
    [line] = fit(noise, "d", "linear").summary(tree=False)["warnings"]  # held against the others
    assert line.startswith("NOT BETTER THAN MEAN ")
    large = number_table(600)
    assert fit(large, "price", "hist-boosting").summary(tree=False)["warnings"] == []


# -- members -----------------------------------------------------------------------------------


def test_members_of_a_forest(forest):
    members = forest.summary(tree=False)["members"]
    each = np.array([t.predict(forest.model[0].transform(forest.X_test))
                     for t in forest.model[-1].estimators_])  # fmt: skip
    alone = np.sqrt(((each - forest.y_test) ** 2).mean(axis=1))
    assert members["mean_rmse"] == pytest.approx(alone.mean())
    row = next(row for row in members["table"] if row["position"] == 7)
    assert row["rmse"] == pytest.approx(alone[7])
    rest = np.delete(each, 7, axis=0).mean(axis=0)
    assert row["without"] == pytest.approx(root_mean_squared_error(forest.y_test, rest))
    assert row["disagrees"] == pytest.approx(root_mean_squared_error(each.mean(axis=0), each[7]))
    terms = {t["name"]: t["value"] for t in members["decompositions"][0]["terms"]}
    assert terms["mean member error"] + terms["ambiguity"] == pytest.approx(
        terms["error of the members' mean"]
    )
    assert terms["error of the members' mean"] == pytest.approx(forest.score.rmse**2)
    assert terms["ambiguity"] == pytest.approx(-each.var(axis=0).mean())
    assert members["growth"]["rmse"][-1] == pytest.approx(forest.score.rmse)
    assert members["growth"]["rmse"][0] == pytest.approx(alone[0])
    spread = each.std(axis=0)
    assert members["disputed"]["rows"][0]["spread"] == pytest.approx(spread.max())
    expected = spearmanr(spread, np.abs(each.mean(axis=0) - forest.y_test)).statistic
    assert members["disputed"]["correlation"] == pytest.approx(expected)


def test_correlations_of_errors():
    rng = np.random.RandomState(0)
    outputs = MemberPredictions(rng.normal(size=(4, 30)), rng.normal(size=30))
    expected = np.corrcoef(outputs.values - outputs.y)
    np.testing.assert_allclose(error_correlations(outputs), expected)
    shown = describe_number_members(
        outputs, None, np.zeros((30, 1)), outputs.values.mean(axis=0), feature_names=["a"],
        first_columns=[], max_members=100,
    )  # fmt: skip
    order = shown["matrix"]["order"]
    np.testing.assert_allclose(shown["matrix"]["values"], expected[np.ix_(order, order)])
    assert shown["decompositions"] == []
    assert shown["growth"] is None


def test_members_that_correct_each_other_are_not_taken_apart():
    summary = fit(TABLE, "price", "l2-boosting").summary(tree=False)
    assert summary["members"] is None
    assert "each correct the sum of those before" in summary["no_members"]


def test_a_gate_is_no_mean():
    summary = fit(TABLE, "price", "experts").summary(tree=False)
    assert summary["model"]["combination"] == "unknown"
    assert summary["members"]["growth"] is None
    assert any("not known from outside" in note for note in summary["notes"])


# -- intervals ---------------------------------------------------------------------------------


def test_intervals_hold_what_they_promise():
    table = number_table(1200, seed=4)
    fitted = fit(table, "price", "linear", test_size=0.5)
    low, high = interval_of(fitted.model, fitted.X_test, fitted.residuals, 0.8)
    inside = (low <= fitted.y_test) & (fitted.y_test <= high)
    assert 0.74 < inside.mean() < 0.86
    told = describe_intervals((low, high), fitted.y_test, 0.8)
    assert told["held"] == inside.mean()
    assert told["below"] + told["above"] == (~inside).sum()
    half = np.quantile(fitted.residuals, 0.8, method="inverted_cdf")
    assert told["width"] == pytest.approx(2 * half, rel=0.02)


def test_too_few_rows_give_intervals_without_end():
    low, high = interval_of(_Constant(), np.zeros((3, 1)), np.array([1.0, 2.0]), 0.9)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()
    assert describe_intervals((low, high), np.zeros(3))["width"] is None


class _Constant:
    def predict(self, X):
        return np.zeros(len(X))


# -- files and questions -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["random-forest", "hist-boosting", "linear", "neighbours"])
def test_a_model_file_says_the_same(method, tmp_path):
    fitted = fit(TABLE, "price", method)
    again = load(save(fitted, tmp_path / "model.skops"))
    assert again.task == "regression"
    assert again.score == fitted.score
    assert again.baselines == fitted.baselines
    for table in (predict(model, TABLE, coverage=0.8).table for model in (fitted, again)):
        assert (table["low"] < table["prediction"]).all()
    pd.testing.assert_frame_equal(
        predict(fitted, TABLE, coverage=0.8).table, predict(again, TABLE, coverage=0.8).table
    )
    judged = predict(again, TABLE)
    assert (judged.n_judged, judged.error) == (40, pytest.approx(fitted.score.rmse))
    told = assess(again, TABLE)
    assert told.score.rmse == pytest.approx(fitted.score.rmse)
    assert told.summary(tree=False)["intervals"] == fitted.summary(tree=False)["intervals"]


@pytest.mark.parametrize(
    ("written", "unit"), [("{} €", "EUR"), ("{}", ""), ("{} kg", "kg"), ("$ {}", "USD")]
)
def test_a_target_is_read_as_it_was_when_the_model_was_fitted(tmp_path, written, unit):
    price = [f"{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in TABLE["price"] * 100]
    table = TABLE.assign(price=[written.format(text) for text in price])
    table.to_csv(tmp_path / "all.csv", sep=";", decimal=",", index=False)
    table.head(8).to_csv(tmp_path / "few.csv", sep=";", decimal=",", index=False)
    fitted = fit(str(tmp_path / "all.csv"), "price", "linear")
    assert fitted.target_unit == unit == fitted.summary()["fit"]["target_unit"]
    again = load(save(fitted, tmp_path / "model.skops"))
    assert again.known == fitted.known
    # Few labels that differ could be classes; the model knows that they are not.
    told = predict(again, str(tmp_path / "few.csv"))
    new = ~np.isin(np.arange(8), fitted.X_train.index)
    off = told.table["prediction"].to_numpy() - np.round(100 * TABLE["price"].to_numpy()[:8], 2)
    assert 0 < new.sum() == told.n_judged < 8
    np.testing.assert_allclose(told.error, np.sqrt(np.mean(off[new] ** 2)), rtol=1e-6)
    if unit:
        other = table.head(8).assign(price=[f"{text} £" for text in price[:8]])
        other.to_csv(tmp_path / "pounds.csv", sep=";", decimal=",", index=False)
        with pytest.raises(ValueError, match=f"the model estimates numbers in {unit}"):
            predict(again, str(tmp_path / "pounds.csv"))


def test_auto_for_numbers(monkeypatch, tmp_path):
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer
    from sklearn.svm import SVR
    from sklearn.tree import DecisionTreeRegressor

    def few(*sizes):
        return [
            Candidate(name="line", family="linear", make=lambda s: Ridge()),
            Candidate(name="tree", family="tree", make=lambda s: DecisionTreeRegressor()),
            Candidate(
                name="curve", family="curve",
                make=lambda s: make_pipeline(SplineTransformer(4), Ridge()),
            ),
            Candidate(name="svm", family="svm", make=lambda s: SVR(C=100.0)),
        ]  # fmt: skip

    monkeypatch.setattr("counterpoint.auto.regressor.default_number_pool", few)
    fitted = fit(TABLE, "price")
    assert set(fitted.leaderboard["member"]) == {"line", "tree", "curve", "svm"}
    assert fitted.residuals is None
    summary = fitted.summary()
    assert summary["intervals"]["widest"] > summary["intervals"]["narrowest"]
    assert summary["members"]["names"] == [name for name, _ in fitted.model[-1].pool_]
    again = load(save(fitted, tmp_path / "model.skops"))
    pd.testing.assert_frame_equal(
        predict(fitted, TABLE, coverage=0.9).table, predict(again, TABLE, coverage=0.9).table
    )


def test_wrong_questions(forest):
    with pytest.raises(ValueError, match="estimates numbers: ask for an interval"):
        predict(forest, TABLE, proba=True)
    with pytest.raises(ValueError, match="coverage=2: give a number above 0 and below 1"):
        predict(forest, TABLE, coverage=2)
    wrong = TABLE.assign(price="dear")
    with pytest.raises(ValueError, match="'dear' in data row 1, but the model estimates numbers"):
        predict(forest, wrong)


def test_tampered_residuals_are_refused(forest, tmp_path):
    from dataclasses import replace

    broken = replace(forest, residuals=np.array([2.0, 1.0]))
    path = save(broken, tmp_path / "model.skops")
    with pytest.raises(ValueError, match="its residuals are no distances"):
        load(path)


# -- one tree, methods side by side ------------------------------------------------------------


def test_one_tree_speaks_for_the_model(forest):
    tree = explain(forest)
    said, told = tree.predict(forest.X_test), forest.model.predict(forest.X_test)
    assert tree.fidelity == pytest.approx(r2_score(told, said))
    assert tree.error == pytest.approx(root_mean_squared_error(forest.y_test, said))
    assert tree.model_error == pytest.approx(forest.score.rmse)
    shown = forest.summary()["tree"]
    assert shown["model_error"] == pytest.approx(forest.score.rmse)
    assert explain(forest, max_leaves=4).n_leaves == 4


def test_any_regressor_can_be_looked_at():
    X, y = TABLE[["age"]].to_numpy(float), TABLE["price"].to_numpy()
    model = RandomForestRegressor(8, random_state=0).fit(X[:100], y[:100])
    summary = assess(model, X[100:], y[100:]).summary()
    assert summary["title"] == "RandomForestRegressor with 8 members"
    assert summary["intervals"] is None
    assert "cross-validated in 5 parts" in summary["baselines"]["how"]
    with pytest.raises(TypeError, match="is a regressor, but y holds words"):
        assess(model, X, TABLE["colour"])


def test_methods_side_by_side():
    result = compare(TABLE, "price", ["mean", "tree", "linear"], n_splits=4)
    table = result.table
    assert result.task == "regression"
    assert result.n_classes == 0
    assert table["rmse"].is_monotonic_increasing
    assert table["method"].iloc[-1] == "mean"
    row = table.set_index("method").loc["mean"]
    assert row["rmse"] == pytest.approx(result.errors["mean"].mean())
    assert row["low"] < row["rmse"] < row["high"]
    assert result.summary()["methods"][0]["r2"] > 0.5
    with pytest.raises(ValueError, match="method=adaboost is for classes"):
        compare(TABLE, "price", ["mean", "adaboost"])


def test_intervals_that_are_too_narrow_are_told_loudly():
    y = np.linspace(-2, 2, 100)
    narrow, wide = (describe_intervals((y * 0 - w, y * 0 + w), y, 0.9) for w in (1.0, 1.9))
    assert too_narrow(narrow) == [
        "INTERVALS ARE TOO NARROW: meant to hold the truth on 90.0 % of rows, they hold it on "
        "50.0 % of the test rows."
    ]
    assert too_narrow(wide) == too_narrow(None) == []
