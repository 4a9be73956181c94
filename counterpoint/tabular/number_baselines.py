"""What an estimate of numbers has to beat: four simple ones, asked about the same rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._members import strip
from counterpoint._tables import select_rows
from counterpoint.tabular.baselines import FOLDS, MOST_ROWS, dense
from counterpoint.tabular.methods import make_method
from counterpoint.tabular.number_scores import NumberScore, compare_rmse, score_numbers

NUMBER_BASELINES = {
    "mean": "mean",
    "median": "median",
    "single tree": "tree",
    "linear model": "linear",
}
"""The simple models, and the methods they are."""


def compare_with_simple(
    answers: NDArray,
    X: Any,
    y: NDArray,
    counts: NDArray,
    *,
    X_train: Any = None,
    y_train: Any = None,
    random_state: Any = 0,
    fitted: Mapping[str, Any] | None = None,
) -> tuple[dict[str, NumberScore], dict[str, tuple[float, float, float]], str]:
    """Hold answers (n_samples,) against four simple models, or those ``fitted``.

    As ``compare_with_baselines`` for classes. Returns a score by name, how far the RMSE of each is
    above that of the answers with limits, and in words what they learnt from.
    """
    rng = check_random_state(random_state)
    seed = random_state if isinstance(random_state, int) else rng.randint(np.iinfo(np.int32).max)
    parts = None
    if X_train is not None:
        kept = np.sort(rng.permutation(len(y_train))[:MOST_ROWS])
        X_train, y_train = select_rows(X_train, kept), np.asarray(y_train)[kept]
        how = f"trained on {len(kept)} training rows"
    else:
        folds = min(FOLDS, len(y))
        if folds < 2:
            return {}, {}, "left out: there is one row, and no training rows were given"
        parts = KFold(folds, shuffle=True, random_state=seed)
        how = f"cross-validated in {folds} parts on the very rows of this page"
    scores, above = {}, {}
    for name, method in NUMBER_BASELINES.items():
        model = make_method(method, random_state=seed, task="regression")
        if method in ("mean", "median"):
            model = model[-1]  # they look at no column, so any rows will do
        # One thread: products of such small matrices take far longer to share out than to do.
        with threadpool_limits(1), whole():
            try:
                if fitted is not None and name in fitted:
                    simple = fitted[name].predict(X)
                elif parts is None:
                    simple = clone(model).fit(dense(X_train), y_train).predict(dense(X))
                else:
                    simple = cross_val_predict(model, dense(X), y, cv=parts)
            except (ValueError, TypeError):
                continue  # texts and the like, which only the model's own pipeline can read
        scores[name] = score_numbers(simple, y, counts)
        above[name] = compare_rmse(answers, simple, y, counts)
    return scores, above, how


def is_simple(model: Any, name: str) -> bool:
    """Tell whether a model is itself the simple model of a name."""
    simple = make_method(NUMBER_BASELINES[name], task="regression")[-1]
    return type(strip(model)[1]) is type(simple)
