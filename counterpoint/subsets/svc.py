"""A support vector machine on the kernel of an ensemble."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.svm import SVC
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from counterpoint.subsets.kernels import ensemble_kernel

# Numbers in a block of rows whose kernel is made at a time.
_BLOCK = 1 << 23


class EnsembleKernelSVC(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Weigh an ensemble's subsets anew, by the widest margin on its kernel.

    The ensemble is trained, :func:`ensemble_kernel` says how often it puts two samples
    together, and a support vector machine separates the classes with that. An ensemble's
    own vote is one hyperplane among the subsets; the machine may choose any, and so correct
    where enrichment or uniformity is lacking.

    Parameters
    ----------
    estimator : ensemble of trees, StochasticDiscriminationClassifier or None, default=None
        None means 30 extremely random trees with at least two samples a leaf. Wrap a fitted one in
        ``sklearn.frozen.FrozenEstimator`` to keep it as it is.
    C : float, default=1.0
        Cost of errors.
    class_weight : dict, "balanced" or None, default=None
        Multiplies C by class.
    random_state : int, RandomState instance or None, default=None
        Seeds the ensemble, unless it has a seed of its own.

    Attributes
    ----------
    estimator_ : estimator
        The fitted ensemble.
    svc_ : SVC
        The machine, on the kernel of the training samples.
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors among the training samples.
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    Training holds the kernel of all pairs of samples, in double precision; prediction only needs
    that with the support vectors. Trees grown to the last sample tell training samples apart
    far better than new ones: let leaves hold a few.

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

    def __init__(self, estimator=None, *, C=1.0, class_weight=None, random_state=None):
        self.estimator = estimator
        self.C = C
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X, y):
        """Train the ensemble, then the machine on its kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            Labels of two classes or more.

        Returns
        -------
        EnsembleKernelSVC
        """
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class only, {self.classes_.tolist()}: pass at least two classes."
            )
        rng = check_random_state(self.random_state)
        if self.estimator is None:
            self.estimator_ = ExtraTreesClassifier(n_estimators=30, min_samples_leaf=2)
        else:
            self.estimator_ = clone(self.estimator)
        own = self.estimator_.get_params(deep=False)
        if "random_state" in own and own["random_state"] is None:
            self.estimator_.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        self.estimator_.fit(X, y)
        kernel = ensemble_kernel(self.estimator_, X)
        weight = self.class_weight
        if isinstance(weight, dict):
            weight = {c: weight[label] for c, label in enumerate(self.classes_) if label in weight}
        self.svc_ = SVC(C=self.C, kernel="precomputed", class_weight=weight).fit(kernel, codes)
        self.support_ = self.svc_.support_
        self._support_rows = X[self.support_]
        return self

    def _in_blocks(self, ask, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        n_train = self.svc_.shape_fit_[0]
        step = max(1, _BLOCK // n_train)
        told = []
        for start in range(0, len(X), step):
            rows = X[start : start + step]
            # The machine looks at columns of support vectors only; the others may be anything.
            kernel = np.zeros((len(rows), n_train))
            kernel[:, self.support_] = ensemble_kernel(self.estimator_, rows, self._support_rows)
            told.append(ask(kernel))
        return np.concatenate(told)

    def decision_function(self, X) -> NDArray:
        """Return the distances from the hyperplanes, as ``SVC.decision_function`` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        check_is_fitted(self)
        return self._in_blocks(self.svc_.decision_function, X)

    def predict(self, X) -> NDArray:
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self._in_blocks(self.svc_.predict, X)]
