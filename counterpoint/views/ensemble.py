"""Any view, any learner: the ensemble for views of one's own."""

from typing import Any

from counterpoint._typing import Estimator, Seed
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.view import BootstrapView, check_views


class ViewEnsembleClassifier(BaseViewClassifier):
    """Train a member on each of several views of the data and average their probabilities.

    The other classifiers of this package are this one with a view made for them. Use it for
    views of your own, for chains of views, and for a different view per member.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner; None is scikit-learn's ``DecisionTreeClassifier()``.
    view : View, list of View, or None, default=None
        One view, copied for each member, or a list with a view a member. None is
        ``BootstrapView()``, which makes this bagging. Views that calculate with columns want an
        array or frame of numbers; others pass frames on as they are.
    n_estimators : int, default=10
        Number of members, where ``view`` is not a list.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds views and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    estimators_ : list of classifiers
        The members.
    views_ : list of View
        What each of them sees.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       2.2.1 and 2.3.1: ways to change the data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.views import BootstrapView, ChainedView, SubspaceView
    >>> from counterpoint.views import ViewEnsembleClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> patches = ChainedView([BootstrapView(0.5), SubspaceView(2)])
    >>> ensemble = ViewEnsembleClassifier(view=patches, random_state=0).fit(X, y)
    >>> ensemble.member_predict(X).shape
    (10, 150)
    """

    _numeric = False

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        view: Any = None,
        n_estimators: int = 10,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.view = view
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        return check_views(BootstrapView() if self.view is None else self.view, self.n_estimators)
