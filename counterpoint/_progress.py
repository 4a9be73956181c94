"""A progress bar for long work; the one place below the command line that knows rich."""

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

_quiet = ContextVar("counterpoint_quiet", default=False)
# rich forgets after 30 seconds how fast things went; our items may take minutes each.
_REMEMBERED = 3600.0


def track(
    items: Iterable[T], *, total: int | None = None, description: str, show: bool | None
) -> Generator[T, None, None]:
    """Yield ``items``, drawing a bar on standard error.

    ``show=None`` draws only where somebody looks: on a terminal, and not within :func:`quiet`.
    Nothing is imported and nothing is printed when the bar is off.
    """
    if show is None:
        show = sys.stderr.isatty() and not _quiet.get()
    if not show:
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=_REMEMBERED,
    )
    with bar:
        yield from bar.track(items, total=total, description=description)


@contextmanager
def quiet() -> Iterator[None]:
    """Draw no bar that was not asked for by ``show=True``: work within work has one already."""
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)
