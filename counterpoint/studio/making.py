"""From a table to members: what columns are taken for, and a fit that can be watched."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_choice
from counterpoint.combiners import MeanCombiner
from counterpoint.studio.ensembles import ClassEnsemble, Ensemble, NumberEnsemble
from counterpoint.studio.jobs import Job
from counterpoint.studio.opening import Source, ensemble_of_model, read_again
from counterpoint.tabular import NumberScore, look_at
from counterpoint.tabular import fit as fit_table
from counterpoint.tabular.members import evenly
from counterpoint.tabular.methods import find_method
from counterpoint.tabular.reader import TableFile
from counterpoint.tabular.taking import Use
from counterpoint.tabular.targets import TASKS, Task, find_task

if TYPE_CHECKING:
    from counterpoint.studio.session import Session

Data = dict[str, Any]
# Methods that have members which mean something alone, the one that tries many first.
OFFERED: dict[Task, tuple[str, ...]] = {
    "classification": (
        "auto", "random-forest", "adaboost-nc", "adaboost", "bagging", "ncl", "rotation",
        "extra-trees", "decorate",
    ),
    "regression": (
        "auto", "random-forest", "ncl", "bagging", "extra-trees", "selection", "experts",
    ),
}  # fmt: skip
_ROWS_WATCHED = 5000


def columns(session: "Session", data: Data) -> Data:
    """Say what each column is taken for, and why; with the wishes of whoever looks."""
    source = _need_table(session)
    target, wishes = data.get("target") or None, _wishes(data)
    task: Task | None = None
    if target is None:
        told = look_at(source.open()).summary()
    else:
        table = read_again(source, target, wishes)
        told = look_at(table, target).summary()
        try:
            task = _task_of(table, target, _task(data))
        except ValueError as error:
            why, asked, _ = str(error).partition("; use task=")
            # Whole numbers that may be either: the page asks.
            told["notes"] = [*told["notes"], f"{why}: say what it is." if asked else why]
    return {
        **told, "uses": list(get_args(Use)), "task": task,
        "methods": [
            {"name": name, "what": find_method(name, task).what} for name in OFFERED[task]
        ] if task else [],
    }  # fmt: skip


def fit(session: "Session", data: Data) -> Data:
    """Begin to fit; what happens is told by the events of the job."""
    source = _need_table(session)
    target, wishes = data["target"], _wishes(data)
    method, seed = data.get("method", "auto"), int(data.get("random_state", 0))
    limit = None if data.get("time_limit") is None else float(data["time_limit"])
    task = _task(data)
    table = read_again(source, target, wishes)
    check_choice(method, "method", OFFERED[_task_of(table, target, task)])
    watch = _Watch()

    def work() -> Data:
        fitted = fit_table(
            table, target, method, random_state=seed, progress=False, task=task,
            time_limit=limit,
        )  # fmt: skip
        options = {"random_state": seed, "time_limit": limit, "task": task}
        lines = _lines(source, target, wishes, method, options, watch.n_tried * job.stopped)
        ensemble = ensemble_of_model(fitted, lines)
        with session.lock:
            session.ensemble, session.target = ensemble, target
            session.version += 1
        score = fitted.score
        return {
            "error": score.rmse if isinstance(score, NumberScore) else score.error,
            "low": score.low, "high": score.high, "n_rows": score.n,
            "seconds": fitted.seconds, "notes": fitted.notes,
            "warnings": fitted.assessment.warnings(),
        }  # fmt: skip

    with session.lock:
        if session.job is not None and not session.job.is_over:
            raise ValueError("A fit is under way: stop it first.")
        session.job = job = Job(work, watch.heard)
    job.start()
    return {"started": True}


def stop(session: "Session", data: Data) -> Data:
    """Let the work under way end with what there is."""
    if session.job is not None:
        session.job.stop()
    return {"stopped": session.job is not None}


class _Watch:
    """Makes plain data of what a fit tells: each member, and all so far together."""

    def __init__(self) -> None:
        self.answers: dict[str, np.ndarray] = {}

    @property
    def n_tried(self) -> int:
        """Members heard of."""
        return len(self.answers)

    def heard(self, step: Data) -> Data:
        if step.get("step") != "tried":
            return {
                name: value for name, value in step.items() if isinstance(value, str | int | float)
            }
        rows = evenly(len(step["y"]), _ROWS_WATCHED)
        self.answers[step["name"]] = step["answers"][rows]
        names = [name for name in self.answers if name in step["weights"]]
        weights = np.array([step["weights"][name] for name in names])
        so_far = _so_far(np.stack([self.answers[name] for name in names]), step["y"][rows], names)
        so_far.own = MeanCombiner(weights if weights.any() else None)
        told = so_far.what.judge("own")
        return {
            "name": step["name"], "alone": float(so_far.errors[names.index(step["name"])]),
            "error": told["error"], "low": told["low"], "high": told["high"],
            "loss": float(step["loss"]), "seconds": float(step["seconds"]),
            "weights": {n: round(float(w), 4) for n, w in zip(names, weights, strict=True)},
            "n_tried": len(names), "n_members": step["n_members"],
            "numbers": isinstance(so_far, NumberEnsemble),
        }  # fmt: skip


def _so_far(answers: NDArray, y: NDArray, names: list[str]) -> Ensemble:
    """Make members of the answers of those tried: shares of classes, or numbers."""
    if answers.ndim == 2:
        return NumberEnsemble(outputs=MemberPredictions(answers, y, names=names), made_by="")
    classes = np.arange(answers.shape[2])
    return ClassEnsemble(
        outputs=MemberOutputs(proba=answers, y=y, names=names, classes=classes), made_by=""
    )


def _lines(
    source: Source, target: str, wishes: Data, method: str, options: Data, stopped_after: int
) -> str:
    file = repr(str(source.path) if source.path is not None else source.name)
    wished = f", columns={wishes!r}" if wishes else ""
    said = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
    lines = [
        f"table = tabular.read_table({file}, target={target!r}{wished})",
        f"model = tabular.fit(table, {target!r}, {method!r}{said})",
    ]
    if stopped_after:
        lines.insert(
            1, f"# Stopped by hand after {stopped_after} members: this tries them all. For"
        )
        lines.insert(2, "# the very same model, save it on the page and tabular.load() the file.")
    return "\n".join(lines)


def _task(data: Data) -> Task | None:
    given = data.get("task") or None
    return None if given is None else check_choice(given, "task", TASKS)


def _task_of(table: TableFile, target: str, task: Task | None) -> Task:
    return find_task(table.frame.rename(columns=str)[target], target, task)


def _wishes(data: Data) -> dict[str, str]:
    given = data.get("wishes") or {}
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise ValueError("wishes: give a word for each column that is not as it should be.")
    return {str(name): use for name, use in given.items()}


def _need_table(session: "Session") -> Source:
    if session.table is None or session.source is None:
        raise ValueError("There is no table: drop one on the page.")
    return session.source
