"""A pool cut down to the members that are best together, as a scikit-learn classifier (X13)."""

from collections.abc import Callable
from typing import Any, Self

from sklearn.base import clone

from counterpoint.combiners import Combiner, MeanCombiner, VoteCombiner
from counterpoint.combiners._pool import CombiningPoolClassifier
from counterpoint.selection.genetic import select_genetic
from counterpoint.selection.ordering import (
    order_by_complementarity,
    order_by_error,
    order_by_kappa,
    order_by_margin_distance,
)
from counterpoint.selection.search import (
    select_backward,
    select_by_order,
    select_exhaustive,
    select_floating,
    select_forward,
)
from counterpoint.selection.thinning import select_thinning

_SEARCHES: dict[str, Callable] = {
    "exhaustive": select_exhaustive,
    "forward": select_forward,
    "backward": select_backward,
    "floating": select_floating,
    "thinning": select_thinning,
    "genetic": select_genetic,
}
_ORDERS: dict[str, Callable] = {
    "error": order_by_error,
    "kappa": order_by_kappa,
    "margin": order_by_margin_distance,
    "complementarity": order_by_complementarity,
}


class EnsembleSelectionClassifier(CombiningPoolClassifier):
    """Keep the members of a pool that are best together.

    Members that are not fitted are cross-fitted, the selection looks only at what they say about
    rows they were not trained on, and those selected are fitted on all rows. With the defaults
    this is greedy ensemble selection with replacement [1]_: the weight of a member is how often
    it was taken.

    Parameters
    ----------
    pool : list, dict or ensemble, default=None
        Estimators, (name, estimator) pairs, a dict of estimators, or one ensemble, fitted or
        not. None is logistic regression, naive Bayes and a tree.
    search : str, default="forward"
        "forward", "backward", "floating", "thinning", "exhaustive", "genetic"; or an order in
        which members join: "error", "kappa", "margin", "complementarity".
    criterion : str, Criterion or Combiner, default="neg_log_loss"
        What makes a subset good: "error" of the vote, a measure of diversity, the name of a
        scikit-learn scorer, a combiner (its error), or a criterion of your own.
    n_members : int, default=None
        Steps or size, as the search has it.
    replace : bool, default=True
        For "forward": whether a member may be taken more than once.
    combiner : Combiner, default=None
        How the selected are combined. None averages probabilities, weighted by how often a
        member was taken, or counts votes where there are none.
    columns : list, default=None
        For a list or dict: the columns each member sees; None is all.
    cv : int, splitter or iterable, default=5
        How to cross-fit.
    n_jobs : int, default=None
        Members fitted or asked at a time.
    random_state : int, RandomState instance or None, default=None
        Seeds the genetic search.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    selected_ : ndarray of int
        Positions in the pool, in the order they joined.
    weights_ : ndarray
        Of the selected; they add up to 1.
    trace_ : Trace
        The steps of the search.
    pool_ : list of (name, estimator) pairs, or ensemble
        All members, fitted.
    combiner_ : Combiner
        Fitted.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble selection from
       libraries of models", ICML 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.selection import EnsembleSelectionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EnsembleSelectionClassifier().fit(X, y)
    >>> bool(model.weights_.sum().round(9) == 1)
    True
    """

    def __init__(
        self,
        pool=None,
        *,
        search="forward",
        criterion="neg_log_loss",
        n_members=None,
        replace=True,
        combiner=None,
        columns=None,
        cv=5,
        n_jobs=None,
        random_state=None,
    ):
        self.pool = pool
        self.search = search
        self.criterion = criterion
        self.n_members = n_members
        self.replace = replace
        self.combiner = combiner
        self.columns = columns
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y) -> Self:
        """Fit the members that are not, and select.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        EnsembleSelectionClassifier
        """
        if self.search not in _SEARCHES and self.search not in _ORDERS:
            raise ValueError(f"search={self.search!r}: choose {', '.join([*_SEARCHES, *_ORDERS])}.")
        if self.combiner is not None and not isinstance(self.combiner, Combiner):
            raise TypeError(
                f"combiner is a {type(self.combiner).__name__}, expected a Combiner such as "
                "MeanCombiner()."
            )
        X, y = self._fit_pool(X, y)
        outputs = self._outputs_unseen(X, y)
        self.trace_ = self._search(outputs)
        self.selected_, self.weights_ = self.trace_.selected, self.trace_.weights
        chosen = outputs.take(self.selected_)
        if self.combiner is None:
            rule = VoteCombiner if chosen.proba is None else MeanCombiner
            self.combiner_ = rule(self.weights_)
        else:
            self.combiner_ = clone(self.combiner).fit(chosen)
        return self

    def _search(self, outputs):
        if self.search in _ORDERS:
            order = _ORDERS[self.search](outputs)
            return select_by_order(outputs, order[: self.n_members], self.criterion)
        options: dict[str, Any] = {}
        if self.search == "genetic":
            options["random_state"] = self.random_state
        else:
            options["n_members"] = self.n_members
        if self.search == "forward":
            options["replace"] = self.replace
        return _SEARCHES[self.search](outputs, self.criterion, **options)

    def _asked(self, X):
        return self.outputs(X).take(self.selected_)
