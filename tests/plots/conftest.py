import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs


@pytest.fixture(autouse=True)
def tidy():
    """No display may show a figure or leave a trace in rcParams."""
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


@pytest.fixture(scope="session")
def data():
    X, y = load_iris(return_X_y=True)
    X = np.round(X[:, :2] + np.random.default_rng(0).normal(0, 0.3, (150, 2)), 2)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="session")
def ensembles(data):
    X, y, _, _ = data
    stump = DecisionTreeClassifier(max_depth=2)
    return {
        "bagging": BaggingClassifier(stump, n_estimators=8, random_state=0).fit(X, y),
        "forest": RandomForestClassifier(n_estimators=12, random_state=0).fit(X, y),
    }


@pytest.fixture(scope="session")
def outputs(ensembles, data):
    _, _, X, y = data
    return {name: MemberOutputs.from_estimator(one, X, y) for name, one in ensembles.items()}


def _meet(a, b):
    # Half a pixel of touching is not an overlap.
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5


def _tick_labels(axis):
    low, high = sorted(axis.get_view_interval())
    hair = 1e-6 * (high - low)
    return [
        tick.label1
        for tick in axis.get_major_ticks()
        if tick.label1.get_visible()
        and tick.label1.get_text()
        and low - hair <= tick.get_loc() <= high + hair
    ]


@pytest.fixture
def assert_readable():
    """Nothing written on the figure overlaps, or runs off its edge."""

    def check(figure, *, legend_inside=False):
        figure.canvas.draw()
        texts = []
        for ax in figure.axes:
            if not ax.axison:
                continue
            titles = [ax.title, ax._left_title]
            here = [*_tick_labels(ax.xaxis), *_tick_labels(ax.yaxis), *ax.texts]
            texts += [t for t in [*titles, ax.xaxis.label, ax.yaxis.label, *here] if t.get_text()]
            if ax.get_legend() is not None:
                texts.append(ax.get_legend())
                if not legend_inside:
                    legend = ax.get_legend().get_window_extent()
                    assert not _meet(legend, ax.get_window_extent()), "the legend is on the data"
        boxes = [text.get_window_extent() for text in texts]
        for k, box in enumerate(boxes):
            for text, other in zip(texts[:k], boxes[:k], strict=True):
                assert not _meet(box, other), f"{texts[k]} overlaps {text}"
        page = figure.bbox
        for k, box in enumerate(boxes):
            assert box.x0 > -1, texts[k]
            assert box.y0 > -1, texts[k]
            assert box.x1 < page.x1 + 1, texts[k]
            assert box.y1 < page.y1 + 1, texts[k]

    return check
