"""A tree that asks about the columns of a table, in their own units and words.

Between a table and a tree stands an encoder: gaps are filled, numbers scaled, categories spread
over columns of 0 and 1. A :class:`TableTree` asks the same without it: "size ≤ 4.2", "colour is
red". So it can be read, drawn, and written for others to run (:mod:`.tree_files`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from counterpoint.datasets import TabularEncoder
from counterpoint.datasets.columns import floats, frame_columns, is_frame, objects
from counterpoint.trees import Tree

_LEAST_DIGITS, _MOST_DIGITS = 3, 17
_MOST_VALUES = 4  # of a set that is written out


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a split asks of one column of a table; it is never undecided.

    Attributes
    ----------
    column : str
    kind : {"number", "category", "missing"}
    cut : float
        For "number": yes is a value not above it.
    values : tuple
        For "category": yes is one of them.
    gap : bool
        What a missing value counts as; for "missing" it is always True.
    unit : str
        Written after a number.
    words : tuple of two str
        For "number": what yes and no mean where the number stands for something else.
    """

    column: str
    kind: Literal["number", "category", "missing"]
    cut: float = float("nan")
    values: tuple[Any, ...] = ()
    gap: bool = False
    unit: str = ""
    words: tuple[str, ...] = ()

    def answers(self, column: pd.Series) -> NDArray:
        """Say yes or no of every value, shape (n_samples,)."""
        if self.kind == "missing":
            return column.isna().to_numpy()
        if self.kind == "category":
            return pd.Series(objects(column)).isin(self.values).to_numpy() | (
                self.gap & column.isna().to_numpy()
            )
        values = floats(column)
        return np.where(np.isnan(values), self.gap, values <= self.cut)

    def text(self, *, yes: bool = True) -> str:
        """Return the question, or its opposite, for people."""
        if self.kind == "number" and self.words:
            return self.words[not yes]
        if self.kind == "number":
            sign = "\N{LESS-THAN OR EQUAL TO}" if yes else ">"
            return f"{self.column} {sign} {number_text(self.cut)}{self.unit}"
        is_ = "is" if yes else "is not"
        if self.kind == "missing":
            return f"{self.column} {is_} missing"
        shown = [str(value) for value in self.values[:_MOST_VALUES]]
        more = len(self.values) - len(shown)
        several = "one of " if len(self.values) > 1 else ""
        rest = f" and {more} more" if more else ""
        return f"{self.column} {is_} {several}{', '.join(shown)}{rest}"


@dataclass(frozen=True, kw_only=True)
class TableTree:
    """A tree on the columns of a table; made by :func:`table_tree`.

    Attributes
    ----------
    tree : Tree
        Where a sample goes left, the answer is yes. Limits are those of the table; those of
        categories mean nothing.
    questions : list of Question or None
        One a node; None in leaves.
    classes : ndarray or None
        Labels of the columns of ``tree.value``; None for a tree that gives numbers.
    columns : list of str
        All columns of the table, in their order.
    gaps : frozenset of str
        Those that had missing values among the rows it was made from.
    """

    tree: Tree
    questions: list[Question | None]
    classes: NDArray | None
    columns: list[str] = field(repr=False)
    gaps: frozenset[str] = frozenset()

    @property
    def asked(self) -> list[str]:
        """The columns it asks about, in the order of the table."""
        asked = {question.column for question in self.questions if question is not None}
        return [name for name in self.columns if name in asked]

    def apply(self, X: Any) -> NDArray:
        """Return the leaf of every row, shape (n_samples,)."""
        columns = columns_of(X, self.columns)
        node = np.zeros(len(X), dtype=np.int64)
        left, right = self.tree.children_left, self.tree.children_right
        for k, question in enumerate(self.questions):  # parents come first
            here = np.flatnonzero(node == k)
            if question is None or len(here) == 0:
                continue
            yes = question.answers(columns[question.column].iloc[here])
            node[here] = np.where(yes, left[k], right[k])
        return node

    def predict(self, X: Any) -> NDArray:
        """Return what it says of every row, shape (n_samples,)."""
        return self.says()[self.apply(X)]

    def says(self) -> NDArray:
        """Return what it would say in every node."""
        return self.tree.value[:, 0] if self.classes is None else self.classes[self.tree.label]

    def path(self, row: Any) -> list[str]:
        """Return what was asked and answered on the way of one row, a frame with one row."""
        return [question.text(yes=yes) for question, yes in self.way(row)]

    def way(self, row: Any) -> list[tuple[Question, bool]]:
        """Return the questions on the way of one row, a frame with one row, and its answers."""
        columns = columns_of(row, self.columns)
        node, way = 0, []
        while (question := self.questions[node]) is not None:
            yes = bool(question.answers(columns[question.column])[0])
            way.append((question, yes))
            node = int((self.tree.children_left if yes else self.tree.children_right)[node])
        return way

    def cut(self, tree: Tree, kept: ArrayLike) -> "TableTree":
        """Return what is left of it: ``tree`` consists of the nodes ``kept``, in that order."""
        nodes = np.asarray(kept, dtype=int)
        leaf = tree.is_leaf
        return replace(
            self,
            tree=tree,
            questions=[None if leaf[k] else self.questions[at] for k, at in enumerate(nodes)],
        )


