"""How much of a tree comes back when it is made again from resampled rows."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.datasets.columns import floats
from counterpoint.tabular.plain import plain
from counterpoint.tabular.small_tree import cut_back, fidelity_of
from counterpoint.tabular.table_tree import Question, TableTree, columns_of
from counterpoint.tabular.tree_makers import TreeMaker, as_rows, through

_NEAR = 0.05  # two limits with at most this share of the values between them are the same
_MOST_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class Stability:
    """How much of a tree comes back on resampled rows.

    Attributes
    ----------
    n_resamples : int
        How often it was made again; fewer than asked for where that takes longer than 20 seconds.
    decisions : float
        Mean share of the held-out rows about which both trees say the same; for numbers, of the
        variance.
    splits : float
        Mean share of the questions that are asked again: of the same column, for the same value or
        with at most a twentieth of the values between the limits.
    first : float
        Share of the trees that ask the first question again, first.
    n_leaves : int
        Leaves that both trees were cut back to.
    """

    n_resamples: int
    decisions: float
    splits: float
    first: float
    n_leaves: int

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data, in words too."""
        return plain({**self.__dict__, "sentence": self.sentence()})

    def sentence(self) -> str:
        """Return all of it in words."""
        again = "once" if self.n_resamples == 1 else f"{self.n_resamples} times"
        return (
            f"Made again {again} from resampled rows, {self.n_leaves} leaves: "
            f"{100 * self.decisions:.0f} % of the decisions stay the same, "
            f"{100 * self.splits:.0f} % of the questions come back, the first one in "
            f"{100 * self.first:.0f} %."
        )


def stability(
    tree: TableTree, maker: TreeMaker, X: Any, test_rows: Any, n_resamples: int, rng: Any
) -> Stability:
    """Make a tree again and again from rows drawn with replacement, and compare.

    Parameters
    ----------
    tree : TableTree
        What to compare with; the others are cut back to its number of leaves.
    maker : TreeMaker
        What made it.
    X : rows
        As they were given to the maker, to tell which limits are near each other.
    test_rows : rows
        To compare decisions on, as the tree takes them.
    n_resamples : int
    rng : RandomState
    """
    n_leaves = tree.tree.n_leaves
    said = tree.predict(test_rows)
    asked = [question for question in tree.questions if question is not None]
    decisions: list[float] = []
    splits: list[float] = []
    first: list[bool] = []
    began = time.monotonic()
    for _ in range(n_resamples):
        if decisions and time.monotonic() - began > _MOST_SECONDS:
            break
        n = len(maker.answers)
        made = maker.make(rng.randint(n, size=n), max_leaves=n_leaves)
        again, steps = made.on_table(X)
        if again.tree.n_leaves > n_leaves:
            again = cut_back(again, n_leaves)
        rows = columns_of(through(steps, as_rows(X)), again.columns)
        values = {name: _sorted(column) for name, column in rows.items()}
        others = [question for question in again.questions if question is not None]
        back = [any(_same(one, other, values) for other in others) for one in asked]
        decisions.append(fidelity_of(again.predict(test_rows), said, tree.classes))
        splits.append(float(np.mean(back)) if back else 1.0)
        top, other = tree.questions[0], again.questions[0]
        first.append(top == other if top is None or other is None else _same(top, other, values))
    return Stability(
        n_resamples=len(decisions),
        decisions=float(np.mean(decisions)),
        splits=float(np.mean(splits)),
        first=float(np.mean(first)),
        n_leaves=n_leaves,
    )


def _sorted(column: Any) -> NDArray:
    try:
        values = floats(column)
    except (TypeError, ValueError):
        return np.empty(0)
    return np.sort(values[~np.isnan(values)])


def _same(one: Question, other: Question, values: dict[str, NDArray]) -> bool:
    if (one.column, one.kind) != (other.column, other.kind):
        return False
    if one.kind != "number":
        return set(one.values) == set(other.values)
    known = values[one.column]
    between = abs(np.searchsorted(known, one.cut) - np.searchsorted(known, other.cut))
    return bool(between <= _NEAR * max(len(known), 1))
