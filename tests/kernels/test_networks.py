import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from naive import networks as naive
from numba import njit

from counterpoint._kernels import elementary, layers, turns
from counterpoint._kernels import networks as kernels

ADAM = (0.9, 0.999, 1e-8)
KINDS = {"linear": kernels.LINEAR, "sigmoid": kernels.SIGMOID, "softmax": kernels.SOFTMAX}
LOSSES = {"squared": kernels.SQUARED, "entropy": kernels.ENTROPY}


@njit
def tanh(z):
    elementary.tanh(z)


@njit
def exp(z):
    elementary.exp(z)


@njit
def take(words, round_, first, last, start):
    return turns.take(words, round_, first, last, start)


def make(rng, n=11, d=2, h=3, k=2, n_members=4, *, dtype=np.float64, block=32, groups=1,
         per_group=1, crews=1, threads=1, adam=False, alpha=0.0, weight=None):  # fmt: skip
    """Return a job, and the same networks and data for the slow twin."""
    rows = d + 2  # features, ones, and a row of zeros
    w = rng.normal(size=(n_members * h, rows)).astype(dtype)
    w[:, d + 1 :] = 0
    v = rng.normal(size=(n_members, k, h)).astype(dtype)
    c = rng.normal(size=(n_members, k)).astype(dtype)
    theta = np.concatenate([w.ravel(), v.ravel(), c.ravel()])
    decay = np.concatenate([np.full(w.size, alpha), np.full(v.size, alpha), np.zeros(c.size)])
    decay[: w.size].reshape(w.shape)[:, d:] = 0
    X = rng.normal(size=(n, d)).astype(dtype)
    targets = np.eye(k, dtype=dtype)[rng.integers(k, size=n)]

    def room(*shape):
        return np.zeros(shape, dtype=dtype)

    units = n_members // crews * h
    hidden = room(threads, n_members, h, block)
    part_w, part_v = room(threads, units, rows), room(threads, k, h)
    job = kernels.Job(
        X=X,
        targets=targets,
        weight=np.ones(n, dtype=dtype) if weight is None else weight.astype(dtype),
        x=room(groups, per_group, rows, block),
        turned=room(groups, per_group, block, rows),
        target=room(groups, per_group, k, block),
        scaled=room(groups, per_group, block),
        theta=theta,
        w=theta[: w.size].reshape(crews, units, rows),
        v=theta[w.size : w.size + v.size].reshape(v.shape),
        c=theta[w.size + v.size :].reshape(c.shape),
        gradients=room(groups, len(theta)),
        decay=decay.astype(dtype),
        moments=room(2, len(theta) if adam else 0),
        hidden=hidden,
        units=hidden.reshape(threads, crews, units, block),
        flat=hidden.reshape(threads, crews, units * block),
        back=room(threads, h, block),
        out=room(threads, n_members, k, block),
        mean=room(threads, k, block),
        spare=room(threads, block),
        part_w=part_w,
        flat_w=part_w.reshape(threads, -1),
        part_v=part_v,
        flat_v=part_v.reshape(threads, -1),
    )
    return job, as_dicts(job, d)


def as_dicts(job, d):
    w = job.w.reshape(len(job.v), -1, job.w.shape[2])
    return [
        {
            "w": w[m, :, :d].T.tolist(),
            "b": w[m, :, d].tolist(),
            "v": job.v[m].T.tolist(),
            "c": job.c[m].tolist(),
        }
        for m in range(len(w))
    ]


def words_for(job):
    return turns.start(kernels.n_pieces(job))


def train(job, orders, batch, epochs, *how):
    """Run the kernel on one thread; return what it says."""
    return kernels.train(job, orders, batch, epochs, 0, 0.1, ADAM, *how, words_for(job), 0, 0)


