"""An encoder before any estimator, so that it takes tables as they are."""

from typing import Any, Literal

from sklearn.pipeline import Pipeline

from counterpoint.datasets import TabularEncoder

__all__ = ["TabularEncoder", "with_encoder"]


def with_encoder(estimator: Any, *, scale: Literal["standard", False] = False) -> Pipeline:
    """Put a :class:`~counterpoint.datasets.TabularEncoder` before an estimator.

    What comes out takes frames that mix numbers, words and gaps.

    Parameters
    ----------
    estimator : estimator
        Any, of this library or another; not fitted yet.
    scale : {"standard", False}, default=False
        Whether to bring numbers to mean 0 and variance 1 first, as networks, linear models and
        neighbours like it.

    Returns
    -------
    Pipeline
        With the steps "encode" and "model".

    Examples
    --------
    >>> from counterpoint.boosting import AdaBoostNCClassifier
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular import with_encoder
    >>> X, y = load("labor", return_X_y=True)
    >>> model = with_encoder(AdaBoostNCClassifier(n_estimators=5, random_state=0)).fit(X, y)
    >>> model.predict(X).shape
    (57,)
    """
    return Pipeline([("encode", TabularEncoder(scale=scale)), ("model", estimator)])
