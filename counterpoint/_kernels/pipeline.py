"""How numba is made to compile what we have in less time; the code it makes is the same.

Functions that only kernels call are compiled as parts of these and not each by itself. Numba takes
every function that a compiled one calls through all of LLVM, to machine code that nobody runs; then
hands what came out to the caller, where it goes through LLVM again, with the caller's own callers
still to come. In a chain of calls the innermost function is optimised as often as the chain is
long: half of what compiling a tree's growth took. Here a part is translated and handed on as it
is, and the kernel around it is optimised once, as a whole.

Of the rest, a sixth went into looking for garbage among the hundred thousands of objects that are
there while something is compiled, and a seventh into comparing flags: numba remembers what an
operation means for given types and flags, and looks at forty flags one by one to find that they are
those it saw last. What it does not remember, ``contexts.py`` does. What it writes for LLVM,
``translating.py`` has in fewer instructions, and LLVM then need not clean up every function by
itself before all are optimised together.

Numba lets a function choose its compiler (``pipeline_class``), and lets the compiler bring a
library to put the code in; what a library does at its end is numba's own affair. So this looks
first whether all that it builds on is there, and numba's own compiler serves where it is not.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from llvmlite.binding import Linkage
from numba.core import errors, ir, postproc, transforms
from numba.core.base import BaseContext as CodeContext
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.target_extension import jit_registry, target_registry
from numba.core.typed_passes import IRLegalization, NativeLowering, NopythonRewrites
from numba.core.typing.context import BaseContext as TypeContext
from numba.core.untyped_passes import InlineClosureLikes

from counterpoint._kernels import detours, passes, translating
from counterpoint._kernels.contexts import remembering_contexts
from counterpoint._kernels.parts import part

_NEEDED = {
    JITCodeLibrary: (
        "_ensure_finalized", "_get_module_for_linking", "_optimize_functions",
        "_raise_if_finalized", "codegen", "enable_object_caching", "finalize",
        "get_pointer_to_function",
    ),
    Compiler: ("compile_extra", "define_pipelines"),
    Flags: ("options", "_values"),
    ir.Inst: ("_rec_list_vars",),
    postproc.PostProcessor: ("_insert_var_dels", "run"),
    transforms: ("canonicalize_cfg",),
    TypeContext: (
        "_lookup_global", "resolve_function_type", "resolve_value_type",
        "resolve_value_type_prefer_literal",
    ),
    CodeContext: (
        "_compile_subroutine_no_cache", "get_abi_sizeof", "get_function", "pair_first",
        "pair_second",
    ),
    **detours.NEEDED,
    **passes.NEEDED,
    **translating.NEEDED,
}  # fmt: skip


class _Flags(Flags):
    """Flags that are compared by what was set, in one go."""

    __slots__ = ()

    def __hash__(self):
        return _HASH  # numba's is that of the names too: all flags have the same

    def __eq__(self, other):
        return self._values == getattr(other, "_values", None)


_HASH = hash(tuple(sorted(Flags.options)))


@contextmanager
def _no_collecting() -> Iterator[None]:
    was = gc.isenabled()  # nobody else compiles meanwhile: numba has a lock for that
    gc.disable()
    try:
        yield
    finally:
        if was:
            if not gc.get_freeze_count():
                # All that was made counts as old now, or it would be gone through at once.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _list_vars(_, value):
    """Return the variables in a statement: numba's own function, asking less of each value."""
    found: list[ir.Var] = []
    for one in value.values() if type(value) is dict else (value,):
        if type(one) is ir.Expr:
            for part in one._kws.values():
                _collect(part, found)
        else:
            _collect(one, found)
    return found


def _collect(value, found):
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind in _WITHOUT_VARIABLES:
        return
    elif isinstance(value, ir.Inst):
        found.extend(value.list_vars())
    elif isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            _collect(one, found)
    elif isinstance(value, ir.Var):
        found.append(value)
    else:
        _WITHOUT_VARIABLES.add(kind)


_WITHOUT_VARIABLES: set[type] = set()


def _process(self, emit_dels=False, **options):
    """Numba's own, without what is live where: only generators ask for that."""
    if self.func_ir.is_generator:
        return _process_all(self, emit_dels, **options)
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
    return self._insert_var_dels(**options) if emit_dels else None


_process_all = postproc.PostProcessor.run


def _plain(_, message, *colours):
    """Return a message of numba's as it is: most are of errors that it catches itself."""
    return message


