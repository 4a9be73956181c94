"""A small file that says what columns are to be taken for: written, changed by hand, read again."""

import csv
import io
import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint._files import find_file, new_file
from counterpoint.tabular.taking import Taken

HEADER = ("column", "taken for", "why")
_USES = {"yes/no": "category"}


def write_column_file(taken: Sequence[Taken], path: str | PathLike[str]) -> Path:
    """Write what columns are taken for, as CSV, or as JSON if the name ends so.

    CSV has the columns "column", "taken for" and "why"; the last is for people. JSON is an object:
    what each column is taken for, by its name.

    Parameters
    ----------
    taken : sequence of Taken
        From :func:`~counterpoint.tabular.taking.take_columns`.
    path : path

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = write_column_file([Taken("zip", "number", "5 values")], f"{folder}/columns.csv")
    ...     read_column_file(file)
    {'zip': 'number'}
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        text = json.dumps({one.name: one.use for one in taken}, indent=2, ensure_ascii=False) + "\n"
    else:
        lines = io.StringIO()
        rows = [(one.name, one.use, one.why) for one in taken]
        csv.writer(lines, lineterminator="\n").writerows([HEADER, *rows])
        text = lines.getvalue()
    with new_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="")
    return path


def read_column_file(path: str | PathLike[str]) -> dict[str, str]:
    """Read what columns are to be taken for.

    Parameters
    ----------
    path : path
        As :func:`write_column_file` writes it; a column that is not in it, or of which nothing is
        said, is taken for what it looks like.

    Returns
    -------
    dict of str to str
        As :func:`~counterpoint.tabular.read_table` takes it; the target is not in it.
    """
    path = find_file(path, "what columns are taken for")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: save it so.") from error
    told = _from_json(text, path) if path.suffix.lower() == ".json" else _from_csv(text, path)
    return {
        name: _USES.get(use, use)
        for name, use in ((name, use.strip().lower()) for name, use in told.items())
        if use not in ("", "target", "unclear")
    }


def _from_json(text: str, path: Path) -> dict[str, str]:
    try:
        told: Any = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}.") from error
    if not isinstance(told, dict) or not all(isinstance(use, str) for use in told.values()):
        raise ValueError(f'{path} should be an object such as {{"age": "number"}}.')
    return told


def _from_csv(text: str, path: Path) -> dict[str, str]:
    # A spreadsheet may have saved it with semicolons.
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    if not {*HEADER[:2]} <= {*(rows.fieldnames or ())}:
        raise ValueError(
            f"{path} begins with {first[:60]!r}: expected a table with the columns 'column' and "
            "'taken for', as `counterpoint columns -o` writes it."
        )
    return {row["column"]: row["taken for"] or "" for row in rows}
