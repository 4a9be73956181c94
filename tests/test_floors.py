"""The oldest versions promised: each dependency has one, and `make test-oldest` installs it."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("floors", ROOT / "tools" / "floors.py")
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)


def test_every_dependency_has_a_floor_that_is_tried():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # Tools of ours, one exact version, and one that wants newer NumPy than our floor.
    ours = {"docs", "bench", "dev", "torch", "shap"}
    assert set(extras) == {*tool.EXTRAS, *ours}
    wanted = project["dependencies"] + [text for name in tool.EXTRAS for text in extras[name]]
    assert len(wanted) > 11
    tried = {f"{name}>={version}" for name, version in tool.promised().items()}
    assert set(wanted) <= tried
    assert len(tried - set(wanted)) == len(tool.TESTED_WITH)


@pytest.mark.parametrize("text", ["numpy", "numpy<2", "numpy>=1,<2", "numpy>1"])
def test_a_dependency_without_a_floor_is_an_error(text):
    with pytest.raises(ValueError, match="is not of the form name>=version"):
        tool.floors([text])
