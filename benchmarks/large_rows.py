"""Rows for ``large.py``: files that are made once, and used again by every part."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from counterpoint.large import BinnedStore

MEMBERS, COLUMNS = 100, 20
FILE = 500_000  # rows of a file


def member_files(folder, n):
    """Return files with a class and what 100 members say of it, each wrong in 23 %."""
    folder = folder / "members"
    folder.mkdir(exist_ok=True)
    files = []
    for k, start in enumerate(range(0, n, FILE)):
        size = min(FILE, n - start)
        files.append(str(folder / f"part-{k:04}-{size}.parquet"))
        if Path(files[-1]).exists():
            continue
        rng = np.random.default_rng(k)
        y = rng.integers(2, size=size, dtype=np.uint8)
        raw = np.frombuffer(rng.bytes(MEMBERS * size), dtype=np.uint8).reshape(MEMBERS, size)
        table = {"y": y} | {f"m{m}": y ^ (wrong < 60) for m, wrong in enumerate(raw)}
        _write(pa.table(table), files[-1])
    return files


def _write(table, path, **options):
    part = f"{path}.part"
    pa.parquet.write_table(table, part, **options)
    os.replace(part, path)


def frames(n):
    """Yield tables of 20 columns and a class."""
    way = np.linspace(2, 0, COLUMNS, dtype=np.float32)
    for k, start in enumerate(range(0, n, FILE)):
        rng = np.random.default_rng(k)
        X = rng.standard_normal((min(FILE, n - start), COLUMNS), dtype=np.float32)
        noise = 2 * rng.standard_normal(len(X), dtype=np.float32)
        y = (X @ way + X[:, 0] * X[:, 1] + noise > 0).astype(np.int8)
        yield X, y


def row_files(folder, n):
    """Return files with so many rows of 20 columns and a class."""
    folder = folder / "rows"
    folder.mkdir(exist_ok=True)
    files = [
        str(folder / f"part-{k:04}-{min(FILE, n - start)}.parquet")
        for k, start in enumerate(range(0, n, FILE))
    ]
    if not all(Path(file).exists() for file in files):
        for file, (X, y) in zip(files, frames(n), strict=True):
            if not Path(file).exists():
                table = {f"x{f}": X[:, f] for f in range(COLUMNS)} | {"y": y}
                _write(pa.table(table), file, use_dictionary=False, compression="none")
    return files


def store_of(folder, n):
    """Return the store of so many rows, written if it is not there."""
    path = folder / f"store-{n}"
    if not (path / "store.json").exists():
        BinnedStore.write(row_files(folder, n), path, target="y", progress=False)
    return BinnedStore(path)
