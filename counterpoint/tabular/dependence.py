"""How a model's answers go with its columns: partial dependence."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor
from threadpoolctl import threadpool_limits

from counterpoint import _members, _tables
from counterpoint.tabular.column import Column
from counterpoint.tabular.expansion import words_of_texts
from counterpoint.tabular.importance import column_importance

_MOST_COLUMNS = 6
_TRIED = 4  # columns among whose pairs the strongest is looked for
_POINTS, _PAIR_POINTS = 15, 6
_MOST_WORDS = 8
_MOST_LINES = 4
_MOST_ROWS = 200


def look_at_columns(
    model: Any,
    X: Any,
    y: NDArray,
    feature_names: list[str],
    *,
    random_state: int,
    columns: Sequence[Column] = (),
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return which columns matter and how; None where the data is no table of such columns."""
    options: dict[str, Any] = {"random_state": random_state}
    try:
        # Many short questions: threads within one would wait for each other most of the time.
        with threadpool_limits(1, user_api="openmp"):
            found = column_importance(model, X, y, feature_names, **options)
            if found is None:
                return None, None
            first = [row["position"] for row in found["rows"]]
            how = describe_dependence(
                model, X, y, first, feature_names, taken_for=columns, **options
            )  # fmt: skip
            return found, how
    except (TypeError, ValueError):
        return None, None  # models of texts and the like, whose columns cannot be shuffled


def describe_dependence(
    model: Any, X: Any, y: NDArray, columns: list[int], feature_names: list[str], *,
    taken_for: Sequence[Column] = (), random_state: int = 0,
) -> dict[str, Any] | None:  # fmt: skip
    """Say how the answers go with each of the first six columns, and with the strongest pair.

    For each value of a column all rows get it, and the mean answer is taken: the probability of
    the rarer of two classes, of the four commonest of more, or the number. The strongest pair is
    the one of the first four columns whose joint picture is least the sum of the two alone.

    Parameters
    ----------
    model : estimator
        Fitted, from the table's own columns on.
    X, y : held-out rows; at most 200 are used
    columns : list of int
        Positions, the most important first.
    feature_names : list of str
    taken_for : sequence of Column
        What the columns of the table were taken for, which knows units and words.

    Returns
    -------
    dict or None
        "lines" (what is averaged: labels, or one line for numbers), "n_rows", "columns" (each with
        "name", "kind", "unit", "values" and "answers" (n_lines, n_values); of the kind "word" are
        1 where a text has a word and 0 where it has not) and "pair" (two names, kinds and units,
        their values, "answers" (n_first, n_second) and "strength": the part of its variance that
        is not the sum of the two). None for data that is no table.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation", Annals of Statistics 29, 2001,
       section 8; J. H. Friedman and B. E. Popescu, "Predictive learning via rule ensembles",
       Annals of Applied Statistics 2, 2008, section 8.1 (strength of a pair).
    """
    if len(getattr(X, "shape", ())) != 2 or hasattr(X, "toarray") or len(y) == 0 or not columns:
        return None
    rng = np.random.RandomState(random_state)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    lines, ask = _answers_of(model, y, isinstance(X, pd.DataFrame))
    if len(frame) > _MOST_ROWS:
        frame = _tables.select_rows(frame, np.sort(rng.permutation(len(frame))[:_MOST_ROWS]))
    asked = [k for k in columns if frame.iloc[:, k].notna().any()][:_MOST_COLUMNS]
    units = {column.name: column.unit for column in taken_for}
    words = words_of_texts(taken_for)
    told = []
    for k in asked:
        kind, values = _values(frame.iloc[:, k], _POINTS)
        kind = "word" if feature_names[k] in words else kind
        answers = _average(frame, {k: values}, ask).T
        told.append(
            {"position": k, "name": feature_names[k], "kind": kind,
             "unit": units.get(feature_names[k], ""), "values": values, "answers": answers}
        )  # fmt: skip
    pair = _strongest_pair(frame, asked[:_TRIED], feature_names, ask)
    if pair is not None:
        pair["units"] = [units.get(name, "") for name in pair["names"]]
        pair["kinds"] = [
            "word" if name in words else kind
            for name, kind in zip(pair["names"], pair["kinds"], strict=True)
        ]
    return {"lines": lines, "n_rows": len(frame), "columns": told, "pair": pair}


