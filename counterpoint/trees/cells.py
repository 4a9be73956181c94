"""Overlaps of the leaves of many trees, one leaf of each: draw some, list all, count them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from counterpoint._kernels import boxes as kernels
from counterpoint._validation import check_choice, check_count
from counterpoint.trees.algebra import restrict
from counterpoint.trees.boxes import check_columns, data_bounds
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.structure import parents

_CHUNK = 20_000
SAMPLINGS = ("uniform", "data", "volume", "walk")


def sample_overlaps(
    ensemble: TreeEnsemble,
    n: int,
    random_state: Any = None,
    how: str = "uniform",
    X: ArrayLike | None = None,
    *,
    noise: float = 0.1,
    steps: int = 100,
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw ``n`` from the overlaps of leaves, one leaf of each tree; one may come more than once.

    "uniform": trees in random order, and of the leaves that meet the overlap so far any one; for 5
    to 20 trees in 2 columns nine overlaps of ten came 0.26 to 2.6 times as often as they should
    (Eastwood, thesis, 2010, section 5.1.1, asks for roughly uniform). "data": where a row of X
    falls, after normal noise, in standard deviations. "volume": around a point drawn evenly from
    the bounds of X. "walk": where walks pass that begin at rows of X and go on for ``steps`` steps,
    each up to ``noise`` times the range of every column, thrown back at the bounds: near the rows
    at first, by volume if they are long. Returns lower and upper edges (n, n_features), and scores.
    """
    check_choice(how, "how", SAMPLINGS)
    check_count(n, "n")
    rng = check_random_state(random_state)
    if how == "uniform":
        return _draw(ensemble, n, rng)
    if X is None:
        raise ValueError(f"how={how!r} needs data: pass X.")
    X = _rows(ensemble, X)
    if how == "data":
        rows = rng.randint(len(X), size=n)
        points = X[rows] + noise * X.std(axis=0) * rng.standard_normal((n, X.shape[1]))
    elif how == "walk":
        points = _walk_on(X, n, check_count(steps, "steps"), noise, rng)
    else:
        low, high = data_bounds(X)
        points = rng.uniform(low, high, size=(n, X.shape[1]))
    return cells_at(ensemble, points)


def cells_at(ensemble: TreeEnsemble, X: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """Return the overlap each sample is in: lower and upper edges, and scores; none is missing."""
    X = _rows(ensemble, X)
    roots, left, right, _, feature, cut, table = _lay_out(ensemble)
    lower, upper, scores = _blank(ensemble, len(X))
    kernels.cells_at(X, roots, left, right, feature, cut, table, lower, upper, scores)
    return lower, upper, scores


def all_cells(ensemble: TreeEnsemble, limit: int = 1_000_000) -> tuple[NDArray, NDArray, NDArray]:
    """List all overlaps of leaves, at most ``limit``: edges (n_overlaps, n_features), scores."""
    count = count_cells(ensemble, limit)
    if count > limit:
        raise ValueError(
            f"The trees have more than limit={limit} overlaps: raise the limit, take fewer or "
            "smaller trees, or draw some with sample_overlaps."
        )
    out = _blank(ensemble, count)
    _walk(ensemble, limit, out)
    return out


def count_cells(ensemble: TreeEnsemble, limit: int = 1_000_000) -> int:
    """Count the overlaps of leaves, one leaf of each tree; ``limit + 1`` if there are more."""
    check_count(limit, "limit")
    nowhere = np.empty((0, ensemble.n_features))
    return _walk(ensemble, limit, (nowhere, nowhere, np.empty((0, ensemble.n_classes))))


def _walk_on(X, n, steps, noise, rng):
    """Return n points on walks through the bounds of X that begin at rows of it."""
    low, high = data_bounds(X)
    unit = np.where(high > low, high - low, 1.0)
    steps = min(steps, n)
    walks = -(-n // steps)
    at = (X[rng.randint(len(X), size=walks)] - low) / unit
    passed = np.empty((steps, *at.shape))
    for step in range(steps):
        # Thrown back at 0 and 1, a step is as likely as the same step back: every place is left
        # as often as it is entered only if all are equally likely.
        moved = np.abs(at + noise * rng.uniform(-1.0, 1.0, at.shape))
        at = 1.0 - np.abs(1.0 - moved % 2.0)
        passed[step] = at
    return low + unit * passed.reshape(-1, X.shape[1])[:n]


# -- the arrays behind -------------------------------------------------------------------------


def _rows(ensemble: TreeEnsemble, X: ArrayLike) -> NDArray:
    rows = ensemble.check_rows(X)
    if np.isnan(rows).any():
        raise ValueError(
            "X holds missing values, and a sample with such is in no box: fill them in first."
        )
    return rows


def _lay_out(ensemble):
    """Return roots, left, right, parent, feature, cut and contributions of what can be reached."""
    check_columns(ensemble.trees, ensemble.n_features)
    edges = np.full(ensemble.n_features, np.inf)
    # Splits that those above them decide would make leaves that nothing can reach.
    trees = tuple(restrict(tree, -edges, edges, missing=False) for tree in ensemble.trees)
    whole = replace(ensemble, trees=trees)
    at, tables = whole.stacked, np.concatenate(whole.contributions())
    parent = parents(at.left, at.right)
    return at.roots, at.left, at.right, parent, at.feature, at.threshold, tables


def _blank(ensemble, n):
    lower = np.full((n, ensemble.n_features), -np.inf)
    scores = np.zeros((n, ensemble.n_classes))
    if ensemble.offset is not None:
        scores += ensemble.offset
    return lower, -lower, scores


def _draw(ensemble, n, rng):
    roots, left, right, parent, feature, cut, table = _lay_out(ensemble)
    trees = (roots, left, right, parent, feature, cut, table)
    lower, upper, scores = _blank(ensemble, n)
    for start in range(0, n, _CHUNK):
        some = slice(start, min(n, start + _CHUNK))
        uniform = rng.uniform(size=(some.stop - start, ensemble.n_trees))
        order = np.argsort(rng.uniform(size=uniform.shape), axis=1).astype(np.int32)
        kernels.draw_overlaps(*trees, order, uniform, lower[some], upper[some], scores[some])
    return lower, upper, scores


def _walk(ensemble, limit, out):
    roots, left, right, _, feature, cut, table = _lay_out(ensemble)
    high = np.full(ensemble.n_features, np.inf)
    begin = np.zeros(ensemble.n_classes) if ensemble.offset is None else ensemble.offset
    depth = sum(tree.max_depth for tree in ensemble.trees)
    return int(
        kernels.all_cells(
            roots, left, right, feature, cut, table, -high, high, begin, depth, limit, out
        )
    )
