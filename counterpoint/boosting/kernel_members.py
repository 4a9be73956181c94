"""Support vector machines that share one matrix of squared distances, and their learner."""

import warnings
from copy import copy
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_array

from counterpoint._kernels.machines import solve_pairs, take_kernel
from counterpoint._options import solver_steps
from counterpoint.boosting.learners import Learner, MemberAnswer

# Class weights this close are equal: they are sums of rounded weights.
ROUNDING = 1e-9
# A dual coefficient is at its limit when it is this near to it; the solver stops at about 1e-12.
_AT_LIMIT = 1.0 - 1e-6
# A function that varies by less than this cannot cross from 1 to 0, solver tolerance included.
_FLAT = 0.9
# Numbers in a block of kernel values when new samples are asked about, and in one that they are
# computed in, which stays in the cache.
_BLOCK, _SMALL_BLOCK = 2**22, 2**15
# Below exp(-this) processors, and numpy, are ten times slower and more: such a kernel value is 0.
_FARTHEST = 707.0


class Space:
    """The training samples as the kernel sees them."""

    def __init__(self, vectors, mean, scale):
        self.vectors, self.mean, self.scale = vectors, mean, scale

    @classmethod
    def of(cls, X, weight, standardise):
        """Take the samples as they are, or standardised by their weights."""
        if not standardise:
            return cls(X, 0.0, 1.0)
        scaler = StandardScaler().fit(X, sample_weight=weight)
        return cls(scaler.transform(X), scaler.mean_, scaler.scale_)

    def squared(self, X, rows):
        """Squared distances of new samples to some of the training samples."""
        return euclidean_distances((X - self.mean) / self.scale, self.vectors[rows], squared=True)


class _KernelMember(ClassifierMixin, BaseEstimator):
    """A trained machine: one function per pair of classes, on some rows of a shared space.

    A function above 0 says the first class of its pair; most pairs win, a tie goes to the first
    class. Both as in libsvm.
    """

    def __init__(self, space, classes, log2_width, rows, coef, offset):
        self.space, self.classes, self.log2_width = space, classes, log2_width
        self.rows, self.coef, self.offset = rows, coef, offset
        self.classes_ = classes

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        """Labels of new samples."""
        X = check_array(X, dtype=np.float64)
        return self.classes_[member_codes([self], X)[0]]


def gamma_of(log2_width):
    """1 / (2 width^2) of the kernel exp(-gamma * squared distance)."""
    return 0.5 * 4.0**-log2_width


