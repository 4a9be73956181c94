"""Where rows come from: files, tables and frames, read in batches, part by part.

A *part* is a file, a partition of a Dask frame, or a whole table in memory. Columns are asked for
by name, and all parts must have them, of one kind: numbers, or text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from counterpoint._files import files_of, find_file, is_pattern
from counterpoint._validation import did_you_mean
from counterpoint.large import arrow as pa

BATCH = 1 << 17  # rows read at a time
_FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "feather",
    ".csv": "csv",
    ".tsv": "csv",
}


@dataclass(frozen=True)
class FilePart:
    """A file of rows."""

    path: str
    separator: str | None = None

    @property
    def name(self) -> str:
        """What to call it in errors."""
        return self.path

    @property
    def stamp(self) -> list:
        """Return what tells whether the file is still the same."""
        found = Path(self.path).stat()
        return [self.path, found.st_size, found.st_mtime_ns]

    def schema(self) -> Any:
        """Return names and types of the columns."""
        with _naming(self.path):
            if self._is_text:
                with self._open_text(None) as reader:
                    return reader.schema
            return self._dataset().schema

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of these columns."""
        with _naming(self.path):
            if self._is_text:
                with self._open_text(list(columns)) as reader:
                    for batch in reader:
                        yield batch.select(list(columns))
                return
            # One file at a time and little in advance: memory stays what a few batches take.
            yield from self._dataset().to_batches(
                columns=list(columns),
                batch_size=BATCH,
                batch_readahead=2,
                fragment_readahead=1,
            )

    def submit(self, client: Any, work: Any, *args: Any) -> Any:
        """Have a worker do ``work(part, *args)``."""
        return client.submit(work, self, *args, pure=False)

    @property
    def _is_text(self):
        return _FORMATS[Path(self.path).suffix.lower()] == "csv"

    def _dataset(self):
        return pa.dataset.dataset(self.path, format=_FORMATS[Path(self.path).suffix.lower()])

    def _open_text(self, columns):
        tab = Path(self.path).suffix.lower() == ".tsv"
        return pa.csv.open_csv(
            self.path,
            read_options=pa.csv.ReadOptions(block_size=1 << 24, use_threads=False),
            parse_options=pa.csv.ParseOptions(delimiter=self.separator or ("\t" if tab else ",")),
            convert_options=pa.csv.ConvertOptions(
                include_columns=columns, strings_can_be_null=True, quoted_strings_can_be_null=False
            ),
        )


@dataclass(frozen=True)
class TablePart:
    """Rows in memory, or a plan that polars can run batch by batch."""

    table: Any
    name: str
    stamp: None = None  # nobody can tell tomorrow whether they are the same

    def schema(self) -> Any:
        """Return names and types of the columns."""
        if hasattr(self.table, "collect_schema") and hasattr(self.table, "collect_batches"):
            return self.table.head(0).collect().to_arrow().schema
        return self.table.schema

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of these columns."""
        if hasattr(self.table, "collect_batches"):
            plan = self.table.select(list(columns))
            for frame in plan.collect_batches(chunk_size=BATCH, maintain_order=True):
                yield from frame.to_arrow().to_batches(max_chunksize=BATCH)
            return
        if isinstance(self.table, pa.dataset.Dataset):
            yield from self.table.to_batches(columns=list(columns), batch_size=BATCH)
            return
        yield from self.table.select(list(columns)).to_batches(max_chunksize=BATCH)

    def submit(self, client: Any, work: Any, *args: Any) -> Any:
        """Have a worker do ``work(part, *args)``."""
        return client.submit(work, self, *args, pure=False)


@dataclass(frozen=True)
class DaskPart:
    """A partition of a Dask frame: computed when it is read."""

    partition: Any
    name: str
    stamp: None = None

    def schema(self) -> Any:
        """Return names and types of the columns."""
        return pa.Schema.from_pandas(self.partition._meta_nonempty, preserve_index=False)

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of these columns."""
        frame = self.partition[list(columns)].compute()
        table = pa.Table.from_pandas(frame, preserve_index=False)
        yield from table.to_batches(max_chunksize=BATCH)

    def submit(self, client: Any, work: Any, *args: Any) -> Any:
        """Have a worker compute the partition and do ``work(part, *args)``, in one task."""
        import dask

        task = partial(_work_on, work=work, name=self.name, args=args)
        (frame,) = self.partition.to_delayed()
        return client.compute(dask.delayed(task, pure=False)(frame))


def _work_on(frame, *, work, name, args):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return work(TablePart(table, name), *args)


Part = FilePart | TablePart | DaskPart


