"""Members that a studio shows: of classes or of numbers, asked by the same names."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.combiners import Combiner
from counterpoint.tabular import NumberWhatIf, WhatIf, explain
from counterpoint.tabular.explanation import Explanation
from counterpoint.tabular.members import pair_matrix
from counterpoint.tabular.number_members import number_pair_matrix
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import figure

_DIGITS = 4


@dataclass(kw_only=True)
class Ensemble(ABC):
    """Members and what they say about rows they were not trained on.

    Attributes
    ----------
    outputs : MemberOutputs or MemberPredictions
    made_by : str
        Lines of Python that give ``what``.
    model : TableModel or None
    X : DataFrame or None
        The rows.
    own : Combiner or None
        The rule of the ensemble itself.
    """

    outputs: Any
    made_by: str
    model: TableModel | None = None
    X: pd.DataFrame | None = None
    own: Combiner | None = None
    paths: dict[str, Any] = field(default_factory=dict)

    printing: ClassVar[tuple[str, ...]]
    """Lines of Python that print what ``what.judge`` told."""

    @property
    @abstractmethod
    def what(self) -> Any:
        """The members, to be combined in one way after another."""

    @property
    @abstractmethod
    def truth(self) -> NDArray:
        """What is true of the rows, (n_samples,)."""

    @property
    @abstractmethod
    def errors(self) -> NDArray:
        """The error of each member, (n_members,)."""

    @abstractmethod
    def pairs(self, members: NDArray) -> dict[str, Any]:
        """Say how far every two of some members are alike: "order" and "values"."""

    @abstractmethod
    def kind(self) -> dict[str, Any]:
        """Say what the page must know of what the members say."""

    @abstractmethod
    def said(self, row: int) -> dict[str, Any]:
        """Return what is true of a row, and what each member says."""

    @abstractmethod
    def sentence(self, told: dict[str, Any]) -> str:
        """Say in words what ``what.judge`` told."""

    @cached_property
    def tree(self) -> Explanation:
        """One tree in place of the model."""
        if self.model is None:
            raise ValueError("Only a model has a tree in its place: open one, or fit one.")
        return explain(self.model, random_state=self.model.random_state)


@dataclass(kw_only=True)
class ClassEnsemble(Ensemble):
    """Members that tell classes apart.

    Attributes
    ----------
    points : ndarray or None
        The rows as numbers, for rules that look at what is near.
    """

    outputs: MemberOutputs
    points: NDArray | None = None

    printing = (
        "print(f\"error {told['error']:.6f} ({told['low']:.6f} to {told['high']:.6f}), \"",
        "      f\"log-loss {told['log_loss']:.6f}, {told['n_members']} members\")",
        'for row in told["classes"]:',
        "    print(f\"recall of {row['label']}: {row['recall']:.6f}\")",
    )

    @cached_property
    def what(self) -> WhatIf:
        """The members, to be combined in one way after another."""
        return WhatIf(self.outputs, points=self.points, own=self.own)

    @property
    def truth(self) -> NDArray:
        """The labels, (n_samples,)."""
        return self.outputs.classes[self.outputs.y]

    @property
    def errors(self) -> NDArray:
        """Share of wrong answers of each member."""
        return self.outputs.errors

    def pairs(self, members: NDArray) -> dict[str, Any]:
        """Say by kappa how far every two agree."""
        some = self.outputs
        return pair_matrix(some if len(members) == some.n_members else some.take(members))

    def kind(self) -> dict[str, Any]:
        """Say which classes there are, and how many rows of each."""
        outputs = self.outputs
        return {
            "numbers": False,
            "classes": [str(label) for label in outputs.classes.tolist()],
            "n_of_class": np.bincount(outputs.y, minlength=outputs.n_classes),
            "has_proba": outputs.proba is not None,
        }

    def said(self, row: int) -> dict[str, Any]:
        """Return the codes of the truth and of the votes, and how sure each is."""
        outputs = self.outputs
        return {
            "truth": int(outputs.y[row]),
            "votes": outputs.votes[:, row],
            "proba": None if outputs.proba is None else np.round(outputs.proba[:, row], _DIGITS),
        }

    def sentence(self, told: dict[str, Any]) -> str:
        """Say the error with its limits."""
        return f"error {told['error']:.4f} ({told['low']:.4f} to {told['high']:.4f})"


@dataclass(kw_only=True)
class NumberEnsemble(Ensemble):
    """Members that estimate numbers.

    Attributes
    ----------
    shift : float
        What the ensemble adds to the mean of its members.
    """

    outputs: MemberPredictions
    shift: float = 0.0

    printing = (
        'r2 = float("nan") if told["r2"] is None else told["r2"]',
        "print(f\"RMSE {told['error']:.6f} ({told['low']:.6f} to {told['high']:.6f}), \"",
        "      f\"mean absolute error {told['mae']:.6f}, R2 {r2:.6f}, \"",
        "      f\"{told['n_members']} members\")",
    )

    @cached_property
    def what(self) -> NumberWhatIf:
        """The members, to be combined in one way after another."""
        return NumberWhatIf(self.outputs, self.own, shift=self.shift)

    @property
    def truth(self) -> NDArray:
        """The true numbers, (n_samples,)."""
        return self.outputs.y

    @property
    def errors(self) -> NDArray:
        """Root of the mean squared error of each member."""
        return np.sqrt(self.what.seen.errors)

    def pairs(self, members: NDArray) -> dict[str, Any]:
        """Say how far the errors of every two go together."""
        return number_pair_matrix(self.what.seen.take(members))

    def kind(self) -> dict[str, Any]:
        """Say how far the truth ranges."""
        y = self.outputs.y
        return {"numbers": True, "spread": y.std(), "range": [y.min(), y.max()]}

    def said(self, row: int) -> dict[str, Any]:
        """Return the truth and the number each member gives."""
        return {"truth": float(self.outputs.y[row]), "said": self.outputs.values[:, row]}

    def sentence(self, told: dict[str, Any]) -> str:
        """Say the RMSE with its limits."""
        return f"RMSE {figure(told['error'])} ({figure(told['low'])} to {figure(told['high'])})"
