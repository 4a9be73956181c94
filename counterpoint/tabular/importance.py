"""Which columns a model needs: what its loss rises by when one of them is shuffled."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import is_regressor
from sklearn.inspection import permutation_importance

from counterpoint import _members, _tables

_LEAST = 1e-6  # below this a probability of the truth counts as this
_MOST_ROWS, _FEW_ROWS, _FEWEST = 500, 100, 10
_REPEATS, _MOST_SHUFFLES = 5, 60
_GROUPS = 50
_SLOW = 1.0  # seconds for one answer about all rows, from which on few must do


def column_importance(
    model: Any, X: Any, y: NDArray, feature_names: list[str], *, random_state: int = 0
) -> dict[str, Any] | None:
    """Shuffle each column of held-out rows in turn, and see how much worse the model does.

    A column is shuffled before any encoder, so all that is made of it goes with it: one that is
    coded in many columns of 0 and 1 counts once.

    Parameters
    ----------
    model : estimator
        Fitted; a pipeline from the table's own columns on.
    X : frame or array of shape (n_samples, n_features)
        Rows the model was not trained on; at most 500 are used, fewer where it answers slowly.
    y : ndarray of shape (n_samples,)
    feature_names : list of str
    random_state : int, default=0

    Returns
    -------
    dict or None
        "loss" ("log-loss", "error" or "RMSE"), "n_rows", "n_repeats", and "rows", the most
        important first: "name", "rise" of the loss with "low" and "high" (95 %, over groups of
        rows), "position". None for fewer than 10 rows, or data that is no table.

    Notes
    -----
    Columns that say the same stand in for each other: each of them alone may seem of no use.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45, 2001, section 10.
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or hasattr(X, "toarray") or len(y) < _FEWEST or shape[1] == 0:
        return None
    rng = np.random.RandomState(random_state)
    name, each = _loss_of(model)
    X = X if hasattr(X, "isetitem") else np.asarray(X)
    X, y, repeats = _few_rows(model, X, y, rng)
    n, before = len(y), each(model, X, y)
    group_of = np.empty(n, dtype=int)
    groups = np.array_split(rng.permutation(n), min(_GROUPS, n))
    for k, group in enumerate(groups):
        group_of[group] = k
    sizes = np.bincount(group_of)

    def scores(model: Any, takes: NDArray, y: NDArray) -> dict[str, float]:
        """Say what groups of rows have to do with the rise, as those changed and as givers."""
        rise = each(model, _taken(X, takes), y) - before
        (changed,) = np.nonzero((takes != np.arange(n)[:, None]).any(axis=0))
        giver = takes[:, changed[0]] if len(changed) else np.arange(n)
        part = np.bincount(group_of, weights=rise) + np.bincount(group_of[giver], weights=rise)
        return {str(k): -value for k, value in enumerate((part / sizes / 2).tolist())}

    # In place of values, the numbers of the rows that they are taken from are shuffled: a row
    # plays a part in the rise by its own loss and by the values it gives to others, and an
    # interval that knew only the first would be too narrow.
    takes = np.tile(np.arange(n)[:, None], (1, shape[1]))
    found: Any = permutation_importance(
        model, takes, y, scoring=scores, n_repeats=repeats, random_state=random_state
    )
    # (n_groups, n_features): what each group of rows says about each column.
    rises = np.stack([found[str(k)].importances.mean(axis=1) for k in range(len(groups))])
    mean = np.average(rises, axis=0, weights=sizes)
    spread = 2 * rises.std(axis=0, ddof=1) / np.sqrt(len(groups))
    far = float(stats.t.ppf(0.975, len(groups) - 1)) * spread
    told = {"rise": mean, "low": mean - far, "high": mean + far}
    if name == "RMSE":  # a root keeps the order, so limits stay limits
        whole = float(before.mean())
        told = {
            key: np.sqrt(np.maximum(whole + rise, 0.0)) - np.sqrt(whole)
            for key, rise in told.items()
        }
    rows = [
        {
            "position": k,
            "name": feature_names[k],
            **{key: float(values[k]) for key, values in told.items()},
        }
        for k in np.lexsort((np.arange(shape[1]), -mean)).tolist()
    ]
    return {"loss": name, "n_rows": len(y), "n_repeats": repeats, "rows": rows}


def _taken(X: Any, takes: NDArray) -> Any:
    """Return rows whose columns have the values of the rows named."""
    own = np.arange(len(takes))
    changed = X.copy()
    for k in np.flatnonzero((takes != own[:, None]).any(axis=0)):
        if hasattr(X, "isetitem"):
            changed.isetitem(k, X.iloc[takes[:, k], k].array)
        else:
            changed[:, k] = X[takes[:, k], k]
    return changed


def _loss_of(model: Any) -> tuple[str, Any]:
    """Return the name of a loss and the function that gives it for each row.

    Of the RMSE that is the squared error: its root is taken of the mean.
    """
    if is_regressor(_members.strip(model)[1]):
        return "RMSE", lambda model, X, y: (np.asarray(model.predict(X)) - y) ** 2
    if not hasattr(model, "predict_proba"):
        return "error", lambda model, X, y: (np.asarray(model.predict(X)) != y).astype(float)
    classes = np.asarray(model.classes_)

    def log_loss(model: Any, X: Any, y: NDArray) -> NDArray:
        proba = np.asarray(model.predict_proba(X))
        given = proba[np.arange(len(y)), np.searchsorted(classes, y)]
        return -np.log(np.clip(given, _LEAST, 1.0))

    return "log-loss", log_loss


def _few_rows(model: Any, X: Any, y: NDArray, rng: Any) -> tuple[Any, NDArray, int]:
    """Draw rows, and say how often to shuffle each column, so that it does not take long."""
    repeats = int(np.clip(_MOST_SHUFFLES // X.shape[1], 1, _REPEATS))
    kept = np.sort(rng.permutation(len(y))[:_MOST_ROWS])
    X, y = _tables.select_rows(X, kept), y[kept]
    began = time.perf_counter()
    model.predict(X)
    if time.perf_counter() - began > _SLOW and len(y) > _FEW_ROWS:
        X, y, repeats = _tables.select_rows(X, np.arange(_FEW_ROWS)), y[:_FEW_ROWS], 1
    return X, y, repeats
