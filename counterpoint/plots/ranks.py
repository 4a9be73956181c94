"""Mean ranks of methods over data sets, with the difference that a test can see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from counterpoint.plots import _style
from counterpoint.selection import RankComparison, compare_ranks


@dataclass(kw_only=True)
class RankDisplay:
    """A point per method at its mean rank; bars join those a test cannot tell apart.

    The critical-difference diagram of Demsar (2006), turned so that names can be read: the best
    method is on top.

    Attributes
    ----------
    comparison : RankComparison
        What is drawn.
    scatter_ : PathCollection
        Set by :meth:`plot`, as are ``bars_`` (a line for each group), ``ax_`` and ``figure_``.

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.plots import RankDisplay
    >>> errors = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.3], "c": [0.3, 0.4, 0.5]})
    >>> RankDisplay.from_table(errors).table()["method"].tolist()
    ['a', 'b', 'c']
    """

    comparison: RankComparison

    @classmethod
    def from_table(
        cls, table, *, lower_is_better: bool = True, alpha: float = 0.05, ax=None, **options: Any
    ) -> Self:
        """Rank the methods, then draw.

        Parameters
        ----------
        table : DataFrame of shape (n_sets, n_methods)
            A score for each method on each data set; columns are the methods.
        lower_is_better : bool, default=True
            Whether small scores are good.
        alpha : float, default=0.05
            Level of the test.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **options
            As in :meth:`plot`.

        Returns
        -------
        RankDisplay
        """
        found = compare_ranks(table, lower_is_better=lower_is_better, alpha=alpha)
        return cls(comparison=found).plot(ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per method: its mean rank, and whether it is as good as the best."""
        ranks = self.comparison.mean_ranks
        near = ranks - ranks.iloc[0] < self.comparison.critical_difference
        return pd.DataFrame(
            {
                "method": ranks.index.to_list(),
                "mean_rank": ranks.to_numpy(),
                "like_the_best": near.to_numpy(),
            }
        )

    def plot(self, ax=None, *, scatter_kwargs: Mapping[str, Any] | None = None) -> Self:
        """Draw on ``ax`` or a new figure; never call ``show``.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
        scatter_kwargs : dict, default=None
            For matplotlib's ``scatter``.

        Returns
        -------
        RankDisplay
        """
        found = self.comparison
        ranks, names = found.mean_ranks.to_numpy(), list(found.mean_ranks.index)
        ax = _style.get_axes(ax, (6.4, 0.8 + 0.32 * len(names)))
        places = np.arange(len(names))
        style: dict[str, Any] = {"color": _style.colour(0), "s": 45, "zorder": 3}
        style.update(scatter_kwargs or {})
        ax.hlines(places, ranks[0], ranks, color="0.88", linewidth=0.8, zorder=1)
        self.scatter_ = ax.scatter(ranks, places, **style)
        groups = found.groups()
        self.bars_: list[Line2D] = []
        for k, group in enumerate(groups):
            own = [names.index(name) for name in (group[0], group[-1])]
            # Bars stand to the right of all points, one beside the other.
            across = ranks[-1] + (0.6 + 0.35 * k) * max(1.0, len(names) / 8)
            self.bars_ += ax.plot(
                [across, across], own, color=_style.GREY, linewidth=3, solid_capstyle="butt",
                label="not told apart" if k == 0 else None,
            )  # fmt: skip
        ax.set_yticks(places, names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel=f"Mean rank over {found.n_sets} data sets (1 is best)")
        ax.set_title(
            f"Critical difference {_style.number(found.critical_difference)} "
            f"at {found.alpha:g}; Friedman p = {found.p_value:.2g}",
            fontsize="medium", loc="left",
        )  # fmt: skip
        if groups:
            _style.draw_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
