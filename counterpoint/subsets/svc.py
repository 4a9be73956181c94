"""A support vector machine on the kernel of an ensemble."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from counterpoint._options import solver_steps
from counterpoint._reading import thin_rows
from counterpoint._typing import ClassWeight, DataLike, Pool, Seed
from counterpoint._validation import check_learner
from counterpoint.base import BaseEnsemble, draw_seed, encode_target, fit_member, validate_data
from counterpoint.subsets.kernels import ensemble_kernel

# Numbers in a block of rows whose kernel is made at a time.
_BLOCK = 1 << 23


class EnsembleKernelSVC(ClassifierMixin, MetaEstimatorMixin, BaseEnsemble):
    """Weigh an ensemble's subsets anew, by the widest margin on its kernel.

    The ensemble is trained, :func:`ensemble_kernel` says how often it puts two samples
    together, and a support vector machine separates the classes with that. An ensemble's
    own vote is one hyperplane among the subsets; the machine may choose any, and so correct
    where enrichment or uniformity is lacking.

    Parameters
    ----------
    pool : ensemble of trees, StochasticDiscriminationClassifier or None, default=None
        Trained first. None means 30 extremely random trees with at least two samples a leaf. Wrap
        a fitted one in ``sklearn.frozen.FrozenEstimator`` to keep it as it is.
    C : float, default=1.0
        Cost of errors.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C by class.
    max_samples : int or None, default=10_000
        Most rows that the machine learns from; of more, so many are drawn by lot, every class in
        its share, with a ``ThinnedWarning``. The ensemble is trained on all. None takes all: 14
        bytes for each pair of rows.
    random_state : int, RandomState instance or None, default=None
        Seeds the ensemble, unless it has a seed of its own.

    Attributes
    ----------
    pool_ : estimator
        The fitted ensemble.
    svc_ : SVC
        The machine, on the kernel of the training samples.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors among the training samples.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Training holds the kernel of all pairs of samples that the machine learns from, in double
    precision; prediction only needs that with the support vectors. Trees grown to the last sample
    tell training samples apart far better than new ones: let leaves hold a few. X is of numbers,
    none missing. Weights of samples are for the ensemble, and factors of C for the machine; samples
    of weight 0 are left out.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       3.4 and 3.7.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.subsets import EnsembleKernelSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = EnsembleKernelSVC(random_state=0).fit(X[::2], y[::2])
    >>> bool(machine.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        C: float = 1.0,
        class_weight: ClassWeight = None,
        max_samples: int | None = 10_000,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.C = C
        self.class_weight = class_weight
        self.max_samples = max_samples
        self.random_state = random_state

    def _learners(self):
        return {} if self.pool is None else {"pool": self.pool}

    def _read(self, X, y):
        return validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2)

    def _fit_members(self, X, y, weight, rng):
        if weight is not None:
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        self.classes_, codes = encode_target(self, y)
        check_learner(self.pool, "pool", owner="EnsembleKernelSVC")
        if self.pool is None:
            self.pool_ = ExtraTreesClassifier(n_estimators=30, min_samples_leaf=2)
            params = {"sample_weight": weight}
        else:
            self.pool_, params = clone(self.pool), self._fit_params(weight)["pool"]
        own = self.pool_.get_params(deep=False)
        if "random_state" in own and own["random_state"] is None:
            self.pool_.set_params(random_state=draw_seed(rng))
        fit_member(self.pool_, X, y, **params)
        rows = thin_rows(self, codes, "the machine")
        if rows is not None:
            X, codes = X[rows], codes[rows]
            weight = None if weight is None else weight[rows]
        kernel = ensemble_kernel(self.pool_, X)
        factor = self.class_weight
        if isinstance(factor, dict):
            factor = {c: factor[label] for c, label in enumerate(self.classes_) if label in factor}
        steps = solver_steps(len(kernel))
        # Nothing in it is random, but without a seed it draws one from numpy's global generator.
        self.svc_ = SVC(
            C=self.C, kernel="precomputed", class_weight=factor, max_iter=steps, random_state=0
        )
        self.svc_.fit(kernel, codes, sample_weight=weight)
        self._support_rows = X[self.svc_.support_]
        self.support_ = self.svc_.support_ if rows is None else rows[self.svc_.support_]

    def _in_blocks(self, ask, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        n_train = self.svc_.shape_fit_[0]
        step = max(1, _BLOCK // n_train)
        answers = []
        for start in range(0, len(X), step):
            rows = X[start : start + step]
            # The machine looks at columns of support vectors only; the others may be anything.
            kernel = np.zeros((len(rows), n_train))
            kernel[:, self.svc_.support_] = ensemble_kernel(self.pool_, rows, self._support_rows)
            answers.append(ask(kernel))
        return np.concatenate(answers)

    def decision_function(self, X: DataLike) -> NDArray:
        """Return the distances from the hyperplanes, as ``SVC.decision_function`` does.

        (n_samples, n_classes), or (n_samples,) for two classes.
        """
        check_is_fitted(self)
        return self._in_blocks(self.svc_.decision_function, X)

    def predict(self, X: DataLike) -> NDArray:
        """Return the class of each sample, (n_samples,)."""
        check_is_fitted(self)
        return self.classes_[self._in_blocks(self.svc_.predict, X)]
