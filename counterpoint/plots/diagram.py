"""A decision diagram, drawn from its first question down to its answers."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.text import Text

from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.trees import DecisionDiagram
from counterpoint.trees.diagrams.structure import check_diagram

# Most questions that are written out, letters of each, and rounds of putting them in order.
_WRITTEN, _LETTERS, _ROUNDS = 40, 22, 8


@dataclass(kw_only=True)
class DiagramDisplay(Display):
    """Questions from the top down, each below all that lead to it; answers at the bottom.

    Full lines are taken by samples that are not above the threshold, dashed ones by those above.
    Questions are written out where there are at most 40.

    Parameters
    ----------
    diagram : DecisionDiagram

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.plots import DiagramDisplay
    >>> from counterpoint.trees import equivalent_diagram
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y)
    >>> DiagramDisplay.from_diagram(equivalent_diagram(forest)).table().columns.tolist()
    ['question', 'low', 'high', 'level', 'ways']
    """

    diagram: DecisionDiagram

    @classmethod
    def from_diagram(
        cls, diagram: DecisionDiagram, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw a diagram; options as for ``plot`` and ``draw``."""
        return cls(diagram=check_diagram(diagram)).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return a row per question: what it asks, what follows, its level, lines that lead to it.

        ``low`` and ``high`` are the next question, or the class where there is none.
        """
        d = self.diagram
        names, classes = d.names, d.classes
        ends = np.concatenate([d.low, d.high])
        frame = pd.DataFrame(
            {
                "question": [
                    f"{names[f]} ≤ {style.number(cut)}"
                    for f, cut in zip(d.feature, d.threshold, strict=True)
                ],
                "low": [int(e) if e >= 0 else str(classes[-1 - e]) for e in d.low],
                "high": [int(e) if e >= 0 else str(classes[-1 - e]) for e in d.high],
                "level": self._levels(),
                "ways": np.bincount(ends[ends >= 0], minlength=d.n_nodes),
            }
        )
        return frame.rename_axis("node")

    def _levels(self):
        """Most lines from the first question to each."""
        d = self.diagram
        level = np.zeros(d.n_nodes, dtype=np.int64)
        for node in range(d.n_nodes):
            for end in (d.low[node], d.high[node]):
                if end >= 0:
                    level[end] = max(level[end], level[node] + 1)
        return level

    def _size(self) -> tuple[float, float]:
        levels = self._levels()
        width = np.bincount(levels).max(initial=1)
        written = self.diagram.n_nodes <= _WRITTEN
        height = 0.5 if written else 0.25
        return float(np.clip(2.1 * width if written else 0.25 * width, 5, 14)), float(
            np.clip(height * (levels.max(initial=0) + 2) + 0.6, 2.5, 12)
        )

    def _places(self):
        """Where questions and answers are: across from -1 to 1, down by level."""
        d, levels = self.diagram, self._levels()
        used = np.unique(-1 - np.concatenate([d.low[d.low < 0], d.high[d.high < 0]]))
        if d.root < 0:
            used = np.array([-1 - d.root])
        bottom = levels.max(initial=0) + 1
        where = dict(
            zip((-1 - used).tolist(), np.linspace(-0.9, 0.9, len(used) + 2)[1:-1], strict=True)
        )
        across = np.zeros(d.n_nodes)
        # Questions stand above the middle of what follows them, in turns from below and above.
        for turn in range(_ROUNDS):
            for node in range(d.n_nodes - 1, -1, -1):
                ends = [int(d.low[node]), int(d.high[node])]
                across[node] = np.mean([across[e] if e >= 0 else where[e] for e in ends])
            for level in np.unique(levels):
                here = np.flatnonzero(levels == level)
                order = here[np.argsort(across[here], kind="stable")]
                even = np.linspace(-1, 1, len(here) + 2)[1:-1]
                share = (turn + 1) / _ROUNDS
                across[order] = share * even + (1 - share) * across[order]
        places = {node: (across[node], -levels[node]) for node in range(d.n_nodes)}
        return places | {answer: (x, -bottom) for answer, x in where.items()}

    def draw(
        self, ax: Axes, *, text_kwargs: style.Look = None, line_kwargs: style.Look = None
    ) -> list[Line2D]:
        """Draw on these axes; the options are for ``Axes.text`` and for the lines."""
        d, places = self.diagram, self._places()
        sides = (("-", d.low, "up to the threshold"), ("--", d.high, "above it"))
        key = []
        for k, (dashes, ends, name) in enumerate(sides):
            look: Any = {"color": style.colour(k), "linestyle": dashes, "linewidth": 0.8}
            look = style.merge(look, line_kwargs, Line2D)
            lines = [(places[node], places[int(end)]) for node, end in enumerate(ends)]
            ax.add_collection(LineCollection(lines, **look))
            key.append(Line2D([], [], **look, label=name))
        written = d.n_nodes <= _WRITTEN
        looks = style.merge({"ha": "center", "va": "center", "fontsize": 7}, text_kwargs, Text)
        box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": style.GREY}
        for node, question in enumerate(self.table()["question"] if written else []):
            text = question if len(question) <= _LETTERS else f"…{question[1 - _LETTERS :]}"
            x, y = places[node]
            ax.text(x, y, style.label(text), bbox={**box, "linewidth": 0.6}, **looks)
        if not written:
            at = np.array([places[node] for node in range(d.n_nodes)])
            ax.scatter(at[:, 0], at[:, 1], s=6, color="0.2", zorder=2)
        for answer, place in places.items():
            if answer < 0:
                fill = style.tint(style.colour(-1 - answer))
                label = style.label(str(d.classes[-1 - answer]))
                ax.text(place[0], place[1], label, bbox={**box, "facecolor": fill}, **looks)
        heights = [y for _, y in places.values()]
        ax.set(xlim=(-1.05, 1.05), ylim=(min(heights) - 0.6, max(heights) + 0.6))
        ax.set_title(f"{d.n_nodes} questions, at most {d.depth} on a way")
        ax.set_axis_off()
        return key
