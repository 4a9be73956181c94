"""A pool of members and a rule, as one scikit-learn classifier."""

from typing import Any

from counterpoint._typing import Pool
from counterpoint.combiners.fixed import MeanCombiner, VoteCombiner
from counterpoint.combiners.pool import BasePoolClassifier
from counterpoint.combiners.registry import as_combiner


class CombinedClassifier(BasePoolClassifier):
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
    combiner : Combiner or str, default=None
        The rule, or its name in :data:`COMBINERS`. None averages probabilities, or counts votes
        where a member has none.
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

    Notes
    -----
    A logistic regression, one of the default pool, adds up one row in another order than many on
    some processors: what a row gets may depend on the rows asked with it in the last digits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.combiners import ChoquetCombiner, CombinedClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CombinedClassifier(combiner=ChoquetCombiner()).fit(X, y).predict(X[:2]).tolist()
    [0, 0]
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        combiner: Any = None,
        columns: list | None = None,
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.pool = pool
        self.combiner = combiner
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs

    def _fit_members(self, X, y, sample_weight, rng):
        rule = None if self.combiner is None else as_combiner(self.combiner)
        learns = rule is not None and rule.needs_truth
        outputs = (self._fit_unseen if learns else self._fit_pool)(X, y, sample_weight)
        if rule is None:
            rule = VoteCombiner() if self._without_proba() else MeanCombiner()
        if rule.needs_proba:
            self._need_proba(type(rule).__name__)
        self.combiner_ = rule.fit(outputs) if learns else rule
