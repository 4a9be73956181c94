"""What a decision brings on rows it was not chosen on: its loss, beside that of simpler answers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.auto.metric import class_metric, labels_of
from counterpoint.tabular.deciding import find_decision
from counterpoint.tabular.number_scores import draw_counts
from counterpoint.tabular.words import figure, number, percent

_DRAWS = 400


def describe_decision(
    model: Any, proba: NDArray | None, y: NDArray, classes: NDArray
) -> dict[str, Any] | None:
    """Say what a model's answers are made for and what that gains on these rows.

    Returns None for a model that says the most probable class. Losses are means per row: of the
    decision, of saying the most probable class, and of the best answer that is always the same.
    Gains are differences to the first, with 95 % limits by draws of the rows with return.
    """
    found = find_decision(model)
    if found is None or proba is None:
        return None
    metric, decision, chosen_on = found
    judge = class_metric(metric, classes)
    codes = np.searchsorted(classes, y)
    n = len(classes)
    fixed = [_always(k, n) for k in range(n)]
    constant = int(np.argmin([judge.loss(proba, codes, None, one) for one in fixed]))
    ways = {"own": decision, "plain": np.eye(n), "constant": fixed[constant]}
    # Rows in an order of their own: the limits must not depend on how a file lists them.
    order = np.lexsort((*proba.T, codes))
    proba, codes = proba[order], codes[order]
    losses = {name: judge.loss(proba, codes, None, way) for name, way in ways.items()}
    drawn: dict[str, list[float]] = {name: [] for name in ways}
    for weight in draw_counts(len(codes))[:_DRAWS]:
        kept = weight > 0
        for name, way in ways.items():
            drawn[name].append(judge.loss(proba[kept], codes[kept], weight[kept], way))
    costs = None if isinstance(metric, str) else np.asarray(metric, dtype=float)
    told: dict[str, Any] = {
        "metric": metric if isinstance(metric, str) else "cost",
        "name": judge.name,
        "costs": costs,
        "labels": [str(label) for label in classes.tolist()],
        "threshold": None,
        "positive": None,
        "chosen_on": chosen_on,
        "loss": losses["own"],
        **_limits("loss", drawn["own"]),
        "plain_loss": losses["plain"],
        "constant": {"label": str(classes[constant]), "loss": losses["constant"]},
    }
    for name in ("plain", "constant"):
        gain = np.array(drawn[name]) - np.array(drawn["own"])
        told[f"gain_{name}"] = losses[name] - losses["own"]
        told |= _limits(f"gain_{name}", gain)
    if n == 2:
        told |= _threshold(decision, classes, costs, codes)
    said = labels_of(proba, decision)
    told["said"] = [int((said == k).sum()) for k in range(n)]
    told["sentences"] = _sentences(told)
    return told


def _always(k: int, n: int) -> NDArray:
    decision = np.zeros((n, n))
    decision[:, k] = 1.0
    return decision


def _limits(name: str, drawn: Any) -> dict[str, float]:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {f"{name}_low": float(low), f"{name}_high": float(high)}


def _threshold(
    decision: NDArray, classes: NDArray, costs: NDArray | None, codes: NDArray
) -> dict[str, Any]:
    """Return a decision about two classes as a threshold for the one to be found."""
    for_second, for_first = decision[1, 1] - decision[1, 0], decision[0, 0] - decision[0, 1]
    if for_first + for_second <= 0:
        return {}
    at = 1  # the costlier class to miss, else the rarer one
    if costs is not None and costs[0, 1] != costs[1, 0]:
        at = int(costs[1, 0] > costs[0, 1])
    elif (codes == 0).sum() < (codes == 1).sum():
        at = 0
    own = for_first if at == 1 else for_second
    share = float(np.clip(own / (for_first + for_second), 0.0, 1.0))
    return {"threshold": share, "positive": str(classes[at])}


def _sentences(told: dict[str, Any]) -> list[str]:
    lines = []
    if told["threshold"] is not None:
        lines.append(
            f"It says {told['positive']!r} from a probability of {number(told['threshold'])} on, "
            f"chosen on {told['chosen_on']}."
        )
    else:
        lines.append(f"It says what suits the {told['name']}, chosen on {told['chosen_on']}.")

    def written(value: float) -> str:
        return figure(value) if told["metric"] == "cost" else percent(value)

    what = "cost per row" if told["metric"] == "cost" else told["name"]
    gain, low, high = (told[f"gain_plain{end}"] for end in ("", "_low", "_high"))
    lines.append(
        f"On the test rows its {what} is {written(told['loss'])} ({written(told['loss_low'])} to "
        f"{written(told['loss_high'])}); always saying the most probable class "
        f"{written(told['plain_loss'])}, a gain of {written(gain)} ({written(low)} to "
        f"{written(high)}); always saying {told['constant']['label']!r} "
        f"{written(told['constant']['loss'])}, a gain of {written(told['gain_constant'])} "
        f"({written(told['gain_constant_low'])} to {written(told['gain_constant_high'])})."
    )
    return lines


def decision_warnings(told: dict[str, Any] | None) -> list[str]:
    """Say, loudly, if one answer for all rows would do as well."""
    if told is None or told["gain_constant"] > 0:
        return []
    return [
        f"NO GAIN OVER ALWAYS SAYING {told['constant']['label']!r}: by {told['name']} on the test "
        "rows the model's answers are no better."
    ]
