"""Error and diversity of an ensemble as it grows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from counterpoint import diversity
from counterpoint.plots import style
from counterpoint.plots.display import (
    EnsembleDisplay,
    PanelDisplay,
    legend_names,
    measure_label,
    named_outputs,
    need_members,
    whole_numbers,
)

_ERRORS = ("vote_error", "member_error")


@dataclass(kw_only=True)
class TrajectoryDisplay(PanelDisplay, EnsembleDisplay):
    """Errors, and any measures, after the first 1, 2, ..., T members.

    The error of the vote (solid) and the mean error of a member (dashed) share the upper
    panel: the gap between them is what voting gains. Each measure has a panel of its own below,
    since their ranges differ.

    Parameters
    ----------
    values : DataFrame
        One row per ``ensemble`` and number of ``members``: ``vote_error``, ``member_error``,
        and a column per measure, named as in ``MEASURES``.

    Attributes
    ----------
    axes_ : list of Axes
        The panels: errors, then one per measure. Pass them as ``ax`` to draw another
        ensemble into the same panels.

    See Also
    --------
    counterpoint.diversity.trajectory : The values themselves.

    Examples
    --------
    >>> from counterpoint.plots import TrajectoryDisplay
    >>> votes = [["a", "b", "b", "a"], ["a", "a", "b", "b"], ["b", "b", "b", "b"]]
    >>> y = ["a", "b", "b", "b"]
    >>> display = TrajectoryDisplay.from_predictions(y, votes, measures=["disagreement"])
    >>> display.table().round(2)
       ensemble  members  vote_error  member_error  disagreement
    0  ensemble        1        0.25          0.25           NaN
    1  ensemble        2        0.50          0.25           0.5
    2  ensemble        3        0.00          0.25           0.5
    """

    values: pd.DataFrame

    @property
    def measures(self) -> list[str]:
        """Names of the measures below the errors."""
        known = ("ensemble", "members", *_ERRORS)
        return [str(column) for column in self.values if column not in known]

    @property
    def n_panels(self) -> int:
        """One for the errors and one per measure."""
        return 1 + len(self.measures)

    @classmethod
    def compute(
        cls, outputs: Any, *, measures: str | Sequence[str] = ("q",), name: str | None = None
    ) -> Self:
        """Follow the members as they join.

        Parameters
        ----------
        outputs : MemberOutputs, or dict of them by name
            Members in the order in which they join.
        measures : str or sequence of str, default=("q",)
            Names in ``counterpoint.diversity.MEASURES``; empty for the errors alone, which are
            always there.
        name : str, default=None
            What to call a single ensemble.
        """
        chosen = [measures] if isinstance(measures, str) else list(measures)
        columns = list(dict.fromkeys([*_ERRORS, *chosen]))
        grown = []
        for called, one in named_outputs(outputs, name).items():
            need_members(one, 2, "A trajectory", called)
            frame = diversity.trajectory(one, columns).reset_index()
            frame.insert(0, "ensemble", called)
            grown.append(frame)
        return cls(values=pd.concat(grown, ignore_index=True))

    def table(self) -> pd.DataFrame:
        """Return the values: one row per ensemble and number of members."""
        return self.values

    def draw(
        self, panels: list[Axes], *, name: str | None = None, line_kwargs: style.Look = None
    ) -> list[Any]:
        """Draw on these panels: the errors, then a measure each.

        ``name`` is another name for the legend, where the display holds one ensemble;
        ``line_kwargs`` are for ``Axes.plot`` of all lines.
        """
        for ensemble, label in legend_names(self.values["ensemble"], name).items():
            k = style.count_drawn(panels[0], style.LINE)
            look = style.merge({"color": style.colour(k), "linewidth": 1.6}, line_kwargs, Line2D)
            lines = self.values[self.values["ensemble"] == ensemble]
            at = lines["members"]
            panels[0].plot(at, lines["vote_error"], **{"gid": style.LINE, "label": label, **look})
            dashed = {**look, "linestyle": "--", "linewidth": 0.75 * look["linewidth"]}
            panels[0].plot(at, lines["member_error"], **dashed)
            for panel, measure in zip(panels[1:], self.measures, strict=True):
                # A lone defined value has no line: show it as a dot.
                alone = {"marker": "."} if lines[measure].notna().sum() == 1 else {}
                panel.plot(at, lines[measure], **{**alone, **look})
        panels[0].set(title="As the ensemble grows", ylabel="Error")
        for panel, measure in zip(panels[1:], self.measures, strict=True):
            # Above, not beside: a long name would not fit the height of a small panel.
            panel.set_title(measure_label(measure), loc="left", fontsize="small")
        panels[-1].set_xlabel("Members")
        whole_numbers(panels[-1])
        last = max(np.max(line.get_xdata()) for line in panels[0].lines)
        panels[-1].set_xlim(0.5, last + 0.5)
        grey: dict[str, Any] = {"color": style.GREY}
        return [
            Line2D([], [], lw=1.6, label="error of the vote", **grey),
            Line2D([], [], lw=1.2, ls="--", label="mean member error", **grey),
        ]
