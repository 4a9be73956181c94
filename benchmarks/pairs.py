"""All pairs of members: Q, kappa, disagreement, double fault.

Against one float32 matrix product (what a careful user of numpy would write, its conversion from
flags not even counted), and against DESlib's functions.
"""

import json
import subprocess
import sys

import numpy as np

from benchmarks.harness import Report, peer_python, run_peer, timed
from counterpoint import MemberOutputs, PairCounts
from counterpoint.diversity import matrix

NAMES = ("q", "kappa", "disagreement", "double_fault")


def all_pairs(correct):
    counts = PairCounts.from_correct(correct)
    return [matrix(counts, name) for name in NAMES]


def run() -> Report:
    report = Report("pairs")
    rng = np.random.default_rng(0)
    for n_members, n_samples in ((4, 100), (100, 100_000), (100, 1_000_000), (1000, 100_000)):
        correct = rng.random((n_members, n_samples)) < 0.8
        as_float = correct.astype(np.float32)
        product = as_float @ as_float.T
        assert np.array_equal(PairCounts.from_correct(correct).n11, product)
        report.compare(
            f"T={n_members}, n={n_samples:,}",
            lambda c=correct: all_pairs(c),
            lambda f=as_float: f @ f.T,
            peer_name="float32 matmul",
            at_least=5 if n_members > 4 else None,
            note="ours: pack, count, all four matrices; peer: the product alone",
        )
    against_deslib(report, rng)
    linear(report, rng)
    memory(report)
    return report


def against_deslib(report, rng):
    """DESlib loops over samples in Python: some pairs are timed, all are extrapolated."""
    python = peer_python("deslib", ["deslib==0.3.7", "scikit-learn==1.5.2", "numpy<2"])
    if python is None:
        return
    n_members, n_samples, asked = 100, 100_000, 3
    y = rng.integers(2, size=n_samples)
    votes = np.where(rng.random((n_members, n_samples)) < 0.8, y, 1 - y)
    told = run_peer(python, "deslib_pairs.py", {"y": y, "votes": votes[:asked]})
    outputs = MemberOutputs(votes, y)
    for name, values in told["values"].items():
        ours = [matrix(outputs.take(slice(asked)), name)[i, j] for i, j in told["pairs"]]
        np.testing.assert_allclose(ours, values, rtol=1e-9, err_msg=f"DESlib's {name} differs")
    n_pairs = n_members * (n_members - 1) // 2
    correct = votes == y
    all_pairs(correct)
    ours_times = [timed(lambda: all_pairs(correct)) for _ in told["pairs"]]
    report.add(
        f"T={n_members}, n={n_samples:,}",
        ours_times,
        [t * n_pairs for t in told["seconds_per_pair"]],
        "DESlib 0.3.7",
        at_least=10_000,
        note=f"peer timed on {len(ours_times)} pairs (equal values) and multiplied by {n_pairs}",
    )


def linear(report, rng):
    """Four times the samples, about four times the time."""
    small = rng.random((200, 250_000)) < 0.8
    large = rng.random((200, 1_000_000)) < 0.8
    result = report.compare(
        "T=200, n=250,000 against n=1,000,000",
        lambda: all_pairs(small),
        lambda: all_pairs(large),
        peer_name="ourselves, 4 x n",
        note="linear in n: the ratio should be near 4",
    )
    result.target, result.met = "3 .. 5", bool(3 <= result.ratio <= 5)


MEMORY = """
import json
import numpy as np
from counterpoint import MemberOutputs
from counterpoint.diversity import matrix
def kilobytes(field):  # VmRSS now, VmHWM at most; ru_maxrss would remember the parent's
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))
def outputs(n_members, n_samples):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_samples, dtype=np.int8)
    votes = np.empty((n_members, n_samples), dtype=np.int8)
    for row in votes:
        row[:] = rng.integers(2, size=n_samples, dtype=np.int8)
    return MemberOutputs._build(votes=votes, y=y, proba=None, classes=np.arange(2),
                                sample_weight=None, weights=None, names=None)
matrix(outputs(4, 100), "q")  # compile first: LLVM needs memory of its own
big = outputs(1000, 1_000_000)
before = kilobytes("VmRSS")
matrix(big, "q"), matrix(big, "kappa")
print(json.dumps({"before": before, "after": kilobytes("VmHWM")}))
"""


def memory(report):
    """Measure what a thousand members on a million samples add to the votes themselves."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], check=True, capture_output=True, text=True
    )
    told = json.loads(done.stdout)
    added = (told["after"] - told["before"]) / 1024
    report.limit("T=1000, n=1,000,000, memory added to the votes", added, 300, "MB")
