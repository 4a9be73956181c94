"""The site builds without a warning: every page is listed, every link leads somewhere."""

import importlib.util
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
    for page in (tmp_path / "site").rglob("index.html"):
        assert page.read_text().count("<h1") == 1, f"{page}: one title, and no line taken for one"


@pytest.fixture(scope="module")
def typography():
    place = ROOT / "docs" / "typography.py"
    spec = importlib.util.spec_from_file_location("typography", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("(f_i - d)^2 / 2", "(<i>f</i><sub><i>i</i></sub> &minus; <i>d</i>)<sup>2</sup> / 2"),
        ("sum_k P_k", "&sum;<sub><i>k</i></sub> <i>P</i><sub><i>k</i></sub>"),
        ("p^lambda", "<i>p</i><sup><i>&lambda;</i></sup>"),
        ("sqrt(mean_j x^4)", "&radic;(mean<sub><i>j</i></sub> <i>x</i><sup>4</sup>)"),
    ],
)
def test_formulas_are_set(typography, code, seen):
    assert typography.improve(f"<p><code>{code}</code></p>") == (
        f'<p><span class="formula">{seen}</span></p>'
    )


@pytest.mark.parametrize(
    "code", ["X_train", "n_samples", "load(x_y='a')", "a.b_c", "return_X_y=True", "x ** 2", "fit"]
)
def test_code_is_left_alone(typography, code):
    assert typography.improve(f"<code>{code}</code>") == f"<code>{code}</code>"


def test_indices_in_sentences_and_not_in_what_is_run(typography):
    html = '<p id="f_i">moves with f_i</p><pre><span>X_1</span></pre>'
    seen = html.replace("with f_i", "with <i>f</i><sub><i>i</i></sub>")
    assert typography.improve(html) == seen


def test_what_is_between_two_references_is_not_stressed(typography):
    html = "<p>By halves [2]<em>. <em>Not</em> all [1]</em>, says [3]_; <em>so [1]</em>.</p>"
    plain = "<p>A tree ([1]<em>), or <code>two</code> [2]</em>, or none [3]_.</p>"
    assert typography.improve(plain) == "<p>A tree ([1]), or <code>two</code> [2], or none [3].</p>"
    assert "<em>so [1]</em>" in typography.improve(html)


def test_types_are_not_subtracted(typography):
    html = "<td>\n <code>(<span>array</span> - like, log - odds)</code></td><td>a - b</td>"
    assert typography.improve(html) == (
        "<td>\n <code>(<span>array</span>-like, log-odds)</code></td><td>a - b</td>"
    )
    assert typography.improve("<pre><code>a - b</code></pre>") == "<pre><code>a - b</code></pre>"


def test_names_and_references_of_docstrings_are_read(typography):
    html = (
        "<p>A :data:<code>Tree</code> of [2]_.</p><summary>See Also</summary><p>kappa : Of two\n"
        "members.\nsklearn.tree.X : Else.</p><summary>References</summary><p>.. [1] One,\n   1999."
        "\n.. [2] Two.</p>"
    )
    places = {"Tree": "../trees/#t", "kappa": "#k"}
    assert typography.improve(html, places.get) == (
        '<p>A <a href="../trees/#t"><code>Tree</code></a> of [2].</p><summary>See Also</summary>'
        '<ul><li><a href="#k"><code>kappa</code></a>: Of two\nmembers.</li>'
        "<li><code>sklearn.tree.X</code>: Else.</li></ul><summary>References</summary>"
        "<p>[1] One,\n   1999.</p><p>[2] Two.</p>"
    )
