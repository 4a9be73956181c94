"""What a leaf costs, by the classes of the cases in it, whatever is around it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from counterpoint._options import numbers_of
from counterpoint._validation import check_choice, check_number

LOCAL = ("error-based", "pessimistic", "minimum-error")
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

    def margin(self, below: ArrayLike, n: ArrayLike) -> NDArray:
        """Return what a subtree of n cases must be better by: a standard error, if pessimistic."""
        below, n = np.asarray(below, dtype=np.float64), np.asarray(n, dtype=np.float64)
        if self.name != "pessimistic":
            return np.zeros(np.broadcast(below, n).shape)
        # More half errors than cases, possible with light weights, leave no room for chance.
        return np.sqrt(np.maximum(below * (n - below), 0.0) / np.where(n > 0, n, 1.0))


def local_criterion(
    name: str,
    *,
    classes: NDArray,
    cf: float = 0.25,
    limit: str = "binomial",
    m: float | str = 2.0,
    prior: str | ArrayLike = "data",
) -> LocalCriterion:
    """Return a checked criterion; ``classes`` are the weights of the classes in the root."""
    check_choice(name, "criterion", LOCAL)
    if name == "error-based":
        check_cf(cf, below_one=True)
        check_choice(limit, "limit", LIMITS)
        return LocalCriterion(name=name, cf=cf, limit=limit)
    if name == "pessimistic":
        return LocalCriterion(name=name)
    k = len(classes)
    if m == "laplace":
        m, prior = float(k), "uniform"
    return LocalCriterion(name=name, m=float(check_m(m)), prior=_check_prior(prior, classes))


def check_m(m):
    """Return a number of cases to add, or 'laplace'."""
    if isinstance(m, str) and m == "laplace":
        return m
    return check_number(m, "m", low=0, hint=", for example 2, or 'laplace'")


def _check_prior(prior, classes: NDArray) -> NDArray:
    k = len(classes)
    if isinstance(prior, str):
        if prior not in ("data", "uniform"):
            raise ValueError(f"prior={prior!r}: choose data or uniform, or give {k} shares.")
        total = np.sum(classes)
        if prior == "uniform" or total <= 0:
            return np.full(k, 1 / k)
        return np.asarray(classes, dtype=np.float64) / total
    shares = numbers_of(prior, "prior", "'data', 'uniform', or shares, one per class")
    if shares.shape != (k,) or not (shares >= 0).all() or not np.isclose(shares.sum(), 1):
        raise ValueError(
            f"prior={prior!r}: expected {k} shares, one per class, not negative and with sum 1."
        )
    return shares


def check_cf(cf, *, below_one=False):
    """Refuse what is no confidence."""
    hint = ", for example 0.25; smaller prunes more"
    check_number(cf, "cf", low=0, open_low=True, high=1, open_high=below_one, hint=hint)
