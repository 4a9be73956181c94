"""Counts of who was right together: small, exact, and mergeable.

Every measure on right/wrong outputs is a function of these counts, so it can be taken over
chunks, files or machines: count each part, add the counts, measure the sum.
"""

import numpy as np

from counterpoint._arrays import as_array, check_correct, check_names, check_sample_weight
from counterpoint._ballot import exact_weights
from counterpoint._kernels import pairs as _pairs
from counterpoint._kernels import votes as _votes
from counterpoint._kernels.threads import threads_for

# Whole numbers are counted by popcount: five to ten times faster than a matrix product wherever
# the time is felt (benchmarks/pairs.py). Weights have no bits to count: they go to the product.
_WEIGHTED_CHUNK = 8192


class PairCounts:
    """How often every two members were right together, and how many members were right at once.

    Parameters
    ----------
    both : ndarray of shape (n_members, n_members)
        Weight of the samples that both members have right; the diagonal holds each
        member's own.
    right_votes : ndarray of shape (n_members + 1,)
        Weight of the samples that exactly 0, 1, ..., n_members members have right.

    Attributes
    ----------
    n_members : int
    total : number
        Weight of all samples: their number, when there are no sample weights.

    See Also
    --------
    MemberOutputs : Member outputs, of which these are the summary.

    Notes
    -----
    Without sample weights all counts are integers, and merging is exact in any order.

    Examples
    --------
    Two chunks of data, counted apart and merged:

    >>> import numpy as np
    >>> from counterpoint import PairCounts
    >>> monday = np.array([[1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> tuesday = np.array([[1, 0], [1, 1]], dtype=bool)
    >>> counts = PairCounts.from_correct(monday) + PairCounts.from_correct(tuesday)
    >>> counts.n10
    array([[0, 1],
           [1, 0]])
    >>> counts.right_votes
    array([1, 2, 2])
    """

    def __init__(self, both, right_votes):
        self.both = as_array(both, "both")
        self.right_votes = as_array(right_votes, "right_votes")
        n = len(self.both) if self.both.ndim else 0
        if self.both.shape != (n, n) or self.right_votes.shape != (n + 1,):
            raise ValueError(
                f"both has shape {self.both.shape} and right_votes {self.right_votes.shape}: "
                "expected (n_members, n_members) and (n_members + 1,)."
            )

    @classmethod
    def from_correct(cls, correct, *, sample_weight=None):
        """Count right/wrong flags of shape (n_members, n_samples).

        Parameters
        ----------
        correct : array-like of shape (n_members, n_samples)
            True or 1 where the member is right.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        PairCounts
        """
        correct = check_correct(correct)
        sample_weight = check_sample_weight(sample_weight, correct.shape[1])
        if sample_weight is not None:
            return cls(*_count_weighted(correct, sample_weight))
        return cls.from_words(pack(correct), *correct.shape)

    @classmethod
    def from_words(cls, words, n_members, n_samples):
        """Count bit-packed flags as ``MemberOutputs.packed`` holds them."""
        with threads_for(words.size * n_members):
            both = _pairs.count_pairs(words)[:n_members, :n_members]
            right = _pairs.count_columns(words, n_samples)
        return cls(both, np.bincount(right, minlength=n_members + 1))

    @classmethod
    def zeros(cls, n_members):
        """Start an empty count, to ``update`` with chunks."""
        return cls(
            np.zeros((n_members, n_members), dtype=np.int64),
            np.zeros(n_members + 1, dtype=np.int64),
        )

    def update(self, correct, *, sample_weight=None):
        """Add a chunk of right/wrong flags (n_members, n_samples) or another count, in place.

        Returns
        -------
        PairCounts
            This one.
        """
        other = correct
        if not isinstance(other, PairCounts):
            other = PairCounts.from_correct(correct, sample_weight=sample_weight)
        merged = self + other
        self.both, self.right_votes = merged.both, merged.right_votes
        return self

    def __add__(self, other):
        if not isinstance(other, PairCounts):
            return NotImplemented
        if other.n_members != self.n_members:
            raise ValueError(
                f"Cannot merge counts of {self.n_members} members with counts of "
                f"{other.n_members}: every chunk must come from the same members."
            )
        return PairCounts(self.both + other.both, self.right_votes + other.right_votes)

    def __radd__(self, other):
        # So that sum(counts) works: it starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other):
        if not isinstance(other, PairCounts):
            return NotImplemented
        return np.array_equal(self.both, other.both) and np.array_equal(
            self.right_votes, other.right_votes
        )

    __hash__ = None  # type: ignore[assignment]  # mutable, like a list

    def __repr__(self):
        return f"PairCounts({self.n_members} members, {self.total:g} samples)"

    @property
    def n_members(self):
        """Number of members."""
        return len(self.both)

    @property
    def total(self):
        """Weight of all samples."""
        return self.right_votes.sum()

    @property
    def right(self):
        """Weight of the samples each member has right, (n_members,)."""
        return np.diagonal(self.both)

    @property
    def n11(self):
        """Both right, (n_members, n_members)."""
        return self.both

    @property
    def n10(self):
        """The first right, the second wrong."""
        return self.right[:, None] - self.both

    @property
    def n01(self):
        """The first wrong, the second right."""
        return self.right[None, :] - self.both

    @property
    def n00(self):
        """Both wrong."""
        return self.total - self.right[:, None] - self.right[None, :] + self.both


