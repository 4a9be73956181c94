"""Columns that know too much: one that predicts the target alone, nearly without a mistake."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from counterpoint.tabular.column import is_number, text_labels

LEAK = "LEAK?"  # how a note about such a column begins
# Of the mistakes that the most common answer makes; the best honest columns of classic tables,
# such as the odor of a mushroom, leave three in a hundred.
_MISTAKES_LEFT = 0.02
_FEWEST_ROWS = 40
_MOST_ROWS = 4000
_FIRST_ROWS = 400
_GAPS = 0.1
_MOST_CLASSES = 50
_MOST_TOLD = 20


def find_leaks(X: pd.DataFrame, labels: Any, target: str) -> list[str]:
    """Return a loud note for each column that predicts the target alone, nearly perfectly.

    Parameters
    ----------
    X : DataFrame
        Floats and categories of text.
    labels : array-like of shape (n_samples,)
        Classes, or numbers: more than 20 different ones are measured rather than told apart.
    target : str
        What they are called.

    Returns
    -------
    list of str

    Notes
    -----
    A column of numbers is judged by a tree of a few leaves, by cross-validation; a category by
    what is most common among the other rows of the same value. Mistakes are compared with those of
    the most common class, so that rare classes do not hide. Where the target is numbers, it is the
    squared correlation with them, or of the ranks of both.

    Examples
    --------
    >>> y = np.array(["stay", "leave"] * 50)
    >>> X = pd.DataFrame({"age": np.arange(100.0), "refund": np.where(y == "leave", "yes", "no")})
    >>> find_leaks(X, y, "churn")
    ["LEAK? Column 'refund' alone predicts 'churn' on 100.0 % of 100 rows. If it is known only ...]
    """
    n = len(labels)
    if n < _FEWEST_ROWS:
        return []
    given = pd.Series(np.asarray(labels))
    numeric = is_number(given) and given.nunique() > _MOST_TOLD
    y = (given.astype(float) if numeric else text_labels(given)).to_numpy()
    if n > _MOST_ROWS:  # enough to tell; drawn evenly, since tables are often sorted
        rows = np.linspace(0, n - 1, _MOST_ROWS).astype(int)
        X, y = X.iloc[rows], y[rows]
    if not numeric and len(np.unique(y.astype(str))) > _MOST_CLASSES:
        return []
    codes = y if numeric else np.unique(y.astype(str), return_inverse=True)[1]
    notes = []
    for name in X.columns:
        found = _alone(X[name], codes, numeric=numeric)
        if found is None:
            continue
        what = (
            f"explains {100 * found:.1f} % of the variance of {target!r}"
            if numeric
            else f"predicts {target!r} on {100 * found:.1f} % of {len(codes)} rows"
        )
        notes.append(
            f"{LEAK} Column {name!r} alone {what}. If it is known only afterwards, leave it "
            f"out with leave_out={name!r}: a model that looks at it is good here and useless later."
        )
    return notes


def _alone(values: pd.Series, y: np.ndarray, *, numeric: bool) -> float | None:
    """Return the share that a column gets right alone, if it is nearly all."""
    if is_number(values):
        numbers = values.to_numpy(dtype=float)
        return _by_correlation(numbers, y) if numeric else _by_tree(numbers, y)
    if numeric:
        return None
    table = np.zeros((values.nunique(dropna=False), y.max() + 1))
    groups = pd.factorize(values, use_na_sentinel=False)[0]
    np.add.at(table, (groups, y), 1)
    # What the other rows of the group say: one row less of its own class.
    mine = table[groups, y] - 1
    others = table[groups].copy()
    others[np.arange(len(y)), y] = -1
    right = float((mine > others.max(axis=1)).mean())
    return right if _is_nearly_all(right, y) else None


def _by_tree(values: np.ndarray, y: np.ndarray) -> float | None:
    from sklearn.model_selection import KFold, cross_val_predict
    from sklearn.tree import DecisionTreeClassifier

    filled = ~np.isnan(values)
    # A gap may say it all: it stands below all numbers.
    x = np.where(filled, values, values[filled].min(initial=0.0) - 1)[:, None]
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * int(y.max() + 1), random_state=0)
    # A tree that errs on its own rows need not be asked about others; most err on a few already.
    for part in (slice(None, None, max(1, len(y) // _FIRST_ROWS)), slice(None)):
        if not _is_nearly_all(tree.fit(x[part], y[part]).score(x[part], y[part]), y, slack=3):
            return None
    folds = KFold(3, shuffle=True, random_state=0)
    right = float(np.mean(cross_val_predict(tree, x, y, cv=folds) == y))
    return right if _is_nearly_all(right, y) else None


def _by_correlation(values: np.ndarray, y: np.ndarray) -> float | None:
    filled = ~np.isnan(values) & ~np.isnan(y)
    if filled.mean() < 1 - _GAPS or np.ptp(values[filled]) == 0 or np.ptp(y[filled]) == 0:
        return None
    # Of ranks, too: so that a logarithm is no disguise.
    pairs = (values[filled], y[filled]), (rankdata(values[filled]), rankdata(y[filled]))
    explained = max(float(np.corrcoef(a, b)[0, 1] ** 2) for a, b in pairs)
    return explained if explained >= 1 - _MISTAKES_LEFT else None


def _is_nearly_all(right: float, y: np.ndarray, slack: float = 1) -> bool:
    base = 1 - np.bincount(y).max() / len(y)
    return 1 - right <= slack * _MISTAKES_LEFT * base
