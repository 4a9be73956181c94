"""The meta-estimator behind all view ensembles: a view a member, trained side by side."""

from copy import deepcopy
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from counterpoint._asking import said
from counterpoint._tables import select_rows
from counterpoint._typing import DataLike
from counterpoint._validation import check_learner
from counterpoint.base import (
    MAX_SEED,
    BaseEnsembleClassifier,
    encode_target,
    fit_member,
    need_target,
    read_table,
    set_random_states,
    validate_data,
)
from counterpoint.views.view import View


def _has_proba(ensemble):
    return ensemble._members_have_proba()


class BaseViewClassifier(MetaEstimatorMixin, BaseEnsembleClassifier):
    """Give each member its own view of the data, train them in parallel, average their answers.

    A subclass says which views there are (:meth:`_make_views`), and may change who learns
    (:meth:`_template`, or :meth:`_learners` for several) and how answers are put together
    (:meth:`_combine`).
    """

    # Views that calculate with columns need finite numbers; the others pass frames on as they are.
    _numeric = True
    # The parameter that says how many members there are, for who gives a number as the learner.
    _count = "n_estimators"
    estimator: Any = None
    n_jobs: int | None
    random_state: Any

    # -- what subclasses fill in ---------------------------------------------------------------

    def _make_views(self, X, y, sample_weight, rng) -> list[View]:
        raise NotImplementedError

    def _template(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _templates(self, n_members) -> list[tuple[str, Any]]:
        """Return what learns each member, by its name in ``_learners``."""
        return [("estimator", self._template())] * n_members

    def _combine(self, shares, X):
        """Put the probabilities of the members, an iterator, together."""
        total, n = 0.0, 0
        for one in shares:
            total, n = total + one, n + 1
        return total / n

    # -- training ------------------------------------------------------------------------------

    def _fit_members(self, X, y, sample_weight, rng):
        if sample_weight is not None and not sample_weight.all():
            rows = np.flatnonzero(sample_weight)  # a row, or a class, without weight is not there
            X, y, sample_weight = select_rows(X, rows), y[rows], sample_weight[rows]
            self.classes_, _ = encode_target(self, y)
        views = self._make_views(X, y, sample_weight, rng)
        self.estimators_, self.views_ = self._train(views, X, y, sample_weight, rng)

    def _train(self, views, X, y, sample_weight, rng):
        routed = self._fit_params(sample_weight)
        # Every member has a seed of its own, drawn before the work is shared: the number of jobs
        # changes nothing.
        seeds = rng.randint(MAX_SEED, size=len(views))
        given = {"sample_weight": sample_weight}
        each = zip(self._templates(len(views)), views, seeds, strict=True)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_on_view)(
                learner, view, X, y, routed.get(name, given).get("sample_weight"), seed
            )
            for (name, learner), view, seed in each
        )
        return [model for model, _ in fitted], [view for _, view in fitted]

    def _read(self, X, y):
        check_learner(self.estimator, owner=type(self).__name__, count=self._count)
        need_target(self, y)
        if self._passes_on(X):
            X, y = read_table(self, X, reset=True), column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, ensure_min_samples=2, **self._data_options())
        self.classes_, _ = encode_target(self, y)
        return X, y

    def _check_X(self, X):
        check_is_fitted(self)
        if self._passes_on(X):
            return read_table(self, X)
        return validate_data(self, X, reset=False, **self._data_options())

    def _passes_on(self, X):
        """Whether this is a frame, for learners of one's own that may want its names."""
        return not self._numeric and bool(self._learners()) and hasattr(X, "columns")

    def _data_options(self):
        if self._numeric:
            return {"dtype": np.float64}
        return {"ensure_all_finite": not self._allows_nan(), "dtype": "numeric"}

    def _allows_nan(self):
        return not self._numeric and get_tags(self._template()).input_tags.allow_nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    # -- answers -------------------------------------------------------------------------------

    def _each(self, ask, X):
        """Ask the members, and give their answers in their order, one after the other."""
        return Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(ask)(model, view, X, self.classes_)
            for model, view in zip(self.estimators_, self.views_, strict=True)
        )

    def _each_labels(self, X):
        return self._each(member_labels, X)

    def _each_proba(self, X):
        return self._each(member_proba, X)

    def _shares(self, X):
        """Probabilities of the ensemble; shares of the vote where a member has none."""
        if self._members_have_proba():
            return self._combine(self._each_proba(X), X)
        votes = (
            (labels[:, None] == self.classes_).astype(float) for labels in self._each_labels(X)
        )
        return self._combine(votes, X)

    def member_predict(self, X: Any) -> NDArray:
        """Return the label that each member gives each sample, (n_members, n_samples)."""
        return np.stack(list(self._each_labels(self._check_X(X))))

    @available_if(_has_proba)
    def member_predict_proba(self, X: DataLike) -> NDArray:
        """Return the probabilities of each member, (n_members, n_samples, n_classes)."""
        return np.stack(list(self._each_proba(self._check_X(X))))

    @available_if(_has_proba)
    def predict_proba(self, X: Any) -> NDArray:
        """Return the mean of the members' probabilities, (n_samples, n_classes)."""
        return self._shares(self._check_X(X))

    def predict(self, X: Any) -> NDArray:
        """Return the most probable label, (n_samples,), the first of equals.

        By votes where a member has no probabilities.
        """
        shares = self._shares(self._check_X(X))
        return self.classes_[shares.argmax(axis=1)]


def _fit_on_view(learner, view, X, y, sample_weight, seed):
    rng = np.random.RandomState(seed)
    view = deepcopy(view)
    data = view.fit(X, y, sample_weight, rng)
    model = set_random_states(clone(learner), rng)
    return fit_member(model, data.X, data.y, data.sample_weight), view


def member_proba(model, view, X, classes):
    """Probabilities of one member, a column for every class, (n_samples, n_classes).

    Classes that the view merged share their group's probability equally; a class that the
    member never saw has probability 0.
    """
    proba = said(model, view.transform(X))
    targets = view.targets(classes)
    wanted = classes if targets is None else targets
    at = np.minimum(np.searchsorted(model.classes_, wanted), len(model.classes_) - 1)
    known = model.classes_[at] == wanted
    sizes = np.array([(wanted == label).sum() for label in wanted])
    return np.where(known, proba[:, at] / sizes, 0.0)


def member_labels(model, view, X, classes):
    """Labels that one member gives, (n_samples,); of a merged group its first class."""
    labels = np.asarray(model.predict(view.transform(X)))
    targets = view.targets(classes)
    if targets is None:
        return labels
    groups, first = np.unique(targets, return_index=True)
    return classes[first[np.searchsorted(groups, labels)]]
