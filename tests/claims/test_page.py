"""Claims as files and as a page: nothing hidden, nothing loaded, nothing let through."""

import json
import re
from dataclasses import replace

import fake_claims
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from counterpoint.claims.judging import judge_claim
from counterpoint.claims.page import (
    summarise_claim,
    summarise_reproductions,
    write_reproductions,
)
from counterpoint.claims.protocol import verdict
from counterpoint.claims.runner import run_experiment
from counterpoint.claims.store import Store
from counterpoint.tabular.plain import to_json


def draw_badly(frame):
    raise ValueError("no ink")


def draw_with_pyplot(frame):
    return plt.subplots()[0]


@pytest.fixture
def judged(tmp_path):
    """One run in full, one in part, one smoke, one never."""
    made = [fake_claims.make(f"F{k}") for k in range(1, 5)]
    made[1] = replace(made[1], findings="We looked <i>here</i>.")
    with Store(tmp_path / "cells.sqlite") as store:
        run_experiment(made[0].experiment("full"), store)
        part = made[1].experiment("full")
        store.put(part, part.cells()[0], part.evaluate(part.cells()[0]), 7000.0)
        run_experiment(made[2].experiment("smoke"), store)
        return [judge_claim(one, store) for one in made]


@pytest.fixture
def page(judged, tmp_path):
    assert write_reproductions(judged, tmp_path, command="counterpoint reproduce --all") == []
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_files(page, judged, tmp_path):
    names = {path.name for path in tmp_path.iterdir()} - {"cells.sqlite"}
    ran = ("F1", "F2", "F3")
    assert names == {"index.html", "summary.csv"} | {
        f"{id_}{end}" for id_ in ran for end in (".csv", "-table.csv", ".png")
    }
    rows = pd.read_csv(tmp_path / "F1.csv")
    pd.testing.assert_frame_equal(rows, judged[0].frame)
    table = pd.read_csv(tmp_path / "F1-table.csv")
    assert table.columns.tolist() == ["method", "ours", "theirs"]
    assert table["ours"].tolist() == pytest.approx([0.1, 0.11])
    assert (tmp_path / "F1.png").read_bytes().startswith(b"\x89PNG")
    listed = pd.read_csv(tmp_path / "summary.csv", index_col="topic")
    assert listed["size"].tolist()[:3] == ["full", "full", "smoke"]
    assert listed["n_done"].tolist() == [6, 1, 2, 0]
    assert listed["n_cells"].tolist() == [6, 6, 2, 6]
    assert listed.loc["F1", "verdict"] == "reproduced"
    assert listed.loc[["F4"], ["verdict", "size"]].isna().all(axis=None)


def test_the_page_says_it_all(page):
    text = " ".join(re.sub(r"<[^>]+>", " ", page.split("</style>")[-1]).split())
    assert "1 reproduced, 1 differs, 0 not reproduced, 2 open. Resting on a part" in text
    assert "on a part of the cells: 1." in text
    assert "differs (1 of 6 cells)" in text
    assert "Only as a smoke run, which decides nothing: 1. Never run: 1." in text
    assert "What we found. 6 rows." in text
    assert "Judged on 1 of 6 cells" in text
    assert "Full size, 1 of 6 cells: 117 min of computing, about 9.7 h left." in text
    assert "Never; the full size has 6 cells." in text
    assert "too small to decide" in text
    assert "counterpoint reproduce F4 --full" in text
    assert "Written by counterpoint reproduce --all ." in text
    for words in ("Reproduced if it is below a half.", "Other seeds.", "Somebody, table 1."):
        assert text.count(words) == 4
    assert "0.11" in text


