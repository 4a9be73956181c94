"""Arc-x4, which counts how often each sample was missed."""

from typing import Any

import numpy as np

from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint._validation import check_number
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.voting import ShareBoosting


class CountRule(Rule):
    """Weights that grow with a power of the number of members that miss a sample; equal votes."""

    def __init__(self, power):
        self.power = power

    def start(self, y, n_classes, weight):
        """Begin with no misses."""
        super().start(y, n_classes, weight)
        self.rows = np.arange(len(y))
        self.missed = np.zeros(len(y))
        self.tally = np.zeros((len(y), n_classes), dtype=np.int32)

    def request(self):
        """Train on weights by the misses so far, for y itself."""
        # 1 + m^power, over the largest m^power: a high power would overflow.
        most = max(self.missed.max(), 1.0)
        weight = self.first_weight * (most**-self.power + (self.missed / most) ** self.power)
        self.weight = weight / weight.sum()
        return self.weight, None

    def judge(self, answer):
        """Give every member one vote."""
        return Verdict(1.0, "", {"error": float(np.sum(self.weight, where=answer.votes != self.y))})

    def update(self, answer, verdict):
        """Count the misses and the votes."""
        self.missed += answer.votes != self.y
        self.tally[self.rows, answer.votes] += 1
        return {"train_error": float(np.mean(self.tally.argmax(axis=1) != self.y))}


class ArcX4Classifier(ShareBoosting):
    """Arc-x4: the more members missed a sample, the more often it is drawn; all votes count one.

    Sample i has weight 1 + m^4, where m is the number of members that misclassify it. Breiman
    made it up to show that the exact form of AdaBoost's weights matters little. No member is
    too good or too bad to be taken in: training always gives ``n_estimators`` members.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``.
    power : float, default=4
        Power of the number of misses; 0 is bagging.
    resample : bool, default=True
        Train on rows drawn by weight, as Breiman did; False passes the weights. Drawing is the
        default because it also makes members differ where nothing was missed: under weights most
        samples keep weight 1, trees on them are nearly the same, and full trees miss none at all.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, multiplied with those of the misses.
    n_estimators, calibrate, stopping, warm_start, progress, random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_, classes_
        As in ``AdaBoostClassifier``.
    estimator_weights_ : ndarray of shape (n_members,)
        All 1.
    history_ : DataFrame
        One row per member: ``error`` under the weights it was trained on, ``train_error`` of the
        vote so far, and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "interrupted", or what a stopping rule said.

    Notes
    -----
    Weights given to ``fit`` multiply those by misses. Where rows are drawn, a sample of weight 2
    is still not the same as two samples.

    References
    ----------
    .. [1] Breiman, "Arcing classifiers", Annals of Statistics 26, 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import ArcX4Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> arced = ArcX4Classifier(n_estimators=20, random_state=0).fit(X[::2], y[::2])
    >>> bool(arced.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
        power: float = 4,
        resample: bool = True,
        class_weight: ClassWeight = None,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.power = power
        self.resample = resample
        self.class_weight = class_weight
        self.calibrate = calibrate
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    def _check_options(self):
        super()._check_options()
        check_number(self.power, "power", low=0, hint="; Breiman's is 4")

    def make_rule(self) -> Rule:
        """Return the rule that counts misses."""
        return CountRule(float(self.power))
