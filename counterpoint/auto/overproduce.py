"""Overproduce and select: the classifier that uses all of the above."""

import time
import warnings
from functools import partial
from typing import Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from counterpoint._members import select_rows
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint.auto._selecting import choose_rule, error, log_loss, tempered
from counterpoint.auto.pool import Candidate, default_pool
from counterpoint.datasets import TabularEncoder

_SEEDS = np.iinfo(np.int32).max
# A member with less weight than this is not worth keeping.
_LEAST_WEIGHT = 0.005
# Of the time limit; the rest is for fitting the chosen ones on all rows.
_SHARE_FOR_TRYING = 0.7


class OverproduceSelectClassifier(ClassifierMixin, BaseEstimator):
    """Build a wide pool, then keep and weigh the members that are best together.

    Boosting, forests, networks, kernel machines, linear models and neighbours are asked about
    rows they were not trained on (cross-fitting). Their probabilities are raised to a power each
    that makes them fit the truth best [2]_. The way to combine them is then chosen by
    cross-validation: the best one alone, the mean of the best third, bagged greedy selection with
    replacement [1]_, stacking, or a blend of the last three, which is taken unless another is
    better by more than a standard error. Members that got weight are fitted on all rows. The
    score reported, ``cv_score_``, is of the whole procedure, the choice included, on rows it did
    not see.

    Parameters
    ----------
    candidates : list of Candidate or list of (name, estimator) pairs, default=None
        What to try. None is :func:`default_pool`, by the size of the data.
    cv : int, default=5
        Folds of cross-fitting.
    time_limit : float or None, default=None
        Seconds after which no more members are tried. At least one always is. Checked between
        members: one that is slow may overrun it.
    n_jobs : int, default=None
        Folds fitted at a time.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal. Ctrl-C ends the trying and goes on with what
        there is.
    random_state : int, RandomState instance or None, default=None
        Seeds folds, members and selection.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    leaderboard_ : DataFrame
        A row per member tried: "member", "family", "error" and "log_loss" alone on rows it did
        not see (its probabilities raised to its power), "weight", "adds" (how much the ensemble's
        log-loss rises when it falls silent; other weights stay as they are),
        "disagrees" (share of rows on which it differs from the ensemble), "seconds".
    rules_tried_ : DataFrame
        Log-loss and error of each way to combine.
    rule_ : str
        The way chosen.
    members_ : list of (name, estimator) pairs
        Those with weight, fitted on all rows.
    weights_ : ndarray
        Of the members; for stacking, by the size of their coefficients; for the blend, the mean.
    cv_score_ : float
        Accuracy to be expected on new rows.
    cv_log_loss_ : float
        Log-loss to be expected.
    outputs_ : MemberOutputs
        What all members tried said about rows they had not seen.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, "Ensemble selection from
       libraries of models", ICML 2004.
    .. [2] C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural
       networks", ICML 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from counterpoint.auto import OverproduceSelectClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tried = [("bayes", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1))]
    >>> model = OverproduceSelectClassifier(tried, random_state=0).fit(X, y)
    >>> print(model.members_[0][0])
    bayes
    """

    def __init__(
        self,
        candidates=None,
        *,
        cv=5,
        time_limit=None,
        n_jobs=None,
        progress=None,
        random_state=None,
    ):
        self.candidates = candidates
        self.cv = cv
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def fit(self, X, y) -> Self:
        """Try the members, choose how to combine them, fit those chosen.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers, or a frame with nominal columns and gaps, which are encoded inside.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        OverproduceSelectClassifier
        """
        began = time.monotonic()
        X, codes = self._read(X, y)
        rng = check_random_state(self.random_state)
        folds = self._folds(codes, rng)
        candidates = self._candidates(X, len(self.classes_))
        seeds = rng.randint(_SEEDS, size=len(candidates))
        tried, proba, seconds = self._try_all(candidates, seeds, X, codes, folds, began)
        outputs = np.stack(proba)
        rule, table, honest = choose_rule(outputs, codes, rng.randint(_SEEDS))
        self.rule_, self.rules_tried_ = rule.name, pd.DataFrame(table)
        self.cv_score_ = 1.0 - error(honest, codes)
        self.cv_log_loss_ = log_loss(honest, codes)
        self.outputs_ = MemberOutputs(
            proba=outputs, y=self.classes_[codes], classes=self.classes_,
            names=[c.name for c in tried],
        )  # fmt: skip
        keep = np.flatnonzero(rule.weights >= min(_LEAST_WEIGHT, rule.weights.max()))
        powers = rule.powers
        if len(keep) < len(rule.weights):
            rule.keep(keep, outputs, codes)
        self._rule, self.weights_ = rule, rule.weights
        self.leaderboard_ = self._board(tried, outputs, powers, codes, seconds, keep, rule)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_one)(tried[k].make(int(seeds[candidates.index(tried[k])])), X, codes)
            for k in keep
        )
        self.members_ = [(tried[k].name, m) for k, m in zip(keep, fitted, strict=True)]
        return self

    # -- data ----------------------------------------------------------------------------------

    def _read(self, X, y):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        frame = hasattr(X, "columns")
        if frame:
            validate_data(self, X, skip_check_array=True)
        else:
            X = validate_data(self, X, ensure_all_finite="allow-nan", ensure_min_samples=2)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        if len(y) != len(X):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{len(X)}, {len(y)}]"
            )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only, {self.classes_[0]}: give at least two.")
        self._encoder = None
        if frame or np.isnan(X).any():
            self._encoder = TabularEncoder().fit(X)
            X = self._encoder.transform(X)
        return np.asarray(X, dtype=np.float64), codes

    def _encoded(self, X):
        check_is_fitted(self)
        if hasattr(X, "columns"):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        if self._encoder is not None:
            X = self._encoder.transform(X)
        X = np.asarray(X, dtype=np.float64)
        if np.isnan(X).any():
            raise ValueError(
                "Input X contains NaN, but there was none in training: fill the gaps first."
            )
        return X

    def _folds(self, codes, rng):
        fewest = int(np.bincount(codes).min())
        n_folds = min(int(self.cv), max(2, fewest))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with a single row
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
            return list(splitter.split(np.zeros(len(codes)), codes))

    def _candidates(self, X, n_classes):
        if self.candidates is None:
            return default_pool(len(X), X.shape[1], n_classes)
        made = []
        for item in self.candidates:
            if isinstance(item, Candidate):
                made.append(item)
                continue
            if not (isinstance(item, tuple) and len(item) == 2):
                raise TypeError(
                    f"candidates holds {item!r}: give (name, estimator) pairs or Candidate objects."
                )
            name, model = item
            made.append(Candidate(name=name, family="given", make=partial(_seeded, model)))
        if not made:
            raise ValueError("candidates is empty: give at least one member to try.")
        return made

    # -- trying --------------------------------------------------------------------------------

    def _try_all(self, candidates, seeds, X, codes, folds, began):
        tried: list[Candidate] = []
        answers: list[NDArray] = []
        seconds: list[float] = []
        failed: list[str] = []
        limit = np.inf if self.time_limit is None else _SHARE_FOR_TRYING * self.time_limit
        bar = track(candidates, total=len(candidates), description="Trying", show=self.progress)
        try:
            for k, candidate in enumerate(bar):
                start = time.monotonic()
                # What members like it took is what it may take.
                if tried and start - began + max(seconds[-3:], default=0) > limit:
                    break
                try:
                    answers.append(self._cross_fit(candidate, int(seeds[k]), X, codes, folds))
                except (ValueError, ArithmeticError, np.linalg.LinAlgError) as why:
                    failed.append(f"{candidate.name}: {why}")
                    continue
                tried.append(candidate)
                seconds.append(time.monotonic() - start)
        except KeyboardInterrupt:
            if not tried:
                raise
            warnings.warn(
                f"Interrupted: going on with the {len(tried)} members tried so far.",
                UserWarning, stacklevel=3,
            )  # fmt: skip
        self.failed_ = failed
        if not tried:
            raise ValueError("No member could be trained. " + " ".join(failed)[:2000])
        if len(tried) + len(failed) < len(candidates) and self.time_limit is not None:
            warnings.warn(
                f"time_limit={self.time_limit:g}: {len(tried)} of {len(candidates)} members were "
                "tried.",
                UserWarning, stacklevel=3,
            )  # fmt: skip
        return tried, answers, seconds

    def _cross_fit(self, candidate, seed, X, codes, folds):
        n_classes = len(self.classes_)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_ask)(candidate.make(seed), X, codes, train, test, n_classes)
            for train, test in folds
        )
        found = np.empty((len(codes), n_classes))
        for (_, test), part in zip(folds, parts, strict=True):
            found[test] = part
        if not np.isfinite(found).all():
            raise ValueError("its probabilities are not finite")
        return found

    def _board(self, tried, outputs, powers, codes, seconds, keep, rule):
        weight, adds = np.zeros(len(tried)), np.zeros(len(tried))
        weight[keep] = rule.weights
        whole = rule.combine(outputs[keep])
        said = whole.argmax(axis=1)
        if len(keep) > 1:
            base = log_loss(whole, codes)
            for place, k in enumerate(keep):
                adds[k] = log_loss(rule.without(place, outputs[keep]), codes) - base
        frame = pd.DataFrame(
            {
                "member": [c.name for c in tried],
                "family": [c.family for c in tried],
                "error": [error(p, codes) for p in outputs],
                "log_loss": [log_loss(p, codes) for p in tempered(outputs, powers)],
                "weight": weight,
                "adds": adds,
                "disagrees": [float((p.argmax(axis=1) != said).mean()) for p in outputs],
                "seconds": seconds,
            }
        )
        return frame.sort_values(["weight", "log_loss"], ascending=[False, True]).reset_index(
            drop=True
        )

    # -- asking --------------------------------------------------------------------------------

    def member_predict_proba(self, X) -> NDArray:
        """Return the probabilities of the members kept, (n_members, n_samples, n_classes)."""
        X = self._encoded(X)
        return np.stack([_proba(m, X, len(self.classes_)) for _, m in self.members_])

    def member_predict(self, X) -> NDArray:
        """Return the labels of the members kept, (n_members, n_samples)."""
        return self.classes_[self.member_predict_proba(X).argmax(axis=2)]

    def predict_proba(self, X) -> NDArray:
        """Return the combined probabilities.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        found = self._rule.combine(self.member_predict_proba(X))
        return found / found.sum(axis=1, keepdims=True)

    def predict(self, X) -> NDArray:
        """Return the most probable class, the first of equals.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def explain(self) -> str:
        """Say in words what was tried, what was kept, and what each member is worth."""
        check_is_fitted(self)
        board = self.leaderboard_
        best = board.loc[board["log_loss"].idxmin()]
        kept = board[board["weight"] > 0]
        lines = [
            f"{len(board)} members were tried, {len(kept)} kept, combined by {self.rule_}.",
            f"Expected on new rows: error {1 - self.cv_score_:.3f}, log-loss "
            f"{self.cv_log_loss_:.3f}. The best member alone, {best['member']}: error "
            f"{best['error']:.3f}, log-loss {best['log_loss']:.3f} (chosen after the fact).",
        ]
        for _, row in kept.iterrows():
            lines.append(
                f"- {row['member']}: weight {row['weight']:.2f}; alone it errs on "
                f"{row['error']:.1%} of rows; it differs from the ensemble on "
                f"{row['disagrees']:.1%}; without it log-loss would change by {row['adds']:+.4f}."
            )
        return "\n".join(lines)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _seeded(model, seed):
    model = clone(model)
    names = [n for n in model.get_params() if n == "random_state" or n.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(names, seed)) if names else model


def _fit_and_ask(model, X, codes, train, test, n_classes):
    fitted = _fit_one(model, select_rows(X, train), codes[train])
    return _proba(fitted, select_rows(X, test), n_classes)


def _fit_one(model, X, codes):
    with warnings.catch_warnings():
        # A member of many that did not converge or met collinear columns is no news.
        warnings.simplefilter("ignore")
        return model.fit(X, codes)


def _proba(model, X, n_classes):
    found = np.full((len(X), n_classes), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found[:, model.classes_] = model.predict_proba(X)
    return found
