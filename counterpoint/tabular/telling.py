"""What tables for people tell about models of classes and of numbers, column by column.

One shape for both tasks, in the terminal and on the page: what differs is in :data:`TELLINGS`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from counterpoint.tabular.words import figure, number, percent, points, span

Row = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A column of a table for people.

    Attributes
    ----------
    heading : str
    key : str
        What it holds, by its name in the rows of a summary.
    words : callable
        How a value is written.
    page_only : bool
        Whether the terminal has no room for it.
    optional : bool
        Whether it is left out of a table where no row has a value.
    signed : bool
        Whether above zero is good and below is bad.
    """

    heading: str
    key: str
    words: Callable[[Any], str]
    page_only: bool = False
    optional: bool = False
    signed: bool = False


@dataclass(frozen=True, kw_only=True)
class Telling:
    """The words of a task.

    Attributes
    ----------
    measure : str
        The name of its error in a summary.
    words : callable
        How such an error is written.
    span : callable
        How an interval of it is written, from its ends.
    title : str
        The heading above it.
    others : tuple of Told
        The other measures of a model.
    caption : str
        What the measures are, where their names do not say it.
    members, tried : tuple of Told
        Columns about the members of a model, and about all that were tried for it.
    worth, tried_worth : str
        What the worth of a member means in each of the two.
    """

    measure: str
    words: Callable[[Any], str]
    span: Callable[[float, float], str]
    title: str
    others: tuple[Told, ...]
    caption: str
    members: tuple[Told, ...]
    tried: tuple[Told, ...]
    worth: str
    tried_worth: str

    def worth_of(self, rows: Sequence[Row]) -> str:
        """Say what the worth of members means, or that none of them matters alone."""
        if any(told.signed for told in shown(self.members, rows)):
            return f"Worth: {self.worth}"
        title = self.title if self.title.isupper() else self.title.lower()
        return f"Without any one of them the {title} would stay as it is."

    def scores(self, row: Row) -> list[str]:
        """Return a score as it stands in a table: error, interval, other measures."""
        ends = self.span(row["low"], row["high"])
        return [self.words(row[self.measure]), ends, *(t.words(row[t.key]) for t in self.others)]

    @property
    def score_headings(self) -> list[str]:
        """What :meth:`scores` returns."""
        return [self.title, "95 % interval", *(told.heading for told in self.others)]


def shown(columns: Iterable[Told], rows: Sequence[Row], *, page: bool = False) -> list[Told]:
    """Return the columns that a table of these rows has; what is 0 for all is none."""
    return [
        told
        for told in columns
        if (page or not told.page_only)
        and (not told.optional or any(row.get(told.key) is not None for row in rows))
        and not (told.signed and all(_is_nothing(told.words(row.get(told.key))) for row in rows))
    ]


def _is_nothing(text: str) -> bool:
    return text.strip("0.") == ""


def size_words(n_bytes: float | None) -> str:
    """Return the size of something in memory, with three digits that count."""
    if n_bytes is None:
        return ""
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} GB"


def _percent_span(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {percent(high)}"


_WEIGHT = Told("Weight", "weight", number, optional=True)
_SECONDS = Told("Seconds", "seconds", partial(number, digits=1), page_only=True)

TELLINGS: dict[str, Telling] = {
    "classification": Telling(
        measure="error",
        words=percent,
        span=_percent_span,
        title="Error",
        others=(Told("Log-loss", "log_loss", number),),
        caption="",
        members=(
            Told("Error alone", "error", percent),
            Told("Against the ensemble", "disagrees", percent, optional=True),
            _WEIGHT,
            Told("Error without it", "without", percent, page_only=True, optional=True),
            Told("Worth, points", "change", points, optional=True, signed=True),
            Told("Mean kappa", "kappa", number, page_only=True),
        ),
        tried=(
            Told("Error alone", "error", percent),
            Told("Log-loss alone", "log_loss", number),
            _WEIGHT,
            Told("Worth, log-loss", "adds", partial(number, digits=4)),
            _SECONDS,
        ),
        worth="how much the error of the ensemble would rise without the member, in percentage "
        "points; below zero it harms.",
        tried_worth="how much the log-loss of the ensemble would rise without the member.",
    ),
    "regression": Telling(
        measure="rmse",
        words=figure,
        span=span,
        title="RMSE",
        others=(Told("MAE", "mae", figure), Told("R²", "r2", number)),
        caption="RMSE, MAE: root of the mean squared and mean absolute error. R²: share of the "
        "variance explained.",
        members=(
            Told("RMSE alone", "rmse", figure),
            Told("Away from the ensemble", "disagrees", figure),
            _WEIGHT,
            Told("RMSE without it", "without", figure, page_only=True, optional=True),
            Told("Worth", "change", figure, optional=True, signed=True),
            Told("Errs with the others", "correlation", number, page_only=True),
        ),
        tried=(
            Told("RMSE alone", "rmse", figure),
            Told("R² alone", "r2", number),
            _WEIGHT,
            Told("Worth, squared error", "adds", figure),
            _SECONDS,
        ),
        worth="how much the RMSE of the ensemble would rise without the member; below zero it "
        "harms.",
        tried_worth="how much the squared error of the ensemble would rise without the member.",
    ),
}
"""What is told of models of each task."""