def check_against_naive(job, nets, orders, batch, solver, output, loss, s, alpha):
    orders = np.asarray(orders)
    epochs, d = len(orders), job.X.shape[1]
    assert train(job, orders, batch, epochs, KINDS[output], LOSSES[loss], s)
    expected = naive.train(
        nets, job.X.tolist(), job.targets.tolist(), job.weight.tolist(), orders.tolist(), batch,
        solver=solver, rate=0.1, s=s, output=output, loss=loss, alpha=alpha,
    )  # fmt: skip
    for found, wanted in zip(as_dicts(job, d), expected, strict=True):
        np.testing.assert_allclose(naive.flat(found), naive.flat(wanted), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("solver", ["gd", "adam"])
@pytest.mark.parametrize(
    ("output", "loss", "k"),
    [
        ("linear", "squared", 1),
        ("linear", "squared", 2),
        ("sigmoid", "squared", 2),
        ("softmax", "squared", 3),
        ("sigmoid", "entropy", 1),
        ("softmax", "entropy", 3),
    ],
)
def test_full_batches_match_naive(output, loss, k, solver):
    rng = np.random.default_rng(0)
    weight = rng.random(11)
    weight /= weight.mean()
    job, nets = make(rng, k=k, adam=solver == "adam", alpha=0.05, weight=weight)
    orders = np.tile(np.arange(11), (4, 1))
    check_against_naive(job, nets, orders, 11, solver, output, loss, 0.7, 0.05)
    assert not job.w[:, :, 3].any(), "the row of zeros has got weights"


@pytest.mark.parametrize("solver", ["gd", "adam"])
def test_mini_batches_match_naive(solver):
    rng = np.random.default_rng(1)
    job, nets = make(rng, adam=solver == "adam")
    orders = [rng.permutation(11) for _ in range(3)]
    check_against_naive(job, nets, orders, 4, solver, "softmax", "squared", 0.4, 0.0)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(
    ("groups", "per_group", "crews"), [(3, 1, 1), (1, 3, 2), (2, 2, 4), (5, 1, 2)]
)
def test_groups_and_crews_match_naive(groups, per_group, crews, k):
    # Five hidden units: four at a time, and one more. Five groups: two have no samples.
    rng = np.random.default_rng(2)
    job, nets = make(
        rng, n=11, h=5, k=k, block=4, groups=groups, per_group=per_group, crews=crews
    )  # fmt: skip
    check_against_naive(
        job, nets, np.tile(np.arange(11), (3, 1)), 11, "gd", "linear", "squared", 0.9, 0.0
    )


@pytest.mark.parametrize("s", [0.0, 1.0])
def test_entropy_of_members_that_agree_fully_is_finite(s):
    job, _ = make(np.random.default_rng(3), k=2)
    job.theta[:] = 0
    job.c[:] = [2000.0, -2000.0]  # probabilities 1 and 0 for every member
    train(job, np.arange(11)[None], 11, 1, kernels.SOFTMAX, kernels.ENTROPY, s)
    assert np.isfinite(job.theta).all()
    assert (job.c[:, 1] > -2000.0).all(), "samples of the second class should pull"


def test_threads_share_out_the_pieces_to_the_same_bits():
    how = (kernels.SOFTMAX, kernels.SQUARED, 0.5)
    alone, _ = make(np.random.default_rng(4), n=100, groups=4, adam=True)
    shared, _ = make(np.random.default_rng(4), n=100, groups=4, threads=3, adam=True)
    orders = np.stack([np.random.default_rng(5).permutation(100) for _ in range(50)])
    train(alone, orders, 90, 50, *how)
    words, options = words_for(shared), (shared, orders, 90, 50, 0, 0.1, ADAM, *how)
    with ThreadPoolExecutor(3) as pool:
        parts = [pool.submit(until_done, *options, words, thread) for thread in range(3)]
        for part in parts:
            part.result()
    assert words[turns.FINISHED, 0] == 100 * 5  # four groups, one move
    assert (words[turns.PIECES :, 0] == 100).all()
    np.testing.assert_array_equal(shared.theta, alone.theta)
    np.testing.assert_array_equal(shared.moments, alone.moments)


def until_done(*options):
    while not kernels.train(*options, 100):
        time.sleep(1e-5)


def test_a_thread_goes_away_when_it_waits_in_vain_or_is_not_wanted():
    job, _ = make(np.random.default_rng(4), groups=4, threads=2)
    before, words = job.theta.copy(), words_for(job)
    options = (job, np.arange(11)[None], 11, 1, 0, 0.1, ADAM, 0, 0, 0.5, words)
    words[turns.CLOSED] = 1
    assert kernels.train(*options, 1, 10), "closed to all but the first"
    words[turns.CLOSED] = 0
    words[turns.PIECES : turns.PIECES + 4] = 1  # the gradients of all groups are in other hands
    assert not kernels.train(*options, 1, 10)
    assert not kernels.train(*options, 0, 10)
    words[turns.FINISHED] = 4
    words[turns.PIECES + 4] = 1  # and so is the move
    assert not kernels.train(*options, 0, 10)
    np.testing.assert_array_equal(job.theta, before)
    words[turns.FINISHED] = 5
    assert kernels.train(*options, 0, 10)
    assert kernels.train(*options, 1, 10)


def test_pieces_are_taken_once_and_ones_own_first():
    words = turns.start(5)
    assert [take(words, 0, 1, 5, 3) for _ in range(5)] == [3, 4, 1, 2, -1]
    assert take(words, 0, 0, 1, 0) == 0
    assert take(words, 0, 0, 5, 0) == -1
    assert take(words, 1, 0, 5, 2) == 2


def test_float32_stays_close_to_float64():
    found = {}
    for dtype in (np.float32, np.float64):
        job, _ = make(np.random.default_rng(5), k=3, dtype=dtype)
        orders = np.arange(11)[None]
        train(job, orders, 11, 5, kernels.SOFTMAX, kernels.SQUARED, dtype(0.5))
        found[dtype] = job.theta
    assert found[np.float32].dtype == np.float32
    np.testing.assert_allclose(found[np.float32], found[np.float64], rtol=1e-4, atol=1e-5)


def grid(dtype, many):
    smallest = np.log10(float(np.finfo(dtype).tiny))
    close = np.logspace(smallest, 0, many)
    return np.concatenate([np.linspace(-25, 25, many), close, -close]).astype(dtype)


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 5e-16), (np.float32, 3e-7)])
def test_tanh_is_as_exact_as_it_says(dtype, error):
    x = grid(dtype, 2001)
    z = x.copy()
    tanh(z)
    exact = np.tanh(x.astype(np.longdouble))
    np.testing.assert_array_less(np.abs(z - exact), error * np.abs(exact) + np.finfo(dtype).tiny)
    assert np.abs(z).max() <= 1


