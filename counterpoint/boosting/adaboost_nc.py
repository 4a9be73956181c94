"""AdaBoost.NC: boosting that keeps its members apart."""

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from counterpoint._tables import select_rows
from counterpoint._validation import check_choice, check_number
from counterpoint.boosting.adaboost import AdaBoostClassifier
from counterpoint.boosting.loop import boost
from counterpoint.boosting.rules import VoteRule
from counterpoint.boosting.voting import EvaluationWatcher

# What lam="auto" tries: Wang and Yao looked at 0 to 12, and the best was anywhere in between.
CANDIDATES = (0.0, 0.5, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0)
# Below this many samples there is nothing to hold out, and lam="auto" takes the default.
_FEW = 20
_DEFAULT = 2.0
_PATH = ["lam", "members", "error", "balanced_error", "kept"]


class DynamicLam:
    """Lambda that sets itself while training: it climbs towards better class-wise accuracy.

    After every round it moves by a step; it turns round when the geometric mean of the class
    accuracies of the vote, on the training data, has fallen.
    """

    low, high, step = 0.0, 12.0, 1.0

    def __init__(self):
        self.value, self.direction, self.best = _DEFAULT, 1.0, -1.0

    def __call__(self, rule):
        """Lambda of this round."""
        return self.value

    def update(self, rule):
        """Look at the vote after a round, and move."""
        right = np.bincount(rule.y[rule.ensemble_votes() == rule.y], minlength=rule.n_classes)
        there = np.bincount(rule.y, minlength=rule.n_classes)
        seen = there > 0  # a class may have no sample with a weight
        score = float(np.prod((right[seen] / there[seen]) ** (1.0 / seen.sum())))
        if score < self.best:
            self.direction = -self.direction
        self.best = score
        self.value = min(self.high, max(self.low, self.value + self.direction * self.step))


