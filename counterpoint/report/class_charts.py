"""What only the page of a model of classes draws, and what its script needs."""

from typing import Any

from counterpoint.report import drawing
from counterpoint.report.column_charts import calibration_chart

_DIGITS = 6  # a share in percent must not be rounded twice


def class_charts(summary: dict[str, Any]) -> dict[str, Any]:
    """Place confusions, calibration, and how members agree, join and are sure."""
    charts: dict[str, Any] = {
        "confusion": _confusion(summary["confusion"]),
        "calibration": calibration_chart(summary["calibration"]),
    }
    members = summary["members"]
    if members is None or members["n_members"] == 1:
        return charts
    whole = summary["score"]["error"] if members["votes_known"] else None
    charts["cloud"] = drawing.cloud_chart(members["cloud"], whole) if members["cloud"] else None
    charts["growth"] = drawing.growth_chart(members["growth"]) if members["growth"] else None
    charts["margins"] = drawing.margin_chart(members["margins"]) if members["margins"] else None
    return charts


def _confusion(confusion: dict[str, Any] | None) -> list[dict[str, Any]]:
    if confusion is None:
        return []
    rows = []
    for k, (label, counts) in enumerate(zip(confusion["labels"], confusion["table"], strict=True)):
        total = sum(counts)
        cells = [
            {"n": n, "share": round(n / total, 3) if total else 0.0, "right": j == k}
            for j, n in enumerate(counts)
        ]
        error = 1 - counts[k] / total if total else None
        rows.append({"label": label, "rows": total, "cells": cells, "error": error})
    return rows


def class_script(summary: dict[str, Any], charts: dict[str, Any]) -> dict[str, Any]:
    """Return what the script needs to answer a pointer or the slider; nothing else goes in."""
    members = summary["members"]
    data: dict[str, Any] = {"names": members["names"], "errors": _rounded(members["errors"])}
    if members["cloud"]:
        cloud = members["cloud"]
        data["pairs"] = [cloud["first"], cloud["second"]]
        data["kappas"] = _rounded(cloud["kappas"])
    if members["matrix"]:
        data["order"] = members["matrix"]["order"]
        data["matrix"] = [_rounded(row) for row in members["matrix"]["values"]]
    if members["growth"]:
        growth = members["growth"]
        data["growth"] = {
            name: _rounded(growth[name])
            for name in ("error", "low", "high", "member_error", "q")
            if growth[name] is not None
        }
        data["growth"] |= {name: charts["growth"][name] for name in ("at", "heights")}
    return data


def _rounded(values: list[float | None]) -> list[float | None]:
    return [None if value is None else round(value, _DIGITS) for value in values]
