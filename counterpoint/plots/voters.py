"""How good voters are, as far as their votes tell."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike

from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.trust import TruthEstimate, estimate_truth


@dataclass(kw_only=True)
class VotersDisplay(Display):
    """Estimated accuracy of each voter with its limits, the best above; copies are tied together.

    Parameters
    ----------
    voters : DataFrame
        As :meth:`counterpoint.trust.TruthEstimate.table` gives it.
    copies : DataFrame
        As :func:`counterpoint.trust.copying_pairs` gives it.

    Examples
    --------
    >>> from counterpoint.datasets import make_votes
    >>> from counterpoint.plots import VotersDisplay
    >>> display = VotersDisplay.from_votes(make_votes(200, random_state=0).votes)
    >>> len(display.table())
    7
    """

    voters: pd.DataFrame
    copies: pd.DataFrame

    size: ClassVar = (6.4, 4.2)

    @classmethod
    def from_votes(
        cls,
        votes: ArrayLike | dict[Any, Any],
        *,
        ax: Axes | None = None,
        random_state: Any = 0,
        **options: Any,
    ) -> Self:
        """Estimate the truth of votes by :func:`counterpoint.trust.estimate_truth`; then draw."""
        return cls.from_truth(estimate_truth(votes, random_state=random_state), ax=ax, **options)

    @classmethod
    def from_truth(cls, truth: TruthEstimate, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw what ``estimate_truth`` has found."""
        return cls(voters=truth.table(), copies=truth.copies).plot(ax=ax, **options)

    @classmethod
    def from_summary(
        cls, summary: dict[str, Any], *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw what :func:`counterpoint.tabular.summarise_votes` gives."""
        voters = pd.DataFrame(summary["members"]).rename(columns={"name": "member"})
        copies = pd.DataFrame(summary["copies"], columns=["first", "second", "share"])
        return cls(voters=voters.drop(columns="confusion"), copies=copies).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per voter."""
        return self.voters

    def draw(self, ax: Axes, *, most: int = 30) -> list[Any]:
        """Draw the best on these axes, ``most`` of them."""
        shown = self.voters.sort_values("accuracy", ascending=False, kind="stable").head(most)
        place = {name: k for k, name in enumerate(shown["member"])}
        at = np.arange(len(shown))
        reach = [shown["accuracy"] - shown["low"], shown["high"] - shown["accuracy"]]
        ax.errorbar(
            shown["accuracy"], at, xerr=np.maximum(np.array(reach, dtype=float), 0), fmt="o",
            color=style.colour(0), capsize=3,
        )  # fmt: skip
        key = []
        for first, second in zip(self.copies["first"], self.copies["second"], strict=True):
            if first in place and second in place:
                ax.plot(
                    shown["accuracy"].iloc[[place[first], place[second]]],
                    [place[first], place[second]], color=style.colour(1), linewidth=2, zorder=0,
                )  # fmt: skip
                key = [Line2D([], [], color=style.colour(1), linewidth=2, label="copy each other")]
        ax.set_yticks(at, [style.label(str(name)) for name in shown["member"]])
        ax.invert_yaxis()
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.set(xlabel="Accuracy, estimated from the votes alone", title="Voters")
        return key
