"""How good a fitted classifier is on rows it has not seen, and what its members add.

The one place where the numbers of a model are computed: the terminal, the page and JSON show
:meth:`Assessment.summary`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils import check_random_state

from counterpoint import _members
from counterpoint._outputs import MemberOutputs
from counterpoint.base import draw_seed
from counterpoint.combiners import Combiner, combiner_of
from counterpoint.exceptions import MemberError
from counterpoint.tabular.assessed import Assessed
from counterpoint.tabular.baselines import compare_with_baselines
from counterpoint.tabular.calibration import describe_calibration
from counterpoint.tabular.class_scores import (
    class_rows,
    confusion,
    describe_classes,
    missed_classes,
)
from counterpoint.tabular.column import Column
from counterpoint.tabular.deciding import find_decision, undecided
from counterpoint.tabular.decision_gain import decision_warnings, describe_decision
from counterpoint.tabular.describing import model_title
from counterpoint.tabular.explanation import as_rows
from counterpoint.tabular.inputs import (
    UNKNOWN_RULE,
    ask_members,
    check_inputs,
    check_limits,
    describe_rows,
    draw_rows,
    name_columns,
)
from counterpoint.tabular.members import describe_combiner, describe_members
from counterpoint.tabular.number_assessment import NumberAssessment, assess_numbers
from counterpoint.tabular.prediction import judging_rows
from counterpoint.tabular.scores import score_on
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import percent

_MOST_ROWS = 10_000
_CHANCE = 0.05


@dataclass(frozen=True, kw_only=True)
class Assessment(Assessed):
    """What is known of a fitted classifier; made by :func:`assess`.

    Besides what :class:`~counterpoint.tabular.assessed.Assessed` holds:

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    score : Score
    baselines : dict of str to Score
        The majority class, a single tree, logistic regression.
    against : dict of str to (int, int, float)
        Rows that only the simple model, or only this one, has wrong, and the p-value of that.
    outputs : MemberOutputs or None
    combiner : Combiner or None
        Its rule to make one answer of theirs, where it is known.
    """

    classes: NDArray
    combiner: Combiner | None

    task = "classification"
    _compared = ("only_this", "only_model", "p")

    def summary(self, *, tree: bool = True) -> dict[str, Any]:
        """Return all of it as plain data: what the terminal, the page and JSON show.

        Parameters
        ----------
        tree : bool, default=True
            Whether to make a tree that stands for the model and to look at its columns, which may
            take a while.

        Returns
        -------
        dict
            ``headline``, ``title``, ``model``, ``facts``, ``data``, ``score`` (error with limits,
            log-loss), ``by_class`` (recall, precision, balanced error, AUC), ``warnings``,
            ``baselines``, ``confusion``, ``members`` (None for a classifier without,
            and then ``no_members`` says why), ``tree``, ``notes``, ``fit`` (how it was made, if
            by :func:`~counterpoint.tabular.fit`) and ``versions``; undefined is None.
        """
        return self._summary(tree=tree)

    def _describe_members(self, outputs: Any, **options: Any) -> dict[str, Any]:
        combiner = self.combiner if self.decision is None else None
        return describe_members(outputs, combiner, self.X, self.answers, **options)

    def _describe_data(self) -> dict[str, Any]:
        return {"classes": class_rows(self.y, self.classes)}

    def _own_parts(self) -> dict[str, Any]:
        return {
            "by_class": self.by_class,
            "decision": self.decision,
            "confusion": confusion(self.y, self.answers, self.classes),
            "calibration": describe_calibration(self.proba, self.y, self.classes),
        }

    @cached_property
    def by_class(self) -> dict[str, Any]:
        """How it does on each class: recall, precision, balanced error, AUC."""
        return describe_classes(self.y, self.answers, self.proba, self.classes)

    @cached_property
    def proba(self) -> NDArray | None:
        """Probabilities of the classes, (n_samples, n_classes); None if there are none."""
        return self.model.predict_proba(self.X) if hasattr(self.model, "predict_proba") else None

    @cached_property
    def decision(self) -> dict[str, Any] | None:
        """What its answers are made for and what that gains; None: it says the most probable."""
        return describe_decision(self.model, self.proba, self.y, self.classes)

    def warnings(self) -> list[str]:
        """Say, loudly, if a simple model is as good on these rows, and which classes are missed."""
        missed = missed_classes(self.by_class)
        if self.decision is not None:
            # Made for something else than few errors; costs say themselves what may be missed.
            told = decision_warnings(self.decision)
            return told if self.decision["costs"] is not None else [*told, *missed]
        best = self._as_good()
        if best is None:
            return missed
        text = (
            f"NOT BETTER THAN {best.upper()} on the test rows: {percent(self.score.error)} of them "
            f"wrong, {percent(self.baselines[best].error)} by the simple model."
        )
        # Made to find rare classes, it may err more than the majority and be worth it.
        blind = 1 - 1 / sum(row["rows"] > 0 for row in self.by_class["rows"])
        balanced, most = self.by_class["balanced_error"], self.by_class["balanced_high"]
        majority = self.baselines.get("majority class")
        if majority is not None and majority.error <= self.score.error and most < blind:
            text += (
                f" With every class counting the same it is better than always saying one class: "
                f"{percent(balanced)} wrong, not {percent(blind)}."
            )
        return [text, *missed]

    def _combination(self) -> tuple[str | None, str | None]:
        if self.outputs is None or self.outputs.votes is None:
            return None, None
        return describe_combiner(self.combiner, self.outputs)

    def _headline(self) -> str:
        own = self.score
        text = (
            f"It errs on {percent(own.error)} of {own.n} rows; by chance of these rows the true "
            f"rate may lie anywhere from {percent(own.low)} to {percent(own.high)} (95 % "
            "confidence)."
        )
        if not self.baselines:
            return text
        if "majority class" in self.baselines:
            base = self.baselines["majority class"].error
            text += f" Always saying the commonest class errs on {percent(base)}."
        best, same_kind = self._best_simple()
        error, (only_this, only_model, p) = self.baselines[best].error, self.against[best]
        if same_kind:
            return (
                f"{text} It is of the same kind as the best simple model, {best}, which errs on "
                f"{percent(error)}."
            )
        text += f" The best simple model, {best}, errs on {percent(error)}"
        if only_this == only_model:
            return text + ", just as often."
        if p >= _CHANCE:
            return text + ", a difference that may be chance."
        return text + (", clearly more." if error > own.error else ", clearly less.")


def assess(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    title: str | None = None,
    X_train: Any = None,
    y_train: Any = None,
    names: list[str] | None = None,
    feature_names: list[str] | None = None,
    random_state: Any = 0,
    max_members: int = 100,
    max_rows: int | None = _MOST_ROWS,
    baselines: Mapping[str, Any] | None = None,
    facts: Mapping[str, Any] | None = None,
    separator: str | None = None,
    columns: Sequence[Column] | None = None,
) -> Assessment | NumberAssessment:
    """Try a fitted model on rows it has not seen, and look at what its members add.

    Parameters
    ----------
    model : classifier, regressor or TableModel
        Fitted: any that :meth:`counterpoint.MemberOutputs.from_estimator` takes, pipelines and
        searches around one included, a classifier without members, or what
        :func:`~counterpoint.tabular.fit` or ``load`` returned.
    X : array-like or frame of shape (n_samples, n_features)
        Rows the classifier was *not* trained on, as it takes them. For a TableModel: a table
        with labels, or its file; rows it was trained on are left out.
    y : array-like of shape (n_samples,)
        Their labels; not for a TableModel.
    title : str, default=None
        What to call it. None: the class of the model and the number of its members.
    X_train, y_train : array-like, default=None
        Rows it was trained on. With them the simple models learn from the same rows, and the
        single tree is made from them; without, both must make do with the rows of X.
    names : list of str, default=None
        What to call the members.
    feature_names : list of str, default=None
        What to call the columns; None: as in X or in the model.
    random_state : int, RandomState instance or None, default=0
        Seeds the draws of rows, the parts of a cross-validation and the trees.
    max_members : int, default=100
        Members in the pictures of pairs; of more, some evenly spaced are shown.
    max_rows : int or None, default=10000
        Rows to look at; of more, some drawn at random. Fewer where there are thousands of
        members; None: as many as the memory of their answers allows.
    baselines : mapping of str to classifier, default=None
        Simple models that are fitted already, by name ("single tree"): these are asked.
    facts : mapping of str to str, default=None
        More to say about the model, such as where the data came from.
    separator : str, default=None
        What stands between two fields of a file.
    columns : sequence of Column, default=None
        What the columns of the table were taken for, whose units the one tree speaks in; a
        TableModel knows them.

    Returns
    -------
    Assessment or NumberAssessment

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular import assess
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> summary = assess(forest, X[1::2], y[1::2]).summary()
    >>> summary["model"]["name"], summary["data"]["n_rows"], summary["members"]["n_members"]
    ('RandomForestClassifier', 75, 10)
    """
    if isinstance(model, TableModel):
        name, X, y, notes = judging_rows(model, X, separator=separator)
        options: dict[str, Any] = {
            "title": title or model.title(name), "X_train": model.X_train,
            "y_train": model.y_train, "random_state": random_state, "max_members": max_members,
            "max_rows": max_rows, "facts": facts or model.facts(name), "columns": model.columns,
        }  # fmt: skip
        if model.task == "regression":
            result: Any = assess_numbers(model.model, X, y, residuals=model.residuals, **options)
        else:
            result = assess(model.model, X, y, **options)
        return replace(result, notes=[*notes, *result.notes])
    if not _members.is_pool(model) and is_regressor(_members.strip(model)[1]):
        return assess_numbers(
            model, as_rows(X), y, title=title, X_train=as_rows(X_train), y_train=y_train,
            names=names, feature_names=feature_names, random_state=random_state,
            max_members=max_members, max_rows=max_rows, baselines=baselines, facts=facts,
            columns=columns,
        )  # fmt: skip
    labels = check_inputs(model, X, y, X_train, y_train)
    check_limits(max_members, max_rows)
    rng = check_random_state(random_state)
    n_given = len(labels)
    X, X_train = as_rows(X), as_rows(X_train)
    X, labels = draw_rows(X, labels, max_rows, rng, partial(_n_shares, model))
    answers = np.asarray(model.predict(X))
    outputs = combiner = None
    no_members = ""
    try:
        outputs = ask_members(model, X, labels, names)
    except MemberError as error:
        no_members = str(error)
    else:
        combiner = combiner_of(undecided(model), X, outputs)
    seed = draw_seed(rng)
    scores, tests, learnt_from = compare_with_baselines(
        answers, X, labels, X_train=X_train, y_train=y_train, fitted=baselines,
        random_state=random_state if isinstance(random_state, int) else seed,
    )  # fmt: skip
    return Assessment(
        model=model,
        X=X,
        y=labels,
        answers=answers,
        classes=np.asarray(getattr(model, "classes_", np.unique(labels))),
        score=score_on(model, X, labels),
        baselines=scores,
        against=tests,
        learnt_from=learnt_from,
        outputs=outputs,
        combiner=combiner,
        no_members=no_members,
        notes=[
            *describe_rows(answers, labels, n_given),
            *_describe_rule(model, outputs, combiner),
        ],
        n_given=n_given,
        X_train=X_train,
        y_train=y_train,
        feature_names=name_columns(X, model, feature_names),
        max_members=max_members,
        seed=seed,
        title=title or model_title(model, outputs),
        facts=dict(facts or {}),
        columns=columns,
    )


# -- parts -------------------------------------------------------------------------------------


def _n_shares(model: Any, row: Any) -> int:
    """Return how many shares members tell about a row, one each for each class."""
    n_members = MemberOutputs.from_estimator(model, row).n_members
    return n_members * len(getattr(model, "classes_", [0, 1]))


def _describe_rule(
    model: Any, outputs: MemberOutputs | None, combiner: Combiner | None
) -> list[str]:
    """Say where it is not known how answers are made of those of members."""
    if find_decision(model) is not None and outputs is not None and outputs.n_members > 1:
        return ["A threshold makes the answers, so what each member adds to them is not told."]
    if outputs is not None and outputs.votes is not None and combiner is None:
        return [UNKNOWN_RULE]
    return []
