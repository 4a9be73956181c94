"""How strongly members repel each other: one number that means the same for every size."""

import warnings

import numpy as np

from counterpoint._validation import check_count, check_number


def lambda_star(n_members):
    """Return the lambda at which members are trained as one joint model, ``0.5 / (1 - 1/N)``.

    There the gradient of a member's error, ``(f_i - d) - 2 lambda (1 - 1/N) (f_i - f)``, is that
    of the ensemble's error, ``f - d`` (Eastwood's thesis, equation 4.11). Below it the members
    draw together while they are trained, above it they fly apart. NaN for one member.
    """
    n = check_count(n_members, "n_estimators")
    return n / (2.0 * (n - 1)) if n > 1 else np.nan


def lambda_upper(n_members):
    """Return the lambda from which a member's error has no minimum in its own output.

    The second derivative, ``1 - 2 lambda (1 - 1/N)^2``, is positive only below it: below
    ``0.5 / (1 - 1/N)^2`` (Eastwood's thesis, equation 4.12). NaN for one member.
    """
    n = check_count(n_members, "n_estimators")
    return n**2 / (2.0 * (n - 1) ** 2) if n > 1 else np.nan


def resolve_strength(strength, lam, n_members, default):
    """Turn what a user set, ``strength`` or ``lam`` (not both), or else the default, into both.

    Strength is ``s = lambda / lambda* = 2 lambda (1 - 1/N)``: 0 for independent members, 1 for
    one joint model, whatever N is. Only ``lam`` can go beyond 1. One member gets 0 of both, with
    a warning if more was asked of it.
    """
    n = check_count(n_members, "n_estimators")
    if strength is not None and lam is not None:
        raise ValueError(
            f"strength={strength!r} and lam={lam!r} both say how strongly members repel each "
            "other: set one of them and leave the other None."
        )
    if strength is not None:
        hint = ", or None: 0 is independent members, 1 one joint model. Only `lam` can go beyond"
        check_number(strength, "strength", low=0, high=1, hint=hint)
    if lam is not None:
        star = f", or None. lambda* is {lambda_star(n):.6g} for n_estimators={n}"
        check_number(lam, "lam", low=0, hint=star)
    if n == 1:
        if (strength or 0) > 0 or (lam or 0) > 0:
            warnings.warn(
                "One member has nobody to differ from: lambda* is undefined for n_estimators=1, "
                "and it is trained with strength 0.",
                UserWarning,
                stacklevel=3,
            )
        return 0.0, 0.0
    if lam is not None:
        return 2.0 * float(lam) * (n - 1) / n, float(lam)
    s = float(default if strength is None else strength)
    return s, s * lambda_star(n)
