import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from counterpoint.plots.coverage import CoverageDisplay
from counterpoint.subsets import (
    StochasticDiscriminationClassifier,
    coverage_path,
    ensemble_to_features,
)

X, Y = load_iris(return_X_y=True)


def test_lines_are_the_means_and_bands_the_quantiles():
    model = StochasticDiscriminationClassifier(40, random_state=0).fit(X, Y)
    display = CoverageDisplay.from_estimator(model, X, Y)
    path = coverage_path(model.subsets(X), Y)
    assert display.table().equals(path)
    for label, line in enumerate(display.lines_):
        part = path[path["label"] == label]
        np.testing.assert_array_equal(line.get_ydata(), part["mean"])
        assert line.get_label() == str(label)
    assert len(display.ax_.collections) == 3
    assert len({line.get_color() for line in display.lines_}) == 3


def test_leaves_of_a_forest_and_given_axes():
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, Y)
    ax = plt.subplots()[1]
    display = CoverageDisplay.from_estimator(forest, X, Y, what="spread", ax=ax)
    assert display.ax_ is ax
    assert not ax.collections
    path = coverage_path(ensemble_to_features(forest, X).T.toarray(), Y)
    first = path[path["label"] == 0]["spread"]
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), first.where(first > 0))


def test_wrong_input_says_what_to_change():
    with pytest.raises(ValueError, match="choose 'coverage', 'spread'"):
        CoverageDisplay.from_subsets([[1, 0]], [0, 1], what="mean")
    with pytest.raises(ValueError, match="one class only"):
        CoverageDisplay.from_subsets([[1, 0]], [1, 1])
