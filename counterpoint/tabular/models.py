"""Model files: a model of a table kept with what is needed to use it, and read back with care.

A file is a skops archive, which names types and holds arrays but no code, with one more entry that
says what the model is. Reading it builds only types of counterpoint, NumPy and scikit-learn; any
other name in it is refused before anything is built.
"""

import copy
import importlib
import io
import json
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from counterpoint import __version__
from counterpoint._files import find_file, new_file
from counterpoint._validation import check_count
from counterpoint._versions import versions
from counterpoint.tabular.archive import (
    ENTRY,
    MOST_BYTES,
    SCHEMA,
    TooLarge,
    check_schema,
    pack,
    unpack,
)
from counterpoint.tabular.columns import Column
from counterpoint.tabular.plain import plain
from counterpoint.tabular.scores import Score
from counterpoint.tabular.soundness import check_sound
from counterpoint.tabular.table_model import TableModel

FORMAT = 2
"""Version of the format; raised when files of before can no longer be read."""

_KIND = "counterpoint model"
_ROWS = ("X_train", "y_train", "X_test", "y_test")
_ENTRY_FIELDS = ("method", "target", "classes", "random_state", "missing")
# Where classes that a model may consist of live. Nothing here reads or writes files when built.
_PACKAGES = (
    "_coupling", "_outputs", "_counts", "auto", "boosting", "combiners", "datasets", "diversity",
    "dynamic",
    "hyperboxes", "networks", "selection", "sequences", "subsets", "trees", "views",
)  # fmt: skip
_TRUSTED = {
    "counterpoint.tabular.models.KeptFrame",
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
}


