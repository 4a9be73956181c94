"""Kernels of endless collections of subsets: all balls, all cones."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.special import betainc
from sklearn.metrics.pairwise import check_pairwise_arrays, euclidean_distances

from counterpoint._tables import need_numbers
from counterpoint._validation import check_number

_KNOTS = 2049


def ball_kernel(
    X: ArrayLike, Y: ArrayLike | None = None, *, radius: float | None = None
) -> NDArray:
    """Return how likely a random ball that holds one point holds the other too.

    The volume that balls of this radius around the two points have in common, over the volume
    of one: 1 at distance 0, 0 from twice the radius on.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
    Y : array-like of shape (n_samples_Y, n_features), default=None
        None means X.
    radius : float, default=None
        None means the root of the number of columns, for standardised ones.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, equations
       3.13 and 3.14, for two and three columns; here for any number, by the incomplete beta
       function.

    Examples
    --------
    >>> from counterpoint.subsets import ball_kernel
    >>> ball_kernel([[0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], radius=1.0).round(4)
    array([[1.   , 0.391, 0.   ]])
    """
    points, others = _two_sets(X, Y, sparse=True)
    m = points.shape[1]
    radius = m**0.5 if radius is None else radius
    # In the unit of the points, whatever that is.
    check_number(radius, "radius", low=0, open_low=True, high=np.inf, hint=", or None")
    # Powers of two leave all digits as they are; without, squares may be beyond all floats.
    shift = max(int(np.frexp(abs(part).max())[1]) for part in (points, others))
    down = 2.0 ** -max(shift, -1000)
    near, far = points * down, None if others is points else others * down
    with np.errstate(over="ignore"):  # too far for a float is far
        distance = euclidean_distances(near, far) / down
        inside = np.maximum(1.0 - (0.5 * (distance / radius)) ** 2, 0.0)
    return betainc((m + 1) / 2.0, 0.5, inside)


def cone_kernel(X: ArrayLike, Y: ArrayLike | None = None, *, angle: float = np.pi / 2) -> NDArray:
    """Return how likely a random cone that holds one point holds the other too.

    Cones have their tip at the origin and any direction. Only the angle between two points
    matters: 1 for the same direction, 0 from twice the cone's angle on.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        At least two columns; no row may be the origin.
    Y : array-like of shape (n_samples_Y, n_features), default=None
        None means X.
    angle : float, default=pi / 2
        From the axis of a cone to its side, from 0.0001 to pi / 2, where cones are half spaces.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Notes
    -----
    Let a be the angle between the points and t that of the cones. With two columns the kernel is
    1 - a / (2 t), equation 3.15 of the thesis named at :func:`ball_kernel`. With m columns the part
    of the axes whose cones hold both is the integral of
    (1 - cos(t)^2 / cos(b)^2)^((m - 2) / 2) / pi over b from a / 2 to t; it is taken from a table,
    to about ten digits.

    Examples
    --------
    >>> from counterpoint.subsets import cone_kernel
    >>> cone_kernel([[1.0, 0.0]], [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0]])
    array([[1.  , 0.75, 0.  ]])
    """
    points, others = _two_sets(X, Y, sparse=False)
    m = points.shape[1]
    hint = ": radians up to pi / 2"
    # Of narrower cones too few digits are left of 1 - cos(t)^2.
    check_number(angle, "angle", low=1e-4, high=np.pi / 2, hint=hint)
    if m < 2:
        raise ValueError("Cones need at least two columns: in one there are but two directions.")
    ours = _directions(points, "X")
    theirs = None if others is points else _directions(others, "Y")
    # From the distance of unit vectors: arccos of the product loses digits at small angles.
    apart = euclidean_distances(ours, theirs)
    between = 2.0 * np.arcsin(np.minimum(apart / 2.0, 1.0))
    room = np.maximum(angle - between / 2.0, 0.0)
    if m == 2 or angle == np.pi / 2:
        return room / angle
    overlap = _overlap(m, float(angle))
    return np.clip(overlap(np.sqrt(room)) / overlap(np.sqrt(angle)), 0.0, 1.0)


def _two_sets(X, Y, *, sparse):
    for part in (X, Y):
        need_numbers(part, "a kernel of points")
    with np.errstate(over="ignore", invalid="ignore"):
        return check_pairwise_arrays(X, Y, accept_sparse="csr" if sparse else False)


def _overlap(m, angle):
    # In s = sqrt(angle - b) what is integrated has no root at the end and a spline follows it.
    s = np.linspace(0.0, np.sqrt(angle), _KNOTS)
    part = 1.0 - (np.cos(angle) / np.cos(angle - s**2)) ** 2
    return CubicSpline(s, 2.0 * s * np.maximum(part, 0.0) ** ((m - 2) / 2.0)).antiderivative()


def _directions(X, name):
    # Rows up to 1 in size: squares of the largest and the least numbers are no floats.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(axis=1))[1][:, None])
    length = np.linalg.norm(X, axis=1)
    if not length.all():
        row = int(np.flatnonzero(length == 0)[0])
        raise ValueError(
            f"Row {row} of {name} is the origin, which has no direction: leave it out, or add a "
            "constant column."
        )
    return X / length[:, None]
