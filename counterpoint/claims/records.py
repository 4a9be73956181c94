"""What was judged before: kept beside the cells, so that a list of claims needs no judging.

A record is what :func:`counterpoint.claims.page.summarise_claim` said of a claim, and a hash of all
that this rests on: the rows of the claim in the store and in its file, what was checked, every file
of the package, the data at hand, and the versions of the libraries. If one bit of it changed, there
is no record any more, and the claim is judged anew. Nothing heavy is imported to look one up.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import counterpoint
from counterpoint._files import new_file
from counterpoint._versions import versions
from counterpoint.datasets.folder import data_folder

RECORDS = "judged.json"
CELLS, CHECKED = "cells", "checked.csv"  # the folder of files with cells, and one file in it
NO_STORE = "no store"


class Records:
    """What was judged before, of the claims in a folder.

    Parameters
    ----------
    folder : Path
        Where cells are kept.
    store : str
        The file of the store in it, which need not be there.
    """

    def __init__(self, folder: Path, store: str) -> None:
        self.folder, self.store = folder, folder / store
        self._kept = _read(folder / RECORDS)
        self._world = _world()

    def known(self, topic: str) -> dict[str, Any] | None:
        """Return what was said of a claim; None if anything changed that it rests on."""
        record = self._kept.get(topic)
        try:
            experiments, key, said = record["experiments"], record["key"], record["said"]  # type: ignore[index]
            same = key == self._key(topic, self.state(experiments), self.files(topic))
            found = same and said["topic"] == topic
        except (TypeError, KeyError, AttributeError):  # no record, or none of ours
            return None
        return said if found else None

    def state(self, experiments: Iterable[str], store: Path | None = None) -> str:
        """Return a hash of all rows that a store has of some experiments, and of their checks.

        Empty if the store cannot be read: then there is nothing to be known.
        """
        path = self.store if store is None else store
        if not path.exists():
            return NO_STORE
        names = sorted(experiments)
        marks = ", ".join("?" * len(names))
        hashed = hashlib.sha256()
        try:
            opened = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            with closing(opened):
                for table in ("cells", "checks"):
                    # In the order of the primary key, whatever the order of finishing.
                    asked = (
                        f"SELECT * FROM {table} WHERE experiment IN ({marks}) ORDER BY 1, 2, 3, 4"
                    )
                    for row in opened.execute(asked, names):
                        hashed.update(repr(row).encode())
        except sqlite3.Error:
            return ""
        return hashed.hexdigest()

    def files(self, topic: str) -> str:
        """Return a hash of the files that hold cells of a claim, and what was checked."""
        hashed = hashlib.sha256()
        for name in (f"{topic}.parquet", CHECKED):
            path = self.folder / CELLS / name
            hashed.update(path.read_bytes() if path.exists() else b"none")
        return hashed.hexdigest()

    def keep(
        self, said: Mapping[str, Any], experiments: Iterable[str], state: str, files: str
    ) -> None:
        """Keep what was said of a claim when its rows and files were so; :meth:`write` writes it.

        Without a state of the rows nothing is kept.
        """
        if state:
            topic = said["topic"]
            record = {"experiments": sorted(experiments), "said": dict(said)}
            self._kept[topic] = record | {"key": self._key(topic, state, files)}

    def write(self) -> None:
        """Write what is kept; where nothing can be written there are no records."""
        try:
            if self.folder.is_dir():
                with new_file(self.folder / RECORDS) as part:
                    part.write_text(json.dumps(self._kept, allow_nan=False), encoding="utf-8")
        except OSError:
            pass

    def _key(self, topic: str, state: str, files: str) -> str:
        if not state:
            return "nothing is known"
        return hashlib.sha256("\n".join((topic, state, files, self._world)).encode()).hexdigest()


@cache
def package_hash() -> str:
    """Return a hash of every file of the package, the data that come with it among them."""
    folder = Path(counterpoint.__file__).parent
    hashed = hashlib.sha256()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})  # and into these, in this order
        for name in sorted(names):
            path = Path(place, name)
            hashed.update(f"{path.relative_to(folder)}\n".encode())
            hashed.update(hashlib.sha256(path.read_bytes()).digest())
    return hashed.hexdigest()


def _world() -> str:
    """Return what else verdicts rest on, as text."""
    folder = data_folder()
    data = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    at_hand = sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in data)
    used = versions("scipy", "pandas", "numba")
    return "\n".join((package_hash(), json.dumps(used), json.dumps(at_hand)))


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
