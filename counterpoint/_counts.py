"""Counts of who was right together: small, exact, and mergeable.

Every measure on right/wrong outputs is a function of these counts, so it can be taken over
chunks, files or machines: count each part, add the counts, measure the sum.
"""

import numpy as np

from counterpoint._arrays import as_array, check_correct, check_sample_weight
from counterpoint._ballot import exact_weights
from counterpoint._kernels import pairs as _pairs
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
