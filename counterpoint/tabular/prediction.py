"""A model asked about the rows of a table."""

from dataclasses import dataclass
from itertools import compress
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._asking import asked_once
from counterpoint._validation import check_flag, check_number
from counterpoint.tabular.columns import align_columns, some, text_labels
from counterpoint.tabular.coverage import class_sets
from counterpoint.tabular.describing import SCHEMA
from counterpoint.tabular.dispute import dispute
from counterpoint.tabular.intervals import interval_of
from counterpoint.tabular.plain import plain
from counterpoint.tabular.reader import TableFile, as_table
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import figure, percent

Table = pd.DataFrame | TableFile | str | PathLike[str]


@dataclass(frozen=True)
class Prediction:
    """What a model said about a table; made by :func:`predict`.

    Attributes
    ----------
    table : DataFrame
        "row" (the first after the header is 1) and "prediction". Where the model has members,
        "disagreement": the share of their votes against it, for numbers the standard deviation of
        their answers. As asked for: for each class "p(class)", "set" (for numbers "low" and
        "high"), and the columns of
        :func:`~counterpoint.tabular.row_reasons.row_reasons`.
    classes : list of str
        Empty for numbers.
    error : float or None
        Share of wrong answers on rows with a label that the model was not trained on; for numbers
        the root of the mean squared error.
    n_judged : int
        Their number.
    notes : list of str
    """

    table: pd.DataFrame
    classes: list[str]
    error: float | None
    n_judged: int
    notes: list[str]
    task: str = "classification"

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        summary: dict[str, Any] = {
            "schema": SCHEMA,
            "task": self.task,
            "classes": self.classes,
            "predictions": self.table["prediction"].tolist(),
        }
        shares = [f"p({label})" for label in self.classes]
        if shares and shares[0] in self.table:
            summary["probabilities"] = self.table[shares].to_numpy().tolist()
        names = [name for name in self.table if name not in ("row", "prediction", *shares)]
        summary |= {str(name): self.table[name].tolist() for name in names}
        return plain(
            {**summary, "error": self.error, "n_judged": self.n_judged, "notes": self.notes}
        )


