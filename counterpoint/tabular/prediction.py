"""A model asked about the rows of a table."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._validation import check_flag
from counterpoint.tabular.columns import align_columns, some, text_labels
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import percent

Table = pd.DataFrame | TableFile | str | PathLike[str]


@dataclass(frozen=True)
class Prediction:
    """What a model said about a table; made by :func:`predict`.

    Attributes
    ----------
    table : DataFrame
        "row" (the first after the header is 1), "prediction", and for each class "p(class)" if
        probabilities were asked for.
    classes : list of str
    error : float or None
        Share of wrong answers on rows with a label that the model was not trained on.
    n_judged : int
        Their number.
    notes : list of str
    """

    table: pd.DataFrame
    classes: list[str]
    error: float | None
    n_judged: int
    notes: list[str]

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        summary = {"classes": self.classes, "predictions": self.table["prediction"].tolist()}
        if len(self.table.columns) > 2:
            summary["probabilities"] = self.table.iloc[:, 2:].to_numpy().tolist()
        return {**summary, "error": self.error, "n_judged": self.n_judged, "notes": self.notes}


def predict(
    model: TableModel, table: Table, *, proba: bool = False, separator: str | None = None
) -> Prediction:
    """Ask a model about the rows of a table.

    Parameters
    ----------
    model : TableModel
        From :func:`~counterpoint.tabular.fit` or :func:`~counterpoint.tabular.load`.
    table : DataFrame, TableFile or path
        Columns may stand in any order; those the model does not know are ignored.
    proba : bool, default=False
        Also give the probability of each class.
    separator : str, default=None
        What stands between two fields of a file.

    Returns
    -------
    Prediction

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("iris")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "naive-bayes")
    >>> tabular.predict(fitted, data.X[:2]).table["prediction"].tolist()
    ['Iris-setosa', 'Iris-setosa']
    """
    if not isinstance(model, TableModel):
        raise TypeError(f"model={model!r}: pass what tabular.fit returns, or load of its file.")
    if check_flag(proba, "proba") and not hasattr(model.model, "predict_proba"):
        raise ValueError(f"A model of {model.method!r} gives no probabilities: leave them out.")
    _, X, labels, new, notes = _rows_for(model, table, separator)
    answers = model.model.predict(X)
    result = pd.DataFrame({"row": np.arange(1, len(answers) + 1), "prediction": answers})
    classes = [str(label) for label in model.model.classes_]
    if proba:
        shares = model.model.predict_proba(X)
        for k, label in enumerate(classes):
            result[f"p({label})"] = shares[:, k]
    notes = [*model.notes, *notes]
    error, n_judged = None, 0
    if labels is not None and new is not None:
        known = np.array([label is not None for label in labels])
        old = int((known & ~new).sum())
        if old:
            notes.append(f"{old} of {len(answers)} rows were trained on.")
        judge = known & new
        n_judged = int(judge.sum())
        if n_judged:
            error = float(np.mean(answers[judge] != labels[judge]))
            on = "the others" if old else f"{n_judged} rows"
            notes.append(f"{percent(error)} wrong on {on}, by column {model.target!r}.")
    return Prediction(result, classes, error, n_judged, notes)


def judging_rows(
    model: TableModel, table: Table, *, separator: str | None = None
) -> tuple[str, pd.DataFrame, np.ndarray, list[str]]:
    """Read rows to judge a model by: those it was not trained on, unless there are none.

    Returns the name of the file, X, y as text, and notes.
    """
    name, X, y, new, notes = _labelled_rows(model, table, separator)
    if not new.any():
        notes.append("the model was trained on all these rows: the numbers flatter it.")
        return name, X, y, notes
    if not new.all():
        notes.append(f"{int((~new).sum())} rows that the model was trained on left out.")
    return name, X[new].reset_index(drop=True), y[new], notes


def explaining_rows(
    model: TableModel, table: Table | None, *, separator: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return rows to make a tree from and to judge it by, as arguments of ``explain``, and notes.

    Without a table, those kept with the model; test rows only where there are rows of both kinds.
    """
    if table is None:
        if model.X_train is None:
            raise ValueError("The model file keeps no rows to explain it by: give some with data=.")
        kept = {"X": model.X_train, "y": model.y_train}
        return {**kept, "X_test": model.X_test, "y_test": model.y_test}, model.notes
    _, X, y, new, notes = _labelled_rows(model, table, separator)
    if new.all() or not new.any():
        if not new.any():
            notes.append("the model was trained on all these rows: its own error is flattered.")
        return {"X": X, "y": y}, notes
    return {"X": X[~new], "y": y[~new], "X_test": X[new], "y_test": y[new]}, notes


def _rows_for(
    model: TableModel, table: Table, separator: str | None
) -> tuple[str, pd.DataFrame, np.ndarray | None, np.ndarray | None, list[str]]:
    """Read rows for a model: the file, X, labels as text, which rows are new to it, notes.

    A missing label is None; without a column of labels both arrays are.
    """
    file = as_table(table, known=model.columns, missing=model.missing, separator=separator)
    X, extra, unseen = align_columns(file.frame, model.columns)
    notes = list(file.notes)
    others = [name for name in extra if name != model.target]
    if others:
        many = len(others) > 1
        notes.append(f"the model does not know column{'s' * many} {some(others)}: ignored.")
    for name, values in unseen.items():
        notes.append(f"column {name!r} has values that training never saw: {some(values)}.")
    labels = new = None
    if model.target in extra:
        texts = text_labels(file.frame[model.target])
        labels = texts.astype(object).where(texts.notna(), None).to_numpy(dtype=object)
        new = model.is_new(X, ["" if label is None else label for label in labels])
    return file.name, X, labels, new, notes


def _labelled_rows(
    model: TableModel, table: Table, separator: str | None
) -> tuple[str, pd.DataFrame, np.ndarray, np.ndarray, list[str]]:
    """Read rows with labels: the file, X, y, whether the model was not trained on a row, notes."""
    file, X, labels, new, notes = _rows_for(model, table, separator)
    name = file or "The table"
    if labels is None or new is None:
        raise ValueError(
            f"{name} has no column {model.target!r}, which says what the model should have "
            "predicted."
        )
    notes = [*model.notes, *notes]
    known = np.array([label is not None for label in labels])
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without a {model.target!r} left out.")
    strange = sorted({*labels[known]} - {*model.classes})
    if strange:
        raise ValueError(
            f"Column {model.target!r} of {name} has {some(strange)}, which the model never "
            f"saw: it knows {some(model.classes)}."
        )
    if not known.any():
        raise ValueError(f"{name} has no row with a {model.target!r}.")
    X = X[known].reset_index(drop=True)
    return Path(file).name, X, labels[known].astype(str), new[known], notes
