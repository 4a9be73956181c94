"""What can be opened in a studio: a table, a model, what members said."""

import io
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._files import find_file
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.combiners import MeanCombiner, combiner_of
from counterpoint.studio.ensembles import ClassEnsemble, Ensemble, NumberEnsemble
from counterpoint.tabular import load, read_number_predictions, read_predictions, read_table
from counterpoint.tabular.deciding import undecided
from counterpoint.tabular.inputs import ask_members
from counterpoint.tabular.number_members import ask_number_members, find_weights
from counterpoint.tabular.number_outputs import holds_numbers
from counterpoint.tabular.prediction import judging_rows
from counterpoint.tabular.reader import TableFile
from counterpoint.tabular.table_model import TableModel


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where something came from, to read it again and to say so in a program.

    Attributes
    ----------
    name : str
        The file, for people.
    path : Path or None
        None for what was dropped on the page, or given from Python.
    content : bytes or None
        What was dropped.
    stamp : tuple of int
        Size and time of the file when it was read.
    """

    name: str
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)
    stamp: tuple[int, int] = (0, 0)

    @classmethod
    def of_file(cls, path: str | PathLike[str]) -> "Source":
        """Look at a file on disk."""
        found = find_file(path, "rows")
        return cls(name=found.name, path=found, stamp=_stamp(found))

    def open(self) -> Any:
        """Return what a reader takes."""
        if self.path is not None:
            return self.path
        assert self.content is not None
        return _Named(self.content, self.name)

    @property
    def has_changed(self) -> bool:
        """Whether the file is another one by now, or gone."""
        if self.path is None:
            return False
        try:
            return _stamp(self.path) != self.stamp
        except OSError:
            return True


class _Named(io.BytesIO):
    def __init__(self, content: bytes, name: str):
        super().__init__(content)
        self.name = name


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def ensemble_of_outputs(outputs: MemberOutputs | MemberPredictions, made_by: str = "") -> Ensemble:
    """Open what members said; right and wrong alone become the classes 1 and 0."""
    if outputs.y is None and not (isinstance(outputs, MemberOutputs) and outputs.votes is None):
        raise ValueError(f"The studio needs the truth: build the {type(outputs).__name__} with y.")
    if isinstance(outputs, MemberPredictions):
        own = None if outputs.weights is None else MeanCombiner(outputs.weights)
        return NumberEnsemble(outputs=outputs, made_by=made_by, own=own)
    if outputs.votes is None:
        flags = outputs.correct.astype(int)
        outputs = MemberOutputs(
            flags, np.ones(outputs.n_samples, dtype=int), classes=[0, 1], names=outputs.names,
            sample_weight=outputs.sample_weight,
        )  # fmt: skip
    return ClassEnsemble(outputs=outputs, made_by=made_by, own=outputs.combiner)


def ensemble_of_model(model: TableModel, made_by: str, rows: Any = None) -> Ensemble:
    """Ask the members of a model about rows it was not trained on: those given, or those it keeps.

    Parameters
    ----------
    model : TableModel
    made_by : str
        Python that gives ``model``.
    rows : table, default=None
        With labels; None: the rows held out when it was fitted.
    """
    if rows is not None:
        _, X, y, _ = judging_rows(model, rows)
    elif model.X_test is None or model.y_test is None:
        raise ValueError("The model keeps no rows to look at: give some with data=.")
    else:
        X, y = model.X_test, model.y_test
    if model.task == "regression":
        return _of_numbers(model, made_by, X, np.asarray(y, dtype=float))
    outputs = ask_members(model.model, X, np.asarray(y), None)
    if outputs.votes is None:
        raise ValueError("The members of this model answer questions of their own: fit another.")
    return ClassEnsemble(
        outputs=outputs, made_by=made_by, model=model, X=X,
        own=combiner_of(undecided(model.model), X, outputs), points=encoded(model, X),
    )  # fmt: skip


def _of_numbers(model: TableModel, made_by: str, X: pd.DataFrame, y: NDArray) -> NumberEnsemble:
    outputs = ask_number_members(model.model, X, y, None)
    answers = np.asarray(model.model.predict(X), dtype=float)
    share = find_weights(model.model, outputs, answers)
    if share is None:  # it combines in a way of its own
        return NumberEnsemble(outputs=outputs, made_by=made_by, model=model, X=X)
    shift = float(np.mean(answers - share @ outputs.values))
    rounding = 1e-9 * float(np.abs(answers).mean())
    return NumberEnsemble(
        outputs=outputs, made_by=made_by, model=model, X=X, own=MeanCombiner(share),
        shift=shift if abs(shift) > rounding else 0.0,
    )  # fmt: skip


def encoded(model: TableModel, X: pd.DataFrame) -> NDArray | None:
    """Return rows as the numbers that reach the members; None where these are none."""
    points: Any = model.model[:-1].transform(X) if len(model.model) > 1 else X
    if hasattr(points, "toarray"):
        points = points.toarray()
    try:
        numbers = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        return None
    return numbers if np.isfinite(numbers).all() else None


def open_source(
    source: Source, *, truth: str | None = None, target: str | None = None
) -> TableFile | Ensemble:
    """Open a file: a model by its ending, predictions by their columns, else a table.

    ``truth`` says that it holds predictions, ``target`` that it is a table.
    """
    if source.name.endswith(".skops"):
        if source.path is None:
            raise ValueError("Name model files on the command line: counterpoint studio MODEL.")
        lines = f"model = tabular.load({str(source.path)!r})"
        return ensemble_of_model(load(source.path), lines)
    if truth is not None:
        table = read_table(source.open())
        if holds_numbers(table, truth):
            lines = f"outputs = tabular.read_number_predictions({_file(source)}, truth={truth!r})"
            return ensemble_of_outputs(read_number_predictions(table, truth=truth), lines)
    if target is None:
        named = truth or "class"
        try:
            outputs = read_predictions(source.open(), truth=named)
        except ValueError:
            if truth is not None:
                raise
        else:
            if truth is not None or outputs.n_members > 1:
                lines = f"outputs = tabular.read_predictions({_file(source)}, truth={named!r})"
                return ensemble_of_outputs(outputs, lines)
    return read_table(source.open(), target=target)


def read_again(source: Source, target: str, wishes: dict[str, str]) -> TableFile:
    """Read a table with a target, columns being taken for what is wished."""
    return read_table(source.open(), target=target, columns=wishes or None)


def _file(source: Source) -> str:
    return repr(str(source.path) if source.path is not None else source.name)


Openable = str | PathLike[str] | IO[bytes] | MemberOutputs | MemberPredictions | TableModel
