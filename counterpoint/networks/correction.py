"""Rounds of refitting on corrected targets; the estimators around them are in ``nccd.py``."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone

from counterpoint._interrupts import keep_partial, whole
from counterpoint._progress import track
from counterpoint._tables import select_rows


def corrected_target(d, f, s):
    """Return ``d + s / (1 - s) (d - f)``, where the gradient ``(f_i - d) - s (f_i - f)`` is zero.

    d is what is wanted, f what the ensemble says, held; s is the strength, ``2 lambda (1 - 1/N)``,
    below 1. If f is the mean of the *other* members, the true f moves with f_i, and
    ``s (1 - 1/N)`` takes the place of s.
    """
    return d + (s / (1.0 - s)) * (d - f)


# -- the rows each member sees -------------------------------------------------------------------


@dataclass
class Bags:
    """Rows drawn for each member, and what of the data is held out from it."""

    rows: list
    unseen: np.ndarray | None

    @classmethod
    def whole(cls, n_members):
        """Show all rows to all members."""
        return cls([slice(None)] * n_members, None)

    @classmethod
    def drawn(cls, X, y, weight, n_cases, n_members, rng):
        """Draw rows with replacement, by weight, as many as there are cases.

        Rows stand in an order given by what they hold. So a weight of 2 is the same as the row
        twice, and the order of the rows changes nothing.
        """
        order, group = _by_content(X, y)
        limits = np.cumsum(weight[order])
        unseen = np.ones((n_members, len(y)), dtype=bool)
        rows = []
        for own in unseen:
            u = np.sort(rng.random_sample(n_cases)) * limits[-1]
            rows.append(order[np.minimum(np.searchsorted(limits, u, side="right"), len(y) - 1)])
            own[np.isin(group, group[rows[-1]])] = False  # a copy of a row drawn is not unseen
        return cls(rows, unseen)


def _by_content(X, y):
    """Return an order of the rows by content, and a number for each distinct row."""
    if issparse(X):
        # Any fixed direction will do; rows that only look alike along it are held out together.
        key = np.asarray(X @ np.random.RandomState(0).standard_normal(X.shape[1])).ravel()
    else:
        frame = X.to_pandas() if hasattr(X, "to_pandas") else pd.DataFrame(X)
        try:
            key = pd.util.hash_pandas_object(frame, index=False).to_numpy()
        except TypeError:  # objects without a hash: it is for the learner to take or refuse them
            key = pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy()
    order = np.lexsort((y, key))
    keys, targets = key[order], y[order]
    is_new = (keys[1:] != keys[:-1]) | (targets[1:] != targets[:-1])
    group = np.empty(len(y), dtype=np.int64)
    group[order] = np.concatenate([[0], np.cumsum(is_new)])
    return order, group


# -- a member: one model, or one for each column of the target -----------------------------------


def fit_columns(model, X, target, params, rows, *, joint):
    """Train clones of a seeded model on their rows of the target, (n_samples, n_outputs)."""
    params = {name: rows_of(value, rows, X.shape[0]) for name, value in params.items()}
    X = X if isinstance(rows, slice) else select_rows(X, rows)
    target = target[rows]
    with whole():
        if joint:
            return clone(model).fit(X, target, **params)
        columns = [np.ascontiguousarray(column) for column in target.T]
        models = [clone(model).fit(X, column, **params) for column in columns]
    return models[0] if len(models) == 1 else models


def member_values(model, X):
    """Return what a member says, (n_samples, n_outputs)."""
    if isinstance(model, list):
        return np.stack([np.asarray(m.predict(X), dtype=float).ravel() for m in model], axis=1)
    values = np.asarray(model.predict(X), dtype=float)
    return values[:, None] if values.ndim == 1 else values


def rows_of(value, rows, n):
    """Return the part of metadata that belongs to some rows; the rest goes as it is."""
    is_by_row = hasattr(value, "__len__") and not isinstance(value, str | dict) and len(value) == n
    return np.asarray(value)[rows] if is_by_row else value


# -- the rounds ----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Correction:
    """Rounds of refitting.

    ``options`` is the estimator, ``rate`` the s of :func:`corrected_target`; ``step`` how far what
    is remembered of the outputs moves each round.
    """

    rate: float
    step: float
    exclude_self: bool
    joint: bool
    options: Any

    best: list = field(default_factory=list)
    best_round: int = 0
    history: list = field(default_factory=list)
    reason: str = "complete"

    def run(self, X, d, weight, bags, models, *, params, judge, notes):
        """Train until the ensemble stops changing or ``judge`` has seen no better for a while.

        ``d`` is (n_samples, n_outputs), ``weight`` adds up to 1. ``models`` are the members, seeded
        and not fitted, ``params`` goes to their ``fit``. ``judge(members, values)`` says how
        wrong the ensemble is, where it counts; ``notes(f)`` adds to the history.
        """
        options = self.options
        memory, last, least, since = None, None, np.inf, 0
        targets = np.broadcast_to(d, (len(models), *d.shape))
        scale = max(float(np.sqrt(weight @ ((d - weight @ d) ** 2).sum(axis=1))), 1e-300)
        rounds = track(
            range(1, options.n_rounds + 1),
            total=options.n_rounds,
            description=type(options).__name__,
            show=options.progress,
        )
        parallel = Parallel(n_jobs=options.n_jobs, prefer="threads")
        try:
            for number in rounds:
                members = parallel(
                    delayed(fit_columns)(model, X, target, params, rows, joint=self.joint)
                    for model, target, rows in zip(models, targets, bags.rows, strict=True)
                )
                values = np.stack([member_values(member, X) for member in members])
                f = values.mean(axis=0)
                change = np.nan if last is None else np.sqrt(weight @ ((f - last) ** 2).sum(axis=1))
                last = f
                row = {**_terms(values, f, d, weight), **notes(f), "change": float(change) / scale}
                row["valid_error"] = error = judge(members, values)
                self.history.append(row)
                # Sums are rounded: an error as low as the best so far is not a better one.
                if not self.best or error < least - 1e-12 * abs(least):
                    self.best, self.best_round, least, since = members, number, error, 0
                else:
                    since += 1
                if self.rate == 0.0 or row["change"] <= options.tol:
                    self.reason = "converged"
                    break
                if since >= options.patience:
                    self.reason = "held-out error"
                    break
                now = values if self.exclude_self else f[None]
                memory = now if memory is None else memory + self.step * (now - memory)
                others = memory
                if self.exclude_self:
                    others = (memory.sum(axis=0) - memory) / (len(models) - 1)
                targets = corrected_target(d, others, self.rate)
                targets = np.broadcast_to(targets, values.shape)
        except KeyboardInterrupt:
            if not self.best:
                raise
            keep_partial()
            self.reason = "interrupted"
        return self


def _terms(values, f, d, weight):
    """Return the ambiguity decomposition: error is member_error less ambiguity, exactly."""
    member = (((values - d) ** 2).sum(axis=2) @ weight).mean()
    spread = (((values - f) ** 2).sum(axis=2) @ weight).mean()
    error = weight @ ((f - d) ** 2).sum(axis=1)
    return {"error": float(error), "member_error": float(member), "ambiguity": float(spread)}
