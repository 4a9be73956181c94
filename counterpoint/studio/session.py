"""What is open in a studio, and the questions that a page or a widget can ask of it."""

import threading
from collections.abc import Callable
from os import PathLike
from typing import Any

from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.studio import questions
from counterpoint.studio.ensembles import Ensemble
from counterpoint.studio.jobs import Job
from counterpoint.studio.opening import (
    Source,
    ensemble_of_model,
    ensemble_of_outputs,
    open_source,
)
from counterpoint.tabular import read_table
from counterpoint.tabular.reader import TableFile
from counterpoint.tabular.table_model import TableModel


class Session:
    """One thing being looked at: a table to learn from, and the members there are.

    Parameters
    ----------
    given : path, MemberOutputs, MemberPredictions, TableModel or None, default=None
        What to open; None: something is dropped on the page later.
    truth : str, default=None
        That ``given`` holds predictions, and the column of the truth.
    target : str, default=None
        That ``given`` is a table, and the column to predict.
    data : path, default=None
        For a model: a table with labels, to look at its rows.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.studio import Session
    >>> session = Session(MemberOutputs([[0, 1, 1], [0, 0, 1], [1, 1, 0]], [0, 1, 1]))
    >>> session.answer("judge", {"rule": "vote", "weights": [1, 1, 1]})["error"]
    0.0
    """

    def __init__(
        self,
        given: "str | PathLike[str] | MemberOutputs | MemberPredictions | TableModel | None" = None,
        *,
        truth: str | None = None,
        target: str | None = None,
        data: "str | PathLike[str] | None" = None,
    ) -> None:
        self.lock = threading.RLock()
        self.source: Source | None = None
        self.table: TableFile | None = None
        self.target = target
        self.ensemble: Ensemble | None = None
        self.job: Job | None = None
        self.version = 0
        self._how = {"truth": truth, "target": target, "data": data}
        if isinstance(given, MemberOutputs | MemberPredictions):
            self.ensemble = ensemble_of_outputs(given)
        elif isinstance(given, TableModel):
            self.ensemble = ensemble_of_model(given, "", data)
        elif given is not None:
            self._open(Source.of_file(given), **self._how)

    def _open(self, source: Source, data: Any = None, **how: Any) -> None:
        found = open_source(source, **how)
        with self.lock:
            self.version += 1
            self.source, self.table, self.ensemble = source, None, None
            if isinstance(found, TableFile):
                self.table = found
            elif data is not None and found.model is not None:
                model = found.model
                rows = read_table(data, known=model.known, missing=model.missing)
                self.ensemble = ensemble_of_model(model, found.made_by, rows)
                self.ensemble.made_by += f"\nrows = {str(data)!r}"
            else:
                self.ensemble = found

    def drop(self, name: str, content: bytes) -> dict[str, Any]:
        """Open what was dropped on the page: a table or predictions, by their bytes."""
        self._open(Source(name=name, content=content))
        return self.answer("state", {})

    def read_again(self) -> None:
        """Read the file again, as it is now."""
        if self.source is not None and self.source.path is not None:
            self._open(Source.of_file(self.source.path), **self._how)

    def need_ensemble(self) -> Ensemble:
        """Return the members, or say that there are none yet."""
        if self.ensemble is None:
            raise ValueError("There are no members yet: fit a table, or open a model.")
        return self.ensemble

    def answer(self, question: str, data: dict[str, Any]) -> dict[str, Any]:
        """Answer a question in plain data.

        Parameters
        ----------
        question : str
            A name of :data:`counterpoint.studio.questions.QUESTIONS`.
        data : dict
            What it is about.
        """
        known: Callable | None = questions.QUESTIONS.get(question)
        if known is None:
            raise ValueError(f"question={question!r}: there is no such question.")
        return known(self, data)
