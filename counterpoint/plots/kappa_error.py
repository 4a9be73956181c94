"""The kappa-error diagram."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D

from counterpoint import diversity
from counterpoint.plots import style
from counterpoint.plots.display import EnsembleDisplay, legend_names, named_outputs, need_members

_CLOUD = "counterpoint-cloud"


@dataclass(kw_only=True)
class KappaErrorDisplay(EnsembleDisplay):
    """One point per pair of members: how far they agree, how often they err.

    Low and to the left is good: pairs that are right and yet differ. A cloud that is low but
    to the right is accurate and all alike; one that is far left but high disagrees because
    it is wrong. Kappa is NaN for two members that always say the same one class: such a pair is
    in the table, but neither drawn nor part of the mean.

    Parameters
    ----------
    points : DataFrame
        One row per pair: ``ensemble``, ``first`` and ``second`` (its members), ``kappa`` of
        their labels, and their mean ``error``.
    summary : DataFrame
        One row per ensemble: mean ``kappa`` and ``error`` of its pairs, ``vote_error``.

    See Also
    --------
    counterpoint.diversity.kappa_error : The diagram as one number.

    References
    ----------
    .. [1] Margineantu and Dietterich, "Pruning adaptive boosting", ICML 1997.

    Examples
    --------
    >>> from counterpoint.plots import KappaErrorDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
    >>> display = KappaErrorDisplay.from_predictions(["a", "b", "b", "b"], votes)
    >>> display.table().round(2)
       ensemble     first    second  kappa  error
    0  ensemble  member 0  member 1    0.5   0.38
    1  ensemble  member 0  member 2    0.5   0.38
    2  ensemble  member 1  member 2    0.2   0.50
    """

    points: pd.DataFrame
    summary: pd.DataFrame

    size: ClassVar = (7.2, 4.6)

    @classmethod
    def compute(cls, outputs: Any, *, name: str | None = None) -> Self:
        """Measure every pair of an ensemble, called ``name``, or of each in a dict by name."""
        clouds, means = [], {}
        for called, one in named_outputs(outputs, name, counted=True).items():
            need_members(one, 2, "A diagram of pairs", called)
            i, j = np.triu_indices(one.n_members, k=1)
            names = np.array(one.names, dtype=object)
            kappa = diversity.matrix(one, "label_kappa")[i, j]
            error = (one.errors[i] + one.errors[j]) / 2
            cloud = {"ensemble": called, "first": names[i], "second": names[j]}
            clouds.append(pd.DataFrame({**cloud, "kappa": kappa, "error": error}))
            drawn = ~np.isnan(kappa)
            means[called] = {
                "kappa": diversity.label_kappa(one),
                "error": float(error[drawn].mean()) if drawn.any() else float("nan"),
                "vote_error": diversity.vote_error(one),
            }
        return cls(
            points=pd.concat(clouds, ignore_index=True),
            summary=pd.DataFrame.from_dict(means, orient="index").rename_axis("ensemble"),
        )

    def table(self) -> pd.DataFrame:
        """Return the points: one row per pair. The means are in ``summary``."""
        return self.points

    def draw(
        self,
        ax: Axes,
        *,
        name: str | None = None,
        show_vote: bool = True,
        scatter_kwargs: style.Look = None,
    ) -> list[Any]:
        """Draw on these axes; those that already have a cloud get one more, in its own colour.

        Parameters
        ----------
        ax : matplotlib Axes
        name : str, default=None
            Another name for the legend, where the display holds one ensemble.
        show_vote : bool, default=True
            Mark the error of the vote below the mean of the pairs: the gap is what voting
            gains.
        scatter_kwargs : dict, default=None
            For ``Axes.scatter`` of the points.
        """
        for ensemble, label in legend_names(self.summary.index, name).items():
            k = style.count_drawn(ax, _CLOUD)
            colour, marker = style.colour(k), style.marker(k)
            cloud = self.points[self.points["ensemble"] == ensemble]
            # Small and pale when there are many, so that the density shows.
            look: dict[str, Any] = {"s": float(np.clip(4000 / len(cloud), 9, 40))}
            look["alpha"] = float(np.clip(60 / len(cloud), 0.25, 0.7))
            look |= {"color": colour, "marker": marker, "linewidth": 0, "gid": _CLOUD}
            ax.scatter(
                cloud["kappa"], cloud["error"], **style.merge(look, scatter_kwargs, PathCollection)
            )
            mean = self.summary.loc[ensemble]
            if show_vote:
                at = mean["kappa"]
                ax.plot([at, at], [mean["error"], mean["vote_error"]], color=colour, lw=1, ls=":")
                ax.plot(at, mean["vote_error"], marker="_", ms=16, mew=2.5, color=colour, zorder=4)
            ax.scatter(
                mean["kappa"], mean["error"], s=95, color=colour, marker=marker, label=label,
                edgecolor="black", linewidth=1.2, zorder=5,
            )  # fmt: skip
        ax.set(
            title="Kappa-error diagram",
            xlabel="Agreement of the pair (kappa of labels)",
            ylabel="Mean error of the pair",
        )
        key: list[dict[str, Any]] = [
            {"marker": "o", "ms": 4, "label": "one pair"},
            {"marker": "o", "ms": 9, "mec": "black", "mew": 1.2, "label": "mean of the pairs"},
            {"marker": "_", "ms": 14, "mew": 2.5, "label": "error of the vote"},
        ]
        shown = key if show_vote else key[:-1]
        return [Line2D([], [], color=style.GREY, linestyle="none", **look) for look in shown]
