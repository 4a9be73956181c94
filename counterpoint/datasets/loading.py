"""Load a data set by name: shipped, from the data folder or, if request, from OpenML."""

import os
from pathlib import Path
from typing import Literal, overload

import pandas as pd
from sklearn.utils import Bunch

from counterpoint._files import check_output
from counterpoint.datasets.catalogue import description, unknown
from counterpoint.datasets.folder import data_folder, find_files, read_files, recorded
from counterpoint.datasets.index import DATA, Entry, canonical, index
from counterpoint.datasets.tables import PARTS, SPLIT, Table, read_cells, to_table, write_csv
from counterpoint.exceptions import DatasetNotFoundError


@overload
def load(name: str, *, return_X_y: Literal[False] = ..., fetch: bool = ...) -> Bunch: ...


@overload
def load(
    name: str, *, return_X_y: Literal[True], fetch: bool = ...
) -> tuple[pd.DataFrame, pd.Series]: ...


def load(
    name: str, *, return_X_y: bool = False, fetch: bool = False
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    """Load a data set by name.

    Nothing is downloaded unless ``fetch=True``.

    Parameters
    ----------
    name : str
        A name from `list_datasets`, or of a file in the data folder. Case does not matter, and
        ``german_credit`` is as good as ``german-credit``.
    return_X_y : bool, default=False
        Return ``(X, y)`` alone.
    fetch : bool, default=False
        Get a known set that is neither shipped nor in the data folder from OpenML, check that
        it is the right one, and keep it in the data folder. Needs a network.

    Returns
    -------
    sklearn.utils.Bunch
        With these attributes:

        X, data : pandas.DataFrame
            The features: numeric columns as float, nominal ones as categories of strings.
            A missing value is NaN in both.
        y, target : pandas.Series
            The class, as categories of strings just as the source writes them.
        frame : pandas.DataFrame
            The features and the target.
        split : pandas.Series or None
            ``"train"`` or ``"test"`` for each row, where the source fixes it. It is no feature.
        feature_names, categorical_features, target_names : list of str
            Names of all features, of the nominal ones, and of the classes.
        DESCR, description : str
            Counts, source, notes, licence and citation.
        name : str
            The name in its one spelling.

    Raises
    ------
    DatasetNotFoundError
        No such set, or one that may not be shipped and is not here. The message says where it
        was looked for and how to get it.

    Examples
    --------
    >>> german = load("german-credit")
    >>> german.X.shape, german.y.value_counts().to_dict()
    ((1000, 20), {'good': 700, 'bad': 300})
    >>> X, y = load("vowel", return_X_y=True)
    >>> X["sex"].dtype.name
    'category'
    """
    key = canonical(name)
    known = index().get(key)
    if known is not None and known.file is not None:
        entry = known
        cells = read_cells(DATA / known.file)
        table = to_table(cells, columns=known.columns, target=known.target)
    else:
        files: dict[str | None, Path] = find_files(key)
        if not files and known is None:
            raise unknown(name)
        if not files and known is not None:
            if not fetch:
                raise _not_here(known)
            files = {None: _fetch(known)}
        facts = recorded(key) or {}
        entry, table = read_files(
            key,
            files,
            target=facts.get("target", "class"),
            columns=facts.get("columns"),
            missing_values=facts.get("missing_values", ()),
        )
    if return_X_y:
        return table.X, table.y
    frame = table.X.copy()
    frame[table.y.name] = table.y
    text = description(entry)
    return Bunch(
        name=key,
        frame=frame,
        X=table.X,
        y=table.y,
        data=table.X,
        target=table.y,
        split=table.split,
        feature_names=list(table.X.columns),
        categorical_features=entry.nominal,
        target_names=list(table.y.cat.categories),
        description=text,
        DESCR=text,
    )


def export_csv(name: str, path: str | os.PathLike, *, fetch: bool = False) -> Path:
    """Write a data set as CSV: split, if any, first; the target last; missing as empty fields.

    Parameters
    ----------
    name : str
        As `load` takes it.
    path : str or path-like
        The file to write; gzipped if it ends in ``.gz``. An existing file is replaced.
    fetch : bool, default=False
        As in `load`.

    Returns
    -------
    pathlib.Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(export_csv("iris", folder + "/iris.csv").read_text().splitlines()[1])
    5.1,3.5,1.4,0.2,Iris-setosa
    """
    path = check_output(path)  # before the work, not after
    bunch = load(name, fetch=fetch)
    write_csv(Table(bunch.X, bunch.y, bunch.split), path)
    return path


def _not_here(entry: Entry) -> DatasetNotFoundError:
    key, folder = entry.name, data_folder()
    state = "" if folder.is_dir() else ", which does not exist yet"
    return DatasetNotFoundError(
        f"{key!r} ({entry.title}) may not be shipped with counterpoint ({entry.licence}) and is "
        f"not on this machine. Looked for {key}.csv, or {key}.train.csv with {key}.test.csv, plain "
        f"or .gz, in the data folder {folder}{state}. If you have the file, put it there with "
        "`counterpoint datasets add FILE`, or set COUNTERPOINT_DATA to the folder that has it. "
        f"With a network, load({key!r}, fetch=True) gets it from OpenML."
    )


def _fetch(entry: Entry) -> Path:
    """Get a set from OpenML, make sure that it is the one we know, keep it in the data folder."""
    # The module, not the function, so that this name is looked up when called.
    from sklearn import datasets as sklearn_datasets

    if "data_id" in entry.openml:
        wanted = {"data_id": entry.openml["data_id"]}
        request = f"number {entry.openml['data_id']} ({entry.openml['name']})"
    else:
        wanted = {"name": entry.name}
        request = f"the name {entry.name!r}, as we know no OpenML number for it"
    try:
        frame = sklearn_datasets.fetch_openml(**wanted, as_frame=True, cache=False).frame
    except (OSError, ValueError) as error:
        raise DatasetNotFoundError(
            f"{entry.name!r} could not be fetched: OpenML, asked for {request}, failed with "
            f"{type(error).__name__}: {error}. With no network, put the file into the data folder "
            f"{data_folder()} with `counterpoint datasets add FILE`."
        ) from error
    table = _check_openml(entry, frame, request)
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{entry.name}.csv.gz"
    write_csv(table, path)
    return path


def _check_openml(entry: Entry, frame: pd.DataFrame, request: str) -> Table:
    """Return what OpenML sent as a table of ours; refuse it if its counts are not those known."""
    ours = {name.lower(): name for name in [*entry.columns, entry.target]}
    ours[entry.openml.get("target", entry.target).lower()] = entry.target
    cells = frame.rename(columns=lambda name: ours.get(name.lower(), name))
    absent = [name for name in [*entry.columns, entry.target] if name not in cells]
    if absent:
        raise _impostor(entry, request, f"it lacks the columns {absent[:8]}")
    nominal = [*entry.nominal, entry.target]
    cells = cells.astype(dict.fromkeys(nominal, object))
    for name in nominal:
        cells[name] = cells[name].map(_text, na_action="ignore")
    labels = entry.openml.get("labels", {})
    cells[entry.target] = cells[entry.target].map(lambda label: labels.get(label, label))
    classes = cells[entry.target].value_counts().to_dict()
    if classes != entry.classes:
        raise _impostor(entry, request, f"its classes are {classes}, not {entry.classes}")
    cells = cells.drop(columns=SPLIT, errors="ignore")
    first = cells[entry.target][: entry.parts["train"]["rows"]].value_counts().to_dict()
    if first == entry.parts["train"]["classes"]:  # else the rows come in some other order
        sizes = [entry.parts[part]["rows"] for part in PARTS]
        cells[SPLIT] = [part for part, size in zip(PARTS, sizes, strict=True) for _ in range(size)]
    cells[entry.numeric] = cells[entry.numeric].astype(float)
    return to_table(cells, columns=entry.columns, target=entry.target)


def _text(value) -> str:
    """Return a code as text: 33 whether it came as 33, 33.0 or '33'."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _impostor(entry: Entry, request: str, why: str) -> DatasetNotFoundError:
    return DatasetNotFoundError(
        f"What OpenML sent when asked for {request} is not the data set {entry.name!r}: {why}. "
        "Nothing was kept. If you have the right file, add it with "
        "`counterpoint datasets add FILE`."
    )
