"""What pictures of the plane share: its limits, its regions, the data on it."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import ListedColormap
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from counterpoint._arrays import SQUARABLE, as_array, as_floats
from counterpoint._validation import check_number
from counterpoint.plots import style


def check_plane(estimator, X, y) -> tuple[NDArray, NDArray, tuple[str, str]]:
    """Return the data as arrays, and names of its two features."""
    if not hasattr(estimator, "__sklearn_tags__") or not is_classifier(estimator):
        raise TypeError(
            f"Decision regions are of classifiers, which {type(estimator).__name__} is not."
        )
    check_is_fitted(estimator)
    points, y = as_floats(X, "X", ("n_samples", "n_features")), as_array(y, "y")
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"X has shape {points.shape}, expected (n_samples, 2): regions can be drawn for two "
            "features only. Fit on two columns, or on two components of all of them."
        )
    if not len(points):
        raise ValueError("X is empty: the data tell which part of the plane to draw.")
    if not np.isfinite(points).all():
        raise ValueError("X holds NaN or infinity: leave out rows that have no place in the plane.")
    if y.shape != (len(points),):
        raise ValueError(f"y has shape {y.shape}, expected ({len(points)},): one per row of X.")
    strange = y[~np.isin(y, estimator.classes_)].tolist()
    if strange:
        raise ValueError(
            f"y has the label {strange[0]!r}, which the classifier never saw: it knows "
            f"{estimator.classes_.tolist()}."
        )
    names = list(getattr(X, "columns", ("Feature 0", "Feature 1")))
    return points, y, (str(names[0]), str(names[1]))


def limits(points: NDArray, eps: float | None) -> tuple[NDArray, NDArray]:
    """Return the lower left and upper right corner of the picture."""
    if eps is not None:
        check_number(eps, "eps", low=0, high=SQUARABLE, hint=", or None")
    low, high = points.min(axis=0), points.max(axis=0)
    # A feature that never varies still needs some room to be drawn in.
    room = np.where(high > low, 0.05 * (high - low), 0.5) if eps is None else float(eps)
    return low - room, high + room


def like(X, array: NDArray):
    """Return the array in a frame where X is one: members may look columns up by name."""
    if not hasattr(X, "columns"):
        return array
    return type(X)(dict(zip(X.columns, array.T, strict=True)))


def region_colours(n_classes: int) -> ListedColormap:
    """Return a pale colour for each class."""
    return ListedColormap([style.tint(style.colour(k)) for k in range(n_classes)])


def draw_points(ax: Axes, points: NDArray, y: NDArray, classes: NDArray, given: style.Look) -> None:
    """Draw the data, a colour and a marker for each class."""
    for k, label in enumerate(classes):
        look = {
            "s": float(np.clip(6000 / len(points), 8, 26)),
            "color": style.colour(k),
            "marker": style.marker(k),
            "edgecolor": "white",
            "linewidth": 0.5,
            "label": f"class {label}" if np.issubdtype(classes.dtype, np.number) else str(label),
        }
        here = y == label
        ax.scatter(*points[here].T, **style.merge(look, given, PathCollection))
