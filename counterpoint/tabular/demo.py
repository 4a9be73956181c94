"""The demo: our methods on a shipped table, how their members disagree, one tree for them all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from counterpoint._interrupts import whole
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import quiet, track
from counterpoint._validation import check_count
from counterpoint._versions import versions
from counterpoint.base import draw_seed
from counterpoint.datasets import load
from counterpoint.tabular.assessment import Assessment, assess
from counterpoint.tabular.explanation import Explanation, explain
from counterpoint.tabular.members import SHOWN_MEASURES, measure_answers
from counterpoint.tabular.methods import METHODS, find_method, make_method
from counterpoint.tabular.plain import plain
from counterpoint.tabular.training import warnings_as_notes
from counterpoint.tabular.tree_makers import trees_of
from counterpoint.tabular.words import percent

# Chosen by looking at six shipped tables: our methods win here, networks among them, and one tree
# still says nearly all of it. On others (vehicle, vowel) a single tree cannot.
DEFAULT_DATASET = "tic-tac-toe"
SINGLE, FOREST = "Single tree", "Random forest"
_NAMES = {
    "tree": SINGLE,
    "random-forest": FOREST,
    "adaboost": "AdaBoost",
    "adaboost-nc": "AdaBoost.NC",
    "ncl": "Networks together",
    "auto": "Auto",
}
DEFAULT_METHODS = tuple(name for name in _NAMES if name != "tree")
"""What the demo trains beside a single tree: the usual forest, and four of ours."""


@dataclass(frozen=True)
class DemoMethod:
    """One ensemble of the demo; all but ``errors`` speaks of the first split."""

    name: str
    method: str  # its name in METHODS
    recipe: str  # how its members are made
    errors: np.ndarray  # (n_splits,), on test rows, by its own ``predict``
    outputs: MemberOutputs  # of the test rows
    measures: dict[str, Any]  # by name, with the ensemble's own answers
    verdict: str  # what the members' disagreement is worth
    agrees: float  # share of the test rows on which the one tree says the same

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            "name": self.name,
            "method": self.method,
            "recipe": self.recipe,
            "n_members": self.outputs.n_members,
            **_errors(self.errors),
            "agrees": self.agrees,
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
    time_limit: float | None
    n_splits: int
    random_state: int
    tree_errors: np.ndarray  # (n_splits,), test error of a single tree
    methods: list[DemoMethod]
    models: dict[str, Pipeline]  # of the first split, the single tree too, the encoder before them
    one_tree: Explanation  # in place of the best ensemble that consists of trees
    one_tree_of: str  # its name
    notes: list[str]  # what learners had to say
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
            baselines={"single tree": self.models[SINGLE]},
            random_state=self.random_state,
            facts={"Data": self.description.partition("\n")[0], "Members are": best.recipe},
        )
        return cast(Assessment, made)

    def summary(self) -> dict[str, Any]:
        """Return how it was run, a row per method, remarks and verdicts, as plain data."""
        methods = [method.summary() for method in self.methods]
        tree = {"name": SINGLE, **_errors(self.tree_errors)}
        one = {
            **self.one_tree.summary(),
            "of": self.one_tree_of,
            "sentences": list(self.one_tree.sentences()),
        }
        named = ",".join(method.method for method in self.methods)
        chosen = "" if named == ",".join(DEFAULT_METHODS) else f" --methods {named}"
        limit = 0.0 if self.time_limit is None else self.time_limit
        return plain(
            {
                **{name: getattr(self, name) for name in _PLAIN},
                "title": self.description.partition("\n")[0],
                "tree": tree,
                "methods": methods,
                "best": self.best.name,
                "one_tree": one,
                "shown_measures": list(SHOWN_MEASURES),
                "remarks": [*_remarks(tree, methods), *_one_tree_remark(one, methods)],
                "command": f"counterpoint demo --dataset {self.dataset}{chosen} --n-splits "
                f"{self.n_splits} --time-limit {limit:g} --random-state {self.random_state}",
                "notes": self.notes,
                "versions": versions(),
            }
        )


_PLAIN = (
    "dataset", "description", "n_train", "n_test", "n_features", "own_split", "classes",
    "n_splits", "random_state", "time_limit",
)  # fmt: skip


def run_demo(
    dataset: str = DEFAULT_DATASET,
    *,
    methods: Sequence[str] = DEFAULT_METHODS,
    n_splits: int = 3,
    time_limit: float | None = 15.0,
    random_state: int = 0,
    progress: bool | None = None,
) -> DemoResult:
    """Train a single tree and ensembles on a shipped table; measure how the members disagree.

    Half of the rows, drawn at random by class, are for training, also where the data set has a
    split of its own. Errors come from ``n_splits`` such splits, everything else from the first. In
    place of the best ensemble of trees one tree is made, as
    :func:`~counterpoint.tabular.explain` does, and asked how often it says what each of the
    ensembles says.

    Parameters
    ----------
    dataset : str, default="tic-tac-toe"
        A name that :func:`counterpoint.datasets.load` knows.
    methods : sequence of str
        Keys of :data:`~counterpoint.tabular.METHODS`, each an ensemble. By default a random forest,
        AdaBoost, AdaBoost.NC, networks trained together and "auto".
    n_splits : int, default=3
        Random splits the errors are averaged over.
    time_limit : float or None, default=15.0
        Seconds for "auto" on each split; compiling, which is done once, is not counted.
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
    >>> result = run_demo("iris", methods=["adaboost", "ncl"], n_splits=2, progress=False)
    >>> [method.name for method in result.methods]
    ['AdaBoost', 'Networks together']
    >>> result.n_train, result.n_test, result.tree_errors.shape
    (75, 75, (2,))
    """
    check_count(n_splits, "n_splits")
    if isinstance(methods, str) or not methods:
        raise ValueError(f"methods={methods!r}: give a list of at least one name.")
    for name in methods:
        find_method(name)
    data = load(dataset)
    y = data.y.astype(str).to_numpy(dtype=str)
    _check_classes(data.name, y)
    rng = check_random_state(random_state)
    splitter = StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=draw_seed(rng))
    splits = [(train, test, draw_seed(rng)) for train, test in splitter.split(data.X, y)]
    every = dict.fromkeys(["tree", *methods])
    jobs = [(k, name) for k in range(n_splits) for name in every]
    errors: dict[str, list[float]] = {name: [] for name in every}
    models: dict[str, Pipeline] = {}
    answers: dict[str, np.ndarray] = {}
    notes: list[str] = []
    bar = track(jobs, description="Training", show=progress, name=_job_name)
    for k, name in bar:
        train, test, seed = splits[k]
        told: list[str] = []
        with whole(), quiet(), warnings_as_notes(told):
            model = make_method(
                name, random_state=seed, time_limit=time_limit, progress=False
            ).fit(data.X.iloc[train], y[train])  # fmt: skip
        said = np.asarray(model.predict(data.X.iloc[test]))
        errors[name].append(float(np.mean(said != y[test])))
        if k == 0:
            models[name], answers[name] = model, said
            notes += [f"{_NAMES.get(name, name)}: {text}" for text in told]
    train, test, seed = splits[0]
    X_test, y_test = data.X.iloc[test], y[test]
    one_tree, one_tree_of = _one_tree(models, errors, data.X.iloc[train], y[train], X_test, y_test)
    tree_says = one_tree.predict(X_test)
    found = []
    for name in dict.fromkeys(methods):
        outputs = MemberOutputs.from_estimator(models[name], X_test, y_test)
        measures, value = measure_answers(outputs, answers[name])
        found.append(
            DemoMethod(
                name=_NAMES.get(name, name),
                method=name,
                recipe=METHODS[name].what,
                errors=np.array(errors[name]),
                outputs=outputs,
                measures=measures,
                verdict=value["verdict"],
                agrees=float(np.mean(tree_says == answers[name])),
            )
        )
    return DemoResult(
        dataset=data.name,
        description=data.DESCR,
        n_train=len(train),
        n_test=len(test),
        n_features=data.X.shape[1],
        own_split=data.split is not None,
        classes=[str(label) for label in np.unique(y)],
        time_limit=time_limit,
        n_splits=n_splits,
        random_state=random_state,
        tree_errors=np.array(errors["tree"]),
        methods=found,
        models={_NAMES.get(name, name): model for name, model in models.items()},
        one_tree=one_tree,
        one_tree_of=_NAMES.get(one_tree_of, one_tree_of),
        notes=notes,
        X=data.X,
        y=y,
        train=train,
        test=test,
    )


def _job_name(job: tuple[int, str]) -> str:
    return f"{_NAMES.get(job[1], job[1])}, split {job[0] + 1}"


def _one_tree(
    models: dict[str, Pipeline],
    errors: dict[str, list[float]],
    X: pd.DataFrame,
    y: np.ndarray,
    X_test: pd.DataFrame,
    y_test: np.ndarray,
) -> tuple[Explanation, str]:
    """Make one tree of the best ensemble of trees, or in place of the best where there is none."""
    ensembles = sorted((n for n in models if n != "tree"), key=lambda name: np.mean(errors[name]))
    of_trees = [name for name in ensembles if trees_of(models[name][-1]) is not None]
    name = next(iter(of_trees or ensembles))
    return explain(models[name], X, y, X_test=X_test, y_test=y_test, random_state=0), name


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
    remarks += _against_the_forest(methods)
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


def _against_the_forest(methods: list[dict[str, Any]]) -> list[str]:
    forest = next((method for method in methods if method["name"] == FOREST), None)
    if forest is None or len(forest["errors"]) < 2:
        return []
    better = [
        method["name"]
        for method in methods
        if method is not forest and all(map(lt, method["errors"], forest["errors"]))
    ]
    if not better:
        return ["None of the others errs less than the random forest on every split."]
    return [f"On every split fewer errors than the random forest: {', '.join(better)}."]


def _one_tree_remark(one: dict[str, Any], methods: list[dict[str, Any]]) -> list[str]:
    shares = [method["agrees"] for method in methods]
    says = percent(min(shares)) if len(shares) == 1 else (
        f"{percent(min(shares))} to {percent(max(shares))}"
    )  # fmt: skip
    return [
        f"One tree with {one['n_leaves']} leaves, made of {one['of']}, says what the ensembles say "
        f"on {says} of the test rows, and errs {percent(one['error'])} of the time."
    ]


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
