"""The page is complete in one file, escaped, and readable by machines for people."""

from html.parser import HTMLParser

import pytest

from counterpoint.report.demo_page import render_demo, write_demo
from counterpoint.report.figures import PageFigure, demo_figures

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.fixture(scope="module")
def html(demo_result):
    return render_demo(demo_result.summary(), demo_figures(demo_result))


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_tags_are_closed_in_order(page):
    assert page.open == []


def test_nothing_is_loaded_from_elsewhere(page, html):
    assert not page.all("script")
    assert not page.all("link")
    assert not page.all("iframe")
    for tag, attrs in page.tags:
        for name, value in attrs.items():
            if name in ("src", "srcset", "href", "data", "action", "poster", "background"):
                assert value.startswith("data:"), (tag, name, value)
    assert "url(" not in html
    assert "@import" not in html


def test_people_can_read_it(page):
    assert page.all("html") == [{"lang": "en"}]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
        "meta"
    )
    assert len(page.all("img")) == 4
    assert all(len(image["alt"]) > 40 for image in page.all("img"))
    assert len(page.all("h1")) == 1
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attrs.get(name, ids[0]) in ids


def test_it_shows_the_summary(page, demo_result):
    summary = demo_result.summary()
    text = " ".join(page.text.replace("\N{NO-BREAK SPACE}", " ").split())
    for method in summary["methods"]:
        assert method["verdict"] in text
        assert method["recipe"] in text
        assert f"{100 * method['error']:.1f} %" in text
        for row in method["measures"].values():
            assert row["title"] in text
            assert f"{row['value']:.3f}".replace("-", "\N{MINUS SIGN}") in text
    for remark in summary["remarks"]:
        assert remark in text
    assert summary["command"] in text
    assert f"counterpoint {summary['versions']['counterpoint']}" in text
    assert "Cite: " in text  # the licence of the data asks for it


def test_everything_is_escaped(demo_result):
    summary = demo_result.summary()
    bad = "<script>alert('x')</script>\"'"
    summary |= {"title": bad, "dataset": bad, "description": bad, "command": bad}
    summary["methods"][0] |= {"name": bad, "verdict": bad}
    html = render_demo(summary, [PageFigure(title=bad, caption=bad, alt=bad, source="data:,x")])
    page = Page(html)
    assert not page.all("script")
    assert page.all("img") == [{"src": "data:,x", "alt": bad}]
    assert page.open == []


def test_undefined_and_one_split(demo_result):
    summary = demo_result.summary()
    summary["n_splits"] = 1
    for one in [summary["tree"], *summary["methods"]]:
        one["error_spread"] = None
    summary["methods"][2]["measures"]["q"]["value"] = None
    text = Page(render_demo(summary, [])).text
    assert "undefined" in text
    assert "±" not in text
    assert "random halves" not in text


def test_a_split_that_is_not_used_is_told_of(demo_result):
    summary = demo_result.summary()
    assert not summary["own_split"]
    assert "split of its own" not in Page(render_demo(summary, [])).text
    summary["own_split"] = True
    assert "split of its own, which is not used" in Page(render_demo(summary, [])).text


def test_write_demo(demo_result, html, tmp_path):
    path = write_demo(demo_result, tmp_path / "page.html")
    assert path.read_text(encoding="utf-8") == html  # the same result, the same page
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        write_demo(demo_result, tmp_path / "no" / "page.html")


def test_the_report_of_the_best_is_linked(demo_result, tmp_path):
    path = write_demo(demo_result, tmp_path / "a page.html", report=tmp_path / "a report.html")
    page = Page(path.read_text(encoding="utf-8"))
    assert page.all("a") == [{"href": "a%20report.html"}]
    errors = {method.name: method.errors.mean() for method in demo_result.methods}
    assert errors[demo_result.best.name] == min(errors.values())
    report = (tmp_path / "a report.html").read_text(encoding="utf-8")
    assert f"<h1>{demo_result.best.name} on vehicle</h1>" in report
    assert f"{100 * demo_result.best.errors[0]:.1f}\N{NO-BREAK SPACE}%" in report
