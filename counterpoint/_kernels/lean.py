"""Compiling functions that only kernels call."""

from typing import Any

from numba import njit

# Wrappers for Python and a cache are the outer kernel's; without them here it compiles faster.
_INNER: dict[str, Any] = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_UNCOUNTED: dict[str, Any] = {"_nrt": False}


def inner(function):
    """Compile a function that only kernels call; it may make arrays."""
    return njit(**_INNER)(function)


def lean(function):
    """Compile a function that only kernels call and that makes views of arrays, but no arrays.

    Numba counts the references to an array whenever it is sliced, with an instruction that
    makes all processors wait. For a tree's thousands of small segments that took a
    third of the time, and the caller holds the arrays anyway.
    """
    return njit(**_INNER, **_UNCOUNTED)(function)
