import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from sklearn.metrics import cohen_kappa_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs, OutputCounts, diversity
from counterpoint.exceptions import MemberError
from counterpoint.plots import DiversityMatrixDisplay, KappaErrorDisplay, MarginDisplay
from counterpoint.plots.style import OKABE_ITO


def _clouds(ax):
    return [c for c in ax.collections if c.get_gid() == "counterpoint-cloud"]


def test_points_are_the_table_and_the_table_is_the_measure(outputs):
    bagging = outputs["bagging"]
    display = KappaErrorDisplay.from_outputs(bagging, name="bagging")
    table = display.table()
    assert len(table) == 8 * 7 // 2
    (cloud,) = _clouds(display.ax_)
    np.testing.assert_array_equal(cloud.get_offsets(), table[["kappa", "error"]])
    for row in table.itertuples():
        i, j = bagging.names.index(row.first), bagging.names.index(row.second)
        expected = cohen_kappa_score(bagging.votes[i], bagging.votes[j])
        assert row.kappa == pytest.approx(expected, abs=1e-12)
        assert row.error == pytest.approx((bagging.errors[i] + bagging.errors[j]) / 2)


def test_mean_and_vote_are_marked(outputs):
    display = KappaErrorDisplay.from_outputs(outputs["forest"], name="forest")
    forest = outputs["forest"]
    mean = display.summary.loc["forest"]
    assert mean["kappa"] == diversity.label_kappa(forest)
    assert mean["error"] == pytest.approx(forest.errors.mean())
    assert mean["vote_error"] == diversity.vote_error(forest)
    # the mean is drawn as the one labelled scatter, the vote as a dash below it
    (dot,) = [c for c in display.ax_.collections if c.get_label() == "forest"]
    np.testing.assert_allclose(dot.get_offsets(), [[mean["kappa"], mean["error"]]])
    (dash,) = [line for line in display.ax_.lines if line.get_marker() == "_"]
    np.testing.assert_allclose(dash.get_xydata(), [[mean["kappa"], mean["vote_error"]]])


def test_counts_of_files_give_the_same_picture(outputs):
    counted = {name: OutputCounts.from_outputs(one) for name, one in outputs.items()}
    one, other = (KappaErrorDisplay.from_outputs(given) for given in (outputs, counted))
    pd.testing.assert_frame_equal(other.table(), one.table())
    pd.testing.assert_frame_equal(other.summary, one.summary)
    few = OutputCounts.from_outputs(outputs["forest"])
    for order in ("given", "cluster", "error"):
        one, other = (
            DiversityMatrixDisplay.from_outputs(given, measure="q", order=order)
            for given in (outputs["forest"], few)
        )
        pd.testing.assert_frame_equal(other.table(), one.table())
    with pytest.raises(TypeError, match=r"shows single samples: take some with large\.sample"):
        MarginDisplay.from_outputs(few)


def test_the_vote_can_be_left_out(outputs):
    display = KappaErrorDisplay.from_outputs(outputs["forest"], show_vote=False)
    assert not display.ax_.lines
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["ensemble", "one pair", "mean of the pairs"]


def test_three_ways_in_agree(ensembles, outputs, data):
    _, _, X, y = data
    votes = {name: one.votes for name, one in outputs.items()}
    asked = KappaErrorDisplay.from_estimator(ensembles, X, y)
    given = KappaErrorDisplay.from_predictions(y, votes)
    built = KappaErrorDisplay.from_outputs(outputs)
    numbers = ["kappa", "error"]
    np.testing.assert_array_equal(asked.table()[numbers], built.table()[numbers])
    np.testing.assert_array_equal(given.table()[numbers], built.table()[numbers])
    assert list(asked.summary.index) == ["bagging", "forest"]


def test_each_ensemble_has_a_colour_and_marker_of_its_own(outputs, assert_readable):
    display = KappaErrorDisplay.from_outputs(outputs)
    first, second = _clouds(display.ax_)
    assert to_hex(first.get_facecolor()[0]).upper() == OKABE_ITO["blue"]
    assert to_hex(second.get_facecolor()[0]).upper() == OKABE_ITO["vermilion"]
    assert len(first.get_paths()[0].vertices) != len(second.get_paths()[0].vertices)
    assert_readable(display.figure_)


def test_drawing_again_on_the_same_axes_adds_a_cloud(outputs, assert_readable):
    first = KappaErrorDisplay.from_outputs(outputs["bagging"])
    second = KappaErrorDisplay.from_outputs(outputs["forest"])
    again = first.plot(name="A").ax_
    assert second.plot(again, name="B").ax_ is again
    colours = {to_hex(cloud.get_facecolor()[0]) for cloud in _clouds(again)}
    assert len(colours) == 2
    labels = [text.get_text() for text in again.get_legend().get_texts()]
    assert labels[:2] == ["A", "B"]
    assert_readable(again.figure)


