"""Fitting a table: honest numbers, clear refusals."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from tables import mixed_table

from counterpoint.auto import Candidate
from counterpoint.tabular import assess, fit

TABLE = mixed_table()


def test_fit_table():
    fitted = fit(TABLE, "class", "bagging", random_state=1, progress=False)
    assert [(column.name, column.kind) for column in fitted.columns] == [
        ("size", "number"), ("colour", "category"), ("code", "number"),
    ]  # fmt: skip
    assert list(fitted.left_out) == ["id"]
    assert "column 'id' left out" in fitted.notes[0]
    assert fitted.classes == ["no", "yes"]
    assert (len(fitted.y_train), len(fitted.y_test)) == (67, 23)
    wrong = int((fitted.model.predict(fitted.X_test) != fitted.y_test).sum())
    limits = binomtest(wrong, 23).proportion_ci(method="wilson")
    assert fitted.score.error == wrong / 23
    assert (fitted.score.low, fitted.score.high) == pytest.approx((limits.low, limits.high))
    assert list(fitted.baselines) == ["majority class", "single tree", "logistic regression"]
    assert fitted.baselines["majority class"].error > fitted.score.error
    assert fitted.leaderboard is None
    members = fitted.summary(tree=False)["members"]
    assert fitted.assessment.outputs.n_members == len(members["table"]) == 50
    errors = [row["error"] for row in members["table"]]
    assert members["measures"]["member_error"]["value"] == pytest.approx(np.mean(errors))


def test_the_same_seed_gives_the_same_fit():
    first, second = (fit(TABLE, "class", "random-forest", random_state=4) for _ in range(2))
    pd.testing.assert_frame_equal(first.X_test, second.X_test)
    assert first.score == second.score
    other = fit(TABLE, "class", "random-forest", random_state=5)
    assert not first.X_test.equals(other.X_test)


def test_a_single_model_has_no_members():
    fitted = fit(TABLE, "class", "pruned-tree")
    assert fitted.assessment.outputs is None
    assert fitted.summary(tree=False)["members"] is None


def test_rows_without_a_label_are_left_out():
    frame = TABLE.copy()
    frame.loc[:4, "class"] = None
    fitted = fit(frame, "class", "naive-bayes")
    assert len(fitted.y_train) + len(fitted.y_test) == 85
    assert "5 rows without 'class' left out." in fitted.notes


def test_auto_has_a_leaderboard(monkeypatch):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    def few(*sizes):
        return [
            Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
            Candidate(
                name="tree", family="trees", make=lambda s: DecisionTreeClassifier(max_depth=3)
            ),
        ]

    monkeypatch.setattr("counterpoint.auto.overproduce.default_pool", few)
    fitted = fit(TABLE, "class", time_limit=30)
    assert set(fitted.leaderboard["member"]) == {"bayes", "tree"}
    why = fitted.left_out["id"]
    assert fitted.notes[0] == f"column 'id' left out: {why}; keep='id' to use it."
    assert not any(" tried" in note for note in fitted.notes)


def test_a_time_limit_for_others_is_noted():
    fitted = fit(TABLE, "class", "naive-bayes", time_limit=3)
    assert "the time limit bounds 'auto' only; 'naive-bayes' takes the time it takes." in (
        fitted.notes
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "klass"}, "no target column 'klass'. .* Did you mean 'class'"),
        ({"target": "id"}, "looks like an id"),
        ({"method": "no"}, "method='no': choose 'auto'"),
        ({"test_size": 1.0}, "test_size=1.0: give a number above 0 and below 1"),
        ({"test_size": 0.001}, "90 rows are too few to hold out test_size=0.001"),
        ({"time_limit": 0}, "time_limit=0: give a number above 0"),
        ({"table": TABLE[:0]}, "The table has no rows"),
        ({"table": TABLE[["class"]]}, "no column to learn 'class' from"),
        ({"table": pd.concat([TABLE, TABLE], axis=1)}, "two columns called 'size'"),
    ],
)
def test_bad_input(change, message):
    options = {"table": TABLE, "target": "class", "method": "naive-bayes", **change}
    with pytest.raises(ValueError, match=message):
        fit(**options)


def test_a_frame_is_asked_for():
    with pytest.raises(TypeError, match="A list was given, expected a pandas DataFrame"):
        fit([[1, 2]], "class")


def test_a_model_no_better_than_a_simple_one_says_so_loudly():
    rng = np.random.RandomState(0)
    noise = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    noise["class"] = np.where(rng.rand(200) < 0.8, "often", "seldom")
    for method in ("tree", "logistic-regression"):  # simple models themselves, beside the others
        loud = [note for note in fit(noise, "class", method).notes if "NOT" in note]
        assert len(loud) == 1
        assert loud[0].startswith("NOT BETTER THAN MAJORITY CLASS")
        assert "every class" not in loud[0]
    fitted = fit(noise, "class", "bagging")
    assert any(note.startswith("NOT BETTER THAN MAJORITY CLASS") for note in fitted.notes)
    clear = noise.assign(**{"class": np.where(noise["a"] * noise["b"] > 0, "one", "other")})
    assert not any("NOT BETTER" in note for note in fit(clear, "class", "random-forest").notes)


def test_a_model_made_for_a_rare_class_is_not_only_blamed():
    rng = np.random.RandomState(0)
    rare = pd.DataFrame(rng.normal(size=(900, 3)), columns=list("abc"))
    chance = 1 / (1 + np.exp(-(1.5 * rare["a"] - 4)))
    rare["class"] = np.where(rng.rand(900) < chance, "seldom", "often")
    loud = fit(rare, "class", "logistic-regression", class_weight="balanced").summary(tree=False)
    line = loud["warnings"][0]
    assert line.startswith("NOT BETTER THAN MAJORITY CLASS")
    told = f"{100 * loud['by_class']['balanced_error']:.1f} % wrong, not 50.0 %."
    assert line.endswith(f"better than always saying one class: {told}")


def test_the_tree_of_a_fit_speaks_in_units_of_the_table(tmp_path):
    rng = np.random.RandomState(0)
    off, spent = rng.randint(0, 40, 200), rng.randint(100, 900, 200)
    rows = "".join(
        f"{a} %,{b} EUR,{'yes' if a > 20 else 'no'}\n" for a, b in zip(off, spent, strict=True)
    )
    (tmp_path / "t.csv").write_text(f"discount,spent,left\n{rows}")
    fitted = fit(tmp_path / "t.csv", "left", "bagging")
    for summary in (fitted.summary(), assess(fitted, tmp_path / "t.csv").summary()):
        shown = summary["tree"]["shown"]
        assert shown["nodes"][0]["question"].endswith(" %")
        assert " %" in shown["rules"][0]
