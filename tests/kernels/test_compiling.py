"""How kernels are compiled: with which freedom, and what is kept for whom."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from attack.kernels import MESSAGE, kernels, refuse_negative_indices
from numba.np import arrayobj

from counterpoint._kernels import parts
from counterpoint._kernels.compiling import compiled_within

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
    for name, compilations in every.items():
        for one in compilations:
            allowed = one.targetoptions.get("fastmath") or set()
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


@compiled
def test_numba_has_what_parts_are_built_on():
    assert parts._is_known  # or compiling takes twice the time, and nothing else is wrong


@compiled
def test_parts_are_compiled_within_the_kernel_that_calls_them():
    @parts.part()
    def add(a, b):
        return a + b

    @parts.part()
    def add_all(values):
        total = values[0]
        for value in values[1:]:
            total = add(total, value)
        return total

    @numba.njit(**parts.KERNEL)
    def twice(values):
        return add_all(values) + add_all(values)

    with compiled_within() as found:
        assert twice(np.arange(5)) == 20
    assert gc.isenabled()
    assert {one.name.rpartition(".")[2] for one in found} >= {"add", "add_all", "twice"}
    assert [one.name.rpartition(".")[2] for one in found if one.is_kernel] == ["twice"]
    machine_code = next(iter(twice.inspect_asm().values()))
    assert "twice" in machine_code
    with compiled_within() as found:
        assert twice(np.arange(3)) == 6
    assert not found


@compiled
def test_code_is_what_numba_makes_of_it_without_our_help():
    def mixed(counts, values, k):
        total, small, flag = 0.0, counts[0], np.uint8(3)
        for i in range(len(counts)):
            row = values[i, 1:k]
            small = small // 2 + counts[i] % 7 - 1 if counts[i] > small else small << 1
            for j in range(len(row)):
                total += row[j] * 2 - values[i, 0] / 3 + counts[i] ** 2
            if flag & 1 and not total <= 4:
                values[i, k - 1] = total * flag + 2.5 * small
        return total, small

    options = {"error_model": "numpy", "no_cfunc_wrapper": True}
    ours, theirs = numba.njit(**{**options, **parts.KERNEL})(mixed), numba.njit(**options)(mixed)
    counts, values, again = np.arange(4), *np.arange(24.0).reshape(2, 4, 3)
    again[:] = values
    assert ours(counts, values, 3) == theirs(counts, again, 3)
    np.testing.assert_array_equal(values, again)
    assert ours.nopython_signatures == theirs.nopython_signatures
    assert _steps(ours) == _steps(theirs)


def _steps(kernel):
    """Return the instructions of a compiled kernel, without the names of places and functions."""
    code = next(iter(kernel.inspect_asm().values()))
    lines = [line.split("#")[0].split() for line in code.splitlines()]
    steps = [line for line in lines if line and line[0].isalpha()]
    assert len(steps) > 100
    return [[word for word in step if "_Z" not in word and "mixed" not in word] for step in steps]


@compiled
def test_a_kernel_says_that_it_is_compiled(caplog, tmp_path):
    module = tmp_path / "some_kernel.py"
    module.write_text("def half(x):\n    return x / 2\n")
    space = {"__name__": "counterpoint._kernels.some_kernel"}
    exec(compile(module.read_text(), str(module), "exec"), space)
    with caplog.at_level("INFO", logger="counterpoint.compiling"):
        assert numba.njit(space["half"])(3.0) == 1.5
    assert caplog.messages == ["some_kernel.half"]
