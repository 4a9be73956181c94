"""Ctrl-C on real commands: the first keeps what is whole, the second ends at once."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from counterpoint.datasets import load

# A command whose boosted members announce themselves, and take a while.
CHILD = """
import sys, time
from counterpoint.boosting.learners import PreparedLearner
from counterpoint.cli import main

real, said = PreparedLearner.fit, []

def slow(self, *args):
    said.append(1)
    print("member", len(said), file=sys.stderr, flush=True)
    {wait}
    return real(self, *args)

PreparedLearner.fit = slow
sys.exit(main())
"""
PAUSE = "time.sleep(0.05)"
SWALLOW = """
    try:
        time.sleep(0.3)
    except KeyboardInterrupt:
        pass
"""


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = load("iris")
    data.X.assign(kind=data.y).to_csv("iris.csv", index=False)
    path = os.pathsep.join([os.getcwd(), *filter(None, sys.path)])
    children = []

    def start(*args, wait=PAUSE):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD.format(wait=wait), *args], text=True,
            env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


def wait_for(child, line):
    for said in child.stderr:
        if said.strip() == line:
            return
    raise AssertionError(f"{line!r} was never said; exit code {child.wait()}")


def test_compare_does_not_count_a_fold_cut_short(start):
    methods = "majority,adaboost-nc,tree"
    child = start("compare", "iris.csv", "--target", "kind", "--methods", methods, "--folds", "2",
                  "--csv", "out.csv")  # fmt: skip
    wait_for(child, "member 5")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Stopped: 1 of 3 methods." in out
    assert pd.read_csv("out.csv")["method"].tolist() == ["majority"]
    assert err.endswith("counterpoint: stopped; kept out.csv, compare.html.\n")


@pytest.mark.parametrize(
    ("method", "wait"), [("auto", PAUSE), ("adaboost-nc", SWALLOW)], ids=["part", "swallowed"]
)
def test_fit_writes_no_part_of_a_model(start, tmp_path, method, wait):
    child = start("fit", "iris.csv", "--target", "kind", "--method", method, wait=wait)
    wait_for(child, "member 5")
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert err.endswith("counterpoint: stopped; nothing was written.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["iris.csv"]


@pytest.mark.parametrize(
    ("wait", "line", "code"),
    [
        (
            "__import__('hashlib').pbkdf2_hmac('sha256', b'', b'', 10**9)",  # compiled code
            "counterpoint: stopping when this step ends; Ctrl-C again ends it at once.",
            130,
        ),
        ("sum(range(10**13))", "", -signal.SIGINT),  # and such that no other thread gets past
    ],
    ids=["compiled", "locked"],
)
def test_the_second_ends_at_once(start, tmp_path, wait, line, code):
    child = start("fit", "iris.csv", "--target", "kind", "--method", "adaboost-nc", wait=wait)
    wait_for(child, "member 1")
    time.sleep(0.3)  # it is in there now
    child.send_signal(signal.SIGINT)
    if line:
        wait_for(child, line)
    else:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.3)
    child.send_signal(signal.SIGINT)
    assert child.wait(30) == code
    assert sorted(path.name for path in tmp_path.iterdir()) == ["iris.csv"]
