import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from sklearn.linear_model import LogisticRegression

from counterpoint.hyperboxes import HyperboxClassifier, HyperboxEnsembleClassifier
from counterpoint.plots import style
from counterpoint.plots.hyperboxes import HyperboxDisplay

MODELS = [HyperboxClassifier(0.4), HyperboxEnsembleClassifier(threshold=0.6, random_state=0)]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_boxes_are_drawn_in_the_colour_of_their_class(model, data, assert_readable):
    X, y, *_ = data
    model.fit(X, y)
    display = HyperboxDisplay.from_estimator(model, X, y)
    lower, upper = model.boxes_
    assert len(display.boxes_) == model.n_boxes_
    for box, v, w, label in zip(display.boxes_, lower, upper, model.box_classes_):
        assert to_hex(box.get_edgecolor()).upper() == style.colour(label).upper()
        finite = np.isfinite(v) & np.isfinite(w)
        size = np.array([box.get_width(), box.get_height()])
        np.testing.assert_allclose(np.array(box.get_xy())[finite], v[finite])
        np.testing.assert_allclose(size[finite], (w - v)[finite])
        assert np.isfinite(size).all()
    assert_readable(display.figure_)


def test_the_picture_keeps_to_the_data(data):
    X, y, *_ = data
    model = HyperboxEnsembleClassifier(random_state=0).fit(X, y)
    assert np.isinf(model.boxes_[0]).any()  # leaves without an end
    ax = HyperboxDisplay.from_estimator(model, X, y).ax_
    low, high = X.min(axis=0), X.max(axis=0)
    assert ax.get_xlim()[0] > low[0] - 0.1 * (high - low)[0]
    assert ax.get_ylim()[1] < high[1] + 0.1 * (high - low)[1]


def test_table_names_and_given_axes(data):
    X, y, *_ = data
    frame = pd.DataFrame(X, columns=["age", "income"])
    model = HyperboxClassifier(0.4).fit(frame, y)
    ax = plt.subplots()[1]
    display = HyperboxDisplay.from_estimator(model, frame, y, ax=ax, box_kwargs={"lw": 3})
    assert display.ax_ is ax
    assert ax.get_xlabel() == "age"
    assert display.boxes_[0].get_linewidth() == 3
    table = display.table()
    assert list(table)[2:] == ["age from", "age to", "income from", "income to"]
    np.testing.assert_array_equal(table["income to"], model.boxes_[1][:, 1])
    assert table["samples"].sum() == len(y)


def test_wrong_models(data):
    X, y, *_ = data
    with pytest.raises(TypeError, match="LogisticRegression has no boxes: pass a HyperboxClass"):
        HyperboxDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
    wide = np.hstack([X, X])
    with pytest.raises(ValueError, match=r"expected \(n_samples, 2\)"):
        HyperboxDisplay.from_estimator(HyperboxClassifier().fit(wide, y), wide, y)
    with pytest.raises(ValueError, match="The boxes have 4 sides, expected 2"):
        HyperboxDisplay.from_estimator(HyperboxClassifier().fit(wide, y), X, y)
