"""tanh and exp over whole arrays, in loops that a compiler can vectorise.

The functions of the C library are called number by number. These are arithmetic only, in the type
of the array, float64 or float32. With ``x = n log(2) + 2 y`` and ``|y| <= log(2) / 4`` they are ::

    exp(x) = 2^n (1 + t) / (1 - t),    t = tanh(y),

and t is an odd polynomial in y. NaN stays NaN.
"""

import numpy as np
from numba import types
from numba.extending import overload

from counterpoint._kernels.parts import part

# Adding _ROUND to a number leaves it, rounded, in the lowest bits. log(2)/2 comes in two parts,
# the first so short that n times it is exact.
_ROUND, _LOG2_E = 1.5 * 2.0**52, 1.4426950408889634
_HALF_LN2, _HALF_LN2_REST = 0.6931471803691238 / 2, 1.9082149292705877e-10 / 2
_WHOLE_HALF_LN2 = 0.6931471805599453 / 2
_ONE_BITS, _FRACTION = np.int64(1023 << 52), np.int64(52)
_ROUND_32, _LOG2_E_32 = np.float32(1.5 * 2.0**23), np.float32(1.44269504)
_HALF_LN2_32, _HALF_LN2_REST_32 = np.float32(0.693359375 / 2), np.float32(-2.12194440e-4 / 2)
_WHOLE_HALF_LN2_32 = np.float32(0.6931471805599453 / 2)
_ONE_BITS_32, _FRACTION_32 = np.int32(127 << 23), np.int32(23)
# tanh(y) = y + _T3 y^3 + ..., close over the whole range of y and not around 0 only: the
# polynomial in y^2 that meets (tanh(y) / y - 1) / y^2 at the Chebyshev points of that range. It is
# off by 2e-17, in float32 by 6e-10; the series needs two terms more, in float32 one.
_T3, _T5, _T7 = -0.3333333333333328, 0.1333333333321161, -0.053968253495869305
_T9, _T11, _T13 = 0.021869421428449724, -0.008858919211524261, 0.0034636670195542472
_F3, _F5 = np.float32(-0.33333331405098987), np.float32(0.1333219947692659)
_F7, _ONE_32 = np.float32(-0.052977257297175645), np.float32(1.0)
# Beyond these tanh is 1, and exp so small that nobody will miss it; 2^n stays a normal number.
_FAR, _LOW, _HALF = 20.0, -700.0, 0.5
_FAR_32, _LOW_32, _HALF_32 = np.float32(10.0), np.float32(-80.0), np.float32(0.5)

# Division by zero gives inf, as in numpy: the check for it would be a branch. Fusing a product
# and a sum ("contract") only makes them more exact. The order of operations is kept.
_OPTIONS = {"error_model": "numpy", "fastmath": {"contract"}}
vectorised = part(**_OPTIONS)


@vectorised
def _round(x):
    """Return n of exp(2 x), and 2^n."""
    shifted = x * (2.0 * _LOG2_E) + _ROUND
    bits = (np.float64(shifted).view(np.int64) << _FRACTION) + _ONE_BITS
    return shifted - _ROUND, np.int64(bits).view(np.float64)


@vectorised
def _round_32(x):
    shifted = x * (_LOG2_E_32 + _LOG2_E_32) + _ROUND_32
    bits = np.int32(np.float32(shifted).view(np.int32) << _FRACTION_32)
    return shifted - _ROUND_32, np.int32(bits + _ONE_BITS_32).view(np.float32)


@vectorised
def _polynomial(y):
    """Return tanh(y)."""
    square = y * y
    t = _T13 * square + _T11
    t = t * square + _T9
    t = t * square + _T7
    t = t * square + _T5
    t = t * square + _T3
    return t * (square * y) + y


@vectorised
def _polynomial_32(y):
    square = y * y
    t = _F7 * square + _F5
    t = t * square + _F3
    return t * (square * y) + y


def _tanh_64(z):
    for i in range(len(z)):
        x = _FAR if z[i] > _FAR else z[i]  # this way round NaN stays NaN
        x = -_FAR if x < -_FAR else x
        n, power = _round(x)
        # The rest of log(2)/2 would change x by a fraction of its last bit, and tanh by less.
        t = _polynomial(x - n * _WHOLE_HALF_LN2)
        above, below = power + 1.0, power - 1.0
        z[i] = (t * above + below) / (t * below + above)


def _tanh_32(z):
    for i in range(len(z)):
        x = _FAR_32 if z[i] > _FAR_32 else z[i]
        x = -_FAR_32 if x < -_FAR_32 else x
        n, power = _round_32(x)
        t = _polynomial_32(x - n * _WHOLE_HALF_LN2_32)
        above, below = power + _ONE_32, power - _ONE_32
        z[i] = (t * above + below) / (t * below + above)


def _exp_64(z):
    for i in range(len(z)):
        x = _HALF * (_LOW if z[i] < _LOW else z[i])
        n, power = _round(x)
        t = _polynomial((x - n * _HALF_LN2) - n * _HALF_LN2_REST)
        z[i] = power * ((1.0 + t) / (1.0 - t))


def _exp_32(z):
    for i in range(len(z)):
        x = _HALF_32 * (_LOW_32 if z[i] < _LOW_32 else z[i])
        n, power = _round_32(x)
        t = _polynomial_32((x - n * _HALF_LN2_32) - n * _HALF_LN2_REST_32)
        z[i] = power * ((_ONE_32 + t) / (_ONE_32 - t))


def tanh(z):
    """Write tanh(z) over z (n,); relative error below 5e-16, in float32 below 3e-7."""
    (_tanh_32 if z.dtype == np.float32 else _tanh_64)(z)


def exp(z):
    """Write exp(z) over z (n,), none above 0; relative error below 6e-16, in float32 3e-7.

    What is below -700 (in float32 below -80) counts as that.
    """
    (_exp_32 if z.dtype == np.float32 else _exp_64)(z)


# Kernels that call tanh and exp get the one for their dtype, and compile only that.
@overload(tanh, jit_options=_OPTIONS)
def _choose_tanh(z):
    return _tanh_32 if z.dtype == types.float32 else _tanh_64


@overload(exp, jit_options=_OPTIONS)
def _choose_exp(z):
    return _exp_32 if z.dtype == types.float32 else _exp_64
