import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint.plots import MemberBoundariesDisplay, plot_decision_boundary


@pytest.fixture(params=[2, 3])
def plane(request, data):
    X, y, _, _ = data
    y = np.array(["red", "green", "blue"])[np.minimum(y, request.param - 1)]
    return X, y


def _meshes(ax):
    return [c for c in ax.collections if type(c).__name__ == "QuadMesh"]


def test_regions_are_what_the_classifier_says(plane, assert_readable):
    X, y = plane
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    display = plot_decision_boundary(tree, X, y, grid_resolution=20)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_array_equal(tree.classes_[display.response.ravel()], tree.predict(grid))
    (mesh,) = _meshes(display.ax_)
    np.testing.assert_array_equal(mesh.get_array(), display.response)
    assert mesh.get_clim() == (-0.5, len(tree.classes_) - 0.5)
    assert len(tree.classes_) == mesh.get_cmap().N
    assert_readable(display.figure_)


def test_points_have_the_colour_of_their_region_only_stronger(plane):
    X, y = plane
    tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    ax = plot_decision_boundary(tree, X, y, grid_resolution=20).ax_
    (mesh,) = _meshes(ax)
    points = {c.get_label(): c for c in ax.collections if c is not mesh}
    assert list(points) == list(tree.classes_)
    for k, (label, dots) in enumerate(points.items()):
        np.testing.assert_array_equal(dots.get_offsets(), X[y == label])
        region, dot = np.array(mesh.get_cmap()(k)[:3]), dots.get_facecolor()[0, :3]
        np.testing.assert_allclose(region, 1 - 0.3 * (1 - dot))


def test_limits_leave_room_each_way(data):
    X, y, _, _ = data
    X = X * [1.0, 1000.0]
    tree = DecisionTreeClassifier().fit(X, y)
    display = plot_decision_boundary(tree, X, y, grid_resolution=5)
    spread = np.ptp(X, axis=0)
    assert display.xx0.min() == pytest.approx(X[:, 0].min() - 0.05 * spread[0])
    assert display.xx1.max() == pytest.approx(X[:, 1].max() + 0.05 * spread[1])
    wide = plot_decision_boundary(tree, X, y, grid_resolution=5, eps=7.0)
    assert wide.xx0.min() == pytest.approx(X[:, 0].min() - 7)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(data, frame):
    X, y, _, _ = data
    X = frame({"length": X[:, 0], "width": X[:, 1]})
    bagging = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    ax = plot_decision_boundary(bagging, X, y, grid_resolution=10).ax_
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    display = MemberBoundariesDisplay.from_estimator(bagging, X, y, grid_resolution=10)
    assert list(display.table())[:3] == ["length", "width", "ensemble"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("length", "width")


def test_members_are_asked_all_over_the_plane(plane, assert_readable):
    X, y = plane
    forest = RandomForestClassifier(n_estimators=4, max_depth=2, random_state=0).fit(X, y)
    display = MemberBoundariesDisplay.from_estimator(forest, X, y, grid_resolution=30)
    table = display.table()
    grid = table[["Feature 0", "Feature 1"]].to_numpy()
    np.testing.assert_array_equal(table["ensemble"], forest.predict(grid))
    for name, tree in zip(display.names, forest.estimators_, strict=True):
        said = forest.classes_[tree.predict(grid).astype(int)]
        np.testing.assert_array_equal(table[name], said)
    lines = [c for c in display.ax_.collections if type(c).__name__ == "QuadContourSet"]
    assert len(lines) == 4
    (mesh,) = _meshes(display.ax_)
    np.testing.assert_array_equal(mesh.get_array(), display.region)
    assert_readable(display.figure_)


def test_a_member_of_one_class_has_no_line(data):
    X, y, _, _ = data
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y == 0)
    display = MemberBoundariesDisplay.from_estimator(forest, X, y == 0, grid_resolution=10)
    display.votes[0] = 0
    again = display.plot()
    lines = [c for c in again.ax_.collections if type(c).__name__ == "QuadContourSet"]
    assert len(lines) == 2


def test_given_axes(data):
    X, y, _, _ = data
    bagging = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    figure, (left, right) = plt.subplots(1, 2)
    assert plot_decision_boundary(bagging, X, y, ax=left, grid_resolution=10).ax_ is left
    display = MemberBoundariesDisplay.from_estimator(
        bagging, X, y, ax=right, grid_resolution=10, line_kwargs={"colors": "red"}
    )
    assert (display.ax_, display.figure_) == (right, figure)
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", [plot_decision_boundary, MemberBoundariesDisplay.from_estimator])
def test_wrong_input(draw, data):
    X, y, _, _ = data
    bagging = BaggingClassifier(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match=r"X has shape \(75, 3\), expected \(n_samples, 2\)"):
        draw(bagging, np.column_stack([X, y]), y)
    with pytest.raises(ValueError, match="X is empty"):
        draw(bagging, X[:0], y[:0])
    with pytest.raises(ValueError, match=r"y has shape \(74,\), expected \(75,\)"):
        draw(bagging, X, y[:-1])
    with pytest.raises(TypeError, match="which DecisionTreeRegressor is not"):
        draw(DecisionTreeRegressor().fit(X, y), X, y)
    with pytest.raises(ValueError, match="X holds NaN or infinity"):
        draw(bagging, X + np.inf, y)
    with pytest.raises(ValueError, match=r"label 7, which the classifier never saw.*\[0, 1, 2\]"):
        draw(bagging, X, np.where(y == 1, 7, y))
    with pytest.raises(NotFittedError):
        draw(BaggingClassifier(), X, y)
    with pytest.raises(ValueError, match="grid_resolution"):
        draw(bagging, X, y, grid_resolution=1)
