"""What a leaf costs, by the classes of the cases in it, whatever is around it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from counterpoint._validation import check_choice, check_number

LOCAL = (
    "error-based",
    "pessimistic",
    "minimum-error",
    "mdl",
    "mdl-exceptions",
    "kearns-mansour",
    "multiple-comparisons",
)
# Whose costs are no numbers of errors.
BITS = ("mdl", "mdl-exceptions", "multiple-comparisons")
LIMITS = ("binomial", "chen")


def upper_limit(
    errors: ArrayLike, n: ArrayLike, cf: float = 0.25, limit: str = "binomial"
) -> NDArray:
    """Upper confidence limit of an error rate: the exact binomial one, or an explicit one.

    The exact limit, ``P(errors or fewer) = cf``, is the upper end of the one-sided Clopper-Pearson
    interval. Quinlan's numbers for one or more errors (C4.5, 1993, chapter 4) are from an
    approximation and differ in the third decimal. The limit of Chen, Zhou and Aravena ("Explicit
    formula for constructing binomial confidence interval with guaranteed coverage probability",
    2008, theorem 1) is the upper end of a two-sided interval, about twice as far from the errors
    seen. Both are 1 where all cases are errors, NaN where there are no cases.
    """
    check_cf(cf, below_one=True)
    errors, n = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    if (errors < 0).any() or (errors > n).any():
        raise ValueError("errors and n do not fit: there must be from 0 to n errors among n cases.")
    right = n - errors
    if limit == "binomial":
        rate = betaincinv(errors + 1, np.where(right > 0, right, 1.0), 1 - cf)
    elif limit == "chen":
        theta = 9 / (8 * np.log(2 / cf))
        seen = errors / np.where(n > 0, n, 1.0)
        root = np.sqrt(1 + 4 * theta * errors * (1 - seen))
        rate = np.minimum(seen + 0.75 * (1 - 2 * seen + root) / (1 + theta * n), 1.0)
    else:
        check_choice(limit, "limit", LIMITS)
    return np.where(n > 0, np.where(right > 0, rate, 1.0), np.nan)


@dataclass(frozen=True, kw_only=True)
class LocalCriterion:
    """A criterion that gives a leaf a cost by the classes in it, and a subtree by its leaves.

    A leaf with n cases, e of them errors, costs by "error-based" n times the upper limit of its
    error rate; by "pessimistic" e + 1/2; by "minimum-error" n times the error expected by an
    m-estimate of the class shares, where ``prior`` (n_classes,) are the shares before any case is
    seen, and worth ``m`` cases.
    """

    name: str
    cf: float = 0.25
    limit: str = "binomial"
    m: float = 2.0
    prior: NDArray | None = None

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Cost of leaves with these weights of the classes, (n_leaves, n_classes)."""
        n = value.sum(axis=1)
        if self.name == "minimum-error":
            if self.prior is None:
                raise ValueError("minimum-error needs a prior: give the shares of the classes.")
            expected = (n[:, None] - value + (1 - self.prior) * self.m).min(axis=1)
            # Without a prior worth something, no cases are no errors.
            return n * expected / np.where(n + self.m > 0, n + self.m, 1.0)
        errors = np.maximum(n - value.max(axis=1), 0.0)
        if self.name == "pessimistic":
            return errors + 0.5  # also without weight: it counts leaves
        return np.where(n > 0, n * upper_limit(errors, n, self.cf, self.limit), 0.0)

    def margin(
        self, below: ArrayLike, value: NDArray, leaves: ArrayLike, depth: ArrayLike
    ) -> NDArray:
        """Return what subtrees must be better by than a leaf: a standard error, if pessimistic.

        ``below`` are the costs of their leaves, summed; ``value`` (n_classes,) is in the node,
        which is ``depth`` splits below the root.
        """
        below, n = np.asarray(below, dtype=np.float64), float(np.sum(value))
        if self.name != "pessimistic":
            return np.zeros(below.shape)
        # More half errors than cases, possible with light weights, leave no room for chance.
        return np.sqrt(np.maximum(below * (n - below), 0.0) / (n if n > 0 else 1.0))


def check_factor(factor):
    """Return what multiplies the price of size, or None."""
    if factor is None:
        return None
    return check_number(factor, "factor", low=0, hint=", or None for its default")


def check_m(m):
    """Return a number of cases to add, or 'laplace'."""
    if isinstance(m, str) and m == "laplace":
        return m
    return check_number(m, "m", low=0, hint=", for example 2, or 'laplace'")


def check_cf(cf, *, below_one=False):
    """Refuse what is no confidence."""
    hint = ", for example 0.25; smaller prunes more"
    check_number(cf, "cf", low=0, open_low=True, high=1, open_high=below_one, hint=hint)
