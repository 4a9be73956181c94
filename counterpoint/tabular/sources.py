"""Where a table comes from: files, packed files and standard input, opened by name or content."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any, Literal, cast

from counterpoint._files import find_file

Kind = Literal["text", "parquet", "arrow", "excel"]
Given = str | PathLike[str] | IO[bytes]

_ENDINGS: dict[str, Kind] = {
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".xlsx", ".xlsm"), "excel"),
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".data"), "text"),
}
_BEGINNINGS: tuple[tuple[bytes, Kind], ...] = (
    (b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"FEA1", "arrow"),
)  # fmt: skip
_GZIP, _ZIP, _OLD_EXCEL = b"\x1f\x8b", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True)
class Source:
    """A table not read yet.

    Attributes
    ----------
    name : str
        What to call it in messages.
    kind : {"text", "parquet", "arrow", "excel"}
    open : callable
        Gives its bytes, unpacked, from the beginning; as often as asked.
    tabs : bool
        Whether its name says that tabs divide fields.
    """

    name: str
    kind: Kind
    open: Callable[[], IO[bytes]]
    tabs: bool = False


def find_source(given: Given) -> Source:
    """Look at a file, or at what comes in an open one, without reading the table.

    The ending says what it is; where it says nothing, and for an open file without a name, the
    first bytes do.

    Examples
    --------
    >>> find_source(io.BytesIO(gzip.compress(b"a,b"))).kind
    'text'
    >>> find_source(io.BytesIO(b"PAR1...")).kind
    'parquet'
    """
    if isinstance(given, str | PathLike):
        path = find_file(given, "rows")
        return _unpack(str(path), path.name.lower(), lambda: path.open("rb"))
    if not hasattr(given, "read"):
        raise TypeError(
            f"A {type(given).__name__} was given, expected a pandas DataFrame, or the path of a "
            "file."
        )
    content = given.read()
    if not isinstance(content, bytes):
        raise TypeError("An open file of text was given: open it in binary, mode 'rb'.")
    named = getattr(given, "name", None)
    label = named if isinstance(named, str) and not named.startswith("<") else ""
    return _unpack(label or "standard input", label.lower(), lambda: io.BytesIO(content))


def _unpack(name: str, label: str, opened: Callable[[], IO[bytes]]) -> Source:
    """Say what a file is; of a packed one, what it holds."""
    with unreadable(name), opened() as file:
        first = file.read(8)
    known = label.endswith(tuple(_ENDINGS))
    if label.endswith((".xls", ".ods")) or first.startswith(_OLD_EXCEL):
        raise ValueError(f"{name} is of a form that is not read here: save it as .xlsx or .csv.")
    if label.endswith(".gz") or (not known and first.startswith(_GZIP)):
        inner = label.removesuffix(".gz")
        return _unpack_again(name, inner, lambda: cast(IO[bytes], _Gzip(opened())))
    if label.endswith(".zip") or (not known and first.startswith(_ZIP)):
        with unreadable(name), opened() as file, zipfile.ZipFile(file) as archive:
            entries = [entry.filename for entry in archive.infolist() if not _is_aside(entry)]
        if "xl/workbook.xml" in entries and not label.endswith(".zip"):
            return Source(name, "excel", opened)
        if len(entries) != 1:
            holds = "no file" if not entries else f"{len(entries)} files, {', '.join(entries[:4])}"
            raise ValueError(f"{name} holds {holds}: pack one table, or unpack it first.")
        return _unpack_again(name, entries[0].lower(), lambda: _Entry(opened(), entries[0]))
    said = [kind for ending, kind in _ENDINGS.items() if label.endswith(ending)]
    seen = [kind for start, kind in _BEGINNINGS if first.startswith(start)]
    kinds: list[Kind] = [*said, *seen, "text"]
    return Source(name, kinds[0], opened, label.endswith((".tsv", ".tab")))


def _unpack_again(name: str, label: str, opened: Callable[[], IO[bytes]]) -> Source:
    if label.endswith((".gz", ".zip")):
        raise ValueError(f"{name} is packed twice: unpack it first.")
    return _unpack(name, label, opened)


def _is_aside(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder, or what a Mac leaves beside files."""
    return entry.is_dir() or entry.filename.startswith("__MACOSX/")


class _Gzip(gzip.GzipFile):
    """A gzipped file that closes the one below it, too."""

    def __init__(self, file: IO[bytes]) -> None:
        self._below = file
        super().__init__(fileobj=file)

    def close(self) -> None:
        super().close()
        self._below.close()


class _Entry(io.BytesIO):
    """The bytes of one file in a zip archive: pandas and pyarrow want to go back and forth."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        with file, zipfile.ZipFile(file) as archive:
            super().__init__(archive.read(name))


@contextmanager
def unreadable(name: str) -> Iterator[None]:
    """Say in one sentence why a file cannot be read: no right to, or a broken archive."""
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        why: Any = getattr(error, "strerror", None) or str(error) or type(error).__name__
        why = " ".join(why.split()).rstrip(".")
        raise ValueError(f"{name} cannot be read: {why}.") from error
