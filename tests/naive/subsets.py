"""Votes of subsets of members, all of them tried, in plain Python."""

from itertools import combinations


def vote_error(votes, y, members, weight=None):
    weight = weight or [1] * len(y)
    n_classes = max(max(max(v) for v in votes), max(y)) + 1
    wrong = 0.0
    for s, truth in enumerate(y):
        cast = [0] * n_classes
        for m in members:
            cast[votes[m][s]] += 1
        wrong += weight[s] * (cast.index(max(cast)) != truth)
    return wrong / sum(weight)


def best_subset(votes, y, sizes, weight=None):
    """The least error; of equals the smallest subset, then the first members by bits."""
    found = [
        (vote_error(votes, y, members, weight), len(members), sum(1 << m for m in members), members)
        for k in sizes
        for members in combinations(range(len(votes)), k)
    ]
    return min(found)


def forward(votes, y, steps, replace=False):
    chosen = []
    for _ in range(steps):
        left = [m for m in range(len(votes)) if replace or m not in chosen]
        chosen = [*chosen, min(left, key=lambda m: (vote_error(votes, y, [*chosen, m]), m))]
    return chosen


def backward(votes, y):
    chosen, steps = list(range(len(votes))), []
    while True:
        steps.append(list(chosen))
        if len(chosen) == 1:
            return steps
        gone = min(
            range(len(chosen)),
            key=lambda k: (vote_error(votes, y, chosen[:k] + chosen[k + 1 :]), k),
        )
        chosen.pop(gone)


def margin_distance_order(right, objective):
    """right[m][s] is +1 or -1."""
    n, left, order = len(right), list(range(len(right))), []
    total = [0.0] * len(right[0])
    while left:
        far = {
            m: sum(max(objective - (t + r) / n, 0) ** 2 for t, r in zip(total, right[m]))
            for m in left
        }
        best = min(left, key=far.get)
        total = [t + r for t, r in zip(total, right[best])]
        order.append(best)
        left.remove(best)
    return order


def complementarity_order(votes, y):
    order = [min(range(len(votes)), key=lambda m: vote_error(votes, y, [m]))]
    while len(order) < len(votes):
        lost = [s for s in range(len(y)) if vote_error([[v[s]] for v in votes], [y[s]], order)]
        left = [m for m in range(len(votes)) if m not in order]
        order.append(max(left, key=lambda m: (sum(votes[m][s] == y[s] for s in lost), -m)))
    return order


def thinning(votes, y, least):
    chosen, steps = list(range(len(votes))), []
    n_classes = max(max(max(v) for v in votes), max(y)) + 1
    while True:
        steps.append(list(chosen))
        if len(chosen) == least:
            return steps
        earned = dict.fromkeys(chosen, 0)
        for s, truth in enumerate(y):
            cast = [0] * n_classes
            for m in chosen:
                cast[votes[m][s]] += 1
            won = cast.index(max(cast)) == truth
            for m in chosen:
                right = votes[m][s] == truth
                earned[m] += (1 if won else 2) if right else (0 if won else -2)
        low = min(earned.values())
        chosen.remove([m for m in chosen if earned[m] == low][-1])
