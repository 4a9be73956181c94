"""A model asked about a table in a file."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from counterpoint.tabular.columns import align_columns, some, text_labels
from counterpoint.tabular.models import SavedModel
from counterpoint.tabular.reader import read_frame

__all__ = [
    "Asked",
    "Predicted",
    "explaining_rows",
    "judging_rows",
    "labelled_rows",
    "predict_table",
    "read_for",
]


@dataclass(frozen=True)
class Asked:
    """Rows read for a model.

    Attributes
    ----------
    name : str
        The file.
    X : DataFrame
        The rows as the model takes them.
    labels : ndarray of object, or None
        The truth as text, None where it is missing; None if the file has no such column.
    new : ndarray of bool, or None
        Whether the model was not trained on a row; None without labels.
    notes : list of str
    """

    name: str
    X: pd.DataFrame
    labels: np.ndarray | None
    new: np.ndarray | None
    notes: list[str]


@dataclass(frozen=True)
class Predicted:
    """What a model said about a table; made by :func:`predict_table`.

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
        said = {"predictions": self.table["prediction"].tolist()}
        if len(self.table.columns) > 2:
            said["probabilities"] = self.table.iloc[:, 2:].to_numpy().tolist()
        return {
            "classes": self.classes,
            **said,
            "error": self.error,
            "n_judged": self.n_judged,
            "notes": self.notes,
        }


def read_for(
    saved: SavedModel, source: str | PathLike[str], *, separator: str | None = None
) -> Asked:
    """Read a table as a model takes it.

    Parameters
    ----------
    saved : SavedModel
    source : path
        As for :func:`counterpoint.tabular.reader.read_frame`. Columns may stand in any order.
    separator : str, default=None

    Returns
    -------
    Asked

    Raises
    ------
    ValueError
        Naming the columns that are missing or hold something else.
    """
    file = read_frame(source, known=saved.columns, missing=saved.missing, separator=separator)
    X, extra, unseen = align_columns(file.frame, saved.columns)
    notes = list(file.notes)
    others = [name for name in extra if name != saved.target]
    if others:
        many = len(others) > 1
        notes.append(f"the model does not know column{'s' * many} {some(others)}: ignored.")
    for name, values in unseen.items():
        notes.append(f"column {name!r} has values that training never saw: {some(values)}.")
    labels = new = None
    if saved.target in extra:
        texts = text_labels(file.frame[saved.target])
        labels = texts.astype(object).where(texts.notna(), None).to_numpy(dtype=object)
        new = saved.is_new(X, ["" if label is None else label for label in labels])
    return Asked(file.name, X, labels, new, notes)


def predict_table(
    saved: SavedModel,
    source: str | PathLike[str],
    *,
    proba: bool = False,
    separator: str | None = None,
) -> Predicted:
    """Ask a model about the rows of a file.

    Parameters
    ----------
    saved : SavedModel
        From :func:`counterpoint.tabular.models.load_model`.
    source : path
        The file.
    proba : bool, default=False
        Also give the probability of each class.
    separator : str, default=None
        What stands between two fields.

    Returns
    -------
    Predicted
    """
    if proba and not hasattr(saved.model, "predict_proba"):
        raise ValueError(f"A model of {saved.method!r} gives no probabilities: leave them out.")
    asked = read_for(saved, source, separator=separator)
    said = saved.model.predict(asked.X)
    table = pd.DataFrame({"row": np.arange(1, len(said) + 1), "prediction": said})
    classes = [str(label) for label in saved.model.classes_]
    if proba:
        found = saved.model.predict_proba(asked.X)
        for k, label in enumerate(classes):
            table[f"p({label})"] = found[:, k]
    notes = [*saved.notes, *asked.notes]
    error, judged = None, 0
    if asked.labels is not None and asked.new is not None:
        known = np.array([label is not None for label in asked.labels])
        old = int((known & ~asked.new).sum())
        if old:
            notes.append(f"{old} of {len(said)} rows were trained on.")
        judge = known & asked.new
        judged = int(judge.sum())
        if judged:
            error = float(np.mean(said[judge] != asked.labels[judge]))
            on = "the others" if old else f"{judged} rows"
            notes.append(f"{100 * error:.1f} % wrong on {on}, by column {saved.target!r}.")
    return Predicted(table, classes, error, judged, notes)


def labelled_rows(
    saved: SavedModel,
    source: str | PathLike[str],
    *,
    separator: str | None = None,
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, list[str]]:
    """Read rows with labels to judge or explain a model by.

    Parameters
    ----------
    saved : SavedModel
    source : path
        The file.
    separator : str, default=None
        What stands between two fields.

    Returns
    -------
    X : DataFrame
    y : ndarray of str
    new : ndarray of bool
        Whether the model was not trained on a row.
    notes : list of str
    """
    asked = read_for(saved, source, separator=separator)
    if asked.labels is None or asked.new is None:
        raise ValueError(
            f"{asked.name} has no column {saved.target!r}, which says what the model should have "
            "predicted."
        )
    notes = [*saved.notes, *asked.notes]
    known = np.array([label is not None for label in asked.labels])
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without a {saved.target!r} left out.")
    strange = sorted({*asked.labels[known]} - {*saved.classes})
    if strange:
        raise ValueError(
            f"Column {saved.target!r} of {asked.name} has {some(strange)}, which the model never "
            f"saw: it knows {some(saved.classes)}."
        )
    if not known.any():
        raise ValueError(f"{asked.name} has no row with a {saved.target!r}.")
    X = asked.X[known].reset_index(drop=True)
    return X, asked.labels[known].astype(str), asked.new[known], notes


def judging_rows(
    saved: SavedModel, source: str | PathLike[str], *, separator: str | None = None
) -> tuple[pd.DataFrame, np.ndarray, list[str]]:
    """Read rows to judge a model by: those it was not trained on, unless there are none.

    Parameters
    ----------
    saved, source, separator
        As for :func:`labelled_rows`.

    Returns
    -------
    X : DataFrame
    y : ndarray of str
    notes : list of str
    """
    X, y, new, notes = labelled_rows(saved, source, separator=separator)
    if not new.any():
        return X, y, [*notes, "the model was trained on all these rows: the numbers flatter it."]
    if not new.all():
        notes.append(f"{int((~new).sum())} rows that the model was trained on left out.")
    return X[new].reset_index(drop=True), y[new], notes


def explaining_rows(
    saved: SavedModel, source: str | PathLike[str] | None, *, separator: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return rows to make a tree from and rows to judge it by, as arguments of ``one_tree``.

    Parameters
    ----------
    saved : SavedModel
    source : path or None
        A file; None takes the rows kept with the model.
    separator : str, default=None
        What stands between two fields.

    Returns
    -------
    rows : dict
        ``X`` and ``y``; ``X_test`` and ``y_test`` too where there are rows of both kinds.
    notes : list of str
    """
    if source is None:
        if saved.rows is None:
            raise ValueError("The model file keeps no rows to explain it by: give some with data=.")
        rows = {"X": saved.rows, "y": saved.labels}
        return {**rows, "X_test": saved.test_rows, "y_test": saved.test_labels}, saved.notes
    X, y, new, notes = labelled_rows(saved, source, separator=separator)
    if new.all() or not new.any():
        if not new.any():
            notes.append("the model was trained on all these rows: its own error is flattered.")
        return {"X": X, "y": y}, notes
    return {"X": X[~new], "y": y[~new], "X_test": X[new], "y_test": y[new]}, notes
