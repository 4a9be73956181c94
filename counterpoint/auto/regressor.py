"""Overproduce and select for numbers."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from counterpoint._asking import once
from counterpoint._conformal import conformal_limit, member_spread
from counterpoint._members import Member
from counterpoint._predictions import MemberPredictions
from counterpoint._typing import DataLike, Pool, Seed
from counterpoint.auto.choice import QUICK_STEPS
from counterpoint.auto.engine import OverproduceSelect, rows_of
from counterpoint.auto.fold_mean import FoldMeanRegressor
from counterpoint.auto.metric import number_metric
from counterpoint.auto.number_pool import boosted_for, default_number_pool
from counterpoint.auto.portfolio import FIRST
from counterpoint.base import BaseEnsembleRegressor, need_target, read_numbers
from counterpoint.selection import select_forward


class OverproduceSelectRegressor(OverproduceSelect, BaseEnsembleRegressor):
    """Build a wide pool of regressors, then keep and weigh those that are best together.

    As :class:`OverproduceSelectClassifier`, for numbers. Members are asked about rows they were
    not trained on; the way to combine them is chosen by cross-validation: the best one alone, the
    mean of the best third, bagged greedy selection with replacement [1]_, weights of least
    squares, or a blend of the last three, which is taken unless another is better by more than a
    standard error. Intervals are conformal [2]_, on the same unseen rows, and wider where the
    members disagree.

    Parameters
    ----------
    pool : list or "default+", default=None
        What to try: estimators, (name, estimator) pairs, Candidate objects, or names of the default
        pool.
        None is :func:`default_number_pool`, by the size of the data, until more members do not
        lower the loss; with "default+" LightGBM, XGBoost, CatBoost, RealMLP (of pytabkit) and
        TabPFN with its weights join it, where installed.
    metric : str, tuple or scorer, default="rmse"
        What the way to combine is chosen by, and what the answer is made for: "rmse", "r2", "mae",
        ("quantile", level), or a scorer of scikit-learn or its name. Members are weighed by
        squared error in any case; for "mae" and quantiles the answer is shifted by the median or
        quantile of what is left on unseen rows, and boosted trees that lower this very loss join
        the default pool.
    diversity, cv, time_limit, n_jobs, progress, random_state
        As those of :class:`OverproduceSelectClassifier`.

    Attributes
    ----------
    leaderboard_ : DataFrame
        A row per member tried: "member", "family", "rmse" and "r2" alone on rows it did not see,
        "weight", "adds" (how much the ensemble's squared error rises when it falls silent),
        "disagrees" (root of the mean squared distance to the ensemble), "seconds".
    combiners_tried_ : DataFrame
        A row per way to combine: "combiner", its name, and "loss" by the metric.
    combiner_name_ : str
        The way chosen.
    combiner_ : Combiner
        The way chosen, fitted.
    shift_ : float
        Added to what the members come to.
    pool_ : list of (name, estimator) pairs
        The members kept, fitted on all rows.
    estimator_weights_ : ndarray of shape (n_members,)
        Of the members kept.
    stop_reason_ : {"complete", "no gain", "time_limit", "interrupted", "enough"}
        Why no more members were tried.
    failed_ : list of str
        Members that could not be trained, and why.
    cv_score_ : float
        Share of the variance explained (R squared) to be expected on new rows.
    cv_rmse_ : float
        Root of the mean squared error to be expected.
    cv_loss_ : float
        Loss to be expected, by the metric.
    by_lot_ : ByLot or None
        As that of :class:`OverproduceSelectClassifier`, of RMSE.
    outputs_ : MemberPredictions
        What all members tried said about rows they had not seen.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble selection from
       libraries of models", ICML 2004.
    .. [2] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani and L. Wasserman, "Distribution-free
       predictive inference for regression", Journal of the American Statistical Association 113,
       2018, section 5.2 (locally weighted).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from counterpoint.auto import OverproduceSelectRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> pool = [("ridge", Ridge(0.1)), ("tree", DecisionTreeRegressor(max_depth=3))]
    >>> model = OverproduceSelectRegressor(pool, random_state=0).fit(X[:300], y[:300])
    >>> low, high = model.predict_interval(X[300:], coverage=0.9)
    >>> bool(((low < y[300:]) & (y[300:] < high)).mean() > 0.8)
    True
    """

    _classes = False
    _loss_column = "rmse"

    def __init__(
        self,
        pool: Pool = None,
        *,
        metric: str = "rmse",
        diversity: float = 0.0,
        cv: Any = 5,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            pool, metric=metric, diversity=diversity, cv=cv, time_limit=time_limit,
            n_jobs=n_jobs, progress=progress, random_state=random_state,
        )  # fmt: skip

    def _read(self, X, y):
        self._check_given()
        need_target(self, y)
        y = np.asarray(column_or_1d(read_numbers(y), warn=True), dtype=np.float64)
        assert_all_finite(y, input_name="y")
        X = self._numbers_of(X)
        check_consistent_length(X, y)
        return X, y

    def _default_pool(self, X):
        members = default_number_pool(len(X), X.shape[1])
        level = self._metric().level
        if level is not None:
            members.insert(FIRST, boosted_for(level, len(X)))
        return members

    def _metric(self):
        return number_metric(self.metric)

    def _task(self):
        return NumberTask()

    def _tell(self, choice, metric, outputs, rule, keep, families, seconds):
        """Set what is known of the choice, and what intervals are made of."""
        y, weight = outputs.y, outputs.sample_weight
        self.shift_ = float(choice.decision)
        self.cv_loss_ = metric.loss(choice.honest, y, weight, choice.decision)
        gap = choice.honest - y
        mse = float(np.average(gap**2, weights=weight))
        spread = float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
        self.cv_rmse_ = float(np.sqrt(mse))
        self.cv_score_ = 1.0 - mse / spread if spread > 0 else 0.0
        kept = outputs.take(keep)
        apart = member_spread(kept.values, self.estimator_weights_)
        # Never nothing: members may all be wrong in the same way.
        self._least_apart = float(max(np.abs(gap).mean(), 1e-300))
        self._scores = np.sort(np.abs(gap) / (self._least_apart + apart))
        self.leaderboard_ = _leaderboard(outputs, kept, rule, keep, families, seconds, spread)

    # -- asking --------------------------------------------------------------------------------

    def _ask(self, X):
        return once(self, self._check_X(X), self._ask_pool)

    def _ask_pool(self, X):
        task = NumberTask()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.stack([task.ask(Member(m, None, name), X) for name, m in self.pool_])

    def _combined(self, X):
        return self.combiner_.combine(MemberPredictions(self._ask(X))) + self.shift_

    def predict_interval(self, X: DataLike, *, coverage: float = 0.9) -> tuple[NDArray, NDArray]:
        """Return the ends of intervals that hold the truth so often.

        The distance to the ensemble's answer on rows that members were not trained on, in units
        of how much they disagree there, has a quantile: new rows of the same kind are within it
        as often. It is added to and taken from the mean, whatever the metric.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        coverage : float, default=0.9
            Share of new rows whose truth is inside.

        Returns
        -------
        low, high : ndarray of shape (n_samples,)
            Infinite where there were too few rows to say so much.
        """
        check_is_fitted(self)
        reach = conformal_limit(self._scores, coverage)
        values = self._ask(X)
        middle = self.combiner_.combine(MemberPredictions(values))
        half = reach * (self._least_apart + member_spread(values, self.estimator_weights_))
        return middle - half, middle + half

    # -- words ---------------------------------------------------------------------------------

    def _expected(self):
        return f"RMSE {self.cv_rmse_:.4g}, R2 {self.cv_score_:.3f}"

    def _alone(self, row):
        return f"RMSE {row['rmse']:.4g}, R2 {row['r2']:.3f}"

    def _off(self, loss):
        return f"is {loss:.4g} off (RMSE)"

    def _worth(self, row):
        return (
            f"alone its RMSE is {row['rmse']:.4g}; it is {row['disagrees']:.4g} away from the "
            f"ensemble; without it the squared error would change by {row['adds']:+.4g}."
        )


class NumberTask:
    """How members are asked about numbers, and what they come to."""

    n_outputs = 1

    def ask(self, member, X):
        """Return the numbers of a member."""
        values = np.asarray(member.estimator.predict(X), dtype=np.float64).reshape(len(X))
        assert_all_finite(values, input_name="its predictions")
        return values

    def outputs(self, answers, rows, y, sample_weight, names):
        """Return what members said about rows, with the truth."""
        weight = rows_of(sample_weight, rows)
        return MemberPredictions(answers, y[rows], sample_weight=weight, names=names)

    def mean_of(self, models):
        """Return the models of folds as one."""
        return FoldMeanRegressor(models)

    def carry(self, answers, rows, y, sample_weight):
        """Return what each member would count in a mean, and the mean's squared error."""
        names = [str(k) for k in range(len(answers))]
        outputs = self.outputs(answers, rows, y, sample_weight, names)
        trace = select_forward(outputs, "squared", n_members=QUICK_STEPS, replace=True, tol=0.0)
        weights = np.zeros(len(answers))
        weights[trace.selected] = trace.weights
        return weights, float(trace.values[trace.best])


def _leaderboard(outputs, kept, rule, keep, families, seconds, spread):
    answer = rule.combine(kept)
    weight = outputs.sample_weight

    def mse(values):
        return np.average((values - outputs.y) ** 2, axis=-1, weights=weight)

    share, adds = np.zeros(outputs.n_members), np.zeros(outputs.n_members)
    share[keep] = rule.shares(kept)
    if len(keep) > 1:
        whole = mse(answer)
        adds[keep] = [mse(rule.silence(m, kept, answer)) - whole for m in range(len(keep))]
    alone = mse(outputs.values)
    apart = np.average((outputs.values - answer) ** 2, axis=1, weights=weight)
    frame = pd.DataFrame(
        {
            "member": outputs.names,
            "family": families,
            "rmse": np.sqrt(alone),
            "r2": 1.0 - alone / spread if spread > 0 else np.zeros(len(alone)),
            "weight": share,
            "adds": adds,
            "disagrees": np.sqrt(apart),
            "seconds": seconds,
        }
    )
    order = ["weight", "rmse"]
    return frame.sort_values(order, ascending=[False, True]).reset_index(drop=True)
