"""Nominal concepts, and the rules they make."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.boosting.coding import CutCoder, ValueCoder, read_columns
from counterpoint.trees.rules.rule import Rule


@dataclass(frozen=True, kw_only=True)
class NominalConcept:
    """A set of training rows and all that these rows have in common.

    A missing value is None; a value of a numeric column that was cut is the text of an interval,
    such as ``"(0.5, 1.2]"``.
    """

    attribute: str
    """Name of the column the concept was built from."""
    value: Any
    """Its value, the same in all rows of the extent."""
    intent: dict
    """All values shared by the rows of the extent, by name of column: the closure."""
    extent_size: int
    """Number of training rows."""
    extent_weight: float
    """Their weight."""
    counts: dict
    """Number of these rows by class."""
    distribution: dict
    """Share of the weight of these rows by class."""


@dataclass(frozen=True, kw_only=True)
class NominalCondition:
    """A value that a rule asks of a column."""

    feature: int  # number of the column
    name: str
    value: Any  # text of an interval for a column that was cut; None for missing
    coder: CutCoder | ValueCoder = field(repr=False, compare=False)  # where values get their codes

    def __str__(self) -> str:
        return self.coder.describe(self.value)

    def holds(self, columns) -> NDArray:
        """Say for which rows, given as a list of columns, it holds."""
        return self.coder.codes(columns[self.feature]) == self.coder.values.index(self.value)


@dataclass(frozen=True, kw_only=True)
class ConceptRule(Rule):
    """A concept as a rule: who has these values, has this class.

    As :class:`counterpoint.trees.Rule`, but that ``conditions`` are on values, and that ``leaf`` is
    the number of the concept. The last rule of a model has no conditions: it is for all rows that
    the others leave over, and its ``leaf`` is -1.
    """

    conditions: tuple[NominalCondition, ...]  # type: ignore[assignment]

    def covers(self, X) -> NDArray:
        """Say which rows of a frame or array the conditions hold for, (n_samples,)."""
        columns = read_columns(X)
        covered = np.ones(len(columns[0]), dtype=bool)
        for condition in self.conditions:
            covered &= condition.holds(columns)
        return covered
