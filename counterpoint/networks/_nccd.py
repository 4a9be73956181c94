"""What the two NCCD estimators share: options, checks of the data, the round that is kept."""

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import MetaEstimatorMixin, clone, is_classifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from counterpoint._arrays import count_cases
from counterpoint._ballot import member_mean
from counterpoint._interrupts import keep_partial
from counterpoint._options import check_shared_options
from counterpoint._strength import lambda_star, resolve_strength
from counterpoint._tables import need_numbers, select_rows
from counterpoint._typing import Estimator, Seed
from counterpoint._validation import check_count, check_learner, check_number
from counterpoint.base import (
    BaseEnsemble,
    check_weights,
    need_target,
    read_table,
    set_random_states,
)
from counterpoint.exceptions import RedundancyWarning
from counterpoint.networks.correction import Bags, Correction, member_values, rows_of

_DEFAULT_STRENGTH = 0.5


class BaseNCCD(MetaEstimatorMixin, BaseEnsemble):
    """Members refitted on corrected targets; subclasses code y and read the outputs."""

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_estimators: int = 10,
        strength: float | None = None,
        lam: float | None = None,
        exclude_self: bool = False,
        n_rounds: int = 20,
        step: Any = None,
        bootstrap: bool = True,
        patience: int = 3,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.strength = strength
        self.lam = lam
        self.exclude_self = exclude_self
        self.n_rounds = n_rounds
        self.step = step
        self.bootstrap = bootstrap
        self.patience = patience
        self.tol = tol
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def _base(self):
        # `is None`, not `or`: an ensemble as a base learner has a length.
        return DecisionTreeRegressor(max_depth=4) if self.estimator is None else self.estimator

    def _learners(self):
        return {"estimator": self._base()}

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None, **params: Any
    ) -> Self:
        """Train the members in rounds.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Whatever the base learner takes.
        y : array-like of shape (n_samples,)
            Numbers, or the labels of a classifier.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples. Rows are drawn by them; with ``bootstrap=False`` they are
            passed to the base learner.
        eval_set : (X, y), default=None
            Held-out data by which the best round is found.
        **params : dict
            Metadata for the ``fit`` of the base learner, with metadata routing on.

        Returns
        -------
        self
        """
        rate, step = self._check_options()
        need_target(self, y)
        X = read_table(self, X, reset=True)
        if self.estimator is None:  # other learners may take text
            need_numbers(X, type(self).__name__)
        X, y, weight, params = self._rows_that_count(X, self._read_y(y), sample_weight, params)
        y, d = self._code(y)
        # Other weights than numbers of cases only say which count for more.
        n_cases = count_cases(weight) or len(weight)
        rng = check_random_state(self.random_state)
        base, n = self._base(), int(self.n_estimators)
        models = [set_random_states(clone(base), rng) for _ in range(n)]
        bags = Bags.drawn(X, y, weight, n_cases, n, rng) if self.bootstrap else Bags.whole(n)
        member_weight = None
        if not self.bootstrap and np.ptp(weight) > 0:
            if not has_fit_parameter(base, "sample_weight"):
                raise ValueError(
                    f"{type(base).__name__} takes no sample_weight: set bootstrap=True, which "
                    "draws rows by weight instead."
                )
            member_weight = weight * (n_cases / weight.sum())
        share = weight / weight.sum()
        correction = Correction(
            rate=rate,
            step=step,
            exclude_self=bool(self.exclude_self) and n > 1,
            joint=d.shape[1] > 1 and get_tags(base).target_tags.multi_output,
            options=self,
        )
        correction.run(
            X,
            d,
            share,
            bags,
            models,
            params=self._fit_params(member_weight, **params)["estimator"],
            judge=self._judge(d, share, bags, eval_set),
            notes=self._notes(d, share),
        )
        self.estimators_ = correction.best
        self.best_epoch_, self.stop_reason_ = correction.best_round, correction.reason
        self.history_ = pd.DataFrame(correction.history)
        self.history_.index = pd.RangeIndex(1, len(self.history_) + 1, name="round")
        self.estimators_samples_ = [
            np.arange(len(y)) if isinstance(rows, slice) else rows for rows in bags.rows
        ]
        self._warn(correction, n)
        return self

    # -- checks ----------------------------------------------------------------------------------

    def _check_options(self):
        check_shared_options(self)
        s, lam = resolve_strength(self.strength, self.lam, self.n_estimators, _DEFAULT_STRENGTH)
        n = int(self.n_estimators)
        rate = s * (1.0 - 1.0 / n) if self.exclude_self else s
        if rate >= 1.0:
            way = (
                "Stay below lambda_upper = 0.5 / (1 - 1/N)^2."
                if self.exclude_self
                else "Stay below 1, or set exclude_self=True, which works up to "
                "lambda = 0.5 / (1 - 1/N)^2."
            )
            raise ValueError(
                f"strength {s:.6g} (lam={lam:.6g}, n_estimators={n}) has no corrected target: "
                f"d + s / (1 - s) (d - f) divides by 1 - s = {1 - rate:.6g}. {way}"
            )
        check_learner(self.estimator, owner=type(self).__name__, count="n_estimators")
        for name in ("n_rounds", "patience"):
            check_count(getattr(self, name), name)
        check_number(self.tol, "tol", low=0)
        step = 1.0 - rate if self.step is None else self.step
        check_number(step, "step", low=0, high=1, open_low=True, hint=", or None for 1 - strength")
        if is_classifier(self._base()):
            raise ValueError(
                f"{type(self._base()).__name__} is a classifier, and {type(self).__name__} fits "
                "its members to numbers: pass a regressor as `estimator`."
            )
        self.lam_, self.lam_star_, self.strength_ = lam, lambda_star(n), s
        return rate, float(step)

    def _rows_that_count(self, X, y, sample_weight, params):
        """Return the rows with weight, their weights, and what else belongs to them."""
        n = X.shape[0]
        if n != len(y):
            raise ValueError(f"X has {n} rows and y {len(y)}: inconsistent numbers of samples.")
        if n == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}): at least 1 needed.")
        weight = check_weights(sample_weight, np.empty((n, 1)))
        weight = np.ones(n) if weight is None else weight
        if (weight > 0).all():
            return X, y, weight, params
        kept = np.flatnonzero(weight)  # as if the other samples were not there
        params = {name: rows_of(value, kept, n) for name, value in params.items()}
        return select_rows(X, kept), y[kept], weight[kept], params

    # -- training --------------------------------------------------------------------------------

    def _warn(self, correction, n):
        if correction.reason == "interrupted":
            keep_partial(
                f"{type(self).__name__} keeps round {correction.best_round}, the best of the "
                f"{len(correction.history)} finished.",
                stacklevel=4,
            )
        first = correction.history[0]
        # Up to rounding: the mean of equal numbers need not be that number.
        alike = first["ambiguity"] <= 1e-20 * first["member_error"]
        if n > 1 and not self.bootstrap and alike:
            warnings.warn(
                "All members are the same: the base learner is deterministic and sees the same "
                "rows each time. Set bootstrap=True, or pass a learner with a random_state.",
                RedundancyWarning,
                stacklevel=3,
            )

    def _judge(self, d, share, bags, eval_set):
        """Return the error by which rounds are compared: evaluation, out-of-bag, or training."""
        if eval_set is not None:
            X_new, d_new = self._evaluation(eval_set)
            return lambda models, values: float(
                self._loss(np.mean([member_values(m, X_new) for m in models], axis=0), d_new).mean()
            )
        n_unseen = np.zeros(len(d)) if bags.unseen is None else bags.unseen.sum(axis=0)
        rows = np.flatnonzero(n_unseen >= min(2, len(bags.rows)))
        if not len(rows):
            return lambda models, values: float(share @ self._loss(values.mean(axis=0), d))
        unseen, by = bags.unseen[:, rows, None], share[rows] / share[rows].sum()
        m, n = n_unseen[rows], len(bags.unseen)

        def out_of_bag(models, values):
            f = (values[:, rows] * unseen).sum(axis=0) / m[:, None]
            error = self._loss(f, d[rows])
            if n > 1:
                # The mean of m members varies more than that of all n: count what n would.
                spread = (((values[:, rows] - f) ** 2) * unseen).sum(axis=(0, 2)) / (m - 1)
                error = error - spread / m + spread / n
            return float(by @ error)

        return out_of_bag

    def _evaluation(self, eval_set):
        if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
            raise ValueError(
                f"eval_set is a {type(eval_set).__name__}: give a pair (X, y) of held-out data."
            )
        X, y = eval_set
        return read_table(self, X), self._new_targets(y)

    @staticmethod
    def _loss(f, d):
        return ((f - d) ** 2).sum(axis=1)

    def _notes(self, d, share):
        return lambda f: {}

    # -- asking ----------------------------------------------------------------------------------

    def _member_scores(self, X):
        """Return what the members say, (n_members, n_samples, n_outputs)."""
        check_is_fitted(self)
        X = read_table(self, X)
        if self.estimator is None:
            need_numbers(X, type(self).__name__)
        return np.stack([member_values(model, X) for model in self.estimators_])

    def _scores(self, X):
        return member_mean(self._member_scores(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base())
        tags.input_tags.allow_nan = base.input_tags.allow_nan
        tags.input_tags.sparse = base.input_tags.sparse
        tags.input_tags.categorical = base.input_tags.categorical
        return tags
