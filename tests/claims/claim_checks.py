"""What the tests of all claims have in common."""

from functools import cache

import pandas as pd
from matplotlib.figure import Figure

from counterpoint.claims import Verdict
from counterpoint.claims import claim as claim_of
from counterpoint.claims.protocol import WORDS
from counterpoint.claims.store import to_frame


@cache
def smoke_rows(topic):
    experiment = claim_of(topic).experiment("smoke")
    return to_frame(row for cell in experiment.cells() for row in experiment.evaluate(cell))


def smoke(topic):
    """Return the rows of the smoke size, without a runner; they are computed once."""
    return smoke_rows(topic).copy()


def check_verdict(claim, frame):
    """Check that rows are judged in one of four words, ours and theirs side by side."""
    before = frame.copy()
    found = claim.judge(frame)
    pd.testing.assert_frame_equal(frame, before)  # judging changes nothing
    assert isinstance(found, Verdict)
    assert found.word in WORDS
    assert found.why.strip()
    columns = " ".join(found.table.columns)
    assert "ours" in columns or "lam" in columns or "nc at" in columns
    assert "theirs" in columns
    return found


def check_figure(claim, frame):
    """Check that a figure can be drawn, rendered, and has something on every panel."""
    figure = claim.draw(frame)
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert figure.axes
    assert all(ax.has_data() for ax in figure.axes)
    return figure


def check_repeats(claim, n=1):
    """Check that the first and last cells give the same rows again."""
    experiment = claim.experiment("smoke")
    cells = experiment.cells()
    for cell in (cells[0], cells[-1])[:n]:
        assert experiment.evaluate(cell) == experiment.evaluate(cell)


def fold_row(data, fold_, **values):
    """Return a row of a fold, with a little noise that all its methods share."""
    shift = 0.001 * fold_
    values["error"] += shift
    return {"repeat": 0, "fold_": fold_, "data": data} | values
