"""Criteria that charge a subtree for its size: bits, a bound, or comparisons that were made.

Like those of ``criteria.py`` they look at a node alone, so they prune one tree and merge many.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainccinv, gammaln, xlogy

from counterpoint.trees.pruning.criteria import LocalCriterion

_LN2 = np.log(2.0)
# Chances below this are no numbers any more; a bound on the quantile stands in.
_LEAST = 1e-290


@dataclass(frozen=True, kw_only=True)
class SizeCriterion(LocalCriterion):
    """A criterion that knows how many splits there were to choose from.

    ``n_features`` columns, ``total`` cases in the root, ``n_trees`` to choose from at a node;
    ``factor`` multiplies what size costs.
    """

    n_features: int = 1
    total: float = 1.0
    n_trees: int = 1
    factor: float = 1.0

    @property
    def log_splits(self) -> float:
        """Logarithm of the number of splits: a cut between any two cases, in any column."""
        return float(np.log(max(self.n_features * max(self.total - 1.0, 1.0), 1.0)))


class DescriptionCriterion(SizeCriterion):
    """Bits to describe the tree and, given the tree, the classes of the cases in its leaves.

    A node takes a bit to say whether it is a leaf, a split log2 of the number of splits more, a
    leaf log2 K for its class. Classes of n cases in a leaf, e of them exceptions, by
    "mdl-exceptions" (Quinlan and Rivest 1989) take ``log2(b + 1) + log2 C(n, e)`` bits, b the most
    exceptions there can be, and log2(K - 1) for each exception's class; by "mdl" (Mehta, Rissanen
    and Agrawal 1995) ``sum n_i log2(n / n_i) + (K-1)/2 log2(n/2) + log2(pi^(K/2) / Gamma(K/2))``,
    and no class is named.
    """

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Bits of leaves with these weights of the classes."""
        n, k = value.sum(axis=1), value.shape[1]
        if self.name == "mdl":
            own = (xlogy(value, n[:, None]) - xlogy(value, value)).sum(axis=1) / _LN2
            means = 0.5 * (k - 1) * np.log2(np.maximum(n, 1e-300) / 2.0)
            room = (0.5 * k * np.log(np.pi) - gammaln(0.5 * k)) / _LN2
            return self.factor + np.where(n > 0, own + np.maximum(means + room, 0.0), 0.0)
        errors = np.maximum(n - value.max(axis=1), 0.0)
        which = (gammaln(n + 1) - gammaln(errors + 1) - gammaln(n - errors + 1)) / _LN2
        how_many = np.log2(np.floor(n * (k - 1) / k) + 1.0)
        named = errors * np.log2(max(k - 1, 1))
        return self.factor * (1.0 + np.log2(k)) + how_many + which + named

    def margin(self, below, value, leaves, depth):
        """Return the bits of the splits."""
        return self.factor * (np.asarray(leaves) - 1) * (1.0 + self.log_splits / _LN2)


class BoundCriterion(SizeCriterion):
    """Errors, and what a bound on their true rate allows for (Kearns and Mansour 1998).

    At a node of depth l with n of the m cases, a subtree of s splits out of H possible ones must
    be better by ``n factor sqrt(((l + s) log H + log(m / cf)) / n)``: it was one of about H^s
    subtrees, at one of H^l places, and all such bounds hold with probability 1 - cf.
    """

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Errors of leaves."""
        return np.maximum(value.sum(axis=1) - value.max(axis=1), 0.0)

    def margin(self, below, value, leaves, depth):
        """Return what the bound allows for, in errors."""
        n = float(np.sum(value))
        size = (np.asarray(leaves) - 1 + depth) * self.log_splits
        room = size + np.log(max(self.total, 1.0) / self.cf)
        return self.factor * np.sqrt(np.maximum(room, 0.0) * n)


class ComparisonsCriterion(SizeCriterion):
    """Deviance, and the gain in it that chance alone brings among so many subtrees compared.

    A subtree stays where the likelihood-ratio statistic G of its leaves is significant at level
    cf after Bonferroni's correction for the subtrees there were to choose from (Jensen and
    Schmill 1997): with L leaves, ``n_trees * C^(L-1)`` of them, C = columns times 1 + log2(cases).
    Cuts of one column are strongly correlated, and halving a column again and again makes about
    so many that are not. Merging compares trees as well: ``n_trees`` counts them.
    """

    def leaf_cost(self, value: NDArray) -> NDArray:
        """Twice the negative log-likelihood of the classes in leaves, by their own shares."""
        n = value.sum(axis=1)
        return 2.0 * (xlogy(n, n) - xlogy(value, value).sum(axis=1))

    def margin(self, below, value, leaves, depth):
        """Return the least G that is significant."""
        splits = np.asarray(leaves, dtype=np.float64) - 1
        candidates = max(self.n_features * (1.0 + np.log2(max(self.total, 1.0))), 1.0)
        log_chance = np.log(self.cf / self.n_trees) - splits * np.log(candidates)
        freedom = np.maximum(splits * float(max(int(np.count_nonzero(value)) - 1, 1)), 1.0)
        return self.factor * _chi2_quantile(log_chance, freedom)


def _chi2_quantile(log_chance: ArrayLike, freedom: NDArray) -> NDArray:
    """Return what a chi-squared number exceeds with a chance given by its logarithm."""
    log_chance = np.asarray(log_chance, dtype=np.float64)
    chance = np.exp(np.maximum(log_chance, np.log(_LEAST)))
    exact = 2.0 * gammainccinv(0.5 * freedom, chance)
    # Laurent and Massart 2000, lemma 1: never below the quantile, and near it far out.
    bound = freedom + 2.0 * np.sqrt(-log_chance * freedom) - 2.0 * log_chance
    return np.where(log_chance > np.log(_LEAST), exact, bound)


SIZED = {
    "mdl": DescriptionCriterion,
    "mdl-exceptions": DescriptionCriterion,
    "kearns-mansour": BoundCriterion,
    "multiple-comparisons": ComparisonsCriterion,
}
