import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from counterpoint import MemberOutputs, diversity
from counterpoint.plots import MarginDisplay


def _curves(ax):
    return [line for line in ax.lines if line.get_gid() == "counterpoint-line"]


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_curve_is_the_distribution_of_the_margins(data):
    shape = (data.draw(st.integers(1, 5)), data.draw(st.integers(1, 20)))
    votes = data.draw(arrays(int, shape, elements=st.integers(0, 2)))
    y = data.draw(arrays(int, shape[1], elements=st.integers(0, 2)))
    outputs = MemberOutputs(votes, y, classes=[0, 1, 2])
    display = MarginDisplay.from_outputs(outputs)
    margins = diversity.vote_margins(outputs)
    for row in display.table().itertuples():
        assert row.share == pytest.approx(np.mean(margins <= row.margin + 1e-9))
    share = display.summary.loc["ensemble"]
    assert share["below_zero"] == pytest.approx(np.mean(margins < -1e-9))
    # the vote's error lies between the share below zero and that at most zero
    low, high = share["below_zero"], share["below_zero"] + share["at_zero"]
    assert low - 1e-12 <= share["vote_error"] <= high + 1e-12
    plt.close(display.figure_)


def test_line_is_the_table_from_end_to_end(outputs):
    display = MarginDisplay.from_outputs(outputs["forest"], name="forest")
    (line,) = _curves(display.ax_)
    x, y = line.get_data()
    table = display.table()
    np.testing.assert_array_equal(x[1:-1], table["margin"])
    np.testing.assert_array_equal(y[1:-1], table["share"])
    assert (x[0], y[0], x[-1], y[-1]) == (-1, 0, 1, 1)
    assert line.get_drawstyle() == "steps-post"


def test_share_below_zero_is_marked_and_told(outputs):
    display = MarginDisplay.from_outputs(outputs)
    for ensemble, line in zip(outputs, _curves(display.ax_), strict=True):
        below = display.summary.loc[ensemble, "below_zero"]
        assert line.get_label() == f"{ensemble} ({below:.1%} below 0)"
    dots = [
        line.get_xydata()[0].tolist() for line in display.ax_.lines if len(line.get_xdata()) < 2
    ]
    assert dots == [[0.0, below] for below in display.summary["below_zero"]]


def test_zero_is_marked_once_however_often_we_draw(outputs):
    ax = MarginDisplay.from_outputs(outputs["bagging"], name="a").ax_
    MarginDisplay.from_outputs(outputs["forest"], name="b", ax=ax)
    zero = [line for line in ax.lines if list(line.get_xdata()) == [0, 0]]
    assert len(zero) == 1
    assert len({line.get_color() for line in _curves(ax)}) == 2


def test_sample_weights_count(outputs):
    votes, y = [[0, 1, 1], [0, 1, 0]], [1, 1, 0]
    display = MarginDisplay.from_predictions(y, votes, sample_weight=[3, 1, 0])
    assert display.summary["below_zero"].item() == 0.75
    assert display.table()["share"].iloc[-1] == 1.0


def test_ties_that_miss_zero_by_rounding_are_ties():
    # ten members of weight 0.1: the shares 0.5 and 0.5 are sums of rounded tenths
    votes = np.repeat([[0], [1]], [3, 7], axis=0)
    outputs = MemberOutputs(votes, [0], classes=[0, 1], weights=[5 / 3] * 3 + [5 / 7] * 7)
    display = MarginDisplay.from_outputs(outputs)
    assert display.summary["at_zero"].item() == 1.0
    assert display.summary["below_zero"].item() == 0.0


def test_three_ways_in_agree(ensembles, outputs, data):
    _, _, X, y = data
    built = MarginDisplay.from_outputs(outputs["bagging"]).table()["share"]
    asked = MarginDisplay.from_estimator(ensembles["bagging"], X, y).table()["share"]
    given = MarginDisplay.from_predictions(y, outputs["bagging"].votes).table()["share"]
    np.testing.assert_array_equal(asked, built)
    np.testing.assert_array_equal(given, built)


def test_readable_and_labelled(outputs, assert_readable):
    display = MarginDisplay.from_outputs(outputs)
    assert display.ax_.get_xlabel()
    assert display.ax_.get_ylabel()
    assert_readable(display.figure_, legend_inside=True)


def test_line_kwargs_overrule(outputs):
    display = MarginDisplay.from_outputs(outputs["bagging"], line_kwargs={"c": "red", "lw": 5})
    (line,) = _curves(display.ax_)
    assert (line.get_color(), line.get_linewidth()) == ("red", 5)


def test_one_member_has_margins_too():
    display = MarginDisplay.from_predictions([0, 1], [[0, 0]])
    assert display.table()["margin"].tolist() == [-1.0, 1.0]


def test_wrong_input(outputs):
    with pytest.raises(ValueError, match="empty: there is nothing to draw"):
        MarginDisplay.from_outputs({})
    with pytest.raises(ValueError, match="needs the truth"):
        MarginDisplay.from_outputs(MemberOutputs([[0, 1], [1, 1]]))
    with pytest.raises(ValueError, match="this display holds 2"):
        MarginDisplay.from_outputs(outputs).plot(name="one")
