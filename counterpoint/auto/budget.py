"""Time: what is left of a limit, and what a member will cost on more rows than it has seen."""

import math
import time

from counterpoint.auto.choice import MOST_STACKED

# How cost grows with rows, until it was seen: a little faster than they do. A fit on few rows says
# little: most of it is what it costs on any.
_POWER, _POWERS = 1.15, (0.6, 3.0)
_FEW_ROWS, _POWER_OF_FEW = 500, 0.6
# The line through two fits is bent up a little: trees grow deeper with rows.
_BENT = 0.05
# Fits on more rows take longer than foretold as often as shorter; on far more rows, by more.
_SAFETY, _SAFETY_NEAR, _FAR = 1.15, 1.05, 4.0
# Seconds to choose how to combine: of any rows, for each by a power of the classes, and more for
# each member.
_CHOICE_ANY, _CHOICE, _CHOICE_CLASSES, _CHOICE_MEMBERS = 0.15, 4e-5, 0.4, 8
# Seconds for each coefficient of stacking, and row.
_STACKING = 4e-8
# On a busy machine it takes longer by what was seen so far, up to this.
_SLOWEST = 15.0
# Of what is left, what one fit may be foretold to take.
_SHARE = 0.5
# Of the limit, how much later than planned a fit may end before it is cut off.
_GRACE = 0.03
# Of the limit, what is set aside at most for fits on all rows at the end: this, and more by this
# for each part of the rows that was not learnt from before, up to that.
_LAST, _LAST_BY_ROWS, _MOST_LAST = 0.15, 0.75, 0.35


class Budget:
    """The time of one fit; without a limit there is always enough.

    Parameters
    ----------
    time_limit : float or None
        Seconds.
    began : float
        When the fit began, by ``time.monotonic``.
    alone : bool, default=True
        Whether this thread does all of the work.

    Attributes
    ----------
    compiling : float
        Seconds that were given back.
    """

    def __init__(self, time_limit, *, began, alone=True):
        self.limit = math.inf if time_limit is None else float(time_limit)
        self._began, self._worked, self._alone = began, time.thread_time(), alone
        self._seen: dict[int, dict[int, float]] = {}
        self._choice = self._last = 0.0
        self.compiling = 0.0

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return math.isfinite(self.limit)

    @property
    def used(self) -> float:
        """Seconds since the fit began."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.limit - self.used

    def forgive(self, seconds: float) -> None:
        """Give back time that went into compiling kernels, which happens once on a machine."""
        self._began += seconds
        self.compiling += seconds

    def keep_for_choice(self, n_asked: int, n_outputs: int, n_members: int) -> None:
        """Set aside what choosing how to combine so many members will take."""
        one = _CHOICE_ANY + _CHOICE * n_asked * n_outputs**_CHOICE_CLASSES
        stacked = n_outputs if n_outputs <= MOST_STACKED else 0
        stacking = _STACKING * n_asked * n_members * stacked**2
        self._choice = (one * (1 + n_members / _CHOICE_MEMBERS) + stacking) * self._slowness

    @property
    def _slowness(self):
        """How many seconds pass for one that this thread works; others may be at work, too."""
        worked = time.thread_time() - self._worked
        if not self._alone or worked <= 0:
            return 1.0
        return min(max(1.0, self.used / worked), _SLOWEST)

    def keep_for_last_fits(self, members, n_rows: int, *, new: float) -> None:
        """Set aside what fitting these members on all rows takes, up to a part of the limit.

        Those that matter most come first; ``new`` is the part of the rows that they have not
        learnt from. For whom the time is not enough, nothing is set aside: it would be of no use.
        """
        self._last = 0.0
        part = min(_LAST + _LAST_BY_ROWS * new, _MOST_LAST)
        for price in (self.price(k, n_rows) for k in members):
            if self._last + price <= part * self.limit:
                self._last += price

    @property
    def for_trying(self) -> float:
        """Seconds left to try members in, the choice among them and last fits set aside."""
        return self.left - self._choice - self._last

    def is_late(self, *, spare: float = 0.0) -> bool:
        """Whether it is high time to choose among those tried; a part of the limit to spare."""
        return self.left < self._choice + (spare - _GRACE) * self.limit

    def is_over(self) -> bool:
        """Whether the limit has passed, by more than what is allowed for."""
        return self.left < -_GRACE * self.limit

    def may_begin(self, seconds: float) -> bool:
        """Whether a last fit that is foretold to take so long ends before it is cut off."""
        return seconds <= self.left + _GRACE * self.limit

    def saw(self, member: int, n_rows: int, seconds: float) -> None:
        """Note what a fit of a member on so many rows took, answers included."""
        self._seen.setdefault(member, {})[n_rows] = max(seconds, 1e-6)

    def forget(self, member: int) -> None:
        """Another takes the place of a member: nothing is known of it."""
        self._seen.pop(member, None)

    def rescale(self, member: int, factor: float) -> None:
        """From now on a member costs so many times what was seen."""
        for n_rows in self._seen.get(member, {}):
            self._seen[member][n_rows] *= factor

    def most_rows(self, member: int) -> int:
        """Return the most rows that a fit of a member was seen on; 0 if none."""
        return max(self._seen.get(member, {}), default=0)

    def price(self, member: int, n_rows: int) -> float:
        """Foretell what a fit of a member on so many rows takes, from those seen; inf if none."""
        seen = sorted(self._seen.get(member, {}).items())
        if not seen:
            return math.inf
        rows, seconds = seen[-1]
        power = _POWER if rows >= _FEW_ROWS else _POWER_OF_FEW
        if len(seen) > 1 and rows > seen[-2][0]:
            power = math.log(seconds / seen[-2][1]) / math.log(rows / seen[-2][0])
            power = min(max(power, _POWERS[0]), _POWERS[1])
        if n_rows <= rows:
            return _SAFETY_NEAR * seconds * n_rows / rows
        far = min(1.0, math.log(n_rows / rows) / math.log(_FAR))
        safety = _SAFETY_NEAR + (_SAFETY - _SAFETY_NEAR) * far
        price = seconds * (n_rows / rows) ** power
        # What costs something on any rows, and something for each.
        line = self.least_price(member, n_rows) * (n_rows / rows) ** _BENT
        return safety * max(price, line)

    def least_price(self, member: int, n_rows: int) -> float:
        """Return what a fit takes if cost grows by the row no faster than it was seen to; 0 if new.

        Most learners' costs grow faster: what is too dear by this is too dear.
        """
        seen = sorted(self._seen.get(member, {}).items())
        if not seen:
            return 0.0
        rows, seconds = seen[-1]
        slope = 0.0
        if len(seen) > 1 and rows > seen[-2][0]:
            slope = max(0.0, (seconds - seen[-2][1]) / (rows - seen[-2][0]))
        return seconds + slope * max(0, n_rows - rows)

    def affords(self, seconds: float, *, share: float = _SHARE) -> bool:
        """Whether so many seconds are a fair share of what is left."""
        return not self.is_limited or seconds <= share * self.for_trying

    def rows_for(self, member: int, seconds: float, n_rows: int) -> int:
        """Return how many of the rows a member can learn from in so many seconds."""
        if self.price(member, n_rows) <= seconds:
            return n_rows
        low, high = 0, n_rows
        while high - low > max(1, n_rows // 64):
            middle = (low + high) // 2
            low, high = (middle, high) if self.price(member, middle) <= seconds else (low, middle)
        return low
