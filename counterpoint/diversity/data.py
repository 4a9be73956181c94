"""Diversity of the data themselves."""

import numpy as np
import pandas as pd

from counterpoint._arrays import as_array
from counterpoint._tables import promoted
from counterpoint._typing import DataLike, Target


def data_diversity(X: DataLike, y: Target = None) -> float:
    """Share of rows that are distinct, class included.

    Near 1, members can be made to see different things; near 0, the same few rows come again
    and again, and boosting has little to work on.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Missing values count as one value of their own.
    y : array-like of shape (n_samples,), default=None
        The class, counted as one more column.

    Returns
    -------
    float
        Above 0, up to 1.

    References
    ----------
    .. [1] Meddouri, Khoufi and Maddouri, "Diversity Analysis on Boosting Nominal Concepts",
       PAKDD 2012, table 2.

    Examples
    --------
    >>> from counterpoint.diversity import data_diversity
    >>> data_diversity([[1, 2], [1, 2], [1, 3], [1, 2]], ["a", "a", "a", "b"])
    0.75
    """
    if hasattr(X, "to_pandas") and not isinstance(X, pd.DataFrame):
        X = X.to_pandas()
    try:
        frame = pd.DataFrame(as_array(X, "X") if isinstance(X, np.ndarray) else X)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X={X!r}: expected a table, (n_samples, n_features).") from error
    # Numbers in the byte order of other machines are not hashed.
    frame = promoted(frame.reset_index(drop=True))
    if frame.shape[0] == 0:
        raise ValueError("X has no rows: expected shape (n_samples, n_features).")
    if y is not None:
        labels = as_array(y, "y")
        if labels.shape != (len(frame),):
            raise ValueError(f"y has shape {labels.shape}, but X has {len(frame)} rows.")
        # A name no column has: frames may well have one called 'class'.
        frame[("counterpoint", "class")] = labels
    return float(1.0 - frame.duplicated().mean())
