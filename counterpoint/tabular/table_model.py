"""A fitted model with what is needed to use it on tables: what ``fit`` and ``load`` return."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from counterpoint.tabular.columns import Column
from counterpoint.tabular.number_scores import NumberScore
from counterpoint.tabular.scores import Score
from counterpoint.tabular.targets import Task, texts_of


@dataclass(frozen=True, kw_only=True)
class TableModel:
    """A model of a table; made by :func:`counterpoint.tabular.fit` or ``load``.

    Attributes
    ----------
    model : Pipeline
        Encoder and classifier, fitted on the training rows only: the score is its own.
    method, target : str
        What it is, and the column it predicts.
    columns : list of Column
        What it takes.
    classes : list of str
        What it can say; empty for numbers.
    score : Score or NumberScore
        On the test rows, held out when it was fitted.
    baselines : dict of str to Score or NumberScore
        Of simple models on the same rows.
    random_state : int
        The seed it was fitted with.
    missing : list of str
        What stood for a missing value in the file of its data.
    X_train, X_test : DataFrame or None
    y_train, y_test : ndarray of str, for numbers of float, or None
        The two parts of the table; from a file, the rows kept there, None if none were.
    trained : ndarray of uint64
        A hash of each row it was trained on.
    notes : list of str
        What a reader should know: rows or columns left out, warnings of the learner, other
        versions of libraries.
    task : {"classification", "regression"}
        Whether it tells classes apart or estimates numbers.
    residuals : ndarray or None
        For numbers: distances to the truth on rows not fitted on, sorted, which intervals are made
        of; None for a model that has intervals of its own.
    target_form : str
        For numbers: how the target was written, as :class:`~counterpoint.tabular.column.Column`
        says it.
    """

    model: Pipeline
    method: str
    target: str
    columns: list[Column]
    classes: list[str]
    score: Score | NumberScore
    baselines: dict[str, Score] | dict[str, NumberScore]
    random_state: int
    missing: list[str]
    X_train: pd.DataFrame | None
    y_train: np.ndarray | None
    X_test: pd.DataFrame | None
    y_test: np.ndarray | None
    trained: np.ndarray
    notes: list[str]
    task: Task = "classification"
    residuals: np.ndarray | None = None
    target_form: str = ""

    @property
    def known(self) -> list[Column]:
        """What is known of the columns of a table for it, a target of numbers included."""
        return self.columns if self.task == "classification" else [*self.columns, self._number]

    @property
    def target_unit(self) -> str:
        """What the numbers it estimates are in, "EUR" or "kg"; empty if that is not known."""
        return self._number.unit

    @property
    def _number(self) -> Column:
        return Column(self.target, "number", form=self.target_form)

    def title(self, source: str) -> str:
        """Return what to call it, on the data of that name, if it has one."""
        return f"{self.method} on {source}" if source else self.method

    def facts(self, source: str) -> dict[str, str]:
        """Return what a reader should know first: the data, if they have a name, and the target."""
        unit = f", in {self.target_unit}" if self.target_unit else ""
        return {**({"Data": source} if source else {}), "Target": f"{self.target}{unit}"}

    def is_new(self, X: pd.DataFrame, labels: Sequence[str] | np.ndarray) -> np.ndarray:
        """Say of each row whether the model was not trained on it, nor on one just like it.

        ``X`` has its columns, as :func:`~counterpoint.tabular.columns.align_columns` gives them;
        ``labels`` are the truth about each row.
        """
        return ~np.isin(row_hashes(X, labels), self.trained)


def row_hashes(X: pd.DataFrame, labels: Sequence[str] | np.ndarray) -> np.ndarray:
    """Return a hash of each row and its label."""
    frame = X.reset_index(drop=True)
    frame[len(frame.columns)] = np.asarray(texts_of(np.asarray(labels)), dtype=object)
    return pd.util.hash_pandas_object(frame, index=False).to_numpy()
