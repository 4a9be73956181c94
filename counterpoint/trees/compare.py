"""Prove that two trees are the same function, or find a sample that tells them apart."""

import numpy as np
from numpy.typing import NDArray

from counterpoint._kernels import trees as kernels
from counterpoint._validation import check_flag
from counterpoint.trees.algebra import answer_codes, split_arrays
from counterpoint.trees.structure import Tree, require_columns, round_down


def same_function(
    tree_a: Tree,
    tree_b: Tree,
    *,
    by: str = "label",
    missing: bool = False,
    dtype: type = np.float64,
) -> tuple[bool, NDArray | None]:
    """Prove that two trees are the same function, or find a point where they differ.

    Both are walked at once, region by region: the answer is exact.

    Parameters
    ----------
    tree_a, tree_b : Tree
        With splits on columns only.
    by : {"label", "shares", "value"}, default="label"
        What must be equal: the heaviest class, the shares of the classes, or the values.
    missing : bool, default=False
        Whether samples with missing values count too.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        The numbers that samples are made of. With float32, as in scikit-learn's trees, parts of
        space between two neighbouring numbers do not count.

    Returns
    -------
    same : bool
    witness : ndarray of shape (n_features,) or None
        A sample that the trees answer differently; NaN where it is missing. None if there is
        none.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.trees import from_sklearn, same_function
    >>> one = from_sklearn(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    >>> two = from_sklearn(DecisionTreeClassifier().fit([[0], [2]], [0, 1]))
    >>> same, where = same_function(one, two)
    >>> same, where.tolist()
    (False, [0.75])
    """
    require_columns([tree_a, tree_b], "Comparing trees")
    check_flag(missing, "missing")
    if not (isinstance(dtype, type) and issubclass(dtype, np.floating)):
        raise ValueError(f"dtype={dtype!r}: give np.float64 or np.float32.")
    if tree_a.value.shape[1] != tree_b.value.shape[1]:
        raise ValueError(
            f"One tree has {tree_a.value.shape[1]} classes, the other {tree_b.value.shape[1]}: "
            "only trees on the same classes can be compared."
        )
    code_a, code_b = answer_codes([tree_a, tree_b], by)
    n_features = max(int(tree_a.feature.max()), int(tree_b.feature.max()), 0) + 1
    splits = []
    for tree in (tree_a, tree_b):
        if tree.normals is not None:
            n_features = tree.normals.shape[1]
        left, right, feature, cut, gone = split_arrays(tree)
        splits.append((left, right, feature, round_down(cut, dtype).astype(np.float64), gone))
    upper = np.full(n_features, np.inf)
    lower = -upper
    gaps = np.full(n_features, bool(missing))
    differ = kernels.first_difference(*splits[0], code_a, *splits[1], code_b, lower, upper, gaps)
    return (False, point_in(lower, upper, dtype=dtype)) if differ else (True, None)


def point_in(lower: NDArray, upper: NDArray, *, dtype: type = np.float64) -> NDArray:
    """Return a sample with ``lower < x <= upper``; NaN where ``dtype`` has no such number."""
    point: NDArray = np.zeros(len(lower), dtype=dtype)
    for f, (low, high) in enumerate(zip(lower, upper, strict=True)):
        if not low < high:
            point[f] = np.nan
            continue
        if np.isfinite(high):
            tries = [(low + high) / 2 if np.isfinite(low) else high, high]
        else:
            tries = [low + max(1.0, abs(low)) if np.isfinite(low) else 0.0]
        tries.append(float(np.nextafter(round_down(low, dtype), dtype(np.inf))))
        fits = [t for t in (dtype(t) for t in tries) if low < t <= high]
        point[f] = fits[0] if fits else np.nan
    return point
