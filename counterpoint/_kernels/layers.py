"""One layer of many networks, each sample by itself; twins in ``tests/naive/networks.py``.

A matrix product of BLAS adds up in another order for one sample than for many, so that an answer
would depend on what else is asked. Here the order is the same for every sample.
"""

from numba import prange

from counterpoint._kernels.compiling import parallel


@parallel()
def layer(signal, w, b, out):
    """Write what goes into the units of a layer, signal @ w + b, to ``out``.

    signal (n_members or 1, n_samples, n_inputs), w (n_members, n_inputs, n_units),
    b (n_members, n_units), out (n_members, n_samples, n_units), all of one float type.
    """
    n_members, n_samples, n_units = out.shape
    own = len(signal) > 1
    for at in prange(n_members * n_samples):
        m, s = at // n_samples, at % n_samples
        row, total = signal[m if own else 0, s], out[m, s]
        for u in range(n_units):
            total[u] = b[m, u]
        for q in range(len(row)):
            x, weights = row[q], w[m, q]
            for u in range(n_units):
                total[u] += x * weights[u]
