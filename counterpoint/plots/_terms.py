"""Signed terms of an error, from whatever holds a decomposition."""

from collections.abc import Mapping

import numpy as np
import pandas as pd


def signed_terms(one, key) -> tuple[dict[str, float], float]:
    """Return the signed terms of one decomposition, and its error."""
    if hasattr(one, "contributions"):
        return dict(one.contributions), float(one.averages["error"])
    if hasattr(one, "averages"):
        one = one.averages
    if isinstance(one, pd.DataFrame):
        if "contribution" not in one:
            raise ValueError(
                f"The frame of {key!r} has the columns {', '.join(map(str, one.columns))}, but no "
                "'contribution': pass what a decomposition's table() returns."
            )
        one = one["contribution"].dropna().to_dict()
    if not isinstance(one, Mapping):
        raise TypeError(
            f"{key!r} is a {type(one).__name__}, expected a decomposition, or a dict of signed "
            "terms by name."
        )
    terms = {str(part): float(value) for part, value in one.items()}
    net = terms.pop("error", None)
    if not terms:
        raise ValueError(f"{key!r} has no parts: expected a dict such as bias=0.1, variance=0.2.")
    bad = [part for part, value in terms.items() if not np.isfinite(value)]
    if bad:
        raise ValueError(f"{bad[0]!r} of {key!r} is {terms[bad[0]]}: every part must be finite.")
    total = sum(terms.values())
    if net is not None and not np.isclose(total, net, rtol=1e-6, atol=1e-9):
        raise ValueError(
            f"The parts of {key!r} add up to {total:.6g}, but its error is {net:.6g}. Pass signed "
            "terms: what takes from the error, as diversity does, is negative."
        )
    return terms, total if net is None else net
