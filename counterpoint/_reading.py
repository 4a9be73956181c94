"""Reading what an estimator is given: data, targets, weights; one wording for what is wrong.

Public through :mod:`counterpoint.base`.

Numbers beyond 1e38 are refused, by their column, and so is a table that holds nothing but numbers
below 1e-38; beside others, these count as 0: see ``LARGEST`` in ``_arrays.py``. Half precision is
promoted.
"""

import warnings
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import is_regressor
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils import validation as _sklearn
from sklearn.utils.multiclass import check_classification_targets

from counterpoint._arrays import (
    as_labels,
    check_axes,
    check_floats,
    check_one_type,
    check_sample_weight,
    check_samples,
)
from counterpoint._options import check_shared_options
from counterpoint._tables import check_names, check_sizes, flushed, need_numbers, promoted
from counterpoint._validation import check_count
from counterpoint.exceptions import ThinnedWarning


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Check data as scikit-learn does; a column of text or dates is named, with the way out.

    Parameters and returns are those of :func:`sklearn.utils.validation.validate_data`: without
    ``y`` only X is checked. Numbers beyond 1e38 are refused, and so is a target of numbers with
    gaps; numbers below 1e-38 count as 0, and half precision is promoted.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> validate_data(DecisionTreeClassifier(), pd.DataFrame({"colour": ["red", "green"]}))
    Traceback (most recent call last):
    ...
    ValueError: Column 'colour' holds values such as 'red', and DecisionTreeClassifier takes ...
    """
    _need_estimator(estimator)
    if options.get("reset", True):
        check_shared_options(estimator)
    check_names(X)
    if not options.get("skip_check_array"):
        splits_sets = getattr(estimator, "categorical_features", "") is None
        need_numbers(X, type(estimator).__name__, splits_sets=splits_sets)
        X = promoted(X)
        check_sizes(X, whole=options.get("reset", True))
    if options.get("y_numeric"):
        y = read_numbers(y)
    if not (y is None or isinstance(y, str)):
        need_target(estimator, y)
    with np.errstate(all="ignore"):  # the sum that looks for infinities may be none itself
        read = _sklearn.validate_data(estimator, X, y, **options)
    return (flushed(read[0]), *read[1:]) if isinstance(read, tuple) else flushed(read)


def _need_estimator(estimator):
    if isinstance(estimator, type) or not hasattr(estimator, "__sklearn_tags__"):
        raise TypeError(f"estimator={estimator!r} is no estimator: pass an object with fit.")


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


def read_numbers(y: Any) -> Any:
    """Return a target of numbers; raise where a row has none.

    Examples
    --------
    >>> read_numbers([1.0, None, 3.0])
    Traceback (most recent call last):
    ...
    ValueError: y has no number in row 1 (None): fill the gap, or leave the row out.
    """
    if y is None or isinstance(y, str):
        return y
    values = np.asarray(y)
    if values.dtype.kind in "OU":
        for place, value in np.ndenumerate(values.astype(object)):
            try:
                float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"y has no number in row {place[0]} ({value!r}): fill the gap, or leave the "
                    "row out."
                ) from None
    check_sizes(values, "y")
    return y


def read_table(estimator: Any, X: Any, *, reset: bool = False) -> Any:
    """Note or check the names and number of columns, and pass the values on as they are.

    For ensembles whose members check values themselves: frames stay frames (a learner may want
    names, or strings), sparse matrices come back as CSR if the estimator's tags allow them.
    ``reset=True`` notes them, as ``fit`` does; False checks X against what was noted.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingClassifier
    >>> read_table(BaggingClassifier(), [[1, 2], [3, 4]], reset=True).shape
    (2, 2)
    """
    _need_estimator(estimator)
    if reset:
        check_shared_options(estimator)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got {len(X.shape)}D array instead: X has shape {X.shape}. "
            "Reshape your data to (n_samples, n_features)."
        )
    check_names(X)
    _sklearn.validate_data(estimator, X, reset=reset, skip_check_array=True)
    X = promoted(X)
    check_sizes(X, whole=reset)
    X = flushed(X)
    if not issparse(X):
        return X
    if not get_tags(estimator).input_tags.sparse:
        raise TypeError(
            f"Sparse data was passed, but {type(estimator).__name__} with this base learner "
            "needs dense data: pass X.toarray(), or a learner that takes sparse data."
        )
    return X.tocsr()  # a form that rows can be drawn from


def is_store(X: Any) -> bool:
    """Whether X is a ``counterpoint.large.BinnedStore``: rows on disk that fit estimators."""
    return getattr(X, "is_store", False) is True


def train_on(store: Any, estimator: Any, y: Any, sample_weight: Any, **options: Any) -> Any:
    """Fit an estimator to a store, which has targets and weights of its own."""
    if y is not None or sample_weight is not None:
        raise ValueError(
            "y and sample_weight lie in the store: fit(store) alone. Name other columns with "
            "target= and weight= when the store is written."
        )
    return store.train(estimator, **options)


def need_memory(client: Any) -> None:
    """Raise if there are workers to share rows that lie in memory."""
    if client is not None:
        raise ValueError(
            "client= is for a BinnedStore, whose rows workers can read: write one with "
            "counterpoint.large.BinnedStore.write, or leave client out."
        )


def need_target(estimator: Any, y: Any) -> None:
    """Raise if there is no target, or the labels in it are of several types.

    The first thing that ``fit`` does: options that all estimators share are checked, too.

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
    _need_estimator(estimator)
    check_shared_options(estimator)
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


def thin_rows(estimator: Any, groups: NDArray, what: str) -> NDArray | None:
    """Return ``estimator.max_samples`` positions, or None where there are no more rows than that.

    Every group (class) keeps its share; one that would have none has one row more. They are drawn
    by a lot of their own, always the same: it takes nothing from ``random_state``. A
    :class:`counterpoint.exceptions.ThinnedWarning` says so; ``what`` is done on the sample only.

    Examples
    --------
    >>> import warnings
    >>> from types import SimpleNamespace
    >>> groups = np.repeat([0, 1], [90, 10])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     rows = thin_rows(SimpleNamespace(max_samples=20), groups, "counting")
    >>> np.bincount(groups[rows]).tolist()
    [18, 2]
    >>> thin_rows(SimpleNamespace(max_samples=100), groups, "counting") is None
    True
    """
    most, n = estimator.max_samples, len(groups)
    if most is not None:
        check_count(most, "max_samples", low=2, hint=", or None for all rows")
    if most is None or n <= most:
        return None
    name = type(estimator).__name__
    warnings.warn(
        f"{n:,} rows are more than max_samples={most:,} of {name}: {what} uses a sample of that "
        "size. Raise max_samples for more, at the price of time and memory.",
        ThinnedWarning,
        stacklevel=4,
    )
    order = np.random.RandomState(0).permutation(n)
    # Rows of a group stand together, in the order of the lot; every so-many-th of them all is kept.
    order = order[np.argsort(groups[order], kind="stable")]
    kept = np.arange(most) * n // most
    there, first = np.unique(groups[order], return_index=True)
    kept = np.append(kept, first[~np.isin(there, groups[order[kept]])])
    return np.sort(order[kept])
