"""Fitting a table: honest numbers, clear refusals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive.votes import errors_of_vote_without
from scipy.stats import binomtest
from tables import mixed_table

from counterpoint import MemberOutputs
from counterpoint.auto import Candidate
from counterpoint.tabular.training import fit_table, member_worth

TABLE = mixed_table()


def test_fit_table():
    fitted = fit_table(TABLE, "class", "bagging", random_state=1, progress=False)
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
    assert set(fitted.baselines) == {"majority class", "single tree"}
    assert fitted.baselines["majority class"].error > fitted.score.error
    assert fitted.outputs.n_members == len(fitted.members) == 50
    assert fitted.leaderboard is None
    assert fitted.profile.loc["member_error", "value"] == pytest.approx(
        fitted.members["error"].mean()
    )


def test_the_same_seed_gives_the_same_fit():
    first, second = (fit_table(TABLE, "class", "random-forest", random_state=4) for _ in range(2))
    pd.testing.assert_frame_equal(first.X_test, second.X_test)
    assert first.score == second.score
    other = fit_table(TABLE, "class", "random-forest", random_state=5)
    assert not first.X_test.equals(other.X_test)


def test_a_single_model_has_no_members():
    fitted = fit_table(TABLE, "class", "pruned-tree")
    assert fitted.outputs is fitted.profile is fitted.members is fitted.worth is None


def test_rows_without_a_label_are_left_out():
    frame = TABLE.copy()
    frame.loc[:4, "class"] = None
    fitted = fit_table(frame, "class", "naive-bayes")
    assert len(fitted.y_train) + len(fitted.y_test) == 85
    assert "5 rows without a 'class' left out." in fitted.notes


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
    fitted = fit_table(TABLE, "class", time_limit=30)
    assert set(fitted.leaderboard["member"]) == {"bayes", "tree"}
    assert fitted.notes == [f"column 'id' left out: {fitted.left_out['id']}."]


def test_a_time_limit_for_others_is_noted():
    fitted = fit_table(TABLE, "class", "naive-bayes", time_limit=3)
    assert "the time limit bounds 'auto' only; 'naive-bayes' takes the time it takes." in (
        fitted.notes
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "klass"}, "no target column 'klass'. .* did you mean target='class'"),
        ({"target": "id"}, "looks like an id"),
        ({"method": "no"}, "There is no method 'no'"),
        ({"test_size": 1.0}, "test_size=1: give a share"),
        ({"test_size": 0.001}, "90 rows are too few to hold out test_size=0.001"),
        ({"time_limit": 0}, "time_limit=0: give seconds"),
        ({"frame": TABLE[:0]}, "The table has no rows"),
        ({"frame": TABLE[["class"]]}, "no column to learn 'class' from"),
        ({"frame": pd.concat([TABLE, TABLE], axis=1)}, "two columns called 'size'"),
    ],
)
def test_bad_input(change, message):
    options = {"frame": TABLE, "target": "class", "method": "naive-bayes", **change}
    with pytest.raises(ValueError, match=message):
        fit_table(**options)


def test_a_frame_is_asked_for():
    with pytest.raises(TypeError, match="A list was given, expected a pandas DataFrame"):
        fit_table([[1, 2]], "class")


@settings(max_examples=40, deadline=None)
@given(
    arrays(int, st.tuples(st.integers(2, 6), st.integers(1, 12)), elements=st.integers(0, 2)),
    st.data(),
)
def test_worth_is_what_the_vote_loses(votes, data):
    y = data.draw(arrays(int, votes.shape[1], elements=st.integers(0, 2)))
    found = member_worth(MemberOutputs(votes, y, classes=[0, 1, 2]))
    found.index = [int(name.split()[1]) for name in found["member"]]
    whole, without = errors_of_vote_without(votes.tolist(), y.tolist(), 3)
    expected = [(one - whole) / len(y) for one in without]
    np.testing.assert_allclose(found.sort_index()["adds"], expected, atol=1e-12)
    np.testing.assert_allclose(found.sort_index()["error"], (votes != y).mean(axis=1))


def test_an_only_member_has_no_rest():
    found = member_worth(MemberOutputs([["a", "b"]], ["a", "a"], classes=["a", "b"]))
    assert np.isnan(found["adds"][0])
    assert found["error"][0] == 0.5
