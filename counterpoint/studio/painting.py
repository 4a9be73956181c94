"""Points painted by hand, and what members make of them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from counterpoint.tabular.painted_plane import PAINTERS, paint_plane

if TYPE_CHECKING:
    from counterpoint.studio.session import Session

_MOST_POINTS, _MOST_MEMBERS = 2000, 50


def paint(session: "Session", data: dict[str, Any]) -> dict[str, Any]:
    """Train on the points and answer with grids, a digit a place."""
    points = data.get("points") or []
    if not points:
        return {"painters": [{"name": n, "title": t} for n, t in PAINTERS.items()]}
    if len(points) > _MOST_POINTS:
        raise ValueError(f"points: {len(points)} are many; give up to {_MOST_POINTS}.")
    told = paint_plane(
        [[float(x), float(y)] for x, y, _ in points],
        [int(label) for _, _, label in points],
        data.get("method", "adaboost-nc"),
        n_estimators=min(int(data.get("n_estimators", 12)), _MOST_MEMBERS),
        strength=float(data.get("strength", 0.5)),
        resolution=min(int(data.get("resolution", 64)), 128),
    )
    labels = told["classes"]
    return {
        "region": _digits(labels[told["region"]]),
        "members": [_digits(labels[one]) for one in told["members"]],
        "n_members": told["n_members"],
        "error": told["error"],
    }


def _digits(grid: np.ndarray) -> str:
    return "".join(map(str, grid.ravel().tolist()))
