"""Mean ranks of methods over data sets, with the difference that a test can see."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.selection import RankComparison, compare_ranks


@dataclass(kw_only=True)
class RankDisplay(Display):
    """A point per method at its mean rank; bars join those a test cannot tell apart.

    The critical-difference diagram of Demsar (2006), turned so that names can be read: the best
    method is on top.

    Attributes
    ----------
    comparison : RankComparison
        What is drawn.
    scatter_ : PathCollection
        Set by :meth:`plot`, as is ``bars_``: a line for each group.

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
        cls,
        table: pd.DataFrame,
        *,
        lower_is_better: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
        **options: Any,
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
        ax, **options
            As for ``plot`` and ``draw``.
        """
        comparison = compare_ranks(table, lower_is_better=lower_is_better, alpha=alpha)
        return cls(comparison=comparison).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per method: its mean rank, and whether it is as good as the best."""
        ranks = self.comparison.mean_ranks
        near = ranks - ranks.iloc[0] < self.comparison.critical_difference
        columns = {"method": ranks.index.to_list(), "mean_rank": ranks.to_numpy()}
        return pd.DataFrame({**columns, "like_the_best": near.to_numpy()})

    def _size(self) -> tuple[float, float]:
        return 6.4, 0.8 + 0.32 * len(self.comparison.mean_ranks)

    def draw(self, ax: Axes, *, scatter_kwargs: style.Look = None) -> None:
        """Draw on these axes; ``scatter_kwargs`` are for ``Axes.scatter``."""
        result = self.comparison
        ranks, names = result.mean_ranks.to_numpy(), list(result.mean_ranks.index)
        places = np.arange(len(names))
        look: dict[str, Any] = {"color": style.colour(0), "s": 45, "zorder": 3}
        look.update(scatter_kwargs or {})
        ax.hlines(places, ranks[0], ranks, color="0.88", linewidth=0.8, zorder=1)
        self.scatter_ = ax.scatter(ranks, places, **look)
        self.bars_: list[Line2D] = []
        for k, group in enumerate(result.groups()):
            own = [names.index(name) for name in (group[0], group[-1])]
            # Bars stand to the right of all points, one beside the other.
            across = ranks[-1] + (0.6 + 0.35 * k) * max(1.0, len(names) / 8)
            self.bars_ += ax.plot(
                [across, across], own, color=style.GREY, linewidth=3, solid_capstyle="butt",
                label="not told apart" if k == 0 else None,
            )  # fmt: skip
        ax.set_yticks(places, names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel=f"Mean rank over {result.n_sets} data sets (1 is best)")
        ax.set_title(
            f"Critical difference {style.number(result.critical_difference)} "
            f"at {result.alpha:g}; Friedman p = {result.p_value:.2g}",
            fontsize="medium", loc="left",
        )  # fmt: skip
