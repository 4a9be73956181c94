"""The page of a model: complete in one file, escaped, readable without a script, not too large."""

import base64
import hashlib
import itertools
import json
import struct
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

import counterpoint.report
from counterpoint._text import visible
from counterpoint.report import drawing, report
from counterpoint.report.model_page import render_page
from counterpoint.tabular import assess

VOID = {"meta", "img", "input", "line", "circle", "path", "rect"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text, self.scripts = [], [], "", []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def page(model_page):
    return Page(model_page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def hostile(hostile_page):
    return Page(hostile_page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("which", ["page", "hostile"])
def test_well_formed_and_from_nowhere_else(which, request):
    page = request.getfixturevalue(which)
    assert page.open == []
    for tag, attrs in page.tags:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("src", "srcset", "href", "data", "action", "poster", "background"):
                assert value.startswith(("data:image/png;base64,", "#")), (tag, name, value)
            if name == "style":
                assert "url" not in value
    assert len(page.all("h1")) == 1
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        for name in ("aria-labelledby", "for"):
            assert attrs.get(name, ids[0]) in ids
        if attrs.get("href", "").startswith("#"):
            assert attrs["href"][1:] in ids


@pytest.mark.parametrize("which", ["page", "hostile"])
def test_one_script_and_its_data(which, request):
    page = request.getfixturevalue(which)
    assert page.all("script") == [{"type": "application/json", "id": "data"}, {}]
    data, script = page.scripts
    assert isinstance(json.loads(data), dict)
    assert "<" not in data
    assert "innerHTML" not in script
    assert "eval" not in script
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_hostile_names_are_text(hostile, hostile_names):
    for name in hostile_names:
        # As a fact, a member, a class or a value: each at least twice.
        assert hostile.text.count(visible(name)) >= 2, name
    assert json.loads(hostile.scripts[0])["names"] == visible(hostile_names)
    assert visible(hostile.text) == hostile.text
    assert not any(attrs.get("src") == "x" for attrs in hostile.all("img"))
    tags = {tag for tag, _ in hostile.tags}
    assert tags <= VOID | {
        "html", "head", "title", "style", "body", "header", "h1", "p", "ul", "li", "b", "span",
        "nav", "a", "main", "div", "section", "h2", "h3", "dl", "dt", "dd", "small", "details",
        "summary", "code", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption",
        "svg", "g", "text", "label", "output", "ol", "em", "i", "footer", "script",
    }  # fmt: skip


def test_all_is_there_without_a_script(page, model_page):
    text = " ".join(page.text.replace("\N{NO-BREAK SPACE}", " ").split())
    for heading in (
        "What it is", "How good it is", "Agreement against error", "Who agrees with whom",
        "As members join", "How sure the members are", "Where the error goes",
        "What each member is worth", "Where members disagree most", "One tree in its place",
        "Class by class",
    ):  # fmt: skip
        assert heading in text
    assert text.count("DecisionTreeClassifier 11") == 2  # beside the matrix, and in the table
    assert len(page.all("circle")) > 66  # a point for each of 66 pairs
    assert len(page.all("svg")) == 8  # with calibration and four columns
    assert all(len(svg["aria-label"]) > 40 for svg in page.all("svg"))
    assert len(page.all("img")[0]["alt"]) > 40


def test_numbers_on_the_page_are_those_of_the_summary():
    X, y = load_iris(return_X_y=True)
    X = X + np.random.default_rng(1).normal(0, 0.6, X.shape)
    model = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X[::2], y[::2])
    summary = assess(model, X[1::2], y[1::2]).summary()
    text = Page(render_page(summary)).text.replace("\N{NO-BREAK SPACE}", " ")
    for row in [summary["score"], *summary["baselines"]["rows"], *summary["members"]["table"]]:
        assert f"{100 * row['error']:.1f} %" in text
    for rule in summary["tree"]["shown"]["rules"]:
        assert rule in text
    assert summary["members"]["verdict"] in text
    assert summary["headline"].replace("\N{NO-BREAK SPACE}", " ") in text


@pytest.mark.parametrize(
    "model", [GaussianNB(), OneVsRestClassifier(GaussianNB()), RandomForestClassifier(1)],
    ids=["no members", "tasks of their own", "one member"],
)  # fmt: skip
def test_shorter_pages(model, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = report(model.fit(X[::2], y[::2]), X[1::2], y[1::2], tmp_path / "page.html")
    page = Page(path.read_text(encoding="utf-8"))
    assert page.open == []
    assert "As members join" not in page.text
    assert "One tree in its place" in page.text


def test_a_thousand_members_and_many_rows_stay_small(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + rng.normal(size=2000) > 0).astype(int)
    forest = RandomForestClassifier(1000, max_depth=2, max_samples=50, random_state=0)
    forest.fit(X[:100], y[:100])
    path = report(forest, X, y, tmp_path / "page.html", max_rows=300)
    text = path.read_text(encoding="utf-8")
    assert len(text) < 1_000_000
    assert "300 drawn at random" in text
    assert "100 of the 1000 members, evenly spaced" in text
    assert "Merged from the 1000 trees of the ensemble" in text


def test_output_is_checked_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("counterpoint.report.model_page.assess", None)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        report(None, None, None, tmp_path / "no" / "page.html")


def test_front_door():
    assert counterpoint.report.report is report
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        counterpoint.report.nonsense  # noqa: B018


# -- drawing -----------------------------------------------------------------------------------


def test_a_matrix_is_painted_dot_by_dot():
    image = drawing.matrix_image([[1.0, 0.5, -0.5], [0.5, 1.0, None], [-0.5, None, 1.0]])
    assert image["far"] == 0.5
    raw = base64.b64decode(image["source"].partition(",")[2])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", raw[16:24]) == (3, 3)
    size = struct.unpack(">I", raw[33:37])[0]
    lines = zlib.decompress(raw[41 : 41 + size])
    pixels = np.frombuffer(lines, dtype=np.uint8).reshape(3, 13)[:, 1:].reshape(3, 3, 4)
    assert pixels[0, 1].tolist() == [213, 94, 0, 255]
    assert pixels[0, 2].tolist() == [0, 114, 178, 255]
    assert pixels[1, 2].tolist() == [128, 128, 128, 90]


def test_bars_go_down_and_up_again():
    terms = [
        {"name": "a", "value": 0.4, "total": True},
        {"name": "b", "value": -0.3, "total": False},
        {"name": "c", "value": 0.1, "total": False},
        {"name": "d", "value": 0.2, "total": True},
    ]
    spans = [(bar["start"], bar["length"], bar["kind"]) for bar in drawing.bars(terms)]
    assert spans == [
        (0.0, 100.0, "total"), (25.0, 75.0, "less"), (25.0, 25.0, "more"), (0.0, 50.0, "total"),
    ]  # fmt: skip


def test_tree_lines_say_yes_before_no():
    leaf = {"yes": None, "no": None}
    nodes = [{"yes": 1, "no": 2}, leaf, {"yes": 3, "no": 4}, leaf, leaf]
    lines = drawing.tree_lines(nodes)
    assert [(line["depth"], line["answer"], line["leaf"]) for line in lines] == [
        (0, "", False), (1, "yes", True), (1, "no", False), (2, "yes", True), (2, "no", True),
    ]  # fmt: skip


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=20),
    st.floats(0, 1),
)
def test_points_lie_within_the_axes(points, vote):
    kappas, errors = map(list, zip(*points, strict=True))
    cloud = {
        "kappas": kappas, "errors": errors, "kappa": float(np.mean(kappas)),
        "error": float(np.mean(errors)),
    }  # fmt: skip
    chart = drawing.cloud_chart(cloud, vote)
    inside = [*chart["points"], (chart["mean"]["x"], chart["mean"]["y"])]
    for x, y in [*inside, (chart["left"], chart["vote"])]:
        assert chart["left"] <= x <= chart["right"]
        assert chart["top"] <= y <= chart["bottom"]
    for ticks, low, high in (
        (chart["x_ticks"], chart["left"], chart["right"]),
        (chart["y_ticks"], chart["top"], chart["bottom"]),
    ):
        assert len({tick["text"] for tick in ticks}) == len(ticks)
        assert all(low - 0.1 <= tick["at"] <= high + 0.1 for tick in ticks)


def test_no_kappa_no_cloud():
    assert drawing.cloud_chart({"kappas": []}, 0.1) is None


@pytest.mark.parametrize("far", [1.0, 500_000.0, 3.2e7])
def test_numbers_fit_beside_the_axis(far):
    x, y = drawing.axes((0.0, 1.0), (0.0, far), percent=False)
    chart = drawing.frame(x, y, percent=False)
    longest = max(len(tick["text"]) for tick in chart["y_ticks"])
    # A digit is 7 wide at least, the title ends 20 from the edge.
    assert chart["left"] - 7 - 7 * longest > 20
    assert float(x(0.0)) == chart["left"]
    assert float(x(1.0)) == chart["right"]


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.0, 1.0),
        (-1e5, 1e5),
        (2.4e4, 4.05e5),
        (-3.2e9, 3.2e9),
        (0.12345, 0.12346),
        (7.0, 7.0),
        (5.0e-272, 5.2e-272),
    ],
)
def test_numbers_below_a_chart_keep_apart_and_are_not_cut_off(low, high):
    x, y = drawing.axes((low, high), (0.0, 1.0))
    chart = drawing.frame(x, y)
    widths = [8 * len(tick["text"]) for tick in chart["x_ticks"]]
    ends = [
        (t["at"] - w / 2, t["at"] + w / 2) for t, w in zip(chart["x_ticks"], widths, strict=True)
    ]
    assert len(ends) >= 1
    assert ends[-1][1] <= chart["width"]
    assert ends[0][0] > 0
    for (_, stop), (start, _) in itertools.pairwise(ends):
        assert stop < start


def test_what_is_loud_comes_first_and_notes_last():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(4, random_state=0).fit(X[::2], y[::2])
    summary = assess(forest, X[1::2], y[1::2]).summary()
    summary |= {"notes": ["a quiet line of 5 %", "LEAK? A loud line"], "warnings": []}
    page = Page(render_page(summary))
    places = [page.text.index(part) for part in ("A loud line", "mean kappa", "a quiet line")]
    assert places == sorted(places)
    assert [a["role"] for a in page.all("p") if a.get("class") == "alert"] == ["alert"]
    assert {"href": "#notes"} in page.all("a")
    summary["notes"] = []
    assert {"href": "#notes"} not in Page(render_page(summary)).all("a")


def test_one_member_has_nobody_to_disagree_with():
    X, y = load_iris(return_X_y=True)
    alone = RandomForestClassifier(1, random_state=0).fit(X[::2], y[::2])
    page = Page(render_page(assess(alone, X[1::2], y[1::2]).summary()))
    assert "there is no disagreement to measure" in page.text
    for part in ("worth it?", "What each member is worth", "How sure the members are"):
        assert part not in page.text
    links = {a["href"][1:] for a in page.all("a")}
    assert links <= {attrs["id"] for _, attrs in page.tags if "id" in attrs}
