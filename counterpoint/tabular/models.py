"""Model files: a fitted table kept with what is needed to use it, and read back with care.

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
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from counterpoint import __version__
from counterpoint.tabular.columns import Column, columns_from
from counterpoint.tabular.files import new_file
from counterpoint.tabular.plain import plain
from counterpoint.tabular.reader import MISSING
from counterpoint.tabular.text_files import find_file
from counterpoint.tabular.training import FittedTable, Score

__all__ = ["FORMAT", "SavedModel", "load_model", "need_skops", "save_model"]

FORMAT = 1
"""Version of the format; raised when files of before can no longer be read."""

_ENTRY = "counterpoint.json"
_KIND = "counterpoint model"
# Where classes that a model may consist of live. Nothing here reads or writes files when built.
_PACKAGES = (
    "_outputs", "_counts", "auto", "boosting", "combiners", "datasets", "diversity", "dynamic",
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


@dataclass(frozen=True, kw_only=True)
class SavedModel:
    """What a model file holds; made by :func:`load_model`.

    Attributes
    ----------
    model : Pipeline
        Encoder and classifier, fitted.
    method, target : str
        What it is, and the column it predicts.
    columns : list of Column
        What it takes.
    classes : list of str
        What it can say.
    score : Score
        On the rows held out when it was fitted.
    baselines : dict of str to Score
        Of simple models on the same rows.
    random_state : int
        The seed it was fitted with.
    missing : list of str
        What stood for a missing value in its data.
    versions : dict of str to str
        Of the libraries that wrote the file.
    rows : DataFrame or None
        Some of the training rows, for explaining; None if none were kept.
    labels : ndarray of str or None
        Their labels.
    test_rows, test_labels : DataFrame and ndarray of str, or None
        As many of the rows held out.
    trained : ndarray of uint64
        A hash of each row it was trained on.
    notes : list of str
        What to know about reading this file: other versions of libraries.
    """

    model: Pipeline
    method: str
    target: str
    columns: list[Column]
    classes: list[str]
    score: Score
    baselines: dict[str, Score]
    random_state: int
    missing: list[str]
    versions: dict[str, str]
    rows: pd.DataFrame | None
    labels: np.ndarray | None
    test_rows: pd.DataFrame | None
    test_labels: np.ndarray | None
    trained: np.ndarray
    notes: list[str]

    def is_new(self, X: pd.DataFrame, labels: Sequence[str]) -> np.ndarray:
        """Say of each row whether the model was not trained on it, nor on one just like it.

        Parameters
        ----------
        X : DataFrame
            From :func:`counterpoint.tabular.columns.align_columns`.
        labels : sequence of str
            The truth about each row.

        Returns
        -------
        ndarray of bool
        """
        return ~np.isin(_row_hashes(X, labels), self.trained)


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
        found = pd.DataFrame(columns, index=range(self.n_rows))
        found.columns = pd.Index(self.names)
        return found


def save_model(
    fitted: FittedTable,
    path: str | PathLike[str],
    *,
    missing: Sequence[str] = MISSING,
    keep_rows: int = 1000,
) -> Path:
    """Write a fitted table to a file, whole or not at all.

    Parameters
    ----------
    fitted : FittedTable
        From :func:`counterpoint.tabular.training.fit_table`.
    path : path
        Usually ``.skops``. A file that is there is replaced at the end.
    missing : sequence of str, default=MISSING
        What stood for a missing value in the data, so that new data is read alike.
    keep_rows : int, default=1000
        Rows to keep in the file, so many of training and of test at most, which explaining the
        model needs; 0 for none. They can be read by anybody who has the file.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular.training import fit_table
    >>> data = load("iris")
    >>> fitted = fit_table(data.X.assign(kind=data.y), "kind", "pruned-tree")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = load_model(save_model(fitted, pathlib.Path(folder, "iris.skops")))
    >>> saved.method, saved.target, len(saved.classes), saved.rows.shape
    ('pruned-tree', 'kind', 3, (112, 4))
    """
    if keep_rows < 0:
        raise ValueError(f"keep_rows={keep_rows}: give a number of rows, 0 for none.")
    skops = need_skops()
    content = {
        "model": _each(fitted.model, pd.DataFrame, KeptFrame),
        "rows": KeptFrame(fitted.X_train[:keep_rows]) if keep_rows else None,
        "labels": fitted.y_train[:keep_rows] if keep_rows else None,
        "test_rows": KeptFrame(fitted.X_test[:keep_rows]) if keep_rows else None,
        "test_labels": fitted.y_test[:keep_rows] if keep_rows else None,
        "trained": np.unique(_row_hashes(fitted.X_train, fitted.y_train)),
    }
    told = {
        "kind": _KIND,
        "format": FORMAT,
        "method": fitted.method,
        "target": fitted.target,
        "columns": [asdict(column) for column in fitted.columns],
        "classes": fitted.classes,
        "score": asdict(fitted.score),
        "baselines": {name: asdict(score) for name, score in fitted.baselines.items()},
        "random_state": fitted.random_state,
        "missing": list(missing),
        "versions": _versions(),
    }
    archive = io.BytesIO(skops.dumps(content, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(archive, "a", compression=zipfile.ZIP_DEFLATED) as file:
        file.writestr(_ENTRY, json.dumps(plain(told), indent=2, ensure_ascii=False))
    with new_file(path) as part:
        part.write_bytes(archive.getbuffer())
    return Path(path)


def load_model(path: str | PathLike[str]) -> SavedModel:
    """Read a model file; nothing in it is run, and no type is built that is not known.

    Parameters
    ----------
    path : path
        Written by :func:`save_model`.

    Returns
    -------
    SavedModel

    Raises
    ------
    FileNotFoundError, ValueError
        If it is no model of ours, cut short, of another format, or names types that a model does
        not consist of.
    """
    path = find_file(path, "a model")
    skops = need_skops()
    try:
        data = path.read_bytes()
        told = _read_entry(data, path)
        refused = [name for name in skops.get_untrusted_types(data=data) if not _is_known(name)]
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError) as error:
        raise _not_ours(path) from error
    if refused:
        raise ValueError(
            f"{path} is refused: it names {', '.join(sorted(refused)[:8])}, which no model of "
            "counterpoint consists of. Nothing of it was loaded."
        )
    notes = [
        f"the model was written with {name} {was}, this is {now}."
        for name, now in _versions().items()
        if (was := told["versions"].get(name)) != now
    ]
    try:
        trusted = skops.get_untrusted_types(data=data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # the notes say so
            return _saved(skops.loads(data, trusted=trusted), told, notes)
    except Exception as error:  # whatever a damaged file makes the loader do
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".")
        raise ValueError(f"{path} cannot be loaded, {why}. Fit the model again.") from error


def _saved(content: dict[str, Any], told: dict[str, Any], notes: list[str]) -> SavedModel:
    rows, test_rows = content["rows"], content["test_rows"]
    return SavedModel(
        model=_each(content["model"], KeptFrame, KeptFrame.frame),
        method=told["method"],
        target=told["target"],
        columns=columns_from(told["columns"]),
        classes=told["classes"],
        score=_score(told["score"]),
        baselines={name: _score(score) for name, score in told["baselines"].items()},
        random_state=told["random_state"],
        missing=told["missing"],
        versions=told["versions"],
        rows=None if rows is None else rows.frame(),
        labels=content["labels"],
        test_rows=None if test_rows is None else test_rows.frame(),
        test_labels=content["test_labels"],
        trained=content["trained"],
        notes=notes,
    )


def _read_entry(data: bytes, path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        broken = file.testzip()
        if broken is not None:
            raise zipfile.BadZipFile(f"{broken} is damaged")
        try:
            told = json.loads(file.read(_ENTRY))
        except json.JSONDecodeError as error:
            raise _not_ours(path) from error
    if not isinstance(told, dict) or told.get("kind") != _KIND:
        raise _not_ours(path)
    if told.get("format") != FORMAT:
        wrote = told.get("versions", {}).get("counterpoint", "?")
        raise ValueError(
            f"{path} is of model format {told.get('format')!r}, written by counterpoint {wrote}; "
            f"this is counterpoint {__version__}, which reads format {FORMAT}. Use that version, "
            "or fit the model again."
        )
    return told


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
        found = getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return False
    # Defined there, not merely imported there.
    return isinstance(found, type) and found.__module__ == module


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


def _row_hashes(X: pd.DataFrame, labels: Sequence[str] | np.ndarray) -> np.ndarray:
    frame = X.reset_index(drop=True)
    frame[len(frame.columns)] = np.asarray(labels, dtype=object)
    return pd.util.hash_pandas_object(frame, index=False).to_numpy()


def _plain_array(values: pd.Series) -> np.ndarray | list:
    if pd.api.types.is_numeric_dtype(values.dtype):
        if isinstance(values.dtype, np.dtype):
            return values.to_numpy()
        return values.to_numpy(dtype=float, na_value=np.nan)
    return [None if pd.isna(cell) else str(cell) for cell in values]


def _versions() -> dict[str, str]:
    return {
        "counterpoint": __version__,
        "scikit-learn": version("scikit-learn"),
        "numpy": version("numpy"),
    }


def _score(values: dict[str, Any]) -> Score:
    found: dict[str, Any] = {key: np.nan if v is None else v for key, v in values.items()}
    return Score(**found)


def need_skops() -> Any:
    """Return ``skops.io``, or say what to install; best asked before long work, not after."""
    try:
        import skops.io
    except ImportError as error:
        raise ValueError("Model files need skops (pip install skops).") from error
    return skops.io
