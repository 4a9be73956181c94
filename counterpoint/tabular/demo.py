"""The demo: one data set, three ensembles, how their members disagree and what it is worth."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import lt
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from counterpoint._interrupts import whole
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint._validation import check_count
from counterpoint._versions import versions
from counterpoint.base import draw_seed
from counterpoint.datasets import TabularEncoder, load
from counterpoint.tabular.assessment import Assessment, assess
from counterpoint.tabular.members import SHOWN_MEASURES, measure_answers
from counterpoint.tabular.plain import plain
from counterpoint.tabular.words import percent

# On the vowels the least accurate members make the best votes: the lesson in one table.
DEFAULT_DATASET = "vowel"


@dataclass(frozen=True)
class DemoMethod:
    """One ensemble of the demo; all but ``errors`` speaks of the first split."""

    name: str
    recipe: str  # how its members are made
    errors: np.ndarray  # (n_splits,), on test rows, by its own ``predict``
    outputs: MemberOutputs  # of the test rows
    measures: dict[str, Any]  # by name, with the ensemble's own answers
    verdict: str  # what the members' disagreement is worth

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "name": self.name,
            "recipe": self.recipe,
            "n_members": self.outputs.n_members,
            **_errors(self.errors),
            "measures": self.measures,
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class DemoResult:
    """What :func:`run_demo` found."""

    dataset: str
    description: str  # what it is, with licence and citation
    n_train: int
    n_test: int
    n_features: int  # before encoding
    own_split: bool  # whether the data set comes with a split, which the demo does not use
    classes: list[str]
    n_estimators: int
    n_splits: int
    random_state: int
    tree_errors: np.ndarray  # (n_splits,), test error of a single tree
    methods: list[DemoMethod]  # bagging, a random forest and AdaBoost
    models: dict[str, Pipeline]  # of the first split, the single tree too, the encoder before them
    X: pd.DataFrame  # as loaded
    y: np.ndarray
    train: np.ndarray  # rows of the first split
    test: np.ndarray

    @property
    def best(self) -> DemoMethod:
        """The ensemble with the lowest mean error over the splits."""
        return min(self.methods, key=lambda method: float(method.errors.mean()))

    def assess_best(self) -> Assessment:
        """Look at the best ensemble closely, on the first split, against the same single tree."""
        best = self.best
        made = assess(
            self.models[best.name],
            self.X.iloc[self.test],
            self.y[self.test],
            title=f"{best.name} on {self.dataset}",
            X_train=self.X.iloc[self.train],
            y_train=self.y[self.train],
            baselines={"single tree": self.models["Single tree"]},
            random_state=self.random_state,
            facts={"Data": self.description.partition("\n")[0], "Members are": best.recipe},
        )
        return cast(Assessment, made)

    def summary(self) -> dict[str, Any]:
        """Return how it was run, a row per method, remarks and verdicts, as plain data."""
        methods = [method.summary() for method in self.methods]
        tree = {"name": "Single tree", **_errors(self.tree_errors)}
        return plain(
            {
                **{name: getattr(self, name) for name in _PLAIN},
                "title": self.description.partition("\n")[0],
                "tree": tree,
                "methods": methods,
                "best": self.best.name,
                "shown_measures": list(SHOWN_MEASURES),
                "remarks": _remarks(tree, methods),
                "command": f"counterpoint demo --dataset {self.dataset} --n-estimators "
                f"{self.n_estimators} --n-splits {self.n_splits} --random-state "
                f"{self.random_state}",
                "versions": versions(),
            }
        )


_PLAIN = (
    "dataset", "description", "n_train", "n_test", "n_features", "own_split", "classes",
    "n_estimators", "n_splits", "random_state",
)  # fmt: skip


def run_demo(
    dataset: str = DEFAULT_DATASET,
    *,
    n_estimators: int = 50,
    n_splits: int = 5,
    random_state: int = 0,
    progress: bool | None = None,
) -> DemoResult:
    """Train a tree, bagging, a random forest and AdaBoost; measure how the members disagree.

    Half of the rows, drawn at random by class, are for training, also where the data set has a
    split of its own. Errors come from ``n_splits`` such splits, everything else from the first.

    Parameters
    ----------
    dataset : str, default="vowel"
        A name that :func:`counterpoint.datasets.load` knows.
    n_estimators : int, default=50
        Members of each ensemble. AdaBoost may stop earlier.
    n_splits : int, default=5
        Random splits the errors are averaged over.
    random_state : int, default=0
        Seeds the splits and the learners.
    progress : bool or None, default=None
        Draw a progress bar; None does so on a terminal.

    Returns
    -------
    DemoResult

    Examples
    --------
    >>> from counterpoint.tabular.demo import run_demo
    >>> result = run_demo("iris", n_estimators=5, n_splits=2, progress=False)
    >>> [method.name for method in result.methods]
    ['Bagging', 'Random forest', 'AdaBoost']
    >>> result.n_train, result.n_test, result.tree_errors.shape
    (75, 75, (2,))
    """
    check_count(n_estimators, "n_estimators", low=2)
    check_count(n_splits, "n_splits")
    data = load(dataset)
    y = data.y.astype(str).to_numpy(dtype=str)
    _check_classes(data.name, y)
    rng = check_random_state(random_state)
    splitter = StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=draw_seed(rng))
    recipes = _recipes(n_estimators, len(np.unique(y)))
    errors: dict[str, list[float]] = {name: [] for name, _, _ in recipes}
    measured: dict[str, tuple[MemberOutputs, dict, dict]] = {}
    models: dict[str, Pipeline] = {}
    splits = [(train, test, draw_seed(rng)) for train, test in splitter.split(data.X, y)]
    for train, test, seed in track(splits, description="Training", show=progress):
        encoder = TabularEncoder().fit(data.X.iloc[train])
        X_train, X_test = (encoder.transform(data.X.iloc[rows]) for rows in (train, test))
        for name, _, make in recipes:
            with whole():
                model: Any = make(seed).fit(X_train, y[train])
            answers = model.predict(X_test)
            errors[name].append(float(np.mean(answers != y[test])))
            if name not in models:
                models[name] = Pipeline([("encode", encoder), ("model", model)])
                if hasattr(model, "estimators_"):
                    outputs = MemberOutputs.from_estimator(model, X_test, y[test])
                    measured[name] = (outputs, *measure_answers(outputs, answers))
    return DemoResult(
        dataset=data.name,
        description=data.DESCR,
        n_train=len(splits[0][0]),
        n_test=len(splits[0][1]),
        n_features=data.X.shape[1],
        own_split=data.split is not None,
        classes=[str(label) for label in np.unique(y)],
        n_estimators=n_estimators,
        n_splits=n_splits,
        random_state=random_state,
        tree_errors=np.array(errors[recipes[0][0]]),
        methods=[
            DemoMethod(name, recipe, np.array(errors[name]), outputs, measures, value["verdict"])
            for name, recipe, _ in recipes[1:]
            for outputs, measures, value in [measured[name]]
        ],
        models=models,
        X=data.X,
        y=y,
        train=splits[0][0],
        test=splits[0][1],
    )


def _recipes(
    n_estimators: int, n_classes: int
) -> list[tuple[str, str, Callable[[int], ClassifierMixin]]]:
    """Return for each method its name, how it is made in words, and how with a seed."""
    # AdaBoost stops at a member that knows its training rows by heart, so its trees are kept
    # short; they must still have leaves enough for every class.
    depth = 2 + math.ceil(math.log2(n_classes))
    return [
        (
            "Single tree",
            "one fully grown tree",
            lambda seed: DecisionTreeClassifier(random_state=seed),
        ),
        (
            "Bagging",
            "full trees on bootstrap samples of the rows",
            lambda seed: BaggingClassifier(n_estimators=n_estimators, random_state=seed),
        ),
        (
            "Random forest",
            "bagging, and each cut looks at a few random columns only",
            lambda seed: RandomForestClassifier(n_estimators=n_estimators, random_state=seed),
        ),
        (
            "AdaBoost",
            f"trees of depth {depth}, each on rows reweighted towards earlier mistakes",
            lambda seed: AdaBoostClassifier(
                DecisionTreeClassifier(max_depth=depth),
                n_estimators=n_estimators,
                random_state=seed,
            ),
        ),
    ]


def _errors(errors: np.ndarray) -> dict[str, Any]:
    # Splits share rows, so the spread tells how far one split can mislead, no more than that.
    spread = errors.std(ddof=1) if len(errors) > 1 else math.nan
    return {
        "error": float(errors[0]),
        "errors": errors.tolist(),
        "error_mean": float(errors.mean()),
        "error_spread": float(spread),
    }


def _remarks(tree: dict[str, Any], methods: list[dict[str, Any]]) -> list[str]:
    """Return what the table says, in sentences; none where the numbers say nothing."""

    def value(method: dict[str, Any], name: str) -> float:
        return method["measures"][name]["value"]

    best = min(methods, key=lambda method: method["error_mean"])
    if best["error_mean"] < tree["error_mean"]:
        remarks = [
            f"Over all splits a single tree errs {percent(tree['error_mean'])} of the time; the "
            f"best ensemble, {best['name']}, {percent(best['error_mean'])}."
        ]
    else:
        remarks = [
            "Over all splits no ensemble does better than a single tree, which errs "
            f"{percent(tree['error_mean'])} of the time."
        ]
    weak = max(methods, key=lambda method: value(method, "member_error"))
    if value(weak, "member_error") > tree["error"] > weak["error"]:
        remarks.append(
            f"The members of {weak['name']} err most, {percent(value(weak, 'member_error'))} each "
            f"on average, more than a single tree; together they err {percent(weak['error'])}. "
            "Their mistakes differ, and a vote cancels them."
        )
    measured = [method for method in methods if value(method, "label_kappa") is not None]
    if len(measured) > 1:
        alike = sorted(measured, key=lambda method: value(method, "label_kappa"))
        remarks.append(
            f"Least alike are the members of {alike[0]['name']} (kappa "
            f"{value(alike[0], 'label_kappa'):.2f}), most alike those of {alike[-1]['name']} "
            f"({value(alike[-1], 'label_kappa'):.2f})."
        )
        # On every split, or it might be chance.
        if len(best["errors"]) > 1 and all(map(lt, best["errors"], alike[0]["errors"])):
            remarks.append(
                f"More disagreement alone does not make the better vote: {best['name']} errs less "
                f"than {alike[0]['name']} on every split, with members that agree more."
            )
    return remarks


def _check_classes(name: str, y: np.ndarray) -> None:
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        raise ValueError(f"{name!r} has one class only, {str(labels[0])!r}: nothing to learn.")
    if counts.min() < 2:
        rare = ", ".join(repr(str(label)) for label in labels[counts < 2])
        raise ValueError(
            f"{name!r} has a single row of class {rare}: a split needs at least two of each, one "
            "to train on and one to test. Choose another data set."
        )
