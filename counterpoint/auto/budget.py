"""A time limit that holds: what members cost, what is left, and how many rows it pays for.

Trying a member is cheap on some of the rows, fitting it on all of them at the end is not: what
that will take is foretold from fits on fewer rows, and set aside before the next one is tried.
"""

import math
import time

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

# Rows on which members are tried: so many for each second, within these bounds.
_ROWS_A_SECOND, LEAST_ROWS, _MOST_ROWS = 500, 2_000, 20_000
# A first fit, to see whether a member is worth beginning, is on this part of them.
PROBE = 8
_SHARE_TO_PROBE = 0.1  # at most, of the time that is left
# Seconds to choose how to combine: for a row, and more for each member.
_CHOICE, _CHOICE_MEMBERS = 1.2e-4, 8
# Fits on more rows take longer than foretold as often as shorter.
_SAFETY = 1.15


class Budget:
    """The time of one fit; without a limit there is always enough.

    Parameters
    ----------
    time_limit : float or None
    n_samples : int
        Rows there are.
    n_jobs : int or None
        Fits at a time.
    began : float
        When the fit began, by ``time.monotonic``.
    """

    def __init__(self, time_limit, n_samples, *, n_jobs=None, began):
        self.limit = math.inf if time_limit is None else float(time_limit)
        self.n_samples = self.n_tried_on = n_samples
        if time_limit is not None:
            wanted = min(max(_ROWS_A_SECOND * self.limit, LEAST_ROWS), _MOST_ROWS)
            self.n_tried_on = min(n_samples, int(wanted))
        self._n_jobs, self._began = effective_n_jobs(n_jobs), began
        self._last: dict[int, float] = {}

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.limit - (time.monotonic() - self._began)

    def for_trying(self) -> float:
        """Return the seconds left once members tried so far are combined and fitted on all rows."""
        if math.isinf(self.limit):
            return math.inf
        choice = _CHOICE * self.n_tried_on * (1 + len(self._last) / _CHOICE_MEMBERS)
        return self.left - choice - self._together(self._last)

    def can_probe(self, probed: float) -> bool:
        """Whether a member that took so long on very few rows may be seen on more of them."""
        return probed * PROBE <= _SHARE_TO_PROBE * self.for_trying()

    def can_begin(self, probed: float, n_folds: int) -> bool:
        """Whether a member that took so long on a part of the rows can be tried at all."""
        return probed * max(PROBE, n_folds) / self._side_by_side(n_folds) <= self.for_trying()

    def can_go_on(self, fold: float, probed: float, n_left: int, n_folds: int) -> bool:
        """Whether there is time for the other folds, and for the fit on all rows after them."""
        rest = n_left * fold / self._side_by_side(n_left)
        return rest + self._foretold(fold, probed, n_folds) <= self.for_trying()

    def set_aside(self, member: int, fold: float, probed: float, n_folds: int) -> None:
        """Keep the time that a member takes on all rows."""
        self._last[member] = self._foretold(fold, probed, n_folds)

    def rows_at_the_end(self, members) -> int:
        """Return how many of the rows these members can be fitted on in the time that is left."""
        needed = self._together({k: self._last[k] for k in members if k in self._last})
        if math.isinf(self.limit) or needed <= self.left:
            return self.n_samples
        share = max(self.left, 0.0) / needed
        return max(int(share * self.n_samples), self.n_tried_on)

    def _foretold(self, fold, probed, n_folds):
        """Seconds for all rows, from those for a fold of the rows tried on and for a probe."""
        learnt = self.n_tried_on * (1 - 1 / n_folds)
        power = 1.0
        if probed > 0 and fold > probed:
            power = max(1.0, math.log(fold / probed) / math.log(learnt * PROBE / self.n_tried_on))
        return _SAFETY * fold * (self.n_samples / learnt) ** min(power, 3.0)

    def _together(self, costs):
        side_by_side = self._side_by_side(len(costs))
        return max([sum(costs.values()) / side_by_side, *costs.values()], default=0.0)

    def _side_by_side(self, n):
        return max(1, min(self._n_jobs, n))


def draw_rows(codes: NDArray, n_rows: int, rng, *, least: int) -> NDArray:
    """Draw rows by class, in order; ``least`` of a rare class, or all it has."""
    drawn = []
    for code in range(int(codes.max()) + 1):
        own = rng.permutation(np.flatnonzero(codes == code))
        drawn.append(own[: max(least, math.ceil(len(own) * n_rows / len(codes)))])
    return np.sort(np.concatenate(drawn))
