"""AdaBoost with a say in what happens when a member fails, and AdaBoost.M1."""

from typing import Any

from counterpoint._typing import ClassWeight, Estimator, Seed
from counterpoint.boosting.rules import Rule, VoteRule
from counterpoint.boosting.voting import BaseBoostingClassifier


class AdaBoostClassifier(BaseBoostingClassifier):
    """AdaBoost (SAMME), by weights or by resampling, with the restart rule.

    Each member is trained on samples weighted by how often those before failed on them, and
    votes by its own weighted error. Member for member equal to scikit-learn's AdaBoost, until
    a member fails: with no weighted error (below one in a million), or no better than chance.
    Scikit-learn stops there. Here such a member is dropped, the weights go back to where they
    began, and training goes on ([3]_, section 2.3.1); or it stops, with ``on_failure="stop"``.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``, which stands in for
        C4.5. One without ``sample_weight`` is trained on rows drawn by weight.
    n_estimators : int, default=50
        Number of members.
    confidence : bool, default=False
        Let members vote with their probabilities.
    resample : bool, default=False
        Train on rows drawn by weight, rather than on weights.
    on_failure : {"restart", "stop"}, default="restart"
        What to do with a member that is perfect or no better than chance. "restart" gives up
        after ten failures in a row, after two if nothing is random. "stop" keeps a perfect
        member, as scikit-learn does. If no member succeeds, the last one is kept alone.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes that the samples start from.
    calibrate : bool, default=True
        Learn on rows held out how sure the vote is: see ``calibration_``. A short trial on four
        fifths of the rows finds a temperature; from 20,000 rows on, 2,000 are held out of the
        ensemble instead. ``predict`` stays what it is. False gives the bare softmax.
    stopping : stopping rule, list of them or None, default=None
        When to stop before ``n_estimators``: see ``DiversityStopping``, ``ErrorStopping``.
    warm_start : bool, default=False
        Go on from the members there are, on the same data.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds members and draws.

    Attributes
    ----------
    estimators_ : list
        The members.
    estimator_weights_ : ndarray of shape (n_members,)
        Their say.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    calibration_ : Calibration or None
        What makes probabilities of the vote.
    history_ : DataFrame
        One row per member: weight ``alpha``, weighted ``error``, ``penalty``, ``ambiguity``,
        ``covariance`` with the vote before it, ``restarts`` before it, ``z``, ``train_error``,
        and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "perfect", "chance", "interrupted", or what a stopping rule said.

    References
    ----------
    .. [1] Freund and Schapire, "A Decision-Theoretic Generalization of On-Line Learning", 1997.
    .. [2] Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2,
       2009.
    .. [3] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University 2010, section 2.3.1, eq. 2.24.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import AdaBoostClassifier
    >>> from counterpoint.trees import HistTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = AdaBoostClassifier(HistTreeClassifier(max_depth=1), n_estimators=10)
    >>> boosted.fit(X, y).score(X, y) > 0.95
    True
    """

    _bonus = True

    def make_rule(self) -> Rule:
        """Return the rule of AdaBoost: no penalty."""
        return VoteRule(0.0, bonus=self._bonus, confidence=self.confidence)


class AdaBoostM1Classifier(AdaBoostClassifier):
    r"""AdaBoost.M1: the first AdaBoost for many classes.

    A member must have weighted error below one half, however many classes there are, and has
    a vote of log((1 - error) / error). For two classes it is AdaBoost. For many classes one half
    is hard to reach for simple members: see ``AdaBoostM2Classifier`` and
    ``AdaBoostClassifier``.

    Parameters
    ----------
    on_failure : {"restart", "stop"}, default="stop"
        What to do with a member that fails; the original stops.
    estimator, n_estimators, confidence, resample, class_weight, calibrate, stopping, \
            warm_start, progress, random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_, estimator_weights_, classes_, history_, stop_reason_
        As in ``AdaBoostClassifier``.

    References
    ----------
    .. [1] Freund and Schapire, "Experiments with a New Boosting Algorithm", ICML 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import AdaBoostM1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostM1Classifier(n_estimators=5).fit(X, y).estimator_weights_.shape
    (5,)
    """

    _bonus = False

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 50,
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
