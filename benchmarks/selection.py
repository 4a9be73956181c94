"""Choosing members: forward from a thousand, and all subsets of twenty, beside plain numpy."""

import time
from itertools import combinations

import numpy as np

from benchmarks.harness import Report, timed
from counterpoint import MemberOutputs
from counterpoint.selection import (
    order_by_complementarity,
    order_by_kappa,
    order_by_margin_distance,
    select_exhaustive,
    select_forward,
)


def drawn(n_members, n_samples, n_classes, seed=0):
    """Members that are right three times in five, and otherwise guess."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_samples)
    votes = np.empty((n_members, n_samples), dtype=np.int64)
    for row in votes:
        row[:] = np.where(rng.random(n_samples) < 0.6, y, rng.integers(n_classes, size=n_samples))
    return MemberOutputs(votes, y)


def run() -> Report:
    report = Report("selection")
    forward(report)
    exhaustive(report)
    orders(report)
    return report


def forward(report):
    """Fifty members join; the numpy loop is timed on the first few steps."""
    outputs = drawn(1000, 100_000, 3)
    asked = 2
    start = time.perf_counter()
    found = _numpy_forward(outputs.votes, outputs.y, asked)
    peer = (time.perf_counter() - start) / asked
    trace = select_forward(outputs, n_members=50)
    assert trace.steps[asked - 1].tolist() == found
    ours = timed(lambda: select_forward(outputs, n_members=50))
    report.add(
        "forward, 50 of 1000 members, 100,000 rows",
        [ours],
        [peer * 50],
        "numpy, member by member",
        note=f"peer timed on {asked} steps and multiplied; the same members",
    )
    report.limit("forward, 50 of 1000 members, 100,000 rows", ours, 10, "s")


def _numpy_forward(votes, y, steps):
    # What one would write, and what PyPruning's reduced error does: each candidate voted anew.
    tally = np.zeros((len(y), int(votes.max()) + 1))
    rows, chosen = np.arange(len(y)), []
    for _ in range(steps):
        errors = []
        for m, own in enumerate(votes):
            tally[rows, own] += 1
            errors.append(np.inf if m in chosen else np.mean(tally.argmax(axis=1) != y))
            tally[rows, own] -= 1
        chosen.append(int(np.argmin(errors)))
        tally[rows, votes[chosen[-1]]] += 1
    return chosen


def exhaustive(report):
    """Try a million subsets of 20 members; the numpy loop, those of at most two."""
    for n_classes in (2, 3):
        outputs = drawn(20, 1000, n_classes)
        small = [s for k in (1, 2) for s in combinations(range(20), k)]
        start = time.perf_counter()
        for members in small:
            _numpy_error(outputs, members)
        peer = (time.perf_counter() - start) / len(small) * (2**20 - 1)
        select_exhaustive(outputs)
        ours = timed(lambda o=outputs: select_exhaustive(o))
        case = f"all subsets of 20 members, {n_classes} classes, 1000 rows"
        note = f"peer timed on {len(small)} subsets and multiplied"
        report.add(case, [ours], [peer], "numpy, subset by subset", note=note)
        report.limit(case, ours, 10, "s")


def _numpy_error(outputs, members):
    tally = np.zeros((outputs.n_samples, outputs.n_classes))
    for m in members:
        tally[np.arange(outputs.n_samples), outputs.votes[m]] += 1
    return np.mean(tally.argmax(axis=1) != outputs.y)


def orders(report):
    """Orders of 100 members on 10,000 rows."""
    outputs = drawn(100, 10_000, 3)
    for order in (order_by_kappa, order_by_margin_distance, order_by_complementarity):
        order(outputs)
        taken = timed(lambda o=order: o(drawn_again(outputs)))
        report.limit(f"{order.__name__}, 100 members, 10,000 rows", taken, 2, "s")


def drawn_again(outputs):
    """Return the outputs without what was counted on them before."""
    return MemberOutputs(outputs.votes, outputs.y)
