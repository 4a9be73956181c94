"""How a model does on each class: recall, precision, balanced error, area under the curve."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._statistics import wilson_interval
from counterpoint.auto.metric import class_metric
from counterpoint.tabular.number_scores import draw_counts
from counterpoint.tabular.words import percent

MISSED = 0.5
"""Recall below which a class is said to be missed, if it has enough rows to tell."""

_ENOUGH = 5
_MOST_CONFUSED = 15  # classes up to which the table of confusions can be read
_MOST_NAMED = 3


def describe_classes(
    y: NDArray, answers: NDArray, proba: NDArray | None, classes: NDArray
) -> dict[str, Any]:
    """Say how the answers do on each class.

    Parameters
    ----------
    y, answers : ndarray of shape (n_samples,)
        Labels and answers.
    proba : ndarray of shape (n_samples, n_classes) or None
        Probabilities of the classes, if there are some.
    classes : ndarray of shape (n_classes,)
        Labels, sorted.

    Returns
    -------
    dict
        "rows": for each class its rows, how often it was said, recall and precision with Wilson's
        limits; "balanced_error", 1 less the mean recall of the classes there are, with limits by
        draws of the rows with return; "auc", for several classes the mean over pairs of them.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.tabular.class_scores import describe_classes
    >>> y, said = np.array(["a", "a", "a", "b"]), np.array(["a", "a", "b", "b"])
    >>> told = describe_classes(y, said, None, np.array(["a", "b"]))
    >>> told["rows"][1]["recall"], told["rows"][1]["precision"], round(told["balanced_error"], 3)
    (1.0, 0.5, 0.167)
    """
    codes, said = np.searchsorted(classes, y), np.searchsorted(classes, answers)
    right = codes == said
    rows = []
    for k, label in enumerate(classes.tolist()):
        n, n_said = int((codes == k).sum()), int((said == k).sum())
        hits = int((right & (codes == k)).sum())
        recall, precision = wilson_interval(hits, n), wilson_interval(hits, n_said)
        rows.append(
            {
                "label": str(label),
                "rows": n,
                "said": n_said,
                "right": hits,
                "recall": hits / n if n else None,
                "recall_low": recall[0],
                "recall_high": recall[1],
                "precision": hits / n_said if n_said else None,
                "precision_low": precision[0],
                "precision_high": precision[1],
            }
        )
    recalls = [float(right[codes == k].mean()) for k in np.unique(codes)]
    low, high = _balanced_limits(codes, right, answers)
    return {
        "rows": rows,
        "balanced_error": 1 - float(np.mean(recalls)),
        "balanced_low": low,
        "balanced_high": high,
        "auc": _auc(codes, proba, classes),
    }


def find_missed(told: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of classes that are missed, worst first: recall below one half, of five rows.

    A class of fewer rows, two at least, is if none of them is found.
    """
    missed = [
        row
        for row in told["rows"]
        if row["recall"] is not None
        and ((row["rows"] >= _ENOUGH and row["recall"] < MISSED)
             or (row["rows"] > 1 and row["recall"] == 0))
    ]  # fmt: skip
    return sorted(missed, key=lambda row: (row["recall"], row["label"]))


def missed_classes(told: dict[str, Any]) -> list[str]:
    """Say, loudly, which classes are missed."""
    missed = find_missed(told)
    lines = [
        f"CLASS {row['label']!r} IS MISSED: {_share(1 - row['recall'])} its {row['rows']} rows "
        "are taken for something else."
        for row in missed[:_MOST_NAMED]
    ]
    rest = len(missed) - _MOST_NAMED
    if rest > 0:
        lines.append(f"AND {rest} MORE CLASSES: more than half of their rows are taken for others.")
    return lines


def _share(part: float) -> str:
    return "all of" if part == 1 else f"{percent(part)} of"


def _balanced_limits(codes: NDArray, right: NDArray, answers: NDArray) -> tuple[float, float]:
    # Rows in an order of their own: the limits must not depend on how a file lists them.
    order = np.lexsort((answers, right, codes))
    codes, right = codes[order], right[order]
    counts = draw_counts(len(codes))
    there = np.unique(codes)
    with np.errstate(invalid="ignore"):  # a draw without a row of a class
        recalls = np.stack(
            [counts @ (right & (codes == k)) / (counts @ (codes == k)) for k in there]
        )
    errors = 1 - np.nanmean(recalls, axis=0)
    low, high = np.quantile(errors, [0.025, 0.975])
    return float(low), float(high)


def _auc(codes: NDArray, proba: NDArray | None, classes: NDArray) -> float | None:
    if proba is None or len(np.unique(codes)) < 2 or not np.isfinite(proba).all():
        return None
    metric = class_metric("auc", classes)
    return 1 - metric.loss(np.asarray(proba, dtype=float), codes, None, None)


def class_rows(labels: NDArray, classes: NDArray) -> list[dict[str, Any]]:
    """Count the rows of each class."""
    counts = [int((labels == label).sum()) for label in classes]
    return [{"label": str(c), "rows": n} for c, n in zip(classes.tolist(), counts, strict=True)]


def confusion(labels: NDArray, predicted: NDArray, classes: NDArray) -> dict[str, Any] | None:
    """Count what was said about the rows of each class; None for too many classes to read."""
    if len(classes) > _MOST_CONFUSED:
        return None
    at = np.searchsorted(classes, labels), np.searchsorted(classes, predicted)
    table = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(table, at, 1)
    return {"labels": [str(label) for label in classes.tolist()], "table": table}
