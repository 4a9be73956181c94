"""What a model has to beat: three simple ones, with intervals for their errors."""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from counterpoint import _members
from counterpoint.datasets import TabularEncoder
from counterpoint.trees import PrunedTreeClassifier

__all__ = ["baseline_answers", "compare", "error_interval"]

_MOST_ROWS = 20_000
_FOLDS = 5


def error_interval(wrong: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return limits of an error rate, by Wilson's score interval.

    Parameters
    ----------
    wrong, n : int
        Wrong answers and rows, all drawn independently.
    confidence : float, default=0.95
        Share of such intervals that hold the true rate, about.

    Returns
    -------
    low, high : float
        NaN without rows.

    References
    ----------
    .. [1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
       Journal of the American Statistical Association 22, 1927.

    Examples
    --------
    >>> low, high = error_interval(5, 100)
    >>> round(low, 4), round(high, 4)
    (0.0215, 0.1118)
    """
    if n == 0:
        return float("nan"), float("nan")
    share, z = wrong / n, float(ndtri((1 + confidence) / 2))
    middle = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    whole = 1 + z**2 / n
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)


def baseline_answers(
    X: Any, y: NDArray, *, X_train: Any = None, y_train: Any = None, random_state: Any = 0
) -> tuple[dict[str, NDArray], str]:
    """Ask three simple models about the rows: the largest class, a pruned tree, a linear model.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Rows to answer for; words and gaps are encoded.
    y : ndarray of shape (n_samples,)
        Their labels.
    X_train, y_train : array-like, default=None
        Rows to learn from, at most 20 000 of which are used. None: each row of X is answered
        by models that learnt from the others, in five parts.
    random_state : int, RandomState instance or None, default=0
        Seeds the parts, the tree and the choice of rows.

    Returns
    -------
    answers : dict of str to ndarray of shape (n_samples,)
        By the name of the model. One that cannot take such data is left out.
    how : str
        In words, what they learnt from.
    """
    rng = check_random_state(random_state)
    seed = rng.randint(np.iinfo(np.int32).max)
    models = {
        "Largest class": DummyClassifier(strategy="most_frequent"),
        "Pruned tree": make_pipeline(TabularEncoder(), PrunedTreeClassifier(random_state=seed)),
        "Logistic regression": make_pipeline(
            TabularEncoder(scale="standard"), LogisticRegression(max_iter=300)
        ),
    }
    if X_train is not None:
        kept = np.sort(rng.permutation(len(y_train))[:_MOST_ROWS])
        X_train, y_train = _members.select_rows(X_train, kept), np.asarray(y_train)[kept]
        how = f"trained on {len(kept)} training rows"
    else:
        folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
        if folds < 2:
            return {}, "left out: a class has a single row, and no training rows were given"
        parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
        how = f"cross-validated in {folds} parts on the very rows of this page"
    answers = {}
    for name, model in models.items():
        # One thread: products of such small matrices take far longer to share out than to do.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)  # a baseline, not a contender
            try:
                if X_train is not None:
                    answers[name] = clone(model).fit(_plain(X_train), y_train).predict(_plain(X))
                else:
                    answers[name] = cross_val_predict(model, _plain(X), y, cv=parts)
            except (ValueError, TypeError):
                continue  # texts and the like, which only the model's own pipeline can read
    return answers, how


def _plain(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else X


def compare(name: str, said: NDArray, y: NDArray, of: NDArray | None = None) -> dict[str, Any]:
    """Return the error of some answers with its limits, and how they stand against others.

    Parameters
    ----------
    name : str
        Whose answers they are.
    said, y : ndarray of shape (n_samples,)
        Answers and truth.
    of : ndarray of shape (n_samples,), default=None
        Answers of the model that these are held against.

    Returns
    -------
    dict
        "name", "error", "low", "high"; with ``of`` also "only_this" and "only_model" (rows that
        only these answers, or only the model's, have wrong) and "p", the chance of numbers so
        far apart if both were equally good (exact, two-sided: McNemar's test).
    """
    wrong = said != y
    low, high = error_interval(int(wrong.sum()), len(y))
    row: dict[str, Any] = {"name": name, "error": float(wrong.mean()), "low": low, "high": high}
    if of is not None:
        others = of != y
        here, there = int((wrong & ~others).sum()), int((others & ~wrong).sum())
        row |= {"only_this": here, "only_model": there}
        row["p"] = float(binomtest(here, here + there).pvalue) if here + there else 1.0
    return row
