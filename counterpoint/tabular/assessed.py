"""What assessments of classes and of numbers share: the summary, and one tree for the model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar

from numpy.typing import NDArray

from counterpoint._versions import versions
from counterpoint.tabular.advice import advise
from counterpoint.tabular.baselines import SIMPLE_MODELS
from counterpoint.tabular.column import Column
from counterpoint.tabular.dependence import look_at_columns
from counterpoint.tabular.describing import SCHEMA, describe_model
from counterpoint.tabular.explanation import Explanation, explain
from counterpoint.tabular.inputs import n_columns
from counterpoint.tabular.plain import plain
from counterpoint.tabular.targets import Task
from counterpoint.tabular.telling import TELLINGS


@dataclass(frozen=True, kw_only=True)
class Assessed:
    """A model that was tried on rows; a task adds its own scores, members and parts.

    Attributes
    ----------
    model : classifier or regressor
        Fitted.
    X, y : rows and the truth about them
        Those it was tried on.
    answers : ndarray of shape (n_samples,)
        What it says about these rows.
    score : Score or NumberScore
        How it did.
    baselines : dict
        How simple models did: a score by name.
    against : dict
        Three numbers that hold each simple model against this one.
    learnt_from : str
        In words, what the simple models learnt from.
    outputs : MemberOutputs, MemberPredictions or None
        What its members said; None for a single model, and then ``no_members`` says why.
    no_members : str
    notes : list of str
        What to know about the rows.
    n_given : int
        Rows there were, of which ``X`` may hold some.
    X_train, y_train : rows and the truth about them, or None
        Those it was trained on.
    feature_names : list of str
    max_members : int
        Members in the pictures of pairs.
    seed : int
    title : str
    facts : dict of str to str
        More to say about the model.
    columns : sequence of Column or None
        What the columns of its table were taken for.
    """

    task: ClassVar[Task]
    _compared: ClassVar[tuple[str, str, str]]  # what ``against`` holds of each simple model

    model: Any
    X: Any
    y: NDArray
    answers: NDArray
    score: Any
    baselines: Any
    against: Any
    learnt_from: str
    outputs: Any
    no_members: str
    notes: list[str]
    n_given: int
    X_train: Any
    y_train: Any
    feature_names: list[str]
    max_members: int
    seed: int
    title: str
    facts: dict[str, str]
    columns: Sequence[Column] | None

    def warnings(self) -> list[str]:
        """Say, loudly, what nobody should miss."""
        raise NotImplementedError

    def _headline(self) -> str:
        raise NotImplementedError

    def _as_good(self) -> str | None:
        """Return the best simple model, of another kind, that does not err more; None if none."""
        measure = TELLINGS[self.task].measure
        own = getattr(self.score, measure)
        errors = {name: getattr(score, measure) for name, score in self.baselines.items()}
        simple = [name for name, error in errors.items() if error <= own]
        others = SIMPLE_MODELS[self.task].others(self.model, simple)
        return min(others, key=errors.__getitem__, default=None)

    def _best_simple(self) -> tuple[str, bool]:
        """Return the best simple model, and whether this one is of the same kind."""
        measure = TELLINGS[self.task].measure
        best = min(self.baselines, key=lambda name: getattr(self.baselines[name], measure))
        return best, not SIMPLE_MODELS[self.task].others(self.model, [best])

    def _describe_members(self, outputs: Any, **options: Any) -> dict[str, Any]:
        raise NotImplementedError

    def _combination(self) -> tuple[str | None, str | None]:
        raise NotImplementedError

    def _describe_data(self) -> dict[str, Any]:
        raise NotImplementedError

    def _own_parts(self) -> dict[str, Any]:
        raise NotImplementedError

    def _summary(self, *, tree: bool) -> dict[str, Any]:
        """Return all of it as plain data; with ``tree`` what takes a while, too."""
        one, no_tree = self._tree_or_reason if tree else (None, "It was not asked for.")
        members = None
        if self.outputs is not None:
            members = self._describe_members(
                self.outputs,
                feature_names=self.feature_names,
                max_members=self.max_members,
                first_columns=[] if one is None else one.important_columns(),
            )
        matter, how = None, None
        if tree:
            matter, how = look_at_columns(
                self.model, self.X, self.y, self.feature_names, random_state=self.seed,
                columns=self.columns or (),
            )  # fmt: skip
        shown = one and {**one.summary(), "from_training_rows": self.X_train is not None}
        rows = [
            {"name": name, **asdict(score), **dict(zip(self._compared, told, strict=True))}
            for name, score in self.baselines.items()
            for told in [self.against[name]]
        ]
        told = plain(
            {
                "schema": SCHEMA,
                "task": self.task,
                "headline": self._headline(),
                "warnings": self.warnings(),
                "title": self.title,
                "model": describe_model(
                    self.model, self.outputs, self._combination(), self.X_train
                ),
                "facts": [{"name": str(k), "value": str(v)} for k, v in self.facts.items()],
                "fit": None,
                "data": {
                    "n_rows": len(self.y),
                    "n_given": self.n_given,
                    "n_features": n_columns(self.X, self.model),
                    **self._describe_data(),
                },
                "score": asdict(self.score),
                "baselines": {"how": self.learnt_from, "rows": rows},
                "as_good": self._as_good(),
                **self._own_parts(),
                "importance": matter,
                "dependence": how,
                "members": members,
                "no_members": self.no_members,
                "tree": shown,
                "no_tree": no_tree,
                "notes": self.notes,
                "versions": versions(),
            }
        )
        return {**told, "advice": advise(told)}

    @cached_property
    def _tree_or_reason(self) -> tuple[Explanation | None, str]:
        options: dict[str, Any] = {"random_state": self.seed, "columns": self.columns}
        rows: tuple[Any, Any] = self.X, self.y
        if self.X_train is not None:
            options |= {"X_test": self.X, "y_test": self.y}
            rows = self.X_train, self.y_train
        try:
            return explain(self.model, *rows, **options), ""
        except (ValueError, TypeError) as error:
            return None, str(error)

    @property
    def tree(self) -> Explanation | None:
        """One tree that stands for the model, made when first asked for; None if none can be."""
        return self._tree_or_reason[0]
