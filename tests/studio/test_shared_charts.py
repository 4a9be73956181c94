"""Pages that are read and the one that answers are drawn alike."""

import json
import re

import numpy as np
import pytest

from counterpoint.report import drawing
from counterpoint.report.render import environment
from counterpoint.studio.server import page_file

RANGES = [(0.0, 1.0), (0.013, 0.021), (-3.2, 17.5), (1.0, 50.0), (0.31, 0.3100004), (-1e5, 2e6)]


def test_axes_have_the_same_round_numbers_in_both(show):
    page = show(ready="document.querySelector('#file')")
    page.run(
        f"import('/charts.js').then(m => {{ window.axes = {json.dumps(RANGES)}.map("
        "([low, high]) => [m.ticks(low, high, 6), m.padded([low, high])]); })"
    )
    for (low, high), (ticks, padded) in zip(RANGES, page.wait("window.axes"), strict=True):
        axis = drawing.Axis(low, high, 0.0, 1.0)
        np.testing.assert_allclose(ticks["values"], axis._values)
        assert ticks["digits"] == axis._digits
        np.testing.assert_allclose(padded, drawing.padded([low, high]))


def test_numbers_are_written_alike_in_both(show):
    from counterpoint.tabular.words import figure, percent

    values = [0.0, 1.23456, -0.000123, 45678.9, 1e-7, 3.2e11, 0.5, 99.995]
    page = show(ready="document.querySelector('#file')")
    page.run(
        "Promise.all([import('/dom.js'), import('/shared.js')]).then(([d, s]) => { window.told ="
        f"{json.dumps(values)}.map(v => [d.figure(v), s.percent(v)]); }})"
    )
    for value, (told, share) in zip(values, page.wait("window.told"), strict=True):
        assert _plain(share) == percent(value)
        if 1e-4 <= abs(value) < 1e9:  # beyond, powers of ten are written 1e-7 and 1e-07
            assert _plain(told) == figure(value)


def _plain(text):
    return text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("name", ["palette.css", "marks.css", "shared.js"])
def test_what_both_are_made_of_lies_in_one_place(name):
    ours = environment().get_template(name).render()
    assert page_file(name) is not None
    inlined = "model.js" if name.endswith(".js") else "model.css"
    assert ours.strip() in environment().get_template(inlined).render()


def test_marks_reach_nothing_around_a_studio():
    sheet = page_file("marks.css").decode()
    assert sheet.count("{") > 20
    for names in re.findall(r"([^{}]+)\{", sheet):
        assert all(name.strip().startswith(".studio ") for name in names.split(","))
