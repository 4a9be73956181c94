"""Trials of an estimator: draw a training set, fit a clone, and keep what it says on test data."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils import resample as draw_rows

from counterpoint._interrupts import keep_partial, whole
from counterpoint._progress import track
from counterpoint.base import MAX_SEED, set_random_states
from counterpoint.decomposition.inputs import encode
from counterpoint.exceptions import MemberError

Output = Literal["labels", "values", "proba"]

# a bootstrap that misses a class is drawn again; a class too rare for this many draws may miss
_MAX_DRAWS = 100


@dataclass(frozen=True)
class Task:
    """All that a trial needs to know, but its seed.

    ``output`` is what the model is asked for; labels come back as positions in ``classes``.
    """

    estimator: Any
    X: Any
    y: NDArray
    X_test: Any
    resample: str | Callable
    n_train: int
    output: Output
    classes: NDArray | None
    members: bool


class Answer(NamedTuple):
    """Answer of a trained model on the test data, its own and those of its members.

    Axes are (n_samples[, n_classes]) and (n_members, n_samples[, n_classes]); ``members`` is
    None where they were not asked or cannot be taken out.
    """

    own: NDArray
    members: NDArray | None


def run_trials(task: Task, n_trials: int, *, n_jobs, rng, progress) -> list[Answer]:
    """Run the trials in parallel, in order; keep the finished ones on an interruption.

    Every seed is drawn before the first trial starts, so the number of jobs changes nothing.
    """
    seeds = rng.randint(MAX_SEED, size=n_trials)
    jobs = (delayed(run_trial)(task, seed) for seed in seeds)
    done: list[Answer] = []
    outputs = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    results = track(outputs, total=n_trials, description="Training", show=progress)
    try:
        for answer in results:
            if answer is None:
                raise KeyboardInterrupt
            done.append(answer)
    except KeyboardInterrupt:
        with warnings.catch_warnings():
            # joblib would tell of the tasks it calls off
            warnings.simplefilter("ignore")
            results.close()
        if len(done) < 2:
            raise
        keep_partial(
            f"the decomposition rests on the {len(done)} trials of {n_trials} that were finished.",
            stacklevel=4,
        )
    return done


def run_trial(task: Task, seed: int) -> Answer | None:
    """Train a clone on a training set drawn with ``seed`` and ask it about the test data.

    None if interrupted. An exception would come out of order, before the results of
    trials that were finished earlier.
    """
    rng = np.random.RandomState(seed)
    try:
        X, y = _draw(task, rng)
        with whole():
            model = set_random_states(clone(task.estimator), rng, only_missing=True).fit(X, y)
        return Answer(_ask(task, model), _ask_members(task, model) if task.members else None)
    except KeyboardInterrupt:
        return None


def _draw(task: Task, rng: np.random.RandomState):
    if callable(task.resample):
        drawn = task.resample(rng)
        if not (isinstance(drawn, tuple | list) and len(drawn) == 2):
            raise TypeError(
                f"resample(random_state) returned {type(drawn).__name__}: it must return a pair "
                "(X, y), a training set."
            )
        check_consistent_length(*drawn)
        return drawn
    n_classes = 0 if task.classes is None else len(pd.unique(task.y))
    for _ in range(_MAX_DRAWS):
        X, y = draw_rows(
            task.X,
            task.y,
            replace=task.resample == "bootstrap",
            n_samples=task.n_train,
            random_state=rng,
        )
        if len(pd.unique(y)) >= n_classes or task.classes is None:
            break
    return X, y


def _ask(task: Task, model) -> NDArray:
    if task.output == "values":
        return np.asarray(model.predict(task.X_test), dtype=np.float64)
    assert task.classes is not None
    if task.output == "labels":
        labels = np.asarray(model.predict(task.X_test))
        return encode(labels, task.classes, "the estimator's prediction")
    if not hasattr(model, "predict_proba"):
        raise TypeError(
            f"this loss needs probabilities, but {type(model).__name__} has no predict_proba: "
            "wrap it in CalibratedClassifierCV, or use loss='zero-one'."
        )
    return _spread(model.predict_proba(task.X_test), model.classes_, task.classes)


def _ask_members(task: Task, model) -> NDArray | None:
    # imported late: member outputs bring in the compiled kernels
    from counterpoint._outputs import MemberOutputs
    from counterpoint._predictions import member_predictions

    try:
        if task.output == "values":
            return member_predictions(model, task.X_test)
        outputs = MemberOutputs.from_estimator(model, task.X_test)
    except MemberError:
        return None
    assert task.classes is not None
    if task.output == "labels":
        place = encode(np.asarray(outputs.classes), task.classes, "the ensemble's classes_")
        return place[outputs.votes]
    if outputs.proba is None:
        return None
    return _spread(outputs.proba, outputs.classes, task.classes)


def _spread(proba: NDArray, known, classes: NDArray) -> NDArray:
    """Put probabilities of the classes a model knows in the places of all classes."""
    proba = np.asarray(proba, dtype=np.float64)
    if proba.shape[-1] == len(classes):
        return proba
    wide = np.zeros((*proba.shape[:-1], len(classes)))
    wide[..., encode(np.asarray(known), classes, "the estimator's classes_")] = proba
    return wide
