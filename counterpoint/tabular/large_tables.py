"""Tables that are read, answered and written piece by piece: files too large to hold, and many."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._files import new_file
from counterpoint._progress import track
from counterpoint.tabular.prediction import predict
from counterpoint.tabular.reader import read_table
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
    from counterpoint.large.sources import check_parts, open_parts

    parts = open_parts(str(source), separator=separator)
    names = [str(column.name) for column in model.columns]
    schema = parts[0].schema()
    columns = names + [c for c in (model.target,) if c in schema.names]
    check_parts(parts, columns)
    n_rows = n_judged = 0
    loss, notes = 0.0, dict.fromkeys(model.notes)
    with new_file(output) as file, open(file, "w", encoding="utf-8", newline="") as out:
        for part in track(parts, total=len(parts), description="Predicting", show=progress):
            for piece in _pieces(part, columns):
                table = read_table(piece, known=model.columns, missing=model.missing)
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


def _pieces(part: Any, columns: list[str]) -> Iterator[io.BytesIO]:
    """Yield pieces of a file as files: the one reader of tables says what is in them."""
    if Path(part.name).suffix.lower() in (".csv", ".tsv"):
        separator = part.separator or ("\t" if part.name.lower().endswith(".tsv") else ",")
        frames = pd.read_csv(
            part.name, sep=separator, dtype=str, keep_default_na=False, usecols=columns,
            chunksize=PIECE,
        )  # fmt: skip
        for frame in frames:
            yield io.BytesIO(frame.to_csv(index=False).encode())
        return
    import pyarrow as pa
    import pyarrow.parquet

    for batch in part.batches(columns):
        for start in range(0, batch.num_rows, PIECE):
            piece = io.BytesIO()
            pa.parquet.write_table(pa.table(batch.slice(start, PIECE)), piece)
            piece.seek(0)
            yield piece
