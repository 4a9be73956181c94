"""The compiled way to train: which networks may take it, and how their arrays are laid out."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import networks as kernels
from counterpoint._kernels import turns
from counterpoint._kernels.threads import own_threads
from counterpoint._threads import one_native_thread

_KINDS = {"linear": kernels.LINEAR, "sigmoid": kernels.SIGMOID, "softmax": kernels.SOFTMAX}
_LOSSES = {"squared": kernels.SQUARED, "entropy": kernels.ENTROPY}
# Loops run along the samples of a block: whole vectors, and long enough to pay for their start.
_LANES, _SMALLEST, _LARGEST = 32, 64, 256
# Inputs of one block should stay in the first cache, and hidden units in the second.
_INPUT_BYTES, _HIDDEN_BYTES = 50_000, 700_000
# Groups are for threads to share out. A step is cut into more of them than there are blocks of
# the best size, for the sake of threads, but not too many.
_MOST_GROUPS, _WANTED_GROUPS = 16, 4
# Products of numbers in a matrix product that BLAS and the caches still take for a small one.
_SMALL = 650_000
# Shuffled orders made at once, in samples.
_ORDERS = 1_000_000
# Products of numbers in a step, and in all steps of a call, that are worth another thread.
_SHARED_STEP, _SHARED_CALL = 1_000_000, 20_000_000
# Looks at the others before a thread stops waiting busily, about how long they take, and how long
# it sleeps then, in seconds.
_PATIENCE, _BUSY, _NAP = 100_000, 2e-4, 1e-4
# Seconds, and share of its time, that the first thread may wait in vain before it goes on alone,
# and then for how many seconds. The number of threads changes no result.
_GRACE, _WASTE, _REST = 5e-3, 0.3, 1.0
_alone_until = 0.0


def fits(networks, coupling, weight: NDArray | None) -> bool:
    """Tell whether a kernel knows these networks, this coupling and these weights."""
    arrays = networks.parameters
    return (
        coupling.kernel(networks.output) in _LOSSES
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
    batch = len(X) if trainer.batch_size is None else min(trainer.batch_size, len(X))
    cut = _cut(batch, nets.n_members, nets.sizes, nets.coefs[0].itemsize)
    n_threads = min(cut.n_groups, _threads(cut.products, epochs * -(-len(X) // batch)))
    job = _job(trainer, X, targets, weight, cut, n_threads)
    rate, dtype = float(trainer.learning_rate), job.theta.dtype
    how = (
        _KINDS[nets.output],
        _LOSSES[trainer.coupling.kernel(nets.output)],
        dtype.type(trainer.coupling.strength),
    )
    try:
        with one_native_thread(only_blas=True):
            for some, orders in _orders(trainer.random_state, len(X), batch, epochs):
                _train((job, orders, batch, some, trainer.steps, rate, adam, *how), n_threads)
                trainer.steps += some * -(-len(X) // batch)
                trainer.n_epochs += some
    finally:  # also when Ctrl-C came between two calls
        _unpack(job.theta, nets.parameters, cut.n_inputs)
        for moment, arrays in zip(job.moments, trainer.moments, strict=False):
            _unpack(moment, arrays, cut.n_inputs)


def _threads(products, steps):
    """Return how many threads so many steps of so many products deserve."""
    if products < _SHARED_STEP or products * steps < _SHARED_CALL:
        return 1
    return own_threads() if time.monotonic() > _alone_until else 1


def _train(options, n_threads):
    """Run the kernel on so many threads, to the same result.

    These are Python's threads, each in a kernel of its own from the first step to the last:
    numba's would take longer to compile than all the rest. A thread waits for the others without
    giving up its core, but not for long: if they have none to run on, it sleeps. And where that
    happens too often, the first thread goes on alone.
    """
    global _alone_until
    words = turns.start(kernels.n_pieces(options[0]))

    def work(thread, patience):
        every = (*options, words, thread, patience)
        return kernels.train(*every)

    if n_threads == 1:
        work(0, 0)
        return
    over = threading.Event()

    def help_out(thread):
        while not work(thread, _PATIENCE):
            if over.wait(_NAP):
                return

    with ThreadPoolExecutor(n_threads - 1) as pool:
        try:
            others = [pool.submit(help_out, thread) for thread in range(1, n_threads)]
            began, waited = time.perf_counter(), 0.0
            while not work(0, _PATIENCE):
                for other in others:
                    if other.done():
                        other.result()  # it may have failed, and would never be waited for
                fell_asleep = time.perf_counter()
                time.sleep(_NAP)
                woke_up = time.perf_counter()
                waited += _BUSY + woke_up - fell_asleep
                if waited > _WASTE * (woke_up - began) + _GRACE:
                    words[turns.CLOSED] = 1
                    _alone_until = time.monotonic() + _REST
        finally:
            words[turns.CLOSED] = 1  # also when Ctrl-C came: the others stop at their next piece
            over.set()
        for other in others:
            other.result()


def _job(trainer, X, targets, weight, cut, n_threads):
    """Lay out everything the kernels need."""
    nets = trainer.networks
    dtype = nets.coefs[0].dtype
    n, n_members = len(X), nets.n_members
    n_features, n_hidden, n_outputs = nets.sizes
    n_inputs, block, blocks = cut.n_inputs, cut.block, (cut.n_groups, cut.per_group)
    n_units = n_members // cut.n_crews * n_hidden

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
    hidden = room(n_threads, n_members, n_hidden, block)
    part_w, part_v = room(n_threads, n_units, n_inputs), room(n_threads, n_outputs, n_hidden)
    return kernels.Job(
        X=_own(X, dtype),
        targets=_own(targets, dtype),
        weight=np.ones(n, dtype=dtype) if weight is None else (weight[0] * n).astype(dtype),
        x=room(*blocks, n_inputs, block),
        turned=room(*blocks, block, n_inputs),
        target=room(*blocks, n_outputs, block),
        scaled=room(*blocks, block),
        theta=theta,
        w=w.reshape(cut.n_crews, n_units, n_inputs),
        v=v,
        c=c,
        gradients=room(cut.n_groups, len(theta)),
        decay=decay,
        moments=moments,
        hidden=hidden,
        units=hidden.reshape(n_threads, cut.n_crews, n_units, block),
        flat=hidden.reshape(n_threads, cut.n_crews, n_units * block),
        back=room(n_threads, n_hidden, block),
        out=room(n_threads, n_members, n_outputs, block),
        mean=room(n_threads, n_outputs, block),
        spare=room(n_threads, block),
        part_w=part_w,
        flat_w=part_w.reshape(n_threads, -1),
        part_v=part_v,
        flat_v=part_v.reshape(n_threads, -1),
    )


class _Cut(NamedTuple):
    """How the work of one step is cut into pieces."""

    n_inputs: int  # rows of input to a block
    block: int  # samples in a block
    per_group: int  # blocks in a group
    n_groups: int
    n_crews: int
    products: int  # of numbers, in all


def _cut(batch, n_members, sizes, itemsize):
    """Cut a step into pieces by the shapes alone.

    Never by the number of threads: the order of sums would follow it.
    """
    n_features, n_hidden, n_outputs = sizes
    n_inputs = -(-(n_features + 1) // 4) * 4  # features and the row of ones: products like fours
    n_units = n_members * n_hidden
    products = batch * n_units * (2 * n_features + 3 * n_outputs)
    most = min(
        _LARGEST, _INPUT_BYTES // (n_inputs * itemsize), _HIDDEN_BYTES // (n_units * itemsize)
    )
    wanted = max(1, min(_WANTED_GROUPS, products // _SHARED_STEP))
    most = max(_SMALLEST, min(most, -(-batch // (wanted * _LANES)) * _LANES))
    fewest = -(-batch // most)
    # A few blocks more may leave less to fill up.
    choices = [-(-batch // (some * _LANES)) * _LANES for some in range(fewest, 2 * fewest + 1)]
    block = min(choices, key=lambda block: -(-batch // block) * block)
    n_blocks = -(-batch // block)
    per_group = -(-n_blocks // _MOST_GROUPS)
    crews = [some for some in range(1, n_members + 1) if n_members % some == 0]
    each = n_units * n_inputs * block
    n_crews = next((some for some in crews if each <= some * _SMALL), n_members)
    return _Cut(n_inputs, block, per_group, -(-n_blocks // per_group), n_crews, products)


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
