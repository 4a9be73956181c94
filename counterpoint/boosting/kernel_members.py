"""Support vector machines that share one matrix of squared distances, and their learner."""

from copy import copy
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_array

from counterpoint._options import solver_steps
from counterpoint.boosting.learners import Learner, MemberAnswer

# Class weights this close are equal: they are sums of rounded weights.
ROUNDING = 1e-9
# A dual coefficient is at its limit when it is this near to it; libsvm stops at about 1e-12.
_AT_LIMIT = 1.0 - 1e-6
# A function that varies by less than this cannot cross from 1 to 0, solver tolerance included.
_FLAT = 0.9
# Numbers in a block of kernel values when new samples are asked about.
_BLOCK = 2**22


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
            jobs.append((gamma_of(log2_width), alike, coef, offset))
        size = max(1, _BLOCK // max(1, len(rows)))
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            # Constant members have no support vectors, and there may be no others.
            squared = space.squared(X[block], rows) if len(rows) else np.empty((len(X[block]), 0))
            for gamma, alike, coef, offset in jobs:
                functions = np.exp(-gamma * squared) @ coef + offset
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
        self.inside = [(codes == i) | (codes == j) for i, j in self.pairs]
        self.at, self._done = 0, -1
        self.first, self._tried, self._settled = 0, False, False
        self.weight: Any = None  # what training starts from
        self._kernel: Any = None, None

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
        if self._kernel[1] != self.at:
            gamma = gamma_of(self.log2_widths[self.at])
            self._kernel = np.exp(-gamma * self.squared), self.at
        kernel = self._kernel[0]
        steps = solver_steps(len(kernel))
        # Nothing in it is random, but without a seed it draws one from numpy's global generator.
        machine = SVC(C=self.C, kernel="precomputed", tol=self.tol, max_iter=steps, random_state=0)
        machine.fit(kernel, self.codes, sample_weight=weight)
        coef, offset = self._functions(machine, weight, masses)
        votes = votes_of(kernel @ coef + offset, len(self.classes))
        rows = np.flatnonzero(coef.any(axis=1))
        return MemberAnswer(self._member(rows, coef[rows], offset), votes=votes)

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
        same, all samples are at their limits: see ``_functions``.
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

    def _functions(self, machine, weight, masses):
        """Coefficients of all training samples in the function of each pair, and offsets."""
        coef = np.zeros((len(self.codes), len(self.pairs)))
        support, dual = machine.support_, machine.dual_coef_
        of = self.codes[support]
        if len(self.classes) == 2:  # scikit-learn turns the sign of libsvm's function round
            coef[support, 0], offset = -dual[0], -machine.intercept_
        else:
            offset = machine.intercept_.copy()
            for p, (i, j) in enumerate(self.pairs):
                coef[support[of == i], p] = dual[j - 1, of == i]
                coef[support[of == j], p] = dual[i, of == j]
        for p, (pair, inside) in enumerate(zip(self.pairs, self.inside, strict=True)):
            limit = _AT_LIMIT * self.C * weight[inside]
            if (np.abs(coef[inside, p]) >= limit).all():
                # Two classes that weigh the same under a kernel too wide to tell them apart, as
                # after a constant member. Any offset from -1 to 1 is optimal, and libsvm's hangs
                # on the last rounded digit of the weights.
                coef[:, p], offset[p] = 0.0, self._heavier(masses, *pair)
        return coef, offset
