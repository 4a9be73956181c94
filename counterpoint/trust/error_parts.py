"""What an estimated error is made of, and how its limits are found: for classes and for numbers."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import ndtri

LEVEL = 0.01  # below this a test says that new rows differ
TRIALS = 24  # tilted halves of the reference on which methods are tried
FEWEST = 20  # rows of a reference below which nothing is tried


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorEstimate:
    """The error on rows without labels; made by :func:`estimate_error`.

    Attributes
    ----------
    error, low, high : float
        The combined estimate and its limits; for numbers the mean squared error.
    reference_error : float
        The known error on the reference.
    methods : DataFrame
        A row per method: "estimate", "low", "high", "weight" in the combination, "assumption",
        whether it "passes" its check on the reference, and "holds", which is False as well where
        the new rows differ (True, False, or None where it cannot be told), "says" (what the check
        found).
    per_class : DataFrame or None
        For each class that is answered: its share of the answers and the error among them, on the
        reference (known) and on the new rows (estimated).
    shift : DataFrame
        Tests whether new rows are like the reference, as :func:`detect_shift` gives them.
    trials : DataFrame
        How far each method missed on tilted halves of the reference.
    n_reference, n_new : int
    notes : list of str
    """

    error: float
    low: float
    high: float
    reference_error: float
    methods: pd.DataFrame
    per_class: pd.DataFrame | None
    shift: pd.DataFrame
    trials: pd.DataFrame
    n_reference: int
    n_new: int
    notes: list[str] = field(default_factory=list)

    @property
    def trusted(self) -> bool:
        """Whether the assumption of some method in the combination holds."""
        used = self.methods["weight"] > 0
        return bool((self.methods.loc[used, "holds"] == True).any())  # noqa: E712

    def table(self) -> pd.DataFrame:
        """Return the estimates: a row per method, the combination first."""
        first = {
            "method": "combined", "estimate": self.error, "low": self.low, "high": self.high,
            "weight": 1.0, "holds": self.trusted,
        }  # fmt: skip
        rest = self.methods.reset_index()[[*first]]
        return pd.concat([pd.DataFrame([first]), rest], ignore_index=True)


def redrawn(weight, rng):
    """Return weights after drawing as many rows again."""
    n = len(weight)
    again = weight * rng.multinomial(n, np.full(n, 1 / n))
    return again if again.any() else weight


def limits(point, drawn, miss, confidence, top=1.0):
    """Return limits: the bootstrap's deviation and the miss in trials, added as squares."""
    z = float(ndtri((1 + confidence) / 2))
    spread = np.where(np.isfinite(drawn).sum(axis=0) > 1, _deviation(drawn), 0.0)
    half = z * np.sqrt(spread**2 + np.where(np.isfinite(miss), miss, 0.0) ** 2)
    return np.clip(point - half, 0, None), np.clip(point + half, None, top)


def _deviation(drawn):
    known = np.isfinite(drawn)
    n = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, drawn, 0).sum(axis=0) / n
    return np.sqrt(np.where(known, (drawn - mean) ** 2, 0).sum(axis=0) / np.maximum(n - 1, 1))


def root_mean_square(values):
    """Return the root of the mean square of what is known; NaN of nothing."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(values**2))) if len(values) else np.nan


def changed(shift):
    """Return in words what tests find different, or nothing."""
    found = shift[shift["p_holm"] < LEVEL]
    if found.empty:
        return ""
    named = ", ".join(found["of"].astype(str).head(3))
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"the new rows differ in {named}{more}"
