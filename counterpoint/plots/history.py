"""What a boosting method recorded, round by round."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from counterpoint._typing import Estimator
from counterpoint.plots import style
from counterpoint.plots.display import PanelDisplay, fitted_attribute, whole_numbers

_TITLES = {
    "alpha": "Weight of the member",
    "error": "Weighted error of the member",
    "penalty": "Mean penalty p (lower: more disagreement)",
    "ambiguity": "Ambiguity (higher: voting gains more)",
    "covariance": "Covariance with the vote before (lower: kept apart)",
    "lam": "Lambda",
    "z": "Z",
}


@dataclass(kw_only=True)
class HistoryDisplay(PanelDisplay):
    """Errors of a boosted ensemble, and what else was recorded, after every round.

    Errors of the vote share the upper panel, on the training data and on every evaluation set;
    each further column of ``history_`` has a panel of its own.

    Parameters
    ----------
    values : DataFrame
        As ``history_`` of the methods in ``counterpoint.boosting``; the index counts members.
    columns : list of str
        What to show below the errors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import AdaBoostNCClassifier
    >>> from counterpoint.plots import HistoryDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaBoostNCClassifier(n_estimators=5)
    >>> model = model.fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    >>> HistoryDisplay.from_estimator(model).table().columns.tolist()
    ['train_error', 'eval_error', 'covariance', 'eval_covariance']
    """

    values: pd.DataFrame
    columns: list[str]

    @classmethod
    def from_estimator(cls, estimator: Estimator, **options: Any) -> Self:
        """Draw ``history_`` of a fitted boosting method; options as for :meth:`from_history`."""
        hint = "a fitted method of counterpoint.boosting"
        return cls.from_history(fitted_attribute(estimator, "history_", hint), **options)

    @classmethod
    def from_history(
        cls,
        history: pd.DataFrame,
        *,
        columns: str | Sequence[str] = ("covariance",),
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw a history.

        Parameters
        ----------
        history : DataFrame
            ``history_`` of a fitted method.
        columns : str or sequence of str, default=("covariance",)
            Columns to show below the errors; for ``covariance``, ``ambiguity`` and ``member_error``
            the same on evaluation sets is drawn beside it. Those not recorded are left out if
            they are the default, else an error.
        ax, **options
            As for ``plot`` and ``draw``.
        """
        chosen = [columns] if isinstance(columns, str) else list(columns)
        missing = [name for name in chosen if name not in history]
        if missing and tuple(chosen) != ("covariance",):
            raise ValueError(
                f"The history has no column {missing[0]!r}. It has: {', '.join(history.columns)}."
            )
        chosen = [name for name in chosen if name in history]
        return cls(values=history, columns=chosen).plot(ax, **options)

    @property
    def n_panels(self) -> int:
        """One for the errors and one per column."""
        return 1 + len(self.columns)

    def _errors(self) -> list[str]:
        names = [str(c) for c in self.values]
        own = [c for c in names if c.endswith("_error") and not c.endswith("member_error")]
        return own or [c for c in names if c == "error"]

    def _beside(self, column: str) -> list[str]:
        return [column, *(str(c) for c in self.values if str(c).endswith(f"_{column}"))]

    def table(self) -> pd.DataFrame:
        """Return what is shown: one row per number of members."""
        below = [name for column in self.columns for name in self._beside(column)]
        return self.values[[*self._errors(), *below]]

    def draw(self, panels: list[Axes], *, line_kwargs: style.Look = None) -> None:
        """Draw on these panels: the errors, then a column each; ``line_kwargs`` for all lines."""
        at = self.values.index
        sets = {name.removesuffix("_error"): k for k, name in enumerate(self._errors())}
        sets.setdefault("train", 0)
        for name in self._errors():
            which = name.removesuffix("_error")
            label = {"train": "training data", "eval": "evaluation data", "error": "weighted"}
            self._line(panels[0], at, name, sets[which], line_kwargs, label.get(which, which))
        for panel, column in zip(panels[1:], self.columns, strict=True):
            for name in self._beside(column):
                which = "train" if name == column else name.removesuffix(f"_{column}")
                if which in sets:
                    self._line(panel, at, name, sets[which], line_kwargs)
            panel.set_title(_TITLES.get(column, column), loc="left", fontsize="small")
        panels[0].set(title="Round by round", ylabel="Error of the vote")
        panels[-1].set_xlabel("Members")
        whole_numbers(panels[-1])

    def _line(self, panel, at, name, k, line_kwargs, label=None):
        look = style.merge({"color": style.colour(k), "linewidth": 1.6}, line_kwargs, Line2D)
        panel.plot(at, self.values[name], **{"label": label, **look})
