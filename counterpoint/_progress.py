"""How far long work is: told on standard error, or to whoever listens and may say "enough".

Below the command line only this knows rich.
"""

import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

Listener = Callable[[dict[str, Any]], bool]

_listener: ContextVar[Listener | None] = ContextVar("counterpoint_listener", default=None)
_quiet = ContextVar("counterpoint_quiet", default=False)
_say: ContextVar[Callable[[str], None] | None] = ContextVar("counterpoint_say", default=None)
_work: "ContextVar[_Work | None]" = ContextVar("counterpoint_work", default=None)
# rich forgets after 30 seconds how fast things went; our items may take minutes each.
_REMEMBERED = 3600.0
_EVERY = 5.0  # seconds between two lines
_LONG = 1.0  # seconds of compiling that are worth a line


class _Work:
    """What is being done: a heading, the item, what is at work on it."""

    def __init__(self, description: str, total: int | None) -> None:
        self.description, self.total = description, total
        self.done, self.item, self.member = 0, "", ""
        self.changed: Callable[[], None] = lambda: None

    def text(self) -> str:
        named = ", ".join(part for part in (self.item, self.member) if part)
        return f"{self.description}: {named}" if named else self.description

    def line(self) -> str:
        of = "" if self.total is None else f" of {self.total}"
        return f"{self.text()} ({self.done + 1}{of})"


def track(
    items: Iterable[T],
    *,
    total: int | None = None,
    description: str,
    show: bool | None,
    name: Callable[[T], str] | None = None,
) -> Generator[T, None, None]:
    """Yield ``items``, drawing a bar on standard error that names the one at work.

    ``show=None`` draws only where somebody looks: on a terminal, and not within :func:`quiet`.
    Within :func:`lines`, where nobody does, a line is said every few seconds. Otherwise nothing is
    imported and nothing is printed. ``name`` says what to call an item; :func:`at_work` adds who
    works on it.
    """
    if getattr(show, "ndim", 0):
        raise ValueError(f"progress={show!r}: give True, False, or None.")
    if total is None and isinstance(items, Sized):
        total = len(items)
    work = _Work(description, total)
    say = _say.get()
    if show is None and not _quiet.get():
        show = sys.stderr.isatty()
        if not show and say is not None:
            with _saying(work, say):
                yield from _at_work(items, work, name)
            return
    if not show:
        yield from items
        return
    with _bar(work) as advance:
        for item in _at_work(items, work, name):
            yield item
            advance()


def at_work(member: str) -> None:
    """Say who is at work on the item under way, if anybody is told."""
    work = _work.get()
    if work is not None and member != work.member:
        work.member = member
        work.changed()


def _at_work(
    items: Iterable[T], work: _Work, name: Callable[[T], str] | None
) -> Generator[T, None, None]:
    before = _work.get()
    try:
        for item in items:
            _work.set(work)
            work.item, work.member = name(item) if name else "", ""
            work.changed()
            yield item
            work.done += 1
    finally:
        _work.set(before)


@contextmanager
def _bar(work: _Work) -> Iterator[Callable[[], Any]]:
    from rich.console import Console
    from rich.markup import escape
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
        task = bar.add_task(work.description, total=work.total)
        work.changed = lambda: bar.update(task, description=escape(work.text()))
        yield lambda: bar.advance(task)


@contextmanager
def _saying(work: _Work, say: Callable[[str], None]) -> Iterator[None]:
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(_EVERY):
            say(work.line())

    thread = threading.Thread(target=tell, name="counterpoint progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def lines(say: Callable[[str], None]) -> Iterator[None]:
    """Within, let long work without a terminal be told of by a line every few seconds."""
    before = _say.set(say)
    try:
        yield
    finally:
        _say.reset(before)


@contextmanager
def quiet() -> Iterator[None]:
    """Draw no bar that was not asked for by ``show=True``: work within work has one already."""
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)


@contextmanager
def tell_of_compiling(say: Callable[[str], None]) -> Iterator[None]:
    """Within, name the kernel that is being compiled as the one at work; at the end say how long.

    For work that somebody waits for on a machine where nothing is compiled yet.
    """
    from numba.core import event

    began: list[float] = []
    seconds: list[float] = []
    before = [""]

    class Compiling(event.Listener):
        def on_start(self, event: Any) -> None:
            began.append(time.monotonic())
            work = _work.get()
            if len(began) == 1 and work is not None:  # not what is compiled within another
                before[0] = work.member
                name = event.data["dispatcher"].py_func.__qualname__
                at_work(f"compiling {name}, once on this machine")

        def on_end(self, event: Any) -> None:
            took = time.monotonic() - began.pop()
            if not began:
                seconds.append(took)
                at_work(before[0])

    with event.install_listener("numba:compile", Compiling()):
        yield
    if sum(seconds) >= _LONG:
        took = f"{sum(seconds):.0f} s went into compiling {len(seconds)} kernels"
        say(f"{took}, which is done once on a machine.")


class Enough(Exception):
    """Whoever listens has seen enough: what is done is to be kept, as after Ctrl-C."""


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear of every step of the work within that tells of itself.

    The listener gets what :func:`tell` was given, in the thread that works; if it returns True,
    the work ends with what there is.
    """
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(step: Callable[[], dict[str, Any]]) -> None:
    """Tell of a step to whoever listens; ``step`` is only called then. May raise Enough."""
    listener = _listener.get()
    if listener is not None and listener(step()):
        raise Enough
