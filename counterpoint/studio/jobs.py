"""Work that takes a while: in a thread of its own, telling how far it is, and to be stopped."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from counterpoint._progress import Enough, listening

_WAIT = 15.0  # seconds after which a listener is told that there is nothing new


class Job:
    """A piece of work and all it has told so far.

    Parameters
    ----------
    work : callable
        Does it, and returns what to tell at the end. It runs within
        :func:`counterpoint._progress.listening`.
    heard : callable
        Makes plain data of a step that the work told.
    """

    def __init__(self, work: Callable[[], dict[str, Any]], heard: Callable[[dict], dict]):
        self._work, self._heard = work, heard
        self._news = threading.Condition()
        self.events: list[dict[str, Any]] = []
        self.is_over = False
        self.stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="studio job")

    def start(self) -> "Job":
        """Begin."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Let it end with what there is, after the step under way."""
        self.stopped = True

    def wait(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        self._thread.join(timeout)

    def _run(self) -> None:
        try:
            with listening(self._listen), suppress(Enough):
                self.tell({"event": "done", **self._work()})
        except Exception as error:  # whatever it is belongs on the page, not in a dead thread
            self.tell({"event": "failed", "error": f"{error}" or type(error).__name__})
        finally:
            with self._news:
                self.is_over = True
                self._news.notify_all()

    def _listen(self, step: dict[str, Any]) -> bool:
        self.tell({"event": "step", **self._heard(step)})
        return self.stopped

    def tell(self, event: dict[str, Any]) -> None:
        """Add to what it has told."""
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def follow(self, start: int = 0) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yield (number, event) from a number on, as they come; None now and then if none comes."""
        at = start
        while True:
            with self._news:
                if at >= len(self.events):
                    if self.is_over:
                        return
                    self._news.wait(_WAIT)
                some = self.events[at:]
            if not some and not self.is_over:
                yield at, None
            for event in some:
                yield at, event
                at += 1
