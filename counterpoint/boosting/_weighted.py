"""Rule and estimator of methods that reweigh samples by votes: AdaBoost and its kin.

All of them are AdaBoost.NC with a penalty (lambda = 0: none) and a notion of chance. Two ways to
vote: discrete, where a compiled kernel does the round, and confidence-rated.
"""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from counterpoint._kernels import boosting as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._kernels.votes import add_votes
from counterpoint._members import select_rows
from counterpoint._validation import code_type
from counterpoint.boosting._engine import BaseBoosting, Rule, Verdict
from counterpoint.boosting._learners import member_proba, member_votes
from counterpoint.boosting._shared import ask_stacked, make_learner, stacked_members

# A weighted error below one in a million is none: its member would outvote all others.
_NO_ERROR = 1e-6


class VoteRule(Rule):
    """AdaBoost.NC's rule on votes (discrete) or probabilities (confidence-rated).

    Parameters
    ----------
    lam : float or callable
        Strength of the penalty; a function of the rule's state sets it anew each round.
    bonus : bool
        Add log(K - 1) to a member's weight, as SAMME does; chance is then 1 - 1/K, else 1/2.
    confidence : bool
        Use probabilities.
    """

    def __init__(self, lam=0.0, *, bonus=True, confidence=False):
        self.lam, self.bonus, self.confidence = lam, bonus, confidence

    def start(self, y, n_classes, weight):
        """Begin with weights that add up to 1."""
        self.y, self.n_classes = y, n_classes
        self.codes = y.astype(code_type(n_classes))
        self._judged = None
        self.base = weight
        self.weight = weight.copy()
        self.n_members = 0
        self.right = np.zeros(len(y), dtype=np.int32)
        many = n_classes if n_classes > 2 else 0
        self.tally = np.zeros((len(y), many), dtype=np.int32)
        self.score = np.zeros((len(y), many or 1))
        self.extra = np.log(n_classes - 1.0) if self.bonus and n_classes > 2 else 0.0

    def ask(self):
        """Train on the current weights, for y itself."""
        return self.weight, None

    def _power(self, lam):
        # p ** lambda takes few values: for the vote lost or won with k members right.
        n = self.n_members + 1
        share = np.arange(n + 1) / n
        p = np.stack([1.0 - share, share])  # 1 - |0 - share|, 1 - |1 - share|
        return np.power(p, lam)

    def current_lam(self):
        """Strength of the penalty in this round."""
        return self.lam(self) if callable(self.lam) else self.lam

    def judge(self, said):
        """Weigh a new member by the penalised weights of the samples it has right and wrong."""
        lam = self.current_lam()
        self.power = self._power(lam)
        sums = self._sums(said, self.power)
        n = len(self.y)
        right, wrong = sums[kernels.RIGHT], sums[kernels.WRONG]
        if self.confidence:
            right, wrong = self._soft_sums(said)
        notes = {
            "lam": float(lam),
            "error": sums[kernels.ERROR],
            "penalty": sums[kernels.PENALTY] / n,
            "ambiguity": sums[kernels.AMBIGUITY] / n,
            "covariance": (
                sums[kernels.BOTH] / n - sums[kernels.HITS] * sums[kernels.BEFORE] / n**2
                if self.n_members
                else np.nan
            ),
        }
        # By the plain error: the penalty alone can make the sum over wrong samples small.
        error = wrong / (right + wrong) if self.confidence else sums[kernels.ERROR]
        if error <= _NO_ERROR:
            return Verdict(np.inf, "perfect", notes)
        alpha = np.log(right / wrong) + self.extra if right > 0 else -np.inf
        return Verdict(float(alpha), "" if alpha > 0 else "chance", notes)

    def _sums(self, said, power):
        """Return what the kernel says of a member; about the same one it looks only once."""
        if self._judged is None or self._judged[0] is not said:
            with threads_for(5 * self.n_classes * len(self.y)):
                sums = kernels.judge(
                    self._codes(said.votes), self.codes, self.weight, self.right, self.tally,
                    self.n_members, power,
                )  # fmt: skip
            self._judged = (said, sums)
        return self._judged[1]

    def _codes(self, votes):
        # Small numbers: the rounds of large data wait for memory.
        return votes.astype(self.codes.dtype, copy=False)

    def count_in(self, said, verdict):
        """Count the member in and reweigh the samples."""
        power = self._power(self.current_lam())
        if self.confidence:
            return self._count_in_soft(said, verdict, power)
        z = kernels.new_total(self._sums(said, power), verdict.alpha)
        with threads_for(5 * self.n_classes * len(self.y)):
            wrong = kernels.count_in(
                self._codes(said.votes), self.codes, self.weight, self.right, self.tally,
                self.score, self.n_members, power, verdict.alpha, z,
            )  # fmt: skip
        self.n_members += 1
        self._judged = None
        self._look_back()
        return {"z": z, "train_error": wrong / len(self.y)}

    def _look_back(self):
        if hasattr(self.lam, "update"):
            self.lam.update(self)

    def spoken(self):
        """Class codes that the weighted vote now says about the training samples."""
        if self.n_classes == 2:
            return (self.score[:, 0] > 0).astype(np.int64)
        return self.score.argmax(axis=1)

    def reset(self):
        """Go back to the weights of the beginning."""
        self.weight = self.base.copy()
        self._judged = None

    # -- confidence-rated: f = 2 P(truth) - 1 takes the place of +1 and -1 ----------------------

    def _votes_after(self, said):
        right = self.right + (said.votes == self.y)
        if self.n_classes == 2:
            n = self.n_members + 1
            wins = (2 * right > n) | ((2 * right == n) & (self.y == 0))
        else:
            tally = self.tally.copy()
            tally[np.arange(len(self.y)), said.votes] += 1
            wins = tally.argmax(axis=1) == self.y
        return right, wins.astype(np.int64)

    def _soft_sums(self, said):
        right, wins = self._votes_after(said)
        pulled = self.weight * self.power[wins, right]
        truth = said.proba[np.arange(len(self.y)), self.y]
        return float(pulled @ truth), float(pulled @ (1.0 - truth))

    def _count_in_soft(self, said, verdict, power):
        right, wins = self._votes_after(said)
        rows = np.arange(len(self.y))
        truth = said.proba[rows, self.y]
        self.right = right.astype(np.int32)
        if self.n_classes == 2:
            self.score[:, 0] += verdict.alpha * (2.0 * said.proba[:, 1] - 1.0)
        else:
            self.tally[rows, said.votes] += 1
            self.score += verdict.alpha * said.proba
        weight = self.weight * power[wins, right] * np.exp(-verdict.alpha * (truth - 0.5))
        z = weight.sum()
        self.weight = weight / z
        self.n_members += 1
        self._judged = None
        self._look_back()
        return {"z": z, "train_error": float(np.mean(self.spoken() != self.y))}