class KeptFrame:
    """A data frame as plain arrays: what a model file holds in its place."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names = [str(name) for name in frame.columns]
        self.values = [_plain_array(frame.iloc[:, k]) for k in range(frame.shape[1])]
        self.n_rows = len(frame)

    def frame(self) -> pd.DataFrame:
        """Return the data frame, its rows numbered anew."""
        columns = {
            k: values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
            for k, values in enumerate(self.values)
        }
        frame = pd.DataFrame(columns, index=range(self.n_rows))
        frame.columns = pd.Index(self.names)
        return frame


def save(fitted: TableModel, path: str | PathLike[str], *, keep_rows: int = 1000) -> Path:
    """Write a model of a table to a file, whole or not at all.

    Parameters
    ----------
    fitted : TableModel
        From :func:`counterpoint.tabular.fit`.
    path : path
        Usually ``.skops``. A file that is there is replaced at the end.
    keep_rows : int, default=1000
        Rows to keep in the file, so many of training and of test at most, which explaining the
        model needs; 0 for none. They can be read by anybody who has the file.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("iris")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "pruned-tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = tabular.load(tabular.save(fitted, pathlib.Path(folder, "iris.skops")))
    >>> again.method, again.target, len(again.classes), again.X_train.shape
    ('pruned-tree', 'kind', 3, (112, 4))
    """
    check_count(keep_rows, "keep_rows", low=0)
    skops = need_skops()
    content = {
        "model": _each(fitted.model, pd.DataFrame, KeptFrame),
        "trained": np.unique(fitted.trained),
        **{name: _first_rows(getattr(fitted, name), keep_rows) for name in _ROWS},
    }
    entry = {
        "kind": _KIND,
        "format": FORMAT,
        **{name: getattr(fitted, name) for name in _ENTRY_FIELDS},
        "columns": [asdict(column) for column in fitted.columns],
        "score": asdict(fitted.score),
        "baselines": {name: asdict(score) for name, score in fitted.baselines.items()},
        "versions": versions(),
    }
    archive = io.BytesIO(skops.dumps(content, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(archive, "a", compression=zipfile.ZIP_DEFLATED) as file:
        file.writestr(ENTRY, json.dumps(plain(entry), indent=2, ensure_ascii=False))
    with new_file(path) as part:
        part.write_bytes(archive.getbuffer())
    return Path(path)


def load(path: str | PathLike[str], *, max_bytes: int = MOST_BYTES) -> TableModel:
    """Read a model file; nothing in it is run, and no type is built that is not known.

    Before anything is unpacked, the sizes of all that is packed are added up. Before the model is
    handed out, its parts are checked: children, columns and thresholds of trees (ours, and those of
    scikit-learn's trees, forests, boosting and neighbours), places of support vectors and of
    sparse matrices; then it is asked about one row. So a file that was damaged or tampered with is
    refused, and does not crash or hang the program.

    Parameters
    ----------
    path : path
        Written by :func:`save`, which has an example.
    max_bytes : int, default=2147483648
        The most that the file may unpack to; 2 GiB, if nothing is said. Raise it for larger models
        from people you trust.

    Returns
    -------
    TableModel
        Its rows are those kept in the file; its notes say which libraries were of other versions.

    Raises
    ------
    FileNotFoundError, ValueError
        If it is no model of ours, cut short, of another format, too large, names types that a model
        does not consist of, or holds arrays that do not make a model.

    Examples
    --------
    >>> from counterpoint.tabular import load
    >>> load("nowhere.skops")
    Traceback (most recent call last):
    ...
    FileNotFoundError: There is no file nowhere.skops.
    """
    path = find_file(path, "a model")
    check_count(max_bytes, "max_bytes")
    skops = need_skops()
    try:
        entries = unpack(path.read_bytes(), max_bytes)
        entry = json.loads(entries[ENTRY])
    except TooLarge as error:
        raise ValueError(
            f"{path} is refused: it {error}. If you trust it, load it with a higher max_bytes."
        ) from error
    except Exception as error:  # whatever a file that is no archive of ours makes the reader do
        raise _not_ours(path) from error
    _check_entry(entry, path)
    try:
        check_schema(entries[SCHEMA])
        data = pack(entries)
        named = skops.get_untrusted_types(data=data)
    except Exception as error:
        raise _not_ours(path) from error
    refused = [name for name in named if not _is_known(name)]
    if refused:
        raise ValueError(
            f"{path} is refused: it names {', '.join(sorted(refused)[:8])}, which no model of "
            "counterpoint consists of. Nothing of it was loaded."
        )
    notes = [
        f"the model was written with {name} {was}, this is {now}."
        for name, now in versions().items()
        if name != "python" and (was := entry["versions"].get(name)) != now
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # the notes say so
            content = skops.loads(data, trusted=named)
        check_sound(content)
        model = _table_model(content, entry, notes)
        _try_out(model)
    except Exception as error:  # whatever a damaged file makes the loader do
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".")
        raise ValueError(f"{path} cannot be loaded, {why}. Fit the model again.") from error
    return model


def _table_model(content: dict[str, Any], entry: dict[str, Any], notes: list[str]) -> TableModel:
    if not isinstance(content, dict) or not isinstance(content["model"], Pipeline):
        raise ValueError("there is no pipeline in it")
    if not isinstance(content["trained"], np.ndarray) or content["trained"].dtype.kind != "u":
        raise ValueError("it does not know its rows")
    rows: dict[str, Any] = {
        name: part.frame() if isinstance(part := content[name], KeptFrame) else part
        for name in _ROWS
    }
    return TableModel(
        model=_each(content["model"], KeptFrame, KeptFrame.frame),
        columns=[Column(c["name"], c["kind"], tuple(c["categories"])) for c in entry["columns"]],
        score=_score(entry["score"]),
        baselines={name: _score(score) for name, score in entry["baselines"].items()},
        trained=content["trained"],
        notes=notes,
        **{name: entry[name] for name in _ENTRY_FIELDS},
        **rows,
    )


def _check_entry(entry: Any, path: Path) -> None:
    """Raise unless what a file says of itself has the form that :func:`save` gives it."""
    if not isinstance(entry, dict) or entry.get("kind") != _KIND:
        raise _not_ours(path)
    told = entry.get("versions")
    if not isinstance(told, dict) or not all(isinstance(v, str) for v in told.values()):
        raise _not_ours(path)
    if entry.get("format") != FORMAT:
        raise ValueError(
            f"{path} is of model format {str(entry.get('format'))[:20]}, written by counterpoint "
            f"{told.get('counterpoint', '?')[:20]}; this is counterpoint {__version__}, which "
            f"reads format {FORMAT}. Use that version, or fit the model again."
        )
    good = (
        all(isinstance(entry.get(name), str) for name in ("method", "target"))
        and all(_is_texts(entry.get(name)) for name in ("classes", "missing"))
        and isinstance(entry.get("random_state"), int | None)
        and isinstance(entry.get("columns"), list)
        and all(map(_is_column, entry["columns"]))
        and _is_score(entry.get("score"))
        and isinstance(entry.get("baselines"), dict)
        and all(map(_is_score, entry["baselines"].values()))
    )
    if not good:
        raise _not_ours(path)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_column(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and set(told) == {"name", "kind", "categories"}
        and isinstance(told["name"], str)
        and told["kind"] in ("number", "category")
        and _is_texts(told["categories"])
    )


def _is_score(told: Any) -> bool:
    return (
        isinstance(told, dict)
        and set(told) == {field.name for field in fields(Score)}
        and all(isinstance(value, int | float | None) for value in told.values())
        and isinstance(told["n"], int)
    )


def _try_out(model: TableModel) -> None:
    """Ask a model about one row: what does not fit together fails here, and not later."""
    row = {
        column.name: [0.0 if column.kind == "number" else next(iter(column.categories), None)]
        for column in model.columns
    }
    if len(row) < len(model.columns):
        raise ValueError("two columns have the same name")
    X = pd.DataFrame(row, columns=[column.name for column in model.columns])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answer = model.model.predict(X)
        known = [str(label) for label in model.model.classes_]
        proba = model.model.predict_proba(X) if hasattr(model.model, "predict_proba") else None
    if known != model.classes or np.shape(answer) != (1,) or str(answer[0]) not in known:
        raise ValueError(f"its classes are {known[:8]}, not {model.classes[:8]}")
    if proba is not None and (np.shape(proba) != (1, len(known)) or not np.isfinite(proba).all()):
        raise ValueError("its probabilities are none")


def _not_ours(path: Path) -> ValueError:
    return ValueError(
        f"{path} is no model file of counterpoint, or it is cut short: expected what "
        "`counterpoint fit` wrote."
    )


def _is_known(name: str) -> bool:
    """Whether a name in a file is of a type, or one of few functions, that models consist of."""
    if name in _TRUSTED:
        return True
    module, _, kind = name.rpartition(".")
    if not module.startswith(tuple(f"counterpoint.{package}" for package in _PACKAGES)):
        return False
    try:
        thing = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return False
    # Defined there, not merely imported there.
    return isinstance(thing, type) and thing.__module__ == module


def _each(value: Any, kind: type, change: Callable[[Any], Any], seen: dict | None = None) -> Any:
    """Return a model with every object of a kind in it changed; what has none stays as it is."""
    seen = {} if seen is None else seen
    if isinstance(value, kind):
        return change(value)
    if id(value) in seen:
        return seen[id(value)][1]
    parts: dict[Any, Any]
    if isinstance(value, dict):
        parts = value
    elif isinstance(value, list) or type(value) is tuple:
        parts = dict(enumerate(value))
    elif type(value).__module__.startswith(("counterpoint.", "sklearn.")):
        parts = getattr(value, "__dict__", {})
    else:
        return value
    seen[id(value)] = (value, value)  # the first keeps it alive, hence its id its own
    changed = {key: _each(part, kind, change, seen) for key, part in parts.items()}
    if all(changed[key] is part for key, part in parts.items()):
        return value
    if isinstance(value, list | tuple):
        result: Any = type(value)(changed.values())
    elif isinstance(value, dict):
        result = type(value)(changed) if type(value) is dict else value
    else:
        result = copy.copy(value)
        result.__dict__.update(changed)
    seen[id(value)] = (value, result)
    return result


def _first_rows(rows: Any, n: int) -> Any:
    if rows is None or n == 0:
        return None
    return KeptFrame(rows[:n]) if isinstance(rows, pd.DataFrame) else rows[:n]


def _plain_array(values: pd.Series) -> np.ndarray | list:
    if pd.api.types.is_numeric_dtype(values.dtype):
        if isinstance(values.dtype, np.dtype):
            return values.to_numpy()
        return values.to_numpy(dtype=float, na_value=np.nan)
    return [None if pd.isna(cell) else str(cell) for cell in values]


def _score(values: dict[str, Any]) -> Score:
    known: dict[str, Any] = {key: np.nan if v is None else v for key, v in values.items()}
    return Score(**known)


def need_skops() -> Any:
    """Return ``skops.io``, or say what to install; best asked before long work, not after."""
    try:
        import skops.io
    except ImportError as error:
        raise ValueError("Model files need skops (pip install skops).") from error
    return skops.io
