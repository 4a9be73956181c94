"""Members that estimate numbers in a real Chromium: the same page, and only what has a meaning."""

import numpy as np
import pytest
from studio_page import AUDIT, READY, brush_upper_left, choose, click, error_shown, wait_error

from counterpoint import MemberPredictions
from counterpoint.studio.opening import ensemble_of_model
from counterpoint.tabular import load


def test_the_cloud_and_what_if_of_numbers(show, price_model):
    page = show(price_model)
    opened = ensemble_of_model(load(price_model), "")
    what, outputs = opened.what, opened.outputs
    assert error_shown(page) == pytest.approx(what.judge("own")["error"])
    text = page.run("document.querySelector('#panel-ensemble').innerText")
    for word in ("RMSE", "Mean absolute error", "Variance explained", "Correlation", "ambiguity"):
        assert word in text
    for word in ("kappa", "Recall", "Log-loss", "robabilit"):
        assert word not in text
    kept = brush_upper_left(page, end=(-0.15, -0.25))
    rows = page.run(
        "Array.from(document.querySelectorAll('#fights button'), b => Number(b.dataset.row))"
    )
    apart = outputs.values[kept].std(axis=0)
    assert rows == np.argsort(-apart)[:24].tolist()
    click(page, "#fights button")
    page.wait("!document.querySelector('#row').hidden")
    said = page.run("document.querySelector('#row svg').getAttribute('aria-label')")
    assert said.startswith("50\u00a0members say ")
    choose(page, "#rule", "mean")
    choose(page, "#members tbody tr:nth-child(5) input[type=range]", "10")
    weights = [1] * 50
    weights[4] = 10
    wait_error(page, what.judge("mean", weights)["error"])
    click(page, "#undo")
    wait_error(page, what.judge("mean")["error"])
    click(page, "#best")
    best = what.best([k for k in range(50) if k in kept])
    wait_error(page, what.judge("mean", best["weights"])["error"])
    assert page.run("document.querySelector('#scores').dataset.rule") == "mean"
    for rule in ("median", "weighted-mean"):
        choose(page, "#rule", rule)
        page.wait(f"document.querySelector('#scores').dataset.rule === '{rule}'")
        assert error_shown(page) == pytest.approx(what.judge(rule, best["weights"])["error"])
    click(page, "#copy-script")
    script = page.wait("document.querySelector('.script pre')?.textContent")
    assert "what.judge('weighted-mean', weights)" in script
    assert page.complaints() == []


@pytest.mark.parametrize(("dark", "width"), [(True, 1200), (False, 390)])
def test_sliders_and_the_tree_of_numbers_can_be_read_by_all(show, price_model, dark, width):
    page = show(price_model, dark=dark, width=width)
    assert page.run(AUDIT) == []
    page.run("document.querySelector('#tab-sliders').click()")
    page.wait("document.querySelector('#growth-said')?.textContent")
    growth = ensemble_of_model(load(price_model), "").what.growth()
    choose(page, "input[aria-label=Members]", "4")
    said = page.run("document.querySelector('#growth-said').textContent")
    assert f"are off by {growth['error'][4]:.4g}" in said
    titles = page.run(
        "Array.from(document.querySelectorAll('#panel-sliders h2'), e => e.innerText)"
    )
    assert titles == ["How many members", "Boosters grown together", "Networks, alone or as one"]
    assert page.run(AUDIT) == []
    page.run("document.querySelector('#tab-tree').click()")
    page.wait("document.querySelector('svg.tree')", patience=60)
    choose(page, "input[aria-label=Leaves]", "2")
    page.wait("document.querySelector('#tree-said').dataset.leaves === '4'")
    page.run("document.querySelector('svg.tree .leaf').dispatchEvent(new Event('click'))")
    page.wait("document.querySelector('#panel-tree .spread')")
    assert page.run(AUDIT) == []
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.complaints() == []


def test_hostile_names_of_numbers_stay_text(show):
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    names = ["<img src=x onerror=window.hacked=1>", "a\u202eb", "</script>"]
    page = show(MemberPredictions(y + rng.normal(size=(3, 40)), y, names=names), ready=READY)
    click(page, "#fights button")
    page.wait("!document.querySelector('#row').hidden")
    assert page.run("window.hacked") is None
    assert page.run("document.querySelectorAll('img').length") == 0
    assert "a⟨U+202E⟩b" in page.run("document.body.innerText")
    assert page.complaints() == []
