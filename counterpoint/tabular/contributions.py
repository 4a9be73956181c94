"""What each column of a row adds to what a model says about it.

Two ways, and they are told apart: how far the score falls when a column is not known, for any
model; and Shapley values, by the package shap, where that is installed.
"""

import importlib.util
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint import _members
from counterpoint.tabular.table_tree import number_text
from counterpoint.tabular.words import figure

_MOST_ASKED = 200_000  # rows a model is asked about for one table, background times columns
_AT_A_TIME = 20_000
_FEWEST_KNOWN, _MOST_KNOWN = 10, 100
_PERMUTATIONS = 10
_SHOWN = 4


def column_contributions(
    model: Any,
    X: pd.DataFrame,
    known: pd.DataFrame,
    answers: NDArray,
    *,
    groups: Mapping[str, list[str]] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Say for each row how far the score of the answer falls when a column is not known.

    Not known: its value is replaced by that of each of some trained rows, and the scores are
    averaged. The score is the probability of the answer, without probabilities whether the answer
    stays, and for numbers the answer itself.

    Parameters
    ----------
    model : classifier or regressor
        Fitted; a pipeline is fine.
    X : DataFrame of shape (n_samples, n_columns)
    known : DataFrame
        Trained rows; of many, some drawn at random.
    answers : ndarray of shape (n_samples,)
    groups : mapping of str to list of str, default=None
        Columns that are one: the parts of a date, the words of a text. None: each by itself.
    random_state : int, default=0

    Returns
    -------
    DataFrame of shape (n_samples, n_groups)
        Above zero: the column speaks for the answer (for numbers: raises it).

    Notes
    -----
    Columns that say the same stand in for each other, and each of them alone adds little; the
    contributions of a row need not add up.

    References
    ----------
    .. [1] M. Robnik-Sikonja and I. Kononenko, "Explaining classifications for individual
       instances", IEEE Transactions on Knowledge and Data Engineering 20(5), 2008, equations 1-3.
    """
    mixed, names, n_known = _mixing(X, known, groups, len(X), random_state)
    score = _score_of(model)
    own = score(X, answers)
    result = np.zeros((len(X), len(names)))
    step = max(1, _AT_A_TIME // n_known)
    for start in range(0, len(X), step):
        rows = np.arange(start, min(start + step, len(X)))
        again = np.repeat(rows, n_known)
        takes = np.repeat((n_known + again)[:, None], len(names), axis=1)
        for k in range(len(names)):
            changed = takes.copy()
            changed[:, k] = np.tile(np.arange(n_known), len(rows))
            scores = score(mixed(changed), answers[again]).reshape(len(rows), n_known)
            result[rows, k] = own[rows] - scores.mean(axis=1)
    return pd.DataFrame(result, columns=names)


def has_shap() -> bool:
    """Whether Shapley values can be had."""
    return importlib.util.find_spec("shap") is not None


def shapley_contributions(
    model: Any,
    X: pd.DataFrame,
    known: pd.DataFrame,
    answers: NDArray,
    *,
    groups: Mapping[str, list[str]] | None = None,
    random_state: int = 0,
) -> pd.DataFrame:
    """Return Shapley values of the columns, by the permutations of shap; otherwise as above.

    Those of a row add up to its score less the mean score when no column is known.

    References
    ----------
    .. [1] S. Lundberg and S.-I. Lee, "A unified approach to interpreting model predictions", 2017.
    """
    mixed, names, n_known = _mixing(X, known, groups, 3 * len(X), random_state)
    score = _score_of(model)
    # A value stands for the row that it is taken from, so that words and gaps are numbers too.
    places = np.repeat(np.arange(n_known + len(X), dtype=float)[:, None], len(names), axis=1)
    values = np.zeros((len(X), len(names)))
    with _shap() as shap:
        masker = shap.maskers.Independent(places[:n_known], max_samples=n_known)
        for answer in pd.unique(pd.Series(answers)) if _scores_answers(model) else [None]:
            rows = np.arange(len(X)) if answer is None else np.flatnonzero(answers == answer)

            def ask(takes: NDArray, answer: Any = answer) -> NDArray:
                return score(mixed(takes.astype(int)), np.repeat(answer, len(takes)))

            explainer = shap.explainers.Permutation(ask, masker, seed=random_state)
            n_evals = _PERMUTATIONS * (2 * len(names) + 1)
            values[rows] = explainer(places[n_known + rows], max_evals=n_evals, silent=True).values
    return pd.DataFrame(values, columns=names)


@contextmanager
def _shap() -> Iterator[Any]:
    """Import shap without what it warns of at its start; the seed that it sets is taken back."""
    if not has_shap():
        raise ImportError("Shapley values need shap: pip install 'counterpoint[shap]'.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import shap
    state = np.random.get_state()
    try:
        yield shap
    finally:
        np.random.set_state(state)


def contribution_texts(
    values: pd.DataFrame, X: pd.DataFrame, *, units: Mapping[str, str], numbers: bool
) -> list[str]:
    """Return each row's largest contributions in words: "discount 12 % +0.31, channel web -0.04".

    Of numbers those are told that are one part in 200 of the largest of all, of shares those of
    half a percent.
    """
    least = 0.005 * (float(np.abs(values.to_numpy()).max(initial=0.0)) if numbers else 1.0)
    names = [str(name) for name in values.columns]
    cells = {
        name: [f" {_cell(value, units.get(name, ''))}" for value in X[name]]
        for name in names
        if name in X.columns
    }
    texts = []
    for row, one in enumerate(values.to_numpy()):
        order = np.argsort(-np.abs(one), kind="stable")[:_SHOWN]
        parts = [
            f"{names[k]}{cells[names[k]][row] if names[k] in cells else ''} "
            + (("+" if one[k] > 0 else "") + figure(one[k]) if numbers else f"{one[k]:+.2f}")
            for k in order
            if abs(one[k]) >= least > 0
        ]
        texts.append(", ".join(parts))
    return texts


def _cell(value: Any, unit: str) -> str:
    if value is None or value != value:
        return "missing"
    if isinstance(value, int | float | np.number):
        return number_text(float(value)) + unit
    text = str(value)
    return text if len(text) <= 24 else f"{text[:21].rstrip()}..."


def _scores_answers(model: Any) -> bool:
    return hasattr(_members.strip(model)[1], "classes_")


def _score_of(model: Any) -> Callable[[pd.DataFrame, NDArray], NDArray]:
    if not _scores_answers(model):
        return lambda X, _: np.asarray(model.predict(X), dtype=float).reshape(len(X))
    if not hasattr(model, "predict_proba"):
        return lambda X, answers: (np.asarray(model.predict(X)) == answers).astype(float)
    classes = np.asarray(model.classes_)

    def share(X: pd.DataFrame, answers: NDArray) -> NDArray:
        proba = np.asarray(model.predict_proba(X))
        return proba[np.arange(len(proba)), np.searchsorted(classes, answers)]

    return share


def _mixing(
    X: pd.DataFrame,
    known: pd.DataFrame,
    groups: Mapping[str, list[str]] | None,
    n_asked: int,
    random_state: int,
) -> tuple[Callable[[NDArray], pd.DataFrame], list[str], int]:
    """Return what puts rows together from others, names of what can be taken, and known rows used.

    Rows are counted through those known, then X: ``takes[i, g]`` says where row i gets group g.
    """
    groups = groups or {str(name): [str(name)] for name in X.columns}
    at = {str(name): k for k, name in enumerate(X.columns)}
    owner = np.zeros(X.shape[1], dtype=int)
    for g, parts in enumerate(groups.values()):
        owner[[at[part] for part in parts]] = g
    most = _MOST_ASKED // max(n_asked * len(groups), 1)
    n_known = min(len(known), int(np.clip(most, _FEWEST_KNOWN, _MOST_KNOWN)))
    drawn = np.random.RandomState(random_state).permutation(len(known))[:n_known]
    frame = pd.concat([known.iloc[np.sort(drawn)], X], ignore_index=True)

    def mixed(takes: NDArray) -> pd.DataFrame:
        made = {k: frame.iloc[takes[:, g], k].array for k, g in enumerate(owner)}
        rows = pd.DataFrame(made)
        rows.columns = X.columns
        return rows

    return mixed, list(groups), n_known
