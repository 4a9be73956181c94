"""What only the page of a model of numbers draws, and what its script needs."""

from typing import Any

import numpy as np

from counterpoint.report.drawing import FLOOR, axes, frame, padded, path_of
from counterpoint.tabular.words import figure


def number_charts(summary: dict[str, Any]) -> dict[str, Any]:
    """Place answers against the truth, residuals, and how members join."""
    charts = {
        "points": points_chart(summary["residuals"]),
        "residuals": residual_chart(summary["residuals"]),
    }
    members = summary["members"]
    if members is not None and members["growth"]:
        charts["growth"] = number_growth(members["growth"])
    return charts


def points_chart(residuals: dict[str, Any]) -> dict[str, Any]:
    """Place the rows by what was said and what was true; on the line both are the same."""
    said, truth = np.asarray(residuals["answers"]), np.asarray(residuals["truth"])
    x, y = axes(padded(said), padded(truth), percent=False)
    low, high = max(x.low, y.low), min(x.high, y.high)
    n = len(said)
    return frame(
        x, y, percent=False,
        points=list(zip(x(said).tolist(), y(truth).tolist(), strict=True)),
        radius=round(float(np.clip(60 / np.sqrt(n), 1.8, 5.0)), 1),
        opacity=round(float(np.clip(15 / np.sqrt(n), 0.3, 0.8)), 2),
        line=[float(v) for v in (x(low), y(low), x(high), y(high))] if low < high else None,
    )  # fmt: skip


def residual_chart(residuals: dict[str, Any]) -> dict[str, Any]:
    """Draw how many rows are how far off, answer less truth."""
    counts, edges = np.asarray(residuals["counts"]), np.asarray(residuals["edges"])
    share = counts / counts.sum()
    x, y = axes((float(edges[0]), float(edges[-1])), (0.0, float(share.max()) * 1.05))
    left, right = x(edges[:-1]), x(edges[1:])
    return frame(
        x, y,
        bars=[
            {
                "x": float(a) + 0.7,
                "width": round(float(b - a) - 1.4, 1),
                "y": float(y(s)),
                "height": round(FLOOR - float(y(s)), 1),
            }
            for a, b, s in zip(left, right, share, strict=True)
            if s > 0
        ],
        zero=float(x(0.0)),
    )  # fmt: skip


def number_growth(growth: dict[str, Any]) -> dict[str, Any]:
    """Draw the RMSE of the first members together, and their own mean."""
    known = [(k + 1, v) for k, v in enumerate(growth["rmse"]) if v is not None]
    seen = [*(v for _, v in known), *growth["member_rmse"]]
    x, y = axes((1, len(growth["rmse"])), padded(seen, floor=0.0), percent=False)
    at = x(np.arange(1, len(growth["rmse"]) + 1))
    return frame(
        x, y, percent=False,
        line=path_of((float(x(k)), float(y(v))) for k, v in known),
        members=path_of(zip(at, y(growth["member_rmse"]), strict=True)),
    )  # fmt: skip


def number_script(summary: dict[str, Any], charts: dict[str, Any]) -> dict[str, Any]:
    """Return what the script needs to answer a pointer; nothing else goes in."""
    members = summary["members"]
    if not charts["matrix"]:
        return {}
    matrix = members["matrix"]
    return {
        "names": members["names"],
        "told": [f"RMSE {figure(value)}" for value in members["rmse"]],
        "measure": "correlation of errors",
        "order": matrix["order"],
        "matrix": [
            [None if value is None else round(value, 4) for value in row]
            for row in matrix["values"]
        ],
    }
