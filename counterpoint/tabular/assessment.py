"""A fitted classifier as plain data: all that its page says, in dicts that JSON can hold."""

import platform
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint import __version__, _members
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import as_labels
from counterpoint.combiners import (
    Combiner,
    MeanCombiner,
    StackingCombiner,
    StagedCombiner,
    VoteCombiner,
    combiner_of,
)
from counterpoint.exceptions import MemberError
from counterpoint.tabular.baselines import baseline_answers, compare
from counterpoint.tabular.explanation import OneTree, as_rows, one_tree
from counterpoint.tabular.members import summarise_members
from counterpoint.tabular.plain import plain
from counterpoint.tabular.small_tree import asked_most, summarise_tree

__all__ = ["summarise_model"]

_MOST_ROWS = 10_000
_MOST_ANSWERS = 30_000_000  # members x rows x classes held at once
_MOST_CONFUSED = 15  # classes up to which the table of confusions can be read
_LONGEST = 400
_CHANCE = 0.05

# How members are combined: a word for what the rule is, and for readers.
_COMBINED: list[tuple[type, str, str]] = [
    (VoteCombiner, "vote", "a vote"),
    (MeanCombiner, "mean", "the mean of the members' probabilities"),
    (StagedCombiner, "stages", "a sum in which each member corrects those before it"),
    (StackingCombiner, "stacking", "a classifier that has learnt from the members' answers"),
    (object, "rule", "a rule that has been learnt from the members' answers"),
]
_UNKNOWN = "a way of its own, neither a vote nor a mean of probabilities"


