"""Trees of forests in plain Python: every cut tried, every sum added up anew."""

from itertools import pairwise


def sums(rows, place, amount, width):
    return [sum(amount[i] for i in rows if place[i] == c) for c in range(width)]


def worth(sides, place, amount, weight, width):
    """The squared amounts of both sides, over their weights."""
    return sum(
        sum(s**2 for s in sums(side, place, amount, width)) / sum(weight[i] for i in side)
        for side in sides
    )


def parted(column, rows, cut):
    return [i for i in rows if column[i] <= cut], [i for i in rows if column[i] > cut]


def grow(columns, target, rows, draws, n_columns, least, width, *, by_lot):
    """Nodes as dicts, in the order in which they are found, and the depth."""
    place, amount, weight = target
    nodes, order, drawn = [{}], list(range(len(columns))), 0
    todo, deepest = [(0, list(rows), 0)], 0
    while todo:
        node, here, depth = todo.pop()
        deepest = max(deepest, depth)
        heavy = sum(weight[i] for i in here)
        value = [s / heavy for s in sums(here, place, amount, width)]
        nodes[node] = {"value": value, "feature": -1, "left": -1, "right": -1, "threshold": None}
        kinds = {place[i] if width > 1 else amount[i] / weight[i] for i in here}
        if len(kinds) == 1 or len(here) < 2 * least:
            continue
        best, split, varied, j = float("-inf"), None, False, 0
        while j < len(columns) and (j < n_columns or not varied):
            draw = draws[drawn % len(draws)] * (len(columns) - j)
            drawn += 1
            order[j + int(draw)], order[j] = order[j], order[j + int(draw)]
            f = order[j]
            j += 1
            values = sorted({columns[f][i] for i in here})
            if len(values) == 1:
                continue
            varied = True
            cuts = [(a + b) / 2 for a, b in pairwise(values)]
            if by_lot:
                cuts = [values[0] + (draw - int(draw)) * (values[-1] - values[0])]
            for cut in cuts:
                sides = parted(columns[f], here, cut)
                if min(map(len, sides)) < least:
                    continue
                own = worth(sides, place, amount, weight, width)
                if own > best * (1 + 1e-12) if best > 0 else own > best:
                    best, split = own, (f, cut)
        if split is None:
            continue
        f, cut = split
        left, right = parted(columns[f], here, cut)
        nodes[node] |= {"feature": f, "threshold": cut, "left": len(nodes), "right": len(nodes) + 1}
        todo += [(len(nodes) + 1, right, depth + 1), (len(nodes), left, depth + 1)]
        nodes += [{}, {}]
    return nodes, deepest
