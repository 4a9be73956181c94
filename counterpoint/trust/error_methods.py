"""Ways to estimate the error on rows without labels, each with the assumption it rests on.

A method is a subclass of :class:`ErrorMethod`: ``learn`` from the reference, ``estimate`` for new
rows, ``check`` of its assumption on the reference. Rows have weights throughout, so that a
bootstrap is other weights.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from sklearn.isotonic import IsotonicRegression

from counterpoint._outputs import MemberOutputs
from counterpoint.trust.inputs import disagreement, ensemble_proba, row_weight

_MOST_MEMBERS = 25  # of whom every pair is looked at
_EDGE = 1e-3  # shares are kept this far from 0 and 1 before the probit
_LINEAR = 0.9  # least share of the variance that a line through the pairs explains
_BINS = 10


class Seen:
    """What is needed of outputs again and again: answers, probabilities, disagreement."""

    def __init__(self, outputs: MemberOutputs) -> None:
        self.outputs = outputs
        self.proba = ensemble_proba(outputs)
        self.answer = self.proba.argmax(axis=1)
        self.confidence = self.proba.max(axis=1)
        self.weight = row_weight(outputs)
        self.y = outputs.y
        # Of new rows nobody knows: NaN, so that what looks there all the same is seen to.
        known = outputs.y is not None
        self.wrong = np.where(self.answer != outputs.y, 1.0, 0.0) if known else self.weight * np.nan

    @cached_property
    def disagreement(self) -> NDArray:
        """The chance that two members differ, on each row."""
        return disagreement(self.outputs)

    @cached_property
    def some_votes(self) -> NDArray:
        """Votes of some members, evenly spaced, and the ensemble's answer as the last."""
        step = -(-self.outputs.n_members // _MOST_MEMBERS)
        return np.vstack([self.outputs.votes[::step], self.answer[None]])

    def agreements(self, weight: NDArray) -> NDArray:
        """Return the share of rows on which each pair of ``some_votes`` agrees."""
        same = np.zeros((len(self.some_votes),) * 2)
        for k in range(self.outputs.n_classes):
            said = (self.some_votes == k).astype(float)
            same += (said * weight) @ said.T
        return same / weight.sum()

    def take(self, rows: NDArray) -> "Seen":
        """Keep some rows."""
        return Seen(self.outputs.take_rows(rows))

    def error(self, weight: NDArray) -> float:
        """Return the ensemble's error, where the truth is known."""
        return float(weight @ self.wrong / weight.sum())


@dataclass
class Check:
    """Whether an assumption holds on the reference: None where that cannot be told."""

    holds: bool | None
    says: str


class ErrorMethod:
    """A way to estimate the error of an ensemble on rows without labels."""

    name: ClassVar[str]
    assumption: ClassVar[str]
    fewest_members: ClassVar[int] = 1

    def learn(self, reference: Seen, weight: NDArray) -> Any:
        """Return what is to be remembered of the reference."""
        raise NotImplementedError

    def estimate(self, learnt: Any, new: Seen, weight: NDArray) -> float:
        """Return the expected error on new rows; NaN if there is none."""
        raise NotImplementedError

    def check(self, reference: Seen, new: Seen) -> Check:
        """Say whether the assumption holds on the reference."""
        raise NotImplementedError


class Disagreement(ErrorMethod):
    """Two members differ as often as one is wrong (Jiang, Nagarajan, Baek and Kolter 2022).

    The equality is of members; what the ensemble gains on the reference is taken to be gained on
    new rows too: ``error_new = disagreement_new * error_reference / disagreement_reference``.
    """

    name = "disagreement"
    assumption = "members are wrong as often as two of them differ, here and on the new rows"
    fewest_members = 2

    def learn(self, reference, weight):
        """Remember what the error is in units of disagreement."""
        apart = weight @ reference.disagreement / weight.sum()
        return reference.error(weight) / apart if apart > 0 else np.nan

    def estimate(self, learnt, new, weight):
        """Return the disagreement in these units."""
        return min(float(learnt * (weight @ new.disagreement) / weight.sum()), 1.0)

    def check(self, reference, new):
        """Hold the members' mean error against their disagreement."""
        votes, weight = reference.outputs.votes, reference.weight
        say = reference.outputs.say
        wrong = (say / say.sum()) @ (votes != reference.y)
        gap = wrong - reference.disagreement
        mean = float(weight @ gap / weight.sum())
        error = float(weight @ wrong / weight.sum())
        off = abs(mean) / max(error, 1e-12)
        sure = abs(mean) > 2 * _standard_error(gap, weight)
        told = f"members err on {error:.1%} and differ on {error - mean:.1%} of the reference"
        return Check(not (sure and off > 0.25), told)


class AgreementLine(ErrorMethod):
    """Accuracies move along the line on which agreements move (Baek et al. 2022, ALine-D).

    On a probit scale the agreement of pairs on new rows is a line in that on the reference; the
    same line, with the pairs' own residuals, holds for their accuracies.
    """

    name = "agreement-line"
    assumption = "accuracy and agreement follow one line on a probit scale"
    fewest_members = 3

    def learn(self, reference, weight):
        """Remember accuracies and agreements."""
        right = (reference.some_votes == reference.y).astype(float) @ weight / weight.sum()
        return _probit(right), _probit(reference.agreements(weight))

    def estimate(self, learnt, new, weight):
        """Solve for accuracies on the new rows; return one minus the ensemble's."""
        accuracy, before = learnt
        after = _probit(new.agreements(weight))
        i, j = np.triu_indices(len(accuracy), k=1)
        slope, _, _ = _line(before[i, j], after[i, j])
        if not np.isfinite(slope):
            return np.nan
        # (acc_i + acc_j) / 2 on new rows = agreement there + slope (the same less, on reference).
        target = after[i, j] + slope * ((accuracy[i] + accuracy[j]) / 2 - before[i, j])
        # Each pair an equation: its normal equations have one form for any number of models.
        n = len(accuracy)
        sums = np.bincount(i, target, n) + np.bincount(j, target, n)
        found = (sums - 2 * target.sum() / (2 * n - 2)) * 2 / (n - 2) if n > 2 else sums
        return float(1 - ndtr(found[-1]))

    def check(self, reference, new):
        """Look whether agreements lie on a line, and whether accuracies do where they are known."""
        before = _probit(reference.agreements(reference.weight))
        after = _probit(new.agreements(new.weight))
        i, j = np.triu_indices(len(before), k=1)
        _, _, fit = _line(before[i, j], after[i, j])
        if not np.isfinite(fit):
            return Check(False, "all pairs agree alike: there is no line")
        return Check(bool(fit >= _LINEAR), f"a line explains {max(fit, 0):.0%} of the agreements")


class CalibratedConfidence(ErrorMethod):
    """The mean of one minus the calibrated probability of the answer (as NannyML's CBPE).

    Each class's probability is calibrated on the reference by isotonic regression, one against
    the rest, then they are made to add up to one.
    """

    name = "confidence"
    assumption = "probabilities calibrated on the reference stay calibrated on the new rows"

    def learn(self, reference, weight):
        """Remember a calibration of each class."""
        return calibrations(reference.proba, reference.y, weight)

    def estimate(self, learnt, new, weight):
        """Return the mean doubt about the answers."""
        sure = calibrated(learnt, new.proba)[np.arange(len(new.answer)), new.answer]
        return float(weight @ (1 - sure) / weight.sum())

    def check(self, reference, new):
        """Calibrate on one half of the reference and look at the other."""
        return _check_calibration(reference)


class ThresholdedConfidence(ErrorMethod):
    """The share of rows less sure than a threshold (Garg et al. 2022: average thresholded).

    The threshold is where the reference's share is its error.
    """

    name = "threshold"
    assumption = "as many rows are below the threshold of confidence as are wrong"

    def learn(self, reference, weight):
        """Remember the threshold: of ties, the part that makes the shares equal."""
        order = np.argsort(reference.confidence, kind="stable")
        below = weight[order].cumsum() / weight.sum()
        at = np.searchsorted(below, reference.error(weight) - 1e-12)
        if reference.error(weight) <= 0:
            return -np.inf, 0.0
        limit = reference.confidence[order[min(at, len(order) - 1)]]
        less = weight @ (reference.confidence < limit) / weight.sum()
        equal = weight @ (reference.confidence == limit) / weight.sum()
        return limit, (reference.error(weight) - less) / equal

    def estimate(self, learnt, new, weight):
        """Return the share of new rows below it."""
        limit, part = learnt
        below = (new.confidence < limit) + part * (new.confidence == limit)
        return float(weight @ below / weight.sum())

    def check(self, reference, new):
        """Calibrate on one half of the reference and look at the other."""
        return _check_calibration(reference)


class ClassShift(ErrorMethod):
    """Calibrated confidence after the shares of the classes were found anew by EM.

    Saerens, Latinne and Decaestecker (2002): under a shift of classes alone, posteriors change by
    the ratio of the shares of the classes, which the new rows tell.
    """

    name = "class-shift"
    assumption = "within each class rows are as before; only the shares of the classes change"

    def learn(self, reference, weight):
        """Remember calibrations and the shares of the classes."""
        n_classes = reference.outputs.n_classes
        shares = np.bincount(reference.y, weights=weight, minlength=n_classes) / weight.sum()
        return calibrations(reference.proba, reference.y, weight), shares

    def estimate(self, learnt, new, weight):
        """Return the mean doubt about the answers under the new shares."""
        maps, before = learnt
        proba = np.clip(calibrated(maps, new.proba), 1e-6, None)
        shares, known = before.copy(), before > 0
        posterior = proba
        for _ in range(200):
            ratio = np.where(known, shares / np.where(known, before, 1), 0)
            posterior = proba * ratio
            posterior /= posterior.sum(axis=1, keepdims=True)
            after = weight @ posterior / weight.sum()
            if np.abs(after - shares).max() < 1e-6:
                break
            shares = after
        return float(weight @ (1 - posterior[np.arange(len(proba)), new.answer]) / weight.sum())

    def check(self, reference, new):
        """Calibrate on one half of the reference and look at the other."""
        return _check_calibration(reference)


METHODS: tuple[ErrorMethod, ...] = (
    Disagreement(),
    AgreementLine(),
    CalibratedConfidence(),
    ThresholdedConfidence(),
    ClassShift(),
)


# -- calibration -------------------------------------------------------------------------------


def calibrations(proba: NDArray, y: NDArray, weight: NDArray) -> list[Any]:
    """Fit an isotonic regression of each class; of two classes, one of the second."""
    columns = [1] if proba.shape[1] == 2 else range(proba.shape[1])
    return [
        IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(
            proba[:, k], y == k, sample_weight=weight
        )
        for k in columns
    ]


def calibrated(maps: list[Any], proba: NDArray) -> NDArray:
    """Return calibrated probabilities that add up to one."""
    if proba.shape[1] == 2:
        second = maps[0].predict(proba[:, 1])
        return np.stack([1 - second, second], axis=1)
    shares = np.stack([one.predict(proba[:, k]) for k, one in enumerate(maps)], axis=1)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / proba.shape[1])


