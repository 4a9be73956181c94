"""Take the pictures of docs/studio.md: ``python docs/figures_studio.py``. Needs Chromium."""

import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

from PIL import Image
from sklearn.datasets import load_diabetes

from counterpoint import tabular
from counterpoint.datasets import load
from counterpoint.studio import open_studio

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import chromium

IMAGES = Path(__file__).parent / "images"
WIDTH = 1240
READY = "document.querySelector('#scores')?.dataset.error && document.querySelector('#fights li')"


def save(page, name, height=None, top=0):
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    if height is not None:
        picture = picture.crop((0, top, picture.width, min(top + height, picture.height)))
    picture.quantize(128, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def run(page, script):
    page.run(f"(() => {{ {script} }})()")


def put(page, selector, value, event="change"):
    run(
        page,
        f"const e = document.querySelector({selector!r}); e.value = {value!r};"
        f"e.dispatchEvent(new Event({event!r}, {{bubbles: true}}));",
    )


def watched(browser, table):
    """Members as they are tried."""
    served = open_studio(table, target="class", browser=False, wait=False)
    page = browser.page(served.address, width=WIDTH)
    page.wait("document.querySelector('#fit')?.disabled === false")
    run(page, "document.querySelector('#fit').click()")
    page.wait(
        "Number(document.querySelector('#live-tried')?.textContent.split(' ')[0]) >= 6",
        patience=300,
    )
    save(page, "studio_fit.png", 930)
    run(page, "document.querySelector('#stop').click()")
    page.wait(READY, patience=600)
    page.close()
    served.close()


def looked_at(browser, model):
    """Cloud, what if, sliders, tree, paint."""
    served = open_studio(model, browser=False, wait=False)
    page = browser.page(served.address, width=WIDTH)
    page.wait(READY)
    brush(page)
    save(page, "studio_brush.png", 1700)
    page.close()
    page = browser.page(served.address, width=WIDTH, dark=True)
    page.wait(READY)
    put(page, "#rule", "vote")
    run(page, "document.querySelector('#best').click()")
    page.wait("Number(document.querySelector('#scores').dataset.members) < 50")
    time.sleep(0.5)
    save(page, "studio_what_if.png", 1950)
    run(page, "document.querySelector('#tab-tree').click()")
    page.wait("document.querySelector('svg.tree')", patience=120)
    run(page, "document.querySelector('svg.tree .leaf').dispatchEvent(new MouseEvent('click'))")
    page.wait("document.querySelector('#panel-tree .fights li')")
    save(page, "studio_tree.png", 1300)
    page.close()
    page = browser.page(served.address, width=WIDTH)
    page.wait(READY)
    run(page, "document.querySelector('#tab-sliders').click()")
    for kind, name in (("lam", "lambda"), ("strength", "strength")):
        run(page, f"document.querySelector('#path-{kind}').click()")
        page.wait(f"document.querySelector('#{kind}-said')?.dataset.error", patience=300)
        put(page, f"input[aria-label={name}]", "4", "input")
    put(page, "#cost-fn", "5", "input")
    put(page, "input[aria-label=Threshold]", "20", "input")
    time.sleep(0.5)
    save(page, "studio_sliders.png")
    run(page, "document.querySelector('#tab-paint').click()")
    page.wait("document.querySelector('#paint-said').dataset.points")
    put(page, "#painter", "ncl")
    time.sleep(2)
    save(page, "studio_paint.png", 900)
    page.close()
    page = browser.page(served.address, width=390, height=844)
    page.wait(READY)
    save(page, "studio_phone.png", 1300)
    page.close()
    served.close()


def numbers(browser, model):
    """Members that estimate numbers."""
    served = open_studio(model, browser=False, wait=False)
    page = browser.page(served.address, width=WIDTH)
    page.wait(READY)
    run(page, "document.querySelector('#fights button').click()")
    page.wait("!document.querySelector('#row').hidden")
    run(page, "window.scrollTo(0, 0)")
    time.sleep(0.5)
    save(page, "studio_numbers.png", 1560)
    page.close()
    served.close()


def brush(page):
    x, y, width, height = page.run(
        "(() => { const b = document.querySelector('.cloud canvas').getBoundingClientRect();"
        "return [b.x, b.y, b.width, b.height]; })()"
    )
    page.drag((x + 0.12 * width, y + 0.05 * height), (x + 0.33 * width, y + 0.42 * height))
    page.move(5, 5)
    page.wait("document.querySelector('#listed').textContent.includes('those in the box')")
    time.sleep(0.5)
    run(page, "document.querySelector('#fights button').click()")
    page.wait("!document.querySelector('#row').hidden")
    run(page, "window.scrollTo(0, 0)")
    time.sleep(0.5)


if __name__ == "__main__":
    data = load("german-credit")
    browser = chromium.Browser(chromium.find())
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "german-credit.csv")
        data.X.assign(**{"class": data.y}).to_csv(table, index=False)
        fitted = tabular.fit(str(table), "class", "bagging", random_state=0)
        looked_at(browser, tabular.save(fitted, Path(folder, "credit.skops")))
        watched(browser, table)
        frame = load_diabetes(as_frame=True, scaled=False).frame
        fitted = tabular.fit(frame, "target", "bagging", random_state=0, task="regression")
        numbers(browser, tabular.save(fitted, Path(folder, "diabetes.skops")))
    browser.close()