class AdaBoostNCClassifier(AdaBoostClassifier):
    """AdaBoost.NC: AdaBoost with a penalty on members that agree.

    Besides its error, a sample's weight takes in how much the members so far agree on it: the
    ambiguity amb of the vote H of the first t members, ``p = 1 - |amb|`` and a factor
    ``p ** lam``. Samples that all members have right, or all have wrong, keep their weight;
    samples that split them lose it. So the next member is pulled to where the others agree,
    and makes its errors elsewhere. ``lam=0`` is AdaBoost, member for member.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The base learner; None is ``PrunedTreeClassifier(grower="hist")``, which stands in for
        the C4.5 of [1]_. One without ``sample_weight`` is trained on rows drawn by weight.
    lam : float, "auto" or "dynamic", default=2.0
        Strength of the penalty. The best value depends on data and learner, from 0 to above
        12; large ones can degrade trees, or drift to the majority class. "auto" tries eight
        values on a quarter of the data held out, dropping the worse half after every eighth,
        quarter and half of the rounds, then trains with the best: about three times the work
        of one fit. "dynamic" moves it while training.
    confidence : bool, default=False
        Let members vote with their probabilities: f = 2 P(y) - 1 in the equations.
    on_failure : {"restart", "stop"}, default="restart"
        What to do with a member that is perfect, or whose weight would not be positive: drop
        it and go back to the first weights, or stop. See ``AdaBoostClassifier``.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes that the samples start from; "balanced" for rare classes.
    n_estimators, resample, stopping, warm_start, progress
        As in ``AdaBoostClassifier``.
    random_state : int, RandomState instance or None, default=None
        Seeds members, draws, and the hold-out of ``lam="auto"``.

    Attributes
    ----------
    lam_ : float
        The strength used; with "dynamic", the last one.
    lam_path_ : DataFrame
        With ``lam="auto"``: for every value and stage its error and balanced error on the data
        held out, and whether it went on.
    estimators_, estimator_weights_, classes_, history_, stop_reason_
        As in ``AdaBoostClassifier``; ``history_`` has ``penalty`` (mean p) and ``lam`` as well.

    Notes
    -----
    What [1]_ leaves open: H in amb is the *unweighted* vote of the first t members, the
    new one included, ties to the first class; only so p lies in [1/2, 1] for two classes (in
    [1/K, 1] for K). For K classes amb is the mean of [H = y] - [h_j = y], and log(K - 1) is added
    to a member's weight, as in SAMME. ``estimator_weights_`` are on scikit-learn's scale:
    twice the alpha of [1]_ for two classes. The dynamic version of [2]_ was not
    available to us in full: the schedule here is our own.

    References
    ----------
    .. [1] Wang and Yao, "The Effectiveness of a New Negative Correlation Learning Algorithm for
       Classification Ensembles", ICDMW 2010, table I, equations 2 and 3.
    .. [2] Wang and Yao, "Using Class Imbalance Learning for Software Defect Prediction", IEEE
       Transactions on Reliability 62, 2013.

    Examples
    --------
    >>> from counterpoint.boosting import AdaBoostNCClassifier
    >>> from counterpoint.datasets import make_two_gaussians
    >>> X, y = make_two_gaussians(random_state=0)
    >>> apart = AdaBoostNCClassifier(n_estimators=11, lam=9.0).fit(X, y)
    >>> apart.history_[["error", "penalty", "covariance"]].shape
    (11, 3)
    """

    def __init__(
        self,
        estimator=None,
        *,
        n_estimators=50,
        lam=2.0,
        confidence=False,
        resample=False,
        on_failure="restart",
        class_weight=None,
        stopping=None,
        warm_start=False,
        progress=None,
        random_state=None,
    ):
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            confidence=confidence,
            resample=resample,
            on_failure=on_failure,
            class_weight=class_weight,
            stopping=stopping,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.lam = lam

    def _check_options(self):
        super()._check_options()
        if isinstance(self.lam, str):
            check_choice(self.lam, "lam", ("auto", "dynamic"))
        else:
            check_number(
                self.lam, "lam", low=0, high=100, hint=" (0: AdaBoost), 'auto' or 'dynamic'"
            )

    def _check_data(self, X, y, sample_weight):
        data = super()._check_data(X, y, sample_weight)
        if self.lam != "auto":
            self.lam_ = self.lam if isinstance(self.lam, str) else float(self.lam)
        elif not self._goes_on():
            self.lam_ = self._choose_lam(*data)
        return data

    def make_rule(self):
        """Return the rule of AdaBoost.NC."""
        return self._rule(DynamicLam() if self.lam == "dynamic" else self.lam_)

    def _rule(self, lam):
        return VoteRule(lam, bonus=self._bonus, confidence=self.confidence)

    def _finish(self, result):
        super()._finish(result)
        if self.lam == "dynamic":
            self.lam_ = self._history[-1]["lam"]

    def _choose_lam(self, X, codes, weight):
        """Choose lambda by successive halving on data held out."""
        counts = np.bincount(codes)
        if len(codes) < _FEW:
            self.lam_path_ = pd.DataFrame(columns=_PATH)
            return _DEFAULT
        rng = self._generator()
        train, test = train_test_split(
            np.arange(len(codes)),
            test_size=0.25,
            stratify=codes if counts.min() >= 2 and len(counts) <= len(codes) // 4 else None,
            random_state=rng,
        )
        if len(np.unique(codes[train])) < 2:
            raise ValueError("lam='auto' holds out a quarter of the data: too few of some class.")
        part = select_rows(X, train)
        # Classes may be missing from the part; codes and columns stay those of the whole.
        learner = self._make_learner(None, part, codes[train], weight[train], rng)
        apart = select_rows(X, test), codes[test]
        runs = []
        for lam in CANDIDATES:
            rule = self._rule(lam)
            rule.start(codes[train], len(self.classes_), weight[train] / weight[train].sum())
            watcher = EvaluationWatcher("held", *apart, self.classes_, self._needs_proba())
            runs.append((lam, rule, watcher))
        path, done = [], 0
        for share in (8, 4, 2):
            wanted = max(done + 1, -(-self.n_estimators // share))
            scores = []
            for lam, rule, watcher in runs:
                boost(
                    rule,
                    learner,
                    wanted,
                    on_failure=self.on_failure,
                    watchers=[watcher],
                    progress=False,
                    done=done,
                )
                scores.append((_held_errors(watcher), lam))
            order = sorted(range(len(runs)), key=lambda k: (scores[k][0][0], scores[k][1]))
            kept = set(order[: max(len(runs) // 2, 1)])
            for k, ((error, balanced), lam) in enumerate(scores):
                path.append((lam, wanted, error, balanced, k in kept))
            runs = [run for k, run in enumerate(runs) if k in kept]
            done = wanted
        self.lam_path_ = pd.DataFrame(path, columns=_PATH)
        return runs[0][0]


def _held_errors(watcher):
    votes = watcher.score.argmax(axis=1)
    recalls = [np.mean(votes[watcher.y == c] == c) for c in np.unique(watcher.y)]
    return float(np.mean(votes != watcher.y)), float(1.0 - np.mean(recalls))
