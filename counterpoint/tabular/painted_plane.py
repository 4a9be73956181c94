"""Two columns and a few classes, painted by hand: what an ensemble and its members make of them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint._arrays import as_labels
from counterpoint._outputs import MemberOutputs
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.exceptions import MemberError
from counterpoint.hyperboxes import HyperboxClassifier
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.subsets import StochasticDiscriminationClassifier

PAINTERS = {
    "adaboost-nc": "AdaBoost.NC",
    "ncl": "networks trained together",
    "random-forest": "random forest",
    "stochastic": "stochastic discrimination",
    "hyperboxes": "hyperboxes",
}
"""What can be trained on the plane, and what it is called."""
_SHOWN_MEMBERS = 12
_FEWEST = 4


def paint_plane(
    X: ArrayLike,
    y: ArrayLike,
    method: str = "adaboost-nc",
    *,
    n_estimators: int = 12,
    strength: float = 0.5,
    resolution: int = 64,
    random_state: int = 0,
) -> dict[str, Any]:
    """Train on points of the unit square, and ask all over it.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        From 0 to 1.
    y : array-like of shape (n_samples,)
        Labels; two classes at least.
    method : str, default="adaboost-nc"
        A key of :data:`PAINTERS`.
    n_estimators : int, default=12
        Members; not for hyperboxes, and ten times as many subsets for stochastic discrimination.
    strength : float from 0 to 1, default=0.5
        Penalty for agreeing, of AdaBoost.NC and of networks; the largest box, of hyperboxes.
    resolution : int, default=64
        Points along a side of the grid.
    random_state : int, default=0

    Returns
    -------
    dict
        "classes"; "region" (resolution, resolution), codes of what the ensemble says, the lower
        left corner first, a row a height; "members" of the same shape for each of some members,
        none for methods without; "error" on the points painted, and "n_members".

    Examples
    --------
    >>> from counterpoint.tabular.painted_plane import paint_plane
    >>> X = [[0.1, 0.1], [0.2, 0.2], [0.1, 0.3], [0.8, 0.8], [0.9, 0.7], [0.7, 0.9]]
    >>> told = paint_plane(X, list("aaabbb"), "random-forest", resolution=8)
    >>> int(told["region"][0, 0]), int(told["region"][-1, -1]), told["members"].shape
    (0, 1, (12, 8, 8))
    """
    check_choice(method, "method", PAINTERS)
    check_count(n_estimators, "n_estimators")
    check_count(resolution, "resolution", low=2)
    check_number(strength, "strength", low=0, high=1)
    points, labels = np.asarray(X, dtype=float), as_labels(y, "y")
    if points.ndim != 2 or points.shape[1] != 2 or len(points) != len(labels):
        raise ValueError(f"X has shape {points.shape}: give two numbers for each label of y.")
    if len(np.unique(labels)) < 2 or len(labels) < _FEWEST:
        raise ValueError("y: paint points of at least two classes, four in all.")
    model = _make(method, n_estimators, strength, random_state)
    model.fit(points, labels)
    line = (np.arange(resolution) + 0.5) / resolution
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    classes = np.unique(labels)
    shape = (resolution, resolution)
    members, n_members = _ask_members(model, grid, classes, shape)
    return {
        "classes": classes,
        "region": _codes(model.predict(grid), classes).reshape(shape),
        "members": members,
        "n_members": n_members,
        "error": float(np.mean(model.predict(points) != labels)),
    }


def _codes(labels: NDArray, classes: NDArray) -> NDArray:
    return np.searchsorted(classes, labels)


def _ask_members(
    model: Any, grid: NDArray, classes: NDArray, shape: tuple[int, int]
) -> tuple[NDArray, int]:
    try:
        outputs = MemberOutputs.from_estimator(model, grid)
    except MemberError:
        return np.empty((0, *shape), dtype=int), 0
    if outputs.votes is None:
        return np.empty((0, *shape), dtype=int), outputs.n_members
    some = outputs.votes[:_SHOWN_MEMBERS]
    return _codes(outputs.classes[some], classes).reshape(-1, *shape), outputs.n_members


def _make(method: str, n: int, strength: float, seed: int) -> Any:
    if method == "adaboost-nc":
        # Small trees: one that knows all points by heart leaves boosting nothing to do.
        return AdaBoostNCClassifier(
            DecisionTreeClassifier(max_depth=2),
            n_estimators=n,
            strength=strength,
            random_state=seed,
        )
    if method == "ncl":
        return NegativeCorrelationClassifier(
            n, strength=strength, hidden_layer_sizes=(8,), max_epochs=150, progress=False,
            random_state=seed,
        )  # fmt: skip
    if method == "random-forest":
        return RandomForestClassifier(n, random_state=seed)
    if method == "stochastic":
        return StochasticDiscriminationClassifier(10 * n, random_state=seed)
    return HyperboxClassifier(theta=max(0.02, strength))
