"""Synthetic problems whose densities, and so whose best possible error, are known.

The constants here define the densities; `counterpoint.datasets.bayes` integrates them.
"""

from collections.abc import Sequence
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_flag, check_number

# Ripley (1996): two round Gaussians a class, equally likely.
RIPLEY_MEANS = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
RIPLEY_VARIANCE = 0.03

CONE_TORUS_PRIORS = np.array([92, 99, 209]) / 400
COMPACT_MEAN, COMPACT_SD = np.array([3.7, 2.1]), 0.65
ARC_CENTRE, ARC_RADIUS, ARC_SD = np.array([4.6, 1.9]), 3.2, 0.25
WIDE_MEAN, WIDE_SD = np.array([6.4, 5.3]), 1.75

# Breiman et al. (1984): triangles of height 6 about 7, 15 and 11; class k mixes the pair k.
WAVES = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[7], [15], [11]])), 0).astype(float)
WAVE_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_two_gaussians(
    n_samples: int | Sequence[int] = 400,
    *,
    distance: float = 4.0,
    fixed_sizes: bool = True,
    random_state: Seed = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw two round Gaussians in the plane with a small overlap.

    Both have unit covariance; their means lie on the diagonal, ``distance`` apart, so that the
    best boundary is the line x + y = 0 and its error is Phi(-distance / 2). The source, figures 1
    and 2 of [1]_, gives "equal covariance and a small overlapping area", 200 training and 50 test
    rows a class, but no numbers: the default distance is our reading, with a best error of 2.3 %.

    Parameters
    ----------
    n_samples : int or sequence of 2 ints, default=400
        Rows in all, or rows of each class.
    distance : float, default=4.0
        Between the means, in standard deviations.
    fixed_sizes : bool, default=True
        Share rows out as the priors of the classes say, to the nearest row. False draws the class
        of each row. A sequence for ``n_samples`` fixes the sizes anyway.
    random_state : int, RandomState instance or None, default=None
        Seeds the draw.

    Returns
    -------
    X, y : ndarray of shape (n_samples, 2) and (n_samples,)
        Classes 0 and 1, in random order.

    References
    ----------
    .. [1] Wang & Yao, "The effectiveness of a new negative correlation learning algorithm for
       classification ensembles", ICDM Workshops 2010, section III.B.

    Examples
    --------
    >>> X, y = make_two_gaussians(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((400, 2), [200, 200])
    """
    means = gaussian_means(distance)
    rng = check_random_state(random_state)
    y = _labels(n_samples, (0.5, 0.5), fixed_sizes, rng)
    return means[y] + rng.standard_normal((len(y), 2)), y


def make_ripley(
    n_samples: int | Sequence[int] = 250, *, fixed_sizes: bool = True, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw from Ripley's synthetic two-class problem.

    Each class is an equal mixture of two Gaussians: class 0 with means (-0.7, 0.3) and (0.3, 0.3),
    class 1 with means (-0.3, 0.7) and (0.4, 0.7), all with covariance 0.03 I. The classes
    are equally likely. Ripley's own sample has 250 rows to train and 1000 to test:
    ``load("ripley-synth")``, if you have it.

    The best error is 8.9 %. The 8 % of the literature [1]_ is what the best rule happens to make on
    Ripley's 1000 test rows: 80 errors.

    Parameters
    ----------
    n_samples, fixed_sizes, random_state
        As for `make_two_gaussians`.

    Returns
    -------
    X, y : ndarray of shape (n_samples, 2) and (n_samples,)
        Classes 0 and 1, in random order.

    References
    ----------
    .. [1] Ripley, "Pattern Recognition and Neural Networks", Cambridge University Press, 1996.

    Examples
    --------
    >>> X, y = make_ripley(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((250, 2), [125, 125])
    """
    rng = check_random_state(random_state)
    y = _labels(n_samples, (0.5, 0.5), fixed_sizes, rng)
    means = RIPLEY_MEANS[y, rng.randint(2, size=len(y))]
    return means + np.sqrt(RIPLEY_VARIANCE) * rng.standard_normal((len(y), 2)), y


def make_cone_torus(
    n_samples: int | Sequence[int] = 400, *, fixed_sizes: bool = True, random_state: Seed = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw three overlapping classes in the plane, after the cone-torus data.

    The original sample of 400 rows [1]_ has 92, 99 and 209 of its three classes, which [2]_
    (B.4) describes as a compact Gaussian, a banana arcing through a wide Gaussian, and that wide
    Gaussian. We know of no published densities. These are ours, in round numbers near the means
    and spreads of the original sample; their best error is about 12 %:

    - class 0, prior 92/400: a Gaussian, mean (3.7, 2.1), standard deviation 0.65 both ways;
    - class 1, prior 99/400: a point anywhere on the upper half of the circle of radius 3.2 about
      (4.6, 1.9), each angle equally likely, plus Gaussian noise of standard deviation 0.25;
    - class 2, prior 209/400: a Gaussian, mean (6.4, 5.3), standard deviation 1.75 both ways.

    Parameters
    ----------
    n_samples, fixed_sizes, random_state
        As for `make_two_gaussians`; sizes of three classes.

    Returns
    -------
    X, y : ndarray of shape (n_samples, 2) and (n_samples,)
        Classes 0, 1 and 2, in random order.

    References
    ----------
    .. [1] Kuncheva, "Fuzzy Classifier Design", Springer, 2000.
    .. [2] Eastwood, "Building well-performing classifier ensembles: model and decision level
       combination", PhD thesis, Bournemouth University, 2010.

    Examples
    --------
    >>> X, y = make_cone_torus(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((400, 2), [92, 99, 209])
    """
    rng = check_random_state(random_state)
    y = _labels(n_samples, CONE_TORUS_PRIORS, fixed_sizes, rng)
    angle = np.pi * rng.uniform(size=len(y))
    on_arc = ARC_CENTRE + ARC_RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    centres = np.array([COMPACT_MEAN, ARC_CENTRE, WIDE_MEAN])[y]
    centres[y == 1] = on_arc[y == 1]
    spread = np.array([COMPACT_SD, ARC_SD, WIDE_SD])[y]
    return centres + spread[:, None] * rng.standard_normal((len(y), 2)), y


def make_waveform(
    n_samples: int | Sequence[int] = 300,
    *,
    noise_features: int = 0,
    fixed_sizes: bool = True,
    random_state: Seed = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw from the waveform problem of Breiman and others.

    Three triangular waves over 21 points, of height 6 about points 7, 15 and 11. A row is
    u times one wave plus 1 - u times another, u uniform in (0, 1), plus Gaussian noise of variance
    1 at every point. Class 0 mixes waves 1 and 2, class 1 waves 1 and 3, class 2 waves 2 and 3;
    all are equally likely. The best error is 13.3 %, in the literature [1]_ "about 14 %".

    Parameters
    ----------
    noise_features : int, default=0
        Columns of pure Gaussian noise to append; 19 makes the 40-column form of [1]_.
    n_samples, fixed_sizes, random_state
        As for `make_two_gaussians`; sizes of three classes.

    Returns
    -------
    X, y : ndarray of shape (n_samples, 21 + noise_features) and (n_samples,)
        Classes 0, 1 and 2, in random order.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen & Stone, "Classification and Regression Trees", Wadsworth,
       1984, section 2.6.2.

    Examples
    --------
    >>> X, y = make_waveform(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((300, 21), [100, 100, 100])
    """
    check_count(noise_features, "noise_features", low=0)
    rng = check_random_state(random_state)
    y = _labels(n_samples, (1 / 3, 1 / 3, 1 / 3), fixed_sizes, rng)
    u = rng.uniform(size=(len(y), 1))
    first, second = WAVES[WAVE_PAIRS[y, 0]], WAVES[WAVE_PAIRS[y, 1]]
    noise = rng.standard_normal((len(y), 21 + noise_features))
    noise[:, :21] += u * first + (1 - u) * second
    return noise, y


def gaussian_means(distance: float = 4.0) -> np.ndarray:
    """Return the two means of `make_two_gaussians`, each a row."""
    half = check_number(distance, "distance", low=0, open_low=True) / np.sqrt(8)
    return np.array([[-half, -half], [half, half]])


def _labels(n_samples, priors, fixed_sizes, rng) -> np.ndarray:
    """Return class labels in random order: sizes given, shared out by the priors, or drawn."""
    check_flag(fixed_sizes, "fixed_sizes")
    if isinstance(n_samples, Integral):
        check_count(n_samples, "n_samples")
        if not fixed_sizes:
            return rng.choice(len(priors), size=n_samples, p=priors)
        n_rows = int(n_samples)
        share = np.array([n_rows * prior for prior in priors])
        sizes = np.floor(share + 1e-9).astype(int)  # 3 x 1/3 is a whole row
        # Rows left over go to the classes that lost most by rounding down, the first of equals.
        left_over = np.argsort(np.round(sizes - share, 9), kind="stable")[: n_rows - sizes.sum()]
        sizes[left_over] += 1
    else:
        sizes = np.asarray(n_samples)
        if sizes.shape != (len(priors),) or sizes.dtype.kind not in "iu" or sizes.min() < 0:
            raise ValueError(
                f"n_samples={n_samples!r}: give the number of rows, or {len(priors)} numbers, one "
                "for each class."
            )
    return rng.permutation(np.repeat(np.arange(len(priors)), sizes))
