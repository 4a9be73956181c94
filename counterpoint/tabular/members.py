"""What the members of an ensemble said, as plain data for its page."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint import _members
from counterpoint._outputs import MemberOutputs
from counterpoint.combiners import Combiner, growth, member_contributions
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.diversity import (
    bad_diversity,
    good_diversity,
    matrix,
    member_error,
    profile,
    trajectory,
    vote_error,
    vote_margins,
    worth,
)
from counterpoint.diversity.measures import order_alike
from counterpoint.exceptions import RedundancyWarning
from counterpoint.tabular.baselines import error_interval
from counterpoint.tabular.plain import _measures

__all__ = ["summarise_members"]

_MOST_PAIRED = 2000  # members up to which every pair is looked at
_MOST_POINTS = 3000  # points of the cloud that a page can bear
_BINS = 20
_MOST_ROWS, _MOST_COLUMNS = 20, 10
_LONGEST = 60
_MINUS = "\N{MINUS SIGN}"


def summarise_members(
    outputs: MemberOutputs,
    combiner: Combiner | None,
    X: Any,
    predicted: NDArray,
    *,
    feature_names: list[str],
    first_columns: list[str],
    max_members: int,
) -> dict[str, Any]:
    """Summarise members: pairs, worth of each, growth, decompositions, margins, disputed rows.

    Parameters
    ----------
    outputs : MemberOutputs
        With the truth.
    combiner : Combiner or None
        The ensemble's rule, from :func:`~counterpoint.combiners.combiner_of`; where it is not
        known, a vote stands in.
    X : array-like or frame of shape (n_samples, n_features)
        The rows, to be shown where members disagree.
    predicted : ndarray of shape (n_samples,)
        The ensemble's own answers.
    feature_names : list of str
        Names of the columns of X.
    first_columns : list of str
        Columns to show first, where there are too many.
    max_members : int
        Members to show in pictures of pairs and in the table; of more, some evenly spaced.

    Returns
    -------
    dict
    """
    n = outputs.n_members
    shown = np.unique(np.linspace(0, n - 1, min(n, max_members)).round().astype(int))
    some = outputs if len(shown) == n else outputs.take(shown)
    measured = outputs if n <= _MOST_PAIRED else some
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)  # the verdict says so
        value = worth(measured)
    votes = outputs.votes is not None  # else only right and wrong are known
    contributions = member_contributions(outputs, combiner) if votes else None
    grown = growth(outputs, combiner) if votes else None
    weights = None
    if contributions is not None and contributions["weight"].nunique() > 1:
        weights = contributions["weight"].to_numpy()
    return {
        "n_members": n,
        "shown": shown,
        "names": [str(outputs.names[k])[:_LONGEST] for k in shown],
        "votes_known": votes,
        "verdict": value.verdict if votes else "",
        "worth": value.table(),
        "measures": _measures(profile(measured)),
        "measured": measured.n_members,
        "weighted": weights is not None,
        "table": _table(outputs, contributions, grown, weights, some, shown),
        "cloud": _cloud(some) if len(shown) > 1 else None,
        "matrix": _matrix(some) if len(shown) > 1 else None,
        "growth": None if grown is None or n == 1 else _growth(outputs, grown),
        "decompositions": _decompositions(outputs) if votes else [],
        "margins": _margins(outputs) if votes else None,
        "disputed": _disputed(outputs, X, predicted, feature_names, first_columns)
        if votes
        else None,
    }


def _table(
    outputs: MemberOutputs,
    contributions: pd.DataFrame | None,
    grown: NDArray | None,
    weights: NDArray | None,
    some: MemberOutputs,
    shown: NDArray,
) -> list[dict[str, Any]]:
    errors = outputs.errors
    alike = np.full(len(shown), np.nan)
    if len(shown) > 1:
        pairs = matrix(some, _kappa(some)).astype(float)
        np.fill_diagonal(pairs, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a member with no defined pair
            alike = np.nanmean(pairs, axis=1)
    adds, whole = None, np.nan
    if contributions is not None and grown is not None and contributions["adds"].notna().all():
        adds, whole = contributions["adds"].to_numpy(), grown[-1]
    return [
        {
            "position": int(k),
            "name": str(outputs.names[k])[:_LONGEST],
            "error": float(errors[k]),
            "weight": None if weights is None else float(weights[k]),
            "without": None if adds is None else float(whole + adds[k]),
            "change": None if adds is None else float(adds[k]),
            "kappa": float(alike[place]),
        }
        for place, k in enumerate(shown)
    ]


def _kappa(outputs: MemberOutputs) -> str:
    # Of the labels where they are known, else of right and wrong.
    return "kappa" if outputs.votes is None else "label_kappa"


def _cloud(some: MemberOutputs) -> dict[str, Any]:
    i, j = np.triu_indices(some.n_members, k=1)
    kappa = matrix(some, _kappa(some))[i, j]
    error = (some.errors[i] + some.errors[j]) / 2
    defined = ~np.isnan(kappa)
    i, j, kappa, error = i[defined], j[defined], kappa[defined], error[defined]
    kept = np.unique(np.linspace(0, len(i) - 1, min(len(i), _MOST_POINTS)).round().astype(int))
    if len(i) == 0:
        kept = np.array([], dtype=int)
    return {
        "measure": _kappa(some),
        "n_pairs": len(defined),
        "n_undefined": int((~defined).sum()),
        "kappa": float(kappa.mean()) if len(kappa) else float("nan"),
        "error": float(error.mean()) if len(error) else float("nan"),
        "first": i[kept],
        "second": j[kept],
        "kappas": kappa[kept],
        "errors": error[kept],
    }


def _matrix(some: MemberOutputs) -> dict[str, Any]:
    values = matrix(some, _kappa(some))
    order = order_alike(values, _kappa(some))
    return {"measure": _kappa(some), "order": order, "values": values[np.ix_(order, order)]}


def _growth(outputs: MemberOutputs, grown: NDArray) -> dict[str, Any]:
    names = ["member_error", "q"] if outputs.n_members <= _MOST_PAIRED else ["member_error"]
    followed = trajectory(outputs, names)
    n = outputs.n_samples
    limits = np.array([error_interval(round(error * n), n) for error in grown])
    best = float(grown.min())
    return {
        "error": grown,
        "low": limits[:, 0],
        "high": limits[:, 1],
        "member_error": followed["member_error"].to_numpy(),
        "q": followed["q"].to_numpy() if "q" in followed else None,
        "best": best,
        "best_at": int(grown.argmin()) + 1,
        # From here on no number of members is better by more than one row in two hundred.
        "enough": int(np.argmax(grown <= best + 0.005)) + 1,
    }


def _decompositions(outputs: MemberOutputs) -> list[dict[str, Any]]:
    found = [
        {
            "loss": "Error of the vote",
            "identity": f"error = mean member error {_MINUS} good diversity + bad diversity",
            "source": "Brown and Kuncheva, MCS 2010",
            "terms": [
                _term("mean member error", member_error(outputs), total=True),
                _term("good diversity", -good_diversity(outputs)),
                _term("bad diversity", bad_diversity(outputs)),
                _term("error of the vote", vote_error(outputs), total=True),
            ],
        }
    ]
    if outputs.proba is not None:
        found.append(_brier(outputs))
    return found


def _brier(outputs: MemberOutputs) -> dict[str, Any]:
    """Squared error of probabilities, summed over the classes: exact for their mean."""
    sums = {"member_error": 0.0, "ambiguity": 0.0, "error": 0.0}
    for k in range(outputs.n_classes):
        parts = ambiguity_decomposition(
            (outputs.y == k).astype(float), outputs.proba[:, :, k], weights=outputs.weights
        )
        for name in sums:
            sums[name] += parts.averages[name]
    return {
        "loss": "Squared error of the probabilities (Brier score)",
        "identity": f"error = mean member error {_MINUS} ambiguity",
        "source": "Krogh and Vedelsby, NIPS 1994",
        "terms": [
            _term("mean member error", sums["member_error"], total=True),
            _term("ambiguity", -sums["ambiguity"]),
            _term("error of the mean", sums["error"], total=True),
        ],
    }


def _term(name: str, value: float, *, total: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "total": total}


def _margins(outputs: MemberOutputs) -> dict[str, Any]:
    margins = np.round(vote_margins(outputs), 12)
    counts, edges = np.histogram(margins, bins=_BINS, range=(-1.0, 1.0))
    return {
        "edges": edges,
        "counts": counts,
        "below_zero": float((margins < 0).mean()),
        "at_zero": float((margins == 0).mean()),
        "mean": float(margins.mean()),
        "sure": float((margins > 0.5).mean()),
    }


def _disputed(
    outputs: MemberOutputs,
    X: Any,
    predicted: NDArray,
    feature_names: list[str],
    first_columns: list[str],
) -> dict[str, Any]:
    tally = outputs.tally
    dispute = np.round(1.0 - np.einsum("ij,ij->i", tally, tally), 12)
    rows = np.argsort(-dispute, kind="stable")[:_MOST_ROWS]
    rows = rows[dispute[rows] > 0]
    ahead = [feature_names.index(name) for name in first_columns if name in feature_names]
    columns = list(dict.fromkeys([*ahead, *range(len(feature_names))]))[:_MOST_COLUMNS]
    columns = sorted(columns)
    index = getattr(X, "index", None)
    labels = [str(label) for label in outputs.classes.tolist()]
    listed = []
    for row in rows:
        split = [
            {"label": labels[c], "class": int(c), "share": float(tally[row, c])}
            for c in np.argsort(-tally[row], kind="stable")
            if tally[row, c] > 0
        ]
        listed.append(
            {
                "row": str(row if index is None else index[row]),
                "dispute": float(dispute[row]),
                "truth": labels[outputs.y[row]],
                "said": str(predicted[row]),
                "right": bool(predicted[row] == outputs.classes[outputs.y[row]]),
                "split": split,
                "values": _values(X, int(row), columns),
            }
        )
    return {
        "columns": [feature_names[c][:_LONGEST] for c in columns],
        "n_columns": len(feature_names),
        "n_disputed": int((dispute > 0).sum()),
        "n_rows": outputs.n_samples,
        "rows": listed,
    }


def _values(X: Any, row: int, columns: list[int]) -> list[dict[str, Any]]:
    if not columns or len(getattr(X, "shape", ())) != 2:
        return []
    one = _members.select_rows(X, [row])
    one = one.toarray() if hasattr(one, "toarray") else np.asarray(one, dtype=object)
    return [_value(one[0, c]) for c in columns]


def _value(value: Any) -> dict[str, Any]:
    """Return what to show, and a number to sort by where it is one."""
    if value is None or value != value:  # NaN is not itself
        return {"text": "missing", "number": None}
    if isinstance(value, bool | np.bool_ | str):
        return {"text": str(value)[:_LONGEST], "number": None}
    try:
        number = float(value)
    except (TypeError, ValueError):
        return {"text": str(value)[:_LONGEST], "number": None}
    return {"text": f"{number:.6g}".replace("-", _MINUS), "number": number}
