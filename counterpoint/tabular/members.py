"""What the members of an ensemble add to it, as plain data.

Every statement is about the ensemble's own answers, however it makes them: a vote is only a vote
where the ensemble takes one.
"""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint import _tables
from counterpoint._outputs import MemberOutputs, OutputCounts
from counterpoint._statistics import wilson_interval
from counterpoint.combiners import (
    Combiner,
    MeanCombiner,
    StackingCombiner,
    StagedCombiner,
    VoteCombiner,
    growth,
    member_contributions,
)
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.diversity import matrix, profile, trajectory, vote_margins, worth
from counterpoint.diversity.measures import order_alike
from counterpoint.exceptions import RedundancyWarning
from counterpoint.tabular.plain import plain

SHOWN_MEASURES = (
    "member_error", "q", "label_kappa", "disagreement", "double_fault", "good_diversity",
    "bad_diversity",
)  # fmt: skip
"""What a short table shows of an ensemble."""

_OWN_TITLES: dict[Any, str] = {
    "vote_error": "Error of the ensemble",
    "improvement_rate": "Error taken away by combining",
}
# How members are combined: a word for what the rule is, and for readers.
_RULES: list[tuple[type, str, str]] = [
    (VoteCombiner, "vote", "a vote"),
    (MeanCombiner, "mean", "the mean of the members' probabilities"),
    (StagedCombiner, "stages", "a sum in which each member corrects those before it"),
    (StackingCombiner, "stacking", "a classifier that has learnt from the members' answers"),
    (Combiner, "rule", "a rule that has been learnt from the members' answers"),
    (type(None), "unknown", "a way of its own, which is not known from outside"),
]
_MOST_PAIRED = 2000  # members up to which every pair is looked at
_MOST_LISTED = 500  # rows of the table of members
_MOST_POINTS = 3000  # points of the cloud that a page can bear
_BINS = 20
_MOST_ROWS, _MOST_COLUMNS = 20, 10
_LONGEST = 60
_MINUS = "\N{MINUS SIGN}"


def measure_answers(
    outputs: MemberOutputs | OutputCounts, answers: NDArray | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``profile`` and ``worth`` of outputs as plain data.

    ``answers`` (n_samples,) are the ensemble's own; None takes the members' vote.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)  # the verdict says so
        value = worth(outputs, answers)
    frame = profile(outputs, answers)
    if answers is not None:
        frame["title"] = [_OWN_TITLES.get(n, t) for n, t in frame["title"].items()]
    measures = {str(name): plain(row.to_dict()) for name, row in frame.iterrows()}
    return measures, plain(value.table())


def describe_combiner(combiner: Combiner | None, outputs: MemberOutputs) -> tuple[str, str]:
    """Return a word for how an ensemble combines, and the same for readers."""
    kind, words = next((k, w) for known, k, w in _RULES if isinstance(combiner, known))
    if combiner is not None and kind in ("vote", "mean") and np.ptp(combiner.shares(outputs)) > 0:
        words = words.replace("a vote", "a weighted vote").replace("the mean", "the weighted mean")
    return kind, words


def describe_members(
    outputs: MemberOutputs,
    combiner: Combiner | None,
    X: Any,
    answers: NDArray,
    *,
    feature_names: list[str],
    first_columns: list[str],
    max_members: int,
) -> dict[str, Any]:
    """Describe members: pairs, worth of each, growth, decompositions, margins, disputed rows.

    Without a combiner, from ``combiner_of``, what each member adds is not told. ``answers`` of
    shape (n_samples,) are the ensemble's own. Of the disputed rows of X ``first_columns`` are shown
    first; pictures of pairs show at most ``max_members``, evenly spaced.
    """
    n = outputs.n_members
    shown = evenly(n, max_members)
    some = outputs if len(shown) == n else outputs.take(shown)
    measured = outputs if n <= _MOST_PAIRED else some
    votes = outputs.votes is not None  # else only right and wrong are known
    contributions = None if combiner is None else member_contributions(outputs, combiner)
    measures, value = measure_answers(measured, answers if votes else None)
    return {
        "n_members": n,
        "shown": shown,
        "names": [str(outputs.names[k])[:_LONGEST] for k in shown],
        "errors": outputs.errors[shown],
        "votes_known": votes,
        "verdict": value["verdict"] if votes else "",
        "worth": value,
        "measures": measures,
        "shown_measures": [name for name in SHOWN_MEASURES if name in measures],
        "measured": measured.n_members,
        "table": _table(outputs, contributions, answers),
        "cloud": _cloud(some) if len(shown) > 1 else None,
        "matrix": pair_matrix(some) if len(shown) > 1 else None,
        "growth": None if combiner is None or n == 1 else describe_growth(outputs, combiner),
        "decompositions": _decompositions(outputs, combiner, measures) if votes else [],
        "margins": _margins(outputs) if votes else None,
        "disputed": _disputed(outputs, X, answers, feature_names, first_columns) if votes else None,
    }


