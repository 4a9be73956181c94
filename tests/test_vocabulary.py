"""docs/vocabulary.md rules over the names of parameters, attributes and options."""

import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from estimators import public_classes, public_estimators, quick
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags
from typer.main import get_command

from counterpoint.cli.app import app
from counterpoint.combiners import Combiner
from counterpoint.trees import RuleList, Tree

PAGE = Path(__file__).parents[1] / "docs" / "vocabulary.md"
KINDS = {"Tree": Tree, "RuleList": RuleList, "DataFrame": pd.DataFrame, "ndarray": np.ndarray,
         "Combiner": Combiner, "list": list, "int": (int, np.integer)}  # fmt: skip


def rows(heading):
    """Return the table under a heading, a list of cells a row."""
    section = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell):
    return re.findall(r"`([^`]+)`", cell)


NOT_PARAMETERS = {word: words(row[1])[0] for row in rows("Parameters") for word in words(row[2])}
NOT_ATTRIBUTES = {word: words(row[1])[0] for row in rows("After fit") for word in words(row[3])}
ESTIMATORS = [quick(estimator) for estimator in public_estimators()]


def test_no_word_is_both_right_and_wrong():
    right = {word for row in rows("Parameters") + rows("After fit") for word in words(row[1])}
    assert len(right) > 25
    assert not right & (NOT_PARAMETERS.keys() | NOT_ATTRIBUTES.keys())


@pytest.mark.parametrize(
    "cls", [c for c in public_classes() if issubclass(c, BaseEstimator)], ids=lambda c: c.__name__
)
def test_parameters_have_the_words_of_the_house(cls):
    parameters = inspect.signature(cls.__init__).parameters
    wrong = {name: NOT_PARAMETERS[name] for name in parameters if name in NOT_PARAMETERS}
    assert not wrong, f"{cls.__name__}: write {wrong}"
    for name in ("progress", "n_jobs", "random_state"):
        if name in parameters:
            assert parameters[name].default is None, f"{name} of {cls.__name__}"


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_attributes_have_the_words_and_kinds_of_the_house(estimator):
    X, y = load_iris(return_X_y=True)
    kind = get_tags(estimator).classifier_tags
    if kind is not None and not kind.multi_class:
        y = y == 1
    fitted = clone(estimator).fit(X, y)
    names = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    wrong = {name: NOT_ATTRIBUTES[name] for name in names if name in NOT_ATTRIBUTES}
    assert not wrong, f"{type(estimator).__name__}: write {wrong}"
    for _, word, type_name, _ in rows("After fit"):
        name = words(word)[0]
        if name in names and type_name in KINDS:
            value = getattr(fitted, name)
            assert value is None or isinstance(value, KINDS[type_name]), f"{name}: {type(value)}"


def commands(group, path=()):
    for name, command in getattr(group, "commands", {}).items():
        yield (*path, name), command
        yield from commands(command, (*path, name))


COMMANDS = list(commands(get_command(app)))


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(p) for p, _ in COMMANDS])
def test_options_of_commands_are_the_parameters_words(path, command):
    options = {o.lstrip("-").replace("-", "_") for p in command.params for o in p.opts}
    wrong = {name: NOT_PARAMETERS[name] for name in options if name in NOT_PARAMETERS}
    assert not wrong, f"{' '.join(path)}: write {wrong}"
