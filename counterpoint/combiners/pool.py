"""A pool of members inside an estimator: fitted or to be fitted, each with its own columns."""

from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, column_or_1d

from counterpoint import _crossfit
from counterpoint._members import (
    Member,
    answers_of,
    ask_all,
    is_fitted,
    is_pool,
    members_of,
    named_pool,
    strip,
    values_of,
)
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._validation import check_pool
from counterpoint.base import (
    BaseEnsembleClassifier,
    BaseEnsembleRegressor,
    encode_target,
    need_target,
    read_numbers,
    read_table,
    validate_data,
)
from counterpoint.exceptions import MemberError

# Beyond so many rows a scan over neighbours costs more than it brings: none in default pools.
MOST_ROWS_NEIGHBOURS = 50_000


class _Pool(MetaEstimatorMixin):
    """Fitting and asking a pool; subclasses have ``pool``, ``columns``, ``cv`` and ``n_jobs``."""

    _kind = "classifier"

    def _given_pool(self, weighted=False, n_samples=0):
        """Return the pool to fit; of the default one, what suits weights and so many rows."""
        if self.pool is not None:
            return self.pool
        pool = self._default_pool()
        if n_samples > MOST_ROWS_NEIGHBOURS:
            pool = [m for m in pool if not hasattr(m[1], "kneighbors")]
        return [m for m in pool if _crossfit.takes_weights(m[1])] if weighted else pool

    def _listed(self, pool) -> list[Member]:
        if not is_pool(pool):
            return [Member(pool, None, "pool")]
        return named_pool(pool, self.columns, kind=self._kind)

    def _learners(self) -> dict[str, Any]:
        if is_pool(self.pool) and not len(self.pool):
            return {}  # fit says so
        listed = self._listed(self._given_pool())
        return {m.name: m.estimator for m in listed if not is_fitted(m.estimator)}

    def _fit_pool(self, X, y, sample_weight):
        """Fit the members that are not, on all rows; return the pool given and their weights."""
        pool = self._given_pool(sample_weight is not None, len(y))
        members = self._listed(pool)
        weights = self._member_fit_weights(members, y, sample_weight)
        fitted = _crossfit.fit_all(members, X, y, sample_weight=weights, n_jobs=self.n_jobs)
        if is_pool(pool):
            self.pool_ = [(m.name, model) for m, model in zip(members, fitted, strict=True)]
        else:
            self.pool_ = fitted[0]
        return pool, weights

    def _member_fit_weights(self, members, y, sample_weight):
        """Return the weights for each learner by its name, or None; raise if one takes none."""
        if sample_weight is None:
            return None
        if self._kind == "classifier" and len(np.unique(y[sample_weight > 0])) < 2:
            raise ValueError("Only one class has samples with weight: give weight to two at least.")
        params = self._fit_params(sample_weight)
        fresh = [m for m in members if not is_fitted(m.estimator)]
        weights = {m.name: params[m.name].get("sample_weight") for m in fresh}
        without = [
            m.name
            for m in fresh
            if weights[m.name] is not None and not _crossfit.takes_weights(m.estimator)
        ]
        if without:
            raise ValueError(
                f"{', '.join(without)} {'takes' if len(without) == 1 else 'take'} no "
                "sample_weight: fit without weights, or leave such members out of the pool."
            )
        return weights

    def _asked(self):
        """Return the pool to ask, its columns, and which of its answers count."""
        return self.pool_, self.columns if is_pool(self.pool_) else None, slice(None)

    def _check_X(self, X):
        """Return X as the members want it."""
        check_is_fitted(self)
        if self.pool is None:
            return validate_data(self, X, reset=False)
        return read_table(self, X)

    def _read_X(self, X, y, **options):
        # Frames go to the members as they are: they may want names, or strings.
        check_pool(self.pool, owner=type(self).__name__)
        need_target(self, y)
        if self.pool is None:
            return validate_data(self, X, y, **options)
        return read_table(self, X, reset=True), column_or_1d(y, warn=True)


