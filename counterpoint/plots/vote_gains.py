"""What each member wins and loses when it joins the vote."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import pandas as pd
from matplotlib.axes import Axes

from counterpoint import diversity
from counterpoint.plots import style
from counterpoint.plots.display import EnsembleDisplay, whole_numbers


@dataclass(kw_only=True)
class VoteGainsDisplay(EnsembleDisplay):
    """Samples that each member wins and loses when it joins, and the accuracy they add up to.

    A bar above the line is the share of samples the vote gets right because of the new member,
    one below what it gets wrong because of it; the line is the accuracy of the vote so far.

    Parameters
    ----------
    values : DataFrame
        From :func:`counterpoint.diversity.vote_gains`.

    Examples
    --------
    >>> from counterpoint.plots import VoteGainsDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "a"], ["b", "b", "b", "a"]]
    >>> display = VoteGainsDisplay.from_predictions(["a", "b", "b", "b"], votes)
    >>> display.table()["accuracy"].tolist()
    [0.75, 0.5, 0.75]
    """

    values: pd.DataFrame

    several: ClassVar[bool] = False
    size: ClassVar = (6.4, 4.4)

    @classmethod
    def compute(cls, outputs: Any) -> Self:
        """Let the members join one after the other."""
        return cls(values=diversity.vote_gains(outputs))

    def table(self) -> pd.DataFrame:
        """Return a row per number of members."""
        return self.values

    def draw(self, ax: Axes, *, bar_kwargs: style.Look = None) -> None:
        """Draw on these axes; ``bar_kwargs`` are for ``Axes.bar``."""
        at, values = self.values.index, self.values
        bars = {"width": 0.8, **(bar_kwargs or {})}
        ax.bar(at, values["won"], **{"color": style.colour(2), "label": "won", **bars})
        ax.bar(at, -values["lost"], **{"color": style.colour(1), "label": "lost", **bars})
        ax.plot(
            at,
            values["accuracy"],
            color=style.colour(0),
            linewidth=1.8,
            label="accuracy of the vote",
        )
        ax.axhline(0, color=style.GREY, linewidth=1, zorder=0.5)
        ax.set(title="What each member brings", xlabel="Members", ylabel="Share of samples")
        whole_numbers(ax)
