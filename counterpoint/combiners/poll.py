"""Votes kept as bits, so that any members with any whole weights are counted in milliseconds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint._arrays import as_array
from counterpoint._counts import pack_equal
from counterpoint._kernels import polls as _polls
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs

# Sums of weights are kept in 31 bits.
_HIGHEST = 2**31


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Samples that are alike to a vote, counted: the same truth, and the same votes cast.

    Attributes
    ----------
    cast : ndarray of shape (n_cells, n_classes)
        Weight of the votes for each class.
    y : ndarray of shape (n_cells,)
        The truth, as a code.
    n_samples : ndarray of shape (n_cells,)
        How many there are of each.
    """

    cast: NDArray
    y: NDArray
    n_samples: NDArray


class Poll:
    """What members voted, as bits: for counting again and again with other weights.

    Parameters
    ----------
    outputs : MemberOutputs
        With votes. Sample weights are not looked at.

    Notes
    -----
    A class takes one bit a member and sample, the last class none: what the others did not get is
    its own. A count goes through all bits once, 64 samples at a time.

    Examples
    --------
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.combiners import Poll
    >>> poll = Poll(MemberOutputs([["a", "b"], ["a", "b"], ["b", "b"]], ["a", "b"]))
    >>> poll.count([1, 1, 3])
    array([[2, 3],
           [0, 5]], dtype=int32)
    """

    def __init__(self, outputs: MemberOutputs) -> None:
        outputs.need_votes("A poll")
        self.outputs = outputs
        self._last: tuple[bytes, NDArray] | None = None

    @cached_property
    def _words(self) -> list[NDArray]:
        votes, n = self.outputs.votes, self.outputs.n_samples
        return [
            pack_equal(votes, np.full(n, k, dtype=votes.dtype))
            for k in range(self.outputs.n_classes - 1)
        ]

    def count(self, weights: ArrayLike | None = None) -> NDArray:
        """Return the weight of the votes each class gets.

        Parameters
        ----------
        weights : array-like of int of shape (n_members,), default=None
            Whole numbers from 0: 0 is a member that does not vote. None: all count 1.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Of int32, in an order of memory that has a class together; not to be written to.
        """
        outputs = self.outputs
        say = np.ones(outputs.n_members, np.int64) if weights is None else _whole(weights, outputs)
        last = self._last
        if last is not None and last[0] == say.tobytes():
            return last[1]
        rows = np.flatnonzero(say)
        cast = np.empty((outputs.n_classes, outputs.n_samples), dtype=np.int32)
        with threads_for(len(rows) * outputs.n_samples // 8):
            for k, words in enumerate(self._words):
                cast[k] = _polls.weigh_columns(words, rows, say[rows], outputs.n_samples)
        cast[-1] = int(say.sum()) - cast[:-1].sum(axis=0, dtype=np.int32)
        cast.setflags(write=False)
        # Kept: the same weights are often asked for twice, for an error and for disputed rows.
        self._last = say.tobytes(), cast.T
        return cast.T

    def cells(self, cast: NDArray) -> Cells:
        """Count samples by their truth and the votes cast, as ``count`` gives them.

        What only depends on these, the error say, is then a sum over few cells. For more than two
        classes every sample is a cell.
        """
        outputs = self.outputs
        outputs.need_truth()
        if outputs.n_classes != 2:
            return Cells(cast=cast, y=outputs.y, n_samples=np.ones(len(cast), dtype=np.int64))
        total = int(cast[0].sum()) if len(cast) else 0
        at = cast[:, 0] + (total + 1) * self._truth
        counts = np.bincount(at, minlength=2 * (total + 1))
        there = np.flatnonzero(counts)
        first = there % (total + 1)
        return Cells(
            cast=np.stack([first, total - first], axis=1),
            y=there // (total + 1),
            n_samples=counts[there],
        )

    @cached_property
    def _truth(self) -> NDArray:
        return self.outputs.y.astype(np.int32)

    def disputed(self, cast: NDArray, n: int = 20) -> tuple[NDArray, NDArray]:
        """Return the samples that the votes cast are most divided about, the first of equals first.

        Parameters
        ----------
        cast : ndarray of shape (n_samples, n_classes)
            As ``count`` gives it.
        n : int, default=20
            At most so many; samples about which all agree are left out.

        Returns
        -------
        rows : ndarray of shape (<= n,)
        dispute : ndarray of shape (<= n,)
            The chance that two votes drawn with return differ.
        """
        if len(cast) == 0:
            return np.empty(0, dtype=np.int64), np.empty(0)
        total = int(cast[0].sum())
        if cast.shape[1] == 2:  # a whole number that grows as the votes agree
            agree = np.abs(2 * cast[:, 0] - total)
            most = total
        else:
            agree = (cast.astype(np.int64) ** 2).sum(axis=1)
            most = total**2
        found = _lowest(agree, min(n, len(agree)))
        found = found[agree[found] < most]
        share = cast[found] / max(total, 1)
        return found, 1.0 - (share**2).sum(axis=1)


def _lowest(values: NDArray, n: int) -> NDArray:
    """Return the positions of the n lowest values, lowest first, of equals the first."""
    # A few at a time: where many samples are disputed, the first thousands hold enough of them.
    step = 1 << 16
    best = np.empty(0, dtype=np.int64)
    for start in range(0, len(values), step):
        part = values[start : start + step]
        if len(best) == n:
            there = np.flatnonzero(part < values[best[-1]])
            if len(there) == 0:
                continue
        else:
            there = np.arange(len(part))
        best = np.concatenate([best, there + start])
        best = best[np.argsort(values[best], kind="stable")[:n]]
    return best


def _whole(weights: ArrayLike, outputs: MemberOutputs) -> NDArray:
    given = as_array(weights, "weights")
    if given.shape != (outputs.n_members,):
        raise ValueError(
            f"weights has shape {given.shape}: give one for each of {outputs.n_members} members."
        )
    whole = np.asarray(given, dtype=float)
    if not (np.isfinite(whole).all() and (whole == np.rint(whole)).all() and (whole >= 0).all()):
        raise ValueError("weights: give whole numbers from 0.")
    if whole.sum() >= _HIGHEST:
        raise ValueError(f"weights add up to {whole.sum():g}: give some that stay below 2**31.")
    return whole.astype(np.int64)
