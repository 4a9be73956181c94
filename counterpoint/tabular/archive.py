"""The archive of a model file: opened with limits, before anything in it is believed.

Sizes are read before contents, and no more is unpacked than was declared. What skops is given
afterwards is a plain copy in memory, which holds nothing but entries that were looked at.
"""

import io
import json
import re
import zipfile
from typing import Any

import numpy as np

MOST_BYTES = 2**31
"""How much a model file may unpack to, unless the caller says otherwise."""
MOST_REPEATS = 10**6
"""How often objects that a model shares among its parts may be met when all parts are walked."""

ENTRY = "counterpoint.json"
SCHEMA = "schema.json"
_NAME = re.compile(r"\d+\.np[yz]|[0-9a-f-]{36}\.bin")
_CHUNK = 2**20


class TooLarge(ValueError):
    """A file unpacks to more than it may."""


def unpack(data: bytes, max_bytes: int) -> dict[str, bytes]:
    """Return the entries of a model file by name.

    Raises ``TooLarge`` above the limit, and any error of zip files or ``ValueError`` for what
    :func:`counterpoint.tabular.save` does not write.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        infos = file.infolist()
        names = [info.filename for info in infos]
        if len(set(names)) < len(names) or {ENTRY, SCHEMA} - set(names):
            raise ValueError("an entry is missing or there twice")
        for name in names:
            if name not in (ENTRY, SCHEMA) and not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} does not belong there")
        if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
               or info.flag_bits & 0x1 for info in infos):  # fmt: skip
            raise ValueError("an entry is packed in another way")
        total = sum(info.file_size for info in infos)
        entries = {}
        for info in infos:
            if info.filename.endswith(".npz"):  # of scipy, an archive by itself
                total += _size_inside(file, info, max_bytes - total)
            if total > max_bytes:
                raise TooLarge(f"unpacks to {total:,} bytes, more than max_bytes={max_bytes:,}")
        for info in infos:
            entries[info.filename] = _read(file, info)
    for name, content in entries.items():
        if name.endswith(".npy"):
            _check_array(name, content)
    return entries


def _size_inside(file: zipfile.ZipFile, info: zipfile.ZipInfo, room: int) -> int:
    if info.file_size > room:
        return info.file_size
    with zipfile.ZipFile(io.BytesIO(_read(file, info))) as inner:
        return sum(part.file_size for part in inner.infolist())


def _read(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return an entry, piece by piece: one that holds more than it declares is never unpacked."""
    pieces = []
    with file.open(info) as stream:
        while piece := stream.read(_CHUNK):
            pieces.append(piece)
    content = b"".join(pieces)
    if len(content) != info.file_size:
        raise ValueError(f"{info.filename} is cut short")
    return content


def _check_array(name: str, content: bytes) -> None:
    """Refuse an array whose header declares another size than it has, or anything but numbers."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"{name} is of another format")
    shape, _, dtype = read(stream)
    n_items = 1
    for length in shape:
        n_items *= length
    if dtype.hasobject or min(shape, default=0) < 0:
        raise ValueError(f"{name} holds no plain numbers")
    if n_items * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(f"{name} declares another size than it has")


def pack(entries: dict[str, bytes]) -> bytes:
    """Return the entries that skops reads as an archive of its own, nothing compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in entries.items():
            if name != ENTRY:
                file.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def check_schema(content: bytes) -> None:
    """Refuse a schema that is no tree of objects, or one whose walk would not end in time.

    An object may stand in many places, told by its ``__id__``; a few lines can thus stand for a
    walk of 2 ** 40 steps.
    """
    schema = json.loads(content)
    if not isinstance(schema, dict):
        raise ValueError("the schema is no object")
    own = 0
    walked: dict[int | str, int] = {}

    def steps(part: Any) -> int:
        nonlocal own
        own += 1
        if isinstance(part, list):
            return 1 + sum(map(steps, part))
        if not isinstance(part, dict):
            return 1
        known = part.get("__id__")
        if isinstance(known, int | str) and known in walked:
            return walked[known]
        if isinstance(known, int | str):
            walked[known] = 1  # met again within itself
        total = 1 + sum(map(steps, part.values()))
        if isinstance(known, int | str):
            walked[known] = total
        return total

    if steps(schema) > MOST_REPEATS + 10 * own:
        raise ValueError("the schema repeats its parts too often")
