"""Ask a fitted model, or each of its members, about files of any size: batches in, batches out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint._files import check_output, new_file
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint._validation import check_flag
from counterpoint.large import arrow as pa
from counterpoint.large.sources import check_parts, kind_of, open_parts


def predict(
    estimator: Any,
    source: Any,
    out: str | PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] = (),
    proba: bool = False,
    separator: str | None = None,
    progress: bool | None = None,
) -> int:
    """Write what a model says about files of any size, in constant memory.

    Parameters
    ----------
    estimator : fitted classifier or regressor
    source : path, pattern, list of paths, Dataset, Table or frame
        As :func:`open_parts` takes it.
    out : path
        A .parquet or .csv file. It is there whole, or not at all.
    columns : sequence of str, default=None
        Columns to ask about. None: those that the model was fitted on, by name; if it knows no
        names, all that are not in ``keep``.
    keep : sequence of str, default=()
        Columns to copy, such as an id or the truth.
    proba : bool, default=False
        Also write the probability of each class, "p(class)".
    separator : str, default=None
        Between the fields of text. None: a comma, or a tab in .tsv files.
    progress : bool, default=None
        Draw a progress bar; None: on a terminal.

    Returns
    -------
    int
        How many rows were written.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from counterpoint.large import predict
    >>> from counterpoint.trees import HistTreeClassifier
    >>> frame = pd.DataFrame({"id": range(6), "x": [1, 2, 3, 7, 8, 9]})
    >>> tree = HistTreeClassifier().fit(frame[["x"]], list("aaabbb"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(predict(tree, frame, f"{folder}/said.csv", keep=["id"]))
    ...     pd.read_csv(f"{folder}/said.csv")["prediction"].tolist()
    6
    ['a', 'a', 'a', 'b', 'b', 'b']
    """
    check_flag(proba, "proba")
    if proba and not hasattr(estimator, "predict_proba"):
        raise ValueError(f"{type(estimator).__name__} has no probabilities: leave proba out.")

    def say(X):
        said = {"prediction": estimator.predict(X)}
        if proba:
            shares = estimator.predict_proba(X).T
            said |= {f"p({c})": p for c, p in zip(estimator.classes_, shares, strict=True)}
        return said

    return _write(estimator, say, source, out, columns, list(keep), separator, progress)


def write_outputs(
    estimator: Any,
    source: Any,
    out: str | PathLike[str],
    *,
    truth: str | None = None,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    progress: bool | None = None,
) -> int:
    """Ask every member once about files of any size, and write their labels, a column a member.

    Parameters
    ----------
    estimator : fitted ensemble, list or dict of fitted estimators
        As ``MemberOutputs.from_estimator`` takes it.
    source : path, pattern, list of paths, Dataset, Table or frame
        As :func:`open_parts` takes it.
    out : path
        A .parquet or .csv file, for :func:`measure`. It is there whole, or not at all.
    truth : str, default=None
        Column with the true label, to be copied.
    columns, separator, progress
        As in :func:`predict`.

    Returns
    -------
    int
        How many rows were written.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from counterpoint.large import measure, write_outputs
    >>> data = load_iris(as_frame=True)
    >>> forest = BaggingClassifier(n_estimators=5, random_state=0)
    >>> forest = forest.fit(data.data[::2], data.target[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_outputs(forest, data.frame[1::2], f"{folder}/said.parquet", truth="target")
    ...     frame = measure(f"{folder}/said.parquet", truth="target")
    75
    >>> len(frame)
    26
    """

    def say(X):
        outputs = MemberOutputs.from_estimator(estimator, X)
        if outputs.votes is None:
            outputs.need_votes("write_outputs")
        return dict(zip(outputs.names, outputs.classes[outputs.votes], strict=True))

    keep = [] if truth is None else [truth]
    return _write(estimator, say, source, out, columns, keep, separator, progress)


def _write(estimator, say, source, out, columns, keep, separator, progress):
    path = check_output(out)
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise ValueError(f"out={str(path)!r}: give a file that ends in .parquet or .csv.")
    parts = open_parts(source, separator=separator)
    names = _names_of(estimator)
    if columns is None:
        columns = parts[0].schema().names if names is None else list(names)
        columns = [name for name in columns if name not in keep]
    columns = list(columns)
    schema = check_parts(parts, [*columns, *keep])
    plain = names is None and all(kind_of(schema.field(c).type) == "number" for c in columns)
    n_rows = 0
    with new_file(path) as part, _writer(part) as write:
        for one in track(parts, total=len(parts), description="Asking", show=progress):
            first = n_rows
            for batch in one.batches([*columns, *dict.fromkeys(keep)]):
                if batch.num_rows == 0:
                    continue
                frame = batch.select(columns).to_pandas()
                try:
                    said = say(frame.to_numpy() if plain else frame)
                except ValueError as error:
                    start = n_rows - first
                    raise ValueError(
                        f"{one.name}, data rows {start + 1} to {start + len(frame)}: {error}"
                    ) from error
                table = {name: batch.column(name) for name in keep}
                table |= {name: pa.array(_as_values(v)) for name, v in said.items()}
                write(pa.table(table))
                n_rows += batch.num_rows
        if n_rows == 0:
            raise ValueError(f"{parts[0].name} and all other parts hold no rows.")
    return n_rows


def _names_of(estimator):
    """Return the names of the columns that a model, or the first of several, was fitted on."""
    if isinstance(estimator, dict):
        estimator = list(estimator.values())
    if isinstance(estimator, (list, tuple)) and estimator:
        first = estimator[0]
        return _names_of(first[1] if isinstance(first, tuple) else first)
    return getattr(estimator, "feature_names_in_", None)


def _as_values(values):
    values = np.asarray(values)
    return values.tolist() if values.dtype.kind in "OU" else values


@contextmanager
def _writer(path: Path) -> Iterator[Any]:
    """Yield a function that appends tables to a file, of the format that its name says."""
    writer: Any = None

    def write(table):
        nonlocal writer
        if writer is None:
            kind = pa.parquet.ParquetWriter if ".parquet" in path.name else pa.csv.CSVWriter
            writer = kind(str(path), table.schema)
        writer.write_table(table.cast(writer.schema) if hasattr(writer, "schema") else table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
