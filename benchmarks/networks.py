"""Epochs of networks trained together, against PyTorch, batched numpy and scikit-learn.

All on one thread, but where it says otherwise; full batches, plain gradient descent. "Batched
numpy" is what a careful user writes: all hidden units of all members in one matrix product,
buffers made once. PyTorch loops over members, in its own environment and its own process.
"""

import statistics
import subprocess
import sys
import warnings

import numba
import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_limits

from benchmarks.harness import Report, peer_python, run_peer, timed
from counterpoint.networks.coupling import NegativeCorrelation
from counterpoint.networks.engine import Trainer, start_networks

S = 0.5
# rows, features, hidden units, members, epochs timed; at least so many times as fast as torch,
# numpy
CASES = (
    (250, 2, 5, 3, 2000, 50, 5),
    (569, 30, 10, 10, 200, 10, 1.5),
    (569, 30, 60, 15, 30, None, 1),
)


def run() -> Report:
    report = Report("networks")
    python = peer_python("torch", ["torch==2.13.0", "numpy"])
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            for dtype in (np.float64, np.float32):
                for case in CASES:
                    _full_batches(report, python, dtype, *case)
            for solver in ("sgd", "adam"):
                _scikit_learn(report, solver)
            for dtype in (np.float64, np.float32):
                _mini_batches(report, dtype, "1 thread")
    finally:
        numba.set_num_threads(threads)
    for dtype in (np.float64, np.float32):
        _mini_batches(report, dtype, f"{threads} threads")
    for backend in ("loky", "threading"):
        _under_joblib(report, backend)
    _memory(report)
    return report


def _data(n, n_features, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, n_features)).astype(dtype)
    return X, (X[:, :1] * X[:, 1:2] > 0).astype(dtype)