class EvaluationWatcher:
    """Follow the ensemble on data it is not trained on."""

    def __init__(self, name, X, y, classes, confidence):
        self.name, self.X, self.classes, self.confidence = name, X, classes, confidence
        self.y = np.searchsorted(classes, y)
        n, k = len(self.y), len(classes)
        self.tally, self.score, self.n_members = np.zeros((n, k)), np.zeros((n, k)), 0

    def __call__(self, model, alpha):
        """Count a member in and note errors, ambiguity and covariance."""
        votes = member_votes(model, self.X, self.classes)
        rows = np.arange(len(self.y))
        hit = votes == self.y
        before = self.tally.argmax(axis=1) == self.y
        covariance = np.mean(hit & before) - hit.mean() * before.mean()
        self.tally[rows, votes] += 1
        self.n_members += 1
        if self.confidence:
            self.score += alpha * member_proba(model, self.X, self.classes)
        else:
            self.score[rows, votes] += alpha
        wins = self.tally.argmax(axis=1) == self.y
        share = self.tally[rows, self.y] / self.n_members
        return {
            f"{self.name}_error": float(np.mean(self.score.argmax(axis=1) != self.y)),
            f"{self.name}_member_error": float(1.0 - hit.mean()),
            f"{self.name}_ambiguity": float(np.mean(wins - share)),
            f"{self.name}_covariance": float(covariance) if self.n_members > 1 else np.nan,
        }


def evaluation_sets(eval_set):
    """Return evaluation data by name: a pair (X, y), a list of pairs, or a dict of pairs."""
    if eval_set is None:
        return {}
    if isinstance(eval_set, dict):
        return eval_set
    if isinstance(eval_set, tuple):
        return {"eval": eval_set}
    if len(eval_set) == 1:
        return {"eval": eval_set[0]}
    return {f"eval{k}": pair for k, pair in enumerate(eval_set)}


