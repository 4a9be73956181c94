import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import decomposition
from counterpoint.plots import DecompositionDisplay


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    trials = y + rng.normal(0.5, 1.0, size=(6, 4, 30))
    return decomposition.bias_variance_diversity(y, trials)


def _bars(ax):
    return {bars.get_label(): bars.patches for bars in ax.containers}


def test_bars_are_the_table_are_the_contributions(parts):
    display = DecompositionDisplay.from_decomposition(parts, name="four")
    table = display.table()
    assert list(table.index) == ["four"]
    assert table.loc["four"].drop("error").to_dict() == parts.contributions
    assert table.loc["four", "error"] == parts.averages["error"]
    bars = _bars(display.ax_)
    assert list(bars) == ["bias", "variance", "diversity"]  # the noise is zero: not drawn
    for part, (bar,) in bars.items():
        assert bar.get_height() == pytest.approx(parts.contributions[part])


def test_parts_stack_up_and_down_from_zero_and_net_is_the_error(parts):
    display = DecompositionDisplay.from_decomposition(parts)
    bars = {part: bar for part, (bar,) in _bars(display.ax_).items()}
    assert bars["bias"].get_y() == 0
    assert bars["variance"].get_y() == pytest.approx(bars["bias"].get_height())
    assert bars["diversity"].get_y() == 0
    assert bars["diversity"].get_height() < 0
    net = sum(bar.get_height() for bar in bars.values())
    (line,) = [c for c in display.ax_.collections if c.get_label() == "error (net)"]
    assert line.get_segments()[0][:, 1] == pytest.approx(net)


def test_a_part_may_change_its_sign_between_bars():
    rows = {1: {"bias": 0.2, "effect": 0.1}, 2: {"bias": 0.2, "effect": -0.1}}
    display = DecompositionDisplay.from_decompositions(rows, param_name="depth")
    up, down = _bars(display.ax_)["effect"]
    assert (up.get_y(), up.get_height()) == pytest.approx((0.2, 0.1))
    assert (down.get_y(), down.get_height()) == pytest.approx((0.0, -0.1))
    np.testing.assert_allclose(display.error, [0.3, 0.1])


def test_against_a_parameter(data, assert_readable):
    X, y, _, _ = data
    depths = [1, 2, None]
    display = DecompositionDisplay.from_estimator(
        DecisionTreeClassifier(), X, y, param_name="max_depth", param_range=depths,
        n_trials=5, random_state=0,
    )  # fmt: skip
    for depth in depths:
        alone = decomposition.decompose(
            DecisionTreeClassifier(max_depth=depth), X, y, n_trials=5, random_state=0
        )
        row = display.contributions.iloc[depths.index(depth)]
        assert row.to_dict() == alone.contributions
    assert display.ax_.get_xlabel() == "max_depth"
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["1", "2", "None"]
    (line,) = [line for line in display.ax_.lines if line.get_label() == "error (net)"]
    np.testing.assert_array_equal(line.get_ydata(), display.error)
    assert "error = noise + bias + variance" in display.ax_.get_title()
    assert_readable(display.figure_)


def test_from_estimator_without_a_parameter(data, assert_readable):
    X, y, _, _ = data
    display = DecompositionDisplay.from_estimator(
        BaggingClassifier(n_estimators=3), X, y, method="effect", n_trials=4, random_state=0
    )
    assert list(display.table().index) == ["BaggingClassifier"]
    assert "diversity_effect" in display.table()
    tick = display.ax_.get_xticklabels()[0].get_text()
    assert tick.startswith("BaggingClassifier\nerror 0.")
    assert_readable(display.figure_)


@pytest.mark.parametrize("method", ["kohavi_wolpert", "breiman", "james", "domingos"])
def test_from_predictions_by_every_zero_one_method(method, assert_readable):
    rng = np.random.default_rng(0)
    y, labels = rng.integers(3, size=40), rng.integers(3, size=(7, 40))
    display = DecompositionDisplay.from_predictions(y, labels, method=method)
    parts = getattr(decomposition, method)(y, labels)
    assert display.contributions.iloc[0].to_dict() == parts.contributions
    assert_readable(display.figure_)


