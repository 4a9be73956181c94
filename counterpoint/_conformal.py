"""Conformal prediction: the one place where its quantile, scores and sets are computed.

Scores of rows that a model was not trained on tell how far off it is; a new row that comes from
where they came from is no further off with the probability asked for, whatever the model (Vovk,
Gammerman and Shafer 2005).
"""

import numpy as np
from numpy.typing import NDArray

from counterpoint._ballot import weighted_sum
from counterpoint._validation import check_number


def conformal_limit(scores: NDArray, coverage: float) -> float:
    """Return the score that a new row exceeds with probability 1 - coverage at most.

    That is the ``ceil((n + 1) coverage)``-th smallest. ``scores`` are those of rows the model was
    not trained on; inf where they are too few to tell.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint._conformal import conformal_limit
    >>> conformal_limit(np.arange(1, 20) / 20, 0.9), conformal_limit(np.array([0.5]), 0.9)
    (0.9, inf)
    """
    check_number(coverage, "coverage", low=0, high=1, open_low=True, open_high=True)
    n = len(scores)
    k = int(np.ceil((n + 1) * coverage - 1e-9))
    return float(np.partition(scores, k - 1)[k - 1]) if k <= n else float("inf")


def class_limit(proba: NDArray, y: NDArray, coverage: float) -> float:
    """Return how improbable a true class may be: Sadinle, Lei and Wasserman (2019).

    ``proba`` (n_samples, n_classes) of rows with the classes ``y``, as positions.
    """
    return conformal_limit(1.0 - proba[np.arange(len(y)), y], coverage)


def sets_within(proba: NDArray, limit: float | NDArray) -> NDArray:
    """Return which classes (n_samples, n_classes) cannot be ruled out.

    Those whose probability is one minus ``limit`` at least (a limit for all or one a class), and
    the likeliest class also where the limit would leave a set empty.
    """
    sets = 1.0 - proba <= limit
    sets[np.arange(len(sets)), proba.argmax(axis=1)] = True
    return sets


def member_spread(values: NDArray, weights: NDArray) -> NDArray:
    """Return how far members (n_members, n_samples) are apart: root of their weighted variance."""
    share = weights / weights.sum()
    away = values - weighted_sum(share, values)
    return np.sqrt(np.maximum(weighted_sum(share, away**2), 0.0))
