"""From a table to members: what columns are taken for, and a fit that can be watched."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from counterpoint._outputs import MemberOutputs
from counterpoint.combiners import MeanCombiner
from counterpoint.studio.jobs import Job
from counterpoint.studio.opening import Source, ensemble_of_model, read_again
from counterpoint.tabular import METHODS, WhatIf, look_at
from counterpoint.tabular import fit as fit_table
from counterpoint.tabular.members import evenly
from counterpoint.tabular.taking import Use

if TYPE_CHECKING:
    from counterpoint.studio.session import Session

Data = dict[str, Any]
# Methods that have members, the one that tries many first.
OFFERED = (
    "auto", "random-forest", "adaboost-nc", "adaboost", "bagging", "ncl", "rotation",
    "extra-trees", "decorate",
)  # fmt: skip
_ROWS_WATCHED = 5000


def columns(session: "Session", data: Data) -> Data:
    """Say what each column is taken for, and why; with the wishes of whoever looks."""
    source = _need_table(session)
    target, wishes = data.get("target") or None, _wishes(data)
    if target is None:
        told = look_at(source.open()).summary()
    else:
        told = look_at(read_again(source, target, wishes), target).summary()
    return {
        **told, "uses": list(get_args(Use)),
        "methods": [{"name": name, "what": METHODS[name].what} for name in OFFERED],
    }  # fmt: skip


def fit(session: "Session", data: Data) -> Data:
    """Begin to fit; what happens is told by the events of the job."""
    source = _need_table(session)
    target, wishes = data["target"], _wishes(data)
    method, seed = data.get("method", "auto"), int(data.get("random_state", 0))
    limit = data.get("time_limit")
    if method not in OFFERED:
        raise ValueError(f"method={method!r}: choose {', '.join(OFFERED)}.")
    table = read_again(source, target, wishes)
    watch = _Watch()

    def work() -> Data:
        fitted = fit_table(
            table, target, method, random_state=seed, progress=False,
            time_limit=None if limit is None else float(limit),
        )  # fmt: skip
        lines = _lines(source, target, wishes, method, seed, limit, watch.n_tried, job.stopped)
        ensemble = ensemble_of_model(fitted, lines)
        with session.lock:
            session.ensemble, session.target = ensemble, target
            session.version += 1
        return {
            "error": fitted.score.error, "low": fitted.score.low, "high": fitted.score.high,
            "n_rows": fitted.score.n, "seconds": fitted.seconds, "notes": fitted.notes,
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
        if step.get("step") != "tried" or step["answers"].ndim != 2:
            return {
                name: value for name, value in step.items() if isinstance(value, str | int | float)
            }
        rows = evenly(len(step["y"]), _ROWS_WATCHED)
        y = step["y"][rows]
        self.answers[step["name"]] = step["answers"][rows]
        names = [name for name in self.answers if name in step["weights"]]
        outputs = MemberOutputs(
            proba=np.stack([self.answers[name] for name in names]), y=y, names=names,
            classes=np.arange(step["answers"].shape[1]),
        )  # fmt: skip
        weights = np.array([step["weights"][name] for name in names])
        own = MeanCombiner(weights if weights.any() else None)
        told = WhatIf(outputs, own=own).judge("own")
        return {
            "name": step["name"], "alone": float(outputs.errors[names.index(step["name"])]),
            "error": told["error"], "low": told["low"], "high": told["high"],
            "loss": float(step["loss"]), "seconds": float(step["seconds"]),
            "weights": {n: round(float(w), 4) for n, w in zip(names, weights, strict=True)},
            "n_tried": len(names), "n_members": step["n_members"],
        }  # fmt: skip


def _lines(
    source: Source, target: str, wishes: Data, method: str, seed: int, limit: Any, n_tried: int,
    stopped: bool,
) -> str:  # fmt: skip
    file = repr(str(source.path) if source.path is not None else source.name)
    wished = f", columns={wishes!r}" if wishes else ""
    limited = "" if limit is None else f", time_limit={float(limit)!r}"
    lines = [
        f"table = tabular.read_table({file}, target={target!r}{wished})",
        f"model = tabular.fit(table, {target!r}, {method!r}, random_state={seed}{limited})",
    ]
    if stopped and n_tried:
        lines.insert(1, f"# Stopped by hand after {n_tried} members: this tries them all. For the")
        lines.insert(2, "# very same model, save it on the page and tabular.load() the file.")
    return "\n".join(lines)


def _wishes(data: Data) -> dict[str, str]:
    given = data.get("wishes") or {}
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise ValueError("wishes: give a word for each column that is not as it should be.")
    return {str(name): use for name, use in given.items()}


def _need_table(session: "Session") -> Source:
    if session.table is None or session.source is None:
        raise ValueError("There is no table: drop one on the page.")
    return session.source
