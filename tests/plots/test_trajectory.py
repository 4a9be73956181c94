import matplotlib.pyplot as plt
import numpy as np
import pytest

from counterpoint import MemberOutputs, diversity
from counterpoint.plots import TrajectoryDisplay


def test_lines_are_the_table_and_the_table_is_the_trajectory(outputs):
    display = TrajectoryDisplay.from_outputs(outputs["forest"], measures=["q", "entropy"])
    table = display.table()
    for column in ["vote_error", "member_error", "q", "entropy"]:
        expected = diversity.trajectory(outputs["forest"], column)
        np.testing.assert_array_equal(table[column], expected)
    assert table["members"].tolist() == list(range(1, 13))
    errors, q, entropy = display.axes_
    for line, column in [
        (errors.lines[0], "vote_error"),
        (errors.lines[1], "member_error"),
        (q.lines[0], "q"),
        (entropy.lines[0], "entropy"),
    ]:
        np.testing.assert_array_equal(line.get_xydata(), table[["members", column]])
    assert errors.lines[0].get_linestyle() == "-"
    assert errors.lines[1].get_linestyle() == "--"
    assert display.ax_ is errors


def test_measures_have_panels_of_their_own_over_one_axis(outputs, assert_readable):
    display = TrajectoryDisplay.from_outputs(
        outputs, measures=["q", "kohavi_wolpert_variance", "margin_mean"]
    )
    assert len(display.axes_) == 4
    assert len({ax.get_xlim() for ax in display.axes_}) == 1
    titles = [ax.get_title(loc="left") for ax in display.axes_[1:]]
    assert titles == [
        "Q statistic (lower: more diverse)",
        "Kohavi-Wolpert variance (higher: more diverse)",
        "Mean margin",
    ]
    assert display.axes_[0].get_ylabel()
    assert display.axes_[-1].get_xlabel()
    assert_readable(display.figure_)


def test_ensembles_of_different_sizes_share_the_panels(ensembles, outputs, data):
    _, _, X, y = data
    display = TrajectoryDisplay.from_estimator(ensembles, X, y)
    assert display.table()["ensemble"].value_counts().to_dict() == {"bagging": 8, "forest": 12}
    assert len(display.axes_[1].lines) == 2
    given = TrajectoryDisplay.from_predictions(y, {k: o.votes for k, o in outputs.items()})
    np.testing.assert_array_equal(given.table()["q"], display.table()["q"])


def test_panels_can_be_used_again(outputs):
    first = TrajectoryDisplay.from_outputs(outputs["bagging"], name="a")
    second = TrajectoryDisplay.from_outputs(outputs["forest"], name="b", ax=first.axes_)
    assert second.axes_ == first.axes_
    a, b = first.axes_[1].lines
    assert a.get_color() != b.get_color()
    assert first.ax_.get_xlim() == (0.5, 12.5)  # wide enough for the longer one
    labels = [text.get_text() for text in first.ax_.get_legend().get_texts()]
    assert labels == ["a", "b", "error of the vote", "mean member error"]


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_one_given_ax_is_split(outputs, layout, assert_readable):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout=layout)
    where = left.get_position()
    display = TrajectoryDisplay.from_outputs(
        outputs["bagging"], measures=["q", "correlation"], ax=left
    )
    assert display.figure_ is figure
    assert len(display.axes_) == 3
    assert all(panel.get_position().x1 <= where.x1 + 1e-9 for panel in display.axes_)
    assert plt.get_fignums() == [figure.number]
    figure.delaxes(right)
    assert_readable(figure, legend_inside=True)


def test_errors_alone_need_one_axes(outputs):
    _, ax = plt.subplots()
    display = TrajectoryDisplay.from_outputs(outputs["bagging"], measures=(), ax=ax)
    assert display.axes_ == [ax]
    assert display.measures == []


def test_errors_asked_for_twice_are_drawn_once(outputs):
    display = TrajectoryDisplay.from_outputs(outputs["bagging"], measures=["vote_error", "q"])
    assert display.measures == ["q"]
    assert len(display.axes_) == 2


def test_a_measure_by_its_bare_name(outputs):
    assert TrajectoryDisplay.from_outputs(outputs["bagging"], measures="correlation").measures == [
        "correlation"
    ]


def test_two_members_show_their_one_value_as_a_dot():
    display = TrajectoryDisplay.from_predictions([0, 1, 1], [[0, 1, 0], [0, 0, 1]])
    assert display.axes_[1].lines[0].get_marker() == "."


def test_line_kwargs_overrule(outputs):
    display = TrajectoryDisplay.from_outputs(outputs["bagging"], line_kwargs={"c": "red"})
    assert {line.get_color() for ax in display.axes_ for line in ax.lines} == {"red"}


def test_wrong_input(outputs):
    bagging = outputs["bagging"]
    with pytest.raises(ValueError, match="trajectory needs at least 2 members"):
        TrajectoryDisplay.from_predictions([0, 1], [[0, 1]])
    with pytest.raises(ValueError, match="measure='qq': choose"):
        TrajectoryDisplay.from_outputs(bagging, measures=["qq"])
    with pytest.raises(ValueError, match="empty: there is nothing to draw"):
        TrajectoryDisplay.from_outputs({})
    with pytest.raises(ValueError, match="needs the truth"):
        TrajectoryDisplay.from_outputs(MemberOutputs([[0, 1], [1, 1]]))
    with pytest.raises(ValueError, match="ax has 3 axes, but 2 are needed"):
        TrajectoryDisplay.from_outputs(bagging, ax=plt.subplots(3)[1])
    free = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(ValueError, match="not part of a grid"):
        TrajectoryDisplay.from_outputs(bagging, ax=free)
    with pytest.raises(TypeError, match="ax must be matplotlib Axes or None, got int"):
        TrajectoryDisplay.from_outputs(bagging, ax=3)
    with pytest.raises(TypeError, match="ax must be matplotlib Axes or None, got str"):
        TrajectoryDisplay.from_outputs(bagging, ax=["a", "b"])
