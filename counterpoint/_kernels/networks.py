"""Epochs of many small networks trained together; twins in ``tests/naive/networks.py``.

One hidden layer of tanh units; outputs linear, sigmoid or softmax. All epochs of a call run with
no Python in between.

Samples are taken in blocks, and only one block of hidden units is kept at a time. A block lies
sample-last: one row for each input, unit or output, one column for each sample, so that loops run
along samples however few units there are. A block is filled up with samples of weight zero.

Members are taken in crews of neighbours. The hidden units of a crew are one matrix product, small
enough for the cache and for what BLAS does best with small matrices: that is why inputs are also
kept the other way round. Matrix products are BLAS's: callers hold it to one thread.

Blocks belong to groups, which threads share out. A group has its own sum of gradients, and these
are added up in order, so that results are the same at any number of threads.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import turns
from counterpoint._kernels.compiling import kernel
from counterpoint._kernels.coupled import LINEAR, SIGMOID, SOFTMAX, entropy_slopes
from counterpoint._kernels.elementary import exp, tanh, vectorised
from counterpoint._kernels.parts import part

SQUARED, ENTROPY = range(2)
# Parts that the parameters are moved in, and what their lengths are multiples of.
_MOVES, _VECTORS = 4, 256

# Sums over the samples of a block may be taken in another order ("reassoc"), or they would not be
# vectorised. The order is settled at compile time: one machine gives one result.
_summing = part(error_model="numpy", fastmath={"contract", "reassoc"})
_inner = part()


class Job(NamedTuple):
    """What to train on, what to train and room to work in; all of one dtype but ``order``.

    With d features, h hidden units and K outputs, n samples, N members in C crews, H hidden units
    in a crew, G groups of P blocks of B samples, D rows of input to a block (features, a row of
    ones and maybe zeros) and T threads:
    """

    X: NDArray  # (n, d)
    targets: NDArray  # (n, K)
    weight: NDArray  # (n,), 1 on average
    x: NDArray  # (G, P, D, B): blocks
    turned: NDArray  # (G, P, B, D): the same, sample-first
    target: NDArray  # (G, P, K, B)
    scaled: NDArray  # (G, P, B)
    theta: NDArray  # all parameters, in the order of the next three, which are views of it
    w: NDArray  # (C, H, D): weights of inputs, biases
    v: NDArray  # (N, K, h): weights of hidden units
    c: NDArray  # (N, K): biases of outputs
    gradients: NDArray  # (G, n_parameters)
    decay: NDArray  # (n_parameters,)
    moments: NDArray  # (2, n_parameters), or (2, 0) for plain gradient descent
    hidden: NDArray  # (T, N, h, B)
    units: NDArray  # (T, C, H, B): a view of it
    flat: NDArray  # (T, C, H B): a view of it
    back: NDArray  # (T, h, B)
    out: NDArray  # (T, N, K, B)
    mean: NDArray  # (T, K, B)
    spare: NDArray  # (T, B)
    part_w: NDArray  # (T, H, D)
    flat_w: NDArray  # (T, H D): a view of it
    part_v: NDArray  # (T, K, h)
    flat_v: NDArray  # (T, K h): a view of it


@_inner
def _fill(X, targets, weight, order, start, stop, x, turned, target, scaled):
    """Bring samples ``order[start:stop]`` into a block."""
    n_features = X.shape[1]
    for i in range(len(scaled)):
        turned[i, n_features] = 1
        if start + i >= stop:
            scaled[i] = 0
            continue
        sample = order[start + i]
        scaled[i] = weight[sample]
        for q in range(n_features):
            turned[i, q] = X[sample, q]
        for k in range(len(target)):
            target[k, i] = targets[sample, k]
    for i in range(len(scaled)):
        for q in range(n_features + 1):
            x[q, i] = turned[i, q]


@vectorised
def _add(a, b):
    for i in range(len(a)):
        a[i] += b[i]


@vectorised
def _set(a, to):
    for i in range(len(a)):
        a[i] = to


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


@vectorised
def _mix(out, bias, v, rows):
    """Do for one output what a matrix product does for many."""
    n = len(v)
    _set(out, bias)
    first = n % 4
    for j in range(first):
        row = rows[j]
        for i in range(len(out)):
            out[i] += v[j] * row[i]
    for j in range(first, n, 4):
        a, b, c, d = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
        va, vb, vc, vd = v[j], v[j + 1], v[j + 2], v[j + 3]
        for i in range(len(out)):
            out[i] = out[i] + va * a[i] + vb * b[i] + vc * c[i] + vd * d[i]


@_inner
def _forward(x, w, v, c, units, flat, hidden, out):
    """Write what hidden units put out, and what goes into the output units."""
    n_members, n_outputs, _ = v.shape
    n_crews = len(w)
    size = n_members // n_crews
    for crew in range(n_crews):
        np.dot(w[crew], x, units[crew])
        tanh(flat[crew])
        for m in range(crew * size, (crew + 1) * size):
            if n_outputs == 1:
                _mix(out[m, 0], c[m, 0], v[m, 0], hidden[m])
            else:
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
            entropy_slopes(out[m], target, mean, weight, spare, kind, s)


@vectorised
def _through_tanh(back, hidden):
    for i in range(len(back)):
        hidden[i] = back[i] - back[i] * (hidden[i] * hidden[i])


@_summing
def _back(delta, v, hidden, totals):
    """Do for one output what matrix products do for many, in one go; two units at a time."""
    zero = delta.dtype.type(0)
    n = len(v)
    for j in range(0, n - 1, 2):
        a, b, va, vb = hidden[j], hidden[j + 1], v[j], v[j + 1]
        total_a, total_b = zero, zero
        for i in range(len(delta)):
            d = delta[i]
            total_a += d * a[i]
            total_b += d * b[i]
            step_a, step_b = va * d, vb * d
            a[i] = step_a - step_a * (a[i] * a[i])
            b[i] = step_b - step_b * (b[i] * b[i])
        totals[j], totals[j + 1] = total_a, total_b
    if n % 2:
        a, va, total_a = hidden[n - 1], v[n - 1], zero
        for i in range(len(delta)):
            total_a += delta[i] * a[i]
            step_a = va * delta[i]
            a[i] = step_a - step_a * (a[i] * a[i])
        totals[n - 1] = total_a


@vectorised
def _put(into, what, first):
    if first:
        _copy(into, what)
    else:
        _add(into, what)


@_inner
def _backward(job, room, turned, gradient, first):
    """Set the gradient to that of a block, if it is the first, or add it.

    What hidden units put out is written over by the derivative by what goes into them.
    """
    v, hidden, units, delta = job.v, job.hidden[room], job.units[room], job.out[room]
    back, part_w, flat_w = job.back[room], job.part_w[room], job.flat_w[room]
    part_v, flat_v = job.part_v[room], job.flat_v[room]
    n_members, n_outputs, n_hidden = v.shape
    n_crews, n_units, n_inputs = job.w.shape
    size = n_members // n_crews
    end_w, each = n_crews * n_units * n_inputs, n_outputs * n_hidden
    end_v = end_w + n_members * each
    for crew in range(n_crews):
        for m in range(crew * size, (crew + 1) * size):
            if n_outputs == 1:
                _back(delta[m, 0], v[m, 0], hidden[m], flat_v)
            else:
                np.dot(delta[m], hidden[m].T, part_v)
                np.dot(v[m].T, delta[m], back)
                for j in range(n_hidden):
                    _through_tanh(back[j], hidden[m, j])
            _put(gradient[end_w + m * each : end_w + (m + 1) * each], flat_v, first)
            for k in range(n_outputs):
                at = end_v + m * n_outputs + k
                total = _total(delta[m, k])
                gradient[at] = total if first else gradient[at] + total
        own = gradient[crew * n_units * n_inputs : (crew + 1) * n_units * n_inputs]
        if first:
            np.dot(units[crew], turned, own.reshape((n_units, n_inputs)))
        else:
            np.dot(units[crew], turned, part_w)
            _add(own, flat_w)


@_inner
def _group(job, order, start, stop, fill, g, room, kind, loss, s):
    """Set the gradient of group g of the batch ``order[start:stop]``."""
    gradient, out = job.gradients[g], job.out[room]
    _, per_group, _, size = job.x.shape
    if start + g * per_group * size >= stop:
        _set(gradient, gradient.dtype.type(0))
        return
    for b in range(per_group):
        first = start + (g * per_group + b) * size
        if first >= stop:
            break
        x, turned, target = job.x[g, b], job.turned[g, b], job.target[g, b]
        scaled = job.scaled[g, b]
        if fill:
            last = min(stop, first + size)
            _fill(job.X, job.targets, job.weight, order, first, last, x, turned, target, scaled)
        _forward(
            x, job.w, job.v, job.c, job.units[room], job.flat[room], job.hidden[room], out
        )  # fmt: skip
        _couple(out, target, scaled, job.mean[room], job.spare[room], kind, loss, s)
        _backward(job, room, turned, gradient, b == 0)


@vectorised
def _descend(theta, gradient, share, decay, rate):
    for i in range(len(theta)):
        theta[i] -= rate * (share * gradient[i] + decay[i] * theta[i])


@vectorised
def _descend_adam(theta, gradient, share, decay, rate, moment, square, keep1, keep2, tiny):
    for i in range(len(theta)):
        g = share * gradient[i] + decay[i] * theta[i]
        moment[i] += keep1 * (g - moment[i])
        square[i] += keep2 * (g * g - square[i])
        theta[i] -= rate * moment[i] / (np.sqrt(square[i]) + tiny)


@_inner
def _move(job, first, last, size, step, rate, adam):
    """Take some parameters down the gradient of a batch of ``size``, in step number ``step``."""
    theta, decay, gradient = job.theta[first:last], job.decay[first:last], job.gradients[0]
    gradient = gradient[first:last]
    for g in range(1, len(job.gradients)):
        _add(gradient, job.gradients[g][first:last])
    number = theta.dtype.type
    share = number(1.0 / size)
    if job.moments.shape[1] == 0:
        _descend(theta, gradient, share, decay, number(rate))
        return
    beta1, beta2, tiny = adam
    rate = rate * np.sqrt(1.0 - beta2**step) / (1.0 - beta1**step)
    _descend_adam(
        theta, gradient, share, decay, number(rate), job.moments[0][first:last],
        job.moments[1][first:last], number(1.0 - beta1), number(1.0 - beta2), number(tiny),
    )  # fmt: skip


def n_pieces(job):
    """Return the number of pieces of a step: its groups, and the parts it moves parameters in."""
    return len(job.x) + min(_MOVES, -(-len(job.theta) // _VECTORS))


@kernel(nogil=True)
def train(job, orders, batch, epochs, steps, rate, adam, kind, loss, s, words, thread, patience):
    """Do some epochs, or a thread's part of them, changing ``job.theta`` and ``job.moments``.

    orders (epochs, n) int64 has the samples of each epoch in the order they are taken, or one row
    if ``batch``, the samples of a step, is all of them. ``steps`` is the number of steps before,
    ``adam`` its two betas and epsilon; kind, loss and s are the output units and the coupling.

    A step is a round of two phases: gradients of groups, and moves of some parameters each.
    ``words`` is as in the module ``turns``, with :func:`n_pieces` pieces. Return False when the
    others kept this thread waiting for more than ``patience`` looks: call again with the same
    arguments, and it goes on from there. Return True when all is done, or the job is closed to
    all threads but the first.
    """
    n, n_groups, n_threads = len(job.X), len(job.x), len(job.hidden)
    per_epoch, per_step = -(-n // batch), len(words) - turns.PIECES
    # Of whole vectors: then each number is treated in the same way, whatever the machine.
    part = -(-len(job.theta) // ((per_step - n_groups) * _VECTORS)) * _VECTORS
    looks, in_vain = 0, -1
    while True:
        finished = turns.read(words, turns.FINISHED)
        if finished >= per_step * per_epoch * epochs:
            return True
        if thread > 0 and turns.read(words, turns.CLOSED) > 0:
            return True
        if finished == in_vain:  # nothing has become free since
            looks += 1
            if looks > patience:
                return False
            continue
        step = finished // per_step
        first, last = 0, n_groups
        if finished % per_step >= n_groups:
            first, last = n_groups, per_step
        own = first + (last - first) * thread // n_threads
        piece = turns.take(words, step, first, last, own)
        if piece < 0:
            looks, in_vain = 0, finished
            continue
        epoch, start = step // per_epoch, step % per_epoch * batch
        stop = min(n, start + batch)
        if piece < n_groups:
            order = orders[epoch] if batch < n else orders[0]
            fill = batch < n or epoch == 0
            _group(job, order, start, stop, fill, piece, thread, kind, loss, s)
        else:
            low = (piece - n_groups) * part
            high = min(len(job.theta), low + part)
            _move(job, low, high, stop - start, steps + step + 1, rate, adam)
        turns.advance(words, turns.FINISHED)
