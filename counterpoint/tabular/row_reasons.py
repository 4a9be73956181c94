"""Why a model says what it says about a row: votes, columns, rows like it, the way in one tree."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint._outputs import MemberOutputs
from counterpoint.datasets.columns import floats, is_nominal, objects
from counterpoint.tabular.contributions import (
    column_contributions,
    contribution_texts,
    has_shap,
    shapley_contributions,
)
from counterpoint.tabular.dispute import Dispute
from counterpoint.tabular.expansion import made_of
from counterpoint.tabular.small_tree import short_paths
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import figure

_FEW_MEMBERS, _SHOWN = 12, 3  # named in votes
_MOST_CELLS = 20_000_000  # differences between rows kept at a time


def nearest_rows(X: pd.DataFrame, known: pd.DataFrame, n: int = 5) -> tuple[NDArray, NDArray]:
    """Find for each row the rows that are most like it.

    A column counts as much as any other: numbers by how far apart they are among the known rows,
    as a share of these; categories by being the same or not; a gap is like a gap only.

    Parameters
    ----------
    X, known : DataFrame
        With the same columns.
    n : int, default=5

    Returns
    -------
    rows, distances : ndarray of shape (n_samples, n)
        Positions in ``known``, the nearest first, and the mean difference of a column, from 0 to 1.
    """
    n = min(n, len(known))
    codes = [_places(X[name], known[name]) for name in known.columns]
    rows = np.empty((len(X), n), dtype=np.int64)
    distances = np.empty((len(X), n))
    step = max(1, _MOST_CELLS // max(len(known), 1))
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        total = np.zeros((len(X[part]), len(known)))
        for ours, theirs, nominal in codes:
            a, b = ours[part, None], theirs[None, :]
            apart = (a != b).astype(float) if nominal else np.abs(a - b)
            gaps = np.isnan(a) | np.isnan(b)
            total += np.where(gaps, np.isnan(a) != np.isnan(b), apart)
        order = np.argsort(total, axis=1, kind="stable")[:, :n]
        rows[part] = order
        distances[part] = np.take_along_axis(total, order, axis=1) / max(len(codes), 1)
    return rows, distances


def _places(ours: pd.Series, theirs: pd.Series) -> tuple[NDArray, NDArray, bool]:
    """Return both columns as numbers: codes of categories, or places among the known values."""
    if is_nominal(theirs):
        names = {value: k for k, value in enumerate(dict.fromkeys(objects(theirs)))}
        names = {value: k for value, k in names.items() if value == value}
        code = [
            [np.nan if value != value else names.get(value, -1) for value in objects(column)]
            for column in (ours, theirs)
        ]
        return np.array(code[0], dtype=float), np.array(code[1], dtype=float), True
    values = np.sort(floats(theirs))
    values = values[~np.isnan(values)]
    found = []
    for column in (ours, theirs):
        numbers = floats(column)
        below = np.searchsorted(values, numbers, side="left")
        to = np.searchsorted(values, numbers, side="right")
        place = (below + to) / 2 / max(len(values), 1)
        found.append(np.where(np.isnan(numbers), np.nan, place))
    return found[0], found[1], False


def row_reasons(
    model: TableModel,
    X: pd.DataFrame,
    answers: NDArray,
    said: Dispute | None,
    *,
    n_nearest: int = 5,
) -> tuple[pd.DataFrame, str]:
    """Say for each row what speaks for the answer, in words.

    Parameters
    ----------
    model : TableModel
        With rows kept.
    X : DataFrame
        Rows as the model takes them.
    answers : ndarray of shape (n_samples,)
    said : Dispute or None
        What the members said, if there are any.
    n_nearest : int, default=5
        Trained rows to look up for each.

    Returns
    -------
    reasons : DataFrame
        "votes" (if there are members: each class's share and, of few members or unequal ones, who
        gave most of it), "columns" (what each adds, see
        :func:`~counterpoint.tabular.contributions.column_contributions`), "shap" (Shapley values,
        where shap is installed), "nearest" (labels of the trained rows that are most like
        it, with their distance), "path" (what the one tree asks on the way to the same answer) and
        "tree" (what it says there).
    sentence : str
        How far the one tree speaks for the model.
    """
    from counterpoint.tabular.explanation import explain

    if model.X_train is None or model.y_train is None:
        raise ValueError("The model file keeps no rows to explain its answers by: fit it again.")
    columns: dict[str, list[str]] = {}
    if said is not None and said.outputs is not None:
        columns["votes"] = _vote_texts(said.outputs)
    columns |= _contributions(model, X, model.X_train, answers)
    rows, distances = nearest_rows(X, model.X_train, n_nearest)
    labels = np.asarray(model.y_train)
    if model.task == "regression":
        labels = np.array([figure(value) for value in labels.astype(float)])
    columns["nearest"] = [
        ", ".join(f"{labels[r]} ({d:.2f})" for r, d in zip(one, far, strict=True))
        for one, far in zip(rows, distances, strict=True)
    ]
    one = explain(model, random_state=model.random_state)
    tree = one.table_tree
    leaves = tree.apply(X)
    columns["path"] = short_paths(tree, X)
    columns["tree"] = [str(label) for label in tree.says()[leaves]]
    agreed = float(np.mean(tree.says()[leaves] == answers)) if tree.classes is not None else None
    sentence = one.sentences()[1]
    if agreed is not None:
        sentence += f" On these rows it says the same on {100 * agreed:.0f} %."
    return pd.DataFrame(columns), sentence


def _vote_texts(outputs: MemberOutputs) -> list[str]:
    """Return how the votes fell about each row, and who cast them where that can be told."""
    tally, votes = outputs.tally, outputs.votes
    shares = outputs.say / outputs.say.sum()
    order = np.argsort(-shares, kind="stable")
    # Of many that count the same no single one matters.
    named = len(shares) <= _FEW_MEMBERS or shares.max() > 2 * shares.mean()
    texts = []
    for row in range(tally.shape[0]):
        parts = []
        for c in np.argsort(-tally[row], kind="stable"):
            if tally[row, c] <= 0:
                continue
            who = [m for m in order if votes[m, row] == c and shares[m] > 0]
            told = "; ".join(f"{outputs.names[m]} {100 * shares[m]:.0f} %" for m in who[:_SHOWN])
            more = f" and {len(who) - _SHOWN} more" if len(who) > _SHOWN else ""
            name = f"{outputs.classes[c]} {100 * tally[row, c]:.0f} %"
            parts.append(f"{name} ({told}{more})" if named else name)
        texts.append(", ".join(parts))
    return texts


def _contributions(
    model: TableModel, X: pd.DataFrame, known: pd.DataFrame, answers: NDArray
) -> dict[str, list[str]]:
    """Return what each column adds, in words, by each way there is."""
    groups = made_of(model.columns)
    units = {column.name: f" {unit}" for column in model.columns if (unit := column.unit)}
    ways = {"columns": column_contributions}
    if has_shap():
        ways["shap"] = shapley_contributions
    found = {}
    for name, way in ways.items():
        values = way(
            model.model, X, known, answers, groups=groups, random_state=model.random_state
        )  # fmt: skip
        numbers = model.task == "regression"
        found[name] = contribution_texts(values, X, units=units, numbers=numbers)
    return found
