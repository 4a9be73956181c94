"""Margins of the vote, as a cumulative distribution."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from counterpoint import diversity
from counterpoint.plots import style
from counterpoint.plots.display import EnsembleDisplay, legend_names, named_outputs

# Shares of votes are sums of weights: a tie may miss zero by a rounding error.
_ROUNDING = 12


@dataclass(kw_only=True)
class MarginDisplay(EnsembleDisplay):
    """Cumulative distribution of the margins of a vote.

    A margin is the share of votes for the truth less that for its best rival. Where the curve
    meets the line at zero, marked by a dot, its height is the share of samples that the vote
    has wrong, up to ties. A curve low to the left of zero and steep near one is a sure vote.

    Parameters
    ----------
    curves : DataFrame
        One row per ``ensemble`` and distinct ``margin``: the ``share`` of samples with at most
        that margin.
    summary : DataFrame
        One row per ensemble: share ``below_zero`` and ``at_zero`` (ties), ``vote_error``.

    See Also
    --------
    counterpoint.diversity.vote_margins : The margins themselves.

    References
    ----------
    .. [1] Schapire, Freund, Bartlett and Lee, "Boosting the margin", Annals of Statistics 26,
       1998.

    Examples
    --------
    >>> from counterpoint.plots import MarginDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
    >>> MarginDisplay.from_predictions(["a", "b", "b", "b"], votes).table().round(2)
       ensemble  margin  share
    0  ensemble   -1.00   0.25
    1  ensemble    0.33   0.75
    2  ensemble    1.00   1.00
    """

    curves: pd.DataFrame
    summary: pd.DataFrame

    size: ClassVar = (6.0, 4.4)
    legend: ClassVar = {"loc": "upper left"}  # a distribution leaves this corner free

    @classmethod
    def compute(cls, outputs: Any, *, name: str | None = None) -> Self:
        """Take the margins of the vote of an ensemble, called ``name``, or of each in a dict."""
        curves, shares = [], {}
        for called, one in named_outputs(outputs, name).items():
            margins = np.round(diversity.vote_margins(one), _ROUNDING) + 0.0  # no minus zero
            values, at = np.unique(margins, return_inverse=True)
            mass = np.bincount(at, weights=one.sample_weight, minlength=len(values)).astype(float)
            mass /= mass.sum()
            curve = {"ensemble": called, "margin": values, "share": mass.cumsum()}
            curves.append(pd.DataFrame(curve))
            shares[called] = {
                "below_zero": float(mass[values < 0].sum()),
                "at_zero": float(mass[values == 0].sum()),
                "vote_error": diversity.vote_error(one),
            }
        return cls(
            curves=pd.concat(curves, ignore_index=True),
            summary=pd.DataFrame.from_dict(shares, orient="index").rename_axis("ensemble"),
        )

    def table(self) -> pd.DataFrame:
        """Return the curves: one row per ensemble and margin. Shares at zero are in ``summary``."""
        return self.curves

    def draw(self, ax: Axes, *, name: str | None = None, line_kwargs: style.Look = None) -> None:
        """Draw on these axes; those that already have a curve get one more, in its own colour.

        ``name`` is another name for the legend, where the display holds one ensemble;
        ``line_kwargs`` are for ``Axes.plot`` of the curves.
        """
        first = style.count_drawn(ax, style.LINE) == 0
        for ensemble, label in legend_names(self.summary.index, name).items():
            curve = self.curves[self.curves["ensemble"] == ensemble]
            below = self.summary.loc[ensemble, "below_zero"]
            look = {"linewidth": 1.8, "drawstyle": "steps-post"}
            look["label"] = f"{label} ({below:.1%} below 0)"
            # From end to end, whatever margins occur.
            x = np.concatenate([[-1.0], curve["margin"], [1.0]])
            y = np.concatenate([[0.0], curve["share"], [1.0]])
            line = style.add_line(ax, x, y, line_kwargs, **look)
            ax.plot(0, below, "o", ms=7, color=line.get_color(), mec="white", mew=1, zorder=4)
        if first:
            ax.axvline(0, color=style.GREY, linewidth=1, linestyle="--", zorder=0.5)
        ax.set(
            title="Margins of the vote",
            xlabel="Margin (below 0: the vote is wrong)",
            ylabel="Cumulative share of samples",
            xlim=(-1.02, 1.02),
            ylim=(-0.01, 1.01),
        )
