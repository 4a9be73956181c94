"""Public signatures say what they take and what they give back."""

import importlib
import inspect
from functools import cached_property

import pytest

import counterpoint

PACKAGES = list(counterpoint._SUBPACKAGES)
SPECIAL = ("__init__", "__call__", "__getitem__", "__len__", "__iter__", "__contains__")


def bare(member):
    """Return the function behind a method, property or decorated function, or None."""
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    elif isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    elif hasattr(member, "fn"):  # scikit-learn's available_if
        member = member.fn
    member = inspect.unwrap(member) if callable(member) else None
    return member if inspect.isfunction(member) else None


def functions(value):
    """Yield all functions of ours that a public function or class consists of, by their names."""
    if inspect.isfunction(value):
        yield value.__name__, bare(value)
    elif inspect.isclass(value):
        for owner in value.__mro__:
            for name, member in vars(owner).items():
                function = bare(member)
                if (name.startswith("_") and name not in SPECIAL) or function is None:
                    continue
                # What dataclasses write for themselves has no file.
                if function.__module__.startswith("counterpoint") and not (
                    function.__code__.co_filename.startswith("<")
                ):
                    yield f"{owner.__name__}.{name}", function


def untyped(function):
    """Return which parameters have no type, and "return" where the result has none."""
    signature = inspect.signature(function)
    first = next(iter(signature.parameters), None)
    silent = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.annotation is parameter.empty
        and not (name == first and name in ("self", "cls"))
    ]
    return silent + ["return"] * (signature.return_annotation is signature.empty)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_signature_is_typed(package):
    module = importlib.import_module(f"counterpoint.{package}")
    missing, seen = {}, 0
    for public in module.__all__:
        for name, function in functions(getattr(module, public)):
            seen += 1
            if silent := untyped(function):
                missing[f"{function.__module__}.{name}"] = silent
    assert not missing
    assert seen or package == "exceptions"


def test_what_is_not_typed_is_found():
    class Half:
        def __init__(self, a, b: int = 0): ...

        @property
        def c(self): ...

        @classmethod
        def d(cls, e: int) -> int: ...

    Half.__module__ = "counterpoint.test"
    for name in ("__init__", "c", "d"):
        bare(vars(Half)[name]).__module__ = "counterpoint.test"
    found = {name: untyped(function) for name, function in functions(Half)}
    assert found == {"Half.__init__": ["a", "return"], "Half.c": ["return"], "Half.d": []}
