"""How kernels are compiled: with which freedom, and what is kept for whom."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from attack.kernels import MESSAGE, kernels, refuse_negative_indices
from numba.np import arrayobj

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


compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"
)


@compiled
def test_no_kernel_is_free_to_ignore_nan():
    every = kernels()
    assert len(every) > 150
    for name, parts in every.items():
        for part in parts:
            allowed = part.targetoptions.get("fastmath") or set()
            assert set(allowed) <= HARMLESS, name


@compiled
def test_the_attack_sees_negative_indices_but_lets_the_last_entry_pass(monkeypatch):
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    monkeypatch.setattr(arrayobj, "fix_integer_index", arrayobj.fix_integer_index)
    refuse_negative_indices()  # until the end of this test

    @numba.njit
    def item(values, k):
        return values[k], values[-1]

    assert item(np.arange(3.0), 1) == (1.0, 2.0)
    for k in (-1, 3):
        with pytest.raises(IndexError, match=rf"^{MESSAGE}$"):
            item(np.arange(3.0), k)


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
