"""A model watched in use: batches without labels, one after another, kept in one SQLite file."""

import hashlib
import json
import sqlite3
import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from counterpoint._interrupts import whole
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions, member_predictions
from counterpoint._validation import check_list, check_number
from counterpoint.exceptions import MemberError
from counterpoint.tabular.describing import SCHEMA
from counterpoint.tabular.plain import plain
from counterpoint.tabular.prediction import rows_for
from counterpoint.tabular.table_model import TableModel
from counterpoint.trust import AlarmState, SequentialAlarm, detect_shift, estimate_error
from counterpoint.trust.inputs import disagreement

_COLUMNS = (
    "batch", "digest", "rows", "error", "low", "high", "trusted", "known_error", "disagreement",
    "p", "threshold", "log_wealth", "alarm", "reason", "changed", "rows_behind", "notes",
)  # fmt: skip
_BEHIND = 10  # rows and columns that are named
_LEVEL = 0.05
_FORM = "1"  # of the file; raised when what is in it changes


@dataclass(frozen=True)
class Watch:
    """What became of a model in use; made by :func:`watch`.

    Attributes
    ----------
    batches : DataFrame
        A row per batch, in the order they came: "rows", the estimated "error" with "low" and
        "high" (of numbers, the mean squared error), whether an assumption behind it is "trusted",
        the "known_error" where the batch has labels, mean "disagreement", "p" and "threshold" of
        the test of population, "log_wealth" of the bet, "alarm" and its "reason", the columns and
        answers that "changed", and the "rows_behind": those that members disagree on most, if any.
    new : list of str
        Batches that this call has looked at.
    reference_error : float
    reference_disagreement : float
    task, target, method : str
    level : float
    notes : list of str
    """

    batches: pd.DataFrame
    new: list[str]
    reference_error: float
    reference_disagreement: float
    task: str
    target: str
    method: str
    level: float
    notes: list[str]

    @property
    def alarm(self) -> bool:
        """Whether a batch that this call has looked at raised an alarm."""
        ours = self.batches["batch"].isin(self.new)
        return bool(self.batches.loc[ours, "alarm"].any())

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return plain(
            {
                "schema": SCHEMA,
                "task": self.task,
                "target": self.target,
                "method": self.method,
                "level": self.level,
                "reference_error": self.reference_error,
                "reference_disagreement": self.reference_disagreement,
                "alarm": self.alarm,
                "new": self.new,
                "batches": self.batches.drop(columns="digest").to_dict(orient="records"),
                "notes": self.notes,
            }
        )


def watch(
    model: TableModel,
    batches: Sequence[Any],
    *,
    state: str | PathLike[str] | None = None,
    level: float = _LEVEL,
    separator: str | None = None,
    random_state: int = 0,
) -> Watch:
    """Look at batches of new rows: how wrong the model is there, and how new they are.

    Parameters
    ----------
    model : TableModel
        From :func:`~counterpoint.tabular.fit` or :func:`~counterpoint.tabular.load`. Its test rows
        are the reference.
    batches : list of paths, or of (name, DataFrame) pairs
        In the order they came. One that the state knows, by name and content, is passed over.
    state : path, default=None
        A SQLite file that keeps what was found: made if it is not there, gone on from if it is,
        written after every batch. None keeps nothing.
    level : float, default=0.05
        Chance of a false alarm, ever: see :class:`~counterpoint.trust.SequentialAlarm`.
    separator : str, default=None
        What stands between two fields of a file.
    random_state : int, default=0

    Returns
    -------
    Watch

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("iris")
    >>> table = data.X.assign(kind=data.y)
    >>> fitted = tabular.fit(table, "kind", "bagging")
    >>> told = tabular.watch(fitted, [("monday", data.X[::3]), ("tuesday", data.X * 2)])
    >>> told.batches["alarm"].tolist()
    [False, True]
    """
    if not isinstance(model, TableModel):
        raise TypeError(f"model={model!r}: pass what tabular.fit returns, or load of its file.")
    if model.X_test is None or model.y_test is None:
        raise ValueError(
            "The model file keeps no test rows, which are the reference: fit it again."
        )
    check_number(level, "level", low=0, high=1, open_low=True, open_high=True)
    check_list(batches, "batches", "files or (name, frame) pairs")
    reference = _said(model, model.X_test, model.y_test)
    notes = [] if reference.n_members > 1 else [
        "the model has no members that could disagree: only its answers and the columns are tested."
    ]  # fmt: skip
    with closing(_open(state, model, level)) as kept:
        new = []
        for batch in batches:
            name, digest, source = _named(batch)
            if _knows(kept, name, digest):
                notes.append(f"{name} was looked at before: passed over.")
                continue
            with whole():
                row = _look(model, reference, source, name, separator, random_state)
            _decide(kept, row, level)
            _keep(kept, {**row, "digest": digest})
            new.append(name)
        frame = _frame(kept)
    return Watch(
        batches=frame, new=new, reference_error=_error(reference),
        reference_disagreement=float(disagreement(reference).mean()), task=model.task,
        target=model.target, method=model.method, level=level, notes=notes,
    )  # fmt: skip


