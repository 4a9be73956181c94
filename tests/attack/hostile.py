"""Values that data may hold on a bad day, drawn by a seed: the same seed, the same value."""

import datetime

import numpy as np
import pandas as pd
from scipy import sparse

# Ordinary and extreme numbers; a task made of one kind, or with a few of them sprinkled in.
EXTREMES = (
    0.0, -0.0, 1.0, -1.0, 1e-320, 5e-324, 1e-160, 1e160, -1e160, 1e308, -1e308, 1.7e308,
    np.inf, -np.inf, np.nan, 2.0**53 + 1, 255.0, 65504.0, 0.1,
)  # fmt: skip
DTYPES = ("float64", "float32", "float16", "int64", "int8", "uint8", "bool", ">f8", "object")
SCALARS = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10**6, 10**18, -(10**9), 0.0, 0.5, 1.0, 1.5, -0.5, 4.5,
    1e-320, 1e308, np.inf, -np.inf, np.nan, "", "auto", "mean", "nonsense", "0.5", b"bytes", (), [],
    {}, [1], (0.5, 0.5), {"a": 1}, np.int64(3), np.float32(0.25), np.bool_(True), np.array(2),
    np.array([]), np.array([1.0, np.nan]), 1 + 2j, object, len, datetime.date(2026, 1, 1), "\x00",
    "\u202eevil", "=1+1",
)  # fmt: skip


def pick(rng, options):
    """Return one of the options, whatever they are."""
    return options[rng.randint(len(options))]


def scalar(rng):
    """Return a value of any kind."""
    return pick(rng, SCALARS)


def size(rng):
    """Return how many rows, members or columns: mostly few, sometimes none."""
    return int(pick(rng, (0, 1, 1, 2, 2, 3, 5, 8, 13, 40)))


def numbers(rng, shape):
    """Return an array of numbers of a shape, ordinary or not."""
    kind = rng.randint(8)
    values = rng.normal(size=shape)
    if kind == 0:
        values = np.full(shape, pick(rng, EXTREMES))
    elif kind == 1 and values.size:
        values.flat[rng.randint(values.size)] = pick(rng, EXTREMES)
    elif kind == 2:
        values = values * pick(rng, (1e-310, 1e-160, 1e10, 1e160, 1e300))
    elif kind == 3:
        values = rng.randint(-2, 3, size=shape).astype(float)
    elif kind == 4:
        values = rng.choice(EXTREMES[:12], size=shape)
    with np.errstate(all="ignore"):
        if kind == 5:
            values = values.astype(pick(rng, DTYPES))
    if kind == 6 and values.ndim == 2:
        values = pick(rng, (np.asfortranarray, lambda v: np.repeat(v, 2, axis=0)[::2]))(values)
    if kind == 7:
        values = values.copy()
        values.setflags(write=False)
    return values


def table(rng, n_rows, n_columns):
    """Return data in one of the forms that people keep it in."""
    values = numbers(rng, (n_rows, n_columns))
    kind = rng.randint(10)
    if kind == 0:
        return values.tolist()
    if kind == 1:
        return pd.DataFrame(values)
    if kind == 2:
        names = [pick(rng, ("a", "b", "a b", "", "\u202ex", 3)) for _ in range(n_columns)]
        return pd.DataFrame(values, columns=names)
    if kind == 3 and n_columns:
        frame = pd.DataFrame(values, columns=[f"c{k}" for k in range(n_columns)])
        frame["c0"] = pick(rng, (words, dates))(rng, n_rows)
        return frame
    if kind == 4 and values.dtype.kind == "f":
        return pick(rng, (sparse.csr_matrix, sparse.csc_array))(values)
    return values


def words(rng, n):
    """Return text with gaps."""
    return [pick(rng, ("red", "green", "", "nan", None, "\u202ex", "=cmd")) for _ in range(n)]


def dates(rng, n):
    """Return moments."""
    return pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.randint(1000, size=n), unit="h")


def labels(rng, n):
    """Return a target of classes, ordinary or not."""
    kind = rng.randint(12)
    few = rng.randint(pick(rng, (1, 2, 2, 3, 5)), size=n)
    if kind == 0:
        return np.array(["no", "yes", "maybe", "", "\u202ex"])[few]
    if kind == 1:
        return few.astype(bool)
    if kind == 2:
        return [pick(rng, ("a", 1, None, 2.0)) for _ in range(n)]
    if kind == 3:
        return numbers(rng, n)
    if kind == 4:
        return pd.Series(few, index=rng.permutation(n))
    if kind == 5:
        return few.reshape(-1, 1)
    if kind == 6:
        return np.arange(n)
    if kind == 7:
        return few.astype(">i4")
    return few


def flags(rng, shape):
    """Return right and wrong."""
    kind = rng.randint(6)
    values = rng.rand(*np.atleast_1d(shape)) < rng.rand()
    if kind == 0:
        return values.astype(int).tolist()
    if kind == 1:
        return values.astype(float)
    if kind == 2 and values.size:
        return np.where(values, pick(rng, SCALARS[:20]), 0)
    return values


def weights(rng, n):
    """Return weights, ordinary or not."""
    kind = rng.randint(6)
    if kind == 0:
        return None
    if kind == 1:
        return numbers(rng, n)
    if kind == 2:
        return np.zeros(n)
    if kind == 3:
        return np.full(n, pick(rng, (1e-320, 1e-200, 1e300, 1.0)))
    return rng.rand(n)


def shares(rng, shape):
    """Return probabilities, ordinary or not."""
    kind = rng.randint(8)
    with np.errstate(all="ignore"):
        values = rng.rand(*shape) + 1e-3
        values = values / values.sum(axis=-1, keepdims=True) if values.size else values
        if kind == 0:
            return np.round(values).astype(float)
        if kind == 1:
            return numbers(rng, shape)
        if kind == 2:
            return values.astype(pick(rng, ("float16", "float32")))
    return values
