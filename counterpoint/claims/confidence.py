"""Which confidence the intervals of a rule have: 95 %, or more at a look before the end.

Rules ask here and not for a number, so that the same rule judges a finished run and a look at one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

FINISHED = 0.95
_AT_A_LOOK: ContextVar[float | None] = ContextVar("confidence at a look", default=None)


@contextmanager
def at_a_look(confidence: float) -> Iterator[None]:
    """Let all intervals have this confidence while rules are applied to an unfinished run.

    Examples
    --------
    >>> with at_a_look(0.99):
    ...     confidence()
    0.99
    >>> confidence()
    0.95
    """
    before = _AT_A_LOOK.set(confidence)
    try:
        yield
    finally:
        _AT_A_LOOK.reset(before)


def confidence() -> float:
    """Return the confidence that intervals have now."""
    at = _AT_A_LOOK.get()
    return FINISHED if at is None else at


def looking() -> bool:
    """Return whether this is a look at an unfinished run."""
    return _AT_A_LOOK.get() is not None
