"""Overproduce and select: what the classifier and the regressor share."""

import time
import warnings
from abc import ABC, abstractmethod
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from counterpoint._interrupts import whole
from counterpoint._kernels.threads import threads_for
from counterpoint._members import Member
from counterpoint._tables import need_numbers
from counterpoint._threads import one_native_thread
from counterpoint._typing import Pool, Seed
from counterpoint._validation import check_number
from counterpoint.auto.budget import Budget
from counterpoint.auto.by_lot import ByLot, promised_by_lot
from counterpoint.auto.choice import N_FOLDS, SIMPLE, choose_rule
from counterpoint.auto.columns import date_columns, expand_columns
from counterpoint.auto.given import candidates_of, check_given, named
from counterpoint.auto.metric import Metric
from counterpoint.auto.plan import folds_plan, hold_out_plan
from counterpoint.auto.pool import Candidate
from counterpoint.auto.prices import PROBE_ROWS, Rounds
from counterpoint.auto.trying import Trying
from counterpoint.base import MAX_SEED, BaseEnsemble, check_weights, draw_seed, validate_data
from counterpoint.datasets import TabularEncoder

# A member with less weight than this is not worth keeping.
_LEAST_WEIGHT = 0.005
# Native threads pay on tables with more cells than this.
_FEW_CELLS = 500_000
# Tables of so few rows are always cross-fitted; of more, if the first member takes no larger part
# of the time for all folds, or twice that up to some rows: of few, none are to spare.
_FEW_ROWS, _SOME_ROWS, _PART_FOR_FOLDS = 2_000, 5_000, 0.12
# Where rows are held out, the first member takes about this part of the time on the lowest rung; if
# it takes no more for all rows, there is one rung only.
_PART_FOR_FIRST, _FEWEST_LEARNT = 0.1, 2_000
# If it takes more than this for all rows, there will be no time to fit it again in the end; of so
# many rows or fewer, those held out are missed then.
_PART_FOR_TWO, _MISSED = 0.3, 20_000
# Of fewer rows held out it cannot be told how well a class is known.
_ENOUGH_OF_CLASS = 10
# What is said of a model in any case.
_ALWAYS_SAID = ("error", "log-loss", "squared error")
# The lowest rung has no fewer rows than that, unless they take it more than this part, and a probe
# less: one that is too dear for anything is no reason to let the others learn from little.
_MOST_FOR_FEWEST = 0.25


