"""Slow twin of counterpoint._kernels.polls: plain Python, obvious."""


def weigh_columns(words, rows, weights, n_samples):
    def bit(row, sample):
        return (int(words[row][sample // 64]) >> (sample % 64)) & 1

    return [
        sum(int(weight) * bit(row, sample) for row, weight in zip(rows, weights, strict=True))
        for sample in range(n_samples)
    ]
