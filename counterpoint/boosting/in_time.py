"""Boosting that ends in time: by rows held out or, where there are few, by parts held out in turn.

docs/hist_boost.md says on which tables the numbers here were chosen.
"""

import warnings
from copy import deepcopy
from itertools import islice
from math import ceil

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from counterpoint._interrupts import whole
from counterpoint._tables import select_rows
from counterpoint.base import draw_seed
from counterpoint.boosting.additive import AdditiveWatcher, BinnedWatcher
from counterpoint.boosting.calibration import gain_and_noise
from counterpoint.boosting.loop import boost
from counterpoint.boosting.stopping import ErrorStopping

# With fewer rows than this, or fewer rows times trees a round than that, "auto" holds none out in
# the end: each is worth learning from. Of five parts some say, each in its turn, how many rounds
# are best: three where rounds take no time, two where they are quick, else one. All rows together
# bear some more.
_FEW, _QUICK, _NO_TIME = 2000, 10_000, 1000
_PARTS, _MORE = 5, 1.3
# They are asked at this rate, if that is larger, with a quarter of the patience: rounds count for
# more.
_SEARCH_RATE = 0.3
# Where so few rounds are best at that rate, each is too long a step to tell: they are asked again
# at the rate itself, with half of the patience.
_COARSE = 8
# Rows held out at most: more do not make the choice better, but take time.
_MOST_HELD = 20_000


