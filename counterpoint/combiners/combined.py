"""A pool of members and a rule, as one scikit-learn classifier."""

from typing import Self

from sklearn.base import clone

from counterpoint.combiners._base import Combiner
from counterpoint.combiners._pool import CombiningPoolClassifier
from counterpoint.combiners.fixed import MeanCombiner, VoteCombiner


class CombinedClassifier(CombiningPoolClassifier):
    """Combine the members of a pool by any rule.

    Members that are fitted already are taken as they are; the others are fitted. Rules that
    learn are fitted on what the members say about samples they were not trained on, by
    cross-fitting; members are then fitted once more, on all samples. About prefitted members
    nothing is known: give ``fit`` data they were not trained on.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Estimators, (name, estimator) pairs, a dict of estimators, or one ensemble, fitted or
        not. None is logistic regression, naive Bayes and a tree.
    combiner : Combiner, default=None
        The rule. None averages probabilities, or counts votes where a member has none.
    columns : list, default=None
        For a list or dict: the columns each member sees, by name, number or slice; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit for rules that learn.
    n_jobs : int, default=None
        Members fitted or asked at a time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    pool_ : list of (name, estimator) pairs, or ensemble
        All fitted.
    combiner_ : Combiner
        Fitted.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    sklearn.ensemble.VotingClassifier : Vote and weighted mean of unfitted members.
    sklearn.ensemble.StackingClassifier : A classifier on the members' outputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.combiners import ChoquetCombiner, CombinedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CombinedClassifier(combiner=ChoquetCombiner()).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(self, pool=None, *, combiner=None, columns=None, cv=5, n_jobs=None):
        self.pool = pool
        self.combiner = combiner
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X, y) -> Self:
        """Fit the members that are not, and the rule.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        CombinedClassifier
        """
        combiner = self.combiner
        if combiner is not None and not isinstance(combiner, Combiner):
            raise TypeError(
                f"combiner is a {type(combiner).__name__}, expected a Combiner such as "
                "MeanCombiner() or StackingCombiner(SVC(probability=True))."
            )
        X, y = self._fit_pool(X, y)
        if combiner is None:
            combiner = VoteCombiner() if self._without_proba() else MeanCombiner()
        if combiner.needs_proba:
            self._need_proba(type(combiner).__name__)
        self.combiner_ = clone(combiner)
        if combiner.needs_truth:
            self.combiner_.fit(self._outputs_unseen(X, y))
        return self
