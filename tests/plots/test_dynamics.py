import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_friedman1
from sklearn.tree import DecisionTreeClassifier

from counterpoint.networks.negative_correlation import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
)
from counterpoint.plots.dynamics import NCLDynamicsDisplay


@pytest.fixture(scope="module")
def model():
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    model = NegativeCorrelationClassifier(3, max_epochs=10, record=2, random_state=0)
    return model.fit(X[::2], y[::2], eval_set={"new": (X[1::2], y[1::2])})


def test_lines_are_what_was_recorded(model):
    display = NCLDynamicsDisplay.from_estimator(model, of_class="b", output="c")
    outputs, spread, errors = (panel.get_lines() for panel in display.axes_)
    trace, new = model.dynamics_["train"], model.dynamics_["new"]
    for k in range(3):
        assert_array_equal(outputs[k].get_ydata(), trace.mean_output[:, k, 1, 2])
        assert_array_equal(outputs[k].get_xdata(), [0, 2, 4, 6, 8, 10])
        assert_array_equal(spread[k].get_ydata(), trace.spread[:, k])
        assert outputs[k].get_color() == spread[k].get_color()
    assert outputs[3].get_label() == "ensemble"
    assert_array_equal(outputs[3].get_ydata(), trace.mean_output[:, :, 1, 2].mean(axis=1))
    assert set(outputs[4].get_ydata()) == {0.0}  # the target of another class's output
    assert [line.get_label() for line in errors] == [
        "ensemble, training data",
        "members, training data",
        "ensemble, new",
        "members, new",
    ]
    assert_array_equal(errors[2].get_ydata(), new.ensemble_error)
    assert_array_equal(errors[3].get_ydata(), new.member_error.mean(axis=1))


def test_the_output_of_the_class_itself_is_shown_unasked(model):
    display = NCLDynamicsDisplay.from_estimator(model, data="new")
    assert display.target == 1.0
    assert_array_equal(display.outputs, model.dynamics_["new"].mean_output[:, :, 0, 0].T)


def test_table(model):
    table = NCLDynamicsDisplay.from_estimator(model).table()
    assert table.index.tolist() == [0, 2, 4, 6, 8, 10]
    assert_array_equal(table["spread 1"], model.dynamics_["train"].spread[:, 1])
    assert_array_equal(table["new ensemble error"], model.dynamics_["new"].ensemble_error)


def test_many_members_are_grey():
    X, y = load_iris(return_X_y=True)
    many = NegativeCorrelationClassifier(9, max_epochs=2, record=1, random_state=0).fit(X, y)
    display = NCLDynamicsDisplay.from_estimator(many)
    lines = display.axes_[0].get_lines()
    assert len({line.get_color() for line in lines[:9]}) == 1
    texts = [text.get_text() for text in display.axes_[0].get_legend().get_texts()]
    assert texts == ["members", "ensemble", "target"]


def test_a_regressor_has_no_target_line():
    X, y = make_friedman1(60, random_state=0)
    Y = np.column_stack([y, 2 * y])
    model = NegativeCorrelationRegressor(2, max_epochs=4, record=2, random_state=0).fit(X, Y)
    display = NCLDynamicsDisplay.from_estimator(model, output=1)
    assert len(display.axes_[0].get_lines()) == 3
    assert_array_equal(display.outputs, model.dynamics_["train"].mean_output[:, :, 0, 1].T)
    with pytest.raises(ValueError, match="a regressor has no classes"):
        NCLDynamicsDisplay.from_estimator(model, of_class=1)
    with pytest.raises(ValueError, match="output=2: there are 2, from 0"):
        NCLDynamicsDisplay.from_estimator(model, output=2)


def test_it_draws_on_given_axes(model):
    _, axes = plt.subplots(1, 2)
    display = NCLDynamicsDisplay.from_estimator(model, ax=axes[1], line_kwargs={"lw": 3})
    assert display.figure_ is axes[1].figure
    assert display.axes_[0].get_lines()[0].get_linewidth() == 3


def test_wrong_input(model):
    with pytest.raises(TypeError, match=r"DecisionTreeClassifier has no dynamics_.*record=True"):
        NCLDynamicsDisplay.from_estimator(DecisionTreeClassifier())
    with pytest.raises(ValueError, match=r"'old' was not recorded\. There are: train, new"):
        NCLDynamicsDisplay.from_estimator(model, data="old")
    with pytest.raises(ValueError, match="of_class='x' is not among the classes"):
        NCLDynamicsDisplay.from_estimator(model, of_class="x")
