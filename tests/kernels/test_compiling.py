"""How kernels are compiled: with which freedom, and what is kept for whom."""

import functools
import gc
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from attack.kernels import MESSAGE, kernels, refuse_negative_indices
from numba.core import base, event, types
from numba.core.runtime import nrt
from numba.extending import overload
from numba.np import arrayobj

from counterpoint._kernels import detours, keeping, parts, pipeline, translating
from counterpoint._kernels.compiling import compiled_within, inner, lean, single

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
    assert pipeline.is_known  # or compiling takes twice the time, and nothing else is wrong
    assert keeping._is_known  # or a process waits longer for what is compiled already


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
def test_what_is_written_in_few_instructions_is_what_numba_writes():
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
    written = [_n_instructions(kernel) for kernel in (ours, theirs)]
    assert written[0] < 1.5 * written[1]  # before LLVM goes through ours, and after it went there


def _n_instructions(kernel):
    text = next(iter(kernel.inspect_llvm().values()))
    return sum(line.startswith("  ") for line in text.splitlines())


def _views(cube, flat, a, b, n):
    """Items and views of arrays, some of them written by us and some by numba."""
    out = np.zeros(24)
    out[0], out[1], out[2] = cube[a, b, 0], cube[-1, a, np.uint8(1)], cube[a][b][-1]
    out[3], out[4], out[5] = len(flat[a:b]), len(flat[:b]), len(flat[a:])
    out[6], out[7], out[8] = len(cube[b:, a]), cube[:, :b, a].size, cube[1:3, 0].shape[1]
    out[9], out[10], out[11] = flat[::2].sum(), flat[b:a].sum(), cube[a, 1:b].sum()
    part = cube[:, a, :n]
    for i in range(part.shape[0]):
        for j in range(part.shape[1]):
            out[12] += (i + 1) * part[i, j]
            part[i, j] = out[12]
    for i in range(a, b, 2):
        out[13] += i
    for i in range(b, a, -1):
        out[14] += flat[i]
    for i in range(b, a):
        out[15] += 1 + i
    for x in flat[a:n]:
        out[16] = 3 * out[16] + x
    last = flat[0]
    for i in range(n):  # several assignments, one of them above the loop
        if i % 2:
            last = flat[i]
            continue
        out[17] += last * i
    out[18], out[19], out[20] = part.size, part.strides[0], part[n - 1 :].size
    flat[n] = 2.5
    flat[-2], cube[a, b, -1] = True, 7
    cube[0, 0, 0] += flat[a]
    return out


def _arrays(layout, dtype):
    cube, flat = (np.arange(120).reshape(4, 5, 6) % 50).astype(dtype), np.arange(9).astype(dtype)
    if layout == "steps":
        return cube[::-1, :, ::2], np.repeat(flat, 3)[::3]
    return np.asarray(cube, order=layout), flat


@compiled
@pytest.mark.parametrize(
    ("layout", "dtype"), [("C", np.float64), ("F", np.int32), ("steps", np.uint8), ("steps", float)]
)
def test_items_and_loops_are_those_of_python(layout, dtype):
    kernel = numba.njit(**parts.KERNEL)(_views)
    for places in [(0, 2, 3), (1, 2, 2), (2, 0, 1), (1, 1, 3)]:
        ours, same = _arrays(layout, dtype), _arrays(layout, dtype)
        np.testing.assert_array_equal(kernel(*ours, *places), _views(*same, *places))
        for one, other in zip(ours, same, strict=True):
            np.testing.assert_array_equal(one, other)


@compiled
def test_bounds_of_slices_are_those_of_python():
    @numba.njit(**parts.KERNEL)
    def sums(values, start, stop):
        return values[start:stop].sum(), len(values[start:]), len(values[:stop])

    values = np.arange(1.0, 6.0)
    for start in range(-8, 9):
        for stop in range(-8, 9):
            expected = values[start:stop].sum(), len(values[start:]), len(values[:stop])
            assert sums(values, start, stop) == expected


