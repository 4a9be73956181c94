"""What a docstring promises of parameters is what the signature has."""

import dataclasses
import importlib
import inspect
import math
import re

import pytest

import counterpoint
from counterpoint.tabular.reader import MISSING

SUBPACKAGES = list(counterpoint._SUBPACKAGES)


def public():
    """Yield every public function and class that takes parameters, once, with its docstring."""
    seen = set()
    for package in SUBPACKAGES:
        module = importlib.import_module(f"counterpoint.{package}")
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)) or id(value) in seen:
                continue
            seen.add(id(value))
            if inspect.isclass(value) and issubclass(value, Exception):
                continue
            yield f"{package}.{name}", value


def documented(text):
    """Return the parameters that a numpydoc section names, with the default it states, if any."""
    found = {}
    section = re.search(
        r"\n *(?:Parameters|Attributes)\n *-{5,}\n(.*?)(?=\n *\w[\w ]*\n *-{5,}|\Z)", text, re.S
    )
    if section is None:
        return found
    body = re.sub(r"\\\s*\n\s*", "", section.group(1))  # names that go on in the next line
    lines = [line for line in body.splitlines() if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    for line in lines:
        if len(line) - len(line.lstrip()) != indent:
            continue
        listed, _, kind = line.strip().partition(" : ")
        names = [name.lstrip("*") for name in re.split(r",\s*(?=\*{0,2}\w)", listed)]
        stated = re.search(r"default=(.+)$", kind)
        each = re.split(r", | and ", stated.group(1)) if stated else []
        if len(each) != len(names):
            each = [stated.group(1).strip() if stated else None] * len(names)
        found |= dict(zip(names, each, strict=True))
    return found


def parameters(value):
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return {}
    return {
        name: p
        for name, p in signature.parameters.items()
        if name not in ("self", "args", "kwargs")
        and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    }


def same(stated, default):
    """Whether words about a default are the default itself."""
    text = stated.strip("`").split(" ")[0].rstrip(",;.")
    if callable(default) or not isinstance(default, str | int | float | bool | None | tuple):
        return True  # an object: described, not written
    if stated.strip("`") in (repr(default), str(default)):
        return True
    try:
        return eval(stated, {"__builtins__": {}, "pi": math.pi, "MISSING": MISSING}) == default
    except Exception:
        return text in (repr(default), str(default), f'"{default}"')


CASES = dict(public())


@pytest.mark.parametrize("name", CASES)
def test_parameters_are_documented_with_their_defaults(name):
    value = CASES[name]
    told = documented("\n" + (inspect.getdoc(value) or ""))
    there = parameters(value)
    optional = [parameter for parameter, p in there.items() if p.default is not p.empty]
    if not told:  # a sentence is enough for what takes little but its subject
        words = inspect.getdoc(value) or ""
        silent = [parameter for parameter in optional if not re.search(rf"\b{parameter}\b", words)]
        assert not silent or inspect.isclass(value), f"{name} does not document {silent}"
        return
    if not dataclasses.is_dataclass(value):  # these name what they hold as attributes
        missing = [parameter for parameter in there if parameter not in told]
        assert not missing, f"{name} does not document {missing}"
    wrong = [
        f"{parameter}: {told[parameter]!r} is said, {p.default!r} it is"
        for parameter, p in there.items()
        if told.get(parameter) is not None and not same(told[parameter], p.default)
    ]
    assert not wrong, f"{name}: {'; '.join(wrong)}"


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_documented_that_is_not_there(name):
    value = CASES[name]
    text = inspect.getdoc(value) or ""
    if dataclasses.is_dataclass(value) or "Parameters\n" not in text:
        return
    extra = set(documented("\n" + text)) - set(parameters(value)) - {"args", "kwargs", "options"}
    has_options = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(value).parameters.values())
    assert not extra or has_options, f"{name} documents {sorted(extra)}, which it does not take"
