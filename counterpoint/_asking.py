"""Members asked: what they say is looked at, and they are asked once about the same rows.

Whoever makes answers of the probabilities of a learner asks it by :func:`said`. An ensemble's
label, its probabilities and how far its members disagree come from the same answers; who wants all
of them of the same rows asks within ``asked_once``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from counterpoint._arrays import check_said

_last: ContextVar[dict[str, tuple[Any, Any, Any]] | None] = ContextVar("last answers", default=None)


def said(model: Any, X: Any, name: str = "", **options: Any) -> np.ndarray:
    """Return the probabilities of a fitted learner as floats; raise where it gives none.

    ``name`` is the member's, for the message. A learner that met columns which do not vary, or
    numbers it cannot square, answers NaN, and an ensemble would pass it on.
    """
    with np.errstate(all="ignore"):  # what comes of it is looked at
        proba = np.asarray(model.predict_proba(X, **options), dtype=float)
    return check_said(proba[None], [name or type(model).__name__])[0]


@contextmanager
def asked_once() -> Iterator[None]:
    """Keep, within, what the members of the ensemble asked last said, for the same rows again."""
    token = _last.set({})
    try:
        yield
    finally:
        _last.reset(token)


def once(ensemble: Any, X: Any, ask: Callable[[Any], Any]) -> Any:
    """Return ``ask(X)``; within :func:`asked_once`, what it gave for the same rows just before."""
    kept = _last.get()
    if kept is None or not isinstance(X, np.ndarray):
        return ask(X)
    asked, rows, answers = kept.get("answers", (None, None, None))
    if asked is not ensemble or not _same(rows, X):
        answers = ask(X)
        kept["answers"] = ensemble, X.copy(), answers
    return answers


def _same(rows: np.ndarray, X: np.ndarray) -> bool:
    return (
        (rows.dtype, rows.shape) == (X.dtype, X.shape)
        and rows.dtype.kind in "fiub"
        and np.array_equal(rows, X, equal_nan=rows.dtype.kind == "f")
    )
