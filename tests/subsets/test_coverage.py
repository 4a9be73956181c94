import numpy as np
import pytest

from counterpoint.diversity import coverage_spread
from counterpoint.subsets import coverage_path


def test_the_path_ends_where_the_measure_is():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    subsets = rng.random((200, 60)) < 0.2 + 0.1 * (y == 1)
    path = coverage_path(subsets, y)
    last = path.groupby("label").last()
    np.testing.assert_allclose(last["spread"], coverage_spread(subsets, y))
    own = y == 1
    favours = subsets[:, own].mean(axis=1) > subsets[:, ~own].mean(axis=1)
    assert last["n_subsets"][1] == favours.sum()
    assert (path["low"] <= path["mean"] + 1e-12).all()
    share = subsets[favours][:7, own].mean(axis=0)
    at_seven = coverage_path(subsets, y, counts=[7]).set_index("label").loc[1]
    assert at_seven["mean"] == pytest.approx(share.mean())
    assert at_seven["high"] == pytest.approx(np.quantile(share, 0.95))


def test_a_class_that_nothing_favours_has_no_rows():
    path = coverage_path([[1, 1, 0, 0]], ["a", "a", "b", "b"])
    assert path["label"].tolist() == ["a"]


def test_wrong_input_says_what_to_change():
    with pytest.raises(ValueError, match="one class only"):
        coverage_path([[1, 0]], [1, 1])
    with pytest.raises(ValueError, match="looks transposed"):
        coverage_path(np.ones((3, 2)), [0, 1, 1])
    with pytest.raises(ValueError, match="whole numbers from 1"):
        coverage_path([[1, 0]], [0, 1], counts=[0])
    with pytest.raises(ValueError, match="whole numbers from 1"):
        coverage_path([[1, 0]], [0, 1], counts=[1.5])
