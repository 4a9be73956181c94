"""Kernels on threads: after a fork, from several threads at once, with any threading layer."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "counterpoint"
EVERYWHERE = """
import multiprocessing, sys, threading
import numba, numpy as np
from counterpoint._kernels.votes import add_votes

votes = np.random.RandomState(0).randint(3, size=(5, 20_000)).astype(np.int8)

def tally(_=0):
    numba.set_num_threads(2)
    counts = np.zeros((votes.shape[1], 3))
    add_votes(counts, votes, np.ones(5))
    return counts.tobytes()

if __name__ == "__main__":
    wanted = tally()  # the threads are there from now on
    assert numba.threading_layer() == sys.argv[1]
    for start in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(start).Pool(2) as pool:
            assert set(pool.map(tally, range(4))) == {wanted}, start
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(tally())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {wanted} and len(answers) == 4
    print("the same bytes")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("layer", ["omp", "workqueue"])
def test_the_same_bytes_from_forks_and_from_many_threads(layer, tmp_path):
    script = tmp_path / "everywhere.py"
    script.write_text(EVERYWHERE)
    settings = {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2", "NUMBA_DISABLE_JIT": "0"}
    path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, script, layer],
        env={**os.environ, **settings, "PYTHONPATH": path},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "the same bytes", done.stderr


def run_without_a_place(tmp_path, temporary):
    """Import a kernel where neither the package nor a home can be written to, even by root."""
    copy = tmp_path / "counterpoint"
    copy.mkdir()
    shutil.copy(PACKAGE / "__init__.py", copy)
    shutil.copytree(
        PACKAGE / "_kernels", copy / "_kernels", ignore=shutil.ignore_patterns("__pycache__")
    )
    (copy / "_kernels" / "__pycache__").write_text("a file where a folder should be")
    code = (
        "import numpy as np; from counterpoint._kernels.votes import add_votes;"
        "t = np.zeros((2, 2)); add_votes(t, np.array([[0, 1]], dtype=np.int8), np.ones(1));"
        "print(t.tolist())"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "HOME": "/dev/null",
             "XDG_CACHE_HOME": "/dev/null", "TMPDIR": str(temporary), "NUMBA_DISABLE_JIT": "0"},
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def test_kernels_are_kept_in_a_private_folder_where_nothing_else_can_be_written(tmp_path):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = run_without_a_place(tmp_path, temporary)
    assert done.stdout.strip() == "[[1.0, 0.0], [0.0, 1.0]]", done.stderr
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
    (kept,) = temporary.glob("counterpoint-kernels-*")
    assert list(kept.rglob("*.nbi"))
    assert kept.stat().st_mode & 0o077 == 0


def test_a_folder_that_others_could_write_to_is_not_trusted(tmp_path):
    temporary = tmp_path / "tmp"
    trap = temporary / f"counterpoint-kernels-{os.getuid()}"
    trap.mkdir(parents=True)
    trap.chmod(0o777)
    done = run_without_a_place(tmp_path, temporary)
    assert done.stdout.strip() == "[[1.0, 0.0], [0.0, 1.0]]", done.stderr
    assert not list(trap.iterdir())
