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
    if n_classes == 2:
        k = int((codes == 1).sum() <= (codes == 0).sum())
        share, came, of = proba[:, k], codes == k, str(classes[k])
    else:
        said = proba.argmax(axis=1)
        share, came, of = proba.max(axis=1), said == codes, None
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


def _parts(share: NDArray) -> NDArray:
    """Return the part of each row: about as many rows in each, equal probabilities together."""
    edges = np.unique(np.quantile(share, np.linspace(0, 1, _BINS + 1)[1:-1]))
    return np.searchsorted(edges, share, side="left")


def _gap(share: NDArray, came: NDArray, parts: NDArray) -> float:
    total = np.bincount(parts, weights=share - came)
    return float(np.abs(total).sum() / len(share))


def _curve(share: NDArray, came: NDArray, parts: NDArray) -> list[dict[str, float]]:
    curve = []
    for k in np.unique(parts):
        here = parts == k
        n, hits = int(here.sum()), int(came[here].sum())
        low, high = wilson_interval(hits, n)
        curve.append(
            {
                "said": float(share[here].mean()), "came": hits / n, "low": low, "high": high,
                "rows": n,
            }
        )  # fmt: skip
    return curve


def _sentence(gap: float, chance: float, lean: float) -> str:
    text = f"Probabilities are {percent(gap)} off on average"
    if gap <= chance:
        return f"{text}, no more than chance explains ({percent(chance)})."
    way = "high" if lean > 0 else "low"
    return f"{text}, more than chance explains ({percent(chance)}); on the whole too {way}."