@pytest.mark.parametrize(
    "method", ["bias_variance_diversity", "bias_variance_covariance", "zero_one_diversity_effect"]
)
def test_from_predictions_of_an_ensemble(method, assert_readable):
    rng = np.random.default_rng(0)
    y, said = rng.integers(2, size=40), rng.integers(2, size=(7, 3, 40))
    display = DecompositionDisplay.from_predictions(y, said, method=method, name="random")
    assert display.table().loc["random", "error"] == pytest.approx(
        display.contributions.sum().sum()
    )
    assert_readable(display.figure_)


def test_all_that_holds_signed_terms_will_do(parts):
    expected = DecompositionDisplay.from_decomposition(parts).table()
    terms = parts.contributions
    for given in (terms, {**terms, "error": parts.averages["error"]}, parts.table()):
        table = DecompositionDisplay.from_decomposition(given).table()
        np.testing.assert_allclose(table, expected)
    many = DecompositionDisplay.from_decompositions({"a": parts, "b": terms})
    again = DecompositionDisplay.from_decompositions(many.table())
    pd.testing.assert_frame_equal(again.table(), many.table())


def test_an_object_with_averages_alone_will_do():
    class Result:
        averages = {"bias": 0.25, "variance": 0.5, "error": 0.75}  # noqa: RUF012

    table = DecompositionDisplay.from_decomposition(Result()).table()
    assert table.iloc[0].to_dict() == Result.averages


def test_values_stay_clear_of_the_error(assert_readable):
    # the error falls into the middle of the variance
    rows = {"a": {"bias": 0.2, "variance": 0.2, "diversity": -0.1}}
    display = DecompositionDisplay.from_decompositions(rows)
    half = 0.03 * 0.5
    heights = [text.get_position()[1] for text in display.ax_.texts]
    assert len(heights) == 3
    assert all(abs(height - 0.3) > half for height in heights)
    assert_readable(display.figure_)


def test_tiny_parts_are_drawn_without_a_value():
    display = DecompositionDisplay.from_decompositions({"a": {"bias": 0.2, "variance": 0.001}})
    assert [text.get_text() for text in display.ax_.texts] == ["0.200"]


def test_many_bars_stay_readable(assert_readable):
    rows = {round(0.01 * k, 3): {"bias": 1 / (k + 1), "variance": 0.02 * k} for k in range(40)}
    display = DecompositionDisplay.from_decompositions(rows, param_name="alpha")
    assert not display.ax_.texts
    assert_readable(display.figure_)
    named = {f"a method of long name {k}": {"bias": 0.1 * (k + 1)} for k in range(9)}
    assert_readable(DecompositionDisplay.from_decompositions(named).figure_)


def test_given_axes_and_bar_kwargs(parts):
    figure, ax = plt.subplots()
    display = DecompositionDisplay.from_decomposition(parts, ax=ax, bar_kwargs={"ec": "red"})
    assert (display.ax_, display.figure_) == (ax, figure)
    assert ax.get_ylabel()
    assert ax.patches[0].get_edgecolor() == (1, 0, 0, 1)
    again = display.plot()
    assert again.ax_ is not ax


def test_wrong_input(parts, data):
    X, y, _, _ = data
    one = DecompositionDisplay.from_decomposition
    many = DecompositionDisplay.from_decompositions
    with pytest.raises(ValueError, match="There are no decompositions"):
        many({})
    with pytest.raises(TypeError, match=r"expected a dict.*use from_decomposition"):
        many(parts)
    with pytest.raises(TypeError, match="is a int, expected a decomposition"):
        one(3)
    with pytest.raises(ValueError, match="has no parts"):
        one({"error": 0.2})
    with pytest.raises(ValueError, match="'bias' of '' is nan"):
        one({"bias": float("nan")})
    with pytest.raises(ValueError, match=r"add up to 0.5, but its error is 0.3. Pass signed terms"):
        one({"bias": 0.4, "diversity": 0.1, "error": 0.3})
    with pytest.raises(ValueError, match="no 'contribution'"):
        one(pd.DataFrame({"bias": [0.1]}))
    with pytest.raises(ValueError, match=r"2 has the parts bias, noise, but 1 has bias: only"):
        many({1: {"bias": 0.1}, 2: {"bias": 0.1, "noise": 0.2}})
    with pytest.raises(ValueError, match="method='mine': choose 'ambiguity_decomposition'"):
        DecompositionDisplay.from_predictions(y, [y], method="mine")
    with pytest.raises(ValueError, match="go together"):
        DecompositionDisplay.from_estimator(DecisionTreeClassifier(), X, y, param_name="max_depth")