def table_tree(
    tree: Tree,
    classes: NDArray | None,
    steps: Sequence[Any],
    X: Any,
    names: list[str],
    *,
    units: Mapping[str, str] | None = None,
    words: Mapping[str, tuple[str, str]] | None = None,
) -> tuple[TableTree, bool]:
    """Put a tree on encoded columns into the words of the table.

    A limit becomes the shortest number that parts the rows of X, as they are before the steps,
    as it did: 12.5 and not 12.4999998. Returns the tree, and whether it takes rows as they are;
    else, behind steps that nothing is known about, it takes what comes out of them.

    Parameters
    ----------
    tree : Tree
        Its columns are those that come out of the steps.
    classes : ndarray or None
        Labels, or None for numbers.
    steps : sequence of transformers
        Fitted.
    X : frame or array
        Rows, before the steps.
    names : list of str
        Of the columns that come out of the steps.
    units : mapping of str to str, default=None
        What to write after numbers of a column, such as " %".
    words : mapping of str to tuple of two str, default=None
        What it means that a number is not above a limit, and that it is, for columns whose numbers
        stand for something else.
    """
    if not steps and _is_table(X):
        columns = list(columns_of(X, names))
        asks: list[_Asks] = [_Number(name) for name in columns]
        raw = True
    elif len(steps) == 1 and isinstance(steps[0], TabularEncoder) and _is_table(X):
        asks, columns = _behind_encoder(steps[0])
        raw = True
    else:
        asks, columns, raw = [_Number(name) for name in names], list(names), False
    rows = X
    if not raw:
        for step in steps:
            rows = step.transform(rows)
        rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    table = columns_of(rows, columns)
    questions: list[Question | None] = [None] * tree.node_count
    left, right = tree.children_left.copy(), tree.children_right.copy()
    threshold = tree.threshold.copy()
    for k in np.flatnonzero(~tree.is_leaf):
        asked = asks[tree.feature[k]]
        question, turned = asked.question(
            float(tree.threshold[k]), bool(tree.missing_go_to_left[k]), table
        )
        if units and question.column in units:
            question = replace(question, unit=units[question.column])
        if words and question.column in words:
            question = replace(question, words=words[question.column])
        questions[k] = question
        if question.kind == "number":
            threshold[k] = question.cut
        if turned:
            left[k], right[k] = right[k], left[k]
    asked_tree = replace(tree, children_left=left, children_right=right, threshold=threshold)
    made = TableTree(
        tree=asked_tree,
        questions=questions,
        classes=classes,
        columns=columns,
        gaps=frozenset(name for name, column in table.items() if column.isna().any()),
    )
    return made, raw


def number_text(value: float) -> str:
    """Return a number as short as it can be and still be the same."""
    return repr(float(value)).removesuffix(".0")


def columns_of(X: Any, names: Sequence[str]) -> dict[str, pd.Series]:
    """Return the columns of a frame, or of an array whose columns are called ``names``."""
    if is_frame(X):
        return {str(column.name): column for column in frame_columns(X)}
    values = np.asarray(X)
    return {name: pd.Series(values[:, k]) for k, name in enumerate(names)}


def _is_table(X: Any) -> bool:
    return is_frame(X) or (isinstance(X, np.ndarray) and X.ndim == 2)


