"""What makes a short command quick: nothing imported that one model does not need."""

import gc
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quickly() -> Iterator[None]:
    """Build a great many objects that stay: the collector of garbage has nothing to find there."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()


def quick_skops() -> None:
    """Import skops without all of scikit-learn, which it would look through for names it trusts.

    Without these names skops trusts no estimator by itself; :func:`counterpoint.tabular.load` knows
    which are. For a process of our own, such as a command: others may count on skops' names.
    """
    if "skops.io" in sys.modules:
        return
    import sklearn.utils

    found = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = _none
    try:
        importlib.import_module("skops.io")
    except ImportError:
        return  # who needs it says so
    finally:
        sklearn.utils.all_estimators = found


def _none(*_: Any, **__: Any) -> list[Any]:
    return []