def kernel_values(squared, log2_width, out=None):
    """exp(-gamma * squared distances), into ``out`` if given; those below 1e-307 are 0."""
    out = np.empty_like(squared) if out is None else out
    gamma = gamma_of(log2_width)
    size = max(1, _SMALL_BLOCK // max(1, squared.shape[1]))
    for start in range(0, len(squared), size):
        part = out[start : start + size]
        np.multiply(squared[start : start + size], -gamma, out=part)
        far = part < -_FARTHEST
        if far.any():
            np.maximum(part, -_FARTHEST, out=part)
        np.exp(part, out=part)
        np.copyto(part, 0.0, where=far)
    return out


def votes_of(functions, n_classes):
    """Class codes from the functions of all pairs, (n_samples, n_pairs)."""
    if n_classes == 2:
        return (functions[:, 0] <= 0).astype(np.int32)
    tally = np.zeros((len(functions), n_classes), dtype=np.int32)
    for value, (first, second) in zip(functions.T, combinations(range(n_classes), 2), strict=True):
        tally[:, first] += value > 0
        tally[:, second] += value <= 0
    return tally.argmax(axis=1).astype(np.int32)


def member_codes(members, X):
    """Class codes of all members about new samples, (n_members, n_samples).

    Distances to the support vectors of all members are computed once, and exponentials once per
    width, block of samples by block.
    """
    n_classes, n_pairs = len(members[0].classes_), members[0].offset.size
    votes = np.empty((len(members), len(X)), dtype=np.int32)
    for space in {id(m.space): m.space for m in members}.values():
        mine = [k for k, m in enumerate(members) if m.space is space]
        rows = np.unique(np.concatenate([members[k].rows for k in mine]))
        jobs = []
        for log2_width in dict.fromkeys(members[k].log2_width for k in mine):
            alike = [k for k in mine if members[k].log2_width == log2_width]
            coef = np.zeros((len(rows), len(alike) * n_pairs))
            for at, k in enumerate(alike):
                own = np.searchsorted(rows, members[k].rows)
                coef[own, at * n_pairs : (at + 1) * n_pairs] = members[k].coef
            offset = np.concatenate([members[k].offset for k in alike])
            jobs.append((log2_width, alike, coef, offset))
        size = max(1, _BLOCK // max(1, len(rows)))
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            # Constant members have no support vectors, and there may be no others.
            squared = space.squared(X[block], rows) if len(rows) else np.empty((len(X[block]), 0))
            for log2_width, alike, coef, offset in jobs:
                functions = kernel_values(squared, log2_width) @ coef + offset
                for at, k in enumerate(alike):
                    own = functions[:, at * n_pairs : (at + 1) * n_pairs]
                    votes[k, block] = votes_of(own, n_classes)
    return votes


def pack(members):
    """Let members keep their support vectors only, not all training samples."""
    space = members[0].space
    rows = np.unique(np.concatenate([m.rows for m in members]))
    packed = Space(space.vectors[rows], space.mean, space.scale)
    for member in members:
        member.rows, member.space = np.searchsorted(rows, member.rows), packed


class WidthLearner(Learner):
    """Trains machines of one kernel width, and goes to the next narrower width after a failure.

    With ``always`` it goes there after every machine.
    """

    def __init__(
        self, space, codes, classes, log2_widths, *, C, tol, n_cases, skip=True, always=False
    ):
        self.space, self.classes = space, classes
        self.log2_widths, self.C, self.tol, self.n_cases = log2_widths, C, tol, n_cases
        self.skip, self.always = skip, always
        self.pairs = list(combinations(range(len(classes)), 2))
        self._begin(codes, euclidean_distances(space.vectors, squared=True))

    def _begin(self, codes, squared):
        """Start from the widest kernel on these samples."""
        self.codes, self.squared, self.reach = codes, squared, float(squared.max())
        self.at, self._done = 0, -1
        self.first, self._tried, self._settled = 0, False, False
        self.weight: Any = None  # what training starts from
        self.by_class = np.argsort(codes, kind="stable")
        self._kernel: Any = None
        self._taken: Any = None
        self._kernel_of = -1

    def some(self, rows, rng):
        """Return a learner on some of the samples: distances are there, hopeless widths are known.

        It begins at the width of the first machine that was not sent back.
        """
        made = copy(self)
        made.space = Space(self.space.vectors[rows], self.space.mean, self.space.scale)
        if self.weight is not None:
            made.n_cases = self.n_cases * self.weight[rows].sum()
        made._begin(self.codes[rows], self.squared[np.ix_(rows, rows)])
        made.at = 0 if self.always else self.first
        return made

    def fit(self, weight, target=None):
        """Train one machine on samples that weigh weight * n_cases."""
        if self.always and self._done == self.at:
            self.at += 1
        self._done = self.at
        self._settled |= self._tried  # the one before was kept
        self._tried = True
        if self.weight is None:
            self.weight = weight
        weight = weight * self.n_cases
        masses = np.bincount(self.codes, weights=weight, minlength=len(self.classes))
        if self.skip and self._is_flat(masses):
            return self._constant(masses)
        kernel, taken = self._kernels()
        coef, offset = self._train(taken, weight, masses)
        votes = votes_of(kernel @ coef + offset, len(self.classes))
        rows = np.flatnonzero(coef.any(axis=1))
        return MemberAnswer(self._member(rows, coef[rows], offset), votes=votes)

    def _kernels(self):
        """Return the kernel of this width, and for the solver: class by class, as it takes it."""
        if self._kernel_of != self.at:
            if self._kernel is None:
                self._kernel = np.empty_like(self.squared)
                self._taken = np.empty(self.squared.shape, dtype=np.float32)
            kernel_values(self.squared, self.log2_widths[self.at], self._kernel)
            take_kernel(self._kernel, self.by_class, self._taken)
            self._kernel_of = self.at
        return self._kernel, self._taken

    def answer(self, model):
        """Return what a member trained before predicts; go on from its width."""
        self.at = self._done = int(np.argmin(np.abs(self.log2_widths - model.log2_width)))
        X = self.space.vectors * self.space.scale + self.space.mean
        return MemberAnswer(model, votes=member_codes([model], X)[0])

    def recover(self, failure):
        """Take the next width, if there is one."""
        self.at, self._tried = self.at + 1, False
        if not self._settled:
            self.first = min(self.at, len(self.log2_widths) - 1)
        return self.at < len(self.log2_widths)

    def _is_flat(self, masses):
        """Whether every function says one class for all samples, whatever the solver finds.

        Kernel values lie in [1 - d, 1]. The dual coefficients of the two classes of a pair have
        equal sums, at most C times the mass of the lighter class; call it A. So a function varies
        by at most 2 A d. If that is below 1: a sample of the heavier class is not at its limit,
        has value 1 or more there, and all others have the same sign. If the classes weigh the
        same, all samples are at their limits: see ``_train``.
        """
        spread = -np.expm1(-gamma_of(self.log2_widths[self.at]) * self.reach)
        return 2.0 * self.C * np.sort(masses)[-2] * spread < _FLAT

    def _constant(self, masses):
        offset = np.array([self._heavier(masses, *pair) for pair in self.pairs])
        member = self._member(np.empty(0, dtype=np.intp), np.empty((0, len(self.pairs))), offset)
        vote = votes_of(offset[None], len(self.classes))[0]
        return MemberAnswer(member, votes=np.full(len(self.codes), vote, dtype=np.int32))

    def _heavier(self, masses, first, second):
        return 1.0 if masses[first] >= masses[second] * (1.0 - ROUNDING) else -1.0

    def _member(self, rows, coef, offset):
        return _KernelMember(
            self.space, self.classes, self.log2_widths[self.at], rows, coef, offset
        )

    def _train(self, taken, weight, masses):
        """Coefficients of all training samples in the function of each pair, and offsets."""
        order = self.by_class
        if not (weight > 0).all():  # those that weigh nothing are left out
            some = np.flatnonzero(weight[order] > 0)
            order, taken = order[some], np.ascontiguousarray(taken[np.ix_(some, some)])
        codes = self.codes[order]
        first = np.searchsorted(codes, np.arange(len(self.classes) + 1))
        limit = weight[order] * self.C
        # Of a class that weighs nothing any more the machine knows nothing.
        offset = np.array([self._heavier(masses, *pair) for pair in self.pairs])
        found = np.zeros((len(order), len(self.pairs)))
        steps = solver_steps(len(order))
        if solve_pairs(taken, first, limit, self.tol, steps, found, offset):
            warnings.warn(
                f"A machine was not trained to the end: it was stopped after {steps} steps. Scale "
                "the columns, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        # Two classes that weigh the same under a kernel too wide to tell them apart, as after a
        # constant member: all samples are at their limits. Any offset from -1 to 1 is optimal, and
        # the solver's hangs on the last rounded digit of the weights.
        within = np.abs(found) < _AT_LIMIT * limit[:, None]
        free = np.array([within[a:b].any(axis=0) for a, b in pairwise(first)])
        for p, (a, b) in enumerate(self.pairs):
            if not (free[a, p] or free[b, p]):
                found[:, p], offset[p] = 0.0, self._heavier(masses, a, b)
        coef = np.zeros((len(self.codes), len(self.pairs)))
        coef[order] = found
        return coef, offset
