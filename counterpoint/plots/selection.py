"""The way of a search over members: error and criterion after each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from counterpoint._typing import Estimator
from counterpoint._validation import check_choice
from counterpoint.plots import style
from counterpoint.plots.display import Display, fitted_attribute
from counterpoint.selection import Trace

_TITLES = {"error": "Error of the vote", "criterion": "Criterion (lower is better)"}


@dataclass(kw_only=True)
class SelectionDisplay(Display):
    """Error or criterion against the number of members, for one or more searches.

    Attributes
    ----------
    traces : dict of Trace
        By name.
    lines_ : list of Line2D
        Set by :meth:`plot`.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.plots import SelectionDisplay
    >>> from counterpoint.selection import select_forward
    >>> outputs = MemberOutputs([[0, 0, 1], [1, 1, 1], [0, 1, 0]], [0, 1, 1])
    >>> SelectionDisplay.from_traces(select_forward(outputs)).table()["size"].tolist()
    [1, 2, 3]
    """

    traces: dict[str, Trace]

    @classmethod
    def from_traces(
        cls, traces: Any, *, name: str | None = None, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw what searches left behind.

        Parameters
        ----------
        traces : Trace, or dict of them
            From the functions of :mod:`counterpoint.selection`.
        name : str, default=None
            For the legend, if there is one search. None is the name of the search.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        if isinstance(traces, Trace):
            traces = {traces.method if name is None else name: traces}
        elif isinstance(traces, Mapping) and name is not None:
            raise ValueError(f"name={name!r} is for one search: change the keys of the dict.")
        if not isinstance(traces, Mapping) or not all(
            isinstance(trace, Trace) for trace in traces.values()
        ):
            raise TypeError(
                f"traces is a {type(traces).__name__}, expected a Trace such as "
                "select_forward(outputs) returns, or a dict of them."
            )
        if not traces:
            raise ValueError("The dict of searches is empty: there is nothing to draw.")
        return cls(traces={str(k): trace for k, trace in traces.items()}).plot(ax=ax, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the search of a fitted :class:`~counterpoint.selection.EnsembleSelectionClassifier`.

        Its ``trace_`` goes to :meth:`from_traces`, with the options.
        """
        hint = "a fitted EnsembleSelectionClassifier, or a Trace to from_traces"
        return cls.from_traces(fitted_attribute(estimator, "trace_", hint), ax=ax, **options)

    def table(self) -> pd.DataFrame:
        """Return the steps below each other, with the name of the search."""
        parts = [trace.table().assign(search=name) for name, trace in self.traces.items()]
        return pd.concat(parts, ignore_index=True)

    def draw(self, ax: Axes, *, what: str = "error", line_kwargs: style.Look = None) -> list[Any]:
        """Draw on these axes; the step that was chosen has a ring around it.

        Parameters
        ----------
        ax : matplotlib Axes
        what : {"error", "criterion"}, default="error"
            The error of the plain vote, or what the search went by.
        line_kwargs : dict, default=None
            For matplotlib's ``plot``.
        """
        check_choice(what, "what", _TITLES)
        self.lines_ = []
        for name, trace in self.traces.items():
            sizes = np.array([len(step) for step in trace.steps])
            values = trace.errors if what == "error" else trace.values
            shown = np.where(np.isfinite(values), values, np.nan)
            marker = style.marker(style.count_drawn(ax, style.LINE))
            look = {"marker": marker, "markersize": 3.5, "linewidth": 1.2, "label": name}
            # A search that stays at one size, or comes back to it, is a set of points.
            if len(np.unique(sizes)) < len(sizes) or len(sizes) == 1:
                look["linestyle"] = "none"
            self.lines_.append(style.add_line(ax, sizes, shown, line_kwargs, **look))
            ax.plot(
                sizes[trace.best], shown[trace.best], marker="o", markersize=11, linestyle="none",
                markerfacecolor="none", markeredgewidth=1.5,
                markeredgecolor=self.lines_[-1].get_color(),
            )  # fmt: skip
        ring = Line2D(
            [], [], marker="o", markersize=9, linestyle="none", markerfacecolor="none",
            markeredgecolor=style.GREY, label="chosen",
        )  # fmt: skip
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel="Members in the ensemble", ylabel=_TITLES[what])
        return [ring]