class BasePoolClassifier(_Pool, BaseEnsembleClassifier):
    """What classifiers around a pool share.

    A subclass writes ``_fit_members(X, y, sample_weight, rng)``, calls ``_fit_unseen`` in it for
    what the members say about rows they were not trained on, and keeps its rule in ``combiner_``.
    """

    @staticmethod
    def _default_pool():
        return [
            ("logistic regression", LogisticRegression(max_iter=1000)),
            ("naive Bayes", GaussianNB()),
            ("tree", DecisionTreeClassifier(max_depth=6, random_state=0)),
        ]

    def _read(self, X, y):
        X, y = self._read_X(X, y)
        self.classes_, _ = encode_target(self, y)
        return X, y

    def _fit_pool(self, X, y, sample_weight):
        given = super()._fit_pool(X, y, sample_weight)
        self.classes_ = self._common_classes()
        return given

    def _fit_unseen(self, X, y, sample_weight) -> MemberOutputs:
        """Fit the members; return what they say about rows they were not trained on."""
        pool, weights = self._fit_pool(X, y, sample_weight)
        columns = self.columns if is_pool(pool) else None
        answers = _crossfit.answers(pool, X, y, columns, self.cv, weights, self.n_jobs)
        return MemberOutputs._from_answers(answers, y, sample_weight)

    def _common_classes(self):
        """Return all classes, of y and of members; raise where they speak of different things."""
        if not is_pool(self.pool_):
            # A fitted pool may know a class that these samples have none of.
            return np.asarray(getattr(self.pool_, "classes_", self.classes_))
        known = {n: np.asarray(m.classes_) for n, m in self.pool_ if hasattr(m, "classes_")}
        for name, own in known.items():
            # Members may know a class that y has none of, but not miss all that y has.
            alike = (own.dtype.kind in "OSU") == (self.classes_.dtype.kind in "OSU")
            if not alike or not np.isin(own, self.classes_).any():
                raise ValueError(
                    f"{name} was fitted on the classes {own.tolist()}, but y holds "
                    f"{self.classes_.tolist()}: all members must speak of the same classes."
                )
        return np.unique(np.concatenate([self.classes_, *known.values()]))

    def _without_proba(self):
        if not is_pool(self.pool_):
            return []
        return [name for name, member in self.pool_ if not hasattr(member, "predict_proba")]

    def _need_proba(self, what):
        without = self._without_proba()
        if without:
            one = len(without) == 1
            raise ValueError(
                f"{what} needs probabilities, but {', '.join(without)} "
                f"{'has' if one else 'have'} no predict_proba: calibrate {'it' if one else 'them'} "
                f"(CalibratedClassifierCV), leave {'it' if one else 'them'} out, or combine votes."
            )

    def _ask(self, X):
        """Return the answers of the members, over ``classes_``."""
        X = self._check_X(X)
        pool, columns, kept = self._asked()
        if is_pool(pool):
            answers = ask_all(named_pool(pool, columns), X, self.classes_, n_jobs=self.n_jobs)
        else:
            answers = answers_of(pool, X, n_jobs=self.n_jobs)
            answers.names = np.array(answers.names, dtype=object)[kept].tolist()
            answers.votes = answers.votes[kept]
            answers.proba = None if answers.proba is None else answers.proba[kept]
            answers.weights = None if answers.weights is None else answers.weights[kept]
        answers.combiner = getattr(self, "combiner_", None)
        return answers

    def _member_answers(self, X):
        return self._ask(X)

    def _members_have_proba(self):
        pool = getattr(self, "pool_", None)
        if pool is None:
            return super()._members_have_proba()
        if is_pool(pool):
            return not self._without_proba()
        ensemble = strip(pool)[1]
        if hasattr(ensemble, "member_predict"):
            return hasattr(ensemble, "member_predict_proba")
        try:
            return all(hasattr(m.estimator, "predict_proba") for m in members_of(ensemble))
        except MemberError:
            return False

    def _combined(self, X):
        return self.combiner_.predict_proba(self.member_outputs(X))


class BasePoolRegressor(_Pool, BaseEnsembleRegressor):
    """What regressors around a pool share; as :class:`BasePoolClassifier`, with numbers."""

    _kind = "regressor"

    @staticmethod
    def _default_pool():
        return [
            ("ridge regression", Ridge()),
            ("tree", DecisionTreeRegressor(max_depth=6, random_state=0)),
            ("nearest neighbours", KNeighborsRegressor()),
        ]

    def _read(self, X, y):
        X, y = self._read_X(X, y, **({"y_numeric": True} if self.pool is None else {}))
        return X, check_array(read_numbers(y), ensure_2d=False, dtype=np.float64, input_name="y")

    def _fit_unseen(self, X, y, sample_weight) -> MemberPredictions:
        """Fit the members; return what they say about rows they were not trained on."""
        pool, weights = self._fit_pool(X, y, sample_weight)
        columns = self.columns if is_pool(pool) else None
        values = _crossfit.values(pool, X, y, columns, self.cv, weights, self.n_jobs)
        self.names_ = [f"member {k}" for k in range(len(values))]
        if is_pool(pool):
            self.names_ = [name for name, _ in self.pool_]
        return MemberPredictions(values, y, sample_weight=sample_weight, names=self.names_)

    def _ask(self, X):
        X = self._check_X(X)
        pool, columns, kept = self._asked()
        return values_of(pool, X, columns=columns, n_jobs=self.n_jobs)[kept]

    def _combined(self, X):
        return self.combiner_.combine(MemberPredictions(self._ask(X)))
