"""The data folder: CSV files of the user's own, and sets that may not be shipped.

A set ``name`` is ``name.csv`` or ``name.csv.gz``, or a pair ``name.train.csv`` and
``name.test.csv`` (each plain or gzipped). ``name.json`` beside it, written by `add_file`,
records the target, the kinds of the columns and the counts.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint._files import new_file
from counterpoint.datasets.index import Entry, canonical, index

if TYPE_CHECKING:
    from counterpoint.datasets.tables import Table

_FILE = re.compile(r"(?P<name>.+?)(?:\.(?P<part>train|test))?\.csv(?:\.gz)?", re.IGNORECASE)


def data_folder() -> Path:
    """Return the folder where data sets that are not shipped are looked for.

    It is the one named by the environment variable ``COUNTERPOINT_DATA``, else
    ``counterpoint`` in the user's cache: ``$XDG_CACHE_HOME`` or ``~/.cache``,
    ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on Windows. It need not exist yet.

    Examples
    --------
    >>> import os
    >>> os.environ["COUNTERPOINT_DATA"] = "my-data"
    >>> data_folder().name
    'my-data'
    >>> del os.environ["COUNTERPOINT_DATA"]
    """
    chosen = os.environ.get("COUNTERPOINT_DATA")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "counterpoint"


def add_file(
    path: str | os.PathLike,
    *,
    name: str | None = None,
    target: str = "class",
    nominal: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    overwrite: bool = False,
) -> Path:
    r"""Copy a CSV file into the data folder, so that `load` finds it by name.

    The file is checked first: it must be readable and have the target column. Columns whose
    every value is a number become numeric, all others nominal. For a known set that may not be
    shipped (``insurance``, ``ripley-synth``) the columns must be those of the set.

    Parameters
    ----------
    path : str or path-like
        A CSV file, plain or gzipped, with a header row. ``X.train.csv`` and ``X.test.csv``,
        added one after the other, become one set ``X`` with a split.
    name : str or None, default=None
        What to call the set. None takes the name of the file.
    target : str, default="class"
        The column to predict.
    nominal : sequence of str, default=()
        Columns of numbers that are codes, not quantities.
    missing_values : sequence of str, default=()
        What stands for a missing value besides an empty field: ``["?"]``, say.
    overwrite : bool, default=False
        Replace a file already there.

    Returns
    -------
    pathlib.Path
        Where the copy is.

    Raises
    ------
    FileNotFoundError
        There is no file at ``path``.
    FileExistsError
        The data folder has this set already.
    ValueError
        The file is not CSV, lacks a column, or has the name of a shipped set.

    Examples
    --------
    >>> import os, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> os.environ["COUNTERPOINT_DATA"] = folder.name + "/data"
    >>> mine = pathlib.Path(folder.name, "fruit.csv")
    >>> _ = mine.write_text("weight,colour,class\n120,red,apple\n90,,plum\n")
    >>> add_file(mine).name
    'fruit.csv'
    >>> del os.environ["COUNTERPOINT_DATA"]
    >>> folder.cleanup()
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}: give the path of a CSV file.")
    match = _FILE.fullmatch(path.name)
    if match is None:
        raise ValueError(
            f"{path.name} does not end in .csv or .csv.gz: only CSV files can be added."
        )
    key, part = canonical(name if name is not None else match["name"]), _part(match)
    if not re.fullmatch(r"[\w.+-]+", key) or key.startswith("."):
        raise ValueError(
            f"A data set cannot be called {key!r}: use letters, digits, hyphens and dots, "
            "and pass it as `name`."
        )
    known = index().get(key)
    if known is not None and known.file is not None:
        raise ValueError(
            f"{key!r} is a data set shipped with counterpoint: choose another `name` for "
            f"{path.name}."
        )
    here = find_files(key)
    files = {part: path}
    if part is not None:  # read with its other half, so that both agree on the columns
        files |= {other: file for other, file in here.items() if other not in (part, None)}
    entry, _ = read_files(key, files, target=target, nominal=nominal, missing_values=missing_values)

    if not overwrite and (part in here or None in here or (part is None and here)):
        raise FileExistsError(
            f"The data folder has {sorted(file.name for file in here.values())} already: "
            "pass overwrite=True to replace, or another `name`."
        )
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    suffix = ".csv.gz" if path.name.lower().endswith(".gz") else ".csv"
    copy = folder / (key + (f".{part}" if part else "") + suffix)
    replaced = {old for other, old in here.items() if part is None or other in (part, None)}
    if copy.resolve() != path.resolve():
        with new_file(copy) as new:
            shutil.copyfile(path, new)
    for old in replaced - {copy}:
        old.unlink()
    counted = ("columns", "rows", "missing", "classes", "split")
    facts: dict[str, Any] = {"target": entry.target, "missing_values": list(missing_values)}
    facts |= {fact: getattr(entry, fact) for fact in counted}
    note = folder / f"{key}.json"
    with new_file(note) as new:
        text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"
        new.write_text(text, encoding="utf-8")
    return copy


