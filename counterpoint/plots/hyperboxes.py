"""The boxes of a classifier made of them, in the plane."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike, NDArray

from counterpoint._typing import DataLike, Estimator
from counterpoint.plots import plane, style
from counterpoint.plots.display import Display


@dataclass(kw_only=True)
class HyperboxDisplay(Display):
    """The boxes of a model of two features, over the data.

    Inside a box a sample belongs to its class fully. Boxes without an end are cut off at the edge
    of the picture.

    Parameters
    ----------
    lower, upper : ndarray of shape (n_boxes, 2)
        Corners; may be infinite.
    box_classes : ndarray of shape (n_boxes,)
        Their labels.
    box_weights : ndarray of shape (n_boxes,)
        Samples in each.
    classes : ndarray of shape (n_classes,)
        All labels.
    labels : tuple of two str
        The features.
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        The data on top.
    title : str

    Attributes
    ----------
    boxes_ : list of Rectangle
        What was drawn last.

    Examples
    --------
    >>> from counterpoint.datasets import make_ripley
    >>> from counterpoint.hyperboxes import HyperboxClassifier
    >>> from counterpoint.plots.hyperboxes import HyperboxDisplay
    >>> X, y = make_ripley(random_state=0)
    >>> display = HyperboxDisplay.from_estimator(HyperboxClassifier().fit(X, y), X, y)
    >>> list(display.table())
    ['class', 'samples', 'Feature 0 from', 'Feature 0 to', 'Feature 1 from', 'Feature 1 to']
    """

    lower: NDArray
    upper: NDArray
    box_classes: NDArray
    box_weights: NDArray
    classes: NDArray
    labels: tuple[str, str]
    X: NDArray
    y: NDArray
    title: str = "Boxes"

    size: ClassVar = (6.4, 4.8)

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: DataLike,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Take the boxes of a fitted model, then draw them.

        Parameters
        ----------
        estimator : HyperboxClassifier or HyperboxEnsembleClassifier
            Fitted on two features.
        X : array-like or frame of shape (n_samples, 2)
        y : array-like of shape (n_samples,)
            The truth.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        if not hasattr(type(estimator), "boxes_"):
            raise TypeError(
                f"{type(estimator).__name__} has no boxes: pass a HyperboxClassifier or a "
                "HyperboxEnsembleClassifier."
            )
        points, y, labels = plane.check_plane(estimator, X, y)
        if estimator.n_features_in_ != 2:
            raise ValueError(
                f"The boxes have {estimator.n_features_in_} sides, expected 2: fit on two features."
            )
        lower, upper = estimator.boxes_
        return cls(
            lower=lower,
            upper=upper,
            box_classes=estimator.box_classes_,
            box_weights=estimator.box_weights_,
            classes=estimator.classes_,
            labels=labels,
            X=points,
            y=y,
            title=f"{len(lower)} box{'' if len(lower) == 1 else 'es'} of a "
            f"{type(estimator).__name__}",
        ).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return the boxes, a row each."""
        columns: dict[str, NDArray] = {"class": self.box_classes, "samples": self.box_weights}
        for i, label in enumerate(self.labels):
            columns[f"{label} from"], columns[f"{label} to"] = self.lower[:, i], self.upper[:, i]
        return pd.DataFrame(columns)

    def draw(
        self,
        ax: Axes,
        *,
        eps: float | None = None,
        box_kwargs: style.Look = None,
        scatter_kwargs: style.Look = None,
    ) -> list[Any]:
        """Draw on these axes.

        Parameters
        ----------
        ax : matplotlib Axes
        eps : float, default=None
            How far the picture reaches beyond the data. None: 5 % of its range, each way.
        box_kwargs : dict, default=None
            For ``matplotlib.patches.Rectangle``.
        scatter_kwargs : dict, default=None
            For ``Axes.scatter`` of the data.
        """
        low, high = plane.limits(self.X, eps)
        room = high - low  # an edge that is nowhere is drawn outside of the picture
        lower = np.maximum(self.lower, low - room)
        upper = np.minimum(self.upper, high + room)
        self.boxes_ = []
        for v, w, label in zip(lower, upper, self.box_classes, strict=True):
            hue = style.colour(int(np.flatnonzero(self.classes == label)[0]))
            look: dict[str, Any] = {"facecolor": (*style.tint(hue, 0.5), 0.55), "edgecolor": hue}
            look |= {"linewidth": 1.0, "zorder": 0.5}
            box = Rectangle(tuple(v), *(w - v), **style.merge(look, box_kwargs, Rectangle))
            self.boxes_.append(ax.add_patch(box))
        plane.draw_points(ax, self.X, self.y, self.classes, scatter_kwargs)
        ax.set(xlabel=self.labels[0], ylabel=self.labels[1], title=self.title)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        return [Patch(facecolor="0.9", edgecolor=style.GREY, label="box of the class")]
