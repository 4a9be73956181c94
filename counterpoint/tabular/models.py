"""Model files: a model of a table kept with what is needed to use it, and read back with care.

A file is a skops archive, which names types and holds arrays but no code, with one more entry that
says what the model is. Reading it builds only types of counterpoint, NumPy and scikit-learn; any
other name in it is refused before anything is built.
"""

import importlib
import io
import json
import re
import warnings
import zipfile
from dataclasses import asdict, fields
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from counterpoint import __version__
from counterpoint._asking import asked_once
from counterpoint._files import find_file, new_file
from counterpoint._validation import check_count
from counterpoint._versions import versions
from counterpoint.datasets.texts import PARTS
from counterpoint.tabular.archive import (
    ENTRY,
    MOST_BYTES,
    SCHEMA,
    TooLarge,
    check_schema,
    pack,
    unpack,
)
from counterpoint.tabular.column import KINDS, Column
from counterpoint.tabular.columns import align_columns
from counterpoint.tabular.expansion import SINCE
from counterpoint.tabular.intervals import interval_of
from counterpoint.tabular.kept import KeptFrame, kept, unkept
from counterpoint.tabular.number_scores import NumberScore
from counterpoint.tabular.plain import plain
from counterpoint.tabular.scores import Score
from counterpoint.tabular.soundness import check_sound
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.targets import TASKS

FORMAT = 2
"""Version of the format; raised when files of before can no longer be read."""

_KIND = "counterpoint model"
_ROWS = ("X_train", "y_train", "X_test", "y_test")
_ENTRY_FIELDS = ("method", "target", "classes", "random_state", "missing", "task", "target_form")
_SCORES: dict[str, type] = {"classification": Score, "regression": NumberScore}
# Where classes that a model may consist of live. Nothing here reads or writes files when built.
_PACKAGES = (
    "_coupling", "_outputs", "_counts", "_predictions", "auto", "boosting", "combiners", "datasets",
    "diversity", "dynamic", "hyperboxes", "networks", "selection", "sequences", "subsets", "trees",
    "views",
)  # fmt: skip
_NO_HOME = re.compile(r"^sklearn\.(.*\.)?(tests|externals|conftest|_mocking|_testing)\b")
_TRUSTED = {
    "counterpoint.tabular.alike.KeptColumn",
    "counterpoint.tabular.deciding.DecidedClassifier",
    "counterpoint.tabular.kept.KeptFrame",
    "counterpoint.tabular.kept.KeptSpline",
    "counterpoint.tabular.models.KeptFrame",  # where it was when earlier files were written
    "numpy.dtype",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
}


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
        "model": kept(fitted.model),
        "trained": np.unique(fitted.trained),
        "residuals": fitted.residuals,
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
        content = unkept(content)
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
    residuals = content.get("residuals")
    if residuals is not None and not _is_sorted(residuals):
        raise ValueError("its residuals are no distances")
    return TableModel(
        model=content["model"],
        columns=[_column(told) for told in entry["columns"]],
        score=_score(entry["score"], entry["task"]),
        baselines={name: _score(s, entry["task"]) for name, s in entry["baselines"].items()},
        trained=content["trained"],
        residuals=residuals,
        notes=notes,
        **{name: entry[name] for name in _ENTRY_FIELDS},
        **{name: content[name] for name in _ROWS},
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
    task = entry.setdefault("task", "classification")  # files of before numbers say nothing
    entry.setdefault("target_form", "")
    good = (
        task in TASKS
        and all(isinstance(entry.get(name), str) for name in ("method", "target", "target_form"))
        and all(_is_texts(entry.get(name)) for name in ("classes", "missing"))
        and isinstance(entry.get("random_state"), int | None)
        and isinstance(entry.get("columns"), list)
        and all(map(_is_column, entry["columns"]))
        and _is_score(entry.get("score"), task)
        and isinstance(entry.get("baselines"), dict)
        and all(_is_score(score, task) for score in entry["baselines"].values())
    )
    if not good:
        raise _not_ours(path)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_column(told: Any) -> bool:
    # Files of before know no more than the first three.
    return (
        isinstance(told, dict)
        and {"name", "kind", "categories"} <= set(told) <= {field.name for field in fields(Column)}
        and all(isinstance(told.get(name, ""), str) for name in ("name", "form", "origin"))
        and told["kind"] in KINDS
        and all(_is_texts(told.get(name, [])) for name in ("categories", "parts"))
        and (told["kind"] != "date" or _is_date(told))
    )


def _is_date(told: dict[str, Any]) -> bool:
    try:
        date.fromisoformat(told["origin"])
    except (KeyError, ValueError):
        return False
    return bool(told.get("parts")) and set(told["parts"]) <= {*PARTS, SINCE}


def _column(told: dict[str, Any]) -> Column:
    lists = {name: tuple(told.get(name, ())) for name in ("categories", "parts")}
    return Column(**{**told, **lists})


def _is_score(told: Any, task: str) -> bool:
    return (
        isinstance(told, dict)
        and set(told) == {field.name for field in fields(_SCORES[task])}
        and all(isinstance(value, int | float | None) for value in told.values())
        and isinstance(told["n"], int)
    )


@asked_once()
def _try_out(model: TableModel) -> None:
    """Ask a model about one row: what does not fit together fails here, and not later."""
    if len({column.name for column in model.columns}) < len(model.columns):
        raise ValueError("two columns have the same name")
    row = {
        column.name: [next(iter(column.categories), None) if column.kind == "category" else None]
        for column in model.columns
    }
    X, _, _ = align_columns(pd.DataFrame(row, dtype=object), model.columns)
    X = X.fillna({column.name: 0.0 for column in model.columns if column.kind == "number"})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        answer = model.model.predict(X)
        if model.task == "regression":
            if np.shape(answer) != (1,) or not np.isfinite(answer).all():
                raise ValueError("its answer is no number")
            interval_of(model.model, X, model.residuals)
            return
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
    homes = ("sklearn.", *(f"counterpoint.{package}" for package in _PACKAGES))
    if not module.startswith(homes) or _NO_HOME.search(module):
        return False
    try:
        thing = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return False
    if module.startswith("sklearn."):
        return isinstance(thing, type) and issubclass(thing, BaseEstimator)
    # Defined there, not merely imported there.
    return isinstance(thing, type) and thing.__module__ == module


def _first_rows(rows: Any, n: int) -> Any:
    if rows is None or n == 0:
        return None
    return KeptFrame(rows[:n]) if isinstance(rows, pd.DataFrame) else rows[:n]


def _score(values: dict[str, Any], task: str) -> Any:
    known: dict[str, Any] = {key: np.nan if v is None else v for key, v in values.items()}
    return _SCORES[task](**known)


def _is_sorted(values: Any) -> bool:
    good = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind == "f"
    return bool(good and np.isfinite(values).all() and (np.diff(values, prepend=0.0) >= 0).all())


def need_skops() -> Any:
    """Return ``skops.io``, or say what to install; best asked before long work, not after."""
    try:
        import skops.io
    except ImportError as error:
        raise ValueError("Model files need skops (pip install skops).") from error
    return skops.io
