"""Boundaries of the members of an ensemble, in the plane."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint._typing import DataLike, Estimator
from counterpoint._validation import check_count
from counterpoint.plots import plane, style
from counterpoint.plots.display import Display


@dataclass(kw_only=True)
class MemberBoundariesDisplay(Display):
    """The boundary of each member as a thin line over the regions of the ensemble.

    Where lines lie on top of each other the members agree; where they spread, they do not.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (n_rows, n_columns)
        The grid.
    votes : ndarray of shape (n_members, n_rows, n_columns)
        What each member says there, as positions in ``classes``.
    region : ndarray of shape (n_rows, n_columns)
        What the ensemble says there.
    classes : ndarray of shape (n_classes,)
    names : list of str
        The members.
    labels : tuple of two str
        The features.
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        The data on top.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from counterpoint.datasets import make_ripley
    >>> from counterpoint.plots import MemberBoundariesDisplay
    >>> X, y = make_ripley(random_state=0)
    >>> bagging = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> display = MemberBoundariesDisplay.from_estimator(bagging, X, y, grid_resolution=50)
    >>> display.table().shape
    (2500, 8)
    """

    xx0: NDArray
    xx1: NDArray
    votes: NDArray
    region: NDArray
    classes: NDArray
    names: list[str]
    labels: tuple[str, str]
    X: NDArray
    y: NDArray

    size: ClassVar = (6.4, 4.8)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: DataLike,
        y: ArrayLike,
        *,
        grid_resolution: int = 200,
        eps: float | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Ask the members of a fitted ensemble all over the plane, then draw.

        Parameters
        ----------
        estimator : fitted ensemble of classifiers
            Whatever ``MemberOutputs.from_estimator`` can take apart, with a ``predict``.
        X : array-like or frame of shape (n_samples, 2)
        y : array-like of shape (n_samples,)
            The truth.
        grid_resolution : int, default=200
            Points along each side of the grid.
        eps : float, default=None
            How far the picture reaches beyond the data. None: 5 % of its range, each way.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        points, y, labels = plane.check_plane(estimator, X, y)
        check_count(grid_resolution, "grid_resolution", low=2)
        xx0, xx1 = np.meshgrid(*np.linspace(*plane.limits(points, eps), grid_resolution).T)
        grid = plane.like(X, np.column_stack([xx0.ravel(), xx1.ravel()]))
        outputs = MemberOutputs.from_estimator(estimator, grid)
        region = np.searchsorted(outputs.classes, estimator.predict(grid))
        return cls(
            xx0=xx0,
            xx1=xx1,
            votes=outputs.votes.reshape(-1, *xx0.shape),
            region=region.reshape(xx0.shape),
            classes=outputs.classes,
            names=list(outputs.names),
            labels=labels,
            X=points,
            y=y,
        ).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return the grid: a row per point, what the ensemble and each member say there."""
        grid = {self.labels[0]: self.xx0.ravel(), self.labels[1]: self.xx1.ravel()}
        labels = {"ensemble": self.region, **dict(zip(self.names, self.votes, strict=True))}
        return pd.DataFrame(
            {**grid, **{who: self.classes[what.ravel()] for who, what in labels.items()}}
        )

    def draw(
        self, ax: Axes, *, line_kwargs: style.Look = None, scatter_kwargs: style.Look = None
    ) -> list[Any]:
        """Draw on these axes.

        ``line_kwargs`` are for ``Axes.contour`` of the members' boundaries: ``colors``,
        ``linewidths``, ``alpha``; ``scatter_kwargs`` for ``Axes.scatter`` of the data.
        """
        k = len(self.classes)
        colours: dict[str, Any] = {
            "cmap": plane.region_colours(k),
            "vmin": -0.5,
            "vmax": k - 0.5,
        }
        ax.pcolormesh(self.xx0, self.xx1, self.region, zorder=-1, rasterized=True, **colours)
        many = float(np.clip(8 / len(self.votes), 0.25, 0.7))
        look = {"colors": "black", "linewidths": 0.7, "alpha": many, **(line_kwargs or {})}
        for votes in self.votes:
            levels = np.arange(votes.min(), votes.max()) + 0.5
            if len(levels):  # one class everywhere has no boundary
                ax.contour(self.xx0, self.xx1, votes, levels=levels, **look)
        plane.draw_points(ax, self.X, self.y, self.classes, scatter_kwargs)
        ax.set(xlabel=self.labels[0], ylabel=self.labels[1])
        ax.set_title(f"Boundaries of {len(self.votes)} members over their ensemble")
        return [Line2D([], [], color="black", lw=0.7, alpha=0.7, label="boundary of a member")]
