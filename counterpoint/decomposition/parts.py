"""What every decomposition returns: its parts per sample, their averages, their identity."""

import re
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from counterpoint._typing import Seed
from counterpoint._validation import check_count, check_number


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Parts:
    """Parts of an expected error, one value a sample, and the identity they obey.

    Every function of this package returns a subclass of it. All parts are in units of
    the loss, so a squared-loss ``bias`` is a squared bias. A subclass names its parts as fields
    and says how they add up in ``identity``; one with coefficients writes ``terms`` itself.

    Attributes
    ----------
    sample_weight : ndarray of shape (n_samples,) or None
        Weight of each sample in the averages; None means equal weights.
    error : ndarray of shape (n_samples,)
        The left-hand side of the identity: what the other parts add up to.
    identity : str
        The identity, in words of the field names, such as "error = bias + variance".

    Examples
    --------
    >>> from counterpoint.decomposition import bias_variance
    >>> parts = bias_variance([1.0, 2.0], [[1.0, 3.0], [3.0, 3.0]])
    >>> parts.table()
                 average  contribution
    part
    noise            0.0           0.0
    bias             1.0           1.0
    signed_bias      1.0           NaN
    variance         0.5           0.5
    error            1.5           1.5
    """

    sample_weight: NDArray | None = None

    error: NDArray
    identity: ClassVar[str]

    def terms(self) -> dict[str, NDArray]:
        """Return the signed terms of the identity, per sample; they add up to ``error``."""
        signed = re.findall(r"([=+-]) (\w+)", self.identity)
        return {
            name: -getattr(self, name) if sign == "-" else getattr(self, name)
            for sign, name in signed
        }

    @property
    def per_sample(self) -> dict[str, NDArray]:
        """Every part by name, one value a sample; ``error`` is the last."""
        named = {f.name: getattr(self, f.name) for f in fields(self)}
        arrays = {
            name: value
            for name, value in named.items()
            if isinstance(value, np.ndarray) and name not in ("sample_weight", "error")
        }
        return {**arrays, "error": named["error"]}

    @property
    def averages(self) -> dict[str, float]:
        """Mean of every part over the samples, by ``sample_weight`` where given."""
        return {name: self._mean(values) for name, values in self.per_sample.items()}

    @property
    def contributions(self) -> dict[str, float]:
        """Mean of every signed term of the identity; these add up to ``averages["error"]``."""
        return {name: self._mean(values) for name, values in self.terms().items()}

    @property
    def residual(self) -> float:
        """Largest violation of the identity, as a share of the largest sum of terms.

        Zero up to rounding: there to be looked at, not to be hoped for.
        """
        error, terms = self.per_sample["error"], list(self.terms().values())
        violation = np.abs(error - np.sum(terms, axis=0)).max()
        scale = np.sum(np.abs([error, *terms]), axis=0).max()
        return float(violation / scale) if scale > 0 else float(violation)

    def table(self, *, per_sample: bool = False) -> pd.DataFrame:
        """Return the parts as a frame.

        Parameters
        ----------
        per_sample : bool, default=False
            False gives one row a part: its average, and what it contributes to the
            error (NaN where a part is told for information only). True gives one row
            a sample and one column a part.
        """
        if per_sample:
            return pd.DataFrame(self.per_sample).rename_axis("sample")
        averages = self.averages
        contributions = {**self.contributions, "error": averages["error"]}
        frame = pd.DataFrame(
            {
                "average": averages,
                "contribution": {name: contributions.get(name, np.nan) for name in averages},
            }
        )
        return frame.rename_axis("part")

    def intervals(
        self, level: float = 0.9, *, n_resamples: int = 1000, random_state: Seed = None
    ) -> pd.DataFrame:
        """Bootstrap intervals of the averages over test samples.

        They tell how far the averages would move with other test samples. They do not
        tell how far they would move with other trials: raise the number of trials for that.

        Parameters
        ----------
        level : float, default=0.9
            Coverage, strictly between 0 and 1.
        n_resamples : int, default=1000
            How many times the samples are drawn again, with replacement.
        random_state : int, RandomState instance or None, default=None
            Seeds the draws.

        Returns
        -------
        frame : DataFrame
            One row a part; columns ``low``, ``average``, ``high`` (percentile interval).
        """
        check_number(level, "level", low=0, high=1, open_low=True, open_high=True)
        check_count(n_resamples, "n_resamples")
        rng = check_random_state(random_state)
        values = np.column_stack(list(self.per_sample.values()))
        weight = np.ones(len(values)) if self.sample_weight is None else self.sample_weight
        # samples of no weight leave first, or a resample could consist of them alone
        values, weight = values[weight > 0], weight[weight > 0]
        means = np.empty((n_resamples, values.shape[1]))
        for i in range(n_resamples):
            drawn = rng.randint(len(values), size=len(values))
            means[i] = np.average(values[drawn], axis=0, weights=weight[drawn])
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
        averages = self.averages
        frame = pd.DataFrame(
            {"low": low, "average": list(averages.values()), "high": high}, index=list(averages)
        )
        return frame.rename_axis("part")

    def _mean(self, values: NDArray) -> float:
        return float(np.average(values, weights=self.sample_weight))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4g}" for name, value in self.averages.items())
        return f"{type(self).__name__}({values})"
