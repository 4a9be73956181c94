"""The studio in a real Chromium: a million rows and a hundred members, brushed and weighed.

What a person waits for is measured in the page: from the pointer or the slider to the numbers on
the screen, the question, the count over all rows and the drawing included. Beside it the same
counts as numpy makes them from the labels.
"""

import sys
import time

import numpy as np

from benchmarks.harness import ROOT, Report
from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.studio import open_studio
from counterpoint.tabular import NumberWhatIf, WhatIf

sys.path.insert(0, str(ROOT / "tests"))
import chromium

N_ROWS, N_MEMBERS = 1_000_000, 100
_MOVES = 80
_LIMIT = 100  # milliseconds


def outputs(n_rows: int = N_ROWS) -> MemberOutputs:
    rng = np.random.default_rng(0)
    y = (rng.random(n_rows) < 0.3).astype(np.int8)
    hard = rng.random(n_rows, dtype=np.float32)
    votes = np.empty((N_MEMBERS, n_rows), dtype=np.int8)
    for k in range(N_MEMBERS):
        wrong = rng.random(n_rows, dtype=np.float32) < (0.15 + 0.002 * k) * (0.3 + 1.4 * hard)
        votes[k] = np.where(wrong, 1 - y, y)
    return MemberOutputs(votes, y, classes=[0, 1])


def run() -> Report:
    report = Report("studio")
    said = outputs()
    what = WhatIf(said)
    draw = np.random.default_rng(1)

    def weights():  # others every time: the last count is kept
        return draw.integers(0, 11, N_MEMBERS)

    report.compare(
        f"a weighted vote judged, n={N_ROWS:,}, T={N_MEMBERS}",
        lambda: what.judge("vote", weights()),
        lambda: _numpy_judge(said, weights()),
        peer_name="numpy",
        repeats=3,
        at_least=3,
        note="ours: error, log-loss, recall, calibration, decomposition; numpy: error and recall",
    )
    report.compare(
        f"rows that 40 members fight over, n={N_ROWS:,}",
        lambda: what.disputed(draw.permutation(N_MEMBERS)[:40]),
        lambda: _numpy_disputed(said, 40),
        peer_name="numpy",
        repeats=3,
        at_least=3,
    )
    _numbers(report)
    path = chromium.find()
    if path is None:
        return report
    began = time.perf_counter()
    served = open_studio(said, browser=False, wait=False)
    report.limit("served after", time.perf_counter() - began, 1, "s")
    browser = chromium.Browser(path)
    try:
        _in_the_browser(report, browser, served)
    finally:
        browser.close()
        served.close()
    return report


def _numbers(report):
    rng = np.random.default_rng(2)
    y = rng.normal(size=N_ROWS)
    values = 0.5 * rng.standard_normal((N_MEMBERS, N_ROWS), dtype=np.float32) + y
    said = MemberPredictions(values, y)
    what = NumberWhatIf(said)
    report.compare(
        f"a weighted mean of numbers judged, n={N_ROWS:,}, T={N_MEMBERS}",
        lambda: what.judge("mean", rng.integers(0, 11, N_MEMBERS)),
        lambda: np.sqrt(np.mean((np.average(values, 0, rng.random(N_MEMBERS)) - y) ** 2)),
        peer_name="numpy",
        repeats=3,
        at_least=1,
        note="ours: 20,000 rows drawn, RMSE, MAE, R2 with intervals, ambiguity; numpy: RMSE of all",
    )


def _in_the_browser(report, browser, served):
    began = time.perf_counter()
    page = browser.page(served.address)
    page.wait(
        "document.querySelector('#scores')?.dataset.error && document.querySelector('#fights li')"
    )
    report.limit("first numbers on the page", time.perf_counter() - began, 5, "s")
    sent = page.run(
        "performance.getEntriesByType('resource').filter(e => !e.name.includes('/api/'))"
        ".reduce((sum, e) => sum + e.transferSize, 0) / 1000"
    )
    report.limit("first page, without data", sent, 300, "kB")
    x, y, width, height = page.run(
        "(() => { const b = document.querySelector('.cloud canvas').getBoundingClientRect();"
        "return [b.x, b.y, b.width, b.height]; })()"
    )
    start = x + 0.15 * width, y + 0.1 * height
    before = _processor(page)
    page.drag(start, (x + 0.95 * width, y + 0.85 * height), steps=_MOVES)
    page.wait("performance.getEntriesByName('brush').length > 5")
    time.sleep(0.5)
    _tell(report, page, "brush", before)
    before = _processor(page)
    page.run(
        "(async () => { const s = document.querySelectorAll('tr:not([hidden]) .weigh input');"
        f"for (let k = 0; k < {_MOVES}; k++) {{ const one = s[k % s.length]; one.value = k % 11;"
        "one.dispatchEvent(new Event('input')); await new Promise(g => setTimeout(g, 60)); }"
        "window.moved = true; })()"
    )
    page.wait("window.moved", patience=60)
    time.sleep(0.5)
    _tell(report, page, "judge", before)
    page.run("document.querySelector('#tab-sliders').click()")
    page.wait("document.querySelector('#threshold-said')?.textContent")
    before = _processor(page)
    page.run(
        "(async () => { const cost = document.querySelector('#cost-fn');"
        "for (let k = 1; k <= 40; k++) { cost.value = k; cost.dispatchEvent(new Event('input'));"
        "await new Promise(g => setTimeout(g, 60)); } window.paid = true; })()"
    )
    page.wait("window.paid", patience=60)
    time.sleep(0.5)
    _tell(report, page, "thresholds", before)


def _processor(page):
    return np.array([time.process_time(), page.processor()])


def _tell(report, page, name, before):
    spent = 1000 * (_processor(page) - before)
    times = page.run(f"performance.getEntriesByName('{name}').slice(1).map(e => e.duration)")
    server, shown = spent / len(times)
    what = {
        "brush": "a brush answered",
        "judge": "a weight moved",
        "thresholds": "a cost changed",
    }[name]
    note = f"{len(times)} answers, median {np.median(times):.0f} ms, slowest {max(times):.0f} ms"
    report.limit(f"{what}, 95th percentile", float(np.quantile(times, 0.95)), _LIMIT, "ms", note)
    # What others do on the machine is not in it.
    note = f"{server:.0f} ms in the server, {shown:.0f} ms in the page"
    report.limit(f"{what}, processor", server + shown, _LIMIT, "ms", note)


def _numpy_judge(said, weights):
    ones = np.zeros(said.n_samples)
    for member, weight in zip(said.votes, weights, strict=True):
        ones += weight * member
    answer = ones > weights.sum() / 2
    return [np.mean(answer != said.y), *(np.mean(answer[said.y == k] == k) for k in range(2))]


def _numpy_disputed(said, n):
    share = said.votes[:n].mean(axis=0)
    return np.argsort(np.abs(share - 0.5), kind="stable")[:20]