def _answers_of(model: Any, y: NDArray, is_frame: bool) -> tuple[list[str | None], Callable]:
    """Return what is averaged, and how to ask for it: (n_rows, n_lines)."""

    def given(frame: pd.DataFrame) -> Any:
        return frame if is_frame else frame.to_numpy()

    if is_regressor(_members.strip(model)[1]):
        return [None], lambda frame: np.asarray(model.predict(given(frame)))[:, None]
    classes = np.asarray(model.classes_)
    counts = np.array([(y == label).sum() for label in classes])
    order = np.argsort(counts, kind="stable")
    shown = order[:1] if len(classes) == 2 else np.sort(order[::-1][:_MOST_LINES])
    labels: list[str | None] = [str(classes[k]) for k in shown]
    if hasattr(model, "predict_proba"):
        return labels, lambda frame: np.asarray(model.predict_proba(given(frame)))[:, shown]
    return labels, lambda frame: (
        np.asarray(model.predict(given(frame)))[:, None] == classes[shown]
    ).astype(float)


def _values(column: pd.Series, most: int) -> tuple[str, list[Any]]:
    """Return whether a column is numbers or words, and values that stand for it."""
    known = column.dropna()
    if pd.api.types.is_numeric_dtype(known.dtype) and not pd.api.types.is_bool_dtype(known.dtype):
        distinct = np.unique(known.to_numpy(dtype=float))
        if len(distinct) > most:
            # Not to the ends, where there are hardly any rows.
            low, high = np.quantile(known.to_numpy(dtype=float), [0.05, 0.95])
            if low < high:
                distinct = np.linspace(low, high, most)
        return "number", distinct[:most].tolist()
    counts = known.value_counts()
    return "category", counts.index[: min(most, _MOST_WORDS)].tolist()


def _average(frame: pd.DataFrame, values: dict[int, list[Any]], ask: Callable) -> NDArray:
    """Return mean answers with one value each in all rows of some columns, (n_values, n_lines).

    All are asked at once: most models take longer to begin than to answer.
    """
    n, n_values = len(frame), len(next(iter(values.values())))
    many = frame.iloc[np.tile(np.arange(n), n_values)].reset_index(drop=True)
    for k, given in values.items():
        kind: Any = frame.iloc[:, k].dtype
        kind = np.dtype(float) if pd.api.types.is_integer_dtype(kind) else kind
        repeated = pd.Series(given, dtype=object).repeat(n).reset_index(drop=True).astype(kind)
        many.isetitem(k, repeated.array)
    return ask(many).reshape(n_values, n, -1).mean(axis=1)


def _strongest_pair(
    frame: pd.DataFrame, asked: list[int], names: list[str], ask: Callable
) -> dict[str, Any] | None:
    best: dict[str, Any] | None = None
    for i, j in combinations(asked, 2):
        (kind_i, values_i), (kind_j, values_j) = (
            _values(frame.iloc[:, k], _PAIR_POINTS) for k in (i, j)
        )
        grid = {
            i: [value for value in values_i for _ in values_j],
            j: values_j * len(values_i),
        }
        joint = _average(frame, grid, ask)[:, 0].reshape(len(values_i), len(values_j))
        centred = joint - joint.mean()
        sums = centred.mean(axis=1)[:, None] + centred.mean(axis=0)[None, :]
        total = float((centred**2).sum())
        strength = float(((centred - sums) ** 2).sum() / total) if total > 0 else 0.0
        # What matters is how much the answer moves, not how odd a nearly flat picture looks.
        size = float(np.sqrt(((centred - sums) ** 2).mean()))
        if best is None or size > best["size"]:
            best = {
                "names": [names[i], names[j]],
                "kinds": [kind_i, kind_j],
                "first": values_i,
                "second": values_j,
                "answers": joint,
                "strength": strength,
                "size": size,
            }
    return best
