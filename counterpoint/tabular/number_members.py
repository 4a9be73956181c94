"""What the members of an ensemble of regressors add to it, as plain data."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from counterpoint import _members
from counterpoint._conformal import member_spread
from counterpoint._predictions import MemberPredictions
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.diversity.measures import order_alike
from counterpoint.exceptions import MemberError
from counterpoint.tabular.members import cell_values, evenly, term
from counterpoint.tabular.number_scores import LIMITS
from counterpoint.tabular.words import figure

_MOST_LISTED = 500
_MOST_ROWS, _MOST_COLUMNS = 20, 10
_LONGEST = 60
_MINUS = "\N{MINUS SIGN}"
_SAME = 1e-6  # of the spread of the answers: what two sums of many floats may differ by


def ask_number_members(
    model: Any, X: Any, y: NDArray, names: list[str] | None
) -> MemberPredictions:
    """Ask the members of a fitted regressor, and call them by the names given.

    Raises MemberError for a regressor without members that mean something alone.
    """
    ensemble = _members.strip(model)[1]
    values = np.atleast_2d(_members.values_of(model, X))
    if values.shape[1] != len(y):
        raise MemberError(f"The members of a {type(ensemble).__name__} do not answer row by row.")
    if names is None:
        pool = getattr(ensemble, "pool_", None)
        if pool is not None and all(isinstance(item, tuple) for item in pool):
            names = [name for name, _ in pool]
        else:
            names = _numbered(ensemble, len(values))
    if len(names) != len(values):
        raise ValueError(f"{len(names)} names for {len(values)} members: give one each.")
    return MemberPredictions(values, y, names=[str(name) for name in names])


def _numbered(ensemble: Any, n: int) -> list[str]:
    parts = getattr(ensemble, "estimators_", None)
    kinds = [type(_members.strip(one)[1]).__name__ for one in parts] if parts is not None else []
    if len(kinds) != n:
        kinds = ["member"] * n
    return [f"{kind} {k}" for k, kind in enumerate(kinds)]


def find_weights(model: Any, outputs: MemberPredictions, answers: NDArray) -> NDArray | None:
    """Return the weights whose mean of the members is the model's answer, but for a shift.

    None where no weights it may have had give what it says: it combines in a way of its own.
    """
    ensemble = _members.strip(model)[1]
    n = outputs.n_members
    tried = [getattr(ensemble, "estimator_weights_", None), np.ones(n)]
    far = _SAME * (np.ptp(answers) + np.abs(answers).mean() + 1e-300)
    for weights in tried:
        if weights is None or np.shape(weights) != (n,) or np.sum(weights) <= 0:
            continue
        share = np.asarray(weights, dtype=float) / np.sum(weights)
        if np.ptp(share @ outputs.values - answers) <= far:
            return share
    return None


def describe_combination(weights: NDArray | None) -> tuple[str, str]:
    """Return a word for how an ensemble combines, and the same for readers."""
    if weights is None:
        return "unknown", "a way of its own, which is not known from outside"
    if np.ptp(weights) > 0:
        return "mean", "the weighted mean of the members' answers"
    return "mean", "the mean of the members' answers"


def describe_number_members(
    outputs: MemberPredictions,
    weights: NDArray | None,
    X: Any,
    answers: NDArray,
    *,
    feature_names: list[str],
    first_columns: list[str],
    max_members: int,
) -> dict[str, Any]:
    """Describe members: error of each, its worth, pairs, growth, ambiguity, disputed rows.

    Without weights, from :func:`find_weights`, what each member adds is not told. ``answers`` of
    shape (n_samples,) are the ensemble's own.
    """
    n = outputs.n_members
    shown = evenly(n, max_members)
    alone = np.sqrt(outputs.errors)
    whole = _rmse(answers, outputs.y)
    table = _table(outputs, weights, answers, alone, whole)
    return {
        "n_members": n,
        "shown": shown,
        "names": [outputs.names[k][:_LONGEST] for k in shown],
        "rmse": alone[shown],
        "mean_rmse": float(alone.mean()),
        "best_rmse": float(alone.min()),
        "spread": float(_spread(outputs, weights).mean()),
        "verdict": _verdict(whole, alone),
        "table": table,
        "matrix": number_pair_matrix(outputs.take(shown)) if len(shown) > 1 else None,
        "growth": number_growth(outputs, weights) if weights is not None and n > 1 else None,
        "decompositions": [] if weights is None or n == 1 else [_ambiguity(outputs, weights)],
        "disputed": _disputed(outputs, weights, X, answers, feature_names, first_columns),
    }


def _rmse(answers: NDArray, y: NDArray) -> float:
    return float(np.sqrt(np.mean((answers - y) ** 2)))


def _spread(outputs: MemberPredictions, weights: NDArray | None) -> NDArray:
    return member_spread(outputs.values, np.ones(outputs.n_members) if weights is None else weights)


def _verdict(whole: float, alone: NDArray) -> str:
    if len(alone) == 1:
        return ""
    mean, best = float(alone.mean()), float(alone.min())
    taken = 100 * (1 - whole / mean) if mean > 0 else 0.0
    change = f"takes away {taken:.0f} % of" if taken >= 0 else f"adds {-taken:.0f} % to"
    beats = "It beats" if whole < best else "It does not reach"
    return (
        f"The ensemble's RMSE is {figure(whole)}, its members' {figure(mean)} on average: it "
        f"{change} their error. {beats} its best member ({figure(best)})."
    )


def _table(
    outputs: MemberPredictions,
    weights: NDArray | None,
    answers: NDArray,
    alone: NDArray,
    whole: float,
) -> list[dict[str, Any]]:
    """Say of each member what it is worth, the one the ensemble would miss most first."""
    listed = evenly(outputs.n_members, _MOST_LISTED)
    alike = error_correlations(outputs.take(listed))
    np.fill_diagonal(alike, np.nan)
    shift = 0.0 if weights is None else float(np.mean(answers - weights @ outputs.values))
    rows = []
    for place, k in enumerate(listed):
        known = alike[place][~np.isnan(alike[place])]
        without = None
        if weights is not None and weights[k] < 1:
            rest = (weights @ outputs.values - weights[k] * outputs.values[k]) / (1 - weights[k])
            without = _rmse(rest + shift, outputs.y)
        rows.append(
            {
                "position": int(k),
                "name": outputs.names[k][:_LONGEST],
                "rmse": float(alone[k]),
                "weight": None if weights is None or np.ptp(weights) == 0 else float(weights[k]),
                "disagrees": _rmse(outputs.values[k], answers),
                "without": without,
                "change": None if without is None else without - whole,
                "correlation": float(known.mean()) if len(known) else None,
            }
        )
    if any(row["change"] is None for row in rows):
        return rows
    return sorted(rows, key=lambda row: (-row["change"], row["rmse"], row["position"]))


def error_correlations(outputs: MemberPredictions) -> NDArray:
    """Correlation of the members' errors, (n_members, n_members); NaN for one without spread."""
    gap = outputs.values - outputs.y
    gap = gap - gap.mean(axis=1, keepdims=True)
    size = np.sqrt((gap**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        table = gap @ gap.T / np.outer(size, size)
    table[~np.isfinite(table)] = np.nan
    return table


def number_pair_matrix(some: MemberPredictions) -> dict[str, Any]:
    """Return how far the errors of every two members go together, those alike side by side."""
    values = error_correlations(some)
    order = order_alike(values, "correlation")
    return {"measure": "correlation", "order": order, "values": values[np.ix_(order, order)]}


def number_growth(
    outputs: MemberPredictions, weights: NDArray, counts: NDArray | None = None
) -> dict[str, Any]:
    """Say how the RMSE falls as members join in their order, weighed as the ensemble weighs them.

    With ``counts`` of rows drawn, from ``draw_counts``, also "low" and "high", its 95 % limits.
    """
    total = np.cumsum(weights)
    sums = np.cumsum(weights[:, None] * outputs.values, axis=0)
    known = total > 0
    squares = (sums[known] / total[known][:, None] - outputs.y) ** 2
    told: dict[str, Any] = {"rmse": np.full(len(weights), np.nan)}
    told["rmse"][known] = np.sqrt(squares.mean(axis=1))
    if counts is not None:
        limits = np.full((2, len(weights)), np.nan)
        limits[:, known] = np.quantile(np.sqrt(counts @ squares.T / outputs.n_samples), LIMITS, 0)
        told["low"], told["high"] = limits
    alone = np.sqrt(outputs.errors)
    best = float(np.nanmin(told["rmse"]))
    return {
        **told,
        "member_rmse": np.cumsum(alone) / np.arange(1, len(alone) + 1),
        "best": best,
        "best_at": int(np.nanargmin(told["rmse"])) + 1,
        # From here on no number of members is better by more than one part in a hundred.
        "enough": int(np.nanargmax(told["rmse"] <= 1.01 * best)) + 1,
    }


def _ambiguity(outputs: MemberPredictions, weights: NDArray) -> dict[str, Any]:
    sums = ambiguity_decomposition(outputs.y, outputs.values, weights=weights).averages
    return ambiguity_parts(sums)


def ambiguity_parts(sums: Mapping[str, Any]) -> dict[str, Any]:
    """Tell the squared error of a mean as the difference that ambiguity makes of its members'."""
    return {
        "loss": "Squared error of the members' mean",
        "identity": f"error = mean member error {_MINUS} ambiguity",
        "source": "Krogh and Vedelsby, NIPS 1994",
        "share": float(sums["ambiguity"] / sums["member_error"]) if sums["member_error"] else None,
        "terms": [
            term("mean member error", sums["member_error"], total=True),
            term("ambiguity", -sums["ambiguity"]),
            term("error of the members' mean", sums["error"], total=True),
        ],
    }


def _disputed(
    outputs: MemberPredictions,
    weights: NDArray | None,
    X: Any,
    answers: NDArray,
    feature_names: list[str],
    first_columns: list[str],
) -> dict[str, Any]:
    spread = _spread(outputs, weights)
    rows = np.argsort(-spread, kind="stable")[:_MOST_ROWS]
    rows = rows[spread[rows] > 0]
    ahead = [feature_names.index(name) for name in first_columns if name in feature_names]
    columns = sorted(list(dict.fromkeys([*ahead, *range(len(feature_names))]))[:_MOST_COLUMNS])
    index = getattr(X, "index", None)
    return {
        "columns": [feature_names[c][:_LONGEST] for c in columns],
        "n_columns": len(feature_names),
        "n_rows": outputs.n_samples,
        "correlation": _rank_correlation(spread, np.abs(answers - outputs.y)),
        "rows": [
            {
                "row": str(row if index is None else index[row]),
                "spread": float(spread[row]),
                "truth": float(outputs.y[row]),
                "answer": float(answers[row]),
                "low": float(outputs.values[:, row].min()),
                "high": float(outputs.values[:, row].max()),
                "values": cell_values(X, int(row), columns),
            }
            for row in rows
        ],
    }


def _rank_correlation(first: NDArray, second: NDArray) -> float | None:
    """Return Spearman's rank correlation; None if one of them does not vary."""
    a, b = rankdata(first), rankdata(second)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
