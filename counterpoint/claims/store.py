"""Where finished cells are kept: one SQLite file, a row per cell, written whole or not at all.

A cell is named by its experiment, the experiment's version, its values and its seed. If any of
these changes it is another cell, so rows of an older version are never taken for new ones.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from counterpoint.claims.protocol import Cell, Experiment

_OURS = 0x63747074  # "ctpt", in the header of the file
_LAYOUT = 3
_PATIENCE = 60.0  # seconds to wait for another run that is writing
_TABLE = """
CREATE TABLE cells (
    experiment TEXT NOT NULL, version INTEGER NOT NULL, key TEXT NOT NULL, seed INTEGER NOT NULL,
    rows TEXT NOT NULL, seconds REAL NOT NULL, finished TEXT NOT NULL,
    code TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (experiment, version, key, seed)
) WITHOUT ROWID
"""

_CHECKS = """
CREATE TABLE checks (
    experiment TEXT NOT NULL, version INTEGER NOT NULL, code TEXT NOT NULL,
    n_older INTEGER NOT NULL, n_same INTEGER NOT NULL, day TEXT NOT NULL, made_by TEXT NOT NULL,
    PRIMARY KEY (experiment, version, code)
) WITHOUT ROWID
"""
_OF_A_CHECK = ["experiment", "version", "code", "n_older", "n_same", "day", "made_by"]

_READ_ONLY = (PermissionError, "may not be written ({error}): choose another place.")
_NO_ROOM = (OSError, "cannot be written ({error}): make room and run again; what is in it is kept.")
_IN_USE = (
    TimeoutError,
    f"is held by another run for more than {_PATIENCE:g} seconds: wait for it, or choose another "
    "file.",
)
# What SQLite may find wrong with the file, in our words.
_PROBLEMS: dict[int, tuple[type[Exception], str]] = {
    sqlite3.SQLITE_NOTADB: (ValueError, "is not a store of experiments: choose another file."),
    sqlite3.SQLITE_CORRUPT: (ValueError, "is damaged ({error}): move it away and run again."),
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_FULL: _NO_ROOM,
    sqlite3.SQLITE_IOERR: _NO_ROOM,
    sqlite3.SQLITE_BUSY: _IN_USE,
    sqlite3.SQLITE_LOCKED: _IN_USE,
}


def to_frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a frame; what is undefined is NaN, in columns without a value too."""
    frame = pd.DataFrame(list(rows))
    for name in frame.columns[frame.isna().all()]:  # only Nones: pandas leaves them objects
        frame[name] = frame[name].astype(float)
    return frame


@dataclass(frozen=True)
class Check:
    """Cells that other code had made, some of which were run again and came out the same.

    Attributes
    ----------
    n_older : int
        How many there were.
    n_same : int
        How many were run again, all with the same rows.
    day : str
        When, as 2026-11-18.
    made_by : str
        The codes that had made them, with blanks between.
    """

    n_older: int
    n_same: int
    day: str
    made_by: str

    def vouches_for(self, codes: Sequence[str]) -> bool:
        """Return whether cells made by these codes, one for each cell, were among those checked."""
        return len(codes) <= self.n_older and set(codes) <= set(self.made_by.split(" "))