def evenly(n: int, most: int) -> NDArray:
    """Return positions of at most so many of n, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def _table(
    outputs: MemberOutputs, contributions: pd.DataFrame | None, answers: NDArray
) -> list[dict[str, Any]]:
    """Say of each member what it is worth, the one the ensemble would miss most first."""
    listed = evenly(outputs.n_members, _MOST_LISTED)
    some = outputs if len(listed) == outputs.n_members else outputs.take(listed)
    alike = np.full(len(listed), np.nan)
    if len(listed) > 1:
        pairs = matrix(some, _kappa(some)).astype(float)
        np.fill_diagonal(pairs, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a member with no defined pair
            alike = np.nanmean(pairs, axis=1)
    errors, weights, adds, against, whole = outputs.errors, None, None, None, 0.0
    if contributions is not None:
        if np.ptp(contributions["weight"]) > 0:
            weights = contributions["weight"]
        if contributions["adds"].notna().all():
            adds = contributions["adds"]
    if some.votes is not None:
        codes = np.searchsorted(some.classes, answers)
        against, whole = (some.votes != codes).mean(axis=1), np.mean(codes != some.y)
    rows = [
        {
            "position": int(k),
            "name": str(outputs.names[k])[:_LONGEST],
            "error": float(errors[k]),
            "weight": None if weights is None else float(weights[k]),
            "disagrees": None if against is None else float(against[place]),
            "without": None if adds is None else float(whole + adds[k]),
            "change": None if adds is None else float(adds[k]),
            "kappa": float(alike[place]),
        }
        for place, k in enumerate(listed)
    ]
    if adds is None:
        return rows
    return sorted(rows, key=lambda row: (-row["change"], row["error"], row["position"]))


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


def pair_matrix(some: MemberOutputs) -> dict[str, Any]:
    """Return the agreement of every two members, and an order in which those alike are near."""
    values = matrix(some, _kappa(some))
    order = order_alike(values, _kappa(some))
    return {"measure": _kappa(some), "order": order, "values": values[np.ix_(order, order)]}


def describe_growth(outputs: MemberOutputs, combiner: Combiner) -> dict[str, Any]:
    """Say how the error falls as members join, in their order."""
    names = ["member_error", "q"] if outputs.n_members <= _MOST_PAIRED else ["member_error"]
    followed = trajectory(outputs, names)
    errors, n = growth(outputs, combiner), outputs.n_samples
    limits = np.array([wilson_interval(round(error * n), n) for error in errors])
    best = float(errors.min())
    return {
        "error": errors,
        "low": limits[:, 0],
        "high": limits[:, 1],
        "member_error": followed["member_error"].to_numpy(),
        "q": followed["q"].to_numpy() if "q" in followed else None,
        "best": best,
        "best_at": int(errors.argmin()) + 1,
        # From here on no number of members is better by more than one row in two hundred.
        "enough": int(np.argmax(errors <= best + 0.005)) + 1,
    }


def _decompositions(
    outputs: MemberOutputs, combiner: Combiner | None, measures: dict[str, Any]
) -> list[dict[str, Any]]:
    def value(name: str) -> float:
        return measures[name]["value"]

    names = ("member_error", "good_diversity", "bad_diversity", "vote_error")
    parts = [error_parts(*map(value, names))]
    if isinstance(combiner, MeanCombiner):
        parts.append(brier_parts(outputs, combiner.shares(outputs)))
    return parts


def error_parts(member_error: float, good: float, bad: float, error: float) -> dict[str, Any]:
    """Tell the error of an ensemble as the sum that good and bad diversity make of it."""
    return {
        "loss": "Error of the ensemble",
        "identity": f"error = mean member error {_MINUS} good diversity + bad diversity",
        "source": "Brown and Kuncheva, MCS 2010",
        "terms": [
            term("mean member error", member_error, total=True),
            term("good diversity", -good),
            term("bad diversity", bad),
            term("error of the ensemble", error, total=True),
        ],
    }


def brier_parts(outputs: MemberOutputs, weights: NDArray) -> dict[str, Any]:
    """Squared error of probabilities, summed over the classes: exact for their mean.

    ``added_off`` is the least share that the mean takes off what members' errors add to the least
    error possible, 1 - (1 + correlation (N - 1)) / N of :func:`counterpoint.diversity.added_error`
    with errors that are alike everywhere. Noise of labels counts as everybody's error here, which
    makes the share smaller than it is.
    """
    sums = {"member_error": 0.0, "ambiguity": 0.0, "error": 0.0}
    for k in range(outputs.n_classes):
        parts = ambiguity_decomposition(
            (outputs.y == k).astype(float), outputs.proba[:, :, k], weights=weights
        )
        for name in sums:
            sums[name] += parts.averages[name]
    return {
        "loss": "Squared error of the probabilities (Brier score)",
        "identity": f"error = mean member error {_MINUS} ambiguity",
        "source": "Krogh and Vedelsby, NIPS 1994",
        "added_off": sums["ambiguity"] / sums["member_error"] if sums["member_error"] else None,
        "terms": [
            term("mean member error", sums["member_error"], total=True),
            term("ambiguity", -sums["ambiguity"]),
            term("error of the ensemble", sums["error"], total=True),
        ],
    }


def term(name: str, value: float, *, total: bool = False) -> dict[str, Any]:
    """Return a term of a sum, or a sum of those before it."""
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
    answers: NDArray,
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
                "answer": str(answers[row]),
                "right": bool(answers[row] == outputs.classes[outputs.y[row]]),
                "split": split,
                "values": cell_values(X, int(row), columns),
            }
        )
    return {
        "columns": [feature_names[c][:_LONGEST] for c in columns],
        "n_columns": len(feature_names),
        "n_disputed": int((dispute > 0).sum()),
        "n_rows": outputs.n_samples,
        "rows": listed,
    }


def cell_values(X: Any, row: int, columns: list[int]) -> list[dict[str, Any]]:
    """Return the values of some columns in a row, as they are shown."""
    if not columns or len(getattr(X, "shape", ())) != 2:
        return []
    one = _tables.select_rows(X, [row])
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
