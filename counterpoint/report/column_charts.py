"""Pictures of what columns do and of whether probabilities hold: places for a template."""

from typing import Any

import numpy as np

from counterpoint.report.drawing import Axis, axes, frame, padded, path_of
from counterpoint.tabular.words import figure, percent

_MOST_BARS = 15
_MOST_WHOLE = 1e9


def calibration_chart(calibration: dict[str, Any] | None) -> dict[str, Any] | None:
    """Place what was said against what came true; on the diagonal both are the same."""
    if calibration is None:
        return None
    x, y = axes((0.0, 1.0), (0.0, 1.0))
    points = [
        {
            "x": float(x(row["said"])), "y": float(y(row["came"])), "low": float(y(row["low"])),
            "high": float(y(row["high"])),
        }
        for row in calibration["curve"]
    ]  # fmt: skip
    return frame(
        x, y, points=points, path=path_of((p["x"], p["y"]) for p in points),
        line=[float(v) for v in (x(0), y(0), x(1), y(1))],
    )  # fmt: skip


def importance_rows(importance: dict[str, Any] | None) -> dict[str, Any] | None:
    """Place what each column is worth along one scale, with its limits; zero is marked."""
    if importance is None:
        return None
    rows = importance["rows"][:_MOST_BARS]
    low = min(0.0, *(row["low"] for row in rows))
    high = max([row["high"] for row in rows] + [1e-12])
    axis = Axis(low, high, 0.0, 100.0)
    return {
        "zero": float(axis(0.0)),
        "n_more": len(importance["rows"]) - len(rows),
        "rows": [
            {
                **row,
                "at": float(axis(row["rise"])),
                "start": float(axis(row["low"])),
                "length": round(float(axis(row["high"]) - axis(row["low"])), 1),
                "sure": row["low"] > 0,
            }
            for row in rows
        ],
    }


def dependence_charts(dependence: dict[str, Any] | None, *, numbers: bool) -> dict[str, Any] | None:
    """Place the mean answers over the values of each column, and of a pair of them."""
    if dependence is None:
        return None
    every = np.concatenate([np.ravel(column["answers"]) for column in dependence["columns"]])
    ends = padded(every, floor=None if numbers else 0.0)
    return {
        "columns": [_one_column(column, ends, numbers) for column in dependence["columns"]],
        "lines": dependence["lines"],
        "pair": None if dependence["pair"] is None else _pair(dependence["pair"], numbers),
    }


def _one_column(column: dict[str, Any], ends: tuple[float, float], numbers: bool) -> dict[str, Any]:
    written = figure if numbers else percent
    if column["kind"] == "number" and len(column["values"]) > 1:
        values = np.asarray(column["values"], dtype=float)
        x, y = axes((float(values[0]), float(values[-1])), ends, percent=not numbers)
        paths = [
            path_of(zip(x(values), y(np.asarray(line)), strict=True)) for line in column["answers"]
        ]
        first, last = (_label(values[k], "number") for k in (0, -1))
        return {
            "name": column["name"],
            "axis": _named(column["name"], column["unit"]),
            "chart": frame(x, y, percent=not numbers, paths=paths),
            "told": f"from {written(column['answers'][0][0])} at {first} to "
            f"{written(column['answers'][0][-1])} at {last}",
        }  # fmt: skip
    far = max(ends[1], 1e-12)
    low = min(ends[0], 0.0) if not numbers else ends[0]
    return {
        "name": column["name"],
        "chart": None,
        "bars": [
            {
                "value": _label(value, column["kind"]),
                "answers": [written(line[k]) for line in column["answers"]],
                "lengths": [
                    round(100 * (line[k] - low) / (far - low), 1) for line in column["answers"]
                ],
            }
            for k, value in enumerate(column["values"])
        ],
    }


def _label(value: Any, kind: str) -> str:
    """Return a value of a column for people, as short as it can be; words are there or not."""
    if isinstance(value, str):
        return value
    if kind == "word":
        return "with it" if value else "without it"
    if float(value).is_integer() and abs(value) < _MOST_WHOLE:
        return str(int(value)).replace("-", "\N{MINUS SIGN}")
    text = figure(float(value))
    return text if "e" in text else text.rstrip("0").rstrip(".")


def _named(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit else name


def _pair(pair: dict[str, Any], numbers: bool) -> dict[str, Any]:
    answers = np.asarray(pair["answers"], dtype=float)
    low, far = float(answers.min()), float(np.ptp(answers)) or 1.0
    written = figure if numbers else percent

    first, second = (
        [_label(value, kind) for value in pair[which]]
        for which, kind in zip(("first", "second"), pair["kinds"], strict=True)
    )
    return {
        "names": [_named(*told) for told in zip(pair["names"], pair["units"], strict=True)],
        "strength": pair["strength"],
        "second": second,
        "rows": [
            {
                "value": name,
                "cells": [
                    {"text": written(float(v)), "share": round((float(v) - low) / far, 3)}
                    for v in row
                ],
            }
            for name, row in zip(first, answers, strict=True)
        ],
    }
