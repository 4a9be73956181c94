"""Pruning of trees given as (counts, left, right), by the book."""

from math import comb, exp, gamma, inf, lgamma, log, log2, pi, sqrt


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


def chen_limit(errors, n, delta):
    """Largest rate p above errors / n that Massart's inequality allows, by bisection."""
    seen = errors / n
    low, high = seen, 1.0
    for _ in range(200):
        p = (low + high) / 2
        centre = (2 * p + seen) / 3
        room = 2 * centre * (1 - centre)
        tail = exp(-n * (p - seen) ** 2 / room) if room > 0 else (1.0 if p == seen else 0.0)
        if tail > delta / 2:
            low = p
        else:
            high = p
    return p


def leaf_cost(counts, criterion, *, cf=0.25, limit="binomial", m=2.0, prior=None):
    """Cost of a leaf by one of the three criteria that look at a node alone."""
    n, k = sum(counts), len(counts)
    errors = n - max(counts)
    if criterion == "pessimistic":
        return errors + 0.5
    if criterion == "kearns-mansour":
        return errors
    if criterion == "multiple-comparisons":
        return -2 * sum(c * log(c / n) for c in counts if c)
    if criterion == "mdl-exceptions":
        most = n * (k - 1) // k
        return 1 + log2(k) + log2(most + 1) + log2(comb(n, errors)) + errors * log2(max(k - 1, 1))
    if criterion == "mdl":
        if n == 0:
            return 1
        rest = (k - 1) / 2 * log2(n / 2) + log2(pi ** (k / 2) / gamma(k / 2))
        return 1 + sum(c * log2(n / c) for c in counts if c) + max(rest, 0)
    if n == 0:
        return 0.0
    if criterion == "minimum-error":
        shares = [(c + p * m) / (n + m) for c, p in zip(counts, prior or [1 / k] * k)]
        return n * min(1 - share for share in shares)
    rate = binomial_limit(errors, n, cf) if limit == "binomial" else chen_limit(errors, n, cf)
    return n * rate


def chi2_quantile(chance, freedom):
    """What a chi-squared number exceeds with this chance, by bisection."""
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        if chi2_tail(middle, freedom) > chance:
            low = middle
        else:
            high = middle
    return middle


def chi2_tail(x, freedom):
    """Chance to exceed x: the recurrence from one or two degrees of freedom up."""
    from math import erfc

    if freedom % 2:
        tail, start = erfc(sqrt(x / 2)), 1
    else:
        tail, start = exp(-x / 2), 2
    for k in range(start, freedom, 2):
        if x > 0:
            tail += exp(k / 2 * log(x / 2) - x / 2 - lgamma(k / 2 + 1))
    return tail


def margin(below, counts, leaves, depth, criterion, *, size=(1, 1, 1), cf=0.25):
    """What a subtree with that cost must be better by; ``size`` columns, cases, trees."""
    n, (columns, total, trees) = sum(counts), size
    splits = columns * max(total - 1, 1)
    if criterion in ("mdl", "mdl-exceptions"):
        return (leaves - 1) * (1 + log2(splits))
    if criterion == "kearns-mansour":
        return (
            0.1 * n * sqrt(((leaves - 1 + depth) * log(splits) + log(total / cf)) / n) if n else 0
        )
    if criterion == "multiple-comparisons":
        compared = trees * (columns * (1 + log2(total))) ** (leaves - 1)
        classes = sum(1 for c in counts if c)
        return chi2_quantile(cf / compared, (leaves - 1) * max(classes - 1, 1))
    if criterion != "pessimistic" or n == 0:
        return 0.0
    return sqrt(max(below * (n - below), 0) / n)


def prune_by(tree, cost, margin, depth=0):
    """Prune by ``cost(counts)`` and ``margin(below, counts, leaves, depth)``; tree and its cost."""
    counts, left, right = tree
    as_leaf = cost(counts)
    if left is None:
        return tree, as_leaf
    left, cost_left = prune_by(left, cost, margin, depth + 1)
    right, cost_right = prune_by(right, cost, margin, depth + 1)
    below = cost_left + cost_right
    n_leaves = len(leaves(left)) + len(leaves(right))
    if as_leaf <= below + margin(below, counts, n_leaves, depth) + 1e-9:
        return (counts, None, None), as_leaf
    return (counts, left, right), below


def held_out_pruning(tree, held):
    """Reduced-error pruning; ``held`` are counts of held-out rows, nested like the tree."""
    counts, left, right = tree
    errors = sum(held[0]) - held[0][counts.index(max(counts))]
    if left is None:
        return tree, errors
    left, errors_left = held_out_pruning(left, held[1])
    right, errors_right = held_out_pruning(right, held[2])
    if errors <= errors_left + errors_right:
        return (counts, None, None), errors
    return (counts, left, right), errors_left + errors_right


