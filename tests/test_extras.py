"""Extras are extra: without them everything imports."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORT_ALL = """
import importlib, pkgutil, sys

class Gone:
    # What is not installed cannot be found.
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {gone!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Gone())
import counterpoint
failed = []
for module in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
    if module.name.endswith(("__main__", "studio.widget")):  # a widget is nothing without its extra
        continue
    try:
        importlib.import_module(module.name)
    except Exception as error:
        failed.append(f"{{module.name}}: {{error!r}}")
print("; ".join(failed))
"""


def optional_packages():
    """The import names of all that is not a core dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    def names(lines):
        return {line.split("[")[0].split(">")[0].split("=")[0].strip().lower() for line in lines}

    core = names(project["dependencies"])
    extra = set().union(*map(names, project["optional-dependencies"].values()))
    known = {"scikit-learn": "sklearn", "xgboost-cpu": "xgboost"}
    return {known.get(name, name.replace("-", "_")) for name in extra - core} - {"counterpoint"}


def test_every_module_imports_with_the_core_dependencies_alone():
    gone = optional_packages() | {"torch", "dask", "pyarrow"}
    assert {"polars", "skops", "distributed", "hypothesis"} <= gone
    code = IMPORT_ALL.format(gone=gone)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == ""


ONE_AT_A_TIME = """
import importlib, json, sys

class Gone:
    # What is not installed cannot be found.
    missing = ()

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

gone = Gone()
sys.meta_path.insert(0, gone)
failed = []
for extra, (missing, modules) in json.loads(sys.argv[1]).items():
    # What was imported for the extra before is put away; ours is imported anew.
    ours = {"counterpoint", *missing}
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in ours}
    gone.missing = missing
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            failed.append(f"{extra}: {module}: {error!r}")
    sys.modules.update(kept)
print("; ".join(failed))
"""


def import_names(lines):
    """The names under which what is required is imported."""
    known = {"scikit-learn": "sklearn", "xgboost-cpu": "xgboost"}
    return {
        known.get(name, name.replace("-", "_"))
        for name in (re.split(r"[\[<>=]", line)[0].strip().lower() for line in lines)
    }


def imported_by_modules():
    """The packages that each module of ours imports, anywhere in it."""
    found = {}
    for path in sorted((ROOT / "counterpoint").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"^\s*(?:import|from) ([a-z_]+)", text, re.M)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = set(names)
    return {name: names for name, names in found.items() if not name.endswith("__main__")}


def test_modules_import_with_each_extra_alone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {
        name: import_names(lines)
        for name, lines in project["optional-dependencies"].items()
        if name not in ("dev", "docs", "bench")
    }
    everything = set().union(*extras.values())
    imported = imported_by_modules()
    use = {
        name: (sorted(everything - own), [m for m, names in imported.items() if names & own])
        for name, own in extras.items()
        if all(importlib.util.find_spec(package) for package in own)
    }
    assert {"polars", "large", "studio"} <= set(use)
    assert all(modules for _, modules in use.values())
    given = json.dumps(use)
    done = subprocess.run(
        [sys.executable, "-c", ONE_AT_A_TIME, given], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == ""