class BaseVoteBoosting(ClassifierMixin, BaseBoosting):
    """Classifier whose members vote, each with its weight.

    A method supplies ``_make_rule`` and its parameters.
    """

    confidence = False
    resample = False
    class_weight = None

    def fit(self, X, y, sample_weight=None, *, eval_set=None):
        """Train the members one after another.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Whatever the base learner takes.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights the samples start from, and go back to after a restart.
        eval_set : (X, y), list or dict of such pairs, default=None
            Data to follow the ensemble on, in ``history_``.

        Returns
        -------
        object
            The fitted estimator.
        """
        self._check_n_estimators()
        self._check_options()
        X, y, codes, weight = self._check_data(X, y, sample_weight)
        rng = self._generator()
        learner = make_learner(
            self._base(),
            X,
            y,
            codes,
            self.classes_,
            resample=self.resample,
            proba=self._needs_proba(),
            weight=self._n_cases * weight,
            rng=rng,
        )
        watchers = [
            EvaluationWatcher(name, *pair, self.classes_, self._needs_proba())
            for name, pair in evaluation_sets(eval_set).items()
        ]
        if self.warm_start and hasattr(self, "estimators_"):
            for watcher in watchers:  # members from before count too
                for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
                    watcher(model, alpha)
        self._train(learner, codes, weight, watchers, rng)
        return self

    def _train(self, learner, codes, weight, watchers, rng):
        rule = self._make_rule()
        self._run(rule, learner, codes, len(self.classes_), weight, watchers=watchers, rng=rng)

    def _check_options(self):
        """Check parameters of the method."""

    def _members_changed(self):
        # Trees of ours are asked all at once if each knows all classes: drawn rows may lack one.
        known = [getattr(model, "classes_", ()) for model in self.estimators_]
        alike = all(np.array_equal(classes, self.classes_) for classes in known)
        self._stacked = stacked_members(self.estimators_) if alike else None

    def _needs_proba(self):
        return bool(self.confidence)

    def _check_data(self, X, y, sample_weight):
        if y is None:
            raise ValueError(
                f"requires y to be passed, but the target y is None: {type(self).__name__} "
                "learns from labels."
            )
        going_on = self.warm_start and hasattr(self, "estimators_")
        X = self._look(X, reset=not going_on)
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if going_on and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start: the classes were {self.classes_.tolist()} and now are "
                f"{classes.tolist()}. Fit with warm_start=False for other data."
            )
        self.classes_ = classes
        if len(classes) < 2:
            raise ValueError(
                f"y has one class only, {classes.tolist()}: classifiers need at least 2 classes "
                "to tell apart."
            )
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n != len(y):
            raise ValueError(f"X has {n} rows and y {len(y)}: inconsistent numbers of samples.")
        weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        weight = _check_sample_weight(weight, np.empty((n, 1)), ensure_non_negative=True)
        if weight.sum() <= 0:
            raise ValueError("sample_weight are all zero: at least one sample must count.")
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        if (weight == 0).any():  # as if these samples were not there
            held = np.flatnonzero(weight)
            X, y, codes, weight = select_rows(X, held), y[held], codes[held], weight[held]
        # Whole numbers are repeats of samples; other weights only say which count for more.
        whole = (weight == np.round(weight)).all()
        self._n_cases = float(weight.sum()) if whole else float(len(weight))
        return X, y, codes.astype(np.int32), weight / weight.sum()

    # -- answers ---------------------------------------------------------------------------------

    def member_predict(self, X):
        """Labels of every member.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples)
        """
        votes = self._member_votes(X)
        return self.classes_[votes]

    def _member_votes(self, X):
        """Class codes of every member, (n_members, n_samples)."""
        check_is_fitted(self)
        if self._stacked is not None:
            return ask_stacked(self, self._stacked, X, self.estimators_[0])
        X = self._look(X)
        return np.stack([member_votes(m, X, self.classes_) for m in self.estimators_])

    def _staged_scores(self, X):
        """Yield the weighted vote for every class, from -1/(K-1) to 1, as members join."""
        if self._needs_proba():
            check_is_fitted(self)
            X = self._look(X)
            cast = (member_proba(m, X, self.classes_) for m in self.estimators_)
        else:
            members = self._member_votes(X)
            rows = np.eye(len(self.classes_))
            cast = (rows[votes] for votes in members)
        votes, said = 0.0, 0.0
        for member, alpha in zip(cast, self.estimator_weights_, strict=True):
            votes, said = votes + alpha * member, said + alpha
            yield self._as_score(votes / said)

    def _as_score(self, share):
        # A vote for one class is a vote of -1/(K-1) for each of the others, as in SAMME.
        return share - (1.0 - share) / (len(self.classes_) - 1.0)

    def _scores(self, X):
        if self._needs_proba():
            *_, last = self._staged_scores(X)
            return last
        votes = self._member_votes(X)
        tally = np.zeros((votes.shape[1], len(self.classes_)))
        with threads_for(votes.size):
            add_votes(tally, votes, self.estimator_weights_)
        return self._as_score(tally / self.estimator_weights_.sum())

    def _as_decision(self, scores):
        # For two classes one number, positive for the second, as in scikit-learn.
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def decision_function(self, X):
        """Weighted vote for every class, scaled by the sum of the weights.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number per sample for two classes, positive for the second.
        """
        return self._as_decision(self._scores(X))

    def staged_decision_function(self, X):
        """Yield ``decision_function`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_decision(scores)

    def predict(self, X):
        """Label with the most weighted votes; a tie goes to the first class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def staged_predict(self, X):
        """Yield ``predict`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X):
        """Class probabilities: a softmax of the weighted vote, as in scikit-learn's AdaBoost.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._as_proba(self._scores(X))

    def staged_predict_proba(self, X):
        """Yield ``predict_proba`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_proba(scores)

    def _as_proba(self, scores):
        scaled = scores / (len(self.classes_) - 1.0)
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Logarithm of ``predict_proba``."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = self._base().__sklearn_tags__()
        tags.input_tags.allow_nan = base.input_tags.allow_nan
        tags.input_tags.sparse = base.input_tags.sparse
        tags.input_tags.categorical = base.input_tags.categorical
        return tags
