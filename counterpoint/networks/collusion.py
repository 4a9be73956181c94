"""Whether what members gain from each other on training data carries over to new data.

The mean loss of members less the loss of their ensemble is what averaging gains: for the squared
error that is the ambiguity. Members trained together may gain much on the training data by
cancelling each other's errors there, and little elsewhere: Jeffares et al. 2023 call it collusion.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from counterpoint.exceptions import CollusionWarning
from counterpoint.networks.engine import Networks
from counterpoint.networks.samples import Samples

# Shares of the ensemble's loss on new data: gain on training data that is worth a word, and
# cancellation that failed.
_MATERIAL = 0.5
_MISSING = 2 / 3


@dataclass(frozen=True, kw_only=True)
class Side:
    """Members and ensemble on one side: training data, or data held out."""

    n_samples: int
    # Mean squared error over outputs, or cross-entropy: mean of members, and of their mean output.
    member_loss: float
    ensemble_loss: float
    gain: float  # member_loss - ensemble_loss; the ambiguity for the squared error
    cancelled: float  # gain / member_loss: what averaging cancels; NaN if there is no loss
    member_error: float  # share misclassified, or root mean squared error
    ensemble_error: float
    disagreement: float  # share of pairs that say different classes; NaN for regressors


@dataclass(frozen=True, kw_only=True)
class Collusion:
    """Diversity on training data beside diversity on new data.

    Had members cancelled the same share of their loss on new data as on training data, the
    ensemble's loss there would be ``(1 - train.cancelled) * new.member_loss``.

    Attributes
    ----------
    train, new : Side
    missing : float
        Share of the ensemble's loss on new data that is more than that; 0 if all of the
        cancellation carries over. NaN if there is no loss.
    colludes : bool
        Whether diversity does not carry over. All of the following: the gain on training data
        is at least half of the loss on new data, so it matters; ``missing`` is at least two
        thirds, and more than three standard errors; the ensemble's error is larger on new data
        by more than two standard errors.
    """

    train: Side
    new: Side
    missing: float
    colludes: bool

    def frame(self) -> pd.DataFrame:
        """Return both sides as rows."""
        return pd.DataFrame([vars(self.train), vars(self.new)], index=["train", "new"])


def measure_collusion(
    networks: Networks,
    train: Samples,
    new: Samples,
    loss: Callable[[NDArray, NDArray], NDArray],
    back: Callable[[NDArray], NDArray],
) -> Collusion:
    """Compare what members gain from each other on training data and on new data, both scaled.

    ``loss(outputs, targets)`` is taken at every sample, ``back`` turns either into the units of y.
    """
    own, _, _, own_wrong = _look(networks, train, loss, back)
    other, ensemble, member, other_wrong = _look(networks, new, loss, back)
    mean, error = _mean_and_error(ensemble - (1 - own.cancelled) * member, new.weight)
    missing = max(mean, 0.0) / other.ensemble_loss if other.ensemble_loss > 0 else np.nan
    colludes = (
        own.gain >= _MATERIAL * other.ensemble_loss
        and missing >= _MISSING
        and mean > 3 * error
        and other_wrong[0] - own_wrong[0] > 2 * math.hypot(other_wrong[1], own_wrong[1])
    )
    return Collusion(train=own, new=other, missing=float(missing), colludes=bool(colludes))


def warn_collusion(collusion: Collusion, strength: float, stacklevel: int) -> None:
    """Warn if members collude."""
    if not collusion.colludes:
        return
    warnings.warn(
        f"Members cancel {collusion.train.cancelled:.1%} of their loss on training data, but "
        f"{collusion.new.cancelled:.1%} on data held out, which makes {collusion.missing:.0%} of "
        f"the ensemble's loss there: their diversity does not carry over. Lower strength (now "
        f"{strength:.3g}), use fewer or smaller networks, raise alpha, or set strength='auto'.",
        CollusionWarning,
        stacklevel=stacklevel + 1,
    )


def _look(networks, part, loss, back):
    """Return a side, losses of ensemble and members by sample, and how wrong the ensemble is."""
    outputs, targets = back(networks.outputs(part.X)), back(part.targets)
    mean = outputs.mean(axis=0)
    member, ensemble = loss(outputs, targets).mean(axis=0), loss(mean, targets)
    member_loss, ensemble_loss = (np.average(v, weights=part.weight) for v in (member, ensemble))
    gain = max(member_loss - ensemble_loss, 0.0)  # never negative but for rounding
    if part.codes is None:
        member_error, ensemble_error = math.sqrt(member_loss), math.sqrt(ensemble_loss)
        wrong, disagreement = ensemble, math.nan
    else:
        votes = outputs.argmax(axis=2)
        member_error = np.average((votes != part.codes).mean(axis=0), weights=part.weight)
        wrong = (mean.argmax(axis=1) != part.codes).astype(float)
        ensemble_error = np.average(wrong, weights=part.weight)
        disagreement = _disagreement(votes, outputs.shape[2], part.weight)
    side = Side(
        n_samples=len(targets),
        member_loss=float(member_loss),
        ensemble_loss=float(ensemble_loss),
        gain=float(gain),
        cancelled=float(gain / member_loss) if member_loss > 0 else math.nan,
        member_error=float(member_error),
        ensemble_error=float(ensemble_error),
        disagreement=float(disagreement),
    )
    return side, ensemble, member, _mean_and_error(wrong, part.weight)


def _disagreement(votes, n_classes, weight):
    n = len(votes)
    if n == 1:
        return math.nan
    counts = np.stack([(votes == k).sum(axis=0) for k in range(n_classes)])
    agree = (counts * (counts - 1)).sum(axis=0) / (n * (n - 1))
    return np.average(1 - agree, weights=weight)


def _mean_and_error(values, weight):
    """Return the mean and its standard error."""
    weight = np.ones(len(values)) if weight is None else weight
    weight = weight / weight.sum()
    mean = float(weight @ values)
    return mean, float(np.sqrt((weight**2) @ (values - mean) ** 2))
