"""Reading what an estimator is given: data, targets, weights; one wording for what is wrong.

Public through :mod:`counterpoint.base`.
"""

from datetime import date, time, timedelta
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils import validation as _sklearn
from sklearn.utils.multiclass import check_classification_targets

from counterpoint._validation import (
    as_labels,
    check_axes,
    check_floats,
    check_one_type,
    check_sample_weight,
    check_samples,
)

_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)


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
    if not (y is None or isinstance(y, str)):
        need_target(estimator, y)
    with np.errstate(all="ignore"):  # the sum that looks for infinities may be none itself
        return _sklearn.validate_data(estimator, X, y, **options)


def tree_input(ensemble: Any, X: Any) -> Any:
    """Return samples as the trees of scikit-learn read them, checked once for all of an ensemble.

    A number too large for float32 becomes infinite, and stays on its side of every threshold.
    """
    return validate_data(
        ensemble, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite=False
    )


def check_rows(
    X: Any,
    name: str = "X",
    *,
    owner: str,
    dtype: Any = np.float64,
    most: float | None = None,
    allow_nan: bool = False,
) -> NDArray:
    """Return numbers (n_samples, n_features): for functions, which keep no names of columns.

    ``owner`` is who takes numbers only, for messages; numbers beyond ``most`` are refused.
    """
    need_numbers(X, owner)
    finite = "allow-nan" if allow_nan else True
    with np.errstate(all="ignore"):
        rows = _sklearn.check_array(X, dtype=dtype, input_name=name, ensure_all_finite=finite)
    if most is not None:
        check_floats(rows, name, ("n_samples", "n_features"), most=most)
    return rows


def check_labels(y: Any, n_samples: int, name: str = "y") -> NDArray:
    """Return the labels of some samples, (n_samples,), all of one type and none missing."""
    labels = as_labels(y, name)
    labels = labels.ravel() if labels.ndim == 2 and labels.shape[1] == 1 else labels
    check_axes(labels, name, ("n_samples",))
    check_samples(labels, name, ("n_samples",), n_samples, of="X")
    return labels


def need_numbers(X: Any, name: str) -> None:
    """Raise if a column holds text or dates; ``name`` is who takes numbers only.

    Examples
    --------
    >>> need_numbers(np.array([["2026-01-01"], ["2026-02-01"]], dtype="M8[D]"), "A tree")
    Traceback (most recent call last):
    ...
    ValueError: Column 0 holds dates or times, and A tree takes numbers. Turn it into numbers ...
    """
    for column, values in _columns(X):
        if isinstance(values.dtype, np.dtype) and values.dtype.kind in "biuf":
            continue
        values = np.asarray(values)
        if values.dtype.kind in "mM" or any(isinstance(v, _TIMES) for v in values.tolist()):
            raise ValueError(
                f"Column {column!r} holds dates or times, and {name} takes numbers. Turn it into "
                "numbers first, such as days since a day that you choose, "
                "(column - start) / np.timedelta64(1, 'D'); or drop the column."
            )
        try:
            values.astype(np.float64)
        except (TypeError, ValueError):
            text = [v for v in values.tolist() if isinstance(v, str)]
            if not text and not hasattr(X, "columns"):
                return  # scikit-learn has words for what else an array may hold
            raise ValueError(
                f"Column {column!r} holds values such as {(text or values)[0]!r}, and {name} takes "
                f"numbers. Put an encoder before it, counterpoint.tabular.with_encoder({name}()), "
                "which is a pipeline with TabularEncoder; or drop the column."
            ) from None


def _columns(X):
    """Yield names and values of the columns that may hold anything but numbers."""
    if hasattr(X, "columns"):
        for position, column in enumerate(X.columns):
            yield column, X.iloc[:, position] if hasattr(X, "iloc") else X[column]
        return
    if isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], (list, tuple)):
        if any(isinstance(value, (str, *_TIMES)) for value in X[0]):
            yield from enumerate(map(np.array, zip(*X, strict=False)))
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind not in "biufc":
        yield from enumerate(X.T)


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
    """Raise if there is no target, or the labels in it are of several types.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> need_target(BaggingClassifier(), None)
    Traceback (most recent call last):
    ...
    ValueError: requires y to be passed, but the target y is None: BaggingClassifier learns ...
    >>> need_target(BaggingClassifier(), ["a", 1, None])
    Traceback (most recent call last):
    ...
    TypeError: y mixes labels of types NoneType, int, str: convert them to one type ...
    """
    if y is None:
        raise ValueError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} "
            "learns from examples with known answers."
        )
    if not is_regressor(estimator):
        check_one_type(y, "y")


def read_labels(estimator: Any, y: Any) -> NDArray:
    """Return the labels of a target, one a sample, of one type and without gaps.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> read_labels(BaggingClassifier(), [0.5, 0.7, 0.1])
    Traceback (most recent call last):
    ...
    ValueError: Unknown label type: continuous. Maybe you are trying to fit a classifier, which ...
    """
    need_target(estimator, y)
    y = _sklearn.column_or_1d(y, warn=True)
    with np.errstate(all="ignore"):
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
    return y


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
    classes, codes = np.unique(read_labels(estimator, y), return_inverse=True)
    if len(classes) < 2:
        held = f"one class only, {classes.tolist()[0]!r}" if len(classes) else "no label"
        raise ValueError(f"y holds {held}: {type(estimator).__name__} needs at least two classes.")
    return classes, codes


def check_weights(sample_weight: Any, X: Any) -> NDArray | None:
    """Return sample weights as finite floats, none negative, or None for equal weights.

    Only their ratios count: weights too large or too small to be added and divided by are divided
    by the largest.

    Examples
    --------
    >>> check_weights([1, 2], [[0.5], [0.7]])
    array([1., 2.])
    >>> check_weights([1e-320, 1e-320], [[0.5], [0.7]])
    array([1., 1.])
    """
    n = _sklearn._num_samples(X)
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n, sample_weight)
    return check_sample_weight(sample_weight, n)
