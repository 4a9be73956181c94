"""The studio in a real Chromium: what people do there, and what must never happen."""

import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from studio_page import (
    AUDIT,
    READY,
    brush_upper_left,
    choose,
    click,
    error_shown,
    middle,
    wait_error,
)

from counterpoint import MemberOutputs
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.studio.opening import ensemble_of_model
from counterpoint.tabular import METHODS, load

SHARE = re.compile(r"(\d+\.\d)\s%")


def test_brushing_the_cloud_moves_everything_else(show, model_file):
    page = show(model_file)
    outputs = ensemble_of_model(load(model_file), "").outputs
    assert page.run("document.querySelectorAll('#members tbody tr:not([hidden])').length") == 50
    kept = brush_upper_left(page)
    assert 2 <= len(kept) < 50
    rows = page.run(
        "Array.from(document.querySelectorAll('#fights button'), b => Number(b.dataset.row))"
    )
    votes = outputs.votes[kept]
    share = np.stack([(votes == k).mean(axis=0) for k in range(2)])
    dispute = np.round(1 - (share**2).sum(axis=0), 12)
    assert rows == [r for r in np.argsort(-dispute, kind="stable")[:24] if dispute[r] > 0]
    assert f"of {len(kept)} members" in page.run("document.querySelector('.cloud').innerText")
    click(page, "#fights button")
    page.wait("!document.querySelector('#row').hidden")
    text = page.run("document.querySelector('#row').innerText")
    assert text.startswith(f"Row {rows[0] + 1}: it is")
    assert "size" in text
    said = page.run("document.querySelector('#row svg').getAttribute('aria-label')")
    counts = np.bincount(outputs.votes[:, rows[0]], minlength=2)
    for count, label in zip(counts, outputs.classes, strict=True):
        if count:
            assert re.search(rf"{count}\smembers? say {label}", said)
    click(page, "#row p button")  # which part of the table decides?
    page.wait("document.querySelector('#row').innerText.includes('The tree in its place says')")
    page.run("document.querySelector('.cloud canvas').focus()")
    page.key("Escape", 27)
    page.wait("document.querySelector('#fights').dataset.of === '50'")
    page.key("ArrowRight", 39)  # by keys, too
    page.wait("document.querySelector('#listed').textContent.includes('those in the box')")
    assert page.complaints() == []


def test_what_if_moves_the_numbers_and_can_be_undone(show, model_file):
    page = show(model_file)
    what = ensemble_of_model(load(model_file), "").what
    own = what.judge("own")["error"]
    assert error_shown(page) == pytest.approx(own)
    click(page, "#members tbody tr:nth-child(2) input[type=checkbox]")
    weights = [1] * 50
    weights[1] = 0
    wait_error(page, what.judge("own", weights)["error"])
    choose(page, "#rule", "vote")
    wait_error(page, what.judge("vote", weights)["error"])
    choose(page, "#members tbody tr:nth-child(5) input[type=range]", "10")
    weights[4] = 10
    wait_error(page, what.judge("vote", weights)["error"])
    assert page.run("document.querySelector('#scores').dataset.members") == "49"
    for _ in range(3):
        click(page, "#undo")
    wait_error(page, own)
    assert page.run("document.querySelector('#undo').disabled")
    for _ in range(3):
        click(page, "#redo")
    wait_error(page, what.judge("vote", weights)["error"])
    click(page, "#best")
    best = what.best([k for k in range(50) if weights[k]])
    n_best = np.count_nonzero(best["weights"])
    page.wait(f"document.querySelector('#scores').dataset.members === '{n_best}'")
    wait_error(page, what.judge("vote", best["weights"])["error"])
    said = page.run("document.querySelector('.whatif').innerText")
    assert f"{100 * best['error']:.1f}" in said
    for rule in ("choquet", "templates", "knora-e"):
        choose(page, "#rule", rule)
        page.wait(f"document.querySelector('#scores').dataset.rule === '{rule}'")
        expected = what.judge(rule, best["weights"])
        assert error_shown(page) == pytest.approx(expected["error"])
    lines = page.run("document.querySelector('.lines').innerText")
    assert 'what.judge("knora-e", weights)' in lines
    assert page.complaints() == []


class SlowTree(DecisionTreeClassifier):
    """A tree that takes its time, so that one can stop in the middle."""

    def fit(self, X, y, **options):
        time.sleep(0.1)
        return super().fit(X, y, **options)


def slow_pool(seed, time_limit, n_jobs):
    pool = [(f"tree {k}", SlowTree(max_depth=1 + k % 4, random_state=k)) for k in range(20)]
    return OverproduceSelectClassifier(pool, random_state=seed)


