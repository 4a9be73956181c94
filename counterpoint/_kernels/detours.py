"""Work that numba does while it compiles and that nobody has asked for, left out meanwhile.

Each is small: a message worded for an error that numba catches itself, an event for listeners that
are not there, a look at what was registered when nothing was. The code that comes out is the same.
"""

from time import perf_counter
from typing import Any

from llvmlite.binding import ffi
from numba.core import base, compiler_machinery, config, errors, event, interpreter, ir, types
from numba.core.typed_passes import IRLegalization

NEEDED = {
    base: ("_has_loc",),
    compiler_machinery: ("pass_timings",),
    compiler_machinery.PassManager: ("_runPass", "run"),
    errors: ("new_error_context",),
    event: ("_registered",),
    interpreter: ("peep_hole_delete_with_exit", "peep_hole_fuse_dict_add_updates"),
    ir.Expr: ("infer_constant",),
    ir.Block: ("find_insts",),
    types.Type: ("key",),
    IRLegalization: ("run_pass",),
}

# Where one of these is missing, another numba is there and none of this is used.
_takes_loc = getattr(base, "_has_loc", None)
_with_exits = getattr(interpreter, "peep_hole_delete_with_exit", None)
_with_updates = getattr(interpreter, "peep_hole_fuse_dict_add_updates", None)


def _has_loc(function):
    """Numba's own, without the whole signature: whether a function has an argument ``loc``."""
    code = getattr(function, "__code__", None)
    if code is None or hasattr(function, "__wrapped__") or hasattr(function, "__signature__"):
        return _takes_loc(function)
    return "loc" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _no_constant(_):
    raise errors.ConstantInferenceError("an expression", loc=None)


def _delete_exits(func_ir):
    """Numba's own, where there is a ``with``."""
    for block in func_ir.blocks.values():
        for one in block.find_insts(ir.Assign):
            if one.target.name.startswith("$setup_with_exitfn"):
                return _with_exits(func_ir)
    return func_ir


def _fuse_updates(func_ir):
    """Numba's own, where there is a dictionary."""
    for block in func_ir.blocks.values():
        for one in block.find_insts(ir.Assign):
            if getattr(one.value, "op", None) == "build_map":
                return _with_updates(func_ir)
    return func_ir


_hashes: dict[int, tuple[types.Type, int]] = {}


def _hash(kind):
    """Numba's own, worked out once for each type."""
    found = _hashes.get(id(kind))
    if found is None:
        found = _hashes[id(kind)] = kind, hash(kind.key)  # a type kept is an id kept
    return found[1]


def forget():
    """Let go of the types that were met."""
    _hashes.clear()


FASTER: list[tuple[Any, str, Any]] = [
    (base, "_has_loc", _has_loc),
    (interpreter, "peep_hole_delete_with_exit", _delete_exits),
    (interpreter, "peep_hole_fuse_dict_add_updates", _fuse_updates),
    (ir.Expr, "infer_constant", _no_constant),
    (types.Type, "__hash__", _hash),
]
if not config.CHROME_TRACE and hasattr(getattr(ffi.lib, "_lock", None), "_cblist"):
    # Numba measures how long LLVM's lock is held: two events at every call of LLVM.
    FASTER.append((ffi.lib._lock, "_cblist", []))


def run_pass(passes, usual, index, one, state):
    """Run one pass; where nobody listens or wants anything printed, do just that."""
    printed = passes._print_before or passes._print_after or passes._print_wrap
    if event._registered["numba:run_pass"] or printed or passes._ENFORCING:
        usual(index, one, state)
        return
    one.analysis = passes._analysis
    began = perf_counter()
    with errors.new_error_context("Pass {name}", name=one.name()):
        one.run_initialization(state)
        one.run_pass(state)
        one.run_finalizer(state)
    took = compiler_machinery.pass_timings(0.0, perf_counter() - began, 0.0)
    passes.exec_times[f"{index}_{one.name()}"] = took
