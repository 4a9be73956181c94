"""The kernel of an ensemble: how often two points are in one of its subsets together."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from counterpoint._kernels import leaf_kernel as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._members import strip, through
from counterpoint._typing import DataLike, Estimator
from counterpoint._validation import check_count
from counterpoint.subsets.leaves import FittedTrees
from counterpoint.subsets.stochastic import StochasticDiscriminationClassifier

# Comparing bytes costs about this much less a pair than walking through lists.
_BYTES_FASTER = 20
# Numbers in a block of rows of a product.
_BLOCK = 1 << 22


def ensemble_kernel(
    fitted: Estimator,
    X: DataLike,
    Y: ArrayLike | None = None,
    *,
    k: int | None = None,
    weights: ArrayLike | str | None = None,
) -> NDArray | sparse.csr_array:
    """Return the share of an ensemble's subsets that hold both of two points.

    For trees, the share of the trees that put both into the same leaf: 1 for a point and
    itself. For stochastic discrimination, the share of the models that hold both.

    Parameters
    ----------
    fitted : fitted ensemble
        A forest, bagged or boosted trees, views of trees, one tree, a
        :class:`StochasticDiscriminationClassifier`, or a pipeline or search around one.
    X : array-like of shape (n_samples_X, n_features)
    Y : array-like of shape (n_samples_Y, n_features), default=None
        None means X.
    k : int, default=None
        Keep the k largest of each row of the kernel (with Y=None that includes the point
        itself), as a sparse matrix: for more rows than a square matrix has room for.
    weights : "ensemble" or array-like of shape (n_trees,), default=None
        How much each tree counts: equally, as in the ensemble's own vote, or as given. Trees only.

    Returns
    -------
    ndarray, or csr_array with ``k``, of shape (n_samples_X, n_samples_Y), float32
        Of equals the first are kept; zeros are not stored. Cutting off makes the matrix
        unsymmetric.

    See Also
    --------
    ensemble_to_features : Vectors whose products these are.
    EnsembleKernelSVC : A support vector machine on this kernel.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       3.2 to 3.4.
    .. [2] Breiman, "Some infinity theory for predictor ensembles", technical report 579,
       University of California, Berkeley, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.subsets import ensemble_kernel
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> kernel = ensemble_kernel(forest, X)
    >>> kernel.shape, kernel[0, 0].item(), bool(kernel[0, :50].mean() > kernel[0, 50:].mean())
    ((150, 150), 1.0, True)
    >>> ensemble_kernel(forest, X, k=5).nnz
    750
    """
    if k is not None:
        k = check_count(k, "k", hint=", or None for the whole kernel")
    discriminator = _discriminator(fitted)
    if discriminator is not None:
        if weights is not None:
            raise ValueError(
                "weights are for trees: models of stochastic discrimination count the same. Leave "
                "weights out."
            )
        before, model = discriminator
        return _subset_kernel(before, model, X, Y, k)
    return _leaf_kernel(FittedTrees(fitted), X, Y, k, weights)


def _leaf_kernel(ensemble, X, Y, k, weights):
    each = ensemble.weights(weights)
    # Added up in the order of the kernels: a point and itself then share exactly all of it.
    whole = np.cumsum(each, dtype=np.float32)[-1]
    ours = ensemble.leaves(X)
    theirs = ours if Y is None else ensemble.leaves(Y)
    first, meetings = _renumber(ours, theirs, ensemble.node_counts())
    queries = np.ascontiguousarray(ours.T)
    shape = (len(queries), theirs.shape[1])
    with threads_for(meetings):
        if k is not None:
            rows, begin = kernels.list_rows(theirs, first)
            k = min(k, shape[1])
            nearest = np.empty((shape[0], k), dtype=np.int32)
            shared = np.empty((shape[0], k), dtype=np.float32)
            kernels.nearest_by_lists(queries, first, rows, begin, each, k, nearest, shared)
            return _as_sparse(nearest, shared / whole, shape)
        kernel = np.empty(shape, dtype=np.float32)
        shallow = weights is None and np.diff(first).max() <= 256
        if shallow and meetings * _BYTES_FASTER > float(shape[0]) * shape[1] * len(each):
            kernels.share_by_bytes(queries.astype(np.uint8), theirs.astype(np.uint8), kernel)
        else:
            rows, begin = kernels.list_rows(theirs, first)
            kernels.share_by_lists(queries, first, rows, begin, each, kernel)
    kernel /= whole
    return kernel


def _renumber(ours, theirs, n_nodes):
    """Count leaves from 0 in every tree, those with rows in them only; in place.

    Returns where the numbers of each tree begin over all trees, (n_trees + 1,), and how often
    a row of ours meets one of theirs.
    """
    first = np.zeros(len(ours) + 1, dtype=np.int64)
    meetings = 0.0
    for t, n in enumerate(n_nodes):
        here, there = (np.bincount(leaves[t], minlength=n) for leaves in (ours, theirs))
        meetings += float(here @ there)
        new = np.cumsum((here > 0) | (there > 0)) - 1
        ours_now = new[ours[t]]
        if theirs is not ours:
            theirs[t] = new[theirs[t]]
        ours[t] = ours_now
        first[t + 1] = first[t] + new[-1] + 1
    return first, meetings


def _discriminator(fitted):
    if not hasattr(fitted, "fit"):
        return None
    before, inner = strip(fitted)
    return (before, inner) if isinstance(inner, StochasticDiscriminationClassifier) else None


def _subset_kernel(before, model, X, Y, k):
    ours = model.subsets(through(before, X))
    theirs = ours if Y is None else model.subsets(through(before, Y))
    n_models, shape = len(ours), (ours.shape[1], theirs.shape[1])
    columns = theirs.astype(np.float32)
    kernel = np.empty(shape, dtype=np.float32) if k is None else None
    parts = []
    step = max(1, _BLOCK // max(n_models, shape[1]))
    for start in range(0, shape[0], step):
        # Whole numbers below 2^24: exact, in whatever order they are added.
        block = ours[:, start : start + step].T.astype(np.float32) @ columns
        block /= np.float32(n_models)
        if kernel is not None:
            kernel[start : start + step] = block
        else:
            nearest = np.argsort(-block, axis=1, kind="stable")[:, :k]
            nearest = np.sort(nearest, axis=1).astype(np.int32)
            shared = np.take_along_axis(block, nearest, axis=1)
            parts.append((np.where(shared > 0, nearest, -1), shared))
    if kernel is not None:
        return kernel
    nearest = np.concatenate([nearest for nearest, _ in parts])
    return _as_sparse(nearest, np.concatenate([shared for _, shared in parts]), shape)


def _as_sparse(nearest, shared, shape):
    kept = nearest >= 0
    ends = np.append(0, np.cumsum(kept.sum(axis=1)))
    return sparse.csr_array((shared[kept], nearest[kept], ends), shape=shape)


def ensemble_to_features(fitted: Estimator, X: DataLike) -> sparse.csr_array:
    """Turn rows into vectors that say which subsets of an ensemble hold them.

    One column a leaf or model, so that a linear model can weigh the subsets anew. Products of
    two vectors, over the number of trees or models, are the values of
    :func:`ensemble_kernel`. The transformation phi of the thesis named there.

    Parameters
    ----------
    fitted : fitted ensemble
        As for :func:`ensemble_kernel`.
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    csr_array of shape (n_samples, n_subsets), float64
        1 where the subset holds the row. Leaves of a tree stand together, in the order of their
        nodes; the columns are the same for any X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.subsets import ensemble_to_features
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> features = ensemble_to_features(forest, X)
    >>> features.shape[1] == sum(int(tree.get_n_leaves()) for tree in forest.estimators_)
    True
    """
    discriminator = _discriminator(fitted)
    if discriminator is not None:
        before, model = discriminator
        return sparse.csr_array(model.subsets(through(before, X)).T.astype(np.float64))
    ensemble = FittedTrees(fitted)
    leaves = ensemble.leaves(X)
    n_columns = 0
    for t, numbers in enumerate(ensemble.leaf_numbers()):
        leaves[t] = n_columns + np.searchsorted(numbers, leaves[t])
        n_columns += len(numbers)
    n_trees, n = leaves.shape
    ends = np.arange(n + 1) * n_trees
    return sparse.csr_array(
        (np.ones(leaves.size), np.ascontiguousarray(leaves.T).ravel(), ends), shape=(n, n_columns)
    )
