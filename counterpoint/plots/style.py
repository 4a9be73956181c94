"""How our pictures look: colours, new axes, legends. Global rcParams are never touched."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib import cbook
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator

from counterpoint._text import visible

# Okabe and Ito, "Color universal design", 2008: told apart with any kind of colour vision.
OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky blue": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
}
# One for each ensemble or class, in this order; yellow is too pale for lines on white.
COLOURS = tuple(
    OKABE_ITO[name]
    for name in ("blue", "vermilion", "green", "purple", "orange", "sky blue", "black")
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "0.45"

# Keyword arguments for matplotlib that overrule our own choice of how something looks.
Look = Mapping[str, Any] | None

# Marks lines that we drew, so that the next one gets the next colour.
LINE = "counterpoint-line"
# Marks axes that we made, so that drawing on them again keeps their legend outside.
_OURS = "counterpoint"


def colour(k: int) -> str:
    """Return the colour of the k-th thing on the axes."""
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Return the marker of the k-th thing on the axes."""
    # One further each time round, so that no colour meets the same marker again.
    return MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]


def dashes(k: int) -> str:
    """Return the line style of the k-th thing: solid until colours run out."""
    return ("-", "--", "-.", ":")[k // len(COLOURS) % 4]


def tint(base: str, share: float = 0.3) -> tuple[float, ...]:
    """Return ``base`` mixed with white: that share of it stays."""
    return tuple(share * part + 1.0 - share for part in to_rgb(base))


def ink_on(fill: Any) -> str:
    """Return white or near black, whichever can be read on ``fill``."""
    red, green, blue = to_rgb(fill)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "0.1"


def number(value: float) -> str:
    """Return three digits for people: no exponent for thousands, a proper minus."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}")


def get_axes(ax: Axes | None, figsize: tuple[float, float]) -> Axes:
    """Return ``ax``, or axes on a new figure."""
    if ax is not None:
        return check_axes(ax)
    ax = plt.subplots(figsize=figsize, layout="constrained")[1]
    claim(ax)
    return ax


def check_axes(ax: Any) -> Axes:
    """Return ``ax`` if it is one."""
    if isinstance(ax, Axes):
        return ax
    hint = " A figure has several: pass one, such as figure.axes[0]." if hasattr(ax, "axes") else ""
    raise TypeError(f"ax must be matplotlib Axes or None, got {type(ax).__name__}.{hint}")


def claim(ax: Axes) -> None:
    """Mark axes on a figure of ours, and take off what they do not need."""
    ax.set_gid(_OURS)
    ax.spines[["top", "right"]].set_visible(False)


def count_drawn(ax: Axes, gid: str) -> int:
    """Count what was drawn on ``ax`` under this id: the next one gets the next colour."""
    return sum(child.get_gid() == gid for child in ax.get_children())


def merge(
    defaults: Mapping[str, Any], given: Mapping[str, Any] | None, artist: type[Artist]
) -> dict[str, Any]:
    """Return the defaults overruled by what the user gave, under any alias (``lw``, ``c``)."""
    chosen = dict(defaults)
    named = cbook.normalize_kwargs(dict(given or {}), artist)
    if "c" in named:  # scatter's own colour argument, which matplotlib will not have twice
        chosen.pop("color", None)
    return {**chosen, **named}


def add_line(ax: Axes, x: Any, y: Any, given: Look = None, **look: Any) -> Line2D:
    """Draw one more line in a colour of its own, overruled by what the user gave."""
    k = count_drawn(ax, LINE)
    look = {"color": colour(k), "linestyle": dashes(k), "gid": LINE, **look}
    return ax.plot(x, y, **merge(look, given, Line2D))[0]


def draw_legend(
    ax: Axes, extra: Sequence[Artist] = (), given: Mapping[str, Any] | None = None
) -> None:
    """Explain what is on ``ax``, and ``extra``: outside of our own axes, inside of others."""
    handles = [*ax.get_legend_handles_labels()[0], *extra]
    if not handles:
        return
    given = dict(given or {})
    place: dict[str, Any] = {"loc": "best", "framealpha": 0.9}
    if ax.get_gid() == _OURS:
        place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0}
        place["frameon"] = False
    if "loc" in given:
        place.pop("bbox_to_anchor", None)
    ax.legend(handles=handles, **{"fontsize": "small", **place, **given})


def label(text: str) -> str:
    """Return a name from data for a tick: hidden characters named, dollar signs no formula."""
    return re.sub(r"(?<!\\)\$", r"\\$", visible(text))


def show_hidden(axes: Iterable[Axes], *, math: bool = True) -> None:
    """Name characters that cannot be seen, in all text on the axes; obey none of them.

    ``math=False`` takes dollar signs for what they are, too: for pictures without formulas.
    """
    for ax in axes:
        legend = ax.get_legend()
        texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        texts += [] if legend is None else [legend.get_title(), *legend.get_texts()]
        for text in texts:
            text.set_text(visible(text.get_text()))
            text.set_parse_math(text.get_parse_math() and math)
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):  # else the ticks are numbers
                given = [tick.get_text() for tick in axis.get_ticklabels()]
                shown = [visible(name) if math else label(name) for name in given]
                if shown != given:
                    axis.set_ticklabels(shown)


def thinned(items: Sequence[Any], most: int) -> Iterable[tuple[int, Any]]:
    """Return at most ``most`` items with their positions, evenly spaced, the first included."""
    step = -(-len(items) // most)
    return list(enumerate(items))[::step]