# -- what a split on an encoded column asks of the table: a question, and whether yes is right


class _Asks:
    def question(
        self, limit: float, gap_left: bool, table: dict[str, pd.Series]
    ) -> tuple[Question, bool]:
        raise NotImplementedError


@dataclass(frozen=True)
class _Number(_Asks):
    """A number, perhaps filled in and scaled: ``(x - centre) / scale``."""

    column: str
    fill: float = float("nan")
    centre: float = 0.0
    scale: float = 1.0

    def question(
        self, limit: float, gap_left: bool, table: dict[str, pd.Series]
    ) -> tuple[Question, bool]:
        if np.isposinf(limit):  # all values to the left, gaps to the right
            return Question(column=self.column, kind="missing", gap=True), True
        values = np.unique(floats(table[self.column]))
        values = values[~np.isnan(values)]
        below = self._encode(values) <= limit
        low = values[below][-1] if below.any() else -np.inf
        high = values[~below][0] if not below.all() else np.inf
        cut = _shortest(limit * self.scale + self.centre, low, high)
        gap = gap_left if np.isnan(self.fill) else bool(self._encode(self.fill) <= limit)
        return Question(column=self.column, kind="number", cut=cut, gap=gap), False

    def _encode(self, values: Any) -> Any:
        # Trees of scikit-learn look at values of single precision.
        return np.float32((values - self.centre) / self.scale).astype(np.float64)


@dataclass(frozen=True)
class _Value(_Asks):
    """A column of 0 and 1: whether a category has this value; NaN is missing."""

    column: str
    value: Any

    def question(
        self, limit: float, gap_left: bool, table: dict[str, pd.Series]
    ) -> tuple[Question, bool]:
        if pd.isna(self.value):
            return Question(column=self.column, kind="missing", gap=True), True
        return Question(column=self.column, kind="category", values=(self.value,)), True


@dataclass(frozen=True)
class _Codes(_Asks):
    """A category as a number; those above a limit are named, as gaps and strangers are below."""

    column: str
    values: tuple[Any, ...]

    def question(
        self, limit: float, gap_left: bool, table: dict[str, pd.Series]
    ) -> tuple[Question, bool]:
        above = tuple(v for k, v in enumerate(self.values) if k > limit and not pd.isna(v))
        return Question(column=self.column, kind="category", values=above), True


def _behind_encoder(encoder: TabularEncoder) -> tuple[list[_Asks], list[str]]:
    """Say of each column that comes out of an encoder what it asks."""
    columns = [str(name) for name in encoder._names_in(None)]
    asks: list[_Asks] = []
    if encoder.numeric_features_:
        steps = encoder.transformer_.named_transformers_["numeric"]
        parts = list(steps) if hasattr(steps, "steps") else [steps]
        imputer, scaler = parts[0], parts[-1] if len(parts) > 1 else None
        if scaler is not None and hasattr(scaler, "named_transformers_"):
            scaler = scaler.named_transformers_["scaled"]
        for k, at in enumerate(encoder.numeric_features_):
            centre, scale = _scaling(scaler, k)
            asks.append(_Number(columns[at], float(imputer.statistics_[k]), centre, scale))
        if encoder.missing_indicator:
            asks += [
                _Value(columns[encoder.numeric_features_[k]], float("nan"))
                for k in imputer.indicator_.features_
            ]
    if encoder.nominal == "ordinal":
        asks += [
            _Codes(columns[at], tuple(values))
            for at, values in zip(encoder.nominal_features_, encoder.categories_, strict=True)
        ]
    else:
        asks += [_Value(column, value) for column, value in encoder.indicators().values()]
    return asks, columns


def _scaling(scaler: Any, k: int) -> tuple[float, float]:
    if scaler is None:
        return 0.0, 1.0
    if hasattr(scaler, "mean_"):
        return float(scaler.mean_[k]), float(scaler.scale_[k])
    return float(scaler.data_min_[k]), float(1 / scaler.scale_[k])


def _shortest(value: float, low: float, high: float) -> float:
    """Return the number with fewest digits near a value, not below low and below high."""
    for digits in range(_LEAST_DIGITS, _MOST_DIGITS + 1):
        short = float(f"{value:.{digits}g}")
        if low <= short < high:
            return short
    return low if np.isfinite(low) else float(np.nextafter(high, -np.inf))
