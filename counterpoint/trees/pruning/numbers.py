"""What a leaf of numbers costs: the squared errors to be expected of it, not those it shows."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from counterpoint._validation import check_choice
from counterpoint.trees.pruning.criteria import LocalCriterion, check_cf, check_m

NUMBER = ("error-based", "pessimistic", "minimum-error")
# Squared deviations below this share of the sum of squares are rounding.
_ROUNDING = 1e-13
_LEAST = 1e-100
_TABLE = 1024


def squares(value: NDArray) -> NDArray:
    """Return summed squared deviations in nodes with weights, sums and sums of squares."""
    n, first, second = value[:, 0], value[:, 1], value[:, 2]
    left = second - first**2 / np.where(n > 0, n, 1.0)
    return np.where(left > _ROUNDING * second, left, 0.0)


@dataclass(frozen=True, kw_only=True)
class NumberCriterion(LocalCriterion):
    """Squared errors expected in a leaf of n cases with squared deviations S from its mean.

    By "error-based" n times the upper confidence limit of the variance, ``S / q`` with q the
    ``cf`` quantile of chi-squared with n - 1 degrees of freedom (Torgo 1999, section 4.3.2), as
    C4.5 takes the upper limit of an error rate. By "pessimistic" ``S (n + 1) / (n - 1)``, Akaike's
    final prediction error (1970) with one parameter, which is how M5 corrects (Quinlan 1992). By
    "minimum-error" n times the m-estimate of the variance (Karalic and Cestnik 1991): as if ``m``
    cases like those of the root were in the leaf as well. A leaf of one case shows no variance: by
    the first two it costs that of the root.
    """

    root: NDArray
    table: NDArray = field(default_factory=lambda: np.empty(0), repr=False)

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Cost of leaves with these weights, sums and sums of squares, (n_leaves, 3)."""
        n = value[:, 0]
        if self.name == "minimum-error":
            prior = self.root / self.root[0]
            n_more = n + self.m
            mean, square = (value[:, 1:] + self.m * prior[1:]).T / np.where(n_more > 0, n_more, 1.0)
            return n * np.maximum(square - mean**2, 0.0)
        shown, free = squares(value), n - 1.0
        alone = n * squares(self.root[None])[0] / self.root[0]
        known = free > _ROUNDING
        free = np.where(known, free, 1.0)
        if self.name == "pessimistic":
            return np.where(known, shown * (n + 1.0) / free, alone)
        return np.where(known, shown * self._limits(np.where(known, n, 2.0)), alone)

    def _limits(self, n):
        """Limit of the variance in place of a sum of squares of 1, times n."""
        if len(self.table) and (n < len(self.table)).all() and (n == np.floor(n)).all():
            return self.table[n.astype(np.int64)]
        # No limit is so large that costs are no numbers, however sure it is to be.
        return n / np.maximum(2.0 * gammaincinv(0.5 * (n - 1.0), self.cf), _LEAST)

    def margin(
        self, below: ArrayLike, value: NDArray, leaves: ArrayLike, depth: ArrayLike
    ) -> NDArray:
        """Return what subtrees must be better by than a leaf: nothing."""
        return np.zeros(np.shape(below))


def number_criterion(
    name: str, *, root: NDArray, cf: float = 0.25, m: float = 2.0
) -> NumberCriterion:
    """Return a checked criterion; ``root`` (3,) are the weight, sum and sum of squares of all."""
    check_choice(name, "criterion", NUMBER)
    check_cf(cf, below_one=True)
    made = NumberCriterion(name=name, cf=cf, m=float(check_m(m)), root=np.asarray(root))
    if name != "error-based":
        return made
    # Limits for whole numbers of cases: they are asked for again and again.
    cases = np.arange(2.0, 2.0 + min(float(root[0]), _TABLE))
    return replace(made, table=np.concatenate([[np.nan, np.nan], made._limits(cases)]))
