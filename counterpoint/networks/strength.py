"""How strongly members repel each other: one number that means the same for every ensemble size.

All estimators of negative correlation learning use these functions, so that ``strength`` and
``lam`` mean the same, and fail the same way, everywhere.
"""

import warnings

import numpy as np

from counterpoint._validation import check_count, check_number

__all__ = ["lambda_star", "lambda_upper", "resolve_strength"]


def lambda_star(n_members):
    """Return the lambda at which members are trained as one joint model.

    There the gradient of a member's error, ``(f_i - d) - 2 lambda (1 - 1/N) (f_i - f)``, is that
    of the ensemble's error, ``f - d``. Below it the members draw together while they are
    trained, above it they fly apart.

    It is ``0.5 / (1 - 1/N)`` for N members (Eastwood's thesis, equation 4.11); NaN for one, which
    has nobody to differ from.

    Examples
    --------
    >>> from counterpoint.networks.strength import lambda_star
    >>> lambda_star(3)
    0.75
    """
    n = check_count(n_members, "n_estimators")
    return n / (2.0 * (n - 1)) if n > 1 else np.nan


def lambda_upper(n_members):
    """Return the lambda from which a member's error has no minimum in its own output.

    The second derivative, ``1 - 2 lambda (1 - 1/N)^2``, is positive only below it: below
    ``0.5 / (1 - 1/N)^2`` (Eastwood's thesis, equation 4.12). NaN for one member.

    Examples
    --------
    >>> from counterpoint.networks.strength import lambda_upper
    >>> lambda_upper(3)
    1.125
    """
    n = check_count(n_members, "n_estimators")
    return n**2 / (2.0 * (n - 1) ** 2) if n > 1 else np.nan


def resolve_strength(strength, lam, n_members, default):
    """Turn what a user set, ``strength`` or ``lam``, into both.

    Strength is ``s = lambda / lambda* = 2 lambda (1 - 1/N)``: 0 for independent members, 1 for
    one joint model, whatever N is. Only ``lam`` can go beyond 1.

    Parameters
    ----------
    strength : float in [0, 1] or None
        None: not set.
    lam : float from 0, or None
        Lambda as in the papers. None: not set.
    n_members : int
        Number of members, N.
    default : float
        The strength if neither is set.

    Returns
    -------
    s : float
        The strength. 0 for one member.
    lam : float
        The lambda. 0 for one member.

    Raises
    ------
    ValueError
        If both are set, ``strength`` is no number in [0, 1], or ``lam`` no finite number from 0.

    Warns
    -----
    UserWarning
        If more than 0 was asked of a single member: lambda* is undefined there.

    Examples
    --------
    >>> from counterpoint.networks.strength import resolve_strength
    >>> resolve_strength(0.5, None, n_members=3, default=0.9)
    (0.5, 0.375)
    >>> resolve_strength(None, 0.75, n_members=3, default=0.9)
    (1.0, 0.75)
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
