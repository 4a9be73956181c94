"""Error-based pruning, by the book."""

from math import comb, exp, lgamma, log


def binomial_limit(errors, n, cf):
    """Rate p with P(errors or fewer among n) = cf, by bisection; whole numbers only."""
    if n == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        at_most = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(errors + 1))
        if at_most > cf:
            low = p
        else:
            high = p
    return 1.0 if errors == n else p


def beta_share(p, a, b, steps=4000):
    """Share of a beta density below p, by Simpson's rule; a and b from 1 on."""
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)

    def density(t):
        if t == 0:
            return exp(scale) if a == 1 else 0.0
        return exp(scale + (a - 1) * log(t) + (b - 1) * log(1 - t))

    h = p / steps
    inner = sum((4 if k % 2 else 2) * density(k * h) for k in range(1, steps))
    return (density(0) + inner + density(p)) * h / 3


def prune(tree, cf):
    """Prune (counts, left, right) with None for no child; return the tree and its errors."""
    counts, left, right = tree
    n = sum(counts)
    as_leaf = n * binomial_limit(n - max(counts), n, cf)
    if left is None:
        return (counts, None, None), as_leaf
    left, errors_left = prune(left, cf)
    right, errors_right = prune(right, cf)
    if as_leaf <= errors_left + errors_right + 1e-9:
        return (counts, None, None), as_leaf
    return (counts, left, right), errors_left + errors_right


def all_prunings(tree):
    """Every tree that pruning could make of this one, as lists of the counts of its leaves."""
    counts, left, right = tree
    yield [counts]
    if left is not None:
        for first in all_prunings(left):
            for second in all_prunings(right):
                yield first + second
