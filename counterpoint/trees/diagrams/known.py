"""Questions whose answer is known, whatever way led to them, are not asked."""

import numpy as np

from counterpoint.trees.diagrams.melting import Nodes


def drop_known(asked: list[tuple], root: int, n_cuts) -> tuple[list[tuple], int]:
    """Return the diagram without questions that every way to them has answered.

    ``asked`` has column, cut, low and high by node, beginnings before ends. What is known of a
    column at a question is the least range of cells that holds the ranges of all ways to it; a
    side that this leaves nothing of does not count.
    """
    while root >= 0:
        shorter, start = _once(asked, root, n_cuts)
        if len(shorter) == len(asked):
            break
        asked, root = shorter, start
    return asked, root


def _once(asked, root, n_cuts):
    n, n_columns = len(asked), len(n_cuts)
    first = np.full((n, n_columns), np.iinfo(np.int32).max, dtype=np.int32)
    last = np.full((n, n_columns), -1, dtype=np.int32)
    first[root], last[root] = 0, n_cuts
    reached = np.zeros(n, dtype=bool)
    reached[root] = True
    goes_on: list[int | None] = [None] * n  # the side that is known
    for node, (f, k, *ends) in enumerate(asked):
        if not reached[node]:
            continue
        if last[node, f] <= k:
            goes_on[node] = 0
        elif first[node, f] > k:
            goes_on[node] = 1
        for side, end in enumerate(ends):
            if end < 0 or goes_on[node] == 1 - side:
                continue
            low, high = first[node].copy(), last[node].copy()
            if side:
                low[f] = max(low[f], k + 1)
            else:
                high[f] = min(high[f], k)
            first[end] = np.minimum(first[end], low)
            last[end] = np.maximum(last[end], high)
            reached[end] = True
    nodes = Nodes(n)
    place = np.empty(n, dtype=np.int64)
    for node in range(n - 1, -1, -1):
        if reached[node]:
            f, k, *ends = asked[node]
            low, high = (end if end < 0 else int(place[end]) for end in ends)
            known = goes_on[node]
            place[node] = nodes.ask(f, k, low, high) if known is None else (low, high)[known]
    return nodes.below(int(place[root]))
