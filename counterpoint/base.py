"""What every ensemble of ours shares, and what an outside author subclasses.

An ensemble is a scikit-learn estimator with members that can be asked one by one:
``member_predict``, ``member_predict_proba`` where members have probabilities, and
``member_outputs``, which every measure, combiner and plot reads. Derive from
:class:`BaseEnsembleClassifier` or :class:`BaseEnsembleRegressor`, write ``_fit_members``, and the
rest follows. The functions here seed learners and fit them; those that read data are next door, in
``_reading.py``, and public through this module.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils import validation as _sklearn
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if

from counterpoint._ballot import member_mean, vote_shares
from counterpoint._crossfit import fit_member, takes_weights
from counterpoint._members import Member, ask_all
from counterpoint._outputs import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint._reading import (
    check_weights,
    encode_target,
    need_target,
    read_labels,
    read_numbers,
    read_table,
    validate_data,
)

__all__ = [
    "MAX_SEED",
    "BaseEnsemble",
    "BaseEnsembleClassifier",
    "BaseEnsembleRegressor",
    "LearnersMixin",
    "check_weights",
    "draw_seed",
    "encode_target",
    "fit_member",
    "need_target",
    "read_labels",
    "read_numbers",
    "read_table",
    "set_random_states",
    "takes_weights",
    "validate_data",
]

MAX_SEED = np.iinfo(np.int32).max


# -- seeds -------------------------------------------------------------------------------------


def draw_seed(rng: np.random.RandomState) -> int:
    """Return a seed for something that takes an int.

    Examples
    --------
    >>> draw_seed(np.random.RandomState(0))
    209652396
    """
    if not hasattr(rng, "randint"):
        raise TypeError(f"rng={rng!r}: pass a RandomState; check_random_state makes one of a seed.")
    return int(rng.randint(MAX_SEED))


def set_random_states(model: Any, rng: np.random.RandomState, *, only_missing: bool = False) -> Any:
    """Give every ``random_state`` in a model a seed of its own, as scikit-learn's ensembles do.

    Parameters
    ----------
    model : estimator
        Changed in place; parts of pipelines and of meta-estimators are seeded, too.
    rng : RandomState
        Where seeds are drawn from, in the order of the parameters' names.
    only_missing : bool, default=False
        Leave a seed alone that somebody has set.

    Returns
    -------
    estimator
        ``model``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> set_random_states(DecisionTreeClassifier(), np.random.RandomState(0)).random_state
    209652396
    """
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise TypeError(f"model={model!r} is no estimator: pass an object with get_params.")
    own = model.get_params(deep=True)
    seeds = {
        name: draw_seed(rng)
        for name in sorted(own)
        if (name == "random_state" or name.endswith("__random_state"))
        and not (only_missing and own[name] is not None)
    }
    return model.set_params(**seeds) if seeds else model


# -- members -----------------------------------------------------------------------------------


class LearnersMixin:
    """Passes metadata, such as sample weights, on to the learners that an estimator clones."""

    def _learners(self) -> dict[str, Any]:
        """Return the learners that are cloned for members, by the names of their parameters."""
        learner = getattr(self, "estimator", None)
        return {} if learner is None else {"estimator": learner}

    def get_metadata_routing(self) -> Any:
        """Return which metadata goes where: the estimator's own, and that of its learners."""
        learners = self._learners()
        if not learners:
            return super().get_metadata_routing()  # type: ignore[misc]
        router = MetadataRouter(owner=self).add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return router.add(**learners, method_mapping=mapping)

    def _fit_params(self, sample_weight: Any = None, **params: Any) -> dict[str, dict[str, Any]]:
        """Return what to pass to the ``fit`` of each learner, by its name in ``_learners``.

        With metadata routing on, what each has asked for; otherwise everything.
        """
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        names = self._learners()
        if not (get_config()["enable_metadata_routing"] and names):
            return {name: dict(params) for name in names}
        routed = process_routing(self, "fit", **params)
        return {name: dict(routed[name].fit) for name in names}


class BaseEnsemble(LearnersMixin, BaseEstimator):
    """Members that can be asked, whoever trains them.

    Subclasses keep what they trained in ``estimators_`` and may weigh it by
    ``estimator_weights_``; one that keeps its members otherwise overrides ``member_predict``.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, or numbers for a regressor.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. None: all the same.

        Returns
        -------
        self
        """
        X, y = self._read(X, y)
        weight = check_weights(sample_weight, X)
        self._fit_members(X, y, weight, check_random_state(getattr(self, "random_state", None)))
        return self

    def _fit_members(self, X, y, sample_weight, rng):
        raise NotImplementedError(
            f"{type(self).__name__} must write _fit_members, which trains members and sets "
            "estimators_."
        )

    def _check_X(self, X: Any) -> Any:
        """Return the data of a question, as the members want it."""
        _sklearn.check_is_fitted(self)
        return validate_data(self, X, reset=False)

    def _member_weights(self) -> NDArray | None:
        return getattr(self, "estimator_weights_", None)


