"""Files that are there to be read, and files written whole or not at all."""

import errno
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from counterpoint._interrupts import unfinished
from counterpoint._spelling import close_words

LARGE = 1 << 28
"""Bytes from which on a file is read piece by piece."""
_MOST_NAMES = 1000  # looked through for one that may be meant

written: ContextVar[list[Path] | None] = ContextVar("counterpoint_written", default=None)
"""The list, if there is one, in which files that are whole are noted."""


def find_file(source: str | os.PathLike[str], of: str) -> Path:
    """Return the path of a file that is there, and is a file."""
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.{_nearby(path)}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder: give a file of {of}.")
    return path


def _nearby(path: Path) -> str:
    """Return the name of a file in the same folder that may be meant."""
    try:
        names = sorted(entry.name for entry in os.scandir(path.parent) if entry.is_file())
    except OSError:
        return f" There is no folder {path.parent} either."
    close = close_words(path.name, names[:_MOST_NAMES])
    # The ending is half of a short name: x.csv is not meant by a.csv.
    same = [name for name in close if close_words(path.stem, [Path(name).stem])]
    return f" Did you mean {path.with_name(same[0])}?" if same else ""


def check_output(path: str | os.PathLike[str]) -> Path:
    """Return ``path`` if a file can go there, else raise; best asked before long work."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it, {path / 'out'} say.")
    folder = path.parent
    if not folder.exists():
        raise FileNotFoundError(f"There is no folder {folder}: make it first, or choose another.")
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: {path.name} cannot be put into it.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(f"{path} may not be written: choose another place.")
    return path


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to, which becomes ``path`` at the end if all went well.

    A file of that name is replaced; until then it stays as it was. What is written meanwhile has a
    name that nobody can guess, and is made for this: a file or a link laid in wait is never
    followed.
    """
    given = check_output(path)
    path = given.resolve()
    if path.exists() and not path.is_file():  # /dev/null and its like
        yield path
        return
    ending = "".join(path.suffixes[-2:])  # says the format: .csv.gz
    part = path.with_name(f".part-{secrets.token_hex(8)}{ending}")
    unfinished.add(part)
    try:
        # Not by tempfile: its files are for the owner alone, ours as private as the umask says.
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield part
        part.replace(path)
        if (noted := written.get()) is not None:
            noted.append(given)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(given)) from error
    finally:
        part.unlink(missing_ok=True)
        unfinished.discard(part)


def is_pattern(path: str | os.PathLike[str]) -> bool:
    """Whether a path stands for the files that fit it, ``part-*.csv``, and is none itself."""
    return any(sign in str(path) for sign in "*?[") and not Path(path).exists()


def files_of(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that fit a pattern, by name; of another path that itself."""
    if not is_pattern(path):
        return [str(path)]
    found = sorted(glob.glob(str(path), recursive=True))
    if not found:
        raise FileNotFoundError(f"No file fits the pattern {path}.")
    return found


def is_large(path: str | os.PathLike[str]) -> bool:
    """Whether a path stands for more than is read at once: a large file, a pattern, a folder."""
    if is_pattern(path):
        return True
    given = Path(path)
    if given.is_dir():
        return True
    endings = (".parquet", ".pq", ".csv", ".tsv", ".arrow", ".feather")
    return given.suffix.lower() in endings and given.is_file() and given.stat().st_size > LARGE