@compiled
def test_arrays_made_in_a_kernel_are_given_back():
    @numba.njit(**parts.KERNEL)
    def rows(n):
        total = 0.0
        for i in range(n):
            row = np.ones(100 + i)
            if i % 3 == 0:
                continue
            half = row[: len(row) // 2]
            if i % 5 == 0:
                row = half
            total += len(row)
        return total

    assert rows(10) == rows.py_func(10)
    nrt._nrt.memsys_enable_stats()
    try:
        before = nrt.rtsys.get_allocation_stats()
        rows(1000)
        after = nrt.rtsys.get_allocation_stats()
    finally:
        nrt._nrt.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free == 1000


@compiled
def test_a_kernel_says_that_it_is_compiled(caplog, tmp_path):
    module = tmp_path / "some_kernel.py"
    module.write_text("def half(x):\n    return x / 2\n")
    space = {"__name__": "counterpoint._kernels.some_kernel"}
    exec(compile(module.read_text(), str(module), "exec"), space)
    with caplog.at_level("INFO", logger="counterpoint.compiling"):
        assert numba.njit(space["half"])(3.0) == 1.5
    assert caplog.messages == ["some_kernel.half"]


def _numbas():
    return [getattr(owner, name) for owner, name, _ in pipeline._FASTER]


@compiled
def test_what_is_replaced_while_a_kernel_is_compiled_is_numbas_own_again():
    seen, before = [], _numbas()

    class Looking(event.Listener):
        def on_start(self, event):
            seen.append(_numbas())

        def on_end(self, event):
            pass

    @parts.part()
    def half(values):
        return values[0] / 2

    @numba.njit(**parts.KERNEL)
    def kernel(values):
        return half(values)

    @numba.njit(**parts.KERNEL)
    def wrong(values):
        return half(values) + "a"

    with event.install_listener("numba:run_pass", Looking()):
        assert kernel(np.arange(1.0, 3.0)) == 0.5
    ours = [ours for _, _, ours in pipeline._FASTER]
    assert seen
    assert all(one == ours for one in seen)
    assert _numbas() == before
    with pytest.raises(numba.TypingError, match="unicode_type"):
        wrong(np.arange(3))
    assert _numbas() == before
    assert not detours._hashes


@compiled
def test_who_listens_to_passes_is_told_of_all():
    def number(kernel):
        names = []

        class Naming(event.Listener):
            def on_start(self, event):
                names.append(event.data["name"].partition(" ")[0])

            def on_end(self, event):
                names.append("end")

        with event.install_listener("numba:run_pass", Naming()):
            assert kernel(2) == 3
        return len(names), names.count("end")

    def more(k):
        return k + 1

    assert number(numba.njit(**parts.KERNEL)(more)) == number(numba.njit(more))


@compiled
def test_short_cuts_give_what_numba_gives():
    def without(context, builder, sig, args):
        pass

    def with_it(context, builder, sig, args, loc=None):
        return args if loc is None else loc

    def by_name(context, *, loc):
        return context if loc is None else loc

    def local(context):
        for loc in context:
            print(loc)

    @functools.wraps(without)
    def wrapped(*args, loc):
        pass

    method = types.Type(name="a").unify
    for one in (without, with_it, by_name, local, wrapped, functools.partial(with_it, 1), method):
        assert detours._has_loc(one) == base._has_loc(one)
    array = types.Array(types.float64, 2, "C")
    for kind in (types.int64, array, types.UniTuple(array, 2), types.none):
        assert detours._hash(kind) == detours._hash(kind) == hash(kind)
    detours.forget()


@compiled
def test_a_kernel_may_have_a_dictionary():
    @numba.njit(**parts.KERNEL)
    def kernel(k):
        names = {1: 10, 2: 20}
        more = {3: 30}
        names.update(more)
        return names[k]

    assert [kernel(k) for k in (1, 2, 3)] == [10, 20, 30]


@compiled
def test_what_is_registered_between_two_kernels_is_found():
    def twice(x):
        raise NotImplementedError

    first = numba.njit(**parts.KERNEL)(lambda x: x + 1)
    assert first(1) == 2
    overload(twice)(lambda x: lambda x: 2 * x)
    assert numba.njit(**parts.KERNEL)(lambda x: twice(x))(4) == 8


@compiled
def test_the_first_kernel_of_a_process_may_have_no_place_to_be_kept():
    code = (
        "import numpy as np; from counterpoint._kernels import compiling; compiling.KEEP = False;"
        "print(compiling.kernel()(lambda x: 2 * x[: len(x) - 1])(np.ones(2)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "[2.]\n", ran.stderr


@compiled
@pytest.mark.parametrize("kind", [lean, single, inner])
def test_only_arrays_that_are_counted_end_somewhere(kind, monkeypatch):
    ended, usual = [], translating._Lower.delvar

    def delvar(self, name):
        ended.append(self.typeof(name))
        usual(self, name)

    monkeypatch.setattr(translating._Lower, "delvar", delvar)

    @kind
    def part(values, n):
        total, half = 0.0, values[: len(values) // 2]
        for i in range(n):
            total += half[i] if i % 2 else -half[i]
            if i > 1:
                half = values
        return total

    arguments = types.float64[::1], types.int64
    part.compile(arguments)
    assert (kind is inner) == bool(ended)
    assert all(isinstance(one, types.Array) for one in ended)

    @numba.njit(**parts.KERNEL)
    def kernel(values, n):
        return part(values, n)

    assert kernel(np.arange(6.0), 5) == -0.0 + 1.0 - 2.0 + 3.0 - 4.0


@compiled
def test_a_single_part_is_not_copied_to_where_it_is_called():
    @single
    def some_sum(a, b):
        return a + b

    @numba.njit(**parts.KERNEL)
    def kernel(a, b):
        return some_sum(a, b) * some_sum(b, 2 * a)

    assert kernel(1, 2) == 12
    text = next(iter(kernel.inspect_llvm().values()))
    calls = [line for line in text.splitlines() if " call " in line and "some_sum" in line]
    assert len(calls) == 2
