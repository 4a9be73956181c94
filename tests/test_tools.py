"""The tools that tell how good the tests are."""

import ast
import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


covered = load("covered")


@pytest.fixture(scope="module")
def mutate():
    pytest.importorskip("coverage")
    return load("mutate")


SOURCE = '''
"""Text with 1 and 2."""
LIMIT = 3


def f(a: int = 1, *, b=True) -> int:
    if a < 2 and not b:
        raise ValueError("above", 4)
    with threads_for(5):
        a += 1
    return a * -a
'''
CHANGED = [
    "4", "2", "False", "a < 2 or not b", "a <= 2", "3", "not not b", "a -= 1", "2", "return None",
    "a / -a", "+a",
]  # fmt: skip


def test_a_mutant_differs_in_one_place_and_messages_are_left_alone(mutate):
    found = []
    for place, _ in enumerate(mutate.places(ast.parse(SOURCE))):
        tree = ast.parse(SOURCE)
        node = list(mutate.places(tree))[place]
        mutate.change(node)
        found.append(ast.unparse(node))
        assert ast.unparse(tree) != ast.unparse(ast.parse(SOURCE))
    assert sorted(found) == sorted(CHANGED)


MUTANT = """
import ast, sys
sys.path.insert(0, {tools!r})
import mutate
{before}
path = mutate.ROOT / "counterpoint/diversity/groupwise.py"
tree = ast.parse(path.read_text())
function = next(n for n in tree.body if getattr(n, "name", "") == "interrater_kappa")
mutate.change(function.body[-1])
ast.fix_missing_locations(tree)
mutate.Changed(path, tree).install({function})
assert "counterpoint.diversity.groupwise" in sys.modules
from counterpoint.diversity import interrater_kappa
print(interrater_kappa([[1, 1, 0], [1, 0, 1]]))
"""


@pytest.mark.parametrize("before", ["", "import counterpoint.diversity.groupwise"])
@pytest.mark.parametrize("function", ["function", "None"])
def test_a_mutant_is_what_tests_get(before, function):
    pytest.importorskip("coverage")
    tools = str(ROOT / "tools")
    code = MUTANT.format(tools=tools, before=before, function=function)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "None\n", done.stderr


@pytest.mark.parametrize(
    ("place", "lines", "function"),
    [
        ("LIMIT", (3, 3), None),
        ("b=True", (7, 11), "f"),
        ("a < 2", (7, 7), "f"),
        ("-a", (11, 11), "f"),
    ],
)
def test_the_lines_that_tests_must_reach(mutate, place, lines, function):
    tree = ast.parse(SOURCE)
    line = next(k for k, text in enumerate(SOURCE.splitlines(), 1) if place in text)
    nodes = [node for node in mutate.places(tree) if node.lineno == line]
    first, last, around = mutate._lines_around(tree, nodes[0])
    assert (first, last) == lines
    assert (around.name if around else None) == function


def test_the_share_of_lines_and_branches_is_by_package():
    counts = {"covered_lines": 3, "covered_branches": 1, "num_statements": 4, "num_branches": 4}
    files = {
        path: {"summary": counts}
        for path in ("counterpoint/a/x.py", "counterpoint/a/y.py", "counterpoint/base.py")
    }
    assert covered.by_package(files) == {"(top)": (4, 8), "a": (8, 16)}


def test_all_tests_are_in_a_part():
    given = {path for paths in covered.parts().values() for path in paths}
    for path in (ROOT / "tests").rglob("test_*.py"):
        where = path.relative_to(ROOT)
        assert str(where) in given or "/".join(where.parts[:2]) in given


def test_every_path_of_a_part_is_there():
    for paths in covered.parts().values():
        assert paths
        for path in paths:
            assert (ROOT / path.removeprefix("--ignore=")).exists(), path


