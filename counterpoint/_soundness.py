"""Whether arrays of a model from a file stay within bounds; asked in ``_check_sound`` of classes.

Kernels follow numbers in arrays without a look at them. What a fit makes is sound by itself; what
is read from a file is not, so a class whose kernels do this says what must hold.
"""

import numpy as np


def check_positions(values, name, n, *, shape=None, low=0):
    """Raise unless these are whole numbers from ``low`` to n - 1, of this shape if one is given."""
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "iu"
    if not whole or (values.size and not low <= int(values.min()) <= int(values.max()) < n):
        raise ValueError(f"{name} must hold whole numbers from {low} to {n - 1}.")
    if shape is not None:
        check_shape(values, name, shape)


def check_shape(values, name, shape):
    """Raise unless this is an array of numbers of this shape."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} is of type {type(values).__name__}, expected an array of numbers."
        )
    if values.shape != tuple(shape):
        raise ValueError(f"{name} has shape {values.shape}, expected {tuple(shape)}.")
