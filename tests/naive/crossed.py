"""Rows crossed in the leaves of trees, and the gain of a split on shares: in plain Python."""


def mates(here, leaf, weight, order, share):
    """For each row the sample of its leaf at that share of the leaf's weight; None for none."""
    found = []
    for node, part in zip(here, share):
        within = [s for s in order if leaf[s] == node]
        left = part * sum(weight[s] for s in within)
        chosen = None
        for s in within:
            chosen = s
            if left < weight[s]:
                break
            left -= weight[s]
        found.append(chosen)
    return found


def gini_gain(shares, weight, goes_left):
    """What a split takes off the weight times the Gini index of rows with shares of classes."""

    def impurity(rows):
        total = sum(weight[r] for r in rows)
        classes = range(len(shares[0]))
        sums = [sum(weight[r] * shares[r][c] for r in rows) for c in classes]
        return total - sum(s * s for s in sums) / total

    everybody = range(len(shares))
    left = [r for r in everybody if goes_left[r]]
    right = [r for r in everybody if not goes_left[r]]
    return impurity(everybody) - impurity(left) - impurity(right)
