import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from counterpoint.subsets import ball_kernel, cone_kernel


def thesis_plane(d, r):
    return 2 * r**2 * np.arccos(d / (2 * r)) - d * np.sqrt(r**2 - d**2 / 4)


def thesis_space(d, r):
    return np.pi / 12 * (4 * r + d) * (2 * r - d) ** 2


@given(st.floats(0.1, 10), st.floats(0, 1))
def test_balls_follow_the_equations_of_the_thesis(radius, part):
    d = 2 * radius * part
    flat = ball_kernel([[0, 0]], [[d, 0]], radius=radius)[0, 0]
    assert flat == pytest.approx(thesis_plane(d, radius) / (np.pi * radius**2), abs=1e-7)
    solid = ball_kernel([[0, 0, 0]], [[0, d, 0]], radius=radius)[0, 0]
    whole = 4 / 3 * np.pi * radius**3
    assert solid == pytest.approx(thesis_space(d, radius) / whole, abs=1e-7)
    line = ball_kernel([[0]], [[d]], radius=radius)[0, 0]
    assert line == pytest.approx(1 - part, abs=1e-7)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_balls_are_what_throwing_centres_gives(m):
    rng = np.random.default_rng(m)
    X = rng.normal(size=(4, m))
    radius, n = 1.5, 200_000
    # Centres within reach of the first point: all balls that hold it.
    centres = rng.normal(size=(n, m))
    centres /= np.linalg.norm(centres, axis=1)[:, None]
    centres = X[0] + centres * radius * rng.random(n)[:, None] ** (1 / m)
    hit = [(np.linalg.norm(centres - x, axis=1) <= radius).mean() for x in X]
    np.testing.assert_allclose(ball_kernel(X[:1], X, radius=radius)[0], hit, atol=0.006)


@pytest.mark.parametrize("angle", [0.4, 1.0, np.pi / 2])
@pytest.mark.parametrize("m", [2, 3, 4, 7])
def test_cones_are_what_throwing_axes_gives(m, angle):
    rng = np.random.default_rng(m)
    first = np.eye(m)[0]
    near = first + 0.4 * np.eye(m)[1]
    far = first + 1.2 * np.eye(m)[1]
    X = np.stack([first, 3 * near, far])
    axes = rng.normal(size=(400_000, m))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    inside = axes @ (X / np.linalg.norm(X, axis=1)[:, None]).T >= np.cos(angle)
    hit = inside[inside[:, 0]]
    error = 4 * np.sqrt(0.25 / max(len(hit), 1))
    assert np.abs(cone_kernel(X[:1], X, angle=angle)[0] - hit.mean(axis=0)).max() < error
    assert cone_kernel(X[:1], -X, angle=angle)[0, 0] == pytest.approx(0.0, abs=1e-9)


@given(st.floats(0.05, np.pi / 2), st.floats(0, np.pi))
def test_cones_in_the_plane_follow_the_equation_of_the_thesis(angle, between):
    value = cone_kernel([[2.0, 0.0]], [[np.cos(between), np.sin(between)]], angle=angle)[0, 0]
    assert value == pytest.approx(max(angle - between / 2, 0) / angle, abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.integers(2, 6), st.floats(0.3, 1.5))
def test_both_are_kernels(seed, m, size):
    X = np.random.default_rng(seed).normal(size=(25, m))
    for kernel in (ball_kernel(X, radius=size), cone_kernel(X, angle=size)):
        np.testing.assert_allclose(kernel, kernel.T, atol=1e-12)
        np.testing.assert_allclose(np.diag(kernel), 1.0)
        assert np.linalg.eigvalsh(kernel).min() > -1e-7


def test_a_machine_can_use_them():
    X, y = make_moons(200, noise=0.15, random_state=0)
    assert SVC(kernel=ball_kernel, C=10).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    lifted = np.column_stack([X, np.ones(len(X))])
    assert SVC(kernel=cone_kernel, C=10).fit(lifted, y).score(lifted, y) > 0.85


def test_wrong_input_says_what_to_change():
    with pytest.raises(ValueError, match="radius=0: give a number above 0"):
        ball_kernel([[1.0]], radius=0)
    with pytest.raises(
        ValueError, match=r"angle=2: give a number from 0\.0001 to 1\.57.*radians up to pi / 2"
    ):
        cone_kernel([[1.0, 0.0]], angle=2)
    with pytest.raises(ValueError, match="Row 1 of Y is the origin"):
        cone_kernel([[1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="at least two columns"):
        cone_kernel([[1.0]])
    with pytest.raises(ValueError, match=r"[Ii]ncompatible dimension"):
        ball_kernel([[1.0]], [[1.0, 2.0]])


def test_the_largest_radius_holds_points_as_far_apart_as_floats_are():
    near = ball_kernel([[0.0]], [[1e308], [-1.7e308]], radius=1.7e308)
    np.testing.assert_allclose(near, [[1 - 1 / 3.4, 0.5]], atol=1e-9)
