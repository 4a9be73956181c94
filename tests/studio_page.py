"""What hands do on a page of the studio, and what an eye looks for."""

import json
import time
from pathlib import Path

READY = "document.querySelector('#scores')?.dataset.error && document.querySelector('#fights li')"
AUDIT = (Path(__file__).parent / "studio" / "audit.js").read_text(encoding="utf-8")


def middle(page, selector):
    return page.run(
        f"(() => {{ const e = document.querySelector({selector!r});"
        "e.scrollIntoView({block: 'center', behavior: 'instant'});"
        "const b = e.getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2, b.width, b.height]; })()"
    )


def still(page, selector, looks=40):
    """Return where something is once it has stopped moving: answers that come shift the page."""
    before = None
    for _ in range(looks):
        now = middle(page, selector)
        if now == before:
            break
        before = now
        time.sleep(0.05)
    return now


def click(page, selector):
    x, y, _, _ = still(page, selector)
    page.click(x, y)


def choose(page, selector, value):
    page.run(
        f"(() => {{ const e = document.querySelector({selector!r}); e.value = {json.dumps(value)};"
        "e.dispatchEvent(new Event('change', {bubbles: true}));"
        "e.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def error_shown(page):
    return float(page.run("document.querySelector('#scores').dataset.error"))


def wait_error(page, expected):
    page.wait(f"Math.abs(document.querySelector('#scores').dataset.error - {expected!r}) < 1e-9")


def brush_upper_left(page, end=(-0.05, 0.05)):
    """Drag a box around pairs that differ, and err; return the members that are left listed."""
    x, y, width, height = middle(page, ".cloud canvas")
    page.drag((x - 0.36 * width, y - 0.42 * height), (x + end[0] * width, y + end[1] * height))
    listed = "document.querySelectorAll('#members tbody tr:not([hidden])')"
    page.wait(
        f"{listed}.length < 50"
        f" && document.querySelector('#fights').dataset.of === String({listed}.length)"
    )
    return page.run(f"Array.from({listed}, row => Number(row.dataset.member))")
