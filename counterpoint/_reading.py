"""Reading what an estimator is given: data, targets, weights; one wording for what is wrong.

Public through :mod:`counterpoint.base`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils import validation as _sklearn
from sklearn.utils.multiclass import check_classification_targets


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Check data as scikit-learn does; a column of text or dates is named, with the way out.

    Parameters and returns are those of :func:`sklearn.utils.validation.validate_data`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> validate_data(DecisionTreeClassifier(), pd.DataFrame({"colour": ["red", "green"]}))
    Traceback (most recent call last):
    ...
    ValueError: Column 'colour' holds values such as 'red', and DecisionTreeClassifier takes ...
    """
    if not options.get("skip_check_array"):
        need_numbers(X, type(estimator).__name__)
    return _sklearn.validate_data(estimator, X, y, **options)


def need_numbers(X: Any, name: str) -> None:
    """Raise if a column of a frame holds text or dates; ``name`` is who takes numbers only."""
    if not hasattr(X, "columns"):
        return
    for position, column in enumerate(X.columns):
        values = X.iloc[:, position] if hasattr(X, "iloc") else X[column]
        dtype = getattr(values, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
            continue
        values = np.asarray(values)
        try:
            if values.dtype.kind in "mM":
                raise TypeError("dates")
            values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"Column {column!r} holds {_kind(values)}, and {name} takes numbers. Put an "
                f"encoder before it, counterpoint.tabular.with_encoder({name}()), which is a "
                "pipeline with TabularEncoder; or drop the column."
            ) from None


def _kind(values):
    if values.dtype.kind in "mM":
        return "dates or times"
    return f"values such as {next((v for v in values.tolist() if isinstance(v, str)), values[0])!r}"


def read_table(estimator: Any, X: Any, *, reset: bool = False) -> Any:
    """Note or check the names and number of columns, and pass the values on as they are.

    For ensembles whose members check values themselves: frames stay frames (a learner may want
    names, or strings), sparse matrices come back as CSR if the estimator's tags allow them.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> read_table(BaggingClassifier(), [[1, 2], [3, 4]], reset=True).shape
    (2, 2)
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(X.shape)}D array instead: X has shape {X.shape}. "
            "Reshape your data to (n_samples, n_features)."
        )
    _sklearn.validate_data(estimator, X, reset=reset, skip_check_array=True)
    if not issparse(X):
        return X
    if not get_tags(estimator).input_tags.sparse:
        raise TypeError(
            f"Sparse data was passed, but {type(estimator).__name__} with this base learner "
            "needs dense data: pass X.toarray(), or a learner that takes sparse data."
        )
    return X.tocsr()  # a form that rows can be drawn from


def need_target(estimator: Any, y: Any) -> None:
    """Raise if there is no target.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> need_target(BaggingClassifier(), None)
    Traceback (most recent call last):
    ...
    ValueError: requires y to be passed, but the target y is None: BaggingClassifier learns ...
    """
    if y is None:
        raise ValueError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} "
            "learns from examples with known answers."
        )


def encode_target(estimator: Any, y: Any) -> tuple[NDArray, NDArray]:
    """Return the sorted classes of a target and each sample's position among them.

    Raises ``ValueError`` where there is no target, it holds numbers that are no classes, gaps,
    or one class only.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> classes, codes = encode_target(BaggingClassifier(), ["no", "yes", "no"])
    >>> classes.tolist(), codes.tolist()
    (['no', 'yes'], [0, 1, 0])
    """
    need_target(estimator, y)
    y = _sklearn.column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        held = f"one class only, {classes.tolist()[0]!r}" if len(classes) else "no label"
        raise ValueError(f"y holds {held}: {type(estimator).__name__} needs at least two classes.")
    return classes, codes


def check_weights(sample_weight: Any, X: Any) -> NDArray | None:
    """Return sample weights as finite floats, none negative, or None for equal weights.

    Examples
    --------
    >>> check_weights([1, 2], [[0.5], [0.7]])
    array([1., 2.])
    """
    if sample_weight is None:
        return None
    return _sklearn._check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
