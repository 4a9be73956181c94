"""The site builds without a warning: every page is listed, every link leads somewhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocstrings", reason="the site needs the docs extra")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    reference = (tmp_path / "site" / "api" / "boosting" / "index.html").read_text()
    assert "AdaBoostNCClassifier" in reference
    assert "lam" in reference
