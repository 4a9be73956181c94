"""The page in a real Chromium: what it does when it is pointed at, and what it never does.

Needs a Chromium on the path (Debian and Ubuntu: ``apt-get install chromium``); no driver and no
library. Without one these tests are skipped, unless COUNTERPOINT_REQUIRE_BROWSER is set, as in
CI: then they fail.
"""

import io

import chromium
import pytest

from counterpoint._text import visible
from counterpoint.claims import judge_claim, registry
from counterpoint.claims.page import summarise_reproductions
from counterpoint.report.demo_page import render_demo
from counterpoint.report.figures import demo_figures, new_figure, save_to
from counterpoint.report.reproductions import render_reproductions

browser = pytest.fixture(chromium.session, scope="module")


@pytest.fixture
def show(browser):
    shown = []

    def open_page(path, **options):
        shown.append(browser.page(path.as_uri(), **options))
        return shown[-1]

    yield open_page
    for page in shown:
        page.close()


def centre(page, selector):
    """Scroll an element into view and return where its middle is."""
    return page.run(
        f"(() => {{ const e = document.querySelector({selector!r});"
        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const b = e.getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )


def column(page, table, k):
    """Return the texts of a column of a table, from top to bottom."""
    return page.run(
        f"Array.from(document.querySelector({table!r}).tBodies[0].rows,"
        f" row => row.cells[{k}].textContent.trim())"
    )


def test_no_complaints_and_no_sideways_scrolling(show, model_page):
    for width in (1200, 768, 390):
        page = show(model_page, width=width)
        assert page.complaints() == []
        assert page.run("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_of_numbers(show, number_page, hostile_names, dark):
    for width in (1200, 390):
        page = show(number_page, width=width, dark=dark)
        assert page.complaints() == []
        assert page.run("document.documentElement.scrollWidth") == width
    page = show(number_page, dark=dark)
    x, y = centre(page, ".square")
    page.move(x + 30, y - 50)
    tip = "document.querySelector('.square').closest('figure').querySelector('.tip').innerText"
    assert "correlation of errors" in page.run(tip)
    page.click(*centre(page, "#members th:nth-child(2) button"))
    errors = [float(text) for text in column(page, "#members", 1)]
    assert errors == sorted(errors)
    assert page.run("document.querySelectorAll('ol.side li').length") == 12
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('script').length") == 2
    assert page.complaints() == []


def test_the_page_of_numbers_can_be_printed_and_read_without_a_script(show, number_page):
    page = show(number_page, script=False)
    text = page.run("document.body.innerText")
    for words in ("What it said, what was true", "Which columns matter", "Who errs with whom",
                  "Where the error goes", "One tree in its place"):  # fmt: skip
        assert words in text
    page.emulate("print")
    assert page.run("getComputedStyle(document.querySelector('.box')).overflow") == "visible"


def test_hovering_the_cloud_tells_the_pair(show, model_page):
    page = show(model_page)
    tip = "document.querySelector('#cloud .tip').textContent"
    assert page.run(tip) == ""
    page.move(*centre(page, "#cloud .pairs circle:nth-child(20)"))
    text = page.run(tip)
    data = "JSON.parse(document.getElementById('data').textContent)"
    # Points lie close together: it tells some pair, with its own numbers.
    k = page.run(
        "(() => { const m = document.querySelector('#cloud .mark');"
        "return Array.from(document.querySelectorAll('#cloud .pairs circle')).findIndex("
        "c => c.getAttribute('cx') === m.getAttribute('cx')"
        " && c.getAttribute('cy') === m.getAttribute('cy')); })()"
    )
    i, j = page.run(f"[{data}.pairs[0][{k}], {data}.pairs[1][{k}]]")
    kappa = page.run(f"{data}.kappas[{k}]")
    assert text.startswith(f"DecisionTreeClassifier {i} and DecisionTreeClassifier {j}\nkappa ")
    assert f"kappa {kappa:.2f}" in text
    assert page.run("getComputedStyle(document.querySelector('.square i')).display") == "block"
    page.move(3, 3)
    assert page.run(tip) == ""


def test_arrow_keys_go_through_the_cloud(show, model_page):
    page = show(model_page)
    page.run("document.querySelector('#cloud svg').focus()")
    page.key("ArrowRight", 39)
    first = page.run("document.querySelector('#cloud .tip').textContent")
    page.key("ArrowRight", 39)
    second = page.run("document.querySelector('#cloud .tip').textContent")
    assert first.startswith("DecisionTreeClassifier 0 and DecisionTreeClassifier 1\n")
    assert second.startswith("DecisionTreeClassifier 0 and DecisionTreeClassifier 2\n")


def test_hovering_the_matrix_tells_the_pair(show, model_page):
    page = show(model_page)
    x, y = centre(page, ".square")
    page.move(x + 40, y - 60)
    text = page.run(
        "document.querySelector('.square').closest('figure').querySelector('.tip').innerText"
    )
    assert text.startswith("DecisionTreeClassifier ")
    assert "kappa" in text


def test_tables_sort_by_number_both_ways_and_by_word(show, model_page):
    page = show(model_page)
    before = column(page, "#members", 1)
    page.click(*centre(page, "#members th:nth-child(2) button"))
    heading = "document.querySelector('#members th:nth-child(2)').getAttribute('aria-sort')"
    assert page.run(heading) == "ascending"
    shares = [float(text.rstrip("\N{NO-BREAK SPACE}%")) for text in column(page, "#members", 1)]
    assert shares == sorted(shares)
    assert sorted(before) == sorted(column(page, "#members", 1))
    page.click(*centre(page, "#members th:nth-child(2) button"))
    assert page.run(heading) == "descending"
    shares = [float(text.rstrip("\N{NO-BREAK SPACE}%")) for text in column(page, "#members", 1)]
    assert shares == sorted(shares, reverse=True)
    page.click(*centre(page, "#members th:nth-child(1) button"))
    assert page.run(heading) is None
    names = [f"DecisionTreeClassifier {k}" for k in range(12)]  # 2 comes before 10
    assert column(page, "#members", 0) == names
    page.click(*centre(page, "#rows th:nth-child(4) button"))
    truths = column(page, "#rows", 3)
    assert truths == sorted(truths)
    assert page.complaints() == []


def test_the_slider_goes_through_the_members(show, model_page):
    page = show(model_page)
    said = "document.getElementById('first-said').textContent"
    growth = page.run("JSON.parse(document.getElementById('data').textContent).growth")
    assert page.run(said).startswith("The first 12 members together err on ")
    line = page.run("document.getElementById('first-line').getAttribute('x1')")
    page.run("document.getElementById('first').focus()")
    page.key("Home", 36)
    assert page.run("document.getElementById('first').value") == "1"
    text = page.run(said).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith(f"The first member alone errs on {100 * growth['error'][0]:.1f} %")
    assert page.run("document.getElementById('first-line').getAttribute('x1')") != line
    page.key("ArrowRight", 39)
    page.key("ArrowRight", 39)
    text = page.run(said).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith(f"The first 3 members together err on {100 * growth['error'][2]:.1f} %")
    assert (
        float(page.run("document.getElementById('first-dot').getAttribute('cx')"))
        == (growth["at"][2])
    )


def test_hostile_names_run_no_script(show, hostile_page, hostile_names):
    page = show(hostile_page)
    assert page.complaints() == []  # not even one that the policy had to stop
    page.move(*centre(page, "#cloud .pairs circle"))
    tip = page.run("document.querySelector('#cloud .tip').textContent")
    assert any(tip.startswith(visible(name)) for name in hostile_names)
    page.move(*centre(page, ".square"))
    for table in ("#members", "#rows"):
        count = page.run(f"document.querySelectorAll('{table} thead th').length")
        for k in range(1, count + 1):
            page.click(*centre(page, f"{table} th:nth-child({k}) button"))
    page.move(*centre(page, "h1"))
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('script').length") == 2
    assert page.run("document.querySelectorAll('img').length") == 1
    assert page.run("document.title") == hostile_names[1]
    assert page.complaints() == []


def test_hostile_names_do_not_widen_a_phone(show, hostile_page):
    page = show(hostile_page, width=390)
    assert page.run("document.documentElement.scrollWidth") == 390


def test_the_policy_stops_a_script_that_got_in_all_the_same(show, model_page, tmp_path):
    text = model_page.read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace("<h1>", "<script>window.hacked=1</script><h1>"))
    page = show(broken)
    assert page.run("window.hacked") is None
    assert any("Content Security Policy" in line for line in page.complaints())