def _check_calibration(seen: Seen) -> Check:
    n = len(seen.answer)
    if n < 40:
        return Check(None, f"{n} rows are too few to see whether probabilities are calibrated")
    odd = np.arange(n) % 2 == 1
    gaps, errors = [], []
    for half in (odd, ~odd):
        maps = calibrations(seen.proba[half], seen.y[half], seen.weight[half])
        rest = ~half
        sure = calibrated(maps, seen.proba[rest])[np.arange(rest.sum()), seen.answer[rest]]
        off = seen.wrong[rest] - (1 - sure)
        gaps.append(float(seen.weight[rest] @ off / seen.weight[rest].sum()))
        errors.append(_standard_error(off, seen.weight[rest]))
    gap = float(np.mean(np.abs(gaps)))
    # Each half's estimate misses by its own noise and that of the half it was calibrated on.
    limit = 2.5 * np.sqrt(2) * float(np.mean(errors))
    told = f"calibrated on one half, the other half's error is missed by {gap:.1%}"
    return Check(bool(gap <= max(limit, 0.01)), told)


# -- small mathematics -------------------------------------------------------------------------


def _standard_error(values, weight):
    share = weight / weight.sum()
    mean = share @ values
    return float(np.sqrt((share**2) @ (values - mean) ** 2))


def _probit(share):
    return ndtri(np.clip(share, _EDGE, 1 - _EDGE))


def _line(x, y):
    """Return slope and height of the line, and the share it explains; NaN where x does not vary."""
    away = x - x.mean()
    across = float(away @ away)
    if len(x) < 3 or across < 1e-9:
        return np.nan, np.nan, np.nan
    slope = float(away @ (y - y.mean())) / across
    height = float(y.mean() - slope * x.mean())
    left = y - slope * x - height
    total = float(((y - y.mean()) ** 2).sum())
    return slope, height, 1 - float(left @ left) / total if total > 0 else np.nan