@asked_once()
def predict(
    model: TableModel,
    table: Table,
    *,
    proba: bool = False,
    coverage: float | None = None,
    reasons: bool = False,
    separator: str | None = None,
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
    coverage : float or None, default=None
        Also give the set of the classes that cannot be ruled out, so that this share of the sets
        holds the true one; by the test rows kept with the model. For numbers an interval, "low" to
        "high", that holds the truth so often.
    reasons : bool, default=False
        Also say why: the members' votes, the trained rows most like each row, and the way to it in
        the one tree that stands for the model.
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
    check_flag(reasons, "reasons")
    numbers = model.task == "regression"
    if coverage is not None:
        check_number(coverage, "coverage", low=0, high=1, open_low=True, open_high=True)
    asked = check_flag(proba, "proba") or (coverage is not None and not numbers)
    if asked and not hasattr(model.model, "predict_proba"):
        what = "gives no probabilities: leave them out"
        if numbers:
            what = "estimates numbers: ask for an interval, with coverage=0.9, say"
        raise ValueError(f"A model of {model.method!r} {what}.")
    _, X, labels, new, notes = rows_for(model, table, separator)
    answers = model.model.predict(X)
    result = pd.DataFrame({"row": np.arange(1, len(answers) + 1), "prediction": answers})
    classes = [str(label) for label in getattr(model.model, "classes_", [])]
    notes = [*model.notes, *notes]
    said = dispute(model.model, X, answers)
    if said is not None:
        result["disagreement"] = said.disagreement
    if numbers and coverage is not None:
        result["low"], result["high"], told = _ends(model, X, coverage)
        notes += told
    if proba:
        shares = model.model.predict_proba(X)
        for k, label in enumerate(classes):
            result[f"p({label})"] = shares[:, k]
    if coverage is not None and not numbers:
        result["set"], note = _sets(model, X, coverage)
        notes.append(note)
    if reasons:
        from counterpoint.tabular.row_reasons import (
            row_reasons,
        )  # trees, which few predictions need

        why, note = row_reasons(model, X, answers, said)
        result = pd.concat([result, why], axis=1)
        notes.append(f"the one tree: {note}")
    error, n_judged = None, 0
    if labels is not None and new is not None:
        known = np.array([label is not None for label in labels])
        old = int((known & ~new).sum())
        if old:
            notes.append(f"{old} of {len(answers)} rows were trained on.")
        judge = known & new
        n_judged = int(judge.sum())
        if n_judged:
            on = "the others" if old else f"{n_judged} rows"
            if model.task == "regression":
                gap = answers[judge] - labels[judge].astype(float)
                error = float(np.sqrt(np.mean(gap**2)))
                words = f"{figure(error)} off (root of the mean squared error)"
            else:
                error = float(np.mean(answers[judge] != labels[judge]))
                words = f"{percent(error)} wrong"
            notes.append(f"{words} on {on}, by column {model.target!r}.")
    return Prediction(result, classes, error, n_judged, notes, model.task)


def _ends(
    model: TableModel, X: pd.DataFrame, coverage: float
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the ends of intervals, and what to say of them."""
    ends = interval_of(model.model, X, model.residuals, coverage)
    if ends is None:
        raise ValueError(f"A model of {model.method!r} has no intervals: fit it again.")
    if np.isfinite(ends[0]).all():
        return *ends, []
    return *ends, [f"too few training rows for intervals of {percent(coverage)}: without end."]


def _sets(model: TableModel, X: pd.DataFrame, coverage: float) -> tuple[list[str], str]:
    """Return the sets as text, and what to say of them."""
    if model.X_test is None or model.y_test is None:
        raise ValueError("The model file keeps no test rows, which coverage= needs: fit it again.")
    sets, limit = class_sets(model.model, X, model.X_test, model.y_test, coverage)
    classes = [str(label) for label in model.model.classes_]
    texts = [" | ".join(compress(classes, one)) for one in sets]
    n, by = len(model.y_test), f"by {len(model.y_test)} held-out rows"
    if np.isinf(limit):
        return texts, f"{n} held-out rows are too few for sets of {percent(coverage)}: all classes."
    return texts, (
        f"{percent(coverage)} of the sets hold the true class, {by}, if these rows come from "
        f"where those came from; {percent(float(np.mean(sets.sum(axis=1) == 1)))} name one class."
    )


def judging_rows(
    model: TableModel, table: Table, *, separator: str | None = None
) -> tuple[str, pd.DataFrame, np.ndarray, list[str]]:
    """Read rows to judge a model by: those it was not trained on, unless there are none.

    Returns the name of the file, X, y as text or numbers, and notes.
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


def rows_for(
    model: TableModel, table: Table, separator: str | None
) -> tuple[str, pd.DataFrame, np.ndarray | None, np.ndarray | None, list[str]]:
    """Read rows for a model: the file, X, labels as text, which rows are new to it, notes.

    A missing label is None; without a column of labels both arrays are.
    """
    file = as_table(table, known=model.known, missing=model.missing, separator=separator)
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
        if model.task == "regression":
            _check_numbers(labels, model.target, model.target_unit)
        new = model.is_new(X, ["" if label is None else label for label in labels])
    return file.name, X, labels, new, notes


def _labelled_rows(
    model: TableModel, table: Table, separator: str | None
) -> tuple[str, pd.DataFrame, np.ndarray, np.ndarray, list[str]]:
    """Read rows with labels: the file, X, y, whether the model was not trained on a row, notes."""
    file, X, labels, new, notes = rows_for(model, table, separator)
    name = file or "The table"
    if labels is None or new is None:
        raise ValueError(
            f"{name} has no column {model.target!r}, which says what the model should have "
            "predicted."
        )
    notes = [*model.notes, *notes]
    known = np.array([label is not None for label in labels])
    if not known.all():
        notes.append(f"{int((~known).sum())} rows without {model.target!r} left out.")
    strange = sorted({*labels[known]} - {*model.classes})
    if strange and model.task == "classification":
        raise ValueError(
            f"Column {model.target!r} of {name} has {some(strange)}, which the model never "
            f"saw: it knows {some(model.classes)}."
        )
    if not known.any():
        raise ValueError(f"{name} has no row with a {model.target!r}.")
    X = X[known].reset_index(drop=True)
    kind = float if model.task == "regression" else str
    return Path(file).name, X, labels[known].astype(kind), new[known], notes


def _check_numbers(labels: np.ndarray, target: str, unit: str) -> None:
    for row, label in enumerate(labels, start=1):
        try:
            good = label is None or np.isfinite(float(label))
        except ValueError:
            good = False
        if not good:
            raise ValueError(
                f"Column {target!r} holds {label!r} in data row {row}, but the model estimates "
                f"numbers{f' in {unit}' if unit else ''}: write them so, or leave the column out."
            )
