import matplotlib.pyplot as plt
import numpy as np
import pytest

from counterpoint.plots import LiftDisplay, RelevanceHorizonDisplay
from counterpoint.sequences import lift_curve


def rare(seed=0, n=400):
    rng = np.random.RandomState(seed)
    y = (rng.random_sample(n) < 0.05).astype(int)
    return y, y + rng.randn(n)


def test_lines_are_the_curves():
    y, scores = rare()
    display = LiftDisplay.from_predictions(y, {"good": scores, "bad": -scores}, most=0.1)
    curve = lift_curve(y, scores)
    shown = curve[curve["share"] <= 0.1]
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), shown["precision"])
    assert display.lines_[0].get_color() != display.lines_[1].get_color()
    table = display.table()
    assert set(table["ranking"]) == {"good", "bad"}
    assert len(table) == 2 * len(y)
    chance = [line for line in display.ax_.get_lines() if line.get_label() == "chance"]
    assert chance[0].get_ydata()[0] == y.mean()


@pytest.mark.parametrize("what", ["g", "sensitivity", "specificity", "profit"])
def test_every_column_can_be_drawn_on_given_axes(what):
    y, scores = rare()
    ax = plt.subplots()[1]
    display = LiftDisplay.from_predictions(y, scores, what=what, most=1.0, ax=ax)
    assert display.ax_ is ax
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), lift_curve(y, scores)[what])


def test_the_horizon_shows_means_and_spread():
    scores = {"KNN": [[1.0, 3.0], [4.0, 6.0]], "HMM": [2.0, 3.0]}
    display = RelevanceHorizonDisplay.from_scores([1, 2], scores)
    assert display.table().loc[2].tolist() == [5.0, 3.0]
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), [2.0, 5.0])


def test_wrong_input_says_what_to_change():
    y, scores = rare()
    with pytest.raises(ValueError, match="choose 'precision', 'g'"):
        LiftDisplay.from_predictions(y, scores, what="luck")
    with pytest.raises(ValueError, match="most=2"):
        LiftDisplay.from_predictions(y, scores, most=2)
    with pytest.raises(ValueError, match="nothing to draw"):
        LiftDisplay.from_predictions(y, {})
    with pytest.raises(ValueError, match="one row per length"):
        RelevanceHorizonDisplay.from_scores([1, 2], {"KNN": [1.0]})
    with pytest.raises(ValueError, match="nothing to draw"):
        RelevanceHorizonDisplay.from_scores([1, 2], {})