def _full_batches(
    report, python, dtype, n, n_features, n_hidden, n_members, epochs, at_torch, at_numpy
):
    X, targets = _data(n, n_features, dtype)
    case = f"{n} x {n_features}, {n_hidden} hidden, N={n_members}, {np.dtype(dtype).name}"
    networks = start_networks(n_members, (n_features, n_hidden, 1), random_state=0, dtype=dtype)
    trainer = Trainer(networks=networks.copy(), coupling=NegativeCorrelation(S), learning_rate=0.01)
    trainer.run(X, targets, 20)
    folded = networks.copy()
    train_folded(folded, X, targets, 20)
    for a, b in zip(trainer.networks.parameters, folded.parameters, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    report.compare(
        case,
        lambda: trainer.run(X, targets, epochs),
        lambda: train_folded(folded, X, targets, epochs),
        peer_name="batched numpy",
        at_least=at_numpy,
        note=f"{epochs} epochs, one thread, equal weights after 20 epochs",
    )
    if python is None:
        return
    repeats, few = 5, max(20, epochs // 10)
    setting = np.array([n_members, n_hidden, few, repeats, S])
    told = run_peer(python, "torch_networks.py", {"X": X, "targets": targets, "setting": setting})
    ours = [timed(lambda: trainer.run(X, targets, epochs)) / epochs for _ in range(repeats)]
    report.add(
        case,
        ours,
        told["seconds_per_epoch"],
        f"torch {told['version']} loop",
        at_least=at_torch,
        note=f"seconds per epoch; torch: {few} epochs, SGD, one thread",
    )


def train_folded(networks, X, targets, epochs, rate=0.01):
    """Train with numpy, the hidden units of all members side by side."""
    w, v, b, c = networks.parameters
    n_members, n_features, n_hidden = w.shape
    n = len(X)
    wide = np.ascontiguousarray(w.transpose(1, 0, 2)).reshape(n_features, -1)
    shift = b.reshape(-1).copy()
    hidden, back, slope = (np.empty((n, wide.shape[1]), X.dtype) for _ in range(3))
    each = hidden.reshape(n, n_members, n_hidden).transpose(1, 0, 2)
    back_each = back.reshape(n, n_members, n_hidden).transpose(1, 0, 2)
    for _ in range(epochs):
        np.dot(X, wide, out=hidden)
        hidden += shift
        np.tanh(hidden, out=hidden)
        delta = np.matmul(each, v)
        delta += c[:, None]
        common = delta.mean(axis=0)
        common *= S
        common -= targets
        delta *= 1 - S
        delta += common
        delta *= 1 / n
        np.matmul(delta, v.transpose(0, 2, 1), out=back_each)
        np.multiply(hidden, hidden, out=slope)
        np.subtract(1, slope, out=slope)
        back *= slope
        v -= rate * np.matmul(each.transpose(0, 2, 1), delta)
        c -= rate * delta.sum(axis=1)
        wide -= rate * np.dot(X.T, back)
        shift -= rate * back.sum(axis=0)
    w[...] = wide.reshape(n_features, n_members, n_hidden).transpose(1, 0, 2)
    b[...] = shift.reshape(b.shape)


def _scikit_learn(report, solver):
    """N fits of MLPClassifier with as many epochs of the same solver, all rows in a batch."""
    n, n_features, n_hidden, n_members, epochs = 569, 30, 10, 10, 200
    X, targets = _data(n, n_features, np.float64)
    y = targets[:, 0].astype(int)
    networks = start_networks(
        n_members, (n_features, n_hidden, 1), output="sigmoid", random_state=0
    )
    ours = {"sgd": "gd", "adam": "adam"}[solver]
    trainer = Trainer(
        networks=networks, coupling=NegativeCorrelation(S), solver=ours, learning_rate=0.001
    )

    def theirs():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for seed in range(n_members):
                fitted = MLPClassifier(
                    (n_hidden,), activation="tanh", solver=solver, batch_size=n, max_iter=epochs,
                    tol=0.0, n_iter_no_change=epochs + 1, alpha=0.0, random_state=seed,
                ).fit(X, y)  # fmt: skip
                assert fitted.n_iter_ == epochs

    report.compare(
        f"{n} x {n_features}, {n_hidden} hidden, N={n_members}, {solver}",
        lambda: trainer.run(X, targets, epochs),
        theirs,
        peer_name="scikit-learn MLPClassifier, N fits",
        repeats=3,
        at_least=5,
        note=f"{epochs} epochs, one thread; ours: sigmoid output, squared error with its pull",
    )


def _mini_batches(report, dtype, threads):
    """Measure the share of the rate of a large matrix product, same dtype, same run."""
    n, n_features, n_hidden, n_members, batch = 50_000, 30, 64, 10, 256
    X, targets = _data(n, n_features, dtype)
    trainer = Trainer(
        networks=start_networks(n_members, (n_features, n_hidden, 1), random_state=0, dtype=dtype),
        coupling=NegativeCorrelation(S),
        learning_rate=0.01,
        batch_size=batch,
    )
    square = np.random.default_rng(0).random((2000, 2000)).astype(dtype)
    operations = n * n_members * n_hidden * (4 * n_features + 6)
    ours_times, peer_times = [], []
    trainer.run(X, targets, 1)
    for _ in range(5):
        ours_times.append(timed(lambda: trainer.run(X, targets, 1)) / operations)
        peer_times.append(timed(lambda: square @ square) / (2 * 2000**3))
    gemm, own = (1e-9 / statistics.median(t) for t in (peer_times, ours_times))
    report.add(
        f"50,000 rows in batches of {batch}, N=10 x 64, {np.dtype(dtype).name}, {threads}",
        ours_times,
        peer_times,
        "matrix product, per operation",
        at_least=1 / 3,
        note=f"ours {own:.1f}, product of 2000 x 2000 {gemm:.1f} GFLOPS; ours with its tanh, whose "
        "operations do not count, and with the shuffle",
    )


def _one_fit(n_threads):
    """Train as one job among several, with as many threads as it likes, or with so many."""
    X, targets = _data(10_000, 30, np.float64)
    networks = start_networks(10, (30, 64, 1), random_state=0)
    trainer = Trainer(
        networks=networks, coupling=NegativeCorrelation(S), learning_rate=0.01, batch_size=256
    )
    before = numba.get_num_threads()
    if n_threads is not None:
        numba.set_num_threads(n_threads)
    try:
        trainer.run(X, targets, 5)
    finally:
        numba.set_num_threads(before)


def _under_joblib(report, backend):
    """Measure what threads of ours cost where joblib has taken all cores already."""

    def fits(n_threads):
        Parallel(n_jobs=2, backend=backend)(delayed(_one_fit)(n_threads) for _ in range(6))

    report.compare(
        f"6 fits under joblib, n_jobs=2, {backend}",
        lambda: fits(None),
        lambda: fits(1),
        peer_name="the same, held to one thread a fit",
        repeats=5,
        at_least=0.9,
        note="10,000 rows in batches of 256, N=10 x 64, 5 epochs; no slower, up to noise",
    )


MEMORY = """
import numpy as np
from counterpoint.networks.coupling import NegativeCorrelation
from counterpoint.networks.engine import Trainer, start_networks
def kilobytes(field):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
def train(n):
    X = np.random.default_rng(0).random((n, 10))
    nets = start_networks(20, (10, 64, 1), random_state=0)
    trainer = Trainer(networks=nets, coupling=NegativeCorrelation(0.5), batch_size=256)
    before = kilobytes("VmRSS")
    trainer.run(X, X[:, :1], 1)
    return before
train(1000)  # compile first: LLVM needs memory of its own
before = train(500_000)
print((kilobytes("VmHWM") - before) / 1024)
"""


def _memory(report):
    """Measure what half a million rows need beyond themselves; hidden units alone are 5 GB."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    report.limit(
        "n=500,000 x 10, N=20 x 64, batches of 256: memory added", float(done.stdout), 100, "MB"
    )
