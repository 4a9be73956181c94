"""Log-loss of sums at a temperature, and how it changes; twin in ``tests/naive/temperature.py``."""

import numpy as np

from counterpoint._kernels.compiling import kernel


@kernel()
def tempered(sums, y, weight, temperature):
    """Add up log p of the classes y, p = softmax(sums / temperature), and what changes it.

    sums (n_samples, n_classes) and weight (n_samples,) float64, y (n_samples,) class codes. Returns
    (3,) float64, over the samples by weight: log p of y; how far the mean of the sums under p is
    above that of y; their variance under p. The slope of the first by 1 / temperature is the second
    with a minus, and that of the second is the third.
    """
    n_samples, n_classes = sums.shape
    found = np.zeros(3)
    for s in range(n_samples):
        own = sums[s, y[s]]
        most = own
        for c in range(n_classes):
            most = max(most, sums[s, c])
        total, first, second = 0.0, 0.0, 0.0
        for c in range(n_classes):
            p = np.exp((sums[s, c] - most) / temperature)
            ahead = sums[s, c] - own
            total += p
            first += p * ahead
            second += p * ahead * ahead
        mean = first / total
        found[0] += weight[s] * ((own - most) / temperature - np.log(total))
        found[1] += weight[s] * mean
        found[2] += weight[s] * (second / total - mean * mean)
    return found
