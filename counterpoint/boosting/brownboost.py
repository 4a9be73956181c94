"""BrownBoost: boosting that gives up on samples it cannot win in the time that is left."""

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, erfinv

from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint._validation import check_number
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.voting import BaseBoostingClassifier

# A member whose weighted right votes exceed the wrong ones by less is no better than chance.
_EDGE = 1e-6
_LARGEST = 1e3  # steps beyond are as good as endless


class BrownRule(Rule):
    """Weights exp(-(margin + time left)^2 / c); steps that keep the potential as it is."""

    def __init__(self, target_error):
        self.c = float(erfinv(1.0 - target_error) ** 2)

    def start(self, y, n_classes, weight):
        """Begin with no margins and all of the time."""
        super().start(y, n_classes, weight)
        self.margin, self.left = np.zeros(len(y)), self.c
        self.score = np.zeros((len(y), n_classes))

    def request(self):
        """Weigh samples by how much their potential would change."""
        weight = self._weights(self.margin + self.left)
        total = weight.sum()
        self.weight = weight / total if total > 0 else self.first_weight.copy()
        return self.weight, None

    def judge(self, answer):
        """Find how far to go with a member, and how long that takes."""
        sign = np.where(answer.votes == self.y, 1.0, -1.0)
        edge = float(self.weight @ sign)
        notes = {"error": 0.5 * (1.0 - edge), "edge": edge}
        if edge <= _EDGE:
            return Verdict(0.0, "chance", notes | {"time": 0.0})
        alpha, time = self._step(sign)
        last = "time is up" if time >= self.left * (1.0 - 1e-9) else ""
        return Verdict(alpha, "", notes | {"time": time}, last)

    def update(self, answer, verdict):
        """Move the margins and let the time pass."""
        self.margin += np.where(answer.votes == self.y, verdict.alpha, -verdict.alpha)
        self.left = max(self.left - verdict.notes.get("time", 0.0), 0.0)
        self.score[np.arange(len(self.y)), answer.votes] += verdict.alpha
        missed = self.score.argmax(axis=1) != self.y
        return {
            "potential": self.potential(self.margin + self.left),
            "time_left": self.left,
            "train_error": float(missed.mean()),
        }

    def reset(self):
        """Nothing to go back to: time does not."""

    def potential(self, place):
        """Return the mean of (1 - erf(place / sqrt(c))) / 2; at time 0 it bounds the error."""
        return float(self.first_weight @ (0.5 * (1.0 - erf(place / np.sqrt(self.c)))))

    def _weights(self, place):
        # Over the largest: far from all boundaries every one of them underflows.
        power = -(place**2) / self.c
        return self.first_weight * np.exp(power - power.max())

    def _step(self, sign):
        """Step and time that leave the potential as it is and the member without an edge."""
        place = self.margin + self.left
        kept = self.potential(place)

        def time(alpha):
            """How long a step may take: the potential rises with the time it takes."""
            moved = place + alpha * sign
            if self.potential(moved) >= kept:
                return 0.0  # too far
            if self.potential(moved - self.left) <= kept:
                return self.left
            return brentq(lambda t: self.potential(moved - t) - kept, 0.0, self.left, xtol=1e-14)

        def edge(alpha):
            t = time(alpha)
            if t >= self.left or not t:
                return -1.0
            return float(self._weights(place + alpha * sign - t) @ sign)

        low, high = 0.0, 0.1
        while edge(high) > 0 and high < _LARGEST:
            low, high = high, 2.0 * high
        if edge(high) > 0:
            return high, time(high)
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if edge(middle) > 0 else (low, middle)
        if time(high) >= self.left:  # the time is over before the edge is
            return high, self.left
        return low, time(low)


class BrownBoostClassifier(BaseBoostingClassifier):
    """BrownBoost: boosting that gives up on samples that seem to be noise.

    AdaBoost's weights grow without limit for samples that members miss again and again. Here the
    game has a length c that is set in advance: weights are ``exp(-(margin + time left)^2 / c)``, so
    samples far on the wrong side, which cannot be won in the time that is left, lose their weight
    again. Each member is gone along with as far as it still has an edge, and so long that the
    potential, the mean of ``(1 - erf((margin + time left) / sqrt(c))) / 2``, stays what it is. When
    the time is up it is the bound on the training error that was asked for.

    Parameters
    ----------
    target_error : float, default=0.1
        Share of the samples to give up on, above 0 and below 1: ``1 - erf(sqrt(c))``. The nearer
        to 0, the longer the game and the nearer to AdaBoost.
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``.
    on_failure : {"stop", "restart"}, default="stop"
        What to do with a member no better than chance: stop, or try another draw.
    n_estimators, confidence, resample, class_weight, calibrate, stopping, warm_start, progress, \
            random_state
        As in ``AdaBoostClassifier``. Members vote with labels: ``confidence`` must stay False.

    Attributes
    ----------
    estimators_, estimator_weights_, classes_, calibration_
        As in ``AdaBoostClassifier``.
    history_ : DataFrame
        One row per member: ``alpha``, weighted ``error``, ``edge``, the ``time`` it took,
        ``time_left``, ``potential``, ``train_error``, and errors on ``eval_set``.
    stop_reason_ : str
        "time is up", "complete", "chance", "interrupted", or what a stopping rule said.

    Notes
    -----
    With more than two classes a member is right or wrong, as in AdaBoost.M1, and must be better
    than one half.

    References
    ----------
    .. [1] Y. Freund, "An adaptive version of the boost by majority algorithm", Machine Learning 43,
       2001.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import BrownBoostClassifier
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BrownBoostClassifier(HistTreeClassifier(max_depth=1), target_error=0.05)
    >>> model.fit(X, y).stop_reason_
    'time is up'
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
        target_error: float = 0.1,
        confidence: bool = False,
        resample: bool = False,
        on_failure: str = "stop",
        class_weight: ClassWeight = None,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            confidence=confidence,
            resample=resample,
            on_failure=on_failure,
            class_weight=class_weight,
            calibrate=calibrate,
            stopping=stopping,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.target_error = target_error

    def make_rule(self) -> Rule:
        """Return the rule of BrownBoost."""
        return BrownRule(float(self.target_error))

    def _check_options(self):
        super()._check_options()
        hint = ", the share of samples to give up on"
        check_number(
            self.target_error, "target_error", low=1e-12, high=1, open_high=True, hint=hint
        )
        if self.confidence:
            raise ValueError(
                f"confidence={self.confidence!r}: BrownBoost's members vote with labels. Leave "
                "confidence False."
            )
