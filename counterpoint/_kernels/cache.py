"""Where compiled kernels are kept, also where numba finds no place for them.

Numba keeps compiled code beside the source or in the user's home, and refuses to compile where it
can write to neither, as in a hardened container. Then a folder of this user's own in the temporary
directory serves; it is used only if nobody else can write to it, since what is read from it is
run. Without even that, nothing is kept.
"""

import os
import stat
import tempfile
import warnings
from pathlib import Path

import numba


def prepare_cache():
    """Make numba's cache work, and say so once if it has no place of its own.

    Returns
    -------
    bool
        Whether compiled code can be kept at all.
    """
    if numba.config.DISABLE_JIT or _has_place():
        return True
    try:
        numba.config.CACHE_DIR = str(_own_folder())
    except OSError:
        numba.config.CACHE_DIR = ""
    kept = bool(numba.config.CACHE_DIR) and _has_place()
    where = f"are kept in {numba.config.CACHE_DIR}" if kept else "are compiled again every time"
    warnings.warn(
        f"Neither the package's folder nor a home can be written to: compiled kernels {where}. Set "
        "NUMBA_CACHE_DIR to a folder that lasts, and they are compiled only once.",
        UserWarning,
        stacklevel=3,
    )
    return kept


def _has_place():
    try:
        numba.njit(cache=True)(_nothing)
    except RuntimeError:  # "cannot cache function: no locator available"
        return False
    return True


def _nothing():
    pass


def _own_folder():
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    folder = Path(tempfile.gettempdir()) / f"counterpoint-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="counterpoint-kernels-"))
    return folder if _is_private(folder) else Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))


def _is_private(folder):
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode):
        return False
    return not hasattr(os, "getuid") or (seen.st_uid == os.getuid() and not seen.st_mode & 0o022)


KEEP = prepare_cache()
