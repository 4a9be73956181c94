"""Sliders with a stored path: trained once, then moved along at no cost."""

from typing import TYPE_CHECKING, Any

from counterpoint._validation import check_choice
from counterpoint.studio.jobs import Job
from counterpoint.tabular.penalty_path import PATHS, penalty_path

if TYPE_CHECKING:
    from counterpoint.studio.session import Session


def path(session: "Session", data: dict[str, Any]) -> dict[str, Any]:
    """Begin to train along a path; the last event of the job holds it."""
    ensemble = session.need_ensemble()
    kind, model = data["kind"], ensemble.model
    if model is None:
        raise ValueError("There are no rows to train on: fit a table, or open a model.")
    check_choice(kind, "kind", PATHS[model.task])
    found = ensemble.paths.get(kind)
    if found is not None:
        return {"path": found}

    def work() -> dict[str, Any]:
        made = ensemble.paths[kind] = penalty_path(model, kind)
        return {"path": made}

    with session.lock:
        if session.job is not None and not session.job.is_over:
            raise ValueError("Something is being trained: wait for it, or stop it.")
        session.job = Job(work, lambda step: step)
    session.job.start()
    return {"started": True}