def entropy(counts):
    """Entropy in bits."""
    n = sum(counts)
    return -sum(c / n * log2(c / n) for c in counts if c) if n else 0.0


def critical_pruning(tree, critical):
    """Cut every split with no gain above ``critical`` at or below it; True if some is left."""
    counts, left, right = tree
    if left is None:
        return tree, False
    n = sum(counts)
    parts = sum(sum(side[0]) * entropy(side[0]) for side in (left, right))
    gain = entropy(counts) - (parts / n if n else 0.0)
    left, strong_left = critical_pruning(left, critical)
    right, strong_right = critical_pruning(right, critical)
    if gain > critical or strong_left or strong_right:
        return (counts, left, right), True
    return (counts, None, None), False


def leaves(tree):
    """Counts of the leaves."""
    counts, left, right = tree
    return [counts] if left is None else leaves(left) + leaves(right)


def weakest_link_pruning(tree, alpha, cost):
    """Make the weakest link a leaf as long as it saves ``alpha`` or less per leaf."""
    while True:
        weakest, where = inf, None
        for path, node in inner_nodes(tree):
            below = [cost(c) for c in leaves(node)]
            link = (cost(node[0]) - sum(below)) / (len(below) - 1)
            if link < weakest - 1e-12:
                weakest, where = link, path
        if where is None or weakest > alpha + 1e-12:
            return tree
        tree = with_leaf(tree, where)


def inner_nodes(tree, path=()):
    """Inner nodes with the ways to them, as 1 for left and 2 for right."""
    if tree[1] is not None:
        yield path, tree
        for side in (1, 2):
            yield from inner_nodes(tree[side], (*path, side))


def with_leaf(tree, path):
    """Return the tree with the node at the end of a way made a leaf."""
    if not path:
        return (tree[0], None, None)
    changed = list(tree)
    changed[path[0]] = with_leaf(tree[path[0]], path[1:])
    return tuple(changed)


def raise_branches(tree, rows, cf):
    """Prune (column, cut, left, right), None for a leaf, by rows (x, class); may raise branches.

    Returns the tree and its errors. A side of equal size to the other is the larger if left.
    """
    as_leaf = expected_errors(None, rows, cf)
    if tree is None:
        return None, as_leaf
    column, cut, left, right = tree
    sides = (
        [row for row in rows if row[0][column] <= cut],
        [row for row in rows if not row[0][column] <= cut],
    )
    left, errors_left = raise_branches(left, sides[0], cf)
    right, errors_right = raise_branches(right, sides[1], cf)
    below = errors_left + errors_right
    larger = left if len(sides[0]) >= len(sides[1]) else right
    raised = expected_errors(larger, rows, cf)
    if as_leaf <= min(below, raised) + 1e-9:
        return None, as_leaf
    if raised <= below + 1e-9:
        return raise_branches(larger, rows, cf)
    return (column, cut, left, right), below


def expected_errors(tree, rows, cf):
    """Errors expected of a tree as it is, rows sent down it."""
    if tree is None:
        counts = [sum(label == k for _, label in rows) for k in {label for _, label in rows}]
        n = len(rows)
        return n * binomial_limit(n - max(counts, default=0), n, cf)
    column, cut, left, right = tree
    return expected_errors(left, [r for r in rows if r[0][column] <= cut], cf) + expected_errors(
        right, [r for r in rows if not r[0][column] <= cut], cf
    )


def number_cost(cases, criterion, everybody, *, cf=0.25, m=2.0):
    """Squared errors expected in a leaf of (weight, number) pairs."""
    n, spread = sum(w for w, _ in cases), squared_deviations(cases)
    total = sum(w for w, _ in everybody)
    if criterion == "minimum-error":
        # As if m more cases were there, spread over the root's in proportion to their weights.
        more = [*cases, *((m * w / total, y) for w, y in everybody)]
        return n * squared_deviations(more) / sum(w for w, _ in more)
    if n <= 1:
        return n * squared_deviations(everybody) / total
    if criterion == "pessimistic":
        return spread * (n + 1) / (n - 1)
    return n * spread / chi2_quantile(1 - cf, n - 1)


def squared_deviations(cases):
    """Summed squares of the distances from the mean."""
    n = sum(w for w, _ in cases)
    mean = sum(w * y for w, y in cases) / n
    return sum(w * (y - mean) ** 2 for w, y in cases)
