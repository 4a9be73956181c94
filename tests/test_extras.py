"""Extras are extra: without them everything imports."""

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
