import numpy as np

from counterpoint.diversity import vote_gains
from counterpoint.plots import VoteGainsDisplay


def test_bars_and_line_are_what_the_table_says():
    votes = np.random.default_rng(0).integers(3, size=(6, 40))
    truth = np.random.default_rng(1).integers(3, size=40)
    display = VoteGainsDisplay.from_predictions(truth, votes)
    bars = [bar.get_height() for bar in display.ax_.patches]
    np.testing.assert_allclose(bars[:6], display.table()["won"])
    np.testing.assert_allclose(bars[6:], -display.table()["lost"])
    np.testing.assert_allclose(display.ax_.lines[0].get_ydata(), display.table()["accuracy"])
    assert list(display.table()) == list(vote_gains([[1, 0]]))