@pytest.fixture(scope="module")
def other_pages(demo_result, tmp_path_factory):
    buffer = io.BytesIO()
    save_to(new_figure(2.0)[0], buffer, "png")
    claims = [judge_claim(registry.claim(topic), None) for topic in registry.TOPICS[:2]]
    summary = summarise_reproductions(claims)
    pictures = {registry.TOPICS[0]: buffer.getvalue()}
    folder = tmp_path_factory.mktemp("pages")
    for name, page in {
        "demo": render_demo(demo_result.summary(), demo_figures(demo_result)),
        "reproductions": render_reproductions(summary, pictures=pictures, command="x"),
    }.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("name", "width"), [("demo", 1120), ("reproductions", 928)])
def test_other_pages_keep_to_their_policy(show, other_pages, name, width):
    page = show(other_pages / f"{name}.html")
    assert page.complaints() == []
    # 70 and 58rem: it has style
    assert page.run("getComputedStyle(document.body).maxWidth") == f"{width}px"
    wide = page.run("Math.max(...Array.from(document.images, i => i.clientWidth))")
    assert 300 < wide <= width
    broken = other_pages / "broken.html"
    added = '<script>window.hacked=1</script><img src="http://127.0.0.1:9/x"><h1>'
    text = (other_pages / f"{name}.html").read_text(encoding="utf-8")
    broken.write_text(text.replace("<h1>", added), encoding="utf-8")
    page = show(broken)
    assert page.run("window.hacked") is None
    assert sum("Content Security Policy" in line for line in page.complaints()) == 2


def test_dark_is_dark(show, model_page):
    colour = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    light, dark = (sum(show(model_page, dark=d).run(colour)) for d in (False, True))
    assert light > 3 * 200
    assert dark < 3 * 50


def test_it_can_be_read_without_a_script(show, model_page):
    page = show(model_page, script=False)
    assert page.run("document.documentElement.className") == ""
    hidden = "getComputedStyle(document.querySelector('.slider')).display"
    assert page.run(hidden) == "none"  # what would not work is not offered
    assert len(column(page, "#members", 0)) == 12
    text = page.run("document.body.innerText")
    for word in ("As members join", "Where members disagree most", "DecisionTreeClassifier 11"):
        assert word in text
    assert page.complaints() == []


def test_on_paper_nothing_is_cut_off(show, model_page):
    page = show(model_page)
    page.emulate("print")
    assert page.run("getComputedStyle(document.querySelector('.slider')).display") == "none"
    assert page.run("getComputedStyle(document.querySelector('.box')).overflow") == "visible"
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
