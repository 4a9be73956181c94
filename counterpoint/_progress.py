"""A progress bar for long work; the one place below the command line that knows rich."""

import sys
from collections.abc import Generator, Iterable
from typing import TypeVar

T = TypeVar("T")


def track(
    items: Iterable[T], *, total: int | None = None, description: str, show: bool | None
) -> Generator[T, None, None]:
    """Yield ``items``, drawing a bar on standard error.

    ``show=None`` draws only where somebody looks: on a terminal. Nothing is imported
    and nothing is printed when the bar is off.
    """
    if show is None:
        show = sys.stderr.isatty()
    if not show:
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as rich_track

    yield from rich_track(
        items, total=total, description=description, console=Console(stderr=True), transient=True
    )
