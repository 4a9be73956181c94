"""The public surface: what is promised is there, documented, and quick to import."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import counterpoint

SUBPACKAGES = [
    "auto",
    "base",
    "boosting",
    "claims",
    "combiners",
    "datasets",
    "decomposition",
    "diversity",
    "dynamic",
    "exceptions",
    "hyperboxes",
    "large",
    "networks",
    "plots",
    "report",
    "selection",
    "sequences",
    "studio",
    "subsets",
    "tabular",
    "trees",
    "trust",
    "views",
]
PUBLIC = [
    (package, name)
    for package in SUBPACKAGES
    for name in importlib.import_module(f"counterpoint.{package}").__all__
]


def test_the_front_door_shows_all_that_is_there():
    for name in counterpoint.__all__:
        assert getattr(counterpoint, name) is not None
    assert dir(counterpoint) == sorted(counterpoint.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        counterpoint.nonsense  # noqa: B018


def test_no_subpackage_is_missing_from_the_front_door():
    # Reached through the command, not from Python.
    inner = {"cli"}
    there = {m.name for m in pkgutil.iter_modules(counterpoint.__path__)}
    public = {name for name in there if not name.startswith("_")}
    assert public - inner == set(SUBPACKAGES)


@pytest.mark.parametrize(("package", "name"), PUBLIC, ids=lambda v: v)
def test_public_names_exist_and_are_documented(package, name):
    value = getattr(importlib.import_module(f"counterpoint.{package}"), name)
    if callable(value):
        assert inspect.getdoc(value), f"{package}.{name} has no docstring"


@pytest.mark.parametrize("package", SUBPACKAGES)
def test_all_names_each_thing_once(package):
    names = list(importlib.import_module(f"counterpoint.{package}").__all__)
    assert len(names) == len(set(names))


def test_functions_have_a_runnable_example():
    missing = []
    for package, name in PUBLIC:
        value = getattr(importlib.import_module(f"counterpoint.{package}"), name)
        if inspect.isfunction(value) and ">>>" not in (inspect.getdoc(value) or ""):
            missing.append(f"{package}.{name}")
    assert not missing


def test_import_is_quiet_and_loads_nothing_heavy():
    code = "import sys, counterpoint; print(sorted(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    for heavy in ("numpy", "sklearn", "numba", "pandas", "matplotlib", "rich", "typer"):
        assert f"'{heavy}'" not in done.stdout


def test_pictures_are_no_reason_to_import_matplotlib_before_one_is_drawn():
    code = "import sys, counterpoint.plots\nprint('matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


WITH_DOORS = [
    package
    for package in SUBPACKAGES
    if hasattr(importlib.import_module(f"counterpoint.{package}"), "_HOMES")
]


def test_packages_have_doors():
    assert set(SUBPACKAGES) - set(WITH_DOORS) == {"base", "exceptions"}  # single modules


def behind(door):
    """Return the names that are imported when they are first used."""
    return {name for names in door._HOMES.values() for name in names}


def test_all_names_are_behind_the_doors_but_those_of_one_module():
    apart = {
        p: set(getattr(counterpoint, p).__all__) - behind(getattr(counterpoint, p))
        for p in WITH_DOORS
    }
    assert {p: names for p, names in apart.items() if names} == {
        "sequences": {"Histories", "histories", "latest_histories"}
    }


@pytest.mark.parametrize("package", WITH_DOORS)
def test_what_type_checkers_read_of_a_package_is_what_is_there(package):
    door = importlib.import_module(f"counterpoint.{package}")
    parsed = ast.parse(inspect.getsource(door))
    blocks = [node for node in parsed.body if isinstance(node, ast.If)]
    named = {(a.name, node.module) for block in blocks for node in block.body for a in node.names}
    assert {name for name, _ in named} == behind(door)
    for name, home in named:
        assert getattr(importlib.import_module(home), name) is getattr(door, name)


@pytest.mark.parametrize("package", WITH_DOORS)
def test_no_public_name_is_that_of_a_module_beside_it(package):
    # Once imported, the module would take the place of the name.
    door = importlib.import_module(f"counterpoint.{package}")
    modules = {module.name for module in pkgutil.iter_modules(door.__path__)}
    assert not modules & behind(door)


def test_a_name_brings_its_own_module_only():
    code = "import sys; from counterpoint.trees import Tree; print('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "counterpoint.trees.structure" in ran.stdout.split()
    assert "counterpoint.trees.merging.estimator" not in ran.stdout.split()
