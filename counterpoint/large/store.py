"""Rows as bins on disk: what trees of any size are grown on, by column and memory-mapped."""

import json
import os
import zlib
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint import __version__
from counterpoint.large.mapping import let_go
from counterpoint.trees.binning import BinnedData

FORMAT = 1
"""Number of the layout on disk: stores of another one are refused."""

STORE, UNFINISHED, CUTS = "store.json", "unfinished.json", "cuts.npz"
LOOKING = "looking.npz"
CODES, TARGET, WEIGHT = "codes.bin", "target.bin", "weight.bin"
_SHARED = ("edges", "values", "exact", "n_bins", "has_missing", "categorical")


class BinnedStore:
    """A table on disk, binned once, that estimators are fitted to: ``model.fit(store)``.

    Made by :meth:`write` (or :meth:`from_parquet`, :meth:`from_dask`); opened by
    ``BinnedStore(path)``. Columns are kept as one byte a value, in groups of rows, so that a pass
    reads the file from front to back and only the columns it needs. Rows of weight 0 are left out.

    Parameters
    ----------
    path : path
        The folder of the store.

    Attributes
    ----------
    n_rows, n_features : int
    feature_names : list of str
    classes : ndarray or None
        Labels, sorted; None where the target is a number.
    class_counts : list of int or None
        How many rows each class has.
    categories : list
        For each column of text its values in the order of their numbers, else None.
    sketch_error : ndarray of shape (n_features,)
        By how much the rank of an edge may be wrong, at most, as a share of the rows: 0 for columns
        of few values, whose bins are exact.
    group : int
        Rows that are kept and summed up together.

    See Also
    --------
    counterpoint.large.measure : Measures of members whose answers lie in files.

    Notes
    -----
    Raises ``ValueError`` if the folder is no store, was written in another format or not finished,
    or if a file has not the size it must have. :meth:`verify` reads all of it and compares
    checksums.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from counterpoint.large import BinnedStore
    >>> from counterpoint.trees import HistTreeClassifier
    >>> frame = pd.DataFrame({"x": range(100), "y": ["a"] * 40 + ["b"] * 60})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = BinnedStore.write(frame, f"{folder}/rows", target="y")
    ...     print(store)
    ...     HistTreeClassifier().fit(store).predict(pd.DataFrame({"x": [10, 90]})).tolist()
    BinnedStore(100 rows, 1 columns, 2 classes)
    ['a', 'b']
    """

    is_store = True  # what fit asks for, below the room that knows this class

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path).resolve()
        kept = _read(self.path)
        self.n_rows: int = kept["n_rows"]
        self.feature_names: list[str] = kept["feature_names"]
        self.n_features = len(self.feature_names)
        self.group: int = kept["group"]
        self.target: str = kept["target"]
        self.categories: list = kept["categories"]
        self.class_counts: list[int] | None = kept["class_counts"]
        self.weighted: bool = kept["weighted"]
        self.whole_weights: bool = kept["whole_weights"]
        self.checksums: dict[str, list[int]] = kept["checksums"]
        with np.load(self.path / CUTS, allow_pickle=False) as cuts:
            self.cuts = {name: cuts[name] for name in cuts.files}
        self.classes: Any = self.cuts.get("classes")
        self.sketch_error: NDArray = self.cuts["sketch_error"]
        self.n_groups = -(-self.n_rows // self.group)
        self._check_sizes()
        self.stamp = self._stamp()

    def __repr__(self):
        what = "numbers" if self.classes is None else f"{len(self.classes)} classes"
        return f"BinnedStore({self.n_rows} rows, {self.n_features} columns, {what})"

    def __reduce__(self):
        return _reopened, (self.path, tuple(self.stamp), __version__)

    # -- files -----------------------------------------------------------------------------------

    def _sizes(self):
        kind = np.uint8 if self.classes is not None else np.float64
        sizes = {
            CODES: self.n_groups * self.n_features * self.group,
            TARGET: self.n_rows * np.dtype(kind).itemsize,
        }
        if self.weighted:
            sizes[WEIGHT] = self.n_rows * 8
        return sizes

    def _check_sizes(self):
        for name, size in self._sizes().items():
            file = self.path / name
            found = file.stat().st_size if file.exists() else 0
            if found != size:
                raise ValueError(
                    f"{file} has {found} bytes and should have {size}: the store was cut short or "
                    "changed. Write it again."
                )

    def _stamp(self):
        found = ((self.path / name).stat() for name in (STORE, *self._sizes()))
        return [(one.st_size, one.st_mtime_ns) for one in found]

    def check_unchanged(self, stamp: Any = None) -> None:
        """Raise if a file of the store is not what it was when it was opened."""
        try:
            same = self._stamp() == [tuple(one) for one in stamp or self.stamp]
        except OSError:
            same = False
        if not same:
            raise RuntimeError(
                f"The store {self.path} was changed or removed while it was in use: what was "
                "learnt from it is of no use. Fit again, and leave it alone meanwhile."
            )

    def verify(self) -> None:
        """Read all of it and raise ``ValueError`` if a byte is not what was written."""
        group_bytes = {
            CODES: self.n_features * self.group,
            TARGET: self.group * (1 if self.classes is not None else 8),
            WEIGHT: self.group * 8,
        }
        for name in self._sizes():
            with open(self.path / name, "rb") as file:
                for g, known in enumerate(self.checksums[name]):
                    if zlib.crc32(file.read(group_bytes[name])) != known:
                        raise ValueError(
                            f"{self.path / name} is damaged in rows {g * self.group} to "
                            f"{min(self.n_rows, (g + 1) * self.group) - 1}: its checksum is not "
                            "the one noted. Write the store again."
                        )

    # -- rows ------------------------------------------------------------------------------------

    def codes(self, first: int = 0, last: int | None = None) -> NDArray:
        """Return the bins of groups ``first`` to ``last``, (n_groups, n_features, group), mapped.

        A code that equals the number of a column's bins is a missing value.
        """
        shape = (self.n_groups, self.n_features, self.group)
        # "c": a kernel compiled for arrays that may be written serves; the file stays as it is.
        return np.asarray(np.memmap(self.path / CODES, np.uint8, "c", shape=shape))[first:last]

    def targets(self, first: int = 0, last: int | None = None) -> NDArray:
        """Return class codes (uint8) or numbers of the rows of these groups, mapped."""
        kind = np.uint8 if self.classes is not None else np.float64
        return self._rows(TARGET, kind, first, last)

    def weights(self, first: int = 0, last: int | None = None) -> NDArray | None:
        """Return the weights of the rows of these groups, mapped; None if all count 1."""
        return self._rows(WEIGHT, np.float64, first, last) if self.weighted else None

    def _rows(self, name, kind, first, last):
        rows = np.asarray(np.memmap(self.path / name, kind, "c", shape=(self.n_rows,)))
        return rows[first * self.group : None if last is None else last * self.group]

    @property
    def binned(self) -> BinnedData:
        """What the bins mean, without rows."""
        codes = np.empty((0, self.n_features), dtype=np.uint8)
        return BinnedData(codes=codes, **{name: self.cuts[name] for name in _SHARED})

    def decode(self, codes: NDArray) -> NDArray:
        """Return numbers that lie in these bins, (n_rows, n_features): a bin's upper end.

        Numbers of categories stay what they are; missing values are NaN.
        """
        upper = np.where(self.cuts["exact"][:, None], self.cuts["values"], self.cuts["edges"])
        numbers = np.empty(codes.shape)
        for f, n_bins in enumerate(self.cuts["n_bins"]):
            table = upper[f].copy()
            if not self.cuts["exact"][f]:
                table[n_bins - 1] = self.cuts["high"][f]
            table[n_bins] = np.nan
            numbers[:, f] = table[codes[:, f]]
        return numbers

    def take(self, rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the bins, targets and weights of some rows, read one by one."""
        rows = np.asarray(rows)
        g, at = np.divmod(rows, self.group)
        everything, codes = self.codes(), np.empty((len(rows), self.n_features), dtype=np.uint8)
        # Group by group: each row looked at brings pages of all columns, which are then held.
        for one in np.unique(g):
            there = g == one
            codes[there] = everything[one][:, at[there]].T
            let_go(everything[one])
        weights = self.weights()
        return codes, self.targets()[rows], np.ones(len(g)) if weights is None else weights[rows]

    def train(self, estimator: Any, **options: Any) -> Any:
        """Fit an estimator: what its ``fit(store)`` calls."""
        from counterpoint.large.training import fit_on_store

        return fit_on_store(estimator, self, **options)

    # -- making ----------------------------------------------------------------------------------

    @classmethod
    def write(
        cls,
        source: Any,
        path: str | PathLike[str],
        *,
        target: str,
        weight: str | None = None,
        columns: list[str] | None = None,
        task: str | None = None,
        max_bins: int = 128,
        separator: str | None = None,
        client: Any = None,
        progress: bool | None = None,
    ) -> "BinnedStore":
        """Write a store of the rows of files or frames.

        One pass finds the edges of the bins (:mod:`counterpoint.large.sketch`), another writes.
        When one was interrupted, the same call goes on where it stopped, if the source are files
        that have not changed; else it begins again.

        The same parts (files, partitions) in the same order give the same bytes, whoever reads
        them, in whatever format. Rows cut into other parts give the same bytes too where columns
        have no more than 16,384 different values; edges of others may then differ, within
        ``sketch_error``.

        Parameters
        ----------
        source : path, pattern, list of paths, Dataset, Table or frame
            As :func:`counterpoint.large.open_parts` takes it.
        path : path
            Folder to write. It must not be there, be empty, or hold a store that was not finished.
        target : str
            The column to predict.
        weight : str, default=None
            Column that says how much each row counts.
        columns : list of str, default=None
            Columns to learn from. None: all others.
        task : {"classification", "regression"}, default=None
            None: numbers with a fraction, or more than 256 different ones, are to be predicted as
            numbers; all else are classes.
        max_bins : int, default=128
            Most bins of a column, from 2 to 255.
        separator : str, default=None
            Between the fields of text. None: a comma, or a tab in .tsv files.
        client : distributed.Client, default=None
            Workers that look through the parts and write them, each a part at a time, into the
            folder of the store, which they must see; this process then puts the parts together.
            None: this process does all of it.
        progress : bool, default=None
            Draw a progress bar; None: on a terminal.

        Returns
        -------
        BinnedStore
        """
        from counterpoint.large.writing import write_store

        write_store(
            source, Path(path), target=target, weight=weight, columns=columns, task=task,
            max_bins=max_bins, separator=separator, client=client, progress=progress,
        )  # fmt: skip
        return cls(path)

    @classmethod
    def from_parquet(
        cls, source: Any, path: str | PathLike[str] | None = None, **options: Any
    ) -> "BinnedStore":
        """Write a store of Parquet files: :meth:`write` with its options.

        Without ``path``, that of a file or folder ``rows.parquet`` is ``rows.store`` beside it.
        """
        if path is None:
            if not isinstance(source, str | PathLike) or not Path(source).exists():
                raise TypeError("path is missing: say which folder to write the store to.")
            path = Path(source).with_suffix(".store")
        return cls.write(source, path, **options)

    @classmethod
    def from_dask(cls, frame: Any, path: str | PathLike[str], **options: Any) -> "BinnedStore":
        """Write a store of a Dask frame: :meth:`write` with its options.

        With ``client``, partitions are computed, looked through and written by the workers, and
        never come here; without, they are computed one by one and pass through this process.
        """
        if not hasattr(frame, "npartitions"):
            raise TypeError(f"frame={type(frame).__name__}: give a Dask frame, or use write.")
        return cls.write(frame, path, **options)


def _reopened(path, stamp, version):
    """Open a store in another process, where it must be the same."""
    if version != __version__:
        raise RuntimeError(
            f"This process has counterpoint {__version__} and the one that fits has "
            f"{version}: install the same version everywhere."
        )
    store = _opened(path, stamp)
    store.check_unchanged(stamp)
    return store


@lru_cache(maxsize=8)
def _opened(path, stamp):
    """Open a store once: a worker is sent it with every question."""
    return BinnedStore(path)


def _read(folder):
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no store {folder}: BinnedStore.write makes one.")
    if (folder / UNFINISHED).exists() or (folder / LOOKING).exists():
        raise ValueError(
            f"The store {folder} was not finished: call BinnedStore.write again with the same "
            "source to go on, or remove the folder."
        )
    file = folder / STORE
    if not file.exists():
        raise ValueError(f"{folder} is no store: it has no {STORE}.")
    try:
        kept = json.loads(file.read_text())
        found, by = kept["format"], kept["counterpoint"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} is not what a store has there: write it again.") from error
    if found != FORMAT:
        raise ValueError(
            f"The store {folder} has format {found}, written by counterpoint {by}; this is "
            f"{__version__}, which reads format {FORMAT}. Write the store again."
        )
    if not os.access(file, os.R_OK):
        raise PermissionError(f"{file} may not be read.")
    return kept