# -- one batch ---------------------------------------------------------------------------------


def _said(model: TableModel, X: pd.DataFrame, y: Any = None) -> Any:
    """Return what the members say about rows; the model itself where it has none to ask."""
    if model.task == "regression":
        try:
            values = member_predictions(model.model, X)
        except MemberError:
            values = np.asarray(model.model.predict(X), dtype=float)[None]
        return MemberPredictions(values, y)
    try:
        outputs = MemberOutputs.from_estimator(model.model, X, y)
        if outputs.votes is not None:
            return outputs
    except MemberError:
        pass
    classes = np.asarray(model.model.classes_)
    if not hasattr(model.model, "predict_proba"):
        return MemberOutputs(np.asarray(model.model.predict(X))[None], y, classes=classes)
    proba = np.asarray(model.model.predict_proba(X), dtype=float)[None]
    return MemberOutputs(proba=proba, y=y, classes=classes)


def _error(reference: Any) -> float:
    if isinstance(reference, MemberPredictions):
        return float(np.mean((reference.values.mean(axis=0) - reference.y) ** 2))
    return float(np.mean(reference.answer != reference.y))


def _look(
    model: TableModel, reference: Any, source: Any, name: str, separator: str | None, seed: int
) -> dict[str, Any]:
    _, X, labels, _, notes = rows_for(model, source, separator)
    if len(X) == 0:
        raise ValueError(f"{name} has no row: leave empty batches out.")
    new = _said(model, X)
    row: dict[str, Any] = {"batch": name, "rows": len(X), "error": np.nan, "low": np.nan,
                           "high": np.nan, "trusted": False}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scipy, about ties and few rows
        shift = detect_shift(reference, new, X_reference=model.X_test, X_new=X)
        if reference.n_members > 1 or isinstance(reference, MemberOutputs):
            told = estimate_error(
                reference, new, X_reference=model.X_test, X_new=X, random_state=seed
            )
            row |= {"error": told.error, "low": told.low, "high": told.high,
                    "trusted": told.trusted}  # fmt: skip
    apart = disagreement(new)
    behind = [row for row in np.argsort(-apart, kind="stable")[:_BEHIND] if apart[row] > 0]
    sure = shift[shift["p_holm"] < 0.01].head(_BEHIND)
    p = shift["p_holm"].min()
    return row | {
        "known_error": _known_error(model, X, labels),
        "disagreement": float(apart.mean()),
        "p": float(p) if np.isfinite(p) else np.nan,
        "changed": sure["of"].astype(str).tolist(),
        # The first row after the header is 1, as everywhere.
        "rows_behind": [int(row) + 1 for row in behind],
        "notes": notes,
    }


def _known_error(model: TableModel, X: pd.DataFrame, labels: Any) -> float:
    """Return the error on rows of the batch that have a label; NaN without any."""
    known = np.array([], dtype=bool) if labels is None else pd.notna(pd.Series(labels)).to_numpy()
    if not known.any():
        return float("nan")
    answers = np.asarray(model.model.predict(X[known]))
    if model.task == "regression":
        return float(np.mean((answers - labels[known].astype(float)) ** 2))
    return float(np.mean(answers.astype(str) != labels[known].astype(str)))


