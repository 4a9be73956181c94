"""Overproduce and select: the classifier that uses all of the above."""

import time
import warnings
from contextlib import nullcontext
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from counterpoint import _crossfit
from counterpoint._interrupts import keep_partial
from counterpoint._members import Answers, Member, is_fitted
from counterpoint._outputs import MemberOutputs
from counterpoint._progress import track
from counterpoint._tables import need_numbers
from counterpoint._threads import one_native_thread
from counterpoint._validation import check_number, check_pool
from counterpoint.auto.budget import LEAST_ROWS, PROBE, Budget, draw_rows
from counterpoint.auto.choice import LEAST, choose_rule
from counterpoint.auto.pool import Candidate, default_pool
from counterpoint.base import (
    MAX_SEED,
    BaseEnsembleClassifier,
    draw_seed,
    encode_target,
    need_target,
    validate_data,
)
from counterpoint.combiners import member_contributions
from counterpoint.combiners.combiner import mean_loss
from counterpoint.datasets import TabularEncoder

# A member with less weight than this is not worth keeping.
_LEAST_WEIGHT = 0.005
# Where time is short this one comes first: quick, and good on most tables.
_FIRST = "gradient boosting"


class OverproduceSelectClassifier(BaseEnsembleClassifier):
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
    pool : list of Candidate or list of (name, estimator) pairs, default=None
        What to try. None is :func:`default_pool`, by the size of the data.
    cv : int, splitter or iterable, default=5
        Folds of cross-fitting; a number is of stratified folds, fewer where a class is small.
    time_limit : float or None, default=None
        Seconds for all of it, the last fits included. A large table is then cross-fitted on some
        of its rows (500 for each second, from 2,000 to 20,000), unless ``cv`` is more than a
        number; what a member will take on all rows is foretold from there, and those for which
        time is too short are left out. The first member is always tried (of the default pool, a
        boosted one), and if even that takes too long, it learns from as many rows as there is
        time for. So limits below some ten seconds may be overrun on large tables.
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
    combiners_tried_ : DataFrame
        A row per way to combine: "combiner", its name, "log_loss" and "error".
    combiner_name_ : str
        The way chosen.
    combiner_ : TemperedCombiner
        The way chosen, fitted: what makes one answer of those of the members kept.
    pool_ : list of (name, estimator) pairs
        The members kept, fitted on all rows.
    estimator_weights_ : ndarray of shape (n_members,)
        Of the members kept; for stacking, by the size of their coefficients; for the blend, the
        mean.
    stop_reason_ : {"complete", "time_limit", "interrupted"}
        Why no more members were tried.
    failed_ : list of str
        Members that could not be trained, and why.
    cv_score_ : float
        Accuracy to be expected on new rows.
    cv_log_loss_ : float
        Log-loss to be expected.
    outputs_ : MemberOutputs
        What all members tried said about rows they had not seen; with a time limit and a large
        table, some of the rows.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A logistic regression, part of the default rule, adds up one row in another order than many:
    what a row gets may depend on the rows asked with it in the last digits.

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
    >>> pool = [("bayes", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1))]
    >>> model = OverproduceSelectClassifier(pool, random_state=0).fit(X, y)
    >>> print(model.pool_[0][0])
    bayes
    """

    def __init__(
        self, pool=None, *, cv=5, time_limit=None, n_jobs=None, progress=None, random_state=None
    ):
        self.pool = pool
        self.cv = cv
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    # -- data ----------------------------------------------------------------------------------

    def _read(self, X, y):
        self._began = time.monotonic()
        check_pool(self.pool, owner=type(self).__name__)
        if self.time_limit is not None:
            check_number(self.time_limit, "time_limit", low=0, hint=", or None")
        need_target(self, y)
        X = self._read_X(X, ensure_min_samples=2)
        self.classes_, codes = encode_target(self, y)
        check_consistent_length(X, codes)
        self._encoder = None
        if hasattr(X, "columns") or np.isnan(X).any():
            self._encoder = TabularEncoder().fit(X)
            X = self._encoder.transform(X)
        return np.asarray(X, dtype=np.float64), codes

    def _read_X(self, X, **options):
        """Check data; frames stay what they are."""
        if not hasattr(X, "columns"):
            return validate_data(self, X, ensure_all_finite="allow-nan", **options)
        validate_data(self, X, reset=options.get("reset", True), skip_check_array=True)
        return X

    def _check_X(self, X):
        check_is_fitted(self)
        X = self._read_X(X, reset=False)
        if self._encoder is not None:
            X = self._encoder.transform(X)
        need_numbers(X, type(self).__name__)
        X = np.asarray(X, dtype=np.float64)
        if np.isnan(X).any():
            raise ValueError(
                "Input X contains NaN, but there was none in training: fill the gaps first."
            )
        return X

    def _splits(self, X, codes, rng):
        if not isinstance(self.cv, int | np.integer):
            return _crossfit.make_splits(self.cv, X, codes, classifier=True)
        n_folds = min(int(self.cv), max(2, int(np.bincount(codes).min())))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with a single row
            splitter = StratifiedKFold(n_folds, shuffle=True, random_state=rng)
            return list(splitter.split(np.zeros(len(codes)), codes))

    def _learners(self):
        pairs = [item for item in self.pool or () if not isinstance(item, Candidate)]
        return {name: model for name, model in pairs if hasattr(model, "fit")}

    def _candidates(self, X) -> list[Candidate]:
        if self.pool is None:
            return default_pool(len(X), X.shape[1], len(self.classes_))
        made = []
        for item in self.pool:
            if isinstance(item, Candidate):
                made.append(item)
                continue
            if not (isinstance(item, tuple) and len(item) == 2):
                raise TypeError(
                    f"pool holds {item!r}: give (name, estimator) pairs or Candidate objects."
                )
            name, model = item
            made.append(Candidate(name=name, family="given", make=partial(_seeded, model)))
        if not made:
            raise ValueError("pool is empty: give at least one member to try.")
        return made

    # -- fitting -------------------------------------------------------------------------------

    def _fit_members(self, X, y, sample_weight, rng):
        budget = Budget(self.time_limit, len(X), n_jobs=self.n_jobs, began=self._began)
        del self._began
        rows, X_tried, y_tried, w_tried = self._rows_to_try_on(X, y, sample_weight, budget, rng)
        splits = self._splits(X_tried, y_tried, rng)
        candidates = self._candidates(X)
        seeds = rng.randint(MAX_SEED, size=len(candidates))
        members = [
            Member(c.make(int(seed)), None, c.name)
            for c, seed in zip(candidates, seeds, strict=True)
        ]
        # By member: of those given, what each has asked for.
        routed = {
            name: own.get("sample_weight") for name, own in self._fit_params(sample_weight).items()
        }
        fit_weight = {m.name: routed.get(m.name, sample_weight) for m in members}
        # Threads that share so little work take longer, on a busy machine far longer.
        few_threads = nullcontext() if self.time_limit is None else one_native_thread()
        with few_threads:
            tried, proba, seconds = self._try_all(
                members, X_tried, y_tried, splits, _weights_of(fit_weight, rows), budget
            )
        members = [members[k] for k in tried]
        self.outputs_ = outputs = MemberOutputs(
            proba=np.stack(proba), y=self.classes_[y_tried], classes=self.classes_,
            sample_weight=w_tried, names=[m.name for m in members],
        )  # fmt: skip
        with few_threads if self.time_limit is None else one_native_thread():
            name, rule, table, honest = choose_rule(outputs, draw_seed(rng))
        self.combiner_name_, self.combiners_tried_ = name, table
        self.cv_score_ = 1.0 - mean_loss(honest, outputs)
        self.cv_log_loss_ = mean_loss(honest, outputs, "log-loss", LEAST)
        tempered, weights = rule.temper(outputs), rule.estimator_weights_
        keep = np.flatnonzero(weights >= min(_LEAST_WEIGHT, weights.max()))
        if len(keep) < len(weights):
            rule = rule.keep(keep, outputs)
        self.combiner_, self.estimator_weights_ = rule, rule.estimator_weights_
        families = [candidates[k].family for k in tried]
        self.leaderboard_ = _leaderboard(outputs, tempered, rule, keep, families, seconds)
        n_rows = budget.rows_at_the_end([tried[k] for k in keep])
        if n_rows < len(X):
            rows = draw_rows(y, n_rows, rng, least=1)
            X, y, fit_weight = X[rows], y[rows], _weights_of(fit_weight, rows)
        self._say_what_was_left_out(budget, len(tried), len(candidates), len(X))
        kept = [members[k] for k in keep]
        fitted = _crossfit.fit_all(
            kept, X, y, sample_weight=fit_weight, n_jobs=self.n_jobs, quiet=True
        )
        self.pool_ = [(m.name, model) for m, model in zip(kept, fitted, strict=True)]

    def _rows_to_try_on(self, X, y, sample_weight, budget, rng):
        if not isinstance(self.cv, int | np.integer):
            budget.n_tried_on = len(X)  # its folds are of all rows
        if budget.n_tried_on == len(X):
            return slice(None), X, y, sample_weight
        rows = draw_rows(y, budget.n_tried_on, rng, least=int(self.cv))
        return rows, X[rows], y[rows], None if sample_weight is None else sample_weight[rows]

    def _say_what_was_left_out(self, budget, n_tried, n_members, n_rows):
        if self.time_limit is None:
            return
        said = []
        if n_tried + len(self.failed_) < n_members:
            said.append(f"{n_tried} of {n_members} members were tried")
        if budget.n_tried_on < budget.n_samples:
            said.append(f"members were chosen on {budget.n_tried_on} of {budget.n_samples} rows")
        if n_rows < budget.n_samples:
            said.append(f"there was time to learn from {n_rows} of them only")
        if said:
            warnings.warn(
                f"time_limit={self.time_limit:g}: {', '.join(said)}.", UserWarning, stacklevel=4
            )

    def _try_all(self, members, X, y, splits, sample_weight, budget):
        """Cross-fit members one after the other, as long as there is time."""
        done: dict[int, tuple[NDArray, float]] = {}
        self.failed_: list[str] = []
        self.stop_reason_ = "complete"
        order = list(range(len(members)))
        if self.pool is None and self.time_limit is not None:
            order.sort(key=lambda k: members[k].name != _FIRST)
        bar = track(order, total=len(order), description="Trying", show=self.progress)
        try:
            for k in bar:
                start = time.monotonic()
                try:
                    proba = self._try_one(members[k], X, y, splits, sample_weight, budget, k, done)
                except (ValueError, ArithmeticError, np.linalg.LinAlgError) as why:
                    self.failed_.append(f"{members[k].name}: {why}")
                    continue
                if proba is None:
                    self.stop_reason_ = "time_limit"
                    continue
                done[k] = proba, time.monotonic() - start
        except KeyboardInterrupt:
            if not done:
                raise
            keep_partial(f"going on with the {len(done)} members tried so far.", stacklevel=5)
            self.stop_reason_ = "interrupted"
        if not done:
            raise ValueError("No member could be trained. " + " ".join(self.failed_)[:2000])
        tried = sorted(done)
        return tried, [done[k][0] for k in tried], [done[k][1] for k in tried]

    def _try_one(self, member, X, y, splits, sample_weight, budget, k, done):
        """Cross-fit a member; None if there is no time for it, unless it is the first."""
        cross_fit = partial(
            _crossfit.cross_fit, [member], ask=partial(_ask, n_classes=len(self.classes_)),
            sample_weight=sample_weight, n_jobs=self.n_jobs, quiet=True,
        )  # fmt: skip
        if self.time_limit is None or is_fitted(member.estimator):
            return cross_fit(X, y, splits)[0]
        if done and budget.for_trying() <= 0:
            return None
        n_folds, probed = len(splits), 0.0
        train, test = splits[0]
        # On few rows first: a member that is very slow is so on more of them, too.
        for part in (PROBE**2, PROBE) if len(y) >= LEAST_ROWS else ():
            if done and not budget.can_probe(probed):
                return None
            rows = draw_rows(y[train], len(train) // part, np.random.RandomState(0), least=2)
            probed = _timed(cross_fit, X, y, [(train[rows], test[::part])])[1]
        if done and not budget.can_begin(probed, n_folds):
            return None
        first, fold = _timed(cross_fit, X, y, splits[:1])
        if done and not budget.can_go_on(fold, probed, n_folds - 1, n_folds):
            return None
        budget.set_aside(k, fold, probed, n_folds)
        proba = np.empty((len(y), len(self.classes_)))
        proba[test] = first[0]
        rest = splits[1:]
        rows = np.concatenate([test for _, test in rest])
        proba[np.sort(rows) if len(rest) > 1 else rows] = cross_fit(X, y, rest)[0]
        return proba

    # -- asking --------------------------------------------------------------------------------

    def _member_answers(self, X):
        X = self._check_X(X)
        members = [Member(model, None, name) for name, model in self.pool_]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            proba = np.stack([_ask(member, X, len(self.classes_)) for member in members])
        votes = proba.argmax(axis=2)
        return Answers(self.classes_, [m.name for m in members], votes, proba,
                       self.estimator_weights_, combiner=self.combiner_)  # fmt: skip

    _ask = _member_answers

    def _members_have_proba(self):
        return True

    def _combined(self, X):
        return self.combiner_.predict_proba(self.member_outputs(X))

    def explain(self) -> str:
        """Say in words what was tried, what was kept, and what each member is worth."""
        check_is_fitted(self)
        board = self.leaderboard_
        best = board.loc[board["log_loss"].idxmin()]
        kept = board[board["weight"] > 0]
        lines = [
            f"{len(board)} members were tried, {len(kept)} kept, combined by "
            f"{self.combiner_name_}.",
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


def _timed(function, *args):
    began = time.monotonic()
    return function(*args), time.monotonic() - began


def _weights_of(weights, rows):
    return {name: None if own is None else own[rows] for name, own in weights.items()}


def _seeded(model, seed):
    model = clone(model)
    names = [n for n in model.get_params() if n == "random_state" or n.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(names, seed)) if names else model


def _ask(member, X, n_classes):
    """Return the probabilities of a member; 0 for a class it never saw."""
    proba = np.zeros((len(X), n_classes))
    proba[:, member.estimator.classes_] = member.estimator.predict_proba(X)
    assert_all_finite(proba, input_name="its probabilities")
    return proba


def _leaderboard(outputs, tempered, rule, keep, families, seconds):
    kept = member_contributions(outputs.take(keep), rule, loss="log-loss")
    answer = rule.combine(outputs.take(keep)).argmax(axis=1)
    weight, adds = np.zeros(outputs.n_members), np.zeros(outputs.n_members)
    weight[keep], adds[keep] = kept["weight"], kept["adds"].fillna(0.0)
    frame = pd.DataFrame(
        {
            "member": outputs.names,
            "family": families,
            "error": [mean_loss(p, outputs) for p in outputs.proba],
            "log_loss": [mean_loss(p, outputs, "log-loss", LEAST) for p in tempered.proba],
            "weight": weight,
            "adds": adds,
            "disagrees": [
                np.average(votes != answer, weights=outputs.sample_weight)
                for votes in outputs.votes
            ],
            "seconds": seconds,
        }
    )
    order = ["weight", "log_loss"]
    return frame.sort_values(order, ascending=[False, True]).reset_index(drop=True)
