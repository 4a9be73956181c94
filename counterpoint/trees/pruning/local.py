"""Criteria that judge a node alone, by their names."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._options import numbers_of
from counterpoint._validation import check_choice, is_word
from counterpoint.trees.pruning.complexity import SIZED
from counterpoint.trees.pruning.criteria import (
    LIMITS,
    LOCAL,
    LocalCriterion,
    check_cf,
    check_factor,
    check_m,
)

# The bound holds with a constant that nobody knows; with 1 it leaves hardly more than a leaf.
FACTORS = {"kearns-mansour": 0.1}


def local_criterion(
    name: str,
    *,
    classes: NDArray,
    cf: float = 0.25,
    limit: str = "binomial",
    m: float | str = 2.0,
    prior: str | ArrayLike = "data",
    factor: float | None = None,
    n_features: int = 1,
    n_trees: int = 1,
) -> LocalCriterion:
    """Return a checked criterion; ``classes`` are the weights of the classes in the root."""
    check_choice(name, "criterion", LOCAL)
    if name in SIZED:
        check_cf(cf, below_one=True)
        return SIZED[name](
            name=name,
            cf=cf,
            factor=FACTORS.get(name, 1.0) if factor is None else check_factor(factor),
            n_features=n_features,
            n_trees=n_trees,
            total=float(np.sum(classes)),
        )
    if name == "error-based":
        check_cf(cf, below_one=True)
        check_choice(limit, "limit", LIMITS)
        return LocalCriterion(name=name, cf=cf, limit=limit)
    if name == "pessimistic":
        return LocalCriterion(name=name)
    k = len(classes)
    if m == "laplace":
        m, prior = float(k), "uniform"
    return LocalCriterion(name=name, m=float(check_m(m)), prior=_shares(prior, classes))


def check_prior(prior: str | ArrayLike) -> NDArray | None:
    """Return shares of classes as numbers, None for a word; raise if it is neither."""
    if is_word(prior, "data", "uniform"):
        return None
    return numbers_of(prior, "prior", "'data', 'uniform', or shares, one per class")


def _shares(prior, classes: NDArray) -> NDArray:
    k, shares = len(classes), check_prior(prior)
    if shares is None:
        total = np.sum(classes)
        if prior == "uniform" or total <= 0:
            return np.full(k, 1 / k)
        return np.asarray(classes, dtype=np.float64) / total
    if shares.shape != (k,) or not (shares >= 0).all() or not np.isclose(shares.sum(), 1):
        raise ValueError(
            f"prior={prior!r}: expected {k} shares, one per class, not negative and with sum 1."
        )
    return shares
