"""Rules as labelled boxes, ``lower < x <= upper``, and how those of two trees become one set."""

from dataclasses import dataclass

import numpy as np

from counterpoint._kernels import rules as kernels


@dataclass
class Rules:
    """Labelled boxes: lower and upper (n_rules, n_features), label (n_rules,)."""

    lower: np.ndarray
    upper: np.ndarray
    label: np.ndarray

    def __len__(self):
        return len(self.label)

    def copy(self):
        """Return rules that can be changed without changing these."""
        return Rules(self.lower.copy(), self.upper.copy(), self.label.copy())

    def take(self, which):
        """Return some of the rules."""
        return Rules(self.lower[which], self.upper[which], self.label[which])

    def joined(self, other):
        """Return these rules, then those."""
        return Rules(
            np.concatenate([self.lower, other.lower]),
            np.concatenate([self.upper, other.upper]),
            np.concatenate([self.label, other.label]),
        )

    def cover(self, X):
        """Say which samples each rule covers, (n_rules, n_samples)."""
        return kernels.cover(self.lower, self.upper, X)

    def covers(self, k, X):
        """Say which samples rule k covers, (n_samples,)."""
        return kernels.cover(self.lower[k : k + 1], self.upper[k : k + 1], X)[0]

    def meets(self, lower, upper):
        """Say which rules share room with a box, (n_rules,)."""
        return ((self.lower < upper) & (lower < self.upper)).all(axis=1)


@dataclass
class Cut:
    """How a conflict of two rules is settled: each keeps one side of a value."""

    feature: int  # -1: nothing is cut, one stays as it is and the other is given up
    value: float
    first_low: bool  # whether the first keeps what lies below, or is the one that stays
    errors: float  # weight of samples that are then said wrongly


def best_cuts(X, wrong, lower, upper):
    """Return all cuts with the fewest errors: halfway between two samples, or at edges of the box.

    ``wrong`` (2, n_samples) is what it costs to leave each sample to the first rule and to the
    second; ``lower`` and ``upper`` are the box that both cover. To give a rule up counts as a cut.
    """
    given_up = wrong.sum(axis=1)
    least = given_up.min()
    best = [
        Cut(-1, -np.inf, k == 0, float(given_up[k])) for k in (0, 1) if given_up[k] <= least + 1e-9
    ]
    for feature in range(X.shape[1]):
        order = np.argsort(X[:, feature], kind="stable")
        x = X[order, feature].astype(np.float64)
        below = np.concatenate([np.zeros((2, 1)), np.cumsum(wrong[:, order], axis=1)], axis=1)
        above = below[:, -1:] - below
        halfway = x[:-1] + (x[1:] - x[:-1]) / 2
        # Between neighbours there may be no number halfway.
        halfway = np.where(halfway >= x[1:], x[:-1], halfway)[x[1:] > x[:-1]]
        low, high = lower[feature], upper[feature]
        at = np.concatenate([[low], halfway[(low < halfway) & (halfway < high)], [high]])
        n_below = np.searchsorted(x, at, side="right")
        for first_low, errors in ((True, below[0] + above[1]), (False, above[0] + below[1])):
            errors = errors[n_below]
            # Sums of weights are rounded: nearly the same is the same.
            if errors.min() < least - 1e-9:
                least, best = errors.min(), []
            for k in np.flatnonzero(errors <= least + 1e-9):
                best.append(Cut(feature, float(at[k]), first_low, float(errors[k])))
    return best


def apply_cut(cut, rules, k, keeps_low):
    """Cut rule k, and return the box it lost, or None."""
    j = cut.feature
    lower, upper = rules.lower[k].copy(), rules.upper[k].copy()
    if j < 0:
        if keeps_low:
            return None
        rules.upper[k] = rules.lower[k]  # nothing is in such a box
        return lower, upper
    if keeps_low:
        lower[j] = max(lower[j], cut.value)
        rules.upper[k, j] = min(rules.upper[k, j], cut.value)
    else:
        upper[j] = min(upper[j], cut.value)
        rules.lower[k, j] = max(rules.lower[k, j], cut.value)
    return (lower, upper) if (lower < upper).all() else None


