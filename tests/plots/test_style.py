import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from counterpoint import plots
from counterpoint.plots import Display, EnsembleDisplay, PanelDisplay, style


def test_public_names():
    assert plots.__all__ == sorted(plots.__all__)
    shown = {name for name in vars(plots) if name.endswith("Display") or name.startswith("plot_")}
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
