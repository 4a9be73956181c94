"""What to do next: the first lines that a reader of a model's page needs.

Made from the summary alone, so the terminal, the page and JSON give the same advice, and nothing is
advised that the numbers beside it do not show.
"""

import math
from collections.abc import Callable
from typing import Any

from counterpoint.tabular.baselines import SIMPLE_MODELS
from counterpoint.tabular.class_scores import find_missed
from counterpoint.tabular.leaks import LEAK
from counterpoint.tabular.telling import TELLINGS
from counterpoint.tabular.words import percent

Summary = dict[str, Any]

_MOST_LINES = 4
_TELLS_APART = 0.7  # AUC from which it is the threshold rather than the model that misses a class
_FAITHFUL = 0.9
_CHANCE = 0.05
_Z = 1.96
_FEWEST_TO_TELL = 20  # rows that one of two models alone has wrong, below which nothing is foretold


def advise(summary: Summary) -> list[str]:
    """Say what to do with a model, most urgent first.

    Parameters
    ----------
    summary : dict
        What :meth:`~counterpoint.tabular.Assessment.summary` returns.

    Returns
    -------
    list of str
        At most four lines, one at least, in the words of Python; the command says them with
        options.

    Examples
    --------
    >>> from counterpoint import tabular
    >>> from counterpoint.datasets import load
    >>> data = load("wine")
    >>> fitted = tabular.fit(data.X.assign(kind=data.y), "kind", "naive-bayes", random_state=0)
    >>> print(fitted.summary(tree=False)["advice"][0])
    Take logistic regression instead: it errs no more, and is simpler. ...
    """
    lines = [line for rule in _RULES for line in [rule(summary)] if line]
    return lines[:_MOST_LINES]


def _leak(summary: Summary) -> str | None:
    """Say that all else waits where a column may know the target from afterwards."""
    if not any(line.startswith(LEAK) for line in summary["warnings"]):
        return None
    return (
        "First settle the warning of a LEAK: if such a column is not known yet when answers "
        "are needed, leave it out and fit again. Nothing below holds without it."
    )


def _rather(summary: Summary) -> str | None:
    """Say what to take instead, if a simple model is as good."""
    simple, fit = summary["as_good"], summary["fit"]
    if simple is None or summary.get("decision") is not None:
        return None
    models = SIMPLE_MODELS[summary["task"]]
    blind = _blind_as_good(summary)
    if blind is not None:
        text = (
            f"Do not rely on it: the {blind}, which looks at no column, does as well. Look for "
            "columns that know more about the target, and for more rows"
        )
    elif models.methods[simple] in models.blind:
        return None  # it errs more, and finds what always saying one class never does
    else:
        text = f"Take {_named(simple)} instead: it errs no more, and is simpler"
        if fit is not None:
            text += f". Write method={models.methods[simple]!r}"
    if fit is not None and fit["stop_reason"] == "time_limit":
        tried = len(fit["leaderboard"])
        some = "one member was" if tried == 1 else f"{tried} members were"
        text += f". Or give it more time with time_limit=: only {some} tried"
    return text + "."


def _blind_as_good(summary: Summary) -> str | None:
    """Return what looks at no column and errs no more; None if classes are found all the same."""
    if summary["task"] == "classification":
        told = summary["by_class"]
        there = sum(row["rows"] > 0 for row in told["rows"])
        if there > 1 and told["balanced_high"] < 1 - 1 / there:
            return None
    models, measure = SIMPLE_MODELS[summary["task"]], TELLINGS[summary["task"]].measure
    rows = [r for r in summary["baselines"]["rows"] if models.methods[r["name"]] in models.blind]
    best = min(rows, key=lambda row: row[measure], default=None)
    if best is None or best[measure] > summary["score"][measure]:
        return None
    return best["name"]


def _find_rare(summary: Summary) -> str | None:
    """Say how to find more of a class that is missed."""
    if summary["task"] != "classification" or summary["decision"] is not None:
        return None
    told = summary["by_class"]
    missed = find_missed(told)
    if not missed:
        return None
    which = ", ".join(repr(row["label"]) for row in missed[:3])
    text = f"To find more of {which}: "
    if summary["fit"] is not None:
        text += "say class_weight='balanced', and every class counts the same"
        if len(told["rows"]) == 2:
            text += "; or say with cost= what each mistake costs (such as fn=10, fp=1)"
    else:
        text += "weigh the classes, or say them from a lower probability on"
    auc = told["auc"]
    if auc is not None and auc >= _TELLS_APART:
        text += (
            f". Its probabilities tell the classes apart better than its answers (AUC {auc:.2f})"
        )
    return text + "."


def _believe(summary: Summary) -> str | None:
    """Say how far probabilities can be believed, if they are off by more than chance."""
    told = summary.get("calibration")
    if told is None or told["gap"] <= told["chance_gap"]:
        return None
    return (
        f"Rank by its probabilities, but do not take them at their word: they are "
        f"{percent(told['gap'])} off on average, more than chance explains."
    )


def _use(summary: Summary) -> str | None:
    """Say whether it is worth being used, if no simple model is as good."""
    if summary["as_good"] is not None or not summary["baselines"]["rows"]:
        return None
    measure = TELLINGS[summary["task"]].measure
    best = min(summary["baselines"]["rows"], key=lambda row: row[measure])
    if best[measure] <= summary["score"][measure]:
        return None  # of its own kind: nothing to hold it against
    name = _named(best["name"])
    if summary["task"] == "regression":
        if best["above_low"] > 0:
            return f"Use it: it is clearly nearer to the truth than {name}, the best simple model."
        return (
            f"It may be no better than {name}: the difference is within chance. Test it on more "
            "rows before it has to pay."
        )
    if best["p"] < _CHANCE:
        return f"Use it: it errs clearly less than {name}, the best simple model."
    text = f"It may be no better than {name}: the difference is within chance."
    return text + _rows_to_tell(summary, best)


def _rows_to_tell(summary: Summary, simple: dict[str, Any]) -> str:
    """Say on how many rows such a difference would be seen, if it is the true one.

    The normal approximation of McNemar's test: of n rows only the simple model has b wrong and only
    this one c, and (b - c) / sqrt(b + c) grows with the root of n.
    """
    b, c = simple["only_this"], simple["only_model"]
    if b + c < _FEWEST_TO_TELL or b <= c:
        return " Test it on more rows before it has to pay."
    n = summary["score"]["n"] * (_Z**2) * (b + c) / (b - c) ** 2
    digits = -math.floor(math.log10(n)) + 1
    return f" If it is what it seems, about {round(n, digits):,.0f} test rows would show it."


def _read(summary: Summary) -> str | None:
    """Say that one tree can be read in its place, if it is faithful."""
    tree = summary["tree"]
    if tree is None or tree["shown"]["fidelity"] is None or tree["shown"]["n_leaves"] < 2:
        return None
    # More faithful than always giving one answer: of what that misses, it has half at least.
    base = tree["constant_fidelity"] or 0.0
    if tree["shown"]["fidelity"] < max(_FAITHFUL, (1 + base) / 2):
        return None
    leaves, share = tree["shown"]["n_leaves"], percent(tree["shown"]["fidelity"])
    what = f"which says the same on {share} of the rows"
    if summary["task"] == "regression":
        what = f"which explains {share} of its answers"
    return f"To explain it to others, show them one tree of {leaves} leaves, {what}."


def _named(simple: str) -> str:
    return simple if simple == "logistic regression" else f"the {simple}"


_RULES: tuple[Callable[[Summary], str | None], ...] = (
    _leak,
    _find_rare,
    _rather,
    _use,
    _believe,
    _read,
)