class StopsInTime:
    """Additive booster with ``early_stopping``, ``patience`` and ``validation_fraction``."""

    def _set_aside(self, X, y, weight, rng):
        self._held = self._rounds = None
        self._asked, self._best_notes = [], []
        if not self.early_stopping or self.warm_start:
            return X, y, weight, []
        size = len(y) * self._trees_a_round()
        if self.early_stopping == "auto" and (size < _QUICK or len(y) < _FEW):
            n_asked = 3 if size < _NO_TIME else 2 if size < _QUICK else 1
            self._asked = self._draw_parts(y, rng, n_asked)
            return X, y, weight, []
        n_held = min(max(1, round(self.validation_fraction * len(y))), _MOST_HELD)
        if n_held >= len(y):
            raise ValueError(
                f"early_stopping={self.early_stopping} holds out validation_fraction="
                f"{self.validation_fraction:g} of the rows, and X has {len(y)}: none is left to "
                "train on. Give more rows, hold out fewer, or set early_stopping=False."
            )
        kept, held = train_test_split(
            np.arange(len(y)), test_size=n_held, stratify=self._strata(y, n_held), random_state=rng
        )
        return self._hold_out(X, y, weight, kept, held)

    def _hold_out(self, X, y, weight, kept, held):
        kept = self._with_every_class(y, kept, held)
        self._held = _HeldOut(self, select_rows(X, held), y[held], self._cases(weight[held]))
        weight = weight[kept]
        weight /= weight.sum()
        return self._only(X, kept), y[kept], weight, [self._held]

    def _draw_parts(self, y, rng, n_asked):
        """Return rows to train on, rows to hold out and what to draw from, for each part asked."""
        n_folds = min(_PARTS, len(y))
        if n_folds < 2:
            return []
        stratified = self._strata(y, len(y) // n_folds) is not None
        folds = (StratifiedKFold if stratified else KFold)(n_folds, shuffle=True, random_state=rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes with fewer rows than there are folds
            return [
                (self._with_every_class(y, *fold), fold[1], np.random.RandomState(draw_seed(rng)))
                for fold in islice(folds.split(np.zeros(len(y)), y), n_asked)
            ]

    def _tuned(self, rule, learner, X, y, weight):
        if self._asked:
            self._rounds = self._rounds_by_parts(rule, learner, y, weight)
        self._asked = []
        return rule

    def _rounds_by_parts(self, rule, learner, y, weight):
        """Return how many rounds are best for rows held out: geometric mean of parts, and more."""
        data = rule, learner, y, weight
        # No faster than leaves a round to look at.
        faster = min(max(1.0, _SEARCH_RATE / rule.learning_rate), float(self._most_rounds()))
        patience = self.patience if faster == 1 else ceil(self.patience / 4)
        usual = self._usual_round_of_a_size(*data, faster, patience)
        if faster > 1 and usual < _COARSE:
            faster = 1.0
            usual, _ = self._usual_round(*data, faster, ceil(self.patience / 2))
        return min(max(1, round(_MORE * faster * usual)), self._most_rounds())

    def _usual_round_of_a_size(self, rule, learner, y, weight, *how):
        """Return the usual round; larger trees are kept if they are better beyond noise."""
        larger = self._larger_trees()
        # Both draw alike, and what is not kept leaves no trace.
        parts = deepcopy(self._asked) if larger else []
        usual, losses = self._usual_round(rule, learner, y, weight, *how)
        if not larger:
            return usual
        smaller, notes = self.max_leaf_nodes_, self._best_notes
        parts, self._asked = self._asked, parts
        self._set_leaves(learner, larger)
        found, less = self._usual_round(rule, learner, y, weight, *how)
        cases = self._cases(np.concatenate([weight[held] for _, held, _ in parts]))
        gain, noise = gain_and_noise(losses - less, cases)
        if gain > noise:
            return found
        self._set_leaves(learner, smaller)
        self._asked, self._best_notes = parts, notes
        return usual

    def _usual_round(self, rule, learner, y, weight, faster, patience):
        """Return the geometric mean of the best rounds at so many times the rate, and losses."""
        rate, rule.learning_rate = rule.learning_rate, faster * rule.learning_rate
        given = rule, learner, y, weight, ceil(self._most_rounds() / faster), patience
        with whole():
            found = [self._best_round(*given, *part) for part in self._asked]
        rule.learning_rate = rate
        best, self._best_notes, losses = zip(*found, strict=True)
        return float(np.exp(np.log(best).mean())), np.concatenate(losses)

    def _best_round(self, rule, learner, y, weight, most, patience, kept, held, rng):
        """Return after how many rounds rows held out are predicted best; notes and losses then."""
        watcher = BinnedWatcher("held", learner.bins(held), y[held], rule.loss)
        best = _Best(watcher, *self._judged(watcher, self._cases(weight[held])))
        rule.start(y[kept], None, weight[kept] / weight[kept].sum())
        boost(
            rule,
            learner.some(kept, rng),
            most,
            on_failure="stop",
            stops=[ErrorStopping(best.column, patience=patience).begin(None, None)],
            watchers=[best],
            progress=False,
        )
        return best.round, best.notes, self._losses(y[held], rule.loss, best.total, best.notes)

    def _judged(self, watcher, cases):
        """Return who watches rows held out, and which of its notes says when to stop."""
        return watcher, f"held_{watcher.loss.score}"

    def _larger_trees(self):
        """Return how many leaves parts try as well; 0: what there is will do."""
        return 0

    def _losses(self, y, loss, total, notes):
        """Return the loss of each row held out, where trees of two sizes are tried."""
        return np.zeros(len(y))

    def _most_rounds(self):
        return super()._most_rounds() if self._rounds is None else self._rounds

    def _trees_a_round(self):
        return 1

    def _strata(self, y, n_held):
        return None

    def _with_every_class(self, y, kept, held):
        return kept

    def _stopping(self):
        return ErrorStopping(self._held.column, patience=self.patience) if self._held else None

    def _finish(self, result):
        if self._held:
            best = int(np.argmin([row[self._held.column] for row in self._history])) + 1
            self.estimators_ = self.estimators_[:best]
            self.estimator_weights_ = self.estimator_weights_[:best]
            self._history = self._history[:best]
            self._best_notes = self._history[-1:]
            self._held = None  # no data in the model
        super()._finish(result)


class _Best:
    """Follow the ensemble on rows held out, and keep what it says of them where that is best."""

    def __init__(self, watcher, judge, column):
        self.watcher, self.judge, self.column = watcher, judge, column
        self.rounds, self.least = 0, np.inf

    def __call__(self, model, alpha):
        """Count a member in and note losses."""
        row = self.judge(model, alpha)
        self.rounds += 1
        if self.rounds == 1 or row[self.column] < self.least:
            self.least, self.round, self.notes = row[self.column], self.rounds, row
            self.total = self.watcher.total.copy()
        return row


class _HeldOut:
    """Follow the ensemble on rows held out; its loss is there when training begins."""

    def __init__(self, owner, X, y, cases):
        self.owner, self.given, self.cases, self._made = owner, (X, y), cases, None

    def _watching(self):
        if self._made is None:
            watcher = AdditiveWatcher("held", *self.given, self.owner._loss)
            self._made = self.owner._judged(watcher, self.cases)
        return self._made

    @property
    def column(self):
        return self._watching()[1]

    def __call__(self, model, alpha):
        return self._watching()[0](model, alpha)
