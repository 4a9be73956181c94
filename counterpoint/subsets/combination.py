"""Several kernels made into one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from counterpoint._arrays import (
    SQUARABLE,
    as_floats,
    as_labels,
    check_floats,
    check_one_type,
    check_vector,
)
from counterpoint._validation import check_choice, check_list


def kernel_alignment(kernel: ArrayLike, y: ArrayLike) -> float:
    """Return how well a kernel agrees with the classes, from -1 to 1.

    The correlation of its centred values with the ideal kernel: 1 for two samples of a class,
    -1 / (K - 1) for samples of two of the K classes.

    Parameters
    ----------
    kernel : array-like of shape (n_samples, n_samples)
        Between the training samples.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    float
        NaN for a kernel that is constant once centred.

    References
    ----------
    .. [1] Cortes, Mohri and Rostamizadeh, "Algorithms for Learning Kernels Based on Centered
       Alignment", Journal of Machine Learning Research 13, 2012, definition 4.

    Examples
    --------
    >>> from counterpoint.subsets import kernel_alignment
    >>> round(kernel_alignment([[1, 1, 0], [1, 1, 0], [0, 0, 1]], ["a", "a", "b"]), 6)
    1.0
    """
    if sparse.issparse(kernel):
        raise TypeError("A sparse kernel is cut off and cannot be aligned: pass a dense one.")
    labels = as_labels(y, "y")
    check_one_type(labels, "y")
    values = check_floats(kernel, "kernel", ("n_samples", "n_samples"), most=SQUARABLE)
    if labels.ndim != 1 or values.shape != (len(labels), len(labels)):
        raise ValueError(
            f"kernel has shape {values.shape} and y {labels.shape}: expected (n_samples, "
            "n_samples), between the training samples, and (n_samples,)."
        )
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(f"y has one class only, {classes.tolist()}: nothing to align with.")
    ideal = _centred(np.where(labels[:, None] == labels, 1.0, -1.0 / (len(classes) - 1)))
    values = _centred(values)
    size = np.linalg.norm(values)
    if size <= 1e-12 * len(labels):
        return float("nan")
    return float(np.clip((values * ideal).sum() / (size * np.linalg.norm(ideal)), -1.0, 1.0))


def _centred(kernel):
    return kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()


def alignment_weights(kernels: Sequence[Any], y: ArrayLike) -> NDArray:
    """Return weights for kernels in proportion to their alignment with the classes.

    Parameters
    ----------
    kernels : sequence of array-like of shape (n_samples, n_samples)
        Between the training samples.
    y : array-like of shape (n_samples,)
        Their classes.

    Returns
    -------
    ndarray of shape (n_kernels,)
        They add up to 1; kernels that are not aligned, or constant, get 0.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.subsets import alignment_weights
    >>> good = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    >>> alignment_weights([good, np.ones((3, 3))], ["a", "a", "b"]).round(6)
    array([1., 0.])
    """
    kernels = check_list(kernels, "kernels", "kernels")
    alignments = [kernel_alignment(kernel, y) for kernel in kernels]
    raw = np.maximum(np.nan_to_num(alignments, nan=0.0), 0.0)
    if not raw.sum() > 0:
        raise ValueError(
            f"None of the {len(raw)} kernels is aligned with y (alignments "
            f"{np.round(alignments, 3).tolist()}): pass weights, or other kernels."
        )
    return raw / raw.sum()


def combine_kernels(
    kernels: Sequence[Any],
    y: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    how: str = "sum",
) -> NDArray:
    """Make one kernel of several: their weighted sum, or their product.

    Either is a kernel again. A sum is near where any of them is near, a product where all are.

    Parameters
    ----------
    kernels : sequence of array-like or sparse of shape (n_samples_X, n_samples_Y)
        All of one shape.
    y : array-like of shape (n_samples,), default=None
        Classes of the training samples: weigh by :func:`alignment_weights`. To combine the
        kernels of new samples in the same way, get the weights there and pass them here.
    weights : array-like of shape (n_kernels,), default=None
        Not negative. Without them and without y, all count the same.
    how : {"sum", "product"}, default="sum"
        A product takes no weights.

    Returns
    -------
    ndarray or sparse array of shape (n_samples_X, n_samples_Y)

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.5.2.

    Examples
    --------
    >>> from counterpoint.subsets import combine_kernels
    >>> combine_kernels([[[1.0, 0.5]], [[1.0, 0.0]]])
    array([[1.  , 0.25]])
    >>> combine_kernels([[[1.0, 0.5]], [[1.0, 0.5]]], how="product")
    array([[1.  , 0.25]])
    """
    check_choice(how, "how", ("sum", "product"))
    axes = ("n_samples_X", "n_samples_Y")
    parts: list[Any] = [
        k if sparse.issparse(k) else as_floats(k, "kernels", axes)
        for k in check_list(kernels, "kernels", "kernels")
    ]
    if not parts:
        raise ValueError("The list of kernels is empty: pass at least one.")
    shapes = {k.shape for k in parts}
    if len(shapes) > 1 or len(parts[0].shape) != 2:
        raise ValueError(
            f"kernels have shapes {[k.shape for k in parts]}: all must have one shape, "
            "(n_samples_X, n_samples_Y)."
        )
    if how == "product":
        if weights is not None or y is not None:
            raise ValueError("A product takes neither weights nor y: leave them out.")
        total = parts[0]
        for kernel in parts[1:]:
            total = total.multiply(kernel).tocsr() if sparse.issparse(total) else total * kernel
        return total
    if weights is not None and y is not None:
        raise ValueError("Pass weights or y, not both: y is there to find weights.")
    if y is not None:
        each = alignment_weights(parts, y)
    else:
        each = np.ones(len(parts))
        if weights is not None:  # a negative one would not leave a kernel
            each = check_vector(weights, "weights", len(parts), "kernel", low=0)
            check_floats(each, "weights", ("n_kernels",), most=SQUARABLE)
        if not each.any():
            raise ValueError("weights are all zero: at least one kernel must count.")
        each = each / each.sum() if weights is None else each
    return sum(kernel * weight for kernel, weight in zip(parts, each.tolist(), strict=True))