class BaseEnsembleClassifier(ClassifierMixin, BaseEnsemble):
    """A classifier with members.

    A subclass writes ``_fit_members(X, y, sample_weight, rng)``, which trains members on labels
    and sets ``estimators_``, and ``estimator_weights_`` if they do not count alike. It answers
    with the most probable class of the members' (weighted) mean, or with their (weighted) vote
    where one has no probabilities.

    Examples
    --------
    >>> from sklearn.base import clone
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.base import BaseEnsembleClassifier, set_random_states
    >>> class RandomTreesClassifier(BaseEnsembleClassifier):
    ...     def __init__(self, n_estimators=5, *, random_state=None):
    ...         self.n_estimators = n_estimators
    ...         self.random_state = random_state
    ...     def _fit_members(self, X, y, sample_weight, rng):
    ...         tree = DecisionTreeClassifier(splitter="random")
    ...         self.estimators_ = [
    ...             set_random_states(clone(tree), rng).fit(X, y, sample_weight=sample_weight)
    ...             for _ in range(self.n_estimators)
    ...         ]
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = RandomTreesClassifier(random_state=0).fit(X[::2], y[::2])
    >>> trees.member_outputs(X[1::2], y[1::2])
    MemberOutputs(5 members, 75 samples, 3 classes)
    """

    def _read(self, X, y):
        """Check the training data and set ``classes_``; return X and the labels."""
        need_target(self, y)
        X, y = validate_data(self, X, y)
        self.classes_, _ = encode_target(self, y)
        return X, _sklearn.column_or_1d(y)

    def _ask(self, X):
        members = [Member(m, None, f"member {k}") for k, m in enumerate(self.estimators_)]
        n_jobs = getattr(self, "n_jobs", None)
        return ask_all(members, self._check_X(X), self.classes_, n_jobs=n_jobs)

    def member_outputs(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> MemberOutputs:
        """Ask every member once, for measures, combiners and plots.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            The truth, if known.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.

        Returns
        -------
        MemberOutputs
        """
        return MemberOutputs.from_estimator(self, X, y, sample_weight=sample_weight)

    def member_predict(self, X: Any) -> NDArray:
        """Return the label that each member gives each sample.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """
        _sklearn.check_is_fitted(self)
        return self.classes_[self._member_votes(X)]

    def _member_votes(self, X):
        return self._ask(X).votes

    def _members_have_proba(self):
        """Whether every member has probabilities; before fit, every learner."""
        models = getattr(self, "estimators_", None)
        if models is None:
            models = list(self._learners().values())
        return all(hasattr(model, "predict_proba") for model in models)

    @available_if(lambda ensemble: ensemble._members_have_proba())
    def member_predict_proba(self, X: Any) -> NDArray:
        """Return the probabilities that each member gives.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_classes)
        """
        _sklearn.check_is_fitted(self)
        return self._ask(X).proba

    def predict_proba(self, X: Any) -> NDArray:
        """Return what the members' answers come to: shares of the classes that add up to 1.

        That is their mean probabilities, or shares of their vote, by their weights; or what the
        ensemble's own rule makes of them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        _sklearn.check_is_fitted(self)
        return self._combined(X)

    def _combined(self, X):
        answers = self._ask(X)
        shares = answers.proba
        if shares is None:
            return vote_shares(answers.votes, len(self.classes_), self._member_weights())
        return member_mean(shares, self._member_weights())

    def predict(self, X: Any) -> NDArray:
        """Return the label with most support, the first of equals.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        winners = self._winners(X)
        return self.classes_[winners]

    def _winners(self, X):
        return self.predict_proba(X).argmax(axis=1)


class BaseEnsembleRegressor(RegressorMixin, BaseEnsemble):
    """A regressor with members; as :class:`BaseEnsembleClassifier`, with numbers for labels.

    ``member_outputs`` gives ``MemberPredictions``, the numbers of the members.
    """

    def member_outputs(
        self, X: Any, y: Any = None, *, sample_weight: Any = None
    ) -> MemberPredictions:
        """Ask every member once, for combiners and searches; ``y`` is the truth, if known."""
        weights = self._member_weights()
        if weights is not None and np.min(weights) < 0:
            weights = None  # a negative weight of a linear combination is no say in a mean
        values = self.member_predict(X)
        return MemberPredictions(values, y, sample_weight=sample_weight, weights=weights)

    def _read(self, X, y):
        """Check the training data; return X and the numbers."""
        need_target(self, y)
        return validate_data(self, X, y, y_numeric=True)

    def member_predict(self, X: Any) -> NDArray:
        """Return the number that each member gives each sample, (n_members, n_samples)."""
        _sklearn.check_is_fitted(self)
        return self._ask(X)

    def _ask(self, X):
        X = self._check_X(X)
        return np.stack([np.asarray(model.predict(X), dtype=float) for model in self.estimators_])

    def predict(self, X: Any) -> NDArray:
        """Return the mean of the members, by their weights, or what the ensemble's rule makes."""
        _sklearn.check_is_fitted(self)
        return self._combined(X)

    def _combined(self, X):
        return member_mean(self.member_predict(X), self._member_weights())
