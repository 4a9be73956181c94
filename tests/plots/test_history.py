import matplotlib.pyplot as plt
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.plots import HistoryDisplay
from counterpoint.trees import HistTreeClassifier


@pytest.fixture(scope="module")
def model():
    X, y = load_breast_cancer(return_X_y=True)
    boosted = AdaBoostNCClassifier(HistTreeClassifier(max_depth=1), n_estimators=6)
    return boosted.fit(X[::2], y[::2], eval_set={"new": (X[1::2], y[1::2])})


def test_lines_are_the_columns_of_the_history(model):
    display = HistoryDisplay.from_estimator(model, columns=["covariance", "alpha"])
    assert len(display.axes_) == 3
    errors, covariance, alpha = (panel.get_lines() for panel in display.axes_)
    for line, name in zip(
        [*errors, *covariance, *alpha],
        ["train_error", "new_error", "covariance", "new_covariance", "alpha"],
        strict=True,
    ):
        assert_array_equal(line.get_ydata(), model.history_[name])
    shown = display.table()
    assert list(shown) == ["train_error", "new_error", "covariance", "new_covariance", "alpha"]


def test_the_same_colour_is_the_same_data(model):
    display = HistoryDisplay.from_estimator(model)
    errors, covariance = (panel.get_lines() for panel in display.axes_)
    assert errors[1].get_label() == "new"
    assert errors[1].get_color() == covariance[1].get_color() != errors[0].get_color()


def test_it_draws_on_given_axes(model):
    _, axes = plt.subplots(1, 2)
    display = HistoryDisplay.from_estimator(model, columns="penalty", ax=axes[1])
    assert display.figure_ is axes[1].figure
    assert display.axes_[0].get_ylabel() == "Error of the vote"


def test_wrong_input(model):
    with pytest.raises(TypeError, match="DecisionTreeClassifier has no history_"):
        HistoryDisplay.from_estimator(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="no column 'sadness'"):
        HistoryDisplay.from_estimator(model, columns="sadness")
