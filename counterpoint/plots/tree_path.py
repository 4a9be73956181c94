"""Trees of every size: what they are expected to err."""

from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
from matplotlib.axes import Axes

from counterpoint._typing import Estimator
from counterpoint.plots import style
from counterpoint.plots.display import Display, fitted_attribute, whole_numbers


@dataclass(kw_only=True)
class TreePathDisplay(Display):
    """Errors against the number of leaves, and the size that was taken.

    One line is what the best tree of each size is expected to err by soft targets, which falls with
    every leaf; the other the error out of bag of the ensemble's own trees at that size, which has
    its least where trees of this data should stop.

    Parameters
    ----------
    path : DataFrame
        ``path_`` of a fitted ``MergedTreeClassifier`` or ``MergedTreeRegressor``.
    n_leaves : int
        Leaves of the tree that was taken.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.plots import TreePathDisplay
    >>> from counterpoint.trees import MergedTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = MergedTreeClassifier(10, max_leaf_nodes=8, random_state=0).fit(X, y)
    >>> TreePathDisplay.from_estimator(model).table().columns.tolist()
    ['leaves', 'cost', 'oob_error']
    """

    path: pd.DataFrame
    n_leaves: int

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the path of a fitted model; options as for ``plot`` and ``draw``."""
        hint = "a MergedTreeClassifier or MergedTreeRegressor fitted with max_leaf_nodes"
        path = fitted_attribute(estimator, "path_", hint)
        return cls(path=path, n_leaves=int(estimator.n_leaves_)).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return what is drawn: a row per number of leaves."""
        return self.path

    def draw(self, ax: Axes, *, line_kwargs: style.Look = None) -> None:
        """Draw on these axes; ``line_kwargs`` are for ``Axes.plot`` of both lines."""
        at = self.path.index
        style.add_line(ax, at, self.path["cost"], line_kwargs, label="expected of the best tree")
        style.add_line(
            ax,
            at,
            self.path["oob_error"],
            line_kwargs,
            label="out of bag, the ensemble's own trees",
        )
        ax.axvline(self.n_leaves, color=style.GREY, linewidth=1, linestyle="--", zorder=0.5)
        ax.set(title="Trees of every size", xlabel="Leaves", ylabel="Error")
        whole_numbers(ax)
