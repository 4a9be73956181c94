"""Files that are mapped into memory: pages are let go of where too many would be held."""

import mmap
from typing import Any

from numpy.typing import NDArray


def let_go(array: NDArray) -> None:
    """Have the system take back the pages of a part of a file that is mapped; the file has them."""
    whole: Any = array
    while whole is not None and not hasattr(whole, "_mmap"):
        whole = getattr(whole, "base", None)
    if whole is None or not hasattr(mmap, "MADV_DONTNEED"):
        return
    page = mmap.PAGESIZE
    start = -(-(array.ctypes.data - whole.ctypes.data) // page) * page
    stop = (array.ctypes.data + array.nbytes - whole.ctypes.data) // page * page
    if stop > start:
        whole._mmap.madvise(mmap.MADV_DONTNEED, start, stop - start)
