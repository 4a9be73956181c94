"""What makes a short command quick: nothing imported that one model does not need."""

import gc
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

SELDOM_USED = ("scipy.stats", "numpy.f2py", "numpy.testing")
"""Modules that libraries name at their start and that few models use."""


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


class _LateName:
    """Something in a module that is imported when it is used, not when it is named."""

    def __init__(self, module: "_LateModule", name: str) -> None:
        self._home = module, name

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._there()(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._there(), name)

    def _there(self) -> Any:
        module, name = self._home
        return getattr(module._whole(), name)


class _LateNormal(_LateName):
    """The normal distribution of SciPy, which answers scikit-learn's one question by itself.

    Columns made normal by their ranks ask for nothing else of all statistics; the answer is
    ``scipy.special.ndtri``, as it is there.
    """

    def ppf(self, q: Any, *args: Any, **options: Any) -> Any:
        if args or options:
            return self._there().ppf(q, *args, **options)
        import numpy as np
        from scipy.special import ndtri

        # As SciPy, which adds the mean: no negative zero, and doubles whatever q is.
        return np.add(ndtri(q), 0.0, dtype=float)


class _LateModule(ModuleType):
    """Stands for a module while others are imported that only name what they may use of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by Python's imports: no package, nothing inside it
            raise AttributeError(name)
        if sys.modules.get(self.__name__) not in (None, self):
            return getattr(self._whole(), name)
        kind = _LateNormal if (self.__name__, name) == ("scipy.stats", "norm") else _LateName
        return kind(self, name)

    def _place(self) -> tuple[ModuleType, str]:
        package, _, name = self.__name__.rpartition(".")
        return importlib.import_module(package), name

    def _take(self) -> None:
        sys.modules[self.__name__] = self
        setattr(*self._place(), self)

    def _leave(self) -> None:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            delattr(*self._place())

    def _whole(self) -> ModuleType:
        self._leave()
        with _undocumented():
            return importlib.import_module(self.__name__)


@contextmanager
def later(*names: str) -> Iterator[None]:
    """Import, within, none of these modules; who then uses what is in them imports them.

    For modules that take long, that libraries name at their start, and that few answers need: all
    of scikit-learn names SciPy's statistics, and SciPy all that NumPy has, with a compiler of
    Fortran. For functions and objects, not for classes to derive from, and for a process of our
    own: in others people look at what they have imported.
    """
    stand_ins = [_LateModule(name) for name in names if name not in sys.modules]
    for stand_in in stand_ins:
        stand_in._take()
    try:
        with _undocumented():
            yield
    finally:
        for stand_in in stand_ins:
            stand_in._leave()


class _NoDoc(dict[str, Any]):
    """A docstring taken apart, of which nothing is kept."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __missing__(self, section: str) -> list[Any]:
        return []

    def __str__(self) -> str:
        return "\n"


@contextmanager
def _undocumented() -> Iterator[None]:
    """Import SciPy, within, without the notes it writes into its docstrings.

    At every start it takes hundreds of docstrings apart for them, which is half of the time.
    """
    try:
        parts: Any = importlib.import_module("scipy._lib._docscrape")
        taken_apart, parts.FunctionDoc = parts.FunctionDoc, _NoDoc
    except (ImportError, AttributeError):
        yield  # a SciPy of another make: as it comes
        return
    try:
        yield
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
        helpers.get_type_paths = _paths(helpers.get_type_paths)
        try:
            spec.loader.exec_module(package)
            sys.modules["skops"].io = package  # type: ignore[attr-defined]
        finally:
            helpers.get_public_type_names = look_up
    except (ImportError, AttributeError):  # not there, or of another make: as it comes
        sys.modules.pop("skops.io", None)
    finally:
        sklearn.utils.all_estimators = found


def _paths(look_up: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    """Return skops' own function, which copies a list of names at every part of a model."""

    def paths(types: Any) -> list[str]:
        is_list_of_names = type(types) is list and set(map(type, types)) == {str}
        return types if is_list_of_names else look_up(types)

    return paths


def _none(*_: Any, **__: Any) -> list[Any]:
    return []