def test_the_page_is_complete_and_closed(page):
    from html.parser import HTMLParser

    class Parser(HTMLParser):
        def __init__(self):
            super().__init__()
            self.opened, self.ids, self.links = [], [], []

        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "img", "br", "input"):
                self.opened.append(tag)
            for name, value in attrs:
                if name == "id":
                    self.ids.append(value)
                if name in ("href", "src"):
                    self.links.append(value)

        def handle_endtag(self, tag):
            assert self.opened.pop() == tag

    parser = Parser()
    parser.feed(page)
    assert parser.opened == []
    assert len(parser.ids) == len(set(parser.ids))
    assert len(parser.links) == 4 + 3  # the list and the pictures
    for link in parser.links:
        assert link.startswith("data:image/png;base64,") or link.removeprefix("#") in parser.ids
    assert page.count("<img ") == page.count('alt="Picture of F') == 3
    assert page.count("<script") == 1


def test_words_never_become_markup(page):
    assert "<b>that</b>" not in page
    assert "&lt;b&gt;that&lt;/b&gt;" in page
    assert "We looked &lt;i&gt;here&lt;/i&gt;." in page


def test_a_long_table_is_folded(judged, tmp_path):
    long = pd.DataFrame({"step": range(40), "ours": 0.5})
    told = replace(judged[0], verdict=verdict({"ok": True}, long, "So."))
    write_reproductions([told], tmp_path)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<summary>Our numbers beside theirs, 40 rows</summary>" in page


def test_tables_of_any_make(judged):
    wide = pd.DataFrame(
        [[1, 0.5], [2, float("nan")]],
        columns=pd.MultiIndex.from_tuples([("ours", "mean"), ("theirs", "")]),
        index=pd.Index(["glass", "heart"], name="data"),
    )
    told = summarise_claim(replace(judged[0], verdict=verdict({"ok": True}, wide, "So.")))
    assert told["columns"] == ["data", "ours mean", "theirs"]
    assert told["table"] == [["glass", 1, 0.5], ["heart", 2, None]]
    unnamed = pd.DataFrame({"ours": [True]}, index=["glass"])
    told = summarise_claim(replace(judged[0], verdict=verdict({"ok": True}, unnamed, "So.")))
    assert told["columns"] == ["index", "ours"]


def test_an_empty_table(judged, tmp_path):
    told = replace(judged[0], verdict=fake_claims.empty_table(judged[0].frame))
    assert write_reproductions([told], tmp_path) == []
    assert "Nothing to show." in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_json(judged):
    summary = json.loads(to_json(summarise_reproductions(judged)))
    assert summary["counts"] == {
        "claims": 4, "reproduced": 1, "differs": 1, "not reproduced": 0, "open": 2,
        "decided early": 0, "partly run": 1, "smoke run": 1, "never run": 1,
        "checked": 0, "older code": 0,
    }  # fmt: skip
    first = summary["claims"][0]
    assert first["table"][1][2] is None
    assert (first["verdict"], first["complete"]) == ("reproduced", True)


def test_what_goes_wrong_is_on_the_page_and_spoils_no_other(judged, tmp_path):
    bad = replace(judged[0], claim=replace(judged[0].claim, draw=draw_badly))
    rule = replace(judged[1], verdict=None, problem="The rule cannot be applied")
    problems = write_reproductions([bad, rule, judged[2]], tmp_path)
    assert problems == [
        "F1: The picture cannot be drawn: ValueError: no ink",
        "F2: The rule cannot be applied",
    ]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    for words in ("ValueError: no ink", "The rule cannot be applied", " no verdict</span>"):
        assert words in page
    assert page.count("<img ") == 2
    assert not (tmp_path / "F1.png").exists()


def test_pyplot_keeps_no_figure(judged, tmp_path):
    before = plt.get_fignums()
    one = replace(judged[0], claim=replace(judged[0].claim, draw=draw_with_pyplot))
    assert write_reproductions([one], tmp_path) == []
    assert plt.get_fignums() == before


def test_the_same_rows_give_the_same_bytes(judged, tmp_path):
    write_reproductions(judged, tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write_reproductions(judged, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
