"""The compiled way to train: which networks may take it, and how their arrays are laid out."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numba
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from counterpoint._kernels import networks as kernels
from counterpoint._kernels.threads import threads_for

_KINDS = {"linear": kernels.LINEAR, "sigmoid": kernels.SIGMOID, "softmax": kernels.SOFTMAX}
_LOSSES = {"squared": kernels.SQUARED, "entropy": kernels.ENTROPY}
# Loops run along the samples of a block: whole vectors, and long enough to pay for their start.
_LANES, _SMALLEST, _LARGEST = 32, 64, 256
# Hidden units of one block should stay in the second cache.
_HIDDEN_BYTES = 700_000
_MOST_GROUPS = 16
# Shuffled orders made at once, in samples.
_ORDERS = 1_000_000
# A vector instruction does several products and sums.
_PRODUCTS_PER_STEP = 4


def fits(networks, coupling, weight: NDArray | None) -> bool:
    """Tell whether the kernel knows these networks, this coupling and these weights.

    A coupling that it knows says so in its class, by ``kernel``: "squared" for the error of
    negative correlation learning, "entropy" for mixed cross-entropies, both of strength ``s``.
    """
    loss = vars(type(coupling)).get("kernel")  # of itself: a subclass may do something else
    arrays = networks.parameters
    return (
        loss in _LOSSES
        and (loss == "squared" or networks.output == getattr(coupling, "output", None))
        and len(networks.coefs) == 2
        and networks.hidden == "tanh"
        and networks.masks is None
        and arrays[0].dtype in (np.float32, np.float64)
        and all(a.dtype == arrays[0].dtype for a in arrays)
        and (weight is None or len(weight) == 1)
    )


def run(trainer, X: NDArray, targets: NDArray, epochs: int, weight: NDArray | None, adam) -> None:
    """Train as ``Trainer.run`` does; ``weight`` (1, n_samples) adds up to 1."""
    nets = trainer.networks
    n_features, n_hidden, n_outputs = nets.sizes
    batch = len(X) if trainer.batch_size is None else min(trainer.batch_size, len(X))
    cut = _cut(batch, nets.n_members * n_hidden * nets.coefs[0].itemsize)
    products = batch * nets.n_members * n_hidden * (2 * n_features + 3 * n_outputs)
    n_threads = min(cut[-1], _threads(products))
    job = _job(trainer, X, targets, weight, cut, n_threads > 1)
    rate, dtype = float(trainer.learning_rate), job.theta.dtype
    how = (
        _KINDS[nets.output],
        _LOSSES[type(trainer.coupling).kernel],
        dtype.type(trainer.coupling.s),
    )
    try:
        with _controller().limit(limits=1, user_api="blas"):
            for some, orders in _orders(trainer.random_state, len(X), batch, epochs):
                options = (job, orders, batch, some, trainer.steps, rate, adam, *how)
                if n_threads > 1:
                    trainer.steps = _train_shared(*options, n_threads=n_threads)
                else:
                    trainer.steps = kernels.train(*options)
                trainer.n_epochs += some
    finally:  # also when Ctrl-C came between two calls
        _unpack(job.theta, nets.parameters, job.w.shape[1])
        for moment, arrays in zip(job.moments, trainer.moments, strict=False):
            _unpack(moment, arrays, job.w.shape[1])


def _threads(products):
    """Return how many threads a step of so many products deserves."""
    with threads_for(products // _PRODUCTS_PER_STEP):
        return numba.get_num_threads()


def _train_shared(job, orders, batch, epochs, steps, rate, adam, *how, n_threads):
    """Do as the kernel ``train`` does, to the same result, groups shared out among threads.

    These are Python's threads, for steps long enough not to mind; numba's would share out one
    kernel, and take longer to compile than all the rest.
    """
    n, n_groups = len(job.X), len(job.x)
    bounds = [n_groups * t // n_threads for t in range(n_threads + 1)]
    with ThreadPoolExecutor(n_threads) as pool:
        for epoch in range(epochs):
            order = orders[epoch % len(orders)]
            for start in range(0, n, batch):
                stop = min(n, start + batch)
                step = (job, order, start, stop, batch < n or epoch == 0)
                parts = [
                    pool.submit(kernels.add_up, *step, first, last, *how)
                    for first, last in pairwise(bounds)
                ]
                for part in parts:
                    part.result()
                steps += 1
                kernels.move(
                    job.theta, job.gradients, job.decay, job.moments, stop - start, steps, rate,
                    adam,
                )  # fmt: skip
    return steps


def _job(trainer, X, targets, weight, cut, shared):
    """Lay out everything the kernels need."""
    nets = trainer.networks
    dtype = nets.coefs[0].dtype
    n, n_members = len(X), nets.n_members
    n_features, n_hidden, n_outputs = nets.sizes
    n_inputs = -(-(n_features + 1) // 4) * 4  # features and the row of ones: products like fours
    block, per_group, n_groups = cut
    rooms = n_groups if shared else 1

    def room(*shape):
        return np.zeros(shape, dtype=dtype)

    theta = _pack(nets.parameters, n_inputs)
    w, v, c = _parts(theta, n_members, n_hidden, n_inputs, n_outputs)
    decay = np.full_like(theta, trainer.alpha)
    decay_w, _, decay_c = _parts(decay, n_members, n_hidden, n_inputs, n_outputs)
    decay_w[:, n_features] = 0  # biases do not decay
    decay_c[...] = 0
    moments = room(2, 0)
    if trainer.solver == "adam":
        moments = np.stack([_pack(arrays, n_inputs) for arrays in trainer.moments])
    hidden = room(rooms, n_members, n_hidden, block)
    part_w = room(rooms, n_members * n_hidden, n_inputs)
    part_v = room(rooms, n_members, n_outputs, n_hidden)
    return kernels.Job(
        X=_own(X, dtype),
        targets=_own(targets, dtype),
        weight=np.ones(n, dtype=dtype) if weight is None else (weight[0] * n).astype(dtype),
        x=room(n_groups, per_group, n_inputs, block),
        target=room(n_groups, per_group, n_outputs, block),
        scaled=room(n_groups, per_group, block),
        theta=theta,
        w=w,
        v=v,
        c=c,
        gradients=room(n_groups, len(theta)),
        decay=decay,
        moments=moments,
        hidden=hidden,
        units=hidden.reshape(rooms, -1, block),
        back=room(rooms, n_hidden, block),
        out=room(rooms, n_members, n_outputs, block),
        mean=room(rooms, n_outputs, block),
        spare=room(rooms, block),
        part_w=part_w,
        flat_w=part_w.reshape(rooms, -1),
        part_v=part_v,
        flat_v=part_v.reshape(rooms, -1),
    )


@cache
def _controller():
    # Looking for the libraries takes a while. The kernel's must be there already.
    import scipy.linalg.cython_blas  # noqa: F401

    return ThreadpoolController()


def _cut(batch, bytes_per_sample):
    """Return samples in a block, blocks in a group and groups, by the shapes alone.

    Never by the number of threads: the order of sums would follow it.
    """
    most = min(_LARGEST, max(_SMALLEST, _HIDDEN_BYTES // bytes_per_sample))
    fewest = -(-batch // most)
    # A few blocks more may leave less to fill up.
    choices = [-(-batch // (some * _LANES)) * _LANES for some in range(fewest, 2 * fewest + 1)]
    block = min(choices, key=lambda block: -(-batch // block) * block)
    n_blocks = -(-batch // block)
    per_group = -(-n_blocks // _MOST_GROUPS)
    return block, per_group, -(-n_blocks // per_group)


def _orders(random_state, n, batch, epochs):
    """Yield numbers of epochs and the orders of their samples."""
    if batch == n:
        yield epochs, np.arange(n)[None]
        return
    most = max(1, _ORDERS // n)
    while epochs > 0:
        some = min(most, epochs)
        yield some, np.stack([random_state.permutation(n) for _ in range(some)])
        epochs -= some


def _own(array, dtype):
    # A kernel is compiled anew for arrays it may not write to, or that lie oddly in memory.
    return np.require(array, dtype=dtype, requirements=["C", "A", "W"])


def _parts(theta, n_members, n_hidden, n_inputs, n_outputs):
    a = n_members * n_hidden * n_inputs
    b = a + n_members * n_outputs * n_hidden
    return (
        theta[:a].reshape(n_members * n_hidden, n_inputs),
        theta[a:b].reshape(n_members, n_outputs, n_hidden),
        theta[b:].reshape(n_members, n_outputs),
    )


def _pack(parameters, n_inputs):
    """Return the parameters of all networks as the one vector that the kernel knows."""
    first, second, bias, last = parameters
    n_members, n_features, n_hidden = first.shape
    w = np.zeros((n_members, n_hidden, n_inputs), dtype=first.dtype)
    w[:, :, :n_features] = first.transpose(0, 2, 1)
    w[:, :, n_features] = bias
    return np.concatenate([w.ravel(), second.transpose(0, 2, 1).ravel(), last.ravel()])


def _unpack(theta, parameters, n_inputs):
    """Write the vector back to the arrays of the networks."""
    first, second, bias, last = parameters
    n_members, n_features, n_hidden = first.shape
    w, v, c = _parts(theta, n_members, n_hidden, n_inputs, second.shape[2])
    w = w.reshape(n_members, n_hidden, n_inputs)
    first[...] = w[:, :, :n_features].transpose(0, 2, 1)
    second[...] = v.transpose(0, 2, 1)
    bias[...] = w[:, :, n_features]
    last[...] = c