class Store:
    """Finished cells of experiments, in a file.

    A cell is in it or not, whatever happens to the process: each is a transaction. The first
    result of a cell stays, unless a second was made by other code.

    Parameters
    ----------
    path : str or path-like
        The file; made if it is not there. Its folder must exist.

    Attributes
    ----------
    path : pathlib.Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from counterpoint.claims import Experiment, Store, grid
    >>> made = Experiment("doubling", lambda *, seed, x: {"twice": 2 * x}, grid(x=[1, 2]))
    >>> with tempfile.TemporaryDirectory() as folder, Store(f"{folder}/cells.sqlite") as store:
    ...     for cell in made.cells():
    ...         taken = store.put(made, cell, made.evaluate(cell), seconds=0.1)
    ...     store.frame(made)["twice"].tolist()
    [2, 4]
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        folder = self.path.parent
        if not folder.exists():
            raise FileNotFoundError(
                f"There is no folder {folder}: make it first, or choose another."
            )
        if not folder.is_dir():
            raise NotADirectoryError(f"{folder} is a file: {self.path.name} cannot be put into it.")
        if self.path.is_dir():
            raise IsADirectoryError(f"{self.path} is a folder: name a file in it.")
        with self._in_words():
            # No isolation level: every statement is its own transaction.
            self._connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        try:
            with self._in_words():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def put(
        self,
        experiment: Experiment,
        cell: Cell,
        rows: Sequence[Mapping[str, Any]],
        seconds: float,
        code: str = "",
    ) -> bool:
        """Keep the rows of a finished cell.

        Parameters
        ----------
        experiment : Experiment
        cell : Cell
            One of its cells.
        rows : sequence of dict
            From :meth:`Experiment.evaluate`.
        seconds : float
            How long it took.
        code : str, default=""
            Which code made it (see :func:`counterpoint.claims.code.code_version`). Rows of the
            same cell by other code are replaced.

        Returns
        -------
        bool
            False if the cell was there already, by the same code; then nothing is changed.
        """
        name, version = experiment.kept_as, experiment.version
        text = json.dumps(list(rows), allow_nan=False)
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        with self._in_words():
            done = self._connection.execute(
                "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "rows = excluded.rows, seconds = excluded.seconds, finished = excluded.finished, "
                "code = excluded.code WHERE code != excluded.code",
                (name, version, cell.key, cell.seed, text, seconds, finished, code),
            )
        return done.rowcount == 1

    def forget(self, experiment: Experiment, cells: Iterable[Cell]) -> None:
        """Take cells out, so that the next run does them again."""
        names = (experiment.kept_as, experiment.version)
        with self._in_words():
            self._connection.executemany(
                "DELETE FROM cells WHERE experiment = ? AND version = ? AND key = ? AND seed = ?",
                [(*names, cell.key, cell.seed) for cell in cells],
            )

    def done(self, experiment: Experiment) -> set[str]:
        """Return the keys of those cells of the experiment that are finished."""
        kept = self._kept(experiment, "seed")
        return {cell.key for cell in experiment.cells() if (cell.key, cell.seed) in kept}

    def frame(self, experiment: Experiment) -> pd.DataFrame:
        """Return the rows of the finished cells, in the order of the grid.

        The order of finishing does not show. What is undefined is NaN. Without a finished cell
        the frame is empty and has no columns.
        """
        kept = self._kept(experiment, "rows")
        return to_frame(
            row
            for cell in experiment.cells()
            if (cell.key, cell.seed) in kept
            for row in json.loads(kept[cell.key, cell.seed])
        )

    def rows_by_cell(self, experiment: Experiment) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of each finished cell, by the cell's key, as they were put."""
        kept = self._kept(experiment, "rows")
        return {
            cell.key: json.loads(kept[cell.key, cell.seed])
            for cell in experiment.cells()
            if (cell.key, cell.seed) in kept
        }

    def seconds(self, experiment: Experiment) -> float:
        """Return how long the finished cells of the experiment took together."""
        kept = self._kept(experiment, "seconds")
        return float(sum(kept.get((cell.key, cell.seed), 0.0) for cell in experiment.cells()))

    def code(self, experiment: Experiment) -> dict[str, str]:
        """Return by which code each finished cell was made, by the cell's key."""
        kept = self._kept(experiment, "code")
        found = {cell.key: kept.get((cell.key, cell.seed)) for cell in experiment.cells()}
        return {key: code for key, code in found.items() if code is not None}

    def cells(self, experiment: Experiment) -> pd.DataFrame:
        """Return the finished cells as they are kept, a row each, in the order of the grid."""
        columns = ["key", "seed", "version", "rows", "seconds", "finished", "code"]
        with self._in_words():
            found = self._connection.execute(
                f"SELECT {', '.join(columns)} FROM cells WHERE experiment = ? AND version = ?",
                (experiment.kept_as, experiment.version),
            ).fetchall()
        kept = {(row[0], row[1]): row for row in found}
        wanted = [(cell.key, cell.seed) for cell in experiment.cells()]
        return pd.DataFrame([kept[name] for name in wanted if name in kept], columns=columns)

    def take(self, experiment: Experiment, cells: pd.DataFrame) -> int:
        """Take in cells from :meth:`cells`; return how many were new.

        Of a cell that is there, the one that was finished later stays, or that of the file.
        """
        known = {(cell.key, cell.seed) for cell in experiment.cells()}
        columns = ["version", "key", "seed", "rows", "seconds", "finished", "code"]
        rows = [
            (experiment.kept_as, *values)
            for values in cells[columns].itertuples(index=False, name=None)
            if values[0] == experiment.version and values[1:3] in known
        ]
        before = len(self.done(experiment))
        with self._in_words():
            self._connection.execute("BEGIN")
            self._connection.executemany(
                "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "rows = excluded.rows, seconds = excluded.seconds, finished = excluded.finished, "
                "code = excluded.code WHERE finished <= excluded.finished",
                rows,
            )
            self._connection.execute("COMMIT")
        return len(self.done(experiment)) - before

    def put_check(self, experiment: Experiment, code: str, check: Check) -> None:
        """Keep that cells of an experiment were checked with this code; the last one counts."""
        with self._in_words():
            self._connection.execute(
                "INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?, ?, ?, ?)",
                (experiment.kept_as, experiment.version, code, *vars(check).values()),
            )

    def check(self, experiment: Experiment, code: str) -> Check | None:
        """Return what was checked with this code, if anything was."""
        with self._in_words():
            found = self._connection.execute(
                "SELECT n_older, n_same, day, made_by FROM checks "
                "WHERE experiment = ? AND version = ? AND code = ?",
                (experiment.kept_as, experiment.version, code),
            ).fetchone()
        return None if found is None else Check(*found)

    def checks(self, experiments: Iterable[Experiment]) -> pd.DataFrame:
        """Return all that was checked of some experiments, a row a check."""
        known = {(one.kept_as, one.version) for one in experiments}
        with self._in_words():
            found = self._connection.execute("SELECT * FROM checks").fetchall()
        return pd.DataFrame([row for row in found if row[:2] in known], columns=_OF_A_CHECK)

    def take_checks(self, checks: pd.DataFrame) -> None:
        """Take in checks from :meth:`checks` that are not there yet."""
        rows = checks[_OF_A_CHECK].itertuples(index=False, name=None)
        with self._in_words():
            self._connection.executemany(
                "INSERT OR IGNORE INTO checks VALUES (?, ?, ?, ?, ?, ?, ?)", rows
            )

    def close(self) -> None:
        """Close the file; what is in it stays."""
        self._connection.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _kept(self, experiment: Experiment, column: str) -> dict[tuple[str, int], Any]:
        with self._in_words():
            rows = self._connection.execute(
                f"SELECT key, seed, {column} FROM cells WHERE experiment = ? AND version = ?",
                (experiment.kept_as, experiment.version),
            ).fetchall()
        return {(key, seed): value for key, seed, value in rows}

    def _prepare(self) -> None:
        def header(name: str) -> int:
            return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

        if header("application_id") == 0 and header("schema_version") == 0:
            # A new file. Two runs may find it so at once: the second waits here, then looks again.
            self._connection.execute("BEGIN IMMEDIATE")
            if header("schema_version") == 0:
                self._connection.execute(f"PRAGMA application_id = {_OURS}")
                self._connection.execute(f"PRAGMA user_version = {_LAYOUT}")
                self._connection.execute(_TABLE)
                self._connection.execute(_CHECKS)
            self._connection.execute("COMMIT")
        if header("application_id") != _OURS:
            raise ValueError(f"{self.path} is another program's database: choose another file.")
        if header("user_version") == 1:  # before cells said by which code they were made
            self._connection.execute("ALTER TABLE cells ADD COLUMN code TEXT NOT NULL DEFAULT ''")
            self._connection.execute("PRAGMA user_version = 2")
        if header("user_version") == 2:  # before cells were checked
            self._connection.execute(_CHECKS)
            self._connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        if header("user_version") != _LAYOUT:
            raise ValueError(
                f"{self.path} has layout {header('user_version')}, this counterpoint reads "
                f"{_LAYOUT}: update counterpoint, or choose another file."
            )

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say what SQLite found wrong in words that tell what to change."""
        try:
            yield
        except sqlite3.Error as error:
            # The low byte is the kind, the rest says more than anybody can use.
            kind = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
            if kind not in _PROBLEMS:
                raise
            raised, words = _PROBLEMS[kind]
            raise raised(f"{self.path} {words.format(error=error)}") from error
