"""Epochs of many small networks trained together; twins in ``tests/naive/networks.py``.

One hidden layer of tanh units; outputs linear, sigmoid or softmax. All epochs of a call run with
no Python in between.

Samples are taken in blocks, and only one block of hidden units is kept at a time. A block lies
sample-last: one row for each input, unit or output, one column for each sample, so that loops run
along samples however few units there are, and the hidden units of all members are one matrix
product. A block is filled up with samples of weight zero.

Blocks belong to groups, which threads may share out. A group has its own sum of gradients, and
these are added up in order, so that results are the same at any thread count. Matrix products are
BLAS's: callers hold it to one thread.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from counterpoint._kernels.elementary import INNER, exp, tanh, vectorised

LINEAR, SIGMOID, SOFTMAX = range(3)
SQUARED, ENTROPY = range(2)

# Sums over the samples of a block may be taken in another order ("reassoc"), or they would not be
# vectorised. The order is settled at compile time: one machine gives one result.
_summing = njit(error_model="numpy", fastmath={"contract", "reassoc"}, **INNER)
_inner = njit(**INNER)


class Job(NamedTuple):
    """What to train on, what to train and room to work in; all of one dtype but ``order``.

    With d features, h hidden units and K outputs, n samples, N members, G groups of P blocks of
    B samples, D rows of input to a block (features, a row of ones and maybe zeros) and S rooms, 1
    or G:
    """

    X: NDArray  # (n, d)
    targets: NDArray  # (n, K)
    weight: NDArray  # (n,), 1 on average
    x: NDArray  # (G, P, D, B): blocks
    target: NDArray  # (G, P, K, B)
    scaled: NDArray  # (G, P, B)
    theta: NDArray  # all parameters, in the order of the next three, which are views of it
    w: NDArray  # (N h, D): weights of inputs, biases
    v: NDArray  # (N, K, h): weights of hidden units
    c: NDArray  # (N, K): biases of outputs
    gradients: NDArray  # (G, n_parameters)
    decay: NDArray  # (n_parameters,)
    moments: NDArray  # (2, n_parameters), or (2, 0) for plain gradient descent
    hidden: NDArray  # (S, N, h, B)
    units: NDArray  # (S, N h, B): a view of it
    back: NDArray  # (S, h, B)
    out: NDArray  # (S, N, K, B)
    mean: NDArray  # (S, K, B)
    spare: NDArray  # (S, B)
    part_w: NDArray  # (S, N h, D)
    flat_w: NDArray  # (S, N h D): a view of it
    part_v: NDArray  # (S, N, K, h)
    flat_v: NDArray  # (S, N K h): a view of it


@_inner
def _fill(X, targets, weight, order, start, stop, x, target, scaled):
    """Bring samples ``order[start:stop]`` into a block."""
    n_features = X.shape[1]
    for i in range(len(scaled)):
        x[n_features, i] = 1
        if start + i >= stop:
            scaled[i] = 0
            continue
        sample = order[start + i]
        scaled[i] = weight[sample]
        for q in range(n_features):
            x[q, i] = X[sample, q]
        for k in range(len(target)):
            target[k, i] = targets[sample, k]


@vectorised
def _add(a, b):
    for i in range(len(a)):
        a[i] += b[i]


@vectorised
def _shift(a, by):
    for i in range(len(a)):
        a[i] += by


@vectorised
def _subtract(a, b):
    for i in range(len(a)):
        a[i] -= b[i]


@vectorised
def _copy(a, b):
    for i in range(len(a)):
        a[i] = b[i]


@_summing
def _total(a):
    total = a.dtype.type(0)
    for i in range(len(a)):
        total += a[i]
    return total


@_inner
def _forward(x, w, v, c, units, hidden, out):
    """Write what hidden units put out, and what goes into the output units."""
    n_members, n_outputs, n_hidden = v.shape
    np.dot(w, x, units)
    for m in range(n_members):
        for j in range(n_hidden):
            tanh(hidden[m, j])
        np.dot(v[m], hidden[m], out[m])
        for k in range(n_outputs):
            _shift(out[m, k], c[m, k])


@vectorised
def _sigmoid(row):
    half = row.dtype.type(0.5)
    for i in range(len(row)):
        row[i] *= half
    tanh(row)
    for i in range(len(row)):
        row[i] = half + half * row[i]


@vectorised
def _softmax(rows, spare):
    _copy(spare, rows[0])
    for k in range(1, len(rows)):
        row = rows[k]
        for i in range(len(spare)):
            spare[i] = spare[i] if spare[i] > row[i] else row[i]
    for k in range(len(rows)):
        _subtract(rows[k], spare)
        exp(rows[k])
    _copy(spare, rows[0])
    for k in range(1, len(rows)):
        _add(spare, rows[k])
    for k in range(len(rows)):
        row = rows[k]
        for i in range(len(spare)):
            row[i] /= spare[i]


@vectorised
def _squared(rows, target, mean, weight, spare, kind, s):
    """Write over outputs f_i: ((1 - s) f_i + s f - d) taken back through the output units."""
    one = spare.dtype.type(1)
    own = one - s
    if kind == SOFTMAX:
        for i in range(len(spare)):
            spare[i] = 0
        for k in range(len(rows)):
            f, wanted, shared = rows[k], target[k], mean[k]
            for i in range(len(spare)):
                spare[i] += (own * f[i] + s * shared[i] - wanted[i]) * f[i]
    for k in range(len(rows)):
        f, wanted, shared = rows[k], target[k], mean[k]
        if kind == LINEAR:
            for i in range(len(spare)):
                f[i] = (own * f[i] + s * shared[i] - wanted[i]) * weight[i]
        elif kind == SIGMOID:
            for i in range(len(spare)):
                error = own * f[i] + s * shared[i] - wanted[i]
                f[i] = error * (f[i] * (one - f[i])) * weight[i]
        else:
            for i in range(len(spare)):
                error = own * f[i] + s * shared[i] - wanted[i]
                f[i] = (error - spare[i]) * f[i] * weight[i]


@vectorised
def _entropy(rows, target, mean, weight, spare, kind, s):
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


@_inner
def _couple(out, target, weight, mean, spare, kind, loss, s):
    """Write over what goes into the output units the derivative of the error by it."""
    n_members, n_outputs, n = out.shape
    for m in range(n_members):
        if kind == SIGMOID:
            for k in range(n_outputs):
                _sigmoid(out[m, k])
        elif kind == SOFTMAX:
            _softmax(out[m], spare)
    share = out.dtype.type(1 / n_members)
    for k in range(n_outputs):
        row = mean[k]
        _copy(row, out[0, k])
        for m in range(1, n_members):
            _add(row, out[m, k])
        for i in range(n):
            row[i] *= share
    for m in range(n_members):
        if loss == SQUARED:
            _squared(out[m], target, mean, weight, spare, kind, s)
        else:
            _entropy(out[m], target, mean, weight, spare, kind, s)


@vectorised
def _through_tanh(back, hidden):
    for i in range(len(back)):
        hidden[i] = back[i] - back[i] * (hidden[i] * hidden[i])


@_summing
def _back(delta, v, hidden):
    """Do for one unit and one output what matrix products do for many, in one go."""
    total = delta.dtype.type(0)
    for i in range(len(delta)):
        total += delta[i] * hidden[i]
        step = v * delta[i]
        hidden[i] = step - step * (hidden[i] * hidden[i])
    return total


@_inner
def _backward(x, v, delta, units, hidden, back, part_w, part_v):
    """Write the gradient of a block by the weights, and by the biases of hidden units.

    What hidden units put out is written over by the derivative by what goes into them.
    """
    n_members, n_outputs, n_hidden = v.shape
    for m in range(n_members):
        if n_outputs == 1:
            for j in range(n_hidden):
                part_v[m, 0, j] = _back(delta[m, 0], v[m, 0, j], hidden[m, j])
        else:
            np.dot(delta[m], hidden[m].T, part_v[m])
            np.dot(v[m].T, delta[m], back)
            for j in range(n_hidden):
                _through_tanh(back[j], hidden[m, j])
    np.dot(units, x.T, part_w)


@_inner
def _group(job, order, start, stop, fill, g, room, kind, loss, s):
    """Set the gradient of group g of the batch ``order[start:stop]``."""
    gradient, out = job.gradients[g], job.out[room]
    flat_w, flat_v = job.flat_w[room], job.flat_v[room]
    end_w = len(flat_w)
    end_v = end_w + len(flat_v)
    n_members, n_outputs, _ = out.shape
    for i in range(len(gradient)):
        gradient[i] = 0
    _, per_group, _, size = job.x.shape
    for b in range(per_group):
        first = start + (g * per_group + b) * size
        if first >= stop:
            break
        x, target, scaled = job.x[g, b], job.target[g, b], job.scaled[g, b]
        if fill:
            last = min(stop, first + size)
            _fill(job.X, job.targets, job.weight, order, first, last, x, target, scaled)
        _forward(x, job.w, job.v, job.c, job.units[room], job.hidden[room], out)
        _couple(out, target, scaled, job.mean[room], job.spare[room], kind, loss, s)
        _backward(
            x, job.v, out, job.units[room], job.hidden[room], job.back[room], job.part_w[room],
            job.part_v[room],
        )  # fmt: skip
        _add(gradient[:end_w], flat_w)
        _add(gradient[end_w:end_v], flat_v)
        for m in range(n_members):
            for k in range(n_outputs):
                gradient[end_v + m * n_outputs + k] += _total(out[m, k])


@vectorised
def _descend(theta, gradients, share, decay, rate):
    for i in range(len(theta)):
        g = gradients[0, i]
        for group in range(1, len(gradients)):
            g += gradients[group, i]
        theta[i] -= rate * (share * g + decay[i] * theta[i])


@vectorised
def _descend_adam(theta, gradients, share, decay, rate, moment, square, keep1, keep2, tiny):
    for i in range(len(theta)):
        g = gradients[0, i]
        for group in range(1, len(gradients)):
            g += gradients[group, i]
        g = share * g + decay[i] * theta[i]
        moment[i] += keep1 * (g - moment[i])
        square[i] += keep2 * (g * g - square[i])
        theta[i] -= rate * moment[i] / (np.sqrt(square[i]) + tiny)


@_inner
def _move(theta, gradients, decay, moments, size, step, rate, adam):
    """Take step number ``step`` down the gradient of a batch of ``size`` samples."""
    number = theta.dtype.type
    share = number(1.0 / size)
    if moments.shape[1] == 0:
        _descend(theta, gradients, share, decay, number(rate))
        return
    beta1, beta2, tiny = adam
    rate = rate * np.sqrt(1.0 - beta2**step) / (1.0 - beta1**step)
    _descend_adam(
        theta, gradients, share, decay, number(rate), moments[0], moments[1],
        number(1.0 - beta1), number(1.0 - beta2), number(tiny),
    )  # fmt: skip


@njit(cache=True)
def train(job, orders, batch, epochs, steps, rate, adam, kind, loss, s):
    """Train for some epochs, changing ``job.theta`` and ``job.moments``; return the steps so far.

    orders (epochs, n) int64 has the samples of each epoch in the order they are taken, or one row
    if ``batch``, the samples of a step, is all of them. ``steps`` is the number of steps before,
    ``adam`` its two betas and epsilon; kind, loss and s are the output units and the coupling.
    """
    n = len(job.X)
    for epoch in range(epochs):
        order = orders[epoch] if batch < n else orders[0]
        for start in range(0, n, batch):
            stop = min(n, start + batch)
            for g in range(len(job.x)):
                _group(job, order, start, stop, batch < n or epoch == 0, g, 0, kind, loss, s)
            steps += 1
            _move(job.theta, job.gradients, job.decay, job.moments, stop - start, steps, rate, adam)
    return steps


@njit(cache=True, nogil=True)
def add_up(job, order, start, stop, fill, first, last, kind, loss, s):
    """Set the gradients of groups ``first`` to ``last`` of a batch: one thread's part of it."""
    for g in range(first, last):
        _group(job, order, start, stop, fill, g, g, kind, loss, s)


@njit(cache=True)
def move(theta, gradients, decay, moments, size, step, rate, adam):
    """Take one step down the gradients that :func:`add_up` has set."""
    _move(theta, gradients, decay, moments, size, step, rate, adam)
