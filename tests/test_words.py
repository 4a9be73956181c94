"""No insiders' words: papers are named by author and year, claims by topic, methods by their names.

Whoever reads a docstring has neither our notes at hand, which number what is to be built and
abbreviate the papers, nor the papers themselves.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HERE = "tests/test_words.py"

# What numbers of notes look like, and which words only look so.
BANNED = {
    # TH, EL and BNC stood for a thesis, a lecture and a paper; nothing else is called so.
    "short name of a paper": r"\b(?:TH|EL|BNC)\b",
    # NC is the end of AdaBoost.NC, SVM is a machine: alone, before what papers have, they are not.
    "NC as a paper": r"(?<![.\w-])NC\b(?!-)",
    "SVM as a paper": r"(?<![\w-])SVM(?:'s)? (?=eq\.|fig|table|section|[0-9])",
    # "G6: output codes", "fuzzy integrals (C2)", "(X13, X15)", "SPEC C4".
    "numbered system": r'(?:^|""")\s*(?:#\s*)?[MDBNGCLSXER][0-9]{1,2}b?: ',
    "numbered system in brackets": r"\((?:[MDBNGCLSXER][0-9]{1,2}b?(?:, |-)?)+\)",
    "name of our notes": r"\b(?:SPEC|PEERS)\b",
    # Claims have topics; once they were R1 to R17, and errata E1 to E12.
    "numbered claim": r"\b(?:claim|reproduce) R[0-9]+\b|\bR(?:1[0-7]|[1-9])(?:\.csv|\.png|-table)",
    "claim by its number": r"(?<![\w*^.])R(?:1[0-7]|[1-9])(?=[,:.;)]|$| (?:and|to|in|of|is|has)\b)",
    "numbered erratum": r"\berrat(?:um|a) E[0-9]|\bE(?:1[0-2]|[1-9]):",
}
TEXT = {".py", ".md", ".toml", ".yml", ".yaml", ".j2", ".cfg", ".txt", ""}


def texts():
    """Return the paths of all texts of the repository, as git knows them."""
    try:
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\n")
    except (OSError, subprocess.CalledProcessError):  # an export without its history
        listed = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    folders = ("counterpoint", "docs", "tests", "benchmarks", "examples", "tools")
    texts = [
        path
        for path in listed
        if ("/" not in path or path.split("/")[0] in folders)
        and Path(path).suffix in TEXT
        and "__pycache__" not in path
        and path != HERE
    ]
    # Of two that were moved git may still know the old one.
    return [path for path in (*texts, "reproductions/summary.csv") if (ROOT / path).is_file()]


def insiders_words(text):
    """Return (line number, kind, line) of what only insiders understand."""
    return [
        (number, kind, line.strip())
        for number, line in enumerate(text.split("\n"), 1)
        for kind, pattern in BANNED.items()
        if re.search(pattern, line)
    ]


def test_no_text_speaks_in_numbers_of_our_notes():
    found = [
        f"{path}:{number}: {kind}: {line}"
        for path in texts()
        for number, kind, line in insiders_words((ROOT / path).read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_there_is_something_to_read():
    assert len(texts()) > 500


def test_files_are_named_by_topic():
    bad = re.compile(r"^(?:_?th|sources_(?:th|el|nc|bnc|svm))_|^R[0-9]+[-.]|^_?r[0-9]+[_.]")
    named = [path for folder in ("counterpoint", "tests", "reproductions", "docs")
             for path in (ROOT / folder).rglob("*") if bad.search(path.name)]  # fmt: skip
    assert not named


@pytest.mark.parametrize(
    "line",
    [
        '    """TH eq. 4.18: z_j shrinks."""',
        "as EL's table has it",
        '"""G6: output codes with room for errors."""',
        '"""Fuzzy integrals (C2)."""',
        '"""Regressors kept and weighed (X13, X15)."""',
        "# NC looked at ten data sets",
        "the penalty of SVM section 2",
        "counterpoint reproduce R14",
        "as in R11.",
        "Merging as settled in erratum E7",
        "combining rankings (SPEC C4)",
        "BNC cut all rows",
    ],
)
def test_it_can_fail(line):
    assert insiders_words(line)


@pytest.mark.parametrize(
    "line",
    [
        "AdaBoost.NC and AdaBoost.M1, AdaBoost.M2, arc-x4, L2Boost",
        "NCAB-SVM beside an SVM of scikit-learn",
        "as C4.5 does, with Q, kappa and R2 scores",
        "Mean of (N11 N00 - N10 N01) / (N11 N00 + N10 N01)",
        "E501 Line too long; SVC(C=1.0); X2, y2 = X[1:], y[1:]",
        "S. Wang and X. Yao, 2010, equation 4",
    ],
)
def test_names_of_the_field_are_fine(line):
    assert not insiders_words(line)
