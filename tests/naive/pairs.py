"""Slow twins of counterpoint._kernels.pairs: plain Python, obvious."""


def pack(flags, n_rows):
    n_members, n_samples = len(flags), len(flags[0])
    words = [[0] * ((n_samples + 63) // 64) for _ in range(n_rows)]
    for m in range(n_members):
        for s in range(n_samples):
            if flags[m][s]:
                words[m][s // 64] += 2 ** (s % 64)
    return words


def count_pairs(words):
    return [
        [sum((int(a) & int(b)).bit_count() for a, b in zip(x, y)) for y in words] for x in words
    ]


def count_columns(words, n_samples):
    return [sum(int(row[s // 64]) >> (s % 64) & 1 for row in words) for s in range(n_samples)]


def measure_pairs(kind, both, total):
    """One pair after the other, from the textbook formulas on counts."""
    n = len(both)
    values = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            a, b, c = both[i][j], both[i][i] - both[i][j], both[j][j] - both[i][j]
            d = total - a - b - c
            spread = (a + b) * (c + d) * (a + c) * (b + d)
            numerator, denominator = {
                "Q": (a * d - b * c, a * d + b * c),
                "CORRELATION": (a * d - b * c, spread**0.5),
                "KAPPA": (2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d)),
                "DISAGREEMENT": (b + c, total),
                "DOUBLE_FAULT": (d, total),
                "COVARIANCE": (a * total - (a + b) * (a + c), total**2),
            }[kind]
            values[i][j] = numerator / denominator if denominator else float("nan")
    return values
