"""The oldest version of each dependency that pyproject.toml promises, as exact requirements.

``make test-oldest`` installs them into ``.venv-oldest`` and runs tests there: ``python
tools/floors.py`` prints them for pip, a line each.
"""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
# What people install to use it; docs, bench and dev are for us, torch is pinned, shap
# wants newer NumPy than our floor.
EXTRAS = ("polars", "skops", "excel", "onnx", "dask", "large", "studio", "widget")
TESTED_WITH = ("pytest", "hypothesis")
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)(\[[^]]*\])?>=(?P<version>[0-9][0-9.]*)")


def floors(requirements: list[str]) -> dict[str, str]:
    """Return the lowest version of each requirement; all of them must have one."""
    found = {}
    for text in requirements:
        match = _REQUIREMENT.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} in pyproject.toml is not of the form name>=version.")
        found[match["name"]] = match["version"]
    return found


def promised(path: Path = PROJECT) -> dict[str, str]:
    """Return the floors of the dependencies, of the extras, and of what the tests need."""
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    tools = [text for text in extras["dev"] if text.startswith(TESTED_WITH) and "xdist" not in text]
    return floors(project["dependencies"] + [t for name in EXTRAS for t in extras[name]] + tools)


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in promised().items()))
