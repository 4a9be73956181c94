"""Designing output codes: exhaustive, random search, evolutionary.

A code is a table (n_classes, n_bits) of 0 and 1: a codeword per class, a split of the classes
per bit. Swapping 0 and 1 in a column gives the same split, so the first codeword is kept at
0; a column is then a split like no other exactly if it is no other column and not all 0.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from counterpoint._arrays import as_array, some_values
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count

MAX_EXHAUSTIVE = 12  # 2047 bits
MAX_CLASSES = 4096  # distances between all pairs of codewords are kept
_MAX_TRIES = 1000
_POPULATION = 20


def row_distance(code: ArrayLike) -> int:
    """Return the smallest number of bits in which two codewords differ.

    With distance m, ``(m - 1) // 2`` wrong bits are always corrected.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_bits)
        0 and 1.

    Returns
    -------
    int

    Examples
    --------
    >>> from counterpoint.views import exhaustive_code, row_distance
    >>> row_distance(exhaustive_code(5))
    8
    """
    code = check_code(code)
    distances = _hamming(code)
    return int(distances[np.triu_indices(len(code), k=1)].min())


def column_distance(code: ArrayLike) -> float:
    """Return the smallest distance of two splits.

    The complement of a column is the same split, so the distance of two columns is the number of
    classes in which they differ, or that in which they agree if it is smaller.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_bits)
        0 and 1.

    Returns
    -------
    float
        NaN for a code of one bit.

    Examples
    --------
    >>> from counterpoint.views import column_distance
    >>> column_distance([[0, 0], [0, 1], [1, 0]])
    1.0
    """
    code = check_code(code)
    if code.shape[1] < 2:
        return float("nan")
    return float(_split_distances(code).min())


def code_diversity(code: ArrayLike) -> float:
    """Return the mean of the disagreement of codewords and the disagreement of splits.

    Both are means over pairs, not the least: the share of bits in which two codewords differ, and
    the share of classes in which two splits do, or in which they agree if that is less.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_bits)
        0 and 1.

    Returns
    -------
    float
        From 0 to 1; that of the codewords alone for a code of one bit.

    References
    ----------
    .. [1] L. I. Kuncheva, "Using diversity measures for generating error-correcting output codes in
       classifier ensembles", Pattern Recognition Letters 26, 2005.

    Examples
    --------
    >>> from counterpoint.views import code_diversity
    >>> round(code_diversity([[0, 0], [0, 1], [1, 0]]), 3)
    0.5
    """
    code = check_code(code)
    rows = float(_hamming(code)[np.triu_indices(len(code), k=1)].mean() / code.shape[1])
    if code.shape[1] == 1:
        return rows
    return 0.5 * (rows + float(_split_distances(code).mean() / len(code)))


def exhaustive_code(n_classes: int) -> NDArray:
    """Return the code of all possible splits: 2 ** (K - 1) - 1 bits, all codewords as far apart.

    Parameters
    ----------
    n_classes : int
        From 2 to 12.

    Returns
    -------
    ndarray of shape (n_classes, n_bits), int8

    References
    ----------
    .. [1] T. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting
       output codes", JAIR 2, 1995, section 2.3.1. Bits are complemented here.

    Examples
    --------
    >>> from counterpoint.views import exhaustive_code
    >>> exhaustive_code(3).tolist()
    [[0, 0, 0], [0, 1, 1], [1, 0, 1]]
    """
    check_count(n_classes, "n_classes", low=2)
    if n_classes > MAX_EXHAUSTIVE:
        raise ValueError(
            f"An exhaustive code for {n_classes} classes has 2**{n_classes - 1} - 1 bits: from "
            f"{MAX_EXHAUSTIVE + 1} classes on choose design='random' or 'evolutionary'."
        )
    columns = np.arange(1, most_bits(n_classes) + 1)
    shifts = np.arange(n_classes - 1)[::-1, None]
    bits = (columns >> shifts) & 1
    return np.vstack([np.zeros_like(columns), bits]).astype(np.int8)


def most_bits(n_classes):
    """Return the number of different splits of the classes in two."""
    return 2 ** (n_classes - 1) - 1


def design_code(
    n_classes: int,
    n_bits: int | None = None,
    *,
    design: str = "auto",
    n_trials: int = 400,
    random_state: Seed = None,
) -> NDArray:
    """Return an output code with codewords far apart and splits that differ.

    Of two codes the better one has the larger :func:`row_distance`; then fewer pairs of codewords
    that near; then the larger :func:`column_distance`; then fewer pairs of splits that near. No two
    codewords are the same, and no two columns are the same split, at any design.

    Parameters
    ----------
    n_classes : int
        From 2 to 4096.
    n_bits : int or None, default=None
        Length of the codewords, from log2(n_classes) to 2 ** (n_classes - 1) - 1. None is all
        splits for up to 7 classes, else 10 log2(n_classes).
    design : {"auto", "exhaustive", "random", "evolutionary", "diverse"}, default="auto"
        "exhaustive": all splits. "random": the best of ``n_trials`` random codes. "evolutionary":
        a population of random codes, bred and changed until ``n_trials`` codes have been tried.
        "diverse": the same by :func:`code_diversity` in place of distances [2]_. "auto":
        exhaustive if ``n_bits`` asks for all splits, else evolutionary.
    n_trials : int, default=400
        Codes tried; 1 is a plain random code.
    random_state : int, RandomState instance or None, default=None
        Seeds the search.

    Returns
    -------
    ndarray of shape (n_classes, n_bits), int8
        0 and 1; the first codeword is all 0.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.3.3, "Error Correcting Output Codes".
    .. [2] L. I. Kuncheva, "Using diversity measures for generating error-correcting output codes in
       classifier ensembles", Pattern Recognition Letters 26, 2005.

    Examples
    --------
    >>> from counterpoint.views import design_code, row_distance
    >>> code = design_code(10, 15, random_state=0)
    >>> code.shape, row_distance(code) >= 4
    ((10, 15), True)
    """
    check_count(n_classes, "n_classes", low=2, high=MAX_CLASSES)
    check_choice(design, "design", ("auto", "exhaustive", "random", "evolutionary", "diverse"))
    check_count(n_trials, "n_trials")
    n_bits = _number_of_bits(n_classes, n_bits, design)
    if n_bits == most_bits(n_classes) and n_classes <= MAX_EXHAUSTIVE:
        return exhaustive_code(n_classes)  # there is no other
    rng = check_random_state(random_state)
    if design == "random":
        return max((_random_code(n_classes, n_bits, rng) for _ in range(n_trials)), key=_merit)
    merit = code_diversity if design == "diverse" else _merit
    return _evolve(n_classes, n_bits, n_trials, rng, merit)


def _number_of_bits(n_classes, n_bits, design):
    most, fewest = most_bits(n_classes), max(1, math.ceil(math.log2(n_classes)))
    if design == "exhaustive":
        if n_bits not in (None, most):
            raise ValueError(
                f"n_bits={n_bits}, but the exhaustive code for {n_classes} classes has {most}: "
                "leave n_bits out, or choose design='random' or 'evolutionary'."
            )
        exhaustive_code(min(n_classes, MAX_EXHAUSTIVE + 1))  # says if there are too many classes
        return most
    if n_bits is None:
        return most if n_classes <= 7 else min(most, math.ceil(10 * math.log2(n_classes)))
    check_count(n_bits, "n_bits", hint=", or None")
    if n_bits > most:
        hint = ""
        if n_classes == 2:
            hint = " Two classes can be split in one way only, so there is nothing to correct."
        raise ValueError(
            f"n_bits={n_bits}, but {n_classes} classes can be split in two in {most} "
            f"way{'s' if most > 1 else ''}: more bits would repeat a split.{hint} Choose at most "
            f"{most}, or an ensemble of another kind, such as BaggingClassifier."
        )
    if n_bits < fewest:
        raise ValueError(
            f"n_bits={n_bits} gives {2**n_bits} codewords for {n_classes} classes, so that some "
            f"would share one: choose at least {fewest}."
        )
    return int(n_bits)


def check_code(code, name="code"):
    """Return a code book of 0 and 1 as int8 (n_classes, n_bits)."""
    code = as_array(code, name)
    if code.ndim != 2 or code.shape[0] < 2 or code.shape[1] < 1:
        raise ValueError(
            f"{name} has shape {code.shape}, expected (n_classes, n_bits): from two classes and "
            "one bit."
        )
    if not np.isin(code, (0, 1)).all():
        raise ValueError(f"{name} holds {some_values(code)}, expected 0 and 1 only.")
    return code.astype(np.int8)


def check_usable(code):
    """Raise an error if two codewords are the same or a column is no split of its own."""
    distances = _hamming(code) + np.eye(len(code)) * code.shape[1]
    if distances.min() == 0:
        i, j = np.argwhere(distances == 0)[0]
        raise ValueError(
            f"Codewords {i} and {j} are the same: these classes could never be told apart. Change "
            "a bit of one of them."
        )
    flat = np.flatnonzero(code.min(axis=0) == code.max(axis=0))
    if len(flat):
        raise ValueError(f"Column {flat[0]} puts all classes on one side: drop it.")
    if code.shape[1] > 1:
        apart = _split_distances(code)
        if apart.min() == 0:
            i, j = np.array(np.triu_indices(code.shape[1], k=1)).T[apart.argmin()]
            raise ValueError(
                f"Columns {i} and {j} are the same split, or complements of each other: a member "
                "would be trained twice. Drop one."
            )


def _hamming(code):
    signs = 2.0 * code - 1.0
    return (code.shape[1] - signs @ signs.T) / 2


def _split_distances(code):
    apart = _hamming(code.T)[np.triu_indices(code.shape[1], k=1)]
    return np.minimum(apart, len(code) - apart)


def _merit(code):
    rows = _hamming(code)[np.triu_indices(len(code), k=1)]
    if code.shape[1] == 1:
        return rows.min(), 0, 0, 0
    columns = _split_distances(code)
    return (
        rows.min(),
        -int((rows == rows.min()).sum()),
        columns.min(),
        -int((columns == columns.min()).sum()),
    )


def _is_usable(code):
    merit = _merit(code)
    return merit[0] > 0 and (code.max(axis=0) > 0).all() and (code.shape[1] == 1 or merit[2] > 0)


def _random_code(n_classes, n_bits, rng):
    """Draw codes until one has no codeword twice and no split twice."""
    for _ in range(_MAX_TRIES):
        if 2**n_bits <= 4 * n_classes:
            # Few codewords to choose from: columns drawn one by one would hardly ever tell all
            # classes apart.
            words = rng.permutation(2**n_bits)[:n_classes]
            code = (words[:, None] >> np.arange(n_bits)) & 1
        elif n_classes <= MAX_EXHAUSTIVE:
            splits = 1 + rng.permutation(most_bits(n_classes))[:n_bits]
            code = np.zeros((n_classes, n_bits), dtype=int)
            code[1:] = (splits >> np.arange(n_classes - 1)[:, None]) & 1
        else:
            code = rng.randint(2, size=(n_classes, n_bits))
        code = (code ^ code[0]).astype(np.int8)
        if _is_usable(code):
            return code
    raise ValueError(
        f"No code of {n_bits} bits for {n_classes} classes was found in {_MAX_TRIES} tries: allow "
        "more bits."
    )


def _evolve(n_classes, n_bits, n_trials, rng, judge):
    """Keep a population of codes; a child takes columns of two parents and a few random bits."""
    size = min(_POPULATION, n_trials)
    population = [_random_code(n_classes, n_bits, rng) for _ in range(size)]
    merits = [judge(code) for code in population]
    for _ in range(n_trials - size):
        first, second = (max(rng.randint(size, size=3), key=merits.__getitem__) for _ in range(2))
        child = np.where(rng.random_sample(n_bits) < 0.5, population[first], population[second])
        n_flips = 1 + rng.poisson(1.0)
        at = rng.randint(n_classes, size=n_flips), rng.randint(n_bits, size=n_flips)
        child[at] ^= 1
        child ^= child[0]
        if not _is_usable(child):
            continue
        merit = judge(child)
        worst = min(range(size), key=merits.__getitem__)
        if merit >= merits[worst]:
            population[worst], merits[worst] = child, merit
    return population[max(range(size), key=merits.__getitem__)]
