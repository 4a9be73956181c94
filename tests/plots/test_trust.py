"""Displays of trust: what they show is what was computed, and every label can be read."""

import numpy as np
import pandas as pd
import pytest

from counterpoint.datasets import make_votes
from counterpoint.plots import (
    ErrorEstimateDisplay,
    LabelErrorDisplay,
    QueryDisplay,
    SelectiveDisplay,
    UncertaintyDisplay,
    VotersDisplay,
    WatchDisplay,
)
from counterpoint.tabular.votes import summarise_votes
from counterpoint.trust import (
    QueryByCommittee,
    VoteLog,
    estimate_error,
    estimate_truth,
    find_label_errors,
    selective_curve,
)


def test_voters_are_sorted_and_copies_tied():
    made = make_votes(500, copies={6: 5}, copied=0.95, random_state=0)
    found = estimate_truth(made.votes, random_state=0)
    display = VotersDisplay.from_truth(found)
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    order = found.table().sort_values("accuracy", ascending=False)["member"].tolist()
    assert names == order
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["copy each other"]
    again = VotersDisplay.from_summary(summarise_votes(VoteLog.from_array(made.votes)))
    np.testing.assert_allclose(again.table()["accuracy"], display.table()["accuracy"])
    assert len(VotersDisplay.from_votes(made.votes, most=3).ax_.get_yticklabels()) == 3


def test_estimates_are_hollow_where_nothing_holds(outputs):
    told = estimate_error(outputs["forest"], outputs["forest"], random_state=0, n_draws=5)
    display = ErrorEstimateDisplay.from_estimate(told, true=0.2)
    assert display.table()["estimate"].iloc[0] == told.error
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["reference, known", "what came out"]
    told.methods.loc[:, "holds"] = False
    marks = ErrorEstimateDisplay.from_estimate(told).ax_.lines
    assert {line.get_markerfacecolor() for line in marks if line.get_marker() == "o"} == {"white"}


def test_the_selective_curve_is_drawn(outputs):
    display = SelectiveDisplay.from_outputs(outputs)
    assert len(display.ax_.lines) == 2
    own = display.table().query("ensemble == 'forest'")
    np.testing.assert_allclose(own["error"], selective_curve(outputs["forest"])["error"])


def test_uncertainty_labels_and_queries_are_drawn(outputs, data):
    points = UncertaintyDisplay.from_outputs(outputs["forest"]).ax_.collections[0]
    assert len(points.get_offsets()) == outputs["forest"].n_samples
    found = find_label_errors(outputs["forest"])
    shown = LabelErrorDisplay.from_errors(found)
    assert shown.table()["wrong"].sum() == found.wrong.sum()
    X, y, X_new, _ = data
    committee = QueryByCommittee(random_state=0).fit(X, y)
    for _ in range(3):
        committee.query(X_new, 4)
    assert len(QueryDisplay.from_estimator(committee).ax_.lines) == 2
    with pytest.raises(TypeError, match="has no history_"):
        QueryDisplay.from_estimator(object())


def test_batches_are_drawn_with_their_alarms():
    batches = pd.DataFrame(
        {"error": [0.1, 0.3], "low": [0.05, 0.2], "high": [0.2, 0.4], "alarm": [False, True],
         "known_error": [np.nan, 0.25]}
    )  # fmt: skip
    display = WatchDisplay(batches=batches, reference_error=0.1).plot()
    texts = {text.get_text() for text in display.ax_.get_legend().get_texts()}
    assert texts == {"estimated", "known", "alarm", "on the test rows"}
