"""What samples are to be told apart by, classes or numbers, as amounts that add up over a node."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._arrays import count_cases
from counterpoint.trees.pruning.criteria import LocalCriterion
from counterpoint.trees.pruning.held_out import HeldOutCriterion
from counterpoint.trees.pruning.local import local_criterion
from counterpoint.trees.pruning.numbers import number_criterion, squares
from counterpoint.trees.structure import impurities


class Targets:
    """Of each sample, ``amounts`` (n_samples, k) go to ``columns`` (n_samples, k) of its nodes.

    The sums of a node, (width,), are its *value*: all that criteria know of it.
    """

    columns: NDArray
    amounts: NDArray
    width: int

    def add(self, table: NDArray, at: NDArray) -> None:
        """Add what samples bring to the rows of ``table`` (n_nodes, width) that they are in."""
        np.add.at(table, (at[:, None], self.columns), self.amounts)

    @property
    def most_cases(self) -> int | None:
        """Number of cases if limits of whole numbers of them can be kept in a table, or None."""
        return None


class ClassTargets(Targets):
    """Classes by their codes: the value of a node are their weights.

    ``held`` marks samples that judge only: their weights are in columns after all others.
    """

    def __init__(self, codes, weight, n_classes, held=None):
        self.n_classes, self.held = n_classes, held is not None
        own = codes if held is None else codes + n_classes * held
        self.columns = np.asarray(own, dtype=np.int64)[:, None]
        self.amounts = np.asarray(weight, dtype=np.float64)[:, None]
        self.width = 2 * n_classes if self.held else n_classes

    @property
    def most_cases(self):
        """Number of cases, if weights are whole."""
        return count_cases(self.amounts)

    def criterion(self, name: str, n_features: int, n_trees: int, **options: Any) -> LocalCriterion:
        """Return what gives leaves a cost."""
        if self.held:
            return HeldOutCriterion(name=name)
        totals = np.bincount(self.columns[:, 0], self.amounts[:, 0], minlength=self.n_classes)
        return local_criterion(
            name, classes=totals, n_features=n_features, n_trees=n_trees, **options
        )

    def weights(self, value):
        """Weight of the samples in nodes."""
        return value.sum(axis=1)

    def all_cases(self, value):
        """Classes of all cases, where those held out are counted apart."""
        return value[:, : self.n_classes] + value[:, self.n_classes :] if self.held else value

    def pure(self, value):
        """Whether there is nothing to tell apart in nodes."""
        return np.count_nonzero(self.all_cases(value), axis=1) <= 1

    def node_arrays(self, value, impurity):
        """Arrays of a tree whose nodes have these values."""
        value = np.ascontiguousarray(self.all_cases(value))
        return {
            "value": value,
            "weighted_n_node_samples": value.sum(axis=1),
            "impurity": impurities(value, impurity),
        }


class NumberTargets(Targets):
    """Numbers: the value of a node are weight, sum and sum of squares.

    Numbers are taken from their mean, in units of their spread, so that squares lose no digits
    and cannot overflow.
    """

    width = 3

    def __init__(self, y, weight):
        y, weight = np.asarray(y, dtype=np.float64), np.asarray(weight, dtype=np.float64)
        self.centre, self.scale = centre_and_spread(y, weight)
        own = (y - self.centre) / self.scale
        self.columns = np.broadcast_to(np.arange(3), (len(y), 3))
        self.columns = np.ascontiguousarray(self.columns, dtype=np.int64)
        self.amounts = weight[:, None] * np.stack([np.ones(len(y)), own, own**2], axis=1)

    def criterion(self, name, n_features, n_trees, **options):
        """Return what gives leaves a cost."""
        return number_criterion(name, root=self.amounts.sum(axis=0), **options)

    def weights(self, value):
        """Weight of the samples in nodes."""
        return value[:, 0]

    def pure(self, value):
        """Whether all numbers in nodes are the same."""
        return squares(value) <= 0.0

    def node_arrays(self, value, impurity):
        """Arrays of a tree whose nodes have these values: means, and mean squared deviations."""
        weight = value[:, 0]
        held = np.where(weight > 0, weight, 1.0)
        return {
            "value": self.centre + self.scale * (value[:, 1] / held)[:, None],
            "weighted_n_node_samples": np.ascontiguousarray(weight),
            "impurity": self.scale**2 * squares(value) / held,
        }


def centre_and_spread(y: NDArray, weight: NDArray) -> tuple[float, float]:
    """Return the mean of numbers and the root of their mean squared deviation; 1 if that is 0."""
    size = float(np.abs(y).max(initial=0.0))
    size = size if size > 0 else 1.0
    share, unit = weight / weight.sum(), y / size
    centre = float(share @ unit)
    spread = float(np.sqrt(share @ (unit - centre) ** 2))
    return size * centre, size * spread if spread > 0 else 1.0
