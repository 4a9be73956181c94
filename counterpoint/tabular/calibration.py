"""Whether probabilities are what they say: of rows given 80 %, four in five should be so."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint._statistics import wilson_interval
from counterpoint.tabular.words import percent

_BINS = 10
_FEWEST = 20  # rows below which a curve says nothing
_DRAWS, _AT_ONCE = 1000, 4_000_000


def describe_calibration(
    proba: NDArray | None, y: NDArray, classes: NDArray
) -> dict[str, Any] | None:
    """Hold probabilities against what came true.

    Parameters
    ----------
    proba : ndarray of shape (n_samples, n_classes) or None
    y : ndarray of shape (n_samples,)
        Labels.
    classes : ndarray of shape (n_classes,)
        Sorted.

    Returns
    -------
    dict or None
        "curve": for up to ten parts of the rows, by the probability of the rarer of two classes
        (of the answer, for more classes), the mean probability and the share that came true with
        Wilson's limits. "gap": the mean distance of the two (expected calibration error), and
        "chance_gap", below which it is 19 times in 20 if the probabilities are right. "brier": mean
        squared distance to the truth, halved for two classes so that it is of one of them; "base":
        that of the shares of the classes. None without probabilities or with fewer than 20 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from counterpoint.tabular.calibration import describe_calibration
    >>> proba = np.tile([[0.25, 0.75]], (40, 1))
    >>> told = describe_calibration(proba, np.tile([0, 1, 1, 1], 10), np.array([0, 1]))
    >>> told["gap"], told["brier"]
    (0.0, 0.1875)
    """
    if proba is None or len(y) < _FEWEST or not np.isfinite(proba).all():
        return None
    codes = np.searchsorted(classes, y)
    n_classes = len(classes)
    truth = np.eye(n_classes)[codes]
    share, came, of = _watched(proba, codes, classes)
    scale = 2 if n_classes == 2 else 1
    base = truth.mean(axis=0)
    parts = _parts(share)
    gap = _gap(share, came, parts)
    rng = np.random.default_rng(0)
    order = np.argsort(share, kind="stable")  # so that draws do not depend on the order of rows
    draws = int(np.clip(_AT_ONCE // len(share), 200, _DRAWS))
    drawn = rng.random((draws, len(share))) < share[order]
    chance = float(np.quantile([_gap(share[order], d, parts[order]) for d in drawn], 0.95))
    return {
        "of": of,
        "brier": float(((proba - truth) ** 2).sum(axis=1).mean() / scale),
        "base": float(((base - truth) ** 2).sum(axis=1).mean() / scale),
        "gap": gap,
        "chance_gap": chance,
        "curve": _curve(share, came, parts),
        "sentence": _sentence(gap, chance, float((share - came).mean())),
    }


def calibration_curve(
    proba: NDArray, codes: NDArray, classes: NDArray, counts: NDArray | None = None
) -> dict[str, Any] | None:
    """Return "of", "gap" and "curve" of :func:`describe_calibration` alone, which is quick.

    ``codes`` are positions in ``classes``; row k stands for ``counts[k]`` rows just like it.
    """
    n = len(codes) if counts is None else counts.sum()
    if n < _FEWEST or not np.isfinite(proba).all():
        return None
    share, came, of = _watched(proba, codes, classes, counts)
    parts = _parts(share, counts)
    gap = _gap(share, came, parts, counts)
    return {"of": of, "gap": gap, "curve": _curve(share, came, parts, counts)}


def _watched(
    proba: NDArray, codes: NDArray, classes: NDArray, counts: NDArray | None = None
) -> tuple[NDArray, NDArray, str | None]:
    """Return the probability to look at, whether it came true, and of which class it is."""
    if len(classes) == 2:
        n = np.bincount(codes, weights=counts, minlength=2)
        k = int(n[1] <= n[0])
        return proba[:, k], codes == k, str(classes[k])
    return proba.max(axis=1), proba.argmax(axis=1) == codes, None


def _parts(share: NDArray, counts: NDArray | None = None) -> NDArray:
    """Return the part of each row: about as many rows in each, equal probabilities together."""
    at = np.linspace(0, 1, _BINS + 1)[1:-1]
    if counts is None:
        edges = np.unique(np.quantile(share, at))
    else:  # the same of each row repeated
        order = np.argsort(share, kind="stable")
        ends, place = np.cumsum(counts[order]), at * (counts.sum() - 1)
        low, high = (
            share[order][np.searchsorted(ends, np.clip(end(place), 0, None), side="right")]
            for end in (np.floor, np.ceil)
        )
        edges = np.unique(low + (place - np.floor(place)) * (high - low))
    return np.searchsorted(edges, share, side="left")


def _gap(share: NDArray, came: NDArray, parts: NDArray, counts: NDArray | None = None) -> float:
    n = np.ones(len(share)) if counts is None else counts
    total = np.bincount(parts, weights=(share - came) * n)
    return float(np.abs(total).sum() / n.sum())


def _curve(
    share: NDArray, came: NDArray, parts: NDArray, counts: NDArray | None = None
) -> list[dict[str, float]]:
    curve = []
    each = np.ones(len(share), dtype=np.int64) if counts is None else counts
    for k in np.unique(parts):
        here = parts == k
        n, hits = int(each[here].sum()), int(each[here] @ came[here])
        low, high = wilson_interval(hits, n)
        curve.append(
            {
                "said": float(np.average(share[here], weights=each[here])), "came": hits / n,
                "low": low, "high": high, "rows": n,
            }
        )  # fmt: skip
    return curve


def _sentence(gap: float, chance: float, lean: float) -> str:
    text = f"Probabilities are {percent(gap)} off on average"
    if gap <= chance:
        return f"{text}, no more than chance explains ({percent(chance)})."
    way = "high" if lean > 0 else "low"
    return f"{text}, more than chance explains ({percent(chance)}); on the whole too {way}."