def test_a_table_is_dropped_and_members_appear_until_it_is_good_enough(
    show, table_file, monkeypatch
):
    monkeypatch.setitem(METHODS, "auto", replace(METHODS["auto"], make=slow_pool))
    page = show(ready="document.querySelector('#file')")
    page.give("#file", table_file)
    page.wait("document.querySelector('#target')?.options.length > 3")
    choose(page, "#target", "kind")
    page.wait("!document.querySelector('#fit').disabled")
    choose(page, "td select[aria-label='what noise is taken for']", "left out")
    page.wait(
        "Array.from(document.querySelectorAll('.taken tr'), r => r.innerText)"
        ".some(t => t.startsWith('noise') && t.includes('as it looks'))"
    )
    click(page, "#fit")
    page.wait("document.querySelector('#live-tried')")
    click(page, "#stop")
    tried = page.run("Number(document.querySelector('#live-tried').textContent.split(' ')[0])")
    assert SHARE.search(page.run("document.querySelector('#live-error').textContent"))
    page.wait(READY, patience=90)
    text = page.run("document.querySelector('.about').textContent")
    assert text.startswith("auto: ")
    assert tried < 20
    page.run("document.querySelector('#copy-script').click()")
    script = page.wait("document.querySelector('.script pre')?.textContent")
    assert "columns={'noise': 'left out'}" in script
    assert "Stopped by hand" in script
    assert page.complaints() == []


def test_sliders_go_along_stored_paths(show, model_file):
    page = show(model_file)
    what = ensemble_of_model(load(model_file), "").what
    click(page, "#tab-sliders")
    page.wait("document.querySelector('#growth-said')?.textContent")
    growth = what.growth()
    choose(page, "input[aria-label=Members]", "4")
    said = page.run("document.querySelector('#growth-said').textContent")
    assert f"{100 * growth['error'][4]:.1f}" in said
    page.wait("document.querySelector('#threshold-said')?.textContent")
    choose(page, "#cost-fn", "8")
    expected = what.thresholds("own", fn=8.0)
    page.wait(
        f"document.querySelector('#threshold-said').textContent.includes('{expected['cost'][expected['best']]:.3f}')"
    )
    choose(page, "input[aria-label=Threshold]", str(expected["best"]))
    assert "No threshold is cheaper" in page.run(
        "document.querySelector('#threshold-said').textContent"
    )
    click(page, "#path-lam")
    page.wait("document.querySelector('#lam-said')?.dataset.error", patience=90)
    choose(page, "input[aria-label=lambda]", "4")
    assert page.run("document.querySelector('#lam-said').textContent").startswith("lambda 4:")
    assert page.complaints() == []


def test_one_tree_and_the_rows_of_its_leaves(show, model_file):
    page = show(model_file)
    click(page, "#tab-tree")
    page.wait("document.querySelector('svg.tree')", patience=60)
    choose(page, "input[aria-label=Leaves]", "2")
    page.wait("document.querySelector('#tree-said').dataset.leaves === '4'")
    assert page.run("document.querySelectorAll('svg.tree .leaf').length") == 4
    assert page.run("document.querySelectorAll('ol.rules li').length") == 4
    label = page.run("document.querySelector('svg.tree .leaf').getAttribute('aria-label')")
    click(page, "svg.tree .leaf")
    n_rows = re.search(r"(\d+)\srow", label)[1]
    page.wait(f"document.querySelector('#panel-tree').innerText.includes('{n_rows}\\u00a0row')")
    before = page.run("document.querySelector('svg.tree > g').getAttribute('transform')")
    click(page, "button[aria-label='zoom in']")
    assert page.run("document.querySelector('svg.tree > g').getAttribute('transform')") != before
    assert page.complaints() == []


def test_painting_points_moves_the_boundaries(show):
    page = show(ready="document.querySelector('#file')")
    click(page, "#tab-paint")
    page.wait("document.querySelector('#paint-said').dataset.points === '44'")
    x, y, width, height = middle(page, "#panel-paint canvas")
    click(page, ".brush.k2")
    page.drag((x - 0.4 * width, y + 0.4 * height), (x - 0.1 * width, y + 0.4 * height))
    page.wait("Number(document.querySelector('#paint-said').dataset.points) > 46")
    for painter in ("random-forest", "hyperboxes", "stochastic"):
        choose(page, "#painter", painter)
        page.wait("/point/.test(document.querySelector('#paint-said').textContent)")
    page.wait("document.querySelector('#paint-said').textContent.includes('no members apart')")
    click(page, "#clear")
    page.wait("document.querySelector('#paint-said').textContent.includes('Paint points')")
    page.run("document.querySelector('#panel-paint canvas').focus()")
    page.key("ArrowRight", 39)
    page.key("Enter", 13)
    assert page.complaints() == []


def test_what_is_shown_can_be_taken_along(show, model_file):
    page = show(model_file)
    page.run(
        "window.saved = []; HTMLAnchorElement.prototype.click = function () {"
        "window.saved.push([this.download, ...window.made]); };"
        "URL.createObjectURL = (b) => { window.made = [b.size]; window.blob = b; return '#'; };"
    )
    click(page, "#save-model")
    page.wait("window.saved.length === 1")
    click(page, "#save-page")
    page.wait("window.saved.length === 2", patience=60)
    (model, size), (name, _) = page.run("window.saved")
    assert (model, name) == ("model.skops", "studio.html")
    page.run("window.blob.slice(0, 15).text().then(t => { window.start = t; })")
    assert page.wait("window.start") == "<!doctype html>"
    assert size > 10_000
    click(page, "#copy-script")
    script = page.wait("document.querySelector('.script pre')?.textContent")
    assert "what.judge('own')" in script
    assert page.complaints() == []