def open_parts(source: Any, *, separator: str | None = None) -> list[Part]:
    """Return the parts of a source.

    Parameters
    ----------
    source : path, pattern, list of paths, Dataset, Table, or frame of pandas, polars or Dask
        A pattern such as "part-*.parquet" stands for the files it fits, sorted by name; a folder
        for the files in it. Files are .parquet, .arrow, .feather, .csv and .tsv.
    separator : str, default=None
        Between the fields of text. None: a comma, or a tab in .tsv files.

    Returns
    -------
    list

    Examples
    --------
    >>> import pandas as pd
    >>> from counterpoint.large import open_parts
    >>> (part,) = open_parts(pd.DataFrame({"x": [1.0, 2.0]}))
    >>> part.schema().names
    ['x']
    """
    if isinstance(source, (str, PathLike)):
        source = [source]
    if isinstance(source, (list, tuple)) and all(isinstance(s, (str, PathLike)) for s in source):
        files = [file for given in source for file in _files(str(given))]
        if not files:
            raise ValueError("source=[]: give at least one file.")
        return [FilePart(file, separator) for file in files]
    module = type(source).__module__.partition(".")[0]
    if hasattr(source, "partitions") and hasattr(source, "npartitions"):
        n = source.npartitions
        return [DaskPart(source.partitions[k], f"partition {k}") for k in range(n)]
    if isinstance(source, (pa.Table, pa.dataset.Dataset)):
        return [TablePart(source, "the table")]
    if module == "pandas":
        return [TablePart(pa.Table.from_pandas(source, preserve_index=False), "the frame")]
    if module == "polars":
        frame: Any = source
        table = frame if hasattr(frame, "collect_batches") else frame.to_arrow()
        return [TablePart(table, "the frame")]
    raise TypeError(
        f"source={type(source).__name__}: give files (a path, a pattern such as 'part-*.parquet', "
        "a list), a pyarrow Table or Dataset, or a frame of pandas, polars or Dask."
    )


def _files(given):
    if is_pattern(given):
        found = files_of(given)
    elif Path(given).is_dir():
        found = sorted(str(p) for p in Path(given).iterdir() if p.suffix.lower() in _FORMATS)
        if not found:
            raise FileNotFoundError(f"The folder {given} has no {', '.join(_FORMATS)} file.")
    else:
        found = [str(find_file(given, "rows"))]
    for file in found:
        if Path(file).suffix.lower() not in _FORMATS:
            raise ValueError(f"{file}: give files that end in {', '.join(_FORMATS)}.")
        if Path(file).stat().st_size == 0:
            raise ValueError(f"{file} is empty, 0 bytes: was it cut short? Leave it out.")
    return found


class _naming:
    """Give errors of the reader the name of the file."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, pa.ArrowInvalid) or (kind is OSError and error.errno is None):
            raise ValueError(f"{self.name} cannot be read: {error}") from error


def kind_of(kind: Any) -> str:
    """Return "number", "text", or the type's own name if it is neither."""
    if pa.types.is_dictionary(kind):
        return kind_of(kind.value_type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return "number"
    if pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        return "text"
    return str(kind)


def check_parts(
    parts: Sequence[Part], columns: Sequence[str] | None = None, *, option: str | None = None
) -> Any:
    """Return the schema of the first part, if all have these columns, of the same pa.types.

    A column of nothing but missing values, of type null, fits any kind; the schema has the first
    type that says more. Where columns are those of the first part for want of the ``option`` that
    would name them, no other part may have more.
    """
    first = parts[0].schema()
    found: dict[str, tuple[Any, str]] = {}
    wanted = list(first.names if columns is None else columns)
    for part in parts:
        schema = part.schema()
        more = [name for name in schema.names if name not in first.names]
        if option is not None and more:
            raise ValueError(
                f"{parts[0].name} has no column {more[0]!r}, and {part.name} has: name the columns "
                f"that count with {option}=, or leave one of the files out."
            )
        for column in wanted:
            if column not in schema.names:
                raise ValueError(
                    f"{part.name} has no column {column!r}. Its columns are "
                    f"{', '.join(map(repr, schema.names[:10]))}."
                    f"{did_you_mean(column, schema.names)}"
                )
            if schema.names.count(column) > 1:
                raise ValueError(
                    f"{part.name} has several columns {column!r}: rename all but one of them."
                )
            field = schema.field(column)
            if pa.types.is_null(field.type):
                continue
            before, where = found.setdefault(column, (field, part.name))
            if kind_of(before.type) != kind_of(field.type):
                raise ValueError(
                    f"Column {column!r} holds {kind_of(before.type)} ({before.type}) in {where} "
                    f"and {kind_of(field.type)} ({field.type}) in {part.name}: make them one type, "
                    "or leave one of the files out."
                )
    return pa.schema([found[c][0] if c in found else pa.field(c, pa.null()) for c in wanted])
