import matplotlib.pyplot as plt
import numpy as np
import pytest

from counterpoint.plots import SelectionDisplay
from counterpoint.selection import (
    EnsembleSelectionClassifier,
    order_by_error,
    select_backward,
    select_by_order,
    select_forward,
    select_genetic,
)


@pytest.fixture(scope="module")
def pool(outputs):
    return outputs["forest"]


def test_lines_are_the_traces_and_rings_the_choices(pool, assert_readable):
    traces = {
        "forward": select_forward(pool, "double_fault"),
        "by error": select_by_order(pool, order_by_error(pool)),
        "genetic": select_genetic(pool, n_generations=6, random_state=0),
    }
    display = SelectionDisplay.from_traces(traces)
    assert_readable(display.figure_)
    for line, trace in zip(display.lines_, traces.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), trace.errors)
        np.testing.assert_array_equal(line.get_xdata(), [len(s) for s in trace.steps])
    assert display.lines_[2].get_linestyle() == "None"
    rings = [line for line in display.ax_.get_lines() if line.get_markersize() == 11]
    chosen = [(len(t.steps[t.best]), t.errors[t.best]) for t in traces.values()]
    assert [(r.get_xdata()[0], r.get_ydata()[0]) for r in rings] == chosen
    assert display.table()["search"].nunique() == 3
    ax = plt.subplots()[1]
    again = display.plot(ax, what="criterion", line_kwargs={"lw": 3})
    assert again.ax_ is ax
    # One member alone has no diversity: nothing is drawn there.
    drawn = again.lines_[0].get_ydata()
    assert np.isnan(drawn[0])
    np.testing.assert_array_equal(drawn[1:], traces["forward"].values[1:])
    assert again.lines_[0].get_linewidth() == 3


def test_from_an_estimator(data):
    X, y, _, _ = data
    model = EnsembleSelectionClassifier(search="backward", criterion="error").fit(X, y)
    display = SelectionDisplay.from_estimator(model)
    assert list(display.traces) == ["backward"]
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), model.trace_.errors)


def test_wrong_input_says_what_to_change(pool):
    trace = select_backward(pool)
    with pytest.raises(ValueError, match="choose 'error', 'criterion'"):
        SelectionDisplay.from_traces(trace, what="luck")
    with pytest.raises(ValueError, match="nothing to draw"):
        SelectionDisplay.from_traces({})
    with pytest.raises(TypeError, match="expected a Trace"):
        SelectionDisplay.from_traces([trace])
    with pytest.raises(ValueError, match="is for one search"):
        SelectionDisplay.from_traces({"a": trace}, name="b")
    with pytest.raises(TypeError, match="no trace_"):
        SelectionDisplay.from_estimator(EnsembleSelectionClassifier())