def test_given_axes_are_used_and_nothing_else_is_made(outputs):
    figure, ax = plt.subplots()
    display = KappaErrorDisplay.from_outputs(outputs, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    assert ax.get_title()


@pytest.mark.parametrize("kwargs", [{"c": "red"}, {"color": "red"}, {"facecolors": "red"}])
def test_scatter_kwargs_overrule_under_any_name(outputs, kwargs):
    display = KappaErrorDisplay.from_outputs(
        outputs["bagging"], scatter_kwargs={**kwargs, "alpha": 1.0}
    )
    assert to_hex(_clouds(display.ax_)[0].get_facecolor()[0]) == "#ff0000"


def test_legend_kwargs_place_the_legend(outputs):
    display = KappaErrorDisplay.from_outputs(outputs, legend_kwargs={"loc": "lower left"})
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend().get_window_extent()
    box = display.ax_.get_window_extent()
    assert box.x0 <= legend.x0 < legend.x1 < box.x1


def test_a_pair_that_is_undefined_is_in_the_table_but_not_in_the_mean():
    votes = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]
    display = KappaErrorDisplay.from_predictions([0, 1, 0, 0], votes)
    table = display.table()
    assert np.isnan(table["kappa"].iloc[0])
    assert display.summary["error"].item() == pytest.approx(table["error"].iloc[1:].mean())


def test_all_undefined_still_draws():
    display = KappaErrorDisplay.from_predictions([0, 1], [[0, 0], [0, 0]])
    assert display.summary[["kappa", "error"]].isna().all(axis=None)
    display.figure_.canvas.draw()


def test_names_of_single_ensembles(ensembles, data):
    _, _, X, y = data
    alone = KappaErrorDisplay.from_estimator(ensembles["forest"], X, y)
    assert list(alone.summary.index) == ["RandomForestClassifier"]
    called = KappaErrorDisplay.from_estimator(ensembles["forest"], X, y, name="mine")
    assert list(called.summary.index) == ["mine"]


def test_a_list_of_pairs_is_one_ensemble(data):
    X, y, X_test, y_test = data
    members = [
        ("tree", DecisionTreeClassifier(max_depth=2).fit(X, y)),
        ("knn", KNeighborsClassifier().fit(X, y)),
    ]
    display = KappaErrorDisplay.from_estimator(members, X_test, y_test)
    assert display.table()[["first", "second"]].values.tolist() == [["tree", "knn"]]


def test_a_dict_of_single_models_is_explained(data):
    X, y, X_test, y_test = data
    with pytest.raises(MemberError) as caught:
        KappaErrorDisplay.from_estimator({"knn": KNeighborsClassifier().fit(X, y)}, X_test, y_test)
    assert any("list of (name, estimator) pairs" in note for note in caught.value.__notes__)


def test_wrong_input():
    y, votes = [0, 1, 1], [[0, 1, 1], [0, 0, 1]]
    with pytest.raises(ValueError, match=r"at least 2 members, but the ensemble has 1"):
        KappaErrorDisplay.from_predictions(y, votes[:1])
    with pytest.raises(ValueError, match=r"at least 2 members, but 'lone' has 1"):
        KappaErrorDisplay.from_predictions(y, {"both": votes, "lone": votes[:1]})
    with pytest.raises(ValueError, match="empty: there is nothing to draw"):
        KappaErrorDisplay.from_predictions(y, {})
    with pytest.raises(ValueError, match="votes is empty"):
        KappaErrorDisplay.from_predictions([], np.empty((2, 0), dtype=int))
    with pytest.raises(ValueError, match="looks transposed"):
        KappaErrorDisplay.from_predictions(y, np.transpose(votes))
    with pytest.raises(ValueError, match="y never has"):
        KappaErrorDisplay.from_predictions(y, [[0, 1, 2], [0, 1, 1]])
    with pytest.raises(ValueError, match="the dict names 1 of them already"):
        KappaErrorDisplay.from_predictions(y, {"both": votes}, name="other")
    with pytest.raises(
        TypeError, match="from_outputs takes MemberOutputs or OutputCounts, got list"
    ):
        KappaErrorDisplay.from_outputs(votes)
    outputs = MemberOutputs(votes, y)
    with pytest.raises(TypeError, match="pass them to from_outputs"):
        KappaErrorDisplay.from_predictions(y, outputs)
    with pytest.raises(ValueError, match="needs the members' labels"):
        KappaErrorDisplay.from_outputs(MemberOutputs.from_correct([[1, 0], [0, 1]]))
    with pytest.raises(ValueError, match="needs the truth"):
        KappaErrorDisplay.from_outputs(MemberOutputs(votes))
    display = KappaErrorDisplay.from_outputs({"a": outputs, "b": outputs})
    with pytest.raises(ValueError, match="this display holds 2: a, b"):
        display.plot(name="c")
    with pytest.raises(TypeError, match=r"got Figure.*figure\.axes\[0\]"):
        display.plot(plt.figure())
    with pytest.raises(TypeError, match="got int"):
        display.plot(3)
