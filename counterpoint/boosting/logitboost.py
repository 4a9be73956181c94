"""LogitBoost: regressors added up into log-odds."""

from typing import Any

from numpy.typing import NDArray

from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_number
from counterpoint.boosting.additive import AdditiveClassifier
from counterpoint.boosting.calibration import Calibration
from counterpoint.boosting.losses import LogisticLoss


class LogitBoostClassifier(AdditiveClassifier):
    """LogitBoost: a logistic regression whose terms are fitted one after another.

    Each round takes a Newton step on the log-likelihood: with p the probabilities so far and y 1
    or 0, a regressor is fitted to the working response z = (y - p) / (p (1 - p)) under weights
    p (1 - p). Two classes need one regressor a round: F grows by half its values, and p =
    1 / (1 + exp(-2 F)) ([1]_, algorithm 3). With K > 2 classes there is one for each; they are
    centred, multiplied by (K - 1) / K and added, and p is the softmax of F (algorithm 6).

    Parameters
    ----------
    estimator : regressor or None, default=None
        The base learner; None is ``HistTreeRegressor(max_depth=1)``. One without
        ``sample_weight`` is trained on rows drawn by weight, which is said once.
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=1.0
        Factor of each member's values.
    z_max : float, default=4.0
        Working responses are clipped to [-z_max, z_max]; 2 to 4 is usual. Weights p (1 - p)
        are kept above twice the machine epsilon, 4.4e-16.
    resample, calibrate, stopping, warm_start, progress, random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_ : list
        The regressors; for more than two classes a list of one for each class a round.
        ``member_predict`` gives the labels that the corrections of a round alone speak for.
    estimator_weights_ : ndarray of shape (n_members,)
        All ``learning_rate``.
    start_ : ndarray of shape (1,) or (n_classes,)
        Where scores start: 0.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    history_ : DataFrame
        One row per round: ``train_error``, ``train_log_loss``, and the same on ``eval_set``.
    stop_reason_ : str
        "complete", "interrupted", or what a stopping rule said.

    References
    ----------
    .. [1] Friedman, Hastie and Tibshirani, "Additive logistic regression: a statistical view of
       boosting", Annals of Statistics 28, 2000, algorithms 3 and 6.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import ErrorStopping, LogitBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = LogitBoostClassifier(
    ...     n_estimators=200, stopping=ErrorStopping("eval_log_loss", patience=10)
    ... ).fit(X[::3], y[::3], eval_set=(X[1::3], y[1::3]))
    >>> len(boosted.estimators_) < 200, bool(boosted.score(X[2::3], y[2::3]) > 0.93)
    (True, True)
    """

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 1.0,
        z_max: float = 4.0,
        resample: bool = False,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.z_max = z_max
        self.resample = resample
        self.calibrate = calibrate
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    _default_depth = 1
    _usual = Calibration(1.0, 0.12)

    def _check_options(self):
        super()._check_options()
        hint = ", below which every response would be clipped; 2 to 4 is usual"
        check_number(self.z_max, "z_max", low=1, hint=hint)

    def _make_loss(self):
        return LogisticLoss(len(self.classes_), float(self.z_max))

    def predict_log_proba(self, X: DataLike) -> NDArray:
        """Return the logarithm of ``predict_proba``, exact where that is tiny."""
        scores = self._scores(X)
        if self.calibration_ is not None:
            return self._log_proba(scores, len(self.estimators_))
        return self._loss.log_proba(scores)
