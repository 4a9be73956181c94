"""Tables that are read, answered and written piece by piece: files too large to hold, and many."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from counterpoint._files import new_file
from counterpoint._progress import track
from counterpoint._validation import check_count
from counterpoint.tabular.assessment import Assessment, assess
from counterpoint.tabular.number_assessment import NumberAssessment
from counterpoint.tabular.prediction import predict
from counterpoint.tabular.reader import TableFile, read_table
from counterpoint.tabular.spreadsheet import to_csv
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import figure, percent

PIECE = 50_000
"""Rows of a piece."""


@dataclass(frozen=True)
class LargePrediction:
    """What a model said about files; the answers themselves are in a file.

    Attributes
    ----------
    n_rows : int
        How many rows there were.
    error : float or None
        Share of wrong answers on rows with a label that the model was not trained on; for numbers
        the root of the mean squared error.
    n_judged : int
        Their number.
    notes : list of str
    """

    n_rows: int
    error: float | None
    n_judged: int
    notes: list[str]

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {"n_rows": self.n_rows, "error": self.error, "n_judged": self.n_judged,
                "notes": self.notes}  # fmt: skip


def predict_large(
    model: TableModel,
    source: str | PathLike[str],
    output: str | PathLike[str],
    *,
    proba: bool = False,
    coverage: float | None = None,
    reasons: bool = False,
    spreadsheet_safe: bool = False,
    separator: str | None = None,
    progress: bool | None = None,
) -> LargePrediction:
    """Ask a model about files of any size, and write the answers; memory stays that of a piece.

    Parameters
    ----------
    model : TableModel
        From :func:`~counterpoint.tabular.fit` or :func:`~counterpoint.tabular.load`.
    source : path
        A .parquet, .arrow, .csv or .tsv file, a pattern such as "part-*.parquet", or a folder.
    output : path
        CSV file to write. It is there whole, or not at all.
    proba, coverage, reasons
        As in :func:`~counterpoint.tabular.predict`.
    spreadsheet_safe : bool, default=False
        Put ' before text that a spreadsheet would run as a formula.
    separator : str, default=None
        Between the fields of text. None: a comma, or a tab in .tsv files.
    progress : bool, default=None
        Draw a progress bar; None: on a terminal.

    Returns
    -------
    LargePrediction

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular import fit, predict_large
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = Path(folder, "iris.csv")
    ...     load("iris").frame.to_csv(rows, index=False)
    ...     model = fit(rows, target="class", method="naive-bayes", random_state=0)
    ...     said = predict_large(model, rows, Path(folder, "said.csv"))
    >>> said.n_rows
    150
    """
    parts, columns = _open(model, source, separator)
    n_rows = n_judged = 0
    loss, notes = 0.0, dict.fromkeys(model.notes)
    with new_file(output) as file, open(file, "w", encoding="utf-8", newline="") as out:
        for part in track(parts, total=len(parts), description="Predicting", show=progress):
            for piece in _pieces(part, columns):
                table = _read(model, piece)
                said = predict(model, table, proba=proba, coverage=coverage, reasons=reasons)
                said.table["row"] += n_rows
                text = to_csv(said.table, spreadsheet_safe=spreadsheet_safe)
                out.write(text if n_rows == 0 else text.partition("\n")[2])
                n_rows += len(said.table)
                if said.error is not None:
                    power = 2 if model.task == "regression" else 1
                    loss += said.n_judged * said.error**power
                    n_judged += said.n_judged
                # What is said of single pieces, with their numbers, is said once at the end.
                notes |= dict.fromkeys(note for note in said.notes if " on " not in note)
        if n_rows == 0:
            raise ValueError(f"{parts[0].name} and all other files hold no rows.")
    error, words = None, []
    if n_judged and model.task == "regression":
        error = float(np.sqrt(loss / n_judged))
        words = [f"{figure(error)} off (root of the mean squared error)"]
    elif n_judged:
        error = loss / n_judged
        words = [f"{percent(error)} wrong"]
    told = [f"{w} on {n_judged} rows, by column {model.target!r}." for w in words]
    return LargePrediction(n_rows, error, n_judged, [*notes, *told])


def assess_large(
    model: TableModel,
    source: str | PathLike[str],
    *,
    title: str | None = None,
    max_rows: int = 10_000,
    random_state: Any = 0,
    separator: str | None = None,
    progress: bool | None = None,
) -> Assessment | NumberAssessment:
    """Try a model on rows drawn from files of any size; memory stays that of a piece.

    Every row has the same chance to be drawn. All files are read once, to the end.

    Parameters
    ----------
    model : TableModel
        From :func:`~counterpoint.tabular.fit` or :func:`~counterpoint.tabular.load`.
    source : path
        A .parquet, .arrow, .csv or .tsv file, a pattern such as "part-*.parquet", or a folder; with
        labels.
    title : str, default=None
        What to call it, as in :func:`~counterpoint.tabular.assess`.
    max_rows : int, default=10000
        Rows to draw; those that the model was trained on are left out afterwards.
    random_state : int, RandomState instance or None, default=0
        Seeds the draw, and what :func:`~counterpoint.tabular.assess` draws.
    separator : str, default=None
        Between the fields of text. None: a comma, or a tab in .tsv files.
    progress : bool, default=None
        Draw a progress bar; None: on a terminal.

    Returns
    -------
    Assessment or NumberAssessment
        Its ``n_given`` counts the rows of all files.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular import assess_large, fit
    >>> frame = load("pima").frame
    >>> model = fit(frame[:300], target="class", method="naive-bayes", random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame[300:].to_csv(Path(folder, "later.csv"), index=False)
    ...     tried = assess_large(model, folder, max_rows=200)
    >>> len(tried.y), tried.n_given
    (200, 468)
    """
    check_count(max_rows, "max_rows")
    rng = check_random_state(random_state)
    parts, columns = _open(model, source, separator, labelled=True)
    drawn, n_rows = _draw(parts, columns, max_rows, rng, progress)
    if n_rows == 0:
        raise ValueError(f"{parts[0].name} and all other files hold no rows.")
    read = [_read(model, _as_file(piece)) for piece in drawn]
    frame = pd.concat([one.frame for one in read], ignore_index=True)
    rows = replace(read[0], name=str(source), frame=frame)
    tried = assess(
        model, rows, title=title, max_rows=max_rows,
        random_state=rng if random_state is None else random_state,
    )  # fmt: skip
    if n_rows == len(frame):
        return tried
    note = (
        f"Of {n_rows} rows in all, {len(frame)} drawn at random are looked at; all numbers are of "
        "these."
    )
    return replace(tried, n_given=n_rows, notes=[note, *tried.notes])


def _open(
    model: TableModel,
    source: str | PathLike[str],
    separator: str | None,
    *,
    labelled: bool = False,
) -> tuple[Any, list[str]]:
    """Return the parts of files, and which columns of theirs to read: labels where there are any.

    Where they are needed, files without are refused.
    """
    from counterpoint.large.sources import check_parts, open_parts

    parts = open_parts(str(source), separator=separator)
    columns = [str(column.name) for column in model.columns]
    if labelled or model.target in parts[0].schema().names:
        columns.append(model.target)
    check_parts(parts, columns)
    return parts, columns


def _draw(
    parts: Any, columns: list[str], n: int, rng: np.random.RandomState, progress: bool | None
) -> tuple[list[Any], int]:
    """Return n of all rows, as they stand in the files, and how many there are.

    Each row gets a random number as it comes, and the n smallest stay: where files and pieces begin
    makes no difference.
    """
    kept: list[tuple[np.ndarray, Any]] = []
    limit, n_rows = np.inf, 0
    for part in track(parts, total=len(parts), description="Reading", show=progress):
        for piece in _raw_pieces(part, columns):
            n_rows += len(piece)
            kept.append(_below(limit, rng.random_sample(len(piece)), piece))
            if sum(len(lots) for lots, _ in kept) > 2 * n:
                limit = np.partition(np.concatenate([lots for lots, _ in kept]), n)[n]
                kept = [_below(limit, *one) for one in kept]
    lots = np.concatenate([lots for lots, _ in kept]) if kept else np.empty(0)
    if len(lots) > n:
        limit = np.partition(lots, n)[n]
        kept = [_below(limit, *one) for one in kept]
    texts = [piece for _, piece in kept if isinstance(piece, pd.DataFrame) and len(piece)]
    tables = [piece for _, piece in kept if not isinstance(piece, pd.DataFrame) and len(piece)]
    drawn: list[Any] = [pd.concat(texts, ignore_index=True)] if texts else []
    if tables:
        import pyarrow as pa

        drawn.append(pa.concat_tables(tables, promote_options="permissive"))
    return drawn, n_rows


def _below(limit: float, lots: np.ndarray, piece: Any) -> tuple[np.ndarray, Any]:
    """Return the rows whose lot is below a limit."""
    rows = np.flatnonzero(lots < limit)
    if len(rows) < len(lots):
        piece = piece.iloc[rows] if isinstance(piece, pd.DataFrame) else piece.take(rows)
    return lots[rows], piece


def _read(model: TableModel, piece: io.BytesIO) -> TableFile:
    return read_table(piece, known=model.known, missing=model.missing)


def _pieces(part: Any, columns: list[str]) -> Iterator[io.BytesIO]:
    """Yield pieces of a file as files: the one reader of tables says what is in them."""
    yield from map(_as_file, _raw_pieces(part, columns))


def _as_file(piece: Any) -> io.BytesIO:
    if isinstance(piece, pd.DataFrame):
        return io.BytesIO(piece.to_csv(index=False).encode())
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(piece, file)
    file.seek(0)
    return file


def _raw_pieces(part: Any, columns: list[str]) -> Iterator[Any]:
    """Yield the cells of a file as they stand: frames of texts, or tables of Arrow."""
    if Path(part.name).suffix.lower() in (".csv", ".tsv"):
        separator = part.separator or ("\t" if part.name.lower().endswith(".tsv") else ",")
        yield from pd.read_csv(
            part.name, sep=separator, dtype=str, keep_default_na=False, usecols=columns,
            chunksize=PIECE,
        )  # fmt: skip
        return
    import pyarrow as pa

    for batch in part.batches(columns):
        for start in range(0, batch.num_rows, PIECE):
            yield pa.table(batch.slice(start, PIECE))