class OverproduceSelect(BaseEnsemble, ABC):
    """Fitting: read, plan, try, choose, fit on all rows; see the two classes made of it.

    A subclass says what its target is: ``_read``, ``_task``, ``_metric``, ``_default_pool``, and
    ``_tell`` for what was found.
    """

    _classes = True
    _loss_column: str
    leaderboard_: Any
    combiner_: Any
    diversity = 0.0  # of models that were kept before it was an option
    _expand: Any = None
    by_lot_: ByLot | None = None
    _judged_by = ""
    cv_loss_: float

    @abstractmethod
    def _read(self, X, y):
        """Check the training data; return numbers, and codes or numbers of the target."""

    @abstractmethod
    def _default_pool(self, X) -> list[Candidate]:
        """Return what to try by default."""

    @abstractmethod
    def _metric(self) -> Metric:
        """Return what to judge by."""

    @abstractmethod
    def _task(self) -> Any:
        """Return how members are asked."""

    @abstractmethod
    def _tell(self, choice, metric, outputs, rule, keep, families, seconds):
        """Set what is known of the choice."""

    @abstractmethod
    def _expected(self) -> str:
        """Say what to expect on new rows."""

    @abstractmethod
    def _alone(self, row) -> str:
        """Say how good a member is alone."""

    @abstractmethod
    def _off(self, loss: float) -> str:
        """Say how far off a member is, by its share of wrong answers or its RMSE."""

    @abstractmethod
    def _worth(self, row) -> str:
        """Say what a member is worth."""

    def __init__(
        self,
        pool: Pool = None,
        *,
        metric: str,
        diversity: float = 0.0,
        cv: Any = 5,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.pool = pool
        self.metric = metric
        self.diversity = diversity
        self.cv = cv
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Any:
        """Try the pool, choose, and fit what was chosen.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Numbers; in a frame also categories, dates, texts and gaps.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. None: all the same.
        groups : array-like of shape (n_samples,), default=None
            Rows of a group (a customer, a patient) are never both learnt from and asked about.

        Returns
        -------
        self
        """
        self._began = time.monotonic()
        dates = date_columns(X) if groups is None and _is_number(self.cv) else []
        X, y = self._read(X, y)
        if dates:
            warnings.warn(
                f"{' and '.join(dates)} hold{'s' * (len(dates) == 1)} dates, and rows are held out "
                "by lot: if the model is for later rows than these, sort them by date and give "
                "cv=TimeSeriesSplit(), or it promises too much.",
                UserWarning,
                stacklevel=2,
            )
        weight = self._weights(y, check_weights(sample_weight, X))
        if groups is not None:
            groups = column_or_1d(groups)
            check_consistent_length(X, groups)
            gaps = np.flatnonzero(pd.isna(groups))
            if len(gaps):
                raise ValueError(
                    f"groups has a gap at row {gaps[0]}: give every row a group, a new one if it "
                    "is alone."
                )
            groups = pd.factorize(groups)[0]
        self._groups = groups
        try:
            self._fit_members(X, y, weight, check_random_state(self.random_state))
        finally:
            del self._groups
        return self

    def _weights(self, y, sample_weight):
        """Return the weights that rows are learnt and judged with."""
        return sample_weight

    # -- data ----------------------------------------------------------------------------------

    def _check_given(self):
        check_given(self.pool, owner=type(self).__name__)
        check_number(self.diversity, "diversity", low=-1, high=1e6)
        if self.time_limit is not None:
            check_number(self.time_limit, "time_limit", low=0, hint=", or None")

    def _numbers_of(self, X):
        """Return the table as numbers, and note how to make them."""
        X = self._read_X(X, ensure_min_samples=2)
        self._encoder = self._expand = None
        if hasattr(X, "columns"):
            self._expand = expand_columns(X)
            X = X if self._expand is None else self._expand(X)
        if hasattr(X, "columns") or np.isnan(X).any():
            self._encoder = TabularEncoder().fit(X)
            X = self._encoder.transform(X)
        return np.asarray(X, dtype=np.float64)

    def _read_X(self, X, **options):
        """Check data; frames stay what they are."""
        if not hasattr(X, "columns"):
            return validate_data(self, X, ensure_all_finite="allow-nan", **options)
        validate_data(self, X, reset=options.get("reset", True), skip_check_array=True)
        return X

    def _check_X(self, X):
        check_is_fitted(self)
        X = self._read_X(X, reset=False)
        if self._expand is not None:
            if not hasattr(X, "columns"):
                X = pd.DataFrame(X, columns=self.feature_names_in_)
            X = self._expand(X)
        if self._encoder is not None:
            X = self._encoder.transform(X)
        need_numbers(X, type(self).__name__)
        X = np.asarray(X, dtype=np.float64)
        if np.isnan(X).any():
            raise ValueError(
                "Input X contains NaN, but there was none in training: fill the gaps first."
            )
        return X

    # -- members -------------------------------------------------------------------------------

    def _learners(self):
        pairs = [item for item in named(self.pool) if isinstance(item, tuple)]
        return {name: model for name, model in pairs if hasattr(model, "fit")}

    def _candidates(self, X) -> list[Candidate]:
        kind = "classes" if self._classes else "numbers"
        size = (*X.shape, self._task().n_outputs)
        return candidates_of(self.pool, self._default_pool(X), kind, size)

    # -- fitting -------------------------------------------------------------------------------

    def _fit_members(self, X, y, sample_weight, rng):
        alone = effective_n_jobs(self.n_jobs) == 1
        budget = Budget(self.time_limit, began=self._began, alone=alone)
        del self._began
        metric, task = self._metric(), self._task()
        metric.check(y, sample_weight, task.n_outputs)
        candidates = self._candidates(X)
        with self._few_threads(X):
            plan = self._plan(X, y, candidates[0], budget, rng)
            trying = self._trying(candidates, task, plan, X, y, sample_weight, budget, rng)
            trying.run()
            keep = self._choose(trying, candidates, metric, sample_weight, rng)
            self.by_lot_ = promised_by_lot(trying)
        self.stop_reason_, self.failed_ = trying.reason, trying.failed
        with whole(), self._few_threads(X):
            models = trying.finish(keep, self.estimator_weights_)
        self.pool_ = [(trying.members[k].name, m) for k, m in zip(keep, models, strict=True)]
        self._say_what_was_left_out(trying, len(candidates), keep)

    def _trying(self, candidates, task, plan, X, y, sample_weight, budget, rng):
        """Return what tries the candidates, each with a seed of its own."""
        seeds = rng.randint(MAX_SEED, size=len(candidates))
        both = list(zip(candidates, seeds, strict=True))
        members = [_member(c, seed) for c, seed in both]
        quick = {k: _member(c.quick, seed) for k, (c, seed) in enumerate(both) if c.quick}
        # By member: of those given, what each has asked for.
        routed = {
            name: own.get("sample_weight") for name, own in self._fit_params(sample_weight).items()
        }
        fit_weight = {
            m.name: routed.get(m.name, sample_weight) for m in (*members, *quick.values())
        }
        return Trying(
            members, task, plan, X, y, fit_weight, sample_weight, budget,
            n_jobs=self.n_jobs, progress=self.progress,
            may_stop=self.pool is None or isinstance(self.pool, str),
            cheaper=_cheaper_kin(candidates), quick=quick, rounds=_rounds(candidates, seeds),
        )  # fmt: skip

    def _choose(self, trying, candidates, metric, sample_weight, rng):
        """Choose how to combine those tried, and tell; return the places of those worth keeping."""
        tried = sorted(trying.done)
        self.outputs_ = outputs = trying.task.outputs(
            np.stack([trying.done[k].answers for k in tried]), trying.plan.asked, trying.y,
            sample_weight, [trying.members[k].name for k in tried],
        )  # fmt: skip
        choice = choose_rule(
            outputs, metric, simple=[i for i, k in enumerate(tried) if candidates[k].simple],
            diversity=self.diversity, parts=trying.plan.parts(N_FOLDS),
            random_state=draw_seed(rng),
        )  # fmt: skip
        rule, weights = choice.rule, choice.rule.estimator_weights_
        keep = np.flatnonzero(weights >= min(_LEAST_WEIGHT, weights.max()))
        if len(keep) < len(weights):
            rule = rule.keep(keep, outputs)
        self.combiner_name_, self.combiners_tried_ = choice.name, choice.table
        self.combiner_, self.estimator_weights_ = rule, rule.estimator_weights_
        self._judged_by = "" if metric.name in _ALWAYS_SAID else metric.name
        families = [candidates[k].family for k in tried]
        seconds = [trying.done[k].seconds for k in tried]
        self._tell(choice, metric, outputs, rule, keep, families, seconds)
        return [tried[k] for k in keep]

    def _few_threads(self, X):
        # Threads that share so little work take longer, on a busy machine far longer.
        few = ExitStack()
        if self.time_limit is not None or X.size < _FEW_CELLS:
            few.enter_context(one_native_thread())
        few.enter_context(threads_for(np.inf if X.size >= _FEW_CELLS else 0))
        return few

    def _plan(self, X, y, first, budget, rng):
        in_folds = partial(folds_plan, self.cv, X, y, self._groups, rng, classes=self._classes)
        if not budget.is_limited or len(y) <= _FEW_ROWS:
            return in_folds()
        # A look at the first member, on few rows: is there time for folds?
        look = Trying(
            [_member(first, 0)], self._task(), hold_out_plan(
                y, np.random.RandomState(0), classes=self._classes, limit=budget.limit,
                first=8 * PROBE_ROWS,
            ), X, y, {}, None, budget, rounds=_rounds([first], [0]),
        )  # fmt: skip
        look.look(0)
        # What a splitter gives has to be seen first; of folds that are too many, the last.
        plan = None if _is_number(self.cv) else in_folds()
        own = [len(y)] * int(self.cv) if plan is None else [len(train) for train, _ in plan.folds]
        folds = len(own) * budget.price(0, max(own))
        part = _PART_FOR_FOLDS * (1 if len(y) > _SOME_ROWS else 2)
        if folds <= part * budget.limit:
            return plan or in_folds()
        n_rows = budget.rows_for(0, _PART_FOR_FIRST * budget.limit, len(y))
        prices = [budget.price(0, n) for n in (PROBE_ROWS, _FEWEST_LEARNT)]
        fewer = prices[0] <= _MOST_FOR_FEWEST * budget.limit < prices[1]
        n_rows = max(n_rows, PROBE_ROWS if fewer else _FEWEST_LEARNT)
        once = len(y) <= _MISSED and budget.price(0, len(y)) > _PART_FOR_TWO * budget.limit
        return hold_out_plan(
            y, rng, classes=self._classes, limit=budget.limit, first=n_rows, once=once,
            groups=self._groups, fold=None if plan is None else plan.folds[-1],
        )  # fmt: skip

    def _say_what_was_left_out(self, trying, n_members, kept):
        said = []
        if self.combiner_name_ == SIMPLE and len(trying.done) > 1:
            said.append(
                f"all members together are not better than {self.pool_[0][0]} alone, which is what "
                "you get"
            )
        if trying.failed and self.pool is not None and not isinstance(self.pool, str):
            n = len(trying.failed)
            said.append(f"{n} of {n_members} members could not be trained, failed_ says why")
        if self.time_limit is not None:
            if len(trying.done) + len(trying.failed) < n_members:
                were = "was" if len(trying.done) == 1 else "were"
                said.insert(
                    0,
                    f"in the time there was, {len(trying.done)} of {n_members} members {were} "
                    "tried",
                )
            n_asked, n = len(trying.plan.asked), len(trying.y)
            if n_asked < n and trying.plan.is_hold_out:
                said.append(
                    f"members were chosen on {n_asked} of {n} rows held out{self._rarest(trying)}"
                )
            short = [k for k in kept if trying.done[k].n_rows < trying.plan.rungs[-1]]
            if trying.budget.compiling:
                said.append(
                    f"{trying.budget.compiling:.0f} s of compiling, which is done once, are not "
                    "counted"
                )
            if short and trying.n_not_refitted:
                n_rows = min(trying.done[k].n_rows for k in short)
                said.append(f"some had time to learn from {n_rows} rows only")
        if said:
            said[0] = said[0][0].upper() + said[0][1:]
            warnings.warn(f"{'; '.join(said)}.", UserWarning, stacklevel=4)

    def _rarest(self, trying):
        """Say of how many rows held out the rarest class is, if they are too few to judge it by."""
        if not self._classes:
            return ""
        count = np.bincount(trying.y[trying.plan.asked], minlength=trying.task.n_outputs)
        k = count.argmin()
        if count[k] >= _ENOUGH_OF_CLASS:
            return ""
        return f", {count[k]} of them of class {trying.task.classes[k]}, too few to judge it by"

    def explain(self) -> str:
        """Say in words what was tried, what was kept, and what each member is worth."""
        check_is_fitted(self)
        board, loss = self.leaderboard_, self._loss_column
        best = board.loc[board[loss].idxmin()]
        kept = board[board["weight"] > 0]
        judged = f"{self._judged_by} {self.cv_loss_:.4g}, " if self._judged_by else ""
        lines = [
            f"{len(board)} members were tried, {len(kept)} kept, combined by "
            f"{self.combiner_name_}.",
            f"Expected on new rows: {judged}{self._expected()}. The best member alone, "
            f"{best['member']}: {self._alone(best)} (chosen after the fact).",
        ]
        for _, row in kept.iterrows():
            lines.append(f"- {row['member']}: weight {row['weight']:.2f}; {self._worth(row)}")
        idle = board.loc[board["weight"] <= 0, "member"]
        if len(idle):
            lines.append(f"Tried, and of no use beside these: {', '.join(idle)}.")
        if self.by_lot_ is not None:
            here, lot = self._off(self.by_lot_.here), self._off(self.by_lot_.by_lot)
            lines.append(
                f"The best of the quickest members ({', '.join(self.by_lot_.members)}) {here} on "
                f"the rows held out; by as many drawn by lot it would have seemed that it {lot}."
            )
        lines += [f"Not trained: {why}" for why in self.failed_]
        return "\n".join(lines)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _is_number(cv):
    return isinstance(cv, int | np.integer)


def _member(candidate, seed):
    return Member(candidate.make(int(seed)), None, candidate.name)


def _cheaper_kin(candidates):
    """Return, by place, the place of one that costs less for sure."""
    places = {c.name: k for k, c in enumerate(candidates)}
    kin = {k: places.get(c.dearer_than) for k, c in enumerate(candidates)}
    return {k: other for k, other in kin.items() if other is not None}


def _rounds(candidates, seeds):
    """Return, by name, how those that go round by round are made with fewer of them."""
    both = [
        (c, int(seed))
        for own, seed in zip(candidates, seeds, strict=True)
        for c in (own, own.quick)
        if c is not None and c.n_rounds
    ]
    return {c.name: Rounds(c.n_rounds, partial(c.make, seed)) for c, seed in both}


def rows_of(weight: NDArray | None, rows: NDArray) -> NDArray | None:
    """Return the weights of some rows, if there are any."""
    return None if weight is None else weight[rows]