def summarise_model(
    fitted: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    X_train: Any = None,
    y_train: Any = None,
    names: list[str] | None = None,
    feature_names: list[str] | None = None,
    random_state: Any = 0,
    max_members: int = 100,
    max_rows: int = _MOST_ROWS,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Summarise a fitted classifier on rows it has not seen; parameters as for ``report``.

    Returns
    -------
    dict
        ``model``, ``data``, ``error`` (with limits), ``baselines``, ``confusion``, ``members``
        (None for a classifier without; see
        :func:`~counterpoint.tabular.members.summarise_members`), ``tree``, ``notes``,
        ``facts`` and ``versions``. Ready for :func:`~counterpoint.tabular.plain.to_json`;
        undefined is None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> summary = summarise_model(forest, X[1::2], y[1::2])
    >>> summary["model"]["name"], summary["data"]["n_rows"], summary["members"]["n_members"]
    ('RandomForestClassifier', 75, 10)
    """
    labels = _check(fitted, X, y, X_train, y_train)
    if max_members < 2:
        raise ValueError(f"max_members={max_members}: a pair takes two members.")
    if max_rows < 1:
        raise ValueError(f"max_rows={max_rows}: give a whole number from 1.")
    rng = check_random_state(random_state)
    n_given = len(labels)
    X, X_train = as_rows(X), as_rows(X_train)
    X, labels = _rows_to_ask(fitted, X, labels, max_rows, rng)
    predicted = np.asarray(fitted.predict(X))
    classes = np.asarray(getattr(fitted, "classes_", np.unique(labels)))
    members: dict[str, Any] | None = None
    rule: Combiner | None = None
    why = ""
    try:
        outputs = _ask(fitted, X, labels, names)
    except MemberError as error:
        why = str(error)
    else:
        rule = combiner_of(fitted, X, outputs)
    seed = rng.randint(np.iinfo(np.int32).max)
    tree, tree_why = _tree(fitted, X, labels, X_train, y_train, seed)
    if not why:
        members = summarise_members(
            outputs,
            rule,
            X,
            predicted,
            feature_names=_feature_names(X, fitted, feature_names),
            first_columns=asked_most(tree),
            max_members=max_members,
        )
    answers, how = baseline_answers(X, labels, X_train=X_train, y_train=y_train, random_state=seed)
    model = _model(fitted, members, rule, X_train)
    own = compare("This model", predicted, labels)
    rows = [compare(name, said, labels, predicted) for name, said in answers.items()]
    return plain(
        {
            "headline": _headline(own, rows, len(labels)),
            "title": title or _title(model),
            "model": model,
            "facts": [{"name": str(k), "value": str(v)} for k, v in (extra or {}).items()],
            "data": {
                "n_rows": len(labels),
                "n_given": n_given,
                "n_features": _width(X, fitted),
                "classes": _class_rows(labels, classes),
            },
            "error": own,
            "baselines": {"how": how, "rows": rows},
            "confusion": _confusion(labels, predicted, classes),
            "members": members,
            "no_members": why,
            "tree": None if tree is None else summarise_tree(tree, X_train is not None),
            "no_tree": tree_why,
            "notes": _notes(len(labels), n_given, predicted, labels, model["combination"]),
            "versions": {
                "counterpoint": __version__,
                "scikit-learn": version("scikit-learn"),
                "numpy": version("numpy"),
                "python": platform.python_version(),
            },
        }
    )


# -- what comes in -----------------------------------------------------------------------------


def _check(fitted: Any, X: Any, y: Any, X_train: Any, y_train: Any) -> NDArray:
    if _members.is_pool(fitted) or not hasattr(fitted, "predict"):
        raise TypeError(
            f"A {type(fitted).__name__} was given, expected a fitted classifier. To look at "
            "several models together, put them into a VotingClassifier."
        )
    if is_regressor(fitted) or not is_classifier(_members.strip(fitted)[1]):
        raise TypeError(
            f"{type(fitted).__name__} is no classifier: the report is about classes. For "
            "regressors see counterpoint.decomposition."
        )
    check_is_fitted(fitted)
    labels = as_labels(y, "y")
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if labels.ndim != 1 or n_rows != len(labels):
        raise ValueError(
            f"X has {n_rows} rows and y has shape {labels.shape}: give one label for each row."
        )
    if n_rows == 0:
        raise ValueError("X has no rows: give some that the model was not trained on.")
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train go together: give both or neither.")
    known = np.asarray(getattr(fitted, "classes_", labels))
    strange = labels[~np.isin(labels, known)]
    if len(strange):
        raise ValueError(
            f"y has the label {strange[0].item()!r}, which the model never saw: it knows "
            f"{known.tolist()}. Is y the right column, coded as it was in fit?"
        )
    return labels


def _rows_to_ask(fitted: Any, X: Any, labels: NDArray, most: int, rng: Any) -> tuple[Any, NDArray]:
    """Draw rows where there are too many to hold the answers of all members."""
    n_members = 1
    with suppress(MemberError, ValueError):  # said later, where they are asked in earnest
        n_members = MemberOutputs.from_estimator(fitted, _members.select_rows(X, [0])).n_members
    n_classes = len(getattr(fitted, "classes_", [0, 1]))
    most = min(most, max(_MOST_ANSWERS // (n_members * n_classes), 200))
    if len(labels) <= most:
        return X, labels
    kept = np.sort(rng.permutation(len(labels))[:most])
    return _members.select_rows(X, kept), labels[kept]


def _ask(fitted: Any, X: Any, labels: NDArray, names: list[str] | None) -> MemberOutputs:
    outputs = MemberOutputs.from_estimator(fitted, X, labels)
    if names is not None and len(names) == outputs.n_members:
        outputs.names = [str(name) for name in names]
    elif names:
        raise ValueError(f"{len(names)} names for {outputs.n_members} members: give one each.")
    return outputs


def _feature_names(X: Any, fitted: Any, given: list[str] | None) -> list[str]:
    width = _width(X, fitted) or 0
    if given is not None:
        if len(given) != width:
            raise ValueError(f"{len(given)} feature_names for {width} columns: give one each.")
        return [str(name) for name in given]
    known = getattr(X, "columns", None)
    if known is None:
        known = getattr(fitted, "feature_names_in_", None)
    if known is None or len(known) != width:
        return [f"x{k}" for k in range(width)]
    return [str(name) for name in known]


def _width(X: Any, fitted: Any) -> int | None:
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else getattr(fitted, "n_features_in_", None)


# -- parts -------------------------------------------------------------------------------------


def _model(
    fitted: Any, members: dict[str, Any] | None, rule: Combiner | None, X_train: Any
) -> dict[str, Any]:
    before, ensemble = _members.strip(fitted)
    kind, how = None, None
    if members is not None and members["votes_known"]:
        kind, how = "unknown", _UNKNOWN
        if rule is not None:
            kind, how = next((k, h) for known, k, h in _COMBINED if isinstance(rule, known))
        if members["weighted"] and kind in ("vote", "mean"):
            how = how.replace("a vote", "a weighted vote").replace("the mean", "the weighted mean")
    written = " ".join(repr(fitted).split())
    return {
        "name": type(ensemble).__name__,
        "steps": [type(step).__name__ for step in before],
        "written": written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…",
        "n_members": None if members is None else members["n_members"],
        "kinds": _kinds(ensemble, members),
        "combined_by": how,
        "combination": kind,
        "n_train": None if X_train is None else int(np.shape(X_train)[0]),
    }


def _kinds(ensemble: Any, members: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Count what the members are, where they can be looked at."""
    if members is None:
        return []
    try:
        found = [member.estimator for member in _members.members_of(ensemble)]
    except (MemberError, AttributeError, ValueError, TypeError):
        pool = getattr(ensemble, "pool_", [])
        found = [item[1] for item in pool if isinstance(item, tuple)]
    # Rounds of gradient boosting are arrays of trees, one a class.
    found = [one.flat[0] if isinstance(one, np.ndarray) else one for one in found]
    counts = Counter(type(_members.strip(one)[1]).__name__ for one in found)
    return [{"name": name, "count": count} for name, count in counts.most_common()]


def _headline(own: dict[str, Any], baselines: list[dict[str, Any]], n_rows: int) -> str:
    said = (
        f"It errs on {_percent(own['error'])} of {n_rows} rows; by chance of these rows the true "
        f"rate may lie anywhere from {_percent(own['low'])} to {_percent(own['high'])} "
        "(95\N{NO-BREAK SPACE}% confidence)."
    )
    if not baselines:
        return said
    best = min(baselines, key=lambda row: row["error"])
    said += f" The best simple model, {best['name'].lower()}, errs on {_percent(best['error'])}"
    if best["only_this"] == best["only_model"]:
        return said + ", just as often."
    if best["p"] >= _CHANCE:
        return said + ", a difference that may be chance."
    return said + (", clearly more." if best["error"] > own["error"] else ", clearly less.")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _title(model: dict[str, Any]) -> str:
    if model["n_members"] is None:
        return str(model["name"])
    members = "1 member" if model["n_members"] == 1 else f"{model['n_members']} members"
    return f"{model['name']} with {members}"


def _class_rows(labels: NDArray, classes: NDArray) -> list[dict[str, Any]]:
    counts = [int((labels == label).sum()) for label in classes]
    return [{"label": str(c), "rows": n} for c, n in zip(classes.tolist(), counts, strict=True)]


def _confusion(labels: NDArray, predicted: NDArray, classes: NDArray) -> dict[str, Any] | None:
    if len(classes) > _MOST_CONFUSED:
        return None
    at = np.searchsorted(classes, labels), np.searchsorted(classes, predicted)
    table = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(table, at, 1)
    return {"labels": [str(label) for label in classes.tolist()], "table": table}


def _tree(
    fitted: Any, X: Any, labels: NDArray, X_train: Any, y_train: Any, seed: int
) -> tuple[OneTree | None, str]:
    try:
        if X_train is None:
            return one_tree(fitted, X, labels, random_state=seed), ""
        return one_tree(fitted, X_train, y_train, X_test=X, y_test=labels, random_state=seed), ""
    except (ValueError, TypeError) as error:
        return None, str(error)


def _notes(
    n_rows: int,
    n_given: int,
    predicted: NDArray,
    labels: NDArray,
    combination: str | None,
) -> list[str]:
    notes = []
    if n_rows < n_given:
        notes.append(
            f"Of the {n_given} rows given, {n_rows} drawn at random are looked at; all numbers are "
            "of these."
        )
    if (predicted == labels).all():
        notes.append(
            "Not one error: are these rows the model learnt from? What is said here holds only for "
            "rows it had not seen."
        )
    if combination == "unknown":
        notes.append(
            "How this model combines its members could not be found out. Where a combination is "
            "needed, a vote of the members stands in."
        )
    return notes
