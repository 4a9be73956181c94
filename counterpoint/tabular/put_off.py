"""Packages of other libraries whose ``__init__`` is put off, so that a short command need not wait.

``from sklearn.metrics import accuracy_score`` imports all of ``sklearn.metrics``, with what draws
curves and clusters, and these half of SciPy. What stands in ``__init__`` is a list of where names
live. So here that list is read as text, and only the module that has the name is imported. What is
given is the same object as ever; a name that the list does not have makes ``__init__`` run.
"""

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PACKAGES = (
    "asyncio", "coverage", "narwhals", "narwhals.stable", "narwhals.stable.v2", "scipy.fft",
    "scipy.integrate", "scipy.interpolate", "scipy.optimize", "scipy.spatial", "sklearn.callback",
    "sklearn.cluster", "sklearn.compose", "sklearn.covariance", "sklearn.decomposition",
    "sklearn.ensemble", "sklearn.feature_selection", "sklearn.impute", "sklearn.linear_model",
    "sklearn.manifold", "sklearn.metrics", "sklearn.metrics.cluster", "sklearn.model_selection",
    "sklearn.neighbors", "sklearn.preprocessing", "sklearn.svm", "sklearn.tree", "yaml",
)  # fmt: skip
_ALL = re.compile(r"^__all__\s*=\s*(\[[^\]]*\]|\([^)]*\))", re.MULTILINE)


class _PutOff(ModuleType):
    """A package of which no more is there than what was asked of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # asked by Python's imports
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        state = self.__spec__.loader_state  # type: ignore[union-attr]
        if state["homes"] is None:
            state["homes"] = _homes(self.__name__, state["loader"])
        home, there = state["homes"].get(name, (None, None))
        if home == self.__name__ or home is None:
            inner = f"{self.__name__}.{there or name}"
            found = _module(inner) if importlib.util.find_spec(inner) else _MISSING
        else:
            found = getattr(_module(home), there, _MISSING)
            if found is _MISSING and importlib.util.find_spec(f"{home}.{there}"):
                found = _module(f"{home}.{there}")
        if found is _MISSING:
            self.__class__ = ModuleType  # type: ignore[assignment]
            state["loader"].exec_module(self)
            return getattr(self, name)
        setattr(self, name, found)
        return found


_MISSING = object()


def _module(name: str) -> ModuleType:
    return sys.modules.get(name) or importlib.import_module(name)


def _homes(package: str, loader: Any) -> dict[str, tuple[str, str]]:
    """Return where names of a package live, as its ``__init__`` says: module, name there."""
    found: dict[str, tuple[str, str]] = {}
    for one in ast.parse(loader.get_source(package)).body:
        if isinstance(one, ast.ImportFrom):
            home = importlib.util.resolve_name("." * one.level + (one.module or ""), package)
            for alias in one.names:
                if alias.name == "*":
                    found.update((name, (home, name)) for name in _listed(home))
                else:
                    found[alias.asname or alias.name] = home, alias.name
        else:  # set in another way, or taken away
            for part in ast.walk(one):
                if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
                    found.pop(part.id, None)
                elif isinstance(part, ast.FunctionDef | ast.ClassDef | ast.alias):
                    found.pop(getattr(part, "asname", None) or part.name, None)
    return found


def _listed(module: str) -> list[str]:
    """Return the names that a module hands out, as far as its text says so plainly."""
    spec = importlib.util.find_spec(module)
    read: Any = getattr(spec and spec.loader, "get_source", None)  # compiled ones have no text
    told = _ALL.search((read and read(module)) or "")
    try:
        return list(ast.literal_eval(told.group(1))) if told else []
    except ValueError:
        return []


class _Later(Loader):
    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _PutOff(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        spec: Any = module.__spec__
        spec.loader_state = {"homes": None, "loader": self.loader}


class _Finder:
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in PACKAGES else None
        if spec is None or not hasattr(spec.loader, "get_source"):
            return None
        spec.loader = _Later(spec.loader)
        return spec


@contextmanager
def put_off() -> Iterator[None]:
    """Import, within, the packages above only as far as they are asked; so they stay.

    For a process of our own: in others people look at what they have imported.
    """
    finder: Any = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
