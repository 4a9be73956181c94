"""The rules of trees grown on disjoint parts of the data, merged into one set."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from counterpoint._progress import track
from counterpoint._reading import thin_rows
from counterpoint._typing import DataLike, Estimator, Pool, Seed
from counterpoint._validation import check_choice, check_count
from counterpoint.base import takes_weights, validate_data
from counterpoint.trees.boxes import leaf_boxes
from counterpoint.trees.distilling.artificial import Sampler
from counterpoint.trees.growing.cases import deal_cases, fit_cases
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.pool import PoolMixin
from counterpoint.trees.rules.merge import RuleMerger, Rules
from counterpoint.trees.rules.rule import Condition, RuleList, write_rule
from counterpoint.trees.single import SharesMixin
from counterpoint.trees.structure import require_columns
from counterpoint.trees.take import take_trees

_N_FRESH = 1000
_CHUNK = 1 << 22  # rules times samples that are looked at in one go


class RuleMergeClassifier(PoolMixin, SharesMixin, ClassifierMixin, BaseEstimator):
    """One set of rules out of trees grown on disjoint parts of the data.

    Each leaf of a tree is a rule: a box with a class. Trees are taken in one after the other.
    Where a rule of one meets a rule of another class, the training samples in both are
    contested: the rules are cut apart, along one column, where fewest contested samples are said
    wrongly. A sample that no rule covers any more gets a new rule. Rules of a class are joined
    where no rule of another class is between them, and those are dropped whose samples others
    cover.

    It was made for data that no one tree can be grown on. Expect about the accuracy of one tree
    grown on all the data; with ``counting="contested"`` there are more rules than that tree has
    leaves.

    Parameters
    ----------
    pool : classifier of trees, list of trees, TreeEnsemble or None, default=None
        Merge the rules of these trees instead of growing some. One that is not fitted, as after
        ``clone`` or in a grid search, is fitted first, on all the data.
    n_parts : int, default=4
        Parts the data are dealt out to, each with its share of every class. Not used with
        ``pool``.
    estimator : classifier or None, default=None
        What is grown on a part: a tree that takes ``sample_weight``. None is
        ``PrunedTreeClassifier()``, which stands in for C4.5.
    counting : {"contested", "covered"}, default="contested"
        Which errors decide where two rules are cut: those on contested samples, as in
        [1]_; or also the samples that one of the rules alone had right and would lose, which
        gives fewer rules and may cost some accuracy.
    max_samples : int or None, default=20_000
        Most samples that trees are grown on and rules merged by; of more, so many are drawn by
        lot, every class in its share, with a ``ThinnedWarning``: the time grows faster than the
        square of their number. None takes all. The trees of a fitted ``pool`` may have seen any
        number.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds the parts and the trees.

    Attributes
    ----------
    lower_, upper_ : ndarray of shape (n_rules, n_features)
        A rule covers the samples with ``lower < x <= upper``; -inf and inf where it has no edge.
    rule_classes_ : ndarray of shape (n_rules,)
        What each rule says.
    value_ : ndarray of shape (n_rules, n_classes)
        Weights of the classes among the training samples it covers. Rules come by their sum.
    rules_ : RuleList
        The rules for people, with support and confidence; prints one a line.
    n_cases_ : float
        Weight of all training samples.
    pool_ : TreeEnsemble
        The trees whose rules were merged.
    n_tree_rules_ : int
        Leaves of all trees together.
    n_conflicts_, n_gaps_, n_joined_, n_dropped_ : int
        Pairs of rules cut apart, new rules for samples left without, rules joined to another,
        and rules dropped because others cover their samples.
    fidelity_ : float
        Share of 1000 artificial samples, drawn from the leaves of the trees, on which rules and
        trees agree.
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X was a frame with such.

    See Also
    --------
    MergedTreeClassifier : One tree out of many, usually more accurate.

    Notes
    -----
    Boxes of different classes may still overlap where no training sample is. There, and where
    rules of a class overlap, the weights of all rules that cover the sample are added up. A
    sample that no rule covers takes the nearest rule, distances in standard deviations of each
    column. X must have no missing values. Copies of a sample, by its weight, may go to different
    parts.

    References
    ----------
    .. [1] L. O. Hall, N. Chawla and K. W. Bowyer, "Combining Decision Trees Learned in
       Parallel", workshop paper, 1998.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles: Model and Decision Level
       Combination", PhD thesis, Bournemouth University, 2010, section 2.5.2. How rules are cut,
       gaps are filled and similar rules are found is left open there and is settled here as
       described.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.trees import RuleMergeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RuleMergeClassifier(random_state=0).fit(X, y)
    >>> len(model.rules_) < model.n_tree_rules_, model.score(X, y) > 0.9
    (True, True)
    """

    def __init__(
        self,
        pool: Pool = None,
        *,
        n_parts: int = 4,
        estimator: Estimator = None,
        counting: str = "contested",
        max_samples: int | None = 20_000,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.n_parts = n_parts
        self.estimator = estimator
        self.counting = counting
        self.max_samples = max_samples
        self.progress = progress
        self.random_state = random_state

    def _make(self, X, y, sample_weight, rng):
        X, y, codes, weight = self._read_cases(X, y, sample_weight)
        kept = thin_rows(self, codes, "merging rules")
        if kept is not None:
            X, y, codes, weight = X[kept], y[kept], codes[kept], weight[kept]
        trees = self.pool_ = self._take_trees(X, y, codes, weight, rng)
        require_columns(trees.trees, "Merging rules")
        self._check_pool(y, trees.classes, trees.n_features)
        rows, codes = trees.check_rows(X), np.searchsorted(self.classes_, y)
        merger = RuleMerger(rows, codes, weight, len(self.classes_), self.counting)
        sets = [_rules_of(tree, trees.n_features) for tree in trees.trees]
        self.n_tree_rules_ = sum(map(len, sets))
        rules = merger.simplify(sets[0])
        for more in track(sets[1:], description="Merging rules", show=self.progress):
            rules = merger.merge(rules, more)
        self._keep(rules, merger, X)
        made = Sampler("leaves", trees, X, weight, 0.0).draw(_N_FRESH, rng)
        labels = self.classes_[self._shares(trees.check_rows(made)).argmax(axis=1)]
        self.fidelity_ = float(np.mean(labels == trees.predict(made)))

    def _check(self):
        check_count(self.n_parts, "n_parts")
        check_choice(self.counting, "counting", ("contested", "covered"))

    def _take_trees(self, X, y, codes, weight, rng):
        if self.pool is None:
            tree = PrunedTreeClassifier() if self.estimator is None else self.estimator
            if not takes_weights(tree):
                raise TypeError(
                    f"estimator is a {type(tree).__name__}, which takes no sample_weight: pass a "
                    "DecisionTreeClassifier, HistTreeClassifier or PrunedTreeClassifier."
                )
            parts = deal_cases(X, codes, weight, self.n_parts, rng)
            parts = parts[parts.any(axis=1)]  # fewer cases than parts leave some empty
            return take_trees([fit_cases(tree, X, y, part, rng) for part in parts])
        pool = self._fitted_pool(X, y, rng, weight)
        trees = take_trees(pool)
        if trees.kind == "scores":
            raise TypeError(
                f"The trees of a {type(pool).__name__} add up to a score and cast no votes: their "
                "leaves are no rules. Pass a forest, bagged or boosted classification trees."
            )
        return trees

    def _keep(self, rules, merger, X):
        covered = rules.cover(merger.X)
        value = np.stack(
            [covered @ (merger.weight * (merger.codes == k)) for k in range(merger.n_classes)],
            axis=1,
        )
        kept = np.flatnonzero(value.sum(axis=1) > 0)
        kept = kept[np.argsort(-value[kept].sum(axis=1), kind="stable")]
        rules, self.value_ = rules.take(kept), value[kept]
        # By its samples: cutting may have left a rule with more of another class.
        rules.label = self.value_.argmax(axis=1)
        self._rules = rules
        self.lower_, self.upper_ = rules.lower, rules.upper
        self.rule_classes_ = self.classes_[rules.label]
        spread = X.std(axis=0)
        self._scale = np.where(spread > 0, spread, 1.0)
        self.n_cases_ = float(merger.weight.sum())
        self.n_conflicts_, self.n_gaps_ = merger.n_conflicts, merger.n_gaps
        self.n_joined_, self.n_dropped_ = merger.n_joined, merger.n_dropped

    @property
    def rules_(self) -> RuleList:
        """The rules for people, the one with most samples first; ``leaf`` is its number."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        return RuleList(self._rule(k, names) for k in range(len(self._rules)))

    def _rule(self, k, names):
        low, high = self.lower_[k], self.upper_[k]
        conditions = tuple(
            Condition(feature=int(j), name=str(names[j]), lower=low[j], upper=high[j])
            for j in np.flatnonzero((low > -np.inf) | (high < np.inf))
        )
        support, label = float(self.value_[k].sum()), self.rule_classes_[k]
        return write_rule(conditions, label, self.value_[k], support, self.n_cases_, k)

    def apply(self, X: DataLike) -> NDArray:
        """Say which rules cover a sample, or the nearest if none does, (n_samples, n_rules)."""
        return self._deciding(self._rows(X))

    def _rows(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self.pool_.check_rows(X)

    def _deciding(self, X):
        decides = self._rules.cover(X).T
        bare = np.flatnonzero(~decides.any(axis=1))
        if len(bare):
            far = np.stack(
                [
                    (np.maximum(np.maximum(low - X[bare], X[bare] - high), 0.0) / self._scale) ** 2
                    for low, high in zip(self.lower_, self.upper_, strict=True)
                ]
            ).sum(axis=2)
            decides[bare, far.argmin(axis=0)] = True
        return decides

    def predict_proba(self, X: DataLike) -> NDArray:
        """Return shares of classes among the samples of the rules that decide."""
        X = self._rows(X)
        step = max(1, _CHUNK // len(self._rules))
        return np.concatenate([self._shares(X[i : i + step]) for i in range(0, len(X), step)])

    def _shares(self, X):
        weight = self._deciding(X) @ self.value_
        return weight / weight.sum(axis=1, keepdims=True)


def _rules_of(tree, n_features):
    leaf, lower, upper = leaf_boxes(tree, n_features)
    real = (lower < upper).all(axis=1)
    return Rules(lower[real], upper[real], tree.label[leaf][real].astype(np.int64))
