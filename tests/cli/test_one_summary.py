"""The terminal, the page and --json show one summary: no number stands in one of them alone."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tables import mixed_table, number_table

from counterpoint.auto import Candidate
from counterpoint.tabular import load
from counterpoint.tabular.words import figure

METHODS = ["auto", "random-forest", "adaboost-nc", "logitboost", "pruned-tree"]
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?")
# Not results: the level of the intervals, and how many rows a terminal lists.
FIXED = re.compile(
    r"95 %|\b(?:12|The 6 best and the 6 worst) of \d+; --json has all\."
    r"|[A-Za-z]+(?:Classifier|Regressor) \d+|C=[\d.]+"
)


class Text(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.parts = []
        self.feed(html)

    def handle_data(self, data):
        self.parts.append(data)


def numbers(text):
    text = text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")
    return set(NUMBER.findall(FIXED.sub(" ", text)))


def spellings(value):
    """Return every way in which values of a summary may be written."""
    if isinstance(value, dict):
        return set().union(*map(spellings, value.values()), {str(len(value))})
    if isinstance(value, list):
        return set().union(*map(spellings, value), {str(len(value))})
    if isinstance(value, str):
        return numbers(value)
    if isinstance(value, bool) or value is None:
        return set()
    forms = {figure(value), f"{value:.3f}", f"{value:.4f}", f"{value:.1f}", f"{100 * value:.1f}"}
    return forms | {f"{100 * value:+.2f}", f"{100 * value:.2f}", f"{100 * value:.0f}", str(value)}


@pytest.fixture(scope="module", params=METHODS)
def shown(request, tmp_path_factory):
    """Fit once for people and once for programs; return terminal, summary and page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "counterpoint.auto.overproduce.default_pool",
            lambda *sizes: [
                Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
                Candidate(name="line", family="linear", make=lambda s: LogisticRegression()),
                Candidate(name="near", family="near", make=lambda s: KNeighborsClassifier(9)),
                Candidate(
                    name="tree", family="trees", make=lambda s: DecisionTreeClassifier(max_depth=3)
                ),
            ],
        )
        # Neither a vote nor a mean: what it says can be told from its own answers only.
        patch.setattr("counterpoint.auto.choice._clear_best", lambda *args: "blend")
        table = mixed_table(240, seed=5)
        return show(request.param, table, "class", tmp_path_factory.mktemp("fit"), patch)


def show(method, table, target, folder, patch):
    from counterpoint.cli import main

    table.to_csv(folder / "data.csv", index=False)
    page, model = folder / "page.html", folder / "model.skops"
    call = ["fit", folder / "data.csv", "--target", target, "--method", method]
    call += ["--report", page, "-o", model]
    texts = []
    for extra in ([], ["--json"]):
        with (folder / "out.txt").open("w", encoding="utf-8") as out:
            patch.setattr("sys.stdout", out)
            assert main([str(part) for part in [*call, *extra]]) == 0
        texts.append(Path(out.name).read_text(encoding="utf-8"))
    html = " ".join(Text(page.read_text(encoding="utf-8")).parts)
    return method, texts[0], json.loads(texts[1]), html, load(model)


def test_every_number_of_the_terminal_is_in_the_json_and_on_the_page(shown):
    _, terminal, summary, page, _ = shown
    printed = numbers(terminal)
    assert len(printed) > 15
    assert printed - spellings(summary) == set()
    assert {number.lstrip("+") for number in printed} - {
        number.lstrip("+") for number in numbers(page)
    } == set()


def test_one_error_everywhere(shown):
    method, terminal, summary, page, model = shown
    error = f"{100 * summary['score']['error']:.1f} %"
    assert summary["score"]["error"] == model.score.error
    line = next(line for line in terminal.splitlines() if line.startswith(method))
    assert f" {error} " in line
    assert f"It errs on {error} of" in page.replace("\N{NO-BREAK SPACE}", " ")
    members = summary["members"]
    if members is None:
        assert method == "pruned-tree"
        return
    assert members["verdict"].startswith(f"The ensemble errs {error}")
    assert members["verdict"] in page.replace("\N{NO-BREAK SPACE}", " ")
    assert members["verdict"] in " ".join(terminal.split())
    assert members["measures"]["vote_error"]["value"] == pytest.approx(summary["score"]["error"])
    assert members["decompositions"][0]["terms"][-1]["value"] == pytest.approx(
        summary["score"]["error"]
    )
    assert members["n_members"] > 1
    assert members["growth"]["error"][-1] == pytest.approx(summary["score"]["error"])
    assert summary["model"]["combination"] != "unknown"
    assert not any("is not known from outside" in note for note in summary["notes"])


def test_one_single_tree_everywhere(shown):
    _, terminal, summary, page, model = shown
    row = next(row for row in summary["baselines"]["rows"] if row["name"] == "single tree")
    assert row["error"] == model.baselines["single tree"].error
    line = next(line for line in terminal.splitlines() if line.startswith("single tree"))
    assert f" {100 * row['error']:.1f} % " in line
    text = " ".join(page.replace("\N{NO-BREAK SPACE}", " ").split())
    assert f"single tree {100 * row['error']:.1f} % " in text
    assert "runed tree" not in text


# -- numbers -----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["auto", "random-forest", "experts", "hist-boosting"])
def shown_numbers(request, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "counterpoint.auto.regressor.default_number_pool",
            lambda *sizes: [
                Candidate(name="line", family="linear", make=lambda s: Ridge()),
                Candidate(name="near", family="near", make=lambda s: KNeighborsRegressor(9)),
                Candidate(
                    name="tree", family="trees",
                    make=lambda s: DecisionTreeRegressor(max_depth=4, random_state=s),
                ),
            ],
        )  # fmt: skip
        table = number_table(240, seed=5)
        yield show(request.param, table, "price", tmp_path_factory.mktemp("fit"), patch)


def test_every_number_about_numbers_is_everywhere(shown_numbers):
    _, terminal, summary, page, _ = shown_numbers
    printed = numbers(terminal)
    assert len(printed) > 15
    assert printed - spellings(summary) == set()
    assert printed - numbers(page) == set()


def test_one_error_of_numbers_everywhere(shown_numbers):
    method, terminal, summary, page, model = shown_numbers
    score = summary["score"]
    assert score["rmse"] == model.score.rmse
    line = next(line for line in terminal.splitlines() if line.startswith(method))
    assert f" {figure(score['rmse'])} " in line
    assert f"Its answers are {figure(score['rmse'])} off" in page
    rows = {row["name"]: row for row in summary["baselines"]["rows"]}
    for name, baseline in model.baselines.items():
        assert rows[name]["rmse"] == baseline.rmse
        assert f"{name} {figure(baseline.rmse)} " in " ".join(page.split())
    members = summary["members"]
    if members is None:
        assert method == "hist-boosting"
        return
    assert members["verdict"] in page.replace("\N{NO-BREAK SPACE}", " ")
    assert members["verdict"] in " ".join(terminal.split())
    if members["growth"] is not None:
        assert members["growth"]["rmse"][-1] == pytest.approx(score["rmse"])
