"""What was done on the page as a program that prints the same numbers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.studio.session import Session

_MODEL = """\
from counterpoint.studio.opening import ensemble_of_model

what = ensemble_of_model(model, ""{rows}).what"""
_OUTPUTS = """\
from counterpoint.studio.opening import ensemble_of_outputs

what = ensemble_of_outputs(outputs).what"""


def script(session: "Session", data: dict[str, Any]) -> dict[str, Any]:
    """Write the program of what is shown: what was opened or fitted, and how it is combined."""
    ensemble = session.need_ensemble()
    made = ensemble.made_by or "outputs = ...  # what the studio was opened with"
    rows = ", rows" if "\nrows = " in made else ""
    body = _MODEL.format(rows=rows) if ensemble.model is not None else _OUTPUTS
    weights = data.get("weights")
    names = ensemble.outputs.names
    lines = ["from counterpoint import tabular", body.partition("\n\n")[0], "", made]
    lines.append(body.partition("\n\n")[2])
    asked = repr(data.get("rule", ensemble.what.simplest))
    if weights is not None and any(weight != 1 for weight in weights):
        if len(set(names)) == len(names):
            lines.append("weights = {")
            lines += [f"    {n!r}: {int(w)}," for n, w in zip(names, weights, strict=True) if w]
            lines.append("}")
        else:
            lines.append(f"weights = {[int(w) for w in weights]!r}")
        asked += ", weights"
    lines += [f"told = what.judge({asked})", *ensemble.printing]
    return {"script": "\n".join(lines) + "\n"}
