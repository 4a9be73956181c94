"""What the two NCCD estimators share: options, checks of the data, the round that is kept."""

import warnings
from numbers import Integral, Real

import numpy as np
import pandas as pd
from joblib import Parallel
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from counterpoint._members import select_rows
from counterpoint.exceptions import RedundancyWarning
from counterpoint.networks._correction import Bags, Correction, member_values, seeds_for
from counterpoint.networks._strength import lambda_star, resolve_strength

_DEFAULT_STRENGTH = 0.5


class BaseNCCD(MetaEstimatorMixin, BaseEstimator):
    """Members refitted on corrected targets; subclasses code y and read the outputs."""

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=10,
        strength=None,
        lam=None,
        exclude_self=False,
        n_rounds=20,
        step=None,
        bootstrap=True,
        patience=3,
        tol=1e-3,
        n_jobs=None,
        progress=None,
        random_state=None,
    ):
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

    # -- checks ----------------------------------------------------------------------------------

    def _check_options(self):
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
        for name in ("n_rounds", "patience"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise ValueError(f"{name}={value!r}: give a whole number from 1.")
        if not isinstance(self.tol, Real) or not 0 <= float(self.tol) < np.inf:
            raise ValueError(f"tol={self.tol!r}: give a number from 0.")
        step = 1.0 - rate if self.step is None else self.step
        if not isinstance(step, Real) or not 0 < float(step) <= 1:
            raise ValueError(
                f"step={step!r}: give a number above 0, up to 1, or None for 1 - strength."
            )
        if is_classifier(self._base()):
            raise ValueError(
                f"{type(self._base()).__name__} is a classifier, and {type(self).__name__} fits "
                "its members to numbers: pass a regressor as `estimator`."
            )
        self.lam_, self.lam_star_, self.strength_ = lam, lambda_star(n), s
        return rate, float(step)

    def _look(self, X, *, reset=False):
        """Note or check names and number of columns; the base learner checks the values."""
        # Frames go to the learner as they are: it may want names, or strings.
        X = X if hasattr(X, "shape") else np.asarray(X)
        if len(X.shape) != 2:
            raise ValueError(
                f"Expected 2D array, got {len(X.shape)}D array instead: X has shape {X.shape}. "
                "Reshape your data to (n_samples, n_features)."
            )
        validate_data(self, X, reset=reset, skip_check_array=True)
        if not issparse(X):
            return X
        if not get_tags(self).input_tags.sparse:
            raise TypeError(
                f"Sparse data was passed, but {type(self).__name__} with this base learner "
                "needs dense data: pass X.toarray(), or a learner that takes sparse data."
            )
        return X.tocsr()  # a form that rows can be drawn from

    def _check_weight(self, X, y, sample_weight):
        """Return rows that count, their weights, and how many cases they stand for."""
        n = X.shape[0]
        if n != len(y):
            raise ValueError(f"X has {n} rows and y {len(y)}: inconsistent numbers of samples.")
        if n == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}): at least 1 needed.")
        weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        weight = _check_sample_weight(weight, np.empty((n, 1)), ensure_non_negative=True)
        if (weight == 0).any():  # as if these samples were not there
            kept = np.flatnonzero(weight)
            X, y, weight = select_rows(X, kept), y[kept], weight[kept]
        # Whole numbers are repeats of samples; other weights only say which count for more.
        whole = (weight == np.round(weight)).all()
        return X, y, weight, int(weight.sum()) if whole else len(weight)

    # -- training --------------------------------------------------------------------------------

    def _fit(self, X, y, d, weight, n_cases, eval_set, rate, step):
        rng = check_random_state(self.random_state)
        base, n = self._base(), int(self.n_estimators)
        seeds = [seeds_for(base, rng) for _ in range(n)]
        pass_weight = None
        if self.bootstrap:
            bags = Bags.drawn(X, y, weight, n_cases, n, rng)
        else:
            bags = Bags.whole(n, len(y))
            if np.ptp(weight) > 0:
                if not has_fit_parameter(base, "sample_weight"):
                    raise ValueError(
                        f"{type(base).__name__} takes no sample_weight: set bootstrap=True, which "
                        "draws rows by weight instead."
                    )
                pass_weight = weight * (n_cases / weight.sum())
        share = weight / weight.sum()
        joint = d.shape[1] > 1 and get_tags(base).target_tags.multi_output
        correction = Correction(
            base,
            rate,
            step,
            bool(self.exclude_self) and n > 1,
            joint,
            self.n_rounds,
            self.patience,
            self.tol,
            Parallel(n_jobs=self.n_jobs, prefer="threads"),
            self.progress,
            type(self).__name__,
        )
        judge = self._judge(d, share, bags, eval_set)
        notes = self._notes(d, share)
        correction.run(X, d, share, bags, seeds, pass_weight=pass_weight, judge=judge, notes=notes)
        self.estimators_ = correction.best
        self.best_round_, self.stop_reason_ = correction.best_round, correction.reason
        frame = pd.DataFrame(correction.history)
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="round")
        self.history_ = frame
        self.estimators_samples_ = [
            np.arange(len(y)) if isinstance(rows, slice) else rows for rows in bags.rows
        ]
        self._warn(correction, n)
        return self

    def _warn(self, correction, n):
        if correction.reason == "interrupted":
            warnings.warn(
                f"Interrupted: {type(self).__name__} keeps round {correction.best_round}, the "
                f"best of the {len(correction.history)} finished.",
                UserWarning,
                stacklevel=4,
            )
        if n > 1 and not self.bootstrap and correction.history[0]["ambiguity"] == 0.0:
            warnings.warn(
                "All members are the same: the base learner is deterministic and sees the same "
                "rows each time. Set bootstrap=True, or pass a learner with a random_state.",
                RedundancyWarning,
                stacklevel=4,
            )

    def _judge(self, d, share, bags, eval_set):
        """Return the error by which rounds are compared: evaluation, out-of-bag, or training."""
        if eval_set is not None:
            X_new, d_new = self._evaluation(eval_set)
            return lambda models, values: float(
                self._loss(np.mean([member_values(m, X_new) for m in models], axis=0), d_new).mean()
            )
        if bags.held is None:
            return lambda models, values: float(share @ self._loss(values.mean(axis=0), d))
        unseen = bags.held.sum(axis=0)
        rows = np.flatnonzero(unseen >= min(2, len(bags.held)))
        if not len(rows):
            return lambda models, values: float(share @ self._loss(values.mean(axis=0), d))
        held, by = bags.held[:, rows, None], share[rows] / share[rows].sum()
        m, n = unseen[rows], len(bags.held)

        def out_of_bag(models, values):
            f = (values[:, rows] * held).sum(axis=0) / m[:, None]
            error = self._loss(f, d[rows])
            if n > 1:
                # The mean of m members varies more than that of all n: count what n would.
                spread = (((values[:, rows] - f) ** 2) * held).sum(axis=(0, 2)) / (m - 1)
                error = error - spread / m + spread / n
            return float(by @ error)

        return out_of_bag

    def _evaluation(self, eval_set):
        if not isinstance(eval_set, tuple | list) or len(eval_set) != 2:
            raise ValueError(
                f"eval_set is a {type(eval_set).__name__}: give a pair (X, y) of held-out data."
            )
        X, y = eval_set
        return self._look(X), self._targets(y)

    @staticmethod
    def _loss(f, d):
        return ((f - d) ** 2).sum(axis=1)

    def _notes(self, d, share):
        return lambda f: {}

    # -- asking ----------------------------------------------------------------------------------

    def _member_values(self, X):
        """Return what the members say, (n_members, n_samples, n_outputs)."""
        check_is_fitted(self)
        X = self._look(X)
        return np.stack([member_values(model, X) for model in self.estimators_])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base())
        tags.input_tags.allow_nan = base.input_tags.allow_nan
        tags.input_tags.sparse = base.input_tags.sparse
        tags.input_tags.categorical = base.input_tags.categorical
        return tags
