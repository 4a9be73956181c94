"""The best there is to get on each synthetic problem, from its true densities."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr, softmax
from sklearn.utils import check_array

from counterpoint._typing import DataLike
from counterpoint.datasets import synthetic

_GRID = 500  # points a side; with 1500 no error changes by more than 1e-5
_REACH = 7  # standard deviations around every mean; beyond them lies less than 1e-11
_LOG_2PI = np.log(2 * np.pi)


@dataclass(frozen=True)
class _Problem:
    """A problem as the integral needs it: in the plane.

    ``project`` takes rows to that plane, and loses nothing that tells the classes apart.
    ``log_densities`` maps points (n, 2) to (n, n_classes); ``box`` is (low corner, high corner).
    """

    priors: np.ndarray
    log_densities: Callable[[np.ndarray], np.ndarray]
    box: tuple[np.ndarray, np.ndarray]
    n_features: int = 2
    project: Callable[[np.ndarray], np.ndarray] | None = None


def bayes_posterior(
    problem: str | Callable,
    X: DataLike,
    *,
    priors: Sequence[float] | None = None,
    **parameters: Any,
) -> np.ndarray:
    """Return the true probability of each class at given points.

    Parameters
    ----------
    problem : str or function
        ``"two_gaussians"``, ``"ripley"``, ``"cone_torus"``, ``"waveform"``, or the function that
        makes it, such as `make_ripley`.
    X : array-like of shape (n_samples, n_features)
        The points. Of waveform's columns all after the first 21 are noise, and ignored.
    priors : sequence of float or None, default=None
        Class probabilities, if not those of the problem.
    **parameters
        The generator's own, if not the defaults: ``distance`` of two Gaussians.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
        Rows sum to one.

    Examples
    --------
    >>> bayes_posterior("two_gaussians", [[0.0, 0.0]])
    array([[0.5, 0.5]])
    """
    name, plane, weights = _find(problem, parameters, priors)
    X = check_array(X, dtype=np.float64)
    if X.shape[1] < plane.n_features or (plane.project is None and X.shape[1] > plane.n_features):
        raise ValueError(f"X has {X.shape[1]} columns, but {name} has {plane.n_features} features.")
    points = X if plane.project is None else plane.project(X)
    return softmax(plane.log_densities(points) + _log(weights), axis=1)


def bayes_predict(
    problem: str | Callable,
    X: DataLike,
    *,
    priors: Sequence[float] | None = None,
    **parameters: Any,
) -> np.ndarray:
    """Return the most probable class at given points: no classifier errs less on average.

    Parameters
    ----------
    problem, X, priors, **parameters
        As for `bayes_posterior`.

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels; of equally probable classes, the lowest.

    Examples
    --------
    >>> from counterpoint.datasets import make_ripley
    >>> X, y = make_ripley(10_000, random_state=0)
    >>> bool(0.07 < (bayes_predict("ripley", X) != y).mean() < 0.09)
    True
    """
    return bayes_posterior(problem, X, priors=priors, **parameters).argmax(axis=1)


def bayes_error(
    problem: str | Callable, *, priors: Sequence[float] | None = None, **parameters: Any
) -> float:
    """Return the error of the best possible classifier.

    It is 1 minus the integral over x of the largest prior times density. For two Gaussians that
    has a closed form. For the others it is a sum over a grid in the plane, good to 1e-5.
    Waveform's 21 dimensions come down to two as well: its three waves span a plane, noise across
    that plane says nothing of the class, and within it each class is one side of a triangle,
    blurred.

    Parameters
    ----------
    problem, priors, **parameters
        As for `bayes_posterior`.

    References
    ----------
    .. [1] Ripley, "Pattern Recognition and Neural Networks", 1996: "about 8 %" for his problem.
       The densities he gives have 8.9 %; on his 1000 test rows the best rule makes 80 errors.
    .. [2] Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", 1984: about
       14 % for waveform. The integral is 13.3 %.

    Examples
    --------
    >>> from counterpoint.datasets import make_ripley
    >>> round(bayes_error("two_gaussians"), 4), round(bayes_error(make_ripley), 3)
    (0.0228, 0.089)
    """
    name, _, weights = _find(problem, parameters, priors)
    if name == "two_gaussians":
        first, second = synthetic.gaussian_means(**parameters)
        distance = np.linalg.norm(second - first)
        # The boundary moves away from the likelier class; by infinity, if the other has prior 0.
        shift = (_log(weights[0]) - _log(weights[1])) / distance
        return float(weights @ ndtr([-distance / 2 - shift, -distance / 2 + shift]))
    return _integrate(name, tuple(weights.tolist()))


@lru_cache(maxsize=64)
def _integrate(name: str, weights: tuple[float, ...]) -> float:
    """Sum over a grid what is lost by choosing the likeliest class at each point."""
    plane = _PROBLEMS[name]()
    low, high = plane.box
    step = (high - low) / _GRID
    ticks = low + step * (np.arange(_GRID)[:, None] + 0.5)  # midpoints of the cells
    log_weights, lost = _log(np.array(weights)), 0.0
    for rows in np.array_split(ticks[:, 1], 20):  # a slice at a time, for memory
        points = np.stack(np.meshgrid(ticks[:, 0], rows), axis=-1).reshape(-1, 2)
        joint = np.exp(plane.log_densities(points) + log_weights)
        lost += (joint.sum(axis=1) - joint.max(axis=1)).sum()
    return float(lost * step.prod())


def _two_gaussians(distance: float = 4.0) -> _Problem:
    means = synthetic.gaussian_means(distance)
    return _Problem(
        priors=np.array([0.5, 0.5]),
        log_densities=lambda points: _log_gaussian(points, means, 1.0),
        box=_box(means, 1.0),
    )


def _ripley() -> _Problem:
    means, sd = synthetic.RIPLEY_MEANS, np.sqrt(synthetic.RIPLEY_VARIANCE)

    def log_densities(points):
        halves = [_log_gaussian(points, of_class, sd) - np.log(2) for of_class in means]
        return np.column_stack([logsumexp(half, axis=1) for half in halves])

    return _Problem(np.array([0.5, 0.5]), log_densities, _box(means.reshape(-1, 2), sd))


def _cone_torus() -> _Problem:
    # The arc is a Gaussian whose centre is anywhere on a half circle. Its density, an integral
    # over the angle, is a sum over Gauss-Legendre nodes: 64 of them leave an error near 1e-12.
    nodes, node_weights = np.polynomial.legendre.leggauss(64)
    angle = np.pi * (nodes + 1) / 2
    on_circle = np.column_stack([np.cos(angle), np.sin(angle)])
    arc = synthetic.ARC_CENTRE + synthetic.ARC_RADIUS * on_circle

    def log_densities(points):
        along = _log_gaussian(points, arc, synthetic.ARC_SD) + np.log(node_weights / 2)
        return np.column_stack(
            [
                _log_gaussian(points, synthetic.COMPACT_MEAN[None], synthetic.COMPACT_SD),
                logsumexp(along, axis=1),
                _log_gaussian(points, synthetic.WIDE_MEAN[None], synthetic.WIDE_SD),
            ]
        )

    # The box of the wide class holds the other two.
    box = _box(synthetic.WIDE_MEAN[None], synthetic.WIDE_SD)
    return _Problem(synthetic.CONE_TORUS_PRIORS, log_densities, box)


def _waveform(noise_features: int = 0) -> _Problem:
    # An orthonormal basis of the plane through the three waves, the first wave at its origin.
    origin = synthetic.WAVES[0]
    basis = np.linalg.qr((synthetic.WAVES[1:] - origin).T)[0]
    corners = (synthetic.WAVES - origin) @ basis

    def log_densities(points):
        sides = corners[synthetic.WAVE_PAIRS]
        return np.column_stack([_log_blurred_segment(points, a, b) for a, b in sides])

    return _Problem(
        priors=np.full(3, 1 / 3),
        log_densities=log_densities,
        box=_box(corners, 1.0),
        n_features=21,
        project=lambda X: (X[:, :21] - origin) @ basis,
    )


_PROBLEMS: dict[str, Callable[..., _Problem]] = {
    "two_gaussians": _two_gaussians,
    "ripley": _ripley,
    "cone_torus": _cone_torus,
    "waveform": _waveform,
}


def _find(
    problem: str | Callable, parameters: dict, priors: Sequence[float] | None
) -> tuple[str, _Problem, np.ndarray]:
    """Return the name of a problem, the problem, and the priors given or its own."""
    given = problem if isinstance(problem, str) else getattr(problem, "__name__", repr(problem))
    name = re.sub(r"[\s-]+", "_", given.strip().lower()).removeprefix("make_")
    if name not in _PROBLEMS:
        raise ValueError(
            f"No synthetic problem is called {given!r}: choose from {', '.join(_PROBLEMS)}, or "
            "pass one of the make_* functions of counterpoint.datasets."
        )
    try:
        plane = _PROBLEMS[name](**parameters)
    except TypeError as error:
        raise TypeError(
            f"{name} does not take the parameters {sorted(parameters)}: only `distance` of "
            "two_gaussians and `noise_features` of waveform are known."
        ) from error
    if priors is None:
        return name, plane, plane.priors
    weights = np.asarray(priors, dtype=np.float64)
    n_classes = len(plane.priors)
    if weights.shape != (n_classes,) or not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"priors={priors!r}: give {n_classes} probabilities, one for each class, that sum to 1."
        )
    return name, plane, weights


def _log(weights: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # a prior of 0 is allowed
        return np.log(weights)


def _box(means: np.ndarray, sd: float) -> tuple[np.ndarray, np.ndarray]:
    return means.min(axis=0) - _REACH * sd, means.max(axis=0) + _REACH * sd


def _log_gaussian(points: np.ndarray, means: np.ndarray, sd: float) -> np.ndarray:
    """Log density of a round Gaussian in the plane, at (n, 2) points for (m, 2) means: (n, m)."""
    squares = sum((points[:, [axis]] - means[:, axis]) ** 2 for axis in (0, 1))
    return -squares / (2 * sd**2) - _LOG_2PI - 2 * np.log(sd)


def _log_blurred_segment(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Log density of a point anywhere between a and b, plus unit Gaussian noise in the plane."""
    length = np.linalg.norm(b - a)
    along = (points - a) @ (b - a) / length
    across = ((points - a) ** 2).sum(axis=1) - along**2
    # Along the segment the density is [Phi(t) - Phi(t - length)] / length, the same from
    # either end: measured from the nearer one, nothing cancels.
    t = np.minimum(along, length - along)
    inside = log_ndtr(t) + np.log1p(-np.exp(log_ndtr(t - length) - log_ndtr(t)))
    return inside - np.log(length) - across / 2 - _LOG_2PI / 2
