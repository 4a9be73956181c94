"""What members that are trained together are to change: slopes of mixed cross-entropies.

Samples come last: a row for each output of a member, so that loops run along samples.
"""

import numpy as np
from numba import prange

from counterpoint._kernels.compiling import parallel
from counterpoint._kernels.elementary import vectorised

LINEAR, SIGMOID, SOFTMAX = range(3)  # output units
_BLOCK = 1024


@vectorised
def entropy_slopes(rows, target, mean, weight, spare, kind, s):
    """Write over outputs the derivative of (1 - s) CE(f_i) + s N CE(f), by f_i and not by f.

    Ratios to the mean are at most N. Where both are 0 all members are alike, and the ratio 1.
    """
    zero, one = spare.dtype.type(0), spare.dtype.type(1)
    own = one - s
    if kind == SOFTMAX:
        for i in range(len(spare)):
            spare[i] = 0
        for k in range(len(rows)):
            f, wanted, shared = rows[k], target[k], mean[k]
            for i in range(len(spare)):
                spare[i] += wanted[i] * (f[i] / shared[i] if shared[i] > zero else one)
    for k in range(len(rows)):
        f, wanted, shared = rows[k], target[k], mean[k]
        if kind == SOFTMAX:
            for i in range(len(spare)):
                ratio = f[i] / shared[i] if shared[i] > zero else one
                joint = f[i] * spare[i] - wanted[i] * ratio
                f[i] = (own * (f[i] - wanted[i]) + s * joint) * weight[i]
        else:
            for i in range(len(spare)):
                rest, others = one - f[i], one - shared[i]
                up = rest * (f[i] / shared[i] if shared[i] > zero else one)
                down = f[i] * (rest / others if others > zero else one)
                joint = (one - wanted[i]) * down - wanted[i] * up
                f[i] = (own * (f[i] - wanted[i]) + s * joint) * weight[i]


@parallel(error_model="numpy")
def mixed_newton(outputs, target, kind, s, least, factor, curvature, aim):
    """Write the Newton steps of members whose cross-entropies are mixed with that of their mean.

    Outputs (n_members, n_outputs, n_samples) are probabilities, target (n_outputs, n_samples) is 1
    for the class. Curvatures p (1 - p) ``factor`` of a member's own loss, p (1 - p) no less than
    ``least``, and slopes over curvatures, downwards, are written to arrays like ``outputs``.
    """
    n_members, n_outputs, n = outputs.shape
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        start, stop = block * _BLOCK, min(n, (block + 1) * _BLOCK)
        wanted = target[:, start:stop]
        mean, spare = np.zeros((n_outputs, stop - start)), np.empty(stop - start)
        alike = np.ones(stop - start)
        for m in range(n_members):
            for k in range(n_outputs):
                for i in range(stop - start):
                    mean[k, i] += outputs[m, k, start + i]
        mean /= n_members
        for m in range(n_members):
            slopes = aim[m, :, start:stop]
            slopes[:] = outputs[m, :, start:stop]
            entropy_slopes(slopes, wanted, mean, alike, spare, kind, s)
            for k in range(n_outputs):
                for i in range(stop - start):
                    p = outputs[m, k, start + i]
                    own = max((1.0 - p) * p, least)
                    slopes[k, i] = -(slopes[k, i] / own) / factor
                    curvature[m, k, start + i] = own * factor
