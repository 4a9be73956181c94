"""What makes a short command quick: nothing imported that one model does not need."""

import gc
import importlib
import importlib.util
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


class _NoDoc(dict[str, Any]):
    """A docstring taken apart, of which nothing is kept."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __missing__(self, section: str) -> list[Any]:
        return []

    def __str__(self) -> str:
        return "\n"


def quick_scipy() -> None:
    """Import SciPy's statistics without the notes it writes into its docstrings at every start.

    scikit-learn imports them whatever it does, and these notes, for which SciPy takes hundreds of
    docstrings apart, are most of the time that takes. For a process of our own: in others people
    read them.
    """
    if "scipy.stats" in sys.modules:
        return
    try:
        parts: Any = importlib.import_module("scipy._lib._docscrape")
        taken_apart, parts.FunctionDoc = parts.FunctionDoc, _NoDoc
    except (ImportError, AttributeError):
        return  # a SciPy of another make: as it comes
    try:
        importlib.import_module("scipy.stats")
    finally:
        parts.FunctionDoc = taken_apart


def quick_skops() -> None:
    """Import skops without the names it trusts by itself, which take long to look up.

    They are all estimators of scikit-learn, to find which it imports all of it, and all functions
    of NumPy and SciPy, each looked for in all modules there are. Without these names skops trusts
    no estimator by itself; :func:`counterpoint.tabular.load` knows which are. For a process of our
    own, such as a command: others may count on skops' names.
    """
    if "skops.io" in sys.modules:
        return
    import sklearn.utils

    found = sklearn.utils.all_estimators
    sklearn.utils.all_estimators = _none
    try:
        # The package by hand, so that a part of it can be changed before the rest is imported.
        spec = importlib.util.find_spec("skops.io")
        if spec is None or spec.loader is None:
            return  # who needs it says so
        package = importlib.util.module_from_spec(spec)
        sys.modules["skops.io"] = package
        helpers: Any = importlib.import_module("skops.io._utils")
        look_up, helpers.get_public_type_names = helpers.get_public_type_names, _none
        try:
            spec.loader.exec_module(package)
            sys.modules["skops"].io = package  # type: ignore[attr-defined]
        finally:
            helpers.get_public_type_names = look_up
    except (ImportError, AttributeError):  # not there, or of another make: as it comes
        sys.modules.pop("skops.io", None)
    finally:
        sklearn.utils.all_estimators = found


def _none(*_: Any, **__: Any) -> list[Any]:
    return []
