"""What can be taken along: the report of what is shown, and the model."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.report.model_page import render_page
from counterpoint.studio.ensembles import Ensemble
from counterpoint.tabular import assess, save
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.training import Fit

if TYPE_CHECKING:
    from counterpoint.studio.session import Session


def page(session: "Session", data: dict[str, Any]) -> bytes:
    """Return the report of the model as one page of HTML, with what the page was set to."""
    ensemble = session.need_ensemble()
    model = _need_model(ensemble)
    if isinstance(model, Fit):
        summary = model.summary()
    else:
        found: Any = assess(
            model.model, ensemble.X, ensemble.truth,
            X_train=model.X_train, y_train=model.y_train, title=model.title(""),
            random_state=model.random_state, max_rows=None,
        )  # fmt: skip
        summary = found.summary()
    rule = data.get("rule", ensemble.what.simplest)
    told = ensemble.what.judge(rule, data.get("weights"))
    summary["notes"] = [
        *summary["notes"],
        f"In the studio {told['n_members']} members were combined by {told['rule']!r}: "
        f"{ensemble.sentence(told)} on {told['n_rows']} rows.",
    ]
    return render_page(summary).encode("utf-8")


def model(session: "Session", data: dict[str, Any]) -> bytes:
    """Return the model as a file that is safe to load."""
    fitted = _need_model(session.need_ensemble())
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        path = save(fitted, Path(folder, "model.skops"))
        return path.read_bytes()


def _need_model(ensemble: Ensemble) -> TableModel:
    if ensemble.model is None:
        raise ValueError("There is no model to save: predictions alone are open.")
    return ensemble.model


DOWNLOADS: dict[str, tuple[Callable[["Session", dict[str, Any]], bytes], str]] = {
    "page": (page, "text/html"),
    "model": (model, "application/octet-stream"),
}
"""By name: what makes the bytes, and of what kind they are."""
