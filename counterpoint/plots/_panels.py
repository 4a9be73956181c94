"""Panels one above the other that share their x axis."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from counterpoint.plots import _style


def stacked_panels(ax, n: int) -> list[Axes]:
    """Return n panels one above the other, the first twice as high, on ``ax`` or a new figure.

    ``ax`` may be that many axes, or one that is part of a grid and is split.
    """
    ratios = [2.0] + [1.0] * (n - 1)
    if ax is None:
        _, grid = plt.subplots(
            n,
            1,
            sharex=True,
            squeeze=False,
            figsize=(7.2, 2.3 + 1.5 * n),
            height_ratios=ratios,
            layout="constrained",
        )
        panels = list(grid[:, 0])
        for panel in panels:
            _style.claim(panel)
        return panels
    if not isinstance(ax, Axes) and not hasattr(ax, "__len__"):
        _style.check_axes(ax)
    if isinstance(ax, Axes) and n == 1:
        return [ax]
    if not isinstance(ax, Axes):
        panels = [_style.check_axes(one) for one in ax]
        if len(panels) != n:
            raise ValueError(
                f"ax has {len(panels)} axes, but {n} are needed: one for the errors and one for "
                "each measure. Pass that many, or a single one to be split."
            )
        return panels
    place = ax.get_subplotspec()
    if place is None:
        raise ValueError(
            f"ax is not part of a grid, so it cannot be split into {n} panels: make it with "
            f"plt.subplots, or pass {n} axes."
        )
    figure = ax.figure
    # Without a layout engine nobody else makes room for the titles.
    room = 0.6 if figure.canvas.figure.get_layout_engine() is None else None
    rows = place.subgridspec(n, 1, height_ratios=ratios, hspace=room)
    ax.set_axis_off()
    top = figure.add_subplot(rows[0])
    below = [figure.add_subplot(rows[k], sharex=top) for k in range(1, n)]
    for panel in [top, *below][:-1]:
        panel.tick_params(labelbottom=False)
    return [top, *below]
