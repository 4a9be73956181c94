"""A model as points to add up: a line for each range or value of a column."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from counterpoint.datasets.columns import floats, objects
from counterpoint.tabular.plain import plain_rows
from counterpoint.tabular.small_tree import cut_back
from counterpoint.tabular.table_tree import TableTree, columns_of, number_text
from counterpoint.tabular.words import percent

_MOST_LEAVES = 32  # of the tree that says which columns and limits are worth points
_POINTS = 100  # between the lowest and the highest score


@dataclass(frozen=True)
class _Card:
    """The lines of one column: limits of numbers, or values; then others, then missing."""

    column: str
    cuts: tuple[float, ...] = ()
    values: tuple[Any, ...] = ()

    @property
    def lines(self) -> list[str]:
        if not self.cuts:
            return [*map(str, self.values), "any other", "missing"]
        limits = [number_text(cut) for cut in self.cuts]
        between = [f"above {low} to {high}" for low, high in pairwise(limits)]
        return [f"up to {limits[0]}", *between, f"above {limits[-1]}", "missing"]

    def place(self, column: pd.Series) -> NDArray:
        missing = column.isna().to_numpy()
        if self.cuts:
            at = np.searchsorted(np.array(self.cuts), floats(column), side="left")
        else:
            at = np.full(len(column), len(self.values))
            said = objects(column)
            for k, value in enumerate(self.values):
                at[said == value] = k
        return np.where(missing, len(self.lines) - 1, at)


@dataclass(frozen=True, kw_only=True)
class Scorecard:
    """Points for what a row holds; made by :func:`make_scorecard`.

    Attributes
    ----------
    table : DataFrame
        A row per line: "column", "value", "rows" (share of the rows it applies to) and "points",
        or points for each class where there are more than two, then with a first line "start".
    classes : ndarray
    cutoff : int or None
        For two classes: so many points or more say the second one.
    fidelity : float
        Share of held-out rows on which points and model say the same.
    n_test : int
    """

    table: pd.DataFrame
    classes: NDArray
    cutoff: int | None
    fidelity: float
    n_test: int
    _cards: list[_Card]
    _points: list[NDArray]
    _start: NDArray
    _names: list[str]

    def scores(self, X: Any) -> NDArray:
        """Return the sum of points of every row, (n_samples,) or (n_samples, n_classes)."""
        columns = columns_of(X, self._names)
        total = np.tile(self._start, (len(X), 1))
        for card, points in zip(self._cards, self._points, strict=True):
            total += points[card.place(columns[card.column])]
        return total[:, 0] if self.cutoff is not None else total

    def predict(self, X: Any) -> NDArray:
        """Return what the points say of every row, (n_samples,)."""
        scores = self.scores(X)
        if self.cutoff is not None:
            return self.classes[(scores >= self.cutoff).astype(int)]
        return self.classes[scores.argmax(axis=1)]

    def sentence(self) -> str:
        """Return how to use it, and how faithful it is."""
        if self.cutoff is not None:
            how = (
                f"Add up the points: {self.cutoff} or more is {self.classes[1]}, fewer is "
                f"{self.classes[0]}."
            )
        else:
            how = "Add up the points of each class: the class with most is the answer."
        return (
            f"{how} On {self.n_test} rows held out this says what the model says on "
            f"{percent(self.fidelity)}."
        )

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "sentence": self.sentence(),
            "classes": [str(label) for label in self.classes],
            "cutoff": self.cutoff,
            "fidelity": self.fidelity,
            "n_test": self.n_test,
            "lines": plain_rows(self.table),
        }


def make_scorecard(
    tree: TableTree, X: Any, answers: NDArray, X_test: Any, test_answers: NDArray
) -> Scorecard:
    """Give points to what a tree asks, so that their sum says what a model says.

    The columns and limits are those the tree asks about. Points are the coefficients of a logistic
    regression on the model's answers, rounded; missing values have a line of their own.

    Parameters
    ----------
    tree : TableTree
        For classes.
    X, X_test : rows
        As the tree takes them.
    answers, test_answers : ndarray
        What the model says about them.
    """
    cards = _cards(cut_back(tree, _MOST_LEAVES))
    columns = columns_of(X, tree.columns)
    places = [card.place(columns[card.column]) for card in cards]
    classes = np.unique(answers)
    if len(classes) < 2 or not cards:
        raise ValueError("The model always says the same: there are no points to give.")
    design = np.hstack(
        [np.eye(len(card.lines))[at] for card, at in zip(cards, places, strict=True)]
    )
    fitted = LogisticRegression(max_iter=2000).fit(design, answers)
    ends = np.cumsum([0, *(len(card.lines) for card in cards)])
    two = len(classes) == 2
    raw = [fitted.coef_[:, a:b].T for a, b in pairwise(ends)]
    # Lines that no row has say nothing: they count as the mean of the others.
    seen = [np.bincount(at, minlength=len(c.lines)) for c, at in zip(cards, places, strict=True)]
    raw = [
        np.where(n[:, None] > 0, part, np.average(part, axis=0, weights=n))
        for part, n in zip(raw, seen, strict=True)
    ]
    lowest = [part.min(axis=0) for part in raw]
    spread = max(float(sum(part.max(axis=0) - part.min(axis=0) for part in raw).max()), 1e-12)
    factor = _POINTS / spread
    points = [
        np.rint((part - low) * factor).astype(int)
        for part, low in zip(raw, lowest, strict=True)
    ]  # fmt: skip
    if two:
        start, cutoff = np.zeros(1, dtype=int), _best_cutoff(points, places, answers == classes[1])
    else:
        start, cutoff = np.rint((fitted.intercept_ + sum(lowest)) * factor).astype(int), None
        start = start - start.min()
    card = Scorecard(
        table=_table(cards, points, seen, start, classes if not two else None),
        classes=classes, cutoff=cutoff, fidelity=float("nan"), n_test=len(test_answers),
        _cards=cards, _points=points, _start=start, _names=tree.columns,
    )  # fmt: skip
    fidelity = float(np.mean(card.predict(X_test) == test_answers))
    return Scorecard(**{**card.__dict__, "fidelity": fidelity})


def _cards(tree: TableTree) -> list[_Card]:
    cards = []
    for name in tree.asked:
        asked = [q for q in tree.questions if q is not None and q.column == name]
        cuts = sorted({q.cut for q in asked if q.kind == "number"})
        values = dict.fromkeys(v for q in asked if q.kind == "category" for v in q.values)
        cards.append(_Card(name, tuple(cuts), tuple(values)))
    return cards


def _best_cutoff(points: list[NDArray], places: list[NDArray], second: NDArray) -> int:
    """Return the sum from which on the second class is said, right on most rows."""
    score = sum(part[at, 0] for part, at in zip(points, places, strict=True))
    possible = np.arange(int(np.min(score)), int(np.max(score)) + 2)
    right = [np.mean((score >= limit) == second) for limit in possible]
    best = np.flatnonzero(np.array(right) == max(right))
    return int(possible[best[len(best) // 2]])


def _table(
    cards: list[_Card],
    points: list[NDArray],
    seen: list[NDArray],
    start: NDArray,
    classes: NDArray | None,
) -> pd.DataFrame:
    heads = ["points"] if classes is None else [f"points for {label}" for label in classes]
    rows = []
    if classes is not None:
        rows.append(["start", "", 1.0, *start])
    for card, part, n in zip(cards, points, seen, strict=True):
        for k, line in enumerate(card.lines):
            if n[k] or line == "any other":
                rows.append([card.column, line, n[k] / max(n.sum(), 1), *part[k]])
    return pd.DataFrame(rows, columns=["column", "value", "rows", *heads])
