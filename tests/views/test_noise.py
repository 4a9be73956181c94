"""Noise: widths follow the density, rows move as far as the width says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import views as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from counterpoint.views import NoiseInjectionClassifier, NoiseView, noise, noise_widths


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=25)
def test_widths_match_naive(seed, k, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(5, size=(12, d)).astype(float)  # ties and equal rows
    y = rng.integers(2, size=12)
    twin = 0.7 * np.array(naive.kth_neighbour(X.tolist(), k)) / np.sqrt(d)
    widths = noise_widths(X, y, scale=0.7, n_neighbors=k)
    assert_allclose(widths, twin)
    by_class = noise_widths(X, y, "class", scale=0.7, n_neighbors=k)
    for label in np.unique(y):
        assert_allclose(by_class[y == label], np.median(twin[y == label]))


def test_widths_follow_density():
    """Half the density in two dimensions: neighbours are sqrt(2) as far."""
    rng = np.random.default_rng(0)
    dense, sparse = rng.random((2000, 2)), 10 + 2 * rng.random((1000, 2))
    X, y = np.vstack([dense, sparse]), np.repeat([0, 1], [2000, 1000])
    widths = noise_widths(X, y)
    expected = np.sqrt((4 / 1000) / (1 / 2000))  # area for each point
    assert_allclose(widths[y == 1].mean() / widths[y == 0].mean(), expected, rtol=0.1)
    assert noise_widths(X, y, "class")[0] < noise_widths(X, y, "class")[-1]


@pytest.mark.parametrize("d", [1, 2, 3])
def test_neighbours_in_a_sample_tell_how_far_those_in_all_rows_are(monkeypatch, d):
    X, y = np.random.default_rng(0).random((4000, d)), np.zeros(4000)
    exact = noise_widths(X, y)
    monkeypatch.setattr(noise, "_MOST_SOUGHT", 500)
    ratio = noise_widths(X, y) / exact
    assert (ratio != 1).mean() > 0.9
    assert_allclose(np.median(ratio), 1, atol=0.1)


def test_fixed_widths_by_number_label_and_row():
    X, y = np.zeros((3, 2)), np.array(["a", "b", "a"])
    assert noise_widths(X, y, 0.3).tolist() == [0.3, 0.3, 0.3]
    assert noise_widths(X, y, {"a": 1, "b": 2.5}).tolist() == [1.0, 2.5, 1.0]
    assert noise_widths(X, y, [1, 2, 3]).tolist() == [1.0, 2.0, 3.0]


def test_rows_move_as_far_as_the_width_says():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1, 10, 100]
    X[:, 2] = 5.0  # constant: no scale, no noise
    y = np.repeat([0, 1], 100)
    view = NoiseView({0: 0.1, 1: 0.4}, n_copies=200)
    seen = view.fit(X, y, np.arange(200.0), np.random.RandomState(0))
    assert seen.X.shape == (40_000, 3)
    moved = (seen.X - np.tile(X, (200, 1))) / X.std(axis=0).clip(1e-9)
    assert_allclose(moved[seen.y == 0][:, :2].std(), 0.1, rtol=0.02)
    assert_allclose(moved[seen.y == 1][:, :2].std(), 0.4, rtol=0.02)
    assert (seen.X[:, 2] == 5.0).all()
    assert_array_equal(seen.sample_weight[:200], np.arange(200.0))
    assert_array_equal(view.transform(X), X)  # new samples are seen as they are


def test_resampling_draws_rows_and_keeps_classes():
    X = np.arange(40.0)[:, None]
    y = np.array([0] * 39 + [1])
    view = NoiseView(0.0, resample=True)
    for seed in range(10):
        seen = view.fit(X, y, None, np.random.RandomState(seed))
        assert set(seen.y) == {0, 1}
        assert len(np.unique(seen.X)) < 40
        assert set(seen.X.ravel()) <= set(X.ravel())


def test_the_classifier_finds_neighbours_once_and_on_a_common_scale():
    X, y = load_iris(return_X_y=True)
    X = X * [1, 100, 1, 0.01]
    fitted = NoiseInjectionClassifier(width="density", n_neighbors=3, random_state=0).fit(X, y)
    assert_allclose(fitted.widths_, noise_widths(X / X.std(axis=0), y, n_neighbors=3))
    assert_array_equal(fitted.views_[1].widths_, fitted.widths_)
    assert fitted.score(X, y) > 0.9
    still = NoiseInjectionClassifier(width=0.0, n_estimators=2, random_state=0).fit(X, y)
    assert still.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 150}, "n_neighbors=150, but there are 150 rows, so at most 149"),
        ({"n_neighbors": 0}, "n_neighbors=0: give a whole number from 1"),
        ({"width": "wide"}, "width='wide': choose 'density', 'class'"),
        ({"width": -1}, "width=-1: give a number from 0"),
        ({"width": {0: 1, 1: 1}}, "width has no entry for class 2"),
        ({"width": {0: 1, 1: 1, 2: np.nan}}, "width.2.=nan: give a number from 0"),
        ({"width": [1.0, 2.0]}, r"width has shape \(2,\), expected \(150,\)"),
        ({"scale": -0.5}, "scale=-0.5: give a number from 0"),
        ({"n_copies": 0}, "n_copies=0: give a whole number from 1"),
        ({"n_estimators": 0}, "n_estimators=0: give a whole number from 1"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        NoiseInjectionClassifier(**options).fit(X, y)
