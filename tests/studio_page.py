"""What hands do on a page of the studio, and what an eye looks for."""

import json
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


def click(page, selector):
    x, y, _, _ = middle(page, selector)
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
