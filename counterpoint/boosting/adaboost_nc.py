"""AdaBoost.NC: boosting that keeps its members apart."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint._validation import check_choice, check_number, is_word
from counterpoint.boosting.adaboost import AdaBoostClassifier
from counterpoint.boosting.calibration import Trial, gain_and_noise
from counterpoint.boosting.rules import Rule, SafeLam, VoteRule
from counterpoint.boosting.weighted_ambiguity import WeightedVoteRule

# What lam="auto" tries: AdaBoost, and half of what is safe. The whole of it was worse on average.
CANDIDATES = (0.0, 0.5)
# Members below which there is no race: two members of a trial are the same at any strength.
FEWEST = 25
_PATH = ["strength", "log_loss", "difference", "noise", "kept"]


class DynamicLam:
    """Lambda that sets itself while training: it climbs towards better class-wise accuracy.

    After every round it moves by a step; it turns round when the geometric mean of the class
    accuracies of the vote, on the training data, has fallen.
    """

    low, high, step = 0.0, 12.0, 1.0

    def __init__(self):
        self.value, self.direction, self.best = 2.0, 1.0, -1.0

    def __call__(self, rule, answer):
        """Lambda of this round."""
        return self.value

    def update(self, rule):
        """Look at the vote after a round, and move."""
        right, there = rule.right_by_class()
        seen = there > 0  # a class may have no sample with a weight
        score = float(np.prod((right[seen] / there[seen]) ** (1.0 / seen.sum())))
        if score < self.best:
            self.direction = -self.direction
        self.best = score
        self.value = min(self.high, max(self.low, self.value + self.direction * self.step))


class AdaBoostNCClassifier(AdaBoostClassifier):
    """AdaBoost.NC: AdaBoost with a penalty on members that agree.

    Besides its error, a sample's weight takes in how much the members so far agree on it: the
    ambiguity amb of the vote H of the first t members, ``p = 1 - |amb|`` and a factor
    ``p ** lam``. Samples that all members have right, or all have wrong, keep their weight;
    samples that split them lose it. So the next member is pulled to where the others agree,
    and makes its errors elsewhere. ``lam=0`` is AdaBoost, member for member.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``, which stands in for
        the C4.5 of [1]_. One without ``sample_weight`` is trained on rows drawn by weight.
    lam : float, "auto" or "dynamic", default="auto"
        The penalty as [1]_ has it: a number. What is right depends on the error of a single
        member, and 2 ruins weak ones. "auto" sets it in each round by ``strength``. "dynamic"
        moves it while training.
    strength : float in [0, 1] or None, default=None
        The penalty as a share of what is safe: of what each member lowers the exponential loss
        by, so much may be given up. None races 0 (AdaBoost) and 0.5 in an eighth of the rounds,
        and takes 0.5 only if its log-loss on a fifth of the rows held out is lower by more than a
        standard error. Below 50 cases or 25 members, or if nothing but one class would be left,
        there is no race and the strength is 0.
    ambiguity : {"absolute", "signed", "weighted"}, default="absolute"
        What the penalty is made of. "absolute" is equation 2 of [1]_; "signed" takes amb itself,
        so that samples the vote has wrong count up to half as much again; "weighted" weighs
        the members in amb and in H by their say, equation 1. The other two are there to try the
        remark of [1]_ that the absolute value is consistently better; they need ``lam`` as a
        number or "dynamic".
    confidence : bool, default=False
        Let members vote with their probabilities: f = 2 P(y) - 1 in the equations.
    on_failure : {"restart", "stop"}, default="restart"
        What to do with a member that is perfect, or whose weight would not be positive: drop
        it and go back to the first weights, or stop. See ``AdaBoostClassifier``.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes that the samples start from; "balanced" for rare classes.
    n_estimators, resample, calibrate, stopping, warm_start, progress
        As in ``AdaBoostClassifier``.
    random_state : int, RandomState instance or None, default=None
        Seeds members and draws.

    Attributes
    ----------
    lam_ : float
        The lambda of the last round.
    strength_ : float
        The strength used; NaN where ``lam`` is a number or "dynamic".
    strength_path_ : DataFrame
        Of the race: for every strength the log-loss on rows held out, its ``difference`` to that
        of 0, the ``noise`` of the difference, and which was ``kept``. Empty without a race.
    estimators_, estimator_weights_, classes_, calibration_, history_, stop_reason_
        As in ``AdaBoostClassifier``; ``history_`` has ``penalty`` (mean p) and ``lam`` as well.

    Notes
    -----
    What [1]_ leaves open: H in amb is the *unweighted* vote of the first t members, the
    new one included, ties to the first class; only so p lies in [1/2, 1] for two classes (in
    [1/K, 1] for K). For K classes amb is the mean of [H = y] - [h_j = y], and log(K - 1) is added
    to a member's weight, as in SAMME. With ``ambiguity="weighted"`` the new member counts in its
    own amb with the say it would have without penalty: the one with it depends on amb.
    ``estimator_weights_`` are on scikit-learn's scale: twice the alpha of [1]_ for two classes.
    The dynamic version of [2]_ was not available to us in full: the schedule here is our own.

    References
    ----------
    .. [1] Wang and Yao, "The Effectiveness of a New Negative Correlation Learning Algorithm for
       Classification Ensembles", ICDMW 2010, table I, equations 2 and 3.
    .. [2] Wang and Yao, "Using Class Imbalance Learning for Software Defect Prediction", IEEE
       Transactions on Reliability 62, 2013.

    Examples
    --------
    >>> from counterpoint.boosting import AdaBoostNCClassifier
    >>> from counterpoint.datasets import make_two_gaussians
    >>> X, y = make_two_gaussians(random_state=0)
    >>> apart = AdaBoostNCClassifier(n_estimators=11, lam=9.0).fit(X, y)
    >>> apart.history_[["error", "penalty", "covariance"]].shape
    (11, 3)
    """

    _raced, _to_race = None, False
    _path: tuple = ()

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
        lam: float | str = "auto",
        strength: float | None = None,
        ambiguity: str = "absolute",
        confidence: bool = False,
        resample: bool = False,
        on_failure: str = "restart",
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
        self.lam = lam
        self.strength = strength
        self.ambiguity = ambiguity

    def _check_options(self):
        super()._check_options()
        if not is_word(self.lam, "auto", "dynamic"):
            check_number(
                self.lam, "lam", low=0, high=100, hint=" (0: AdaBoost), 'auto' or 'dynamic'"
            )
        check_choice(self.ambiguity, "ambiguity", ("absolute", "signed", "weighted"))
        if self.lam == "auto" and self.ambiguity != "absolute":
            raise ValueError(
                f"ambiguity={self.ambiguity!r} and lam='auto': give lam as a number or 'dynamic'; "
                "what is safe is known of the absolute ambiguity only."
            )
        if self.strength is None:
            return
        check_number(self.strength, "strength", low=0, high=1, hint=", a share of what is safe")
        if self.lam != "auto":
            raise ValueError(
                f"strength={self.strength!r} and lam={self.lam!r}: give one of them, strength as a "
                "share of what is safe in each round or lam as the paper has it."
            )

    def _check_data(self, X, y, sample_weight):
        data = super()._check_data(X, y, sample_weight)
        self._raced, self._to_race = None, False
        self._path = self._path if self._goes_on() else ()
        if self.lam != "auto":
            self.strength_ = np.nan
        elif self.strength is not None:
            self.strength_ = float(self.strength)
        elif not self._goes_on() or np.isnan(self.strength_):
            self.strength_, self._to_race = CANDIDATES[0], True
        return data

    def _tuned(self, rule, learner, X, y, weight):
        if not self._to_race:
            return rule
        self.strength_, self._to_race = self._choose_strength(learner, X, y, weight), False
        return rule if self.strength_ == CANDIDATES[0] else self.make_rule()

    def make_rule(self) -> Rule:
        """Return the rule of AdaBoost.NC."""
        if self.lam == "auto":
            return self._rule(SafeLam(self.strength_))
        return self._rule(DynamicLam() if self.lam == "dynamic" else float(self.lam))

    def _rule(self, lam):
        given = {"bonus": self._bonus, "confidence": self.confidence}
        if self.ambiguity == "weighted":
            return WeightedVoteRule(lam, **given)
        return VoteRule(lam, signed=self.ambiguity == "signed", **given)

    def _finish(self, result):
        super()._finish(result)
        self.lam_ = self._history[-1]["lam"]

    @property
    def strength_path_(self) -> pd.DataFrame:
        """The race, a row a strength: log-loss, difference to that of 0, its noise, who is kept."""
        check_is_fitted(self)
        return pd.DataFrame(self._path, columns=_PATH)

    def _choose_strength(self, learner, X, codes, weight):
        """Race the strengths on rows held out; what is not better beyond noise does not win."""
        race = self.n_estimators >= FEWEST
        trial = Trial.of(self, X, codes, weight, learner, self.n_estimators) if race else None
        runs = trial and trial.race(self._rule(SafeLam(strength)) for strength in CANDIDATES)
        if not runs:
            return CANDIDATES[0]
        # One temperature for all: to make the vote surer, or less sure, wins nothing.
        calibration, cases = runs[0].learn(), runs[0].cases
        losses = [run.losses(calibration) for run in runs]
        path, best = [], (0.0, 0)
        for place, (strength, loss) in enumerate(zip(CANDIDATES, losses, strict=True)):
            gain, noise = gain_and_noise(losses[0] - loss, cases)
            if gain > noise:
                best = max(best, (gain, place))
            path.append((strength, np.average(loss, weights=cases), -gain, noise))
        self._path = tuple((*row, place == best[1]) for place, row in enumerate(path))
        self._raced = runs[best[1]]
        if self.calibrate:
            self._raced.learn(calibration)
        return CANDIDATES[best[1]]

    def _calibrate(self, X, y, weight, learner):
        super()._calibrate(X, y, weight, learner)
        self._raced = None  # no data in the model

    def _try_out(self, X, y, weight, learner):
        # The race has run what calibration needs.
        return self._raced or super()._try_out(X, y, weight, learner)
