"""Compiled code that is kept on disk, read back without what only compiling needs.

Before numba looks for compiled code it makes ready to compile: all it knows of types and operations
is put in its contexts, which takes longer than reading ten kernels. Most processes only read. So
here numba makes ready when there is nothing to read; the compiler does so itself once more.
"""

from functools import cached_property
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

_NEEDED = {
    FunctionCache: ("_guard_against_spurious_io_errors", "_load_overload", "load_overload"),
    rtsys: ("initialize",),
}
_is_known = all(hasattr(kind, name) for kind, names in _NEEDED.items() for name in names)


class _Kept:
    """Numba's cache of one function, made when it is first asked: it tries to write a file."""

    def __init__(self, function: Any) -> None:
        self._function = function

    @cached_property
    def _numbas(self) -> FunctionCache:
        return FunctionCache(self._function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numbas, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for these types of arguments, or None."""
        rtsys.initialize(target_context)  # who counts the references to arrays
        with self._numbas._guard_against_spurious_io_errors():
            found = self._numbas._load_overload(sig, target_context)
            if found is not None:
                return found
        return self._numbas.load_overload(sig, target_context)


def kept(function: Any, **options: Any) -> Any:
    """Compile a function whose code is kept; options are those of ``njit``."""
    dispatcher = njit(cache=not _is_known, **options)(function)
    if _is_known and hasattr(dispatcher, "_cache"):
        dispatcher._cache = _Kept(function)
    return dispatcher
