"""Sets and intervals that hold the truth as often as asked for: split conformal prediction.

The rows that were held out when a model was fitted tell how far off it is; a new row that comes
from where they came from is no further off with the probability asked for, whatever the model
(Vovk, Gammerman and Shafer 2005; for classes, the scores of Sadinle, Lei and Wasserman 2019).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def conformal_limit(scores: NDArray, coverage: float) -> float:
    """Return the score that a new row exceeds with probability 1 - coverage at most.

    ``scores`` are those of rows the model was not trained on; inf where they are too few to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.tabular.coverage import conformal_limit
    >>> conformal_limit(np.arange(1, 20) / 20, 0.9), conformal_limit(np.array([0.5]), 0.9)
    (0.9, inf)
    """
    if not 0 < coverage < 1:
        raise ValueError(f"coverage={coverage!r}: give a share above 0 and below 1, such as 0.9.")
    n = len(scores)
    k = int(np.ceil((n + 1) * coverage - 1e-9))
    return float(np.sort(scores)[k - 1]) if k <= n else float("inf")


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
    held = model.predict_proba(X_held)
    limit = conformal_limit(1.0 - held[np.arange(len(place)), place], coverage)
    shares = model.predict_proba(X)
    sets = 1.0 - shares <= limit
    sets[np.arange(len(sets)), shares.argmax(axis=1)] = True
    return sets, limit


def number_intervals(
    model: Any, X: Any, X_held: Any, y_held: NDArray, coverage: float
) -> tuple[NDArray, NDArray]:
    """Return limits around a regressor's answers that hold the truth as often as asked for."""
    limit = conformal_limit(np.abs(np.asarray(y_held) - model.predict(X_held)), coverage)
    answers = model.predict(X)
    return answers - limit, answers + limit