@pytest.mark.parametrize(
    ("dtype", "error", "low"), [(np.float64, 6e-16, -700), (np.float32, 3e-7, -80)]
)
def test_exp_is_as_exact_as_it_says(dtype, error, low):
    x = np.linspace(low, 0, 2001).astype(dtype)
    z = x.copy()
    exp(z)
    exact = np.exp(x.astype(np.longdouble))
    np.testing.assert_array_less(np.abs(z - exact), error * exact)
    far = np.array([2 * low], dtype=dtype)
    exp(far)
    assert far[0] == z[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_not_a_number_stays_so(dtype):
    for function in (tanh, exp):
        z = np.array([np.nan, -1.0], dtype=dtype)
        function(z)
        assert np.isnan(z[0])
        assert np.isfinite(z[1])


def test_infinite_input_saturates():
    z = np.array([np.inf, -np.inf, 0.0])
    tanh(z)
    np.testing.assert_array_equal(z, [1.0, -1.0, 0.0])


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layer_matches_naive_and_takes_each_sample_by_itself(own, dtype):
    rng = np.random.RandomState(0)
    signal = rng.normal(size=(3 if own else 1, 9, 5)).astype(dtype)
    w, b = rng.normal(size=(3, 5, 4)).astype(dtype), rng.normal(size=(3, 4)).astype(dtype)
    out = np.empty((3, 9, 4), dtype=dtype)
    layers.layer(signal, w, b, out)
    expected = naive.layer(signal.tolist(), w.tolist(), b.tolist())
    np.testing.assert_allclose(out, expected, rtol=1e-4 if dtype == np.float32 else 1e-13)
    one = np.empty((3, 1, 4), dtype=dtype)
    for s in range(9):
        layers.layer(np.ascontiguousarray(signal[:, s : s + 1]), w, b, one)
        np.testing.assert_array_equal(one[:, 0], out[:, s])
