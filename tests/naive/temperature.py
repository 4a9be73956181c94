"""Log-loss of sums at a temperature from its definition, one sample after the other."""

from math import exp, log


def tempered(sums, y, weight, temperature):
    """Weighted sums over samples: log p of y, mean of the sums above that of y, their variance."""
    found = [0.0, 0.0, 0.0]
    for row, truth, w in zip(sums, y, weight, strict=True):
        powers = [exp(value / temperature) for value in row]
        p = [power / sum(powers) for power in powers]
        above = [value - row[truth] for value in row]
        mean = sum(q * a for q, a in zip(p, above, strict=True))
        found[0] += w * log(p[truth])
        found[1] += w * mean
        found[2] += w * sum(q * (a - mean) ** 2 for q, a in zip(p, above, strict=True))
    return found