class OutputCounts:
    """All that the measures know of member outputs, in counts: small, exact, and mergeable.

    Besides :class:`PairCounts`: how often every two members say the same, how often each says what,
    and for how many samples the vote came out how. Outputs that do not fit into memory are counted
    part by part and added.

    Parameters
    ----------
    counts : PairCounts
        Who was right together.
    same : ndarray of shape (n_members, n_members) or None
        How often two members say the same; None when only right and wrong are known.
    says : dict of label to ndarray of shape (n_members,)
        How often each member says a label.
    truth : dict of label to number
        How often each label is true.
    votes : dict of (right, other, won, squares) to number
        Samples on which so many members are right, so many are for the class that gets most of the
        other votes, the vote is right or not, and the squares of all votes add up to this.
    names : list of str
        The members.

    See Also
    --------
    counterpoint.large.count_outputs : Counts of files.

    Examples
    --------
    >>> from counterpoint import MemberOutputs, OutputCounts
    >>> from counterpoint.diversity import label_kappa, vote_error
    >>> monday = MemberOutputs([["a", "b", "c"], ["a", "c", "c"]], ["a", "b", "c"])
    >>> tuesday = MemberOutputs([["b", "b"], ["b", "a"]], ["b", "a"])
    >>> counts = OutputCounts.from_outputs(monday) + OutputCounts.from_outputs(tuesday)
    >>> counts
    OutputCounts(2 members, 5 samples, 3 classes)
    >>> vote_error(counts), round(label_kappa(counts), 4)
    (0.0, 0.4444)
    """

    def __init__(self, counts, same, says, truth, votes, names):
        if not isinstance(counts, PairCounts):
            raise TypeError(
                f"counts={counts!r}: pass PairCounts, or use OutputCounts.from_outputs."
            )
        n = counts.n_members
        for name, given in (("says", says), ("truth", truth), ("votes", votes)):
            if not isinstance(given, dict):
                raise TypeError(f"{name}={given!r}: pass a dict of counts.")
        if same is not None:
            same = as_array(same, "same")
            if same.shape != (n, n):
                raise ValueError(
                    f"same has shape {same.shape}, expected ({n}, {n}) as counts have."
                )
        if not votes or any(not isinstance(cell, tuple) or len(cell) != 4 for cell in votes):
            raise ValueError("votes: give numbers by (right, other, won, squares), at least one.")
        self.counts, self.same, self.says, self.truth = counts, same, says, truth
        self.cells, self.names = votes, check_names(names, n, "member")

    @classmethod
    def from_outputs(cls, outputs):
        """Count ``MemberOutputs`` whose members have equal say."""
        if outputs.weights is not None:
            raise ValueError("Members with weights of their own cannot be counted: give equal say.")
        counts, weight = outputs.counts, outputs.sample_weight
        if outputs.votes is None:
            cells = _right_cells(outputs.correct.sum(axis=0), outputs.n_members, None, weight)
            return cls(counts, None, {}, {}, cells, outputs.names)
        labels, n_classes = outputs.classes.tolist(), outputs.n_classes
        if n_classes == 2 and weight is None:  # the usual case, and several times as fast
            second = outputs.votes.sum(axis=1, dtype=np.int64)
            by_member = np.stack([outputs.n_samples - second, second], axis=1)
        else:
            by_member = np.array([_tell(codes, n_classes, weight) for codes in outputs.votes])
        says = dict(zip(labels, by_member.T, strict=True))
        truth = dict(zip(labels, _tell(outputs.y, n_classes, weight).tolist(), strict=True))
        if n_classes <= 2:  # who agrees is right together or wrong together
            right = outputs.correct.sum(axis=0) if weight is not None else None
            if right is None:
                right = _pairs.count_columns(outputs.packed, outputs.n_samples)
            cells = _right_cells(right, outputs.n_members, outputs.y, weight)
            return cls(counts, counts.n11 + counts.n00, says, truth, cells, outputs.names)
        cells = _vote_cells(outputs.votes, outputs.y, n_classes, weight)
        same = sum(_agree(outputs.votes, k, weight) for k in range(n_classes))
        return cls(counts, same, says, truth, cells, outputs.names)

    def __add__(self, other):
        if not isinstance(other, OutputCounts):
            return NotImplemented
        if other.names != self.names or (other.same is None) != (self.same is None):
            raise ValueError("Cannot merge counts of other members: every part must have the same.")
        same = None if self.same is None else self.same + other.same
        return OutputCounts(
            self.counts + other.counts, same, _merge(self.says, other.says),
            _merge(self.truth, other.truth), _merge(self.cells, other.cells), self.names,
        )  # fmt: skip

    def __radd__(self, other):
        # So that sum(counts) works: it starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __repr__(self):
        known = "right/wrong only" if self.same is None else f"{len(self.classes)} classes"
        return f"OutputCounts({self.n_members} members, {self.counts.total:g} samples, {known})"

    @property
    def n_members(self):
        """Number of members."""
        return self.counts.n_members

    @property
    def n_samples(self):
        """Number of samples, or their weight."""
        return self.counts.total

    @property
    def weighted(self):
        """Whether samples count by weights."""
        return self.counts.both.dtype.kind == "f"

    @property
    def classes(self):
        """All labels there are, sorted; None when only right and wrong are known."""
        if self.same is None:
            return None
        said = {label for label, number in self.says.items() if number.any()}
        return sorted(said | {label for label, number in self.truth.items() if number})

    @property
    def errors(self):
        """Error of each member, (n_members,)."""
        return 1.0 - self.counts.right / self.counts.total

    @property
    def agreement(self):
        """Share of samples on which two members say the same, and how often each says what."""
        if self.same is None:
            raise ValueError(
                "Agreement of labels needs the members' labels, but only right/wrong is known."
            )
        total = self.counts.total
        return self.same / total, np.stack([self.says[c] for c in self.says], axis=1) / total


