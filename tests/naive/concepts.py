"""Slow twins of boosting.concepts and boosting.discretize: plain Python, on lists of rows."""

from math import log2

TIE = 1e-12


def entropy(labels, weights):
    total = sum(weights)
    shares = [
        sum(w for label, w in zip(labels, weights) if label == c) / total for c in set(labels)
    ]
    return -sum(p * log2(p) for p in shares)


def gain(column, labels, weights):
    left = 0.0
    for value in set(column):
        extent = [i for i, v in enumerate(column) if v == value]
        share = sum(weights[i] for i in extent) / sum(weights)
        left += share * entropy([labels[i] for i in extent], [weights[i] for i in extent])
    return entropy(labels, weights) - left


def gain_ratio(column, labels, weights):
    split = entropy(column, weights)
    return gain(column, labels, weights) / split if len(set(column)) > 1 else None


def best_columns(scores, k):
    """The k highest, ties to the first; None is lowest."""
    left, chosen = list(range(len(scores))), []
    for _ in range(k):
        known = [scores[j] for j in left if scores[j] is not None]
        best = [j for j in left if scores[j] is not None and scores[j] >= max(known) - TIE]
        chosen.append((best or left)[0])
        left.remove(chosen[-1])
    return chosen


def extent_of(rows, intent):
    return [i for i, row in enumerate(rows) if all(row[j] == v for j, v in intent.items())]


def intent_of(rows, extent):
    first = rows[extent[0]]
    return {j: v for j, v in enumerate(first) if all(rows[i][j] == v for i in extent)}


def concepts(rows, labels, weights, column):
    """One dict per value of the column: value, extent, intent, class weights."""
    concepts = []
    for value in sorted({row[column] for row in rows}):
        extent = extent_of(rows, {column: value})
        by_class = dict.fromkeys(sorted(set(labels)), 0.0)
        for i in extent:
            by_class[labels[i]] += weights[i]
        concepts.append(
            {
                "value": value,
                "extent": extent,
                "intent": intent_of(rows, extent),
                "weights": by_class,
            }
        )
    return concepts


def class_weights(labels, weights):
    total = dict.fromkeys(sorted(set(labels)), 0.0)
    for label, weight in zip(labels, weights):
        total[label] += weight
    return total


def proba(row, owned_concepts, scores, prior, match):
    """Class shares of one row: of matching concepts, by the score of their column; or the prior.

    owned_concepts are pairs of a column and one of its concepts. A concept of a column that
    scores nothing (0 or NaN) has no say.
    """
    total = dict.fromkeys(prior, 0.0)
    for column, concept in owned_concepts:
        premise = concept["intent"] if match == "intent" else {column: concept["value"]}
        if scores[column] > TIE and all(row[j] == v for j, v in premise.items()):
            size = sum(concept["weights"].values())
            for c, w in concept["weights"].items():
                total[c] += scores[column] * w / size
    if sum(total.values()) == 0:
        total = prior
    return [w / sum(total.values()) for w in total.values()]


def mdl_cuts(values, labels, weights):
    """Fayyad and Irani 1993 with every border of two values tried, not only boundary points."""
    rows = [row for row in zip(values, labels, weights) if row[0] == row[0]]
    rows.sort(key=lambda row: row[0])
    cuts = []

    def split(part):
        n = sum(w for _, _, w in part)
        ent = entropy([c for _, c, _ in part], [w for _, _, w in part]) if part else 0.0
        best = None
        for i in range(1, len(part)):
            if part[i - 1][0] == part[i][0]:
                continue
            sides = part[:i], part[i:]
            ents = [entropy([c for _, c, _ in s], [w for _, _, w in s]) for s in sides]
            after = sum(e * sum(w for _, _, w in s) / n for e, s in zip(ents, sides))
            if best is None or after < best[0] - TIE:
                best = after, i, sides, ents
        if best is None:
            return
        after, i, sides, ents = best
        k, *ks = (len({c for _, c, _ in s}) for s in (part, *sides))
        delta = log2(3**k - 2) - (k * ent - ks[0] * ents[0] - ks[1] * ents[1])
        if ent - after > (log2(max(n - 1, 1)) + delta) / n + TIE:
            cuts.append((part[i - 1][0] + part[i][0]) / 2)
            for side in sides:
                split(side)

    split(rows)
    return sorted(cuts)
