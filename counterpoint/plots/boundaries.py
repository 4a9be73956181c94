"""Decision regions of a classifier in the plane, drawn by scikit-learn's own display."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.inspection import DecisionBoundaryDisplay

from counterpoint._typing import DataLike, Estimator
from counterpoint._validation import check_count
from counterpoint.plots import plane, style


def plot_decision_boundary(
    estimator: Estimator,
    X: DataLike,
    y: ArrayLike,
    *,
    ax: Axes | None = None,
    grid_resolution: int = 200,
    eps: float | None = None,
    scatter_kwargs: style.Look = None,
    legend_kwargs: style.Look = None,
    **boundary_kwargs: Any,
) -> DecisionBoundaryDisplay:
    """Draw the decision regions of a classifier of two features, and the data on them.

    Parameters
    ----------
    estimator : fitted classifier
    X : array-like or frame of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        The truth.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.
    grid_resolution : int, default=200
        Points along each side of the grid.
    eps : float, default=None
        How far the picture reaches beyond the data. None: 5 % of its range, each way.
    scatter_kwargs : dict, default=None
        For ``Axes.scatter`` of the data.
    legend_kwargs : dict, default=None
        For ``Axes.legend``.
    **boundary_kwargs
        For ``Axes.pcolormesh`` of the regions.

    Returns
    -------
    display : sklearn.inspection.DecisionBoundaryDisplay
        With ``ax_`` and ``figure_``.

    See Also
    --------
    MemberBoundariesDisplay : The boundaries of the members, too.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.datasets import make_ripley
    >>> from counterpoint.plots import plot_decision_boundary
    >>> X, y = make_ripley(random_state=0)
    >>> display = plot_decision_boundary(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y)
    >>> display.ax_.get_title()
    'DecisionTreeClassifier'
    """
    check_count(grid_resolution, "grid_resolution", low=2)
    points, y, labels = plane.check_plane(estimator, X, y)
    classes = estimator.classes_
    ax = style.get_axes(ax, figsize=(6.4, 4.8))
    display = DecisionBoundaryDisplay.from_estimator(
        estimator,
        # Of the data it only reads names and limits: these leave as much room on either side.
        plane.like(X, np.array(plane.limits(points, eps))),
        eps=0.0,
        ax=ax,
        response_method="predict",
        plot_method="pcolormesh",
        grid_resolution=grid_resolution,
        xlabel=labels[0],
        ylabel=labels[1],
        **{"zorder": -1, "rasterized": True, **boundary_kwargs},
    )
    # Colours by class, whatever scikit-learn of this version does for two classes or more.
    display.surface_.set_cmap(plane.region_colours(len(classes)))
    display.surface_.set_clim(-0.5, len(classes) - 0.5)
    plane.draw_points(ax, points, y, classes, scatter_kwargs)
    style.draw_legend(ax, given=legend_kwargs)
    style.show_hidden([ax])
    ax.set_title(type(estimator).__name__)
    return display