def _tell(codes, n_classes, weight):
    found = np.bincount(codes, weight, minlength=n_classes)
    return found if weight is not None else found.astype(np.int64)


def _agree(votes, label, weight):
    """How often two members both say a label."""
    if weight is None:
        one = np.full(votes.shape[1], label, dtype=votes.dtype)
        return PairCounts.from_words(pack_equal(votes, one), *votes.shape).both
    chosen = (votes == label).astype(float)
    return (chosen * exact_weights(weight)) @ chosen.T


def _right_cells(right, n_members, y, weight):
    """Count how the vote of two classes came out; a tie goes to the first, and is lost without."""
    right = np.asarray(right, dtype=np.int64)
    won = 2 * right > n_members
    if y is not None:
        won |= (2 * right == n_members) & (y == 0)
    found = np.bincount(2 * right + won, weight, minlength=2 * n_members + 2)
    cells = {}
    for key in np.flatnonzero(found).tolist():
        k = key // 2
        other = n_members - k
        cells[k, other, key % 2, k * k + other * other] = found[key].item()
    return cells


def _vote_cells(votes, y, n_classes, weight):
    n_members, n_samples = votes.shape
    tally = np.zeros((n_samples, n_classes))
    with threads_for(votes.size):
        _votes.add_votes(tally, votes, np.ones(n_members))
    tally = tally.astype(np.int64)
    rows = np.arange(n_samples)
    right, won = tally[rows, y], tally.argmax(axis=1) == y
    squares = np.einsum("ij,ij->i", tally, tally)
    tally[rows, y] = -1
    most = n_members * n_members + 1
    keys = ((right * (n_members + 1) + tally.max(axis=1)) * 2 + won) * most + squares
    found, place = np.unique(keys, return_inverse=True)
    number = np.bincount(place, weight)
    cells = {}
    for key, count in zip(found.tolist(), number.tolist(), strict=True):
        rest, square = divmod(key, most)
        pair, win = divmod(rest, 2)
        cells[(*divmod(pair, n_members + 1), win, square)] = count
    return cells


def _merge(one, other):
    merged = dict(one)
    for key, number in other.items():
        merged[key] = merged[key] + number if key in merged else number
    return merged


def n_rows(n_members):
    """Rows of the packed array: whole tiles of four."""
    return -(-n_members // 4) * 4


def pack(correct):
    """Return right/wrong flags (n_members, n_samples) as bits."""
    flags = np.ascontiguousarray(correct).view(np.uint8)
    with threads_for(flags.size):
        return _pairs.pack(flags, n_rows(len(flags)))


def pack_equal(votes, y):
    """Return ``votes == y`` as bits, without storing it; both of one integer type."""
    with threads_for(votes.size):
        return _pairs.pack_equal(np.ascontiguousarray(votes), y, n_rows(len(votes)))


def _count_weighted(correct, sample_weight):
    n_members, n_samples = correct.shape
    sample_weight = exact_weights(sample_weight)  # sums are then exact, in any order
    both = np.zeros((n_members, n_members))
    right_votes = np.zeros(n_members + 1)
    for start in range(0, n_samples, _WEIGHTED_CHUNK):
        chunk = correct[:, start : start + _WEIGHTED_CHUNK]
        weight = sample_weight[start : start + _WEIGHTED_CHUNK]
        both += (chunk * weight) @ chunk.T.astype(float)
        right_votes += np.bincount(chunk.sum(axis=0), weight, minlength=n_members + 1)
    return both, right_votes
