"""Rankings of rare cases: what is found by how far one goes down, and by how far one looks back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter
from numpy.typing import ArrayLike

from counterpoint._validation import check_choice, check_number
from counterpoint.plots import style
from counterpoint.plots.display import Display
from counterpoint.sequences.lift import lift_curve

_TITLES = {
    "precision": "Part of those taken that are positive",
    "g": "Times as good as chance (g)",
    "sensitivity": "Part of the positives that are found",
    "specificity": "Part of the others that are left alone",
    "profit": "Gains less costs",
}


@dataclass(kw_only=True)
class LiftDisplay(Display):
    """What taking the first so many of a ranking brings, for one or more rankings.

    Attributes
    ----------
    curves : dict of DataFrame
        One :func:`counterpoint.sequences.lift_curve` per name.
    prior : float
        Share of positives: the precision of chance.
    lines_ : list of Line2D
        Set by :meth:`plot`.

    Examples
    --------
    >>> from counterpoint.plots import LiftDisplay
    >>> display = LiftDisplay.from_predictions([1, 0, 0, 1], [0.9, 0.2, 0.4, 0.3])
    >>> display.table()["precision"][0].item()
    1.0
    """

    curves: dict[str, pd.DataFrame]
    prior: float

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike | Mapping[str, ArrayLike],
        *,
        pos_label: Any = 1,
        gain: float = 5.0,
        cost: float = 1.0,
        name: str = "ranking",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Follow one ranking, or several by name, from the top; then draw.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        scores : array-like of shape (n_samples,), or dict of them
            Higher is taken first.
        pos_label : label, default=1
            The rare class.
        gain, cost : float
            What a positive that is taken saves, and what taking one costs.
        name : str, default="ranking"
            For the legend, if there is one ranking.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        named = scores if isinstance(scores, Mapping) else {name: scores}
        curves = {
            str(key): lift_curve(y_true, one, pos_label=pos_label, gain=gain, cost=cost)
            for key, one in named.items()
        }
        if not curves:
            raise ValueError("The dict of rankings is empty: there is nothing to draw.")
        prior = float(np.mean(np.asarray(y_true) == pos_label))
        return cls(curves=curves, prior=prior).plot(ax, **options)

    def table(self) -> pd.DataFrame:
        """Return what is plotted: the curves below each other, with the name of the ranking."""
        parts = [curve.assign(ranking=name) for name, curve in self.curves.items()]
        return pd.concat(parts, ignore_index=True)

    def draw(
        self,
        ax: Axes,
        *,
        what: str = "precision",
        most: float = 0.02,
        line_kwargs: style.Look = None,
    ) -> None:
        """Draw on these axes.

        Parameters
        ----------
        ax : matplotlib Axes
        what : {"precision", "g", "sensitivity", "specificity", "profit"}, default="precision"
            What to follow.
        most : float, default=0.02
            Share of the samples up to which to draw.
        line_kwargs : dict, default=None
            For matplotlib's ``plot``.
        """
        check_choice(what, "what", _TITLES)
        check_number(most, "most", low=0, high=1, open_low=True)
        self.lines_ = []
        for name, curve in self.curves.items():
            shown = curve[(curve["share"] <= most) | (curve["n"] == 1)]
            line = style.add_line(ax, shown["share"], shown[what], line_kwargs, label=name)
            self.lines_.append(line)
        chance = {"precision": self.prior, "g": 1.0}.get(what)
        if chance is not None:
            ax.axhline(chance, color=style.GREY, linestyle=":", linewidth=1, label="chance")
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
        ax.set(xlabel="Share of all that is taken, from the top", ylabel=_TITLES[what])
        ax.set_ylim(bottom=0.0 if what != "profit" else None)


@dataclass(kw_only=True)
class RelevanceHorizonDisplay(Display):
    """A score against how many past events a method looks at.

    Attributes
    ----------
    lengths : ndarray
        Numbers of past events.
    scores : dict of ndarray of shape (n_lengths, n_repeats)
        A score per method, length and repeat.
    score_name : str
        For the axis.

    Examples
    --------
    >>> from counterpoint.plots import RelevanceHorizonDisplay
    >>> display = RelevanceHorizonDisplay.from_scores([1, 2, 3], {"KNN": [4.0, 9.0, 7.0]})
    >>> display.table()["KNN"].tolist()
    [4.0, 9.0, 7.0]
    """

    lengths: np.ndarray
    scores: dict[str, np.ndarray]
    score_name: str = "g"

    @classmethod
    def from_scores(
        cls,
        lengths: ArrayLike,
        scores: Mapping[str, ArrayLike],
        *,
        score_name: str = "Times as good as chance (g)",
        ax: Axes | None = None,
    ) -> Self:
        """Draw scores that were computed for each length of history.

        Parameters
        ----------
        lengths : array-like of int
            Numbers of past events.
        scores : dict of array-like of shape (n_lengths,) or (n_lengths, n_repeats)
            By method.
        score_name : str
            For the axis.
        ax : matplotlib Axes, default=None
        """
        lengths = np.asarray(lengths)
        read = {}
        for name, values in scores.items():
            values = np.asarray(values, dtype=float)
            values = values[:, None] if values.ndim == 1 else values
            if values.ndim != 2 or len(values) != len(lengths):
                raise ValueError(
                    f"scores of {name!r} have shape {values.shape}, expected ({len(lengths)},) or "
                    f"({len(lengths)}, n_repeats): one row per length."
                )
            read[str(name)] = values
        if not read:
            raise ValueError("The dict of scores is empty: there is nothing to draw.")
        return cls(lengths=lengths, scores=read, score_name=score_name).plot(ax=ax)

    def table(self) -> pd.DataFrame:
        """Return the mean score per length, a column per method."""
        means = {name: values.mean(axis=1) for name, values in self.scores.items()}
        return pd.DataFrame(means, index=pd.Index(self.lengths, name="length"))

    def draw(self, ax: Axes) -> None:
        """Draw means, and bars of one standard error where there are repeats."""
        self.lines_ = []
        for name, values in self.scores.items():
            mean, n_repeats = values.mean(axis=1), values.shape[1]
            marker = style.marker(style.count_drawn(ax, style.LINE))
            line = style.add_line(ax, self.lengths, mean, label=name, marker=marker)
            if n_repeats > 1:
                spread = values.std(axis=1, ddof=1) / np.sqrt(n_repeats)
                look: dict[str, Any] = {"fmt": "none", "ecolor": line.get_color(), "capsize": 3}
                ax.errorbar(self.lengths, mean, yerr=spread, **look)
            self.lines_.append(line)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set(xlabel="Past events looked at", ylabel=self.score_name)
