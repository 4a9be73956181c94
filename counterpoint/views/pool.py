"""Different learners, and one learner with different parameters, in one pool."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint._arrays import code_type
from counterpoint._members import Answers
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_pool
from counterpoint.base import takes_weights
from counterpoint.combiners.pool import MOST_ROWS_NEIGHBOURS
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.view import View, WholeView


def expand_pool(pool: Pool) -> list:
    """Return a list of (name, estimator) pairs, grids of parameters written out.

    Parameters
    ----------
    pool : list or dict
        Estimators, (name, estimator) pairs, or (name, estimator, grid) triples, where ``grid`` is
        a dict from parameters to lists of values, as for ``GridSearchCV``. Names may repeat. A
        dict is from names to estimators.

    Returns
    -------
    list of (str, estimator)
        Names are all different.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from counterpoint.views import expand_pool
    >>> pool = [("near", KNeighborsClassifier(), {"n_neighbors": [1, 5]})]
    >>> [name for name, _ in expand_pool(pool)]
    ['near (n_neighbors=1)', 'near (n_neighbors=5)']
    """
    if isinstance(pool, dict):
        pool = list(pool.items())
    if not isinstance(pool, list | tuple) or not pool:
        raise ValueError(
            f"pool is {pool!r}, expected a list of estimators, (name, estimator) pairs or (name, "
            "estimator, grid) triples; at least one."
        )
    members: list[tuple[str, Any]] = []
    for item in pool:
        name, estimator, grid = _parts(item)
        if grid is None:
            members.append((name, estimator))
            continue
        for parameters in ParameterGrid(grid):
            shown = ", ".join(f"{k}={v}" for k, v in parameters.items())
            members.append((f"{name} ({shown})", clone(estimator).set_params(**parameters)))
    return _distinct(members)


def _parts(item):
    if not isinstance(item, tuple):
        item = (type(item).__name__, item)
    if not 2 <= len(item) <= 3 or not isinstance(item[0], str) or not hasattr(item[1], "fit"):
        raise ValueError(
            f"{item!r} is no member: give an estimator, a (name, estimator) pair or a (name, "
            "estimator, grid) triple."
        )
    return item if len(item) == 3 else (*item, None)


def _distinct(members):
    times: dict[str, int] = {}
    named = []
    for name, estimator in members:
        times[name] = times.get(name, 0) + 1
        named.append((name if times[name] == 1 else f"{name} {times[name]}", estimator))
    return named


def default_pool(n_rows) -> list:
    """Return eight quick learners of five kinds, for so many rows; of very many, six of four."""
    many = max(1, min(15, n_rows // 3))
    pool = expand_pool(
        [
            ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
            ("naive Bayes", GaussianNB()),
            ("linear discriminant", LinearDiscriminantAnalysis()),
            ("nearest", make_pipeline(StandardScaler(), KNeighborsClassifier(1))),
            ("neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(many))),
            ("tree", DecisionTreeClassifier(), {"max_depth": [2, 5, None]}),
        ]
    )
    near = ("nearest", "neighbours") if n_rows > MOST_ROWS_NEIGHBOURS else ()
    return [member for member in pool if member[0] not in near]


class HeterogeneousPoolClassifier(BaseViewClassifier):
    """Average the probabilities of different learners trained on the same data.

    Members differ because learners do: another kind of boundary, or another value of a parameter.
    The pool is a place to select from as well (``counterpoint.selection``).

    Parameters
    ----------
    pool : list, dict or None, default=None
        Estimators, (name, estimator) pairs, or (name, estimator, grid) triples, see
        :func:`expand_pool`. None is eight quick learners: logistic regression, naive Bayes, linear
        discriminant, 1 and 15 neighbours (at most a third of the rows; on columns of a common
        scale), trees of depth 2, 5 and any. With weights of samples the discriminant and the
        neighbours, which take none, are left out; the neighbours also above 50,000 rows.
    view : View or None, default=None
        What each member sees, for example ``BootstrapView()``; None is all data.
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds view and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    names_ : list of str
        Names of the members.
    estimators_ : list of classifiers
        The members.
    views_ : list of View
        What each sees.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    sklearn.ensemble.VotingClassifier : Named members without grids or views.
    counterpoint.combiners.CombinedClassifier : Other ways to combine a pool.

    Notes
    -----
    A linear discriminant, one of the default pool, adds up one row in another order than many:
    what a row gets may depend on the rows asked with it in the last digits.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.2.2, "Differences in Base Classifiers".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.views import HeterogeneousPoolClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> pool = [("tree", DecisionTreeClassifier(), {"max_depth": [2, 3]}), ("margin", SVC())]
    >>> HeterogeneousPoolClassifier(pool).fit(X, y).names_
    ['tree (max_depth=2)', 'tree (max_depth=3)', 'margin']
    """

    _numeric = False

    def __init__(
        self,
        pool: Pool = None,
        *,
        view: Any = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.view = view
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _learners(self):
        check_pool(self.pool, owner=type(self).__name__)
        return {} if self.pool is None else dict(expand_pool(self.pool))

    def _allows_nan(self):
        return False

    def _make_views(self, X, y, sample_weight, rng):
        if self.pool is not None:
            self._members = expand_pool(self.pool)
        else:
            self._members = [
                (name, learner)
                for name, learner in default_pool(len(y))
                if sample_weight is None or takes_weights(learner)
            ]
        self.names_ = [name for name, _ in self._members]
        view = WholeView() if self.view is None else self.view
        if not isinstance(view, View):
            raise TypeError(
                f"view is a {type(view).__name__}, expected a View such as BootstrapView()."
            )
        return [view] * len(self._members)

    def _member_answers(self, X):
        proba = self.member_predict_proba(X) if self._members_have_proba() else None
        votes = np.searchsorted(self.classes_, self.member_predict(X))
        small = code_type(len(self.classes_))
        return Answers(self.classes_, self.names_, votes.astype(small), proba)

    def _templates(self, n_members):
        members = self._members
        del self._members
        return members
