"""Sets and intervals of a fitted model, from the rows that were held out when it was fitted.

The computation is split conformal prediction, in ``counterpoint/_conformal.py``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._conformal import class_limit, conformal_limit, sets_within


def class_sets(
    model: Any, X: Any, X_held: Any, y_held: NDArray, coverage: float
) -> tuple[NDArray, float]:
    """Say for each row which classes cannot be ruled out.

    Parameters
    ----------
    model : classifier
        With ``predict_proba``.
    X : rows
    X_held, y_held : rows and their labels
        Not trained on.
    coverage : float
        Share of the sets that are to hold the true class.

    Returns
    -------
    sets : ndarray of shape (n_samples, n_classes), bool
        The likeliest class is in every set, also where the limit would leave it empty.
    limit : float
        A class is ruled out where its probability is below one minus this.
    """
    place = np.searchsorted(model.classes_, y_held)
    limit = class_limit(model.predict_proba(X_held), place, coverage)
    return sets_within(model.predict_proba(X), limit), limit


def number_intervals(
    model: Any, X: Any, X_held: Any, y_held: NDArray, coverage: float
) -> tuple[NDArray, NDArray]:
    """Return limits around a regressor's answers that hold the truth as often as asked for."""
    limit = conformal_limit(np.abs(np.asarray(y_held) - model.predict(X_held)), coverage)
    answers = model.predict(X)
    return answers - limit, answers + limit
