"""L2Boost: regressors fitted one after another to what is left over."""

from typing import Any

from counterpoint._typing import Estimator, Seed
from counterpoint.boosting.additive import AdditiveClassifier, AdditiveRegressor
from counterpoint.boosting.calibration import Calibration
from counterpoint.boosting.losses import SquaredClassLoss, SquaredLoss


class _L2Boost:
    """Parameters of both."""

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        line_search: bool = False,
        resample: bool = False,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.line_search = line_search
        self.resample = resample
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state


class L2BoostClassifier(_L2Boost, AdditiveClassifier):
    """L2Boost for classes: regressors on what is left of +1 and -1.

    Classes are coded +1 and -1, the second of two or each against the rest, and the code is fitted
    as a number: see ``L2BoostRegressor``. The score estimates 2 p - 1; the probabilities are
    those nearest to it. Equation 3.33 of [2]_ shows with this method that boosting makes
    ensembles uniform: members prefer samples that few members cover.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The base learner; None is ``HistTreeRegressor(max_depth=3)``. One without
        ``sample_weight`` is trained on rows drawn by weight if the samples have weights.
    learning_rate : float, default=0.1
        Shrinkage: factor of each member's values.
    line_search : bool, default=False
        Multiply the values also by the step that lowers the squared error most, over all classes
        together. For trees that step is 1: their values are means already.
    n_estimators : int, default=100
        Number of rounds.
    resample, calibrate, stopping, warm_start, progress, random_state
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_, classes_
        As in ``LogitBoostClassifier``.
    estimator_weights_ : ndarray of shape (n_members,)
        ``learning_rate``, times the step under ``line_search``.
    start_ : ndarray of shape (1,) or (n_classes,)
        Where scores start: the mean code.
    history_ : DataFrame
        One row per round: ``train_error``, ``train_squared_error`` of the codes, and the same on
        ``eval_set``.
    stop_reason_ : str
        "complete", "interrupted", or what a stopping rule said.

    References
    ----------
    .. [1] Buhlmann and Yu, "Boosting with the L2 loss: regression and classification", JASA 98,
       2003.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University 2010, section 3.5, eq. 3.20-3.33.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import L2BoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = L2BoostClassifier(n_estimators=30).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _usual = Calibration(0.6, 0.01)
    # The first trees are much the same tree: only several tell how sure a sum of many is.
    _least_rounds = 10
    _looked_at = (1,)

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        line_search: bool = False,
        resample: bool = False,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            learning_rate=learning_rate,
            line_search=line_search,
            resample=resample,
            stopping=stopping,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.calibrate = calibrate

    def _make_loss(self):
        return SquaredClassLoss(len(self.classes_))

    def _as_sums(self, scores, n_members):
        # This share of the way to +1 and -1 can be gone in n steps of this length. A short trial
        # speaks of a long sum only if both count as if they had arrived.
        reach = 1.0 - max(0.0, 1.0 - self.learning_rate) ** n_members
        return super()._as_sums(scores / max(reach, 1e-3), n_members)


class L2BoostRegressor(_L2Boost, AdditiveRegressor):
    """L2Boost: every member is fitted to what those before left over.

    Prediction starts from the mean of y. Each round fits a regressor to the residuals, which
    are the negative gradient of half the squared error (Eastwood 2010, eq. 3.20-3.22: see the
    references of ``L2BoostClassifier``), and adds
    ``learning_rate`` times its values (eq. 3.24). Small steps and many members do best; too many
    overfit, slowly. Members are corrections, not predictions: ``member_predict`` gives
    what each adds, which makes ``predict`` together with ``start_``, and ``staged_predict`` shows
    how the sum grows.

    Parameters
    ----------
    line_search : bool, default=False
        Multiply the values also by the step that lowers the squared error most (eq. 3.23, in
        closed form). For trees that step is 1: their values are means already.
    estimator, n_estimators, learning_rate, resample, stopping, warm_start, progress, random_state
        As in ``L2BoostClassifier``.

    Attributes
    ----------
    estimators_ : list
        The regressors.
    estimator_weights_, stop_reason_
        As in ``L2BoostClassifier``.
    start_ : ndarray of shape (1,)
        Mean of y.
    history_ : DataFrame
        One row per round: ``train_error``, the mean squared error, and the same on ``eval_set``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from counterpoint.boosting import L2BoostRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> boosted = L2BoostRegressor(n_estimators=50).fit(X[::2], y[::2])
    >>> bool(boosted.score(X[1::2], y[1::2]) > 0.3)
    True
    """

    def _make_loss(self):
        return SquaredLoss()
