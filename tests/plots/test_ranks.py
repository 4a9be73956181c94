import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from counterpoint.plots import RankDisplay
from counterpoint.selection import compare_ranks


@pytest.fixture
def errors():
    rng = np.random.default_rng(0)
    level = np.array([0.10, 0.11, 0.12, 0.30, 0.31, 0.50])
    return pd.DataFrame(
        level + rng.normal(0, 0.02, (25, 6)),
        columns=["forest", "boosting", "stacking", "tree", "neighbours", "constant"],
    )


def test_points_are_mean_ranks_and_bars_the_groups(errors, assert_readable):
    display = RankDisplay.from_table(errors)
    assert_readable(display.figure_)
    found = compare_ranks(errors)
    at = display.scatter_.get_offsets()
    np.testing.assert_array_equal(at[:, 0], found.mean_ranks)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == list(found.mean_ranks.index)
    groups = found.groups()
    assert len(groups) >= 2
    assert [line.get_ydata().tolist() for line in display.bars_] == [
        [labels.index(g[0]), labels.index(g[-1])] for g in groups
    ]
    # The best is on top, and no bar hides a point.
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]
    assert all(line.get_xdata()[0] > found.mean_ranks.max() for line in display.bars_)


def test_the_table_has_what_is_shown(errors):
    table = RankDisplay.from_table(errors).table()
    assert table["mean_rank"].is_monotonic_increasing
    near = compare_ranks(errors).groups()[0]
    assert table.loc[table["like_the_best"], "method"].tolist() == near


def test_on_axes_of_ones_own_higher_may_be_better(errors):
    ax = plt.subplots()[1]
    display = RankDisplay.from_table(-errors, lower_is_better=False, ax=ax, scatter_kwargs={"s": 9})
    assert display.ax_ is ax
    assert display.scatter_.get_sizes().tolist() == [9]
    same = RankDisplay.from_table(errors).table()
    pd.testing.assert_frame_equal(display.table(), same)


def test_without_groups_there_is_no_legend():
    rng = np.random.default_rng(0)
    apart = pd.DataFrame({"a": rng.random(80), "b": 2 + rng.random(80)})
    display = RankDisplay.from_table(apart)
    assert display.bars_ == []
    assert display.ax_.get_legend() is None
