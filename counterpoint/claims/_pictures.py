"""How the pictures of claims look: panels, and the source's numbers in them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from counterpoint.plots.style import colour

# The source's numbers are hollow or dashed, ours solid.
THEIRS_MARK: dict[str, Any] = {
    "linestyle": "none",
    "marker": "o",
    "markerfacecolor": "none",
    "markeredgecolor": "black",
    "markersize": 8,
}
THEIRS_LINE: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1}


def panels(
    n: int, *, columns: int = 3, size: tuple[float, float] = (3.6, 2.8), **options: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``n`` panels, without pyplot, those left over taken away."""
    columns = min(n, columns)
    rows = math.ceil(n / columns)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for ax in axes[n:]:
        ax.remove()
    for ax in axes[:n]:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes[:n]


def shared_legend(figure: Figure, axes: Sequence[Axes], columns: int = 8) -> None:
    """Draw one legend of all labels below the panels."""
    labelled: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        labelled |= dict(zip(labels, handles, strict=True))
    if not labelled:
        return
    figure.legend(
        list(labelled.values()),
        list(labelled),
        loc="outside lower center",
        ncols=min(columns, len(labelled)),
        fontsize=8,
        frameon=False,
    )


def draw_error_and_nodes(
    frame: pd.DataFrame,
    table: pd.DataFrame,
    *,
    against: str,
    label: str,
    methods: Iterable[str],
    levels: Mapping[str, tuple[str, Any]],
    columns: Mapping[str, str],
    at: float,
    size: tuple[float, float],
    log_nodes: bool = False,
) -> Figure:
    """Draw error above and number of nodes below, a column of panels per data set.

    ``frame`` has rows of folds, ``table`` the source's errors, and its nodes in columns that end in
    " nodes", which it has ``at`` one place of the abscissa ``against``. ``methods`` are curves,
    those in ``columns`` with the source's; ``levels`` do not depend on the abscissa.
    """
    figure, axes = panels(2 * len(table), columns=len(table), size=size)
    for row, (value, suffix) in enumerate((("error", ""), ("nodes", " nodes"))):
        for column, name in enumerate(table.index):
            ax = axes[len(table) * row + column]
            theirs = table.loc[name]
            rows = frame[frame["data"] == name]
            for j, method in enumerate(methods):
                mean = rows[rows["method"] == method].groupby(against)[value].mean()
                ax.plot(mean.index, mean, color=colour(j), marker=".", label=method)
                if method in columns:
                    look = THEIRS_MARK | {"markeredgecolor": colour(j)}
                    known = theirs[f"{columns[method]}{suffix}"]
                    ax.plot([at], [known], **look, label="source: hollow, dashed")
            for method, (known_as, ink) in levels.items():
                if f"{known_as}{suffix}" in table:
                    ours = rows[rows["method"] == method][value].mean()
                    ax.axhline(ours, color=ink, linewidth=1, label=method)
                    known = float(theirs[f"{known_as}{suffix}"])
                    ax.axhline(known, color=ink, linewidth=1, linestyle="--")
            if row == 0:
                ax.set_title(name)
            else:
                ax.set_xlabel(label)
                if log_nodes:
                    ax.set_yscale("log")
        axes[len(table) * row].set_ylabel(value)
    shared_legend(figure, axes)
    return figure