def find_files(key: str) -> dict[str | None, Path]:
    """Return the files of a set in the data folder: {None: file}, or by part, or nothing."""
    return all_files().get(key, {})


def all_files() -> dict[str, dict[str | None, Path]]:
    """Return the files of every set in the data folder. One whole file goes before parts."""
    by_name: dict[str, dict[str | None, Path]] = {}
    folder = data_folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        match = _FILE.fullmatch(path.name)
        if match and path.is_file():
            by_name.setdefault(canonical(match["name"]), {}).setdefault(_part(match), path)
    return {key: {None: files[None]} if None in files else files for key, files in by_name.items()}


def recorded(key: str) -> dict | None:
    """Return what `add_file` recorded of a set, or None."""
    note = data_folder() / f"{key}.json"
    return json.loads(note.read_text(encoding="utf-8")) if note.is_file() else None


def read_files(
    key: str,
    files: dict[str | None, Path],
    *,
    target: str,
    nominal: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    columns: dict[str, str] | None = None,
) -> "tuple[Entry, Table]":
    """Read and check the files of a set; return what they hold as an entry and a table."""
    from counterpoint.datasets.tables import PARTS, infer_kinds, read_parts, to_table

    known = index().get(key)
    columns = known.columns if known else columns
    cells = read_parts(files, missing_values=missing_values)
    shown = ", ".join(str(path) for path in files.values())
    if target not in cells:
        raise ValueError(
            f"{shown} has no target column {target!r}; its columns are "
            f"{_some(list(cells.columns))}. Name the column to predict with `target`."
        )
    absent = [name for name in [*(columns or {}), *nominal] if name not in cells]
    if absent:
        raise ValueError(
            f"{shown} lacks the columns {_some(absent)} of the data set {key!r}; it has "
            f"{_some(list(cells.columns))}. If it is another data set, give it another `name`."
        )
    if len(cells) == 0:
        raise ValueError(f"{shown} has a header but no rows.")
    columns = columns or infer_kinds(cells, target, nominal)
    if not columns:
        raise ValueError(f"{shown} has no column but the target {target!r}: nothing to learn from.")
    table = to_table(cells, columns=columns, target=target)
    split = table.split
    story: dict[str, Any] = {"title": f"{key}, a file in the data folder"}
    if known:
        story = {name: getattr(known, name) for name in ("title", "licence", "cite", "notes")}
    entry = Entry(
        name=key,
        target=target,
        columns=columns,
        rows=len(cells),
        missing=int(table.X.isna().sum().sum()),
        classes={str(label): int(n) for label, n in table.y.value_counts(sort=False).items()},
        split=None if split is None else {part: int((split == part).sum()) for part in PARTS},
        **story,
    )
    return entry, table


def _part(match: re.Match) -> str | None:
    return match["part"].lower() if match["part"] else None


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
