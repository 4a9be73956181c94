"""Results as plain data: dicts, lists, strings and numbers that JSON can hold.

The terminal, the page and ``--json`` all show these, so that they cannot disagree. What is
undefined is None.
"""

import json
import math
import platform
import warnings
from importlib.metadata import version
from operator import lt
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from counterpoint import __version__
from counterpoint._outputs import MemberOutputs
from counterpoint.diversity import profile, worth
from counterpoint.exceptions import RedundancyWarning

if TYPE_CHECKING:
    from counterpoint.tabular.demo import DemoMethod, DemoResult

__all__ = ["plain", "summarise_demo", "summarise_outputs", "to_json"]

# What the demo's table shows of each ensemble.
DEMO_MEASURES = (
    "member_error",
    "q",
    "label_kappa",
    "disagreement",
    "double_fault",
    "good_diversity",
    "bad_diversity",
)


def summarise_outputs(outputs: MemberOutputs) -> dict[str, Any]:
    """Summarise what members said: sizes, errors, every measure, and what it is worth.

    Parameters
    ----------
    outputs : MemberOutputs

    Returns
    -------
    dict
        ``n_members``, ``n_samples``, ``classes`` (None when only right and wrong are known),
        ``weighted``, ``members`` (name and error of each), ``measures`` (by name) and
        ``worth``. Ready for :func:`to_json`.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> summary = summarise_outputs(MemberOutputs([["a", "b"], ["a", "a"]], ["a", "b"]))
    >>> summary["members"]
    [{'name': 'member 0', 'error': 0.0}, {'name': 'member 1', 'error': 0.5}]
    >>> summary["measures"]["disagreement"]["value"], summary["measures"]["q"]["value"]
    (0.5, None)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)  # the verdict says so
        value = worth(outputs)
    errors = zip(outputs.names, outputs.errors, strict=True)
    return {
        "n_members": outputs.n_members,
        "n_samples": outputs.n_samples,
        "classes": plain(outputs.classes),
        "weighted": outputs.sample_weight is not None,
        "members": [{"name": str(name), "error": plain(error)} for name, error in errors],
        "measures": _measures(profile(outputs)),
        "worth": plain(value.table()),
    }


def summarise_demo(result: "DemoResult") -> dict[str, Any]:
    """Summarise the demo: how it was run, a row per method, remarks and verdicts.

    Parameters
    ----------
    result : DemoResult

    Returns
    -------
    dict
        Ready for :func:`to_json` and for the page.
    """
    title = result.description.partition("\n")[0]
    methods = [_method(method) for method in result.methods]
    tree = {"name": "Single tree", **_errors(result.tree_errors)}
    return plain(
        {
            "dataset": result.dataset,
            "title": title,
            "description": result.description,
            "n_train": result.n_train,
            "n_test": result.n_test,
            "n_features": result.n_features,
            "own_split": result.own_split,
            "classes": result.classes,
            "n_estimators": result.n_estimators,
            "n_splits": result.n_splits,
            "random_state": result.random_state,
            "tree": tree,
            "methods": methods,
            "best": result.best.name,
            "shown": list(DEMO_MEASURES),
            "remarks": _remarks(tree, methods),
            "command": _command(result),
            "versions": {
                "counterpoint": __version__,
                "scikit-learn": version("scikit-learn"),
                "numpy": version("numpy"),
                "python": platform.python_version(),
            },
        }
    )


def to_json(summary: Any) -> str:
    """Return a summary as JSON text; what is undefined becomes ``null``."""
    return json.dumps(plain(summary), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value in types that JSON knows, NaN and missing as None.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"q": np.float64("nan"), "votes": np.array([1, 2])})
    {'q': None, 'votes': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def _measures(frame: pd.DataFrame) -> dict[str, Any]:
    return {str(name): plain(row.to_dict()) for name, row in frame.iterrows()}


def _method(method: "DemoMethod") -> dict[str, Any]:
    return {
        "name": method.name,
        "recipe": method.recipe,
        "n_members": method.outputs.n_members,
        **_errors(method.errors),
        "measures": _measures(method.profile),
        "verdict": method.worth.verdict,
    }


def _errors(errors: np.ndarray) -> dict[str, Any]:
    # Splits share rows, so the spread tells how far one split can mislead, no more than that.
    spread = errors.std(ddof=1) if len(errors) > 1 else math.nan
    return {
        "error": float(errors[0]),
        "errors": errors.tolist(),
        "error_mean": float(errors.mean()),
        "error_spread": float(spread),
    }


def _remarks(tree: dict[str, Any], methods: list[dict[str, Any]]) -> list[str]:
    """Return what the table says, in sentences; none where the numbers say nothing."""

    def value(method: dict[str, Any], name: str) -> float:
        return method["measures"][name]["value"]

    best = min(methods, key=lambda method: method["error_mean"])
    if best["error_mean"] < tree["error_mean"]:
        remarks = [
            f"Over all splits a single tree errs {_percent(tree['error_mean'])} of the time; the "
            f"best ensemble, {best['name']}, {_percent(best['error_mean'])}."
        ]
    else:
        remarks = [
            "Over all splits no ensemble does better than a single tree, which errs "
            f"{_percent(tree['error_mean'])} of the time."
        ]
    weak = max(methods, key=lambda method: value(method, "member_error"))
    if value(weak, "member_error") > tree["error"] > weak["error"]:
        remarks.append(
            f"The members of {weak['name']} err most, {_percent(value(weak, 'member_error'))} each "
            f"on average, more than a single tree; together they err {_percent(weak['error'])}. "
            "Their mistakes differ, and a vote cancels them."
        )
    measured = [method for method in methods if value(method, "label_kappa") is not None]
    if len(measured) > 1:
        alike = sorted(measured, key=lambda method: value(method, "label_kappa"))
        remarks.append(
            f"Least alike are the members of {alike[0]['name']} (kappa "
            f"{value(alike[0], 'label_kappa'):.2f}), most alike those of {alike[-1]['name']} "
            f"({value(alike[-1], 'label_kappa'):.2f})."
        )
        # On every split, or it might be chance.
        if len(best["errors"]) > 1 and all(map(lt, best["errors"], alike[0]["errors"])):
            remarks.append(
                f"More disagreement alone does not make the better vote: {best['name']} errs less "
                f"than {alike[0]['name']} on every split, with members that agree more."
            )
    return remarks


def _command(result: "DemoResult") -> str:
    return (
        f"counterpoint demo --dataset {result.dataset} --n-estimators {result.n_estimators} "
        f"--n-splits {result.n_splits} --random-state {result.random_state}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