_Colours = type(errors.termcolor())
_FASTER = [
    (ir.Inst, "_rec_list_vars", _list_vars),
    (postproc.PostProcessor, "run", _process),
]
_FASTER += passes.FASTER + detours.FASTER
_FASTER += [(_Colours, "_markup", _plain)] if hasattr(_Colours, "_markup") else []


@contextmanager
def _faster() -> Iterator[None]:
    if getattr(*_FASTER[0][:2]) is _FASTER[0][2]:  # a part, compiled while its kernel is
        yield
        return
    usual = [getattr(owner, name) for owner, name, _ in _FASTER]
    for owner, name, ours in _FASTER:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), theirs in zip(_FASTER, usual, strict=True):
            setattr(owner, name, theirs)
        detours.forget()


_CPU = target_registry["cpu"]


@contextmanager
def _all_parts() -> Iterator[None]:
    """Make parts of what numba itself wrote in Python, ``np.zeros`` for instance."""
    usual = jit_registry[_CPU]
    dict.__setitem__(jit_registry, _CPU, part)  # its own refuses to replace anything
    try:
        yield
    finally:
        dict.__setitem__(jit_registry, _CPU, usual)


class _KernelLibrary(JITCodeLibrary):
    """Code that is optimised as a whole, and not before that function by function."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        """Take in all parts, those of parts too, each once; then do as numba does."""
        for library in _parts_below(self):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library.own_module(), preserve=True)
        self._linking_libraries = [
            library
            for owner in (self, *_parts_below(self))
            for library in owner._linking_libraries
            if not isinstance(library, _PartLibrary)
        ]
        super().finalize()


def _parts_below(library):
    """Return the parts that a library calls, and what these call, each once."""
    found: dict[_PartLibrary, None] = {}
    left = list(library._linking_libraries)
    while left:
        one = left.pop()
        if isinstance(one, _PartLibrary) and one not in found:
            found[one] = None
            left += one._linking_libraries
    return list(found)


class _PartLibrary(_KernelLibrary):
    """Code to be linked into that of callers, and never run by itself."""

    @property
    def codegen(self):
        return self

    def set_env(self, name, env):
        """Do nothing: Python's objects are looked up in the kernel's environment."""

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    def finalize(self):
        """Leave all to the kernel that it becomes a part of."""
        self._raise_if_finalized()
        self._finalized = True

    def own_module(self):
        """Return the code of this part alone."""
        self._ensure_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        return self._final_module

    def _get_module_for_linking(self):
        """Return the code with that of all that it calls, for a function that is not ours."""
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            seen = set()
            for owner in (self, *_parts_below(self)):
                for library in owner._linking_libraries:
                    if library not in seen:
                        seen.add(library)
                        is_part = isinstance(library, _PartLibrary)
                        module = library.own_module if is_part else library._get_module_for_linking
                        self._shared_module.link_in(module(), preserve=True)
        return self._shared_module


_OURS = {
    NativeLowering: translating.Translating,
    InlineClosureLikes: passes.Closures,
    NopythonRewrites: passes.Rewrites,
    IRLegalization: passes.Legal,
}


class _KernelCompiler(Compiler):
    library = _KernelLibrary

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        is_parallel = flags.auto_parallel.enabled
        typingctx, targetctx = remembering_contexts(typingctx, targetctx, is_parallel)
        super().__init__(typingctx, targetctx, library, args, return_type, _Flags(flags), locals)

    def define_pipelines(self):
        self.state.library = self.library(
            self.state.targetctx.codegen(), self.state.func_id.func_qualname
        )
        self.state.library.enable_object_caching()
        pipelines = super().define_pipelines()
        for one in pipelines:
            one.passes = [(_OURS.get(step, step), name) for step, name in one.passes]
            one._runPass = partial(detours.run_pass, one, one._runPass)
        return pipelines

    def compile_extra(self, func):
        with _no_collecting(), _all_parts(), _faster():
            return super().compile_extra(func)


class _PartCompiler(_KernelCompiler):
    library = _PartLibrary


is_known = all(hasattr(kind, name) for kind, names in _NEEDED.items() for name in names)
"""Whether all of numba that this builds on is there."""


def compiler(for_part: bool) -> type[Compiler]:
    """Return the compiler of kernels or of their parts; numba's own where it is another numba."""
    if not is_known:
        return Compiler
    return _PartCompiler if for_part else _KernelCompiler
