"""How kernels are compiled: with which freedom, and what is kept for whom."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from attack.kernels import kernels

# Other orders of a sum and fused products at most: NaN and infinity mean what they mean in numpy.
HARMLESS = {"contract", "reassoc"}
ITEM = """
import sys
import numpy as np
from counterpoint._kernels.compiling import kernel

@kernel()
def item(values, k):
    return values[k]

try:
    item(np.arange(3.0), int(sys.argv[1]))
    print("read", sum(item.stats.cache_hits.values()))
except IndexError:
    print("refused", sum(item.stats.cache_hits.values()))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_no_kernel_is_free_to_ignore_nan():
    every = kernels()
    assert len(every) > 150
    for name, parts in every.items():
        for part in parts:
            allowed = part.targetoptions.get("fastmath") or set()
            assert set(allowed) <= HARMLESS, name


def test_code_with_and_without_bounds_checks_is_kept_apart(tmp_path):
    script = tmp_path / "item.py"
    script.write_text(ITEM)

    def run(checks, k):
        settings = {
            "NUMBA_BOUNDSCHECK": checks,
            "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
            "NUMBA_DISABLE_JIT": "0",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }
        done = subprocess.run(
            [sys.executable, script, str(k)],
            env={**os.environ, **settings}, capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
        return done.stdout.split()

    assert run("0", 0) == ["read", "0"]
    assert run("1", 3) == ["refused", "0"]
    assert run("0", 0) == ["read", "1"]