ENDLESS = """
import time

def test_without_end():
    began = time.process_time()
    while time.process_time() < began + 60:
        pass
    assert False

def test_after_it():
    pass

def test_that_fails():
    assert False
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_test_without_end_is_stopped_and_those_after_it_run(tmp_path):
    (tmp_path / "test_endless.py").write_text(ENDLESS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", covered.PLUGIN, "test_endless.py"]
    tools = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(command, cwd=tmp_path, env=tools, capture_output=True, text=True)
    assert "1 failed, 1 passed, 1 skipped" in done.stdout


def test_the_figure_that_ci_prints_says_when_it_was_measured(tmp_path):
    file = tmp_path / "coverage.csv"
    assert "not measured" in covered.kept_line(file)
    row = "abc1234,2026-11-18,95.5,91.25,100,50,0,0"
    file.write_text(",".join(covered.FIELDS) + f"\nold,2026-01-01,1,1,1,1,0,0\n{row}\n")
    line = covered.kept_line(file)
    assert "abc1234" in line
    assert "95.5 %" in line
    assert "not in this run" in line
    assert "at least" not in line


def test_a_figure_of_some_parts_is_called_a_least(tmp_path, monkeypatch):
    monkeypatch.setattr(covered, "KEPT", tmp_path / "coverage.csv")
    totals = {"percent_covered": 93.217, "covered_branches": 3, "num_branches": 4}
    account = {"totals": {**totals, "num_statements": 10}}
    covered.keep(account, "abc1234", 1, 2)
    line = covered.kept_line(covered.KEPT)
    assert "at least 93.22 % of lines and branches, 75.0 % of branches alone" in line
    assert "2 parts" in line


def test_mutants_found_last_are_kept_by_package(mutate, tmp_path):
    file = tmp_path / "mutants.csv"
    assert "not tried" in mutate.kept_line(file)
    for package, found in (("diversity", 20), ("kernels", 28), ("diversity", 27)):
        mutate.keep(package, 0, 30, found, file)
    assert mutate.kept_line(file).endswith(": diversity 27 of 30, kernels 28 of 30")


def test_what_has_run_counts_for_its_commit_alone(tmp_path):
    file = tmp_path / "parts.json"
    assert covered.done_before("abc1234", file) == {}
    covered.note("abc1234", {"trees": True, "cli": False}, file)
    assert covered.done_before("abc1234", file) == {"trees": True, "cli": False}
    assert covered.done_before("def5678", file) == {}


LOG = """# Changelog

## 0.2.0 (unreleased)

### Added
- By hand.

### Fixed
- A crash.

## 0.1.0 (2026-01-01)

### Added
- All.
"""


def test_a_release_keeps_what_was_written_by_hand_and_every_fragment():
    changelog = load("changelog")
    fragments = {"added": ["- New."], "fixed": ["- Mended."], "removed": ["- Old."]}
    text = changelog.released(LOG, "0.2.0", "2026-02-01", fragments)
    assert text == LOG.replace("0.2.0 (unreleased)", "0.2.0 (2026-02-01)").replace(
        "- By hand.\n", "- By hand.\n- New.\n"
    ).replace("- A crash.\n", "- A crash.\n- Mended.\n\n### Removed\n- Old.\n")
    # The next version has no part of its own yet.
    later = changelog.released(text, "0.3.0", "2026-03-01", {"added": ["- More."]})
    assert later == text.replace(
        "## 0.2.0", "## 0.3.0 (2026-03-01)\n\n### Added\n- More.\n\n## 0.2.0"
    )


def test_all_fragments_of_today_get_into_the_changelog():
    changelog = load("changelog")
    fragments = changelog.gathered(ROOT / "changes")
    log = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    version = changelog.re.search(r"^## (\S+)", log, changelog.re.M)[1]
    text = changelog.released(log, version, "2026-02-01", fragments)
    for lines in fragments.values():
        assert all(line in text for line in lines)


def test_what_is_published_is_what_was_tried():
    """The action that publishes takes what is in dist/; the check puts it there, at its end."""
    steps = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert steps.index("make release-check") < steps.index("gh-action-pypi-publish")
    assert load("release_check").KEPT == ROOT / "dist"


def hosted():
    found = [".pre-commit-config.yaml", *(ROOT / ".github").rglob("*.yml")]
    return [str((ROOT / path).relative_to(ROOT)) for path in found]


@pytest.mark.parametrize("path", hosted())
def test_what_a_host_of_git_reads_is_yaml(path):
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    if "workflows" in path:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for step in (step for job in told["jobs"].values() for step in job["steps"]):
            assert "uses" in step or "run" in step
            for target in re.findall(r"^make ([\w-]+)$", step.get("run", ""), re.M):
                assert f"\n{target}:" in makefile
    elif "TEMPLATE" in path:
        for part in told["body"]:
            assert part["attributes"]["label"]


SLOW = """
import pytest

def test_of_its_own():
    while True:
        pass

def test_within_another_word_for_it():
    with pytest.warns(UserWarning):
        while True:
            pass

def test_that_is_wrong():
    assert False
"""


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="no timer of the processor's time")
def test_a_test_that_was_stopped_counts_as_skipped(tmp_path):
    (tmp_path / "test_slow.py").write_text(SLOW)
    (tmp_path / "quick.py").write_text("import briefly\nbriefly.SECONDS = 0.1\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "briefly", "-p", "quick", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(tmp_path)])},
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "1 failed, 2 skipped" in ran.stdout, ran.stdout