HOSTILE = [
    "<img src=x onerror=window.hacked=1>",
    "</script><script>window.hacked=2</script>",
    "a\u202eb",
]


def test_names_never_become_markup(show, tmp_path):
    rng = np.random.default_rng(0)
    y = np.array(HOSTILE)[rng.integers(3, size=60)]
    votes = np.where(rng.random((3, 60)) < 0.7, y, HOSTILE[0])
    page = show(MemberOutputs(votes, y, names=HOSTILE))
    click(page, "#fights button")
    page.wait("!document.querySelector('#row').hidden")
    x, y, _, _ = middle(page, ".matrix canvas")
    page.move(x, y)
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('img').length") == 0
    text = page.run("document.body.innerText")
    assert HOSTILE[0] in text
    assert "a⟨U+202E⟩b" in text
    path = tmp_path / "<b>bold.csv"
    path.write_text(f'"{HOSTILE[0]}",{HOSTILE[2]},kind\n' + "1,2,x\n3,4,y\n" * 12)
    page = show(path, target="kind", ready="document.querySelector('.taken tr')")
    assert HOSTILE[0] in page.run("document.body.innerText")
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('img, h1 b').length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize(("dark", "width"), [(True, 1200), (False, 390)])
def test_a_table_can_be_read_by_all(show, table_file, dark, width, monkeypatch):
    monkeypatch.setitem(METHODS, "auto", replace(METHODS["auto"], make=slow_pool))
    page = show(ready="document.querySelector('#file')", dark=dark, width=width)
    assert page.run(AUDIT) == []
    page.give("#file", table_file)
    page.wait("document.querySelector('#target')?.options.length > 3")
    choose(page, "#target", "kind")
    page.wait("!document.querySelector('#fit').disabled")
    page.run("document.querySelector('#fit').focus()")
    page.key("Enter", 13)
    page.wait("document.querySelector('#live-tried')")
    assert page.run(AUDIT) == []
    assert page.run("document.documentElement.scrollWidth") == width
    page.run("document.querySelector('#stop').click()")
    page.wait(READY, patience=90)
    assert page.complaints() == []


@pytest.mark.parametrize(("dark", "width"), [(False, 1200), (True, 390)])
def test_it_can_be_read_by_all(show, model_file, dark, width):
    page = show(model_file, dark=dark, width=width)
    for view, ready in (
        ("ensemble", READY),
        ("sliders", "document.querySelector('#threshold-said')?.textContent"),
        ("tree", "document.querySelector('svg.tree')"),
        ("paint", "document.querySelector('#paint-said').dataset.points"),
    ):
        page.run(f"document.querySelector('#tab-{view}').click()")
        page.wait(ready, patience=60)
        if view == "ensemble":  # with all that a click adds
            page.run("document.querySelector('#fights button').click()")
            page.run("document.querySelector('#copy-script').click()")
            page.wait("!document.querySelector('#row').hidden")
            page.wait("document.querySelector('.script pre')")
        assert page.run(AUDIT) == []
        assert page.run("document.documentElement.scrollWidth") == width
    page.run("document.querySelector('#tab-ensemble').focus()")
    page.key("ArrowRight", 39)
    assert page.run("document.activeElement.id") == "tab-sliders"
    assert page.complaints() == []


def test_a_page_without_its_token_shows_nothing(browser, serve, model_file):
    studio = serve(model_file)
    page = browser.page(studio.served.address.split("#")[0])
    page.wait("document.body.innerText.includes('a token that this one has not')")
    page.close()


def test_a_studio_that_was_killed_is_said_to_have_ended(browser, model_file):
    began = subprocess.Popen(
        [sys.executable, "-m", "counterpoint.cli", "studio", str(model_file), "--no-open"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        address = began.stderr.readline().split("at ")[1].strip()
        time.sleep(0.5)
        page = browser.page(address)
        page.wait(READY)
        began.kill()
        began.wait()
        page.run("document.querySelector('#members input[type=checkbox]').click()")
        page.wait("document.querySelector('[role=alert]').textContent.includes('has ended')")
        page.close()
    finally:
        began.kill()
        began.stderr.close()


def test_a_changed_file_is_told_on_the_page(show, tmp_path):
    path = tmp_path / "said.csv"
    path.write_text("class,a,b\nx,x,y\ny,y,y\nx,x,x\n")
    page = show(path)
    path.write_text("class,a,b\nx,x,y\ny,y,y\nx,x,x\ny,y,x\n")
    page.run("document.dispatchEvent(new Event('visibilitychange'))")  # as if one came back to it
    page.wait("document.body.innerText.includes('has changed on disk')")
    page.run(
        "[...document.querySelectorAll('button')]"
        ".find(b => b.textContent === 'Read it again').click()"
    )
    page.wait("document.querySelector('.about').textContent.includes('4\\u00a0rows')")