def _named(batch: Any) -> tuple[str, str, Any]:
    """Return the name of a batch, a digest of its content, and what to read."""
    if isinstance(batch, tuple) and len(batch) == 2 and isinstance(batch[1], pd.DataFrame):
        hashed = pd.util.hash_pandas_object(batch[1], index=False).to_numpy()
        return str(batch[0]), hashlib.sha256(hashed.tobytes()).hexdigest(), batch[1]
    if isinstance(batch, str | PathLike):
        path = Path(batch)
        if not path.is_file():
            raise FileNotFoundError(f"There is no file {path}.")
        with path.open("rb") as file:
            return path.name, hashlib.file_digest(file, "sha256").hexdigest(), path
    raise TypeError(f"batches: {batch!r} is neither a path nor a (name, DataFrame) pair.")


# -- what is kept ------------------------------------------------------------------------------


def _open(state: Any, model: TableModel, level: float) -> sqlite3.Connection:
    """Open the state, made if it is not there; raise if it is of another model or level."""
    path = ":memory:" if state is None else str(state)
    kept = sqlite3.connect(path)
    try:
        kept.execute("create table if not exists about (name text primary key, value text)")
        cells = ", ".join(f"{name}" for name in _COLUMNS)
        kept.execute(f"create table if not exists batches (number integer primary key, {cells})")
        before = dict(kept.execute("select name, value from about"))
    except sqlite3.OperationalError as error:  # a full disk, or another watch that writes
        kept.close()
        raise OSError(f"state={path} cannot be used: {error}.") from error
    except sqlite3.DatabaseError as error:
        kept.close()
        raise ValueError(
            f"state={path}: this is no state of a watch: name another file, or none."
        ) from error
    about = {"form": _FORM, "model": _fingerprint(model), "level": repr(float(level))}
    for name, value in about.items():
        if before.get(name, value) != value:
            kept.close()
            what = {"model": "of another model", "level": f"kept with level={before[name]}"}
            raise ValueError(
                f"state={path} is {what.get(name, 'of another version')}: name another file."
            )
    with kept:
        kept.executemany("insert or ignore into about values (?, ?)", about.items())
    return kept


def _fingerprint(model: TableModel) -> str:
    held = pd.util.hash_pandas_object(pd.DataFrame(model.X_test), index=False).to_numpy()
    parts = [np.sort(model.trained).tobytes(), held.tobytes(), repr(model.model).encode()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _knows(kept: sqlite3.Connection, name: str, digest: str) -> bool:
    question = "select 1 from batches where batch = ? and digest = ?"
    return kept.execute(question, (name, digest)).fetchone() is not None


def _decide(kept: sqlite3.Connection, row: dict[str, Any], level: float) -> None:
    """Go on from the last batch that was kept, and say whether this one is an alarm."""
    n, wealth = kept.execute(
        "select count(p), (select log_wealth from batches order by number desc limit 1) "
        "from batches"
    ).fetchone()
    alarm = SequentialAlarm(level, AlarmState(n_batches=n, log_wealth=wealth or 0.0))
    verdict = alarm.update(row["p"])
    row |= {"threshold": verdict.threshold, "log_wealth": verdict.log_wealth,
            "alarm": verdict.alarm, "reason": verdict.reason}  # fmt: skip


def _keep(kept: sqlite3.Connection, row: dict[str, Any]) -> None:
    cells = []
    for name in _COLUMNS:
        value = row[name]
        if isinstance(value, list):
            value = json.dumps(value)
        elif isinstance(value, float) and not np.isfinite(value):
            value = None
        cells.append(int(value) if isinstance(value, bool | np.bool_) else value)
    with kept:  # all of the batch, or nothing
        marks = ", ".join("?" for _ in _COLUMNS)
        kept.execute(f"insert into batches ({', '.join(_COLUMNS)}) values ({marks})", cells)


def _frame(kept: sqlite3.Connection) -> pd.DataFrame:
    rows = kept.execute(f"select {', '.join(_COLUMNS)} from batches order by number").fetchall()
    frame = pd.DataFrame(rows, columns=list(_COLUMNS))
    for name in ("trusted", "alarm"):
        frame[name] = frame[name].astype(bool)
    for name in ("changed", "rows_behind", "notes"):
        frame[name] = frame[name].map(json.loads)
    for name in ("error", "low", "high", "known_error", "disagreement", "p", "threshold",
                 "log_wealth"):  # fmt: skip
        frame[name] = frame[name].astype(float)
    return frame