class RuleMerger:
    """Makes one set of rules of those of many trees; ``counting`` as in RuleMergeClassifier."""

    def __init__(self, X, codes, weight, n_classes, counting="contested"):
        self.X, self.counting = np.ascontiguousarray(X), counting
        self.codes, self.weight, self.n_classes = codes, weight, n_classes
        self.n_conflicts = self.n_gaps = self.n_joined = self.n_dropped = 0

    def merge(self, first, second):
        """Settle all conflicts of two sets, fill gaps, and join what says the same."""
        return self.simplify(self.settle(first, second))

    # -- conflicts -------------------------------------------------------------------------------

    def settle(self, first, second):
        """Cut rules of two sets until no sample is contested, the most contested pair first."""
        first, second = first.copy(), second.copy()
        here, there = first.cover(self.X), second.cover(self.X)
        differ = first.label[:, None] != second.label
        contested = np.stack([self._shared(there, rows) for rows in here]) * differ
        gaps = []
        while contested.size and contested.max() > 0:
            a, b = np.unravel_index(contested.argmax(), contested.shape)
            cut = self._best(first, a, here[a], second, b, there[b])
            for rules, k, keeps_low in ((first, a, cut.first_low), (second, b, not cut.first_low)):
                lost = apply_cut(cut, rules, k, keeps_low)
                if lost is not None:
                    gaps.append(lost)
            here[a], there[b] = first.covers(a, self.X), second.covers(b, self.X)
            contested[a] = self._shared(there, here[a]) * differ[a]
            contested[:, b] = self._shared(here, there[b]) * differ[:, b]
            self.n_conflicts += 1
        rules = first.joined(second)
        rules = rules.take((rules.lower < rules.upper).all(axis=1))
        return self.fill(rules, gaps)

    def _shared(self, covered, rows):
        return kernels.shared_weight(covered, np.flatnonzero(rows), self.weight)

    def _best(self, first, a, here, second, b, there):
        both = here & there
        lower = np.maximum(first.lower[a], second.lower[b])
        upper = np.minimum(first.upper[a], second.upper[b])
        labels = (first.label[a], second.label[b])
        own = [
            (here & ~there & (self.codes == labels[0])),
            (there & ~here & (self.codes == labels[1])),
        ]
        rows = both | own[0] | own[1] if self.counting == "covered" else both
        # Left to one rule, a contested sample of another class is wrong, and so is a sample that
        # the other rule alone had right.
        wrong = [
            np.where(both[rows], self.codes[rows] != labels[k], own[1 - k][rows]) for k in (0, 1)
        ]
        cuts = best_cuts(self.X[rows], np.stack(wrong) * self.weight[rows], lower, upper)
        # Of equals, the cut that takes away least of what a rule alone had right.
        return min(cuts, key=lambda cut: self._loss(cut, own))

    def _loss(self, cut, own):
        if cut.feature < 0:
            return (self.weight[own[1 if cut.first_low else 0]].sum(), cut.feature, cut.value)
        low = self.X[:, cut.feature] <= cut.value
        first_loses, second_loses = (~low, low) if cut.first_low else (low, ~low)
        lost = self.weight[own[0] & first_loses].sum() + self.weight[own[1] & second_loses].sum()
        return (lost, cut.feature, cut.value)

    # -- gaps ------------------------------------------------------------------------------------

    def fill(self, rules, gaps):
        """Make new rules for samples that no rule covers any more, inside the boxes lost."""
        bare = np.flatnonzero(~rules.cover(self.X).any(axis=0))
        if not len(bare):
            return rules
        lower, upper = map(np.array, zip(*gaps, strict=True))
        inside = kernels.cover(lower, upper, self.X[bare])
        left = np.ones(len(bare), dtype=bool)
        while left.any():
            k = ((inside & left) @ self.weight[bare]).argmax()
            taken = inside[k] & left
            for low, high, label in self._carve(lower[k], upper[k], bare[taken], rules):
                piece = Rules(low[None], high[None], np.array([label]))
                rules, self.n_gaps = rules.joined(piece), self.n_gaps + 1
            left &= ~taken
        return rules

    def _carve(self, lower, upper, rows, rules):
        """Cut a box into pieces that hold the rows and no part of a rule of another class."""
        pieces, todo = [], [(lower, upper, rows)]
        while todo:
            lower, upper, rows = todo.pop()
            label = self._heaviest(rows)
            hit = np.flatnonzero(rules.meets(lower, upper) & (rules.label != label))
            if not len(hit):
                pieces.append((lower, upper, label))
                continue
            # No row is in the rule: each lies beyond one of its sides. Take the fullest side off.
            r = hit[0]
            beyond = np.stack([self.X[rows] <= rules.lower[r], self.X[rows] > rules.upper[r]])
            side, j = np.unravel_index(
                np.tensordot(self.weight[rows], beyond, axes=(0, 1)).argmax(), (2, len(lower))
            )
            slab, rest = (lower.copy(), upper.copy()), (lower.copy(), upper.copy())
            if side == 0:
                slab[1][j] = rest[0][j] = rules.lower[r, j]
            else:
                slab[0][j] = rest[1][j] = rules.upper[r, j]
            taken = beyond[side, :, j]
            todo.append((*slab, rows[taken]))
            if not taken.all():
                todo.append((*rest, rows[~taken]))
        return pieces

    def _heaviest(self, rows):
        return int(np.bincount(self.codes[rows], self.weight[rows], self.n_classes).argmax())

    # -- rules that say the same -----------------------------------------------------------------

    def simplify(self, rules):
        """Join rules of a class where nothing else is between them; drop what others cover."""
        return self._drop(self._join(rules))

    def _join(self, rules):
        """Replace two rules of a class by their hull if it meets no rule of another class."""
        support = rules.cover(self.X) @ self.weight
        rules = rules.take(np.argsort(-support, kind="stable"))
        left = kernels.join(rules.lower, rules.upper, rules.label)
        self.n_joined += int((~left).sum())
        return rules.take(left)

    def _drop(self, rules):
        """Drop rules whose samples others cover, those with least support first."""
        covered = rules.cover(self.X)
        times = covered.sum(axis=0)
        kept = np.ones(len(rules), dtype=bool)
        for k in np.argsort(covered @ self.weight, kind="stable"):
            if kept.sum() > 1 and (times[covered[k]] > 1).all():
                kept[k] = False
                times -= covered[k]
        self.n_dropped += int((~kept).sum())
        return rules.take(kept)
