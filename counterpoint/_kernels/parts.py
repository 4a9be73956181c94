"""Functions that only kernels call, compiled as parts of these and not each by itself.

Numba takes every function that a compiled one calls through all of LLVM, to machine code that
nobody runs; then hands what came out to the caller, where it goes through LLVM again, with the
caller's own callers still to come. In a chain of calls the innermost function is optimised as
often as the chain is long: half of what compiling a tree's growth took. Here a part is translated
and handed on as it is, and the kernel around it is optimised once, as a whole. The code is no other
in what it computes.

Numba lets a function choose its compiler (``pipeline_class``), and lets the compiler bring a
library to put the code in; what a library does at its end is numba's own affair. So this looks
first whether all that it builds on is there, and numba's own compiler serves where it is not.
"""

from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_NEEDED = {
    JITCodeLibrary: (
        "_ensure_finalized", "_finalize_final_module", "_get_module_for_linking",
        "_optimize_final_module", "codegen", "enable_object_caching", "get_pointer_to_function",
    ),
    Compiler: ("define_pipelines",),
}  # fmt: skip


class _Library(JITCodeLibrary):
    """Code to be linked into that of callers, and never run by itself."""

    @property
    def codegen(self):
        return self

    def set_env(self, name, env):
        """Do nothing: Python's objects are looked up in the kernel's environment."""

    def get_pointer_to_function(self, name):
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalized = True


class _PartCompiler(Compiler):
    def define_pipelines(self):
        codegen = self.state.targetctx.codegen()
        self.state.library = _Library(codegen, self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


_is_known = all(hasattr(kind, name) for kind, names in _NEEDED.items() for name in names)
# Wrappers for Python and a cache are the outer kernel's.
_ALONE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_PART: dict[str, Any] = {"pipeline_class": _PartCompiler} if _is_known else {}


def part(**options):
    """Compile a function that only kernels call; options are those of ``njit``."""
    return njit(**_ALONE, **_PART, **options)
