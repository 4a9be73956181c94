import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.naive_bayes import GaussianNB

from counterpoint import plots
from counterpoint.plots import Display, EnsembleDisplay, PanelDisplay, style


def test_public_names():
    assert plots.__all__ == sorted(plots.__all__)
    shown = {name for name in dir(plots) if name.endswith("Display") or name.startswith("plot_")}
    assert shown == set(plots.__all__)


DISPLAYS = [
    name
    for name in plots.__all__
    if name.endswith("Display")
    and getattr(plots, name) not in (Display, EnsembleDisplay, PanelDisplay)
]


@pytest.mark.parametrize("name", DISPLAYS)
def test_every_display_has_the_same_ways_in_and_out(name):
    display = getattr(plots, name)
    assert issubclass(display, Display)
    assert display.draw is not Display.draw
    assert display.table is not Display.table
    assert any(way.startswith("from_") for way in dir(display))
    if issubclass(display, EnsembleDisplay):  # pictures of what members said
        assert callable(display.from_estimator)
        assert callable(display.from_predictions)


def test_colours_and_markers_do_not_meet_again_for_long():
    looks = [(style.colour(k), style.marker(k)) for k in range(49)]
    assert len(set(looks)) == 49
    lines = [(style.colour(k), style.dashes(k)) for k in range(28)]
    assert len(set(lines)) == 28


def test_ink_can_be_read_on_any_fill():
    for grey in np.linspace(0, 1, 21):
        ink = to_rgb(style.ink_on(str(grey)))[0]
        assert abs(ink - grey) >= 0.4


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.100"),
        (-2669.4, "\N{MINUS SIGN}2,669"),
        (123.4, "123"),
        (12.34, "12.3"),
        (0, "0.00"),
    ],
)
def test_numbers_for_people(value, text):
    assert style.number(value) == text


@pytest.mark.parametrize(("n", "kept"), [(3, [0, 1, 2]), (5, [0, 2, 4]), (6, [0, 2, 4])])
def test_thinned(n, kept):
    assert [at for at, _ in style.thinned("abcdef"[:n], 3)] == kept


def test_overlap_would_be_noticed(assert_readable):
    _, ax = plt.subplots(figsize=(2, 2))
    ax.set_xticks([0, 1, 2], ["a long label"] * 3)
    with pytest.raises(AssertionError, match="overlaps"):
        assert_readable(ax.figure)
    _, ax = plt.subplots()
    ax.plot([0, 1], label="a line")
    ax.legend(loc="center")
    with pytest.raises(AssertionError, match="on the data"):
        assert_readable(ax.figure)


def test_hidden_characters_of_names_are_shown_on_every_kind_of_text():
    ax = plt.subplots()[1]
    ax.plot([0, 1], [0, 1], label="a\u202eb")
    ax.set(title="t\x1b", xlabel="x\u2066", ylabel="$y$")
    ax.set_xticks([0, 1], ["no\u200f", "yes"], rotation=90)
    ax.text(0, 0, "in\u061cside")
    style.draw_legend(ax)
    style.show_hidden([ax])
    ax.figure.draw_without_rendering()
    assert ax.get_title() == "t⟨U+001B⟩"
    assert ax.get_xlabel() == "x⟨U+2066⟩"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["no⟨U+200F⟩", "yes"]
    assert ax.get_xticklabels()[0].get_rotation() == 90
    assert ax.texts[0].get_text() == "in⟨U+061C⟩side"
    assert ax.get_legend().get_texts()[0].get_text() == "a⟨U+202E⟩b"
    assert ax.yaxis.label.get_parse_math()
    plt.close(ax.figure)


@pytest.mark.parametrize("show", ["display", "panels", "boundary"])
def test_displays_show_hidden_characters(show):
    votes = np.array([[0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 0, 0]])
    name = "tree\u202e"
    if show == "display":
        drawn = plots.KappaErrorDisplay.from_predictions([0, 1, 0, 1], {name: votes})
    elif show == "panels":
        drawn = plots.TrajectoryDisplay.from_predictions([0, 1, 0, 1], {name: votes})
    else:
        X = pd.DataFrame({name: [0.0, 1, 0, 1], "b": [0.0, 0, 1, 1]})
        model = GaussianNB().fit(X, [0, 1, 0, 1])
        drawn = plots.plot_decision_boundary(model, X, [0, 1, 0, 1])
        assert drawn.ax_.get_xlabel() == "tree⟨U+202E⟩"
        return
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert "tree⟨U+202E⟩" in texts
