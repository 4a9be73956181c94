"""Functions that only kernels call, and which compiler compiles them and the kernels.

That compiler is ``pipeline.py``. It and what it needs of numba are imported when something is
compiled, not when a kernel is named: most processes only run what is compiled already.
"""

from typing import Any

from numba import jit


def _compiler_of_kernels(*given: Any) -> Any:
    from counterpoint._kernels import pipeline

    return pipeline.compiler(for_part=False)(*given)


def _compiler_of_parts(*given: Any) -> Any:
    from counterpoint._kernels import pipeline

    return pipeline.compiler(for_part=True)(*given)


# Numba calls what it is given as its class of compilers. Nobody but Python and other kernels calls
# what is compiled.
KERNEL: dict[str, Any] = {"pipeline_class": _compiler_of_kernels, "no_cfunc_wrapper": True}
# Wrappers for Python and a cache are the outer kernel's.
_PART: dict[str, Any] = {
    "pipeline_class": _compiler_of_parts, "no_cpython_wrapper": True, "no_cfunc_wrapper": True
}  # fmt: skip


def part(**options: Any) -> Any:
    """Compile a function that only kernels call; options are those of ``jit``."""
    return jit(**{**options, **_PART})
