import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint import MemberOutputs
from counterpoint.diversity import (
    coverage,
    coverage_spread,
    data_diversity,
    enrichment,
    enrichment_degree,
    member_subsets,
)

Y = np.array(["a"] * 4 + ["b"] * 2 + ["c"] * 2)
SUBSETS = np.random.default_rng(0).random((30, 8)) < 0.5


def test_enrichment_by_its_definition():
    values = enrichment(SUBSETS, Y)
    for s, subset in enumerate(SUBSETS):
        for k, label in enumerate("abc"):
            held, rest = subset[label == Y], subset[label != Y]
            assert_allclose(values[s, k], abs(held.mean() - rest.mean()))
    assert enrichment_degree(SUBSETS, Y) == values.max(axis=1).min()


def test_two_balanced_classes_tie_enrichment_to_error():
    """Thesis 3.1: the error of a member is (1 - e) / 2 when classes are of equal size."""
    y = np.repeat([0, 1], 20)
    votes = np.where(np.random.default_rng(0).random((6, 40)) < 0.8, y, 1 - y)
    outputs = MemberOutputs(votes, y)
    e = enrichment(outputs)[::2, 0]  # the first subset of each member
    assert_allclose(outputs.errors, (1 - e) / 2)


def test_an_ensemble_covers_every_sample_once_a_member():
    outputs = MemberOutputs(np.random.default_rng(0).integers(3, size=(5, 8)), classes=[0, 1, 2])
    subsets = member_subsets(outputs)
    assert subsets.shape == (15, 8)
    assert_allclose(coverage(subsets), np.full(8, 1 / 3))


def test_coverage_spread_by_its_definition():
    values = coverage_spread(SUBSETS, Y)
    for k, label in enumerate("abc"):
        mine = [s for s in SUBSETS if s[label == Y].mean() > s[label != Y].mean()]
        expected = np.std(np.mean(mine, axis=0)[label == Y])
        assert_allclose(values[k], expected)


def test_a_uniform_cover_has_no_spread():
    y = np.array([0, 0, 1, 1])
    assert_array_equal(coverage_spread([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1]], y), [0, 0])


def test_a_class_no_subset_favours_has_no_spread_to_speak_of():
    spread = coverage_spread([[1, 1, 0, 0]], [0, 0, 1, 1])
    assert spread[0] == 0
    assert np.isnan(spread[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: enrichment(SUBSETS), "Pass y"),
        (lambda: enrichment(SUBSETS, ["a"] * 8), "one class only"),
        (lambda: enrichment(SUBSETS.T, Y), "transposed, pass np.swapaxes"),
        (lambda: enrichment(SUBSETS + 5, Y), "right or wrong"),
        (lambda: member_subsets(SUBSETS), "needs the members' labels"),
        (lambda: data_diversity(np.empty((0, 3))), "no rows"),
        (lambda: data_diversity([[1], [2]], [1]), "X has 2 rows"),
    ],
)
def test_wrong_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "frame", [pd.DataFrame, pl.DataFrame, lambda d: np.array(list(d.values())).T]
)
def test_data_diversity_counts_distinct_rows(frame):
    data = frame({"class": [1.0, 1.0, 1.0, 2.0], "other": [3.0, 3.0, 4.0, 3.0]})
    assert data_diversity(data) == 0.75
    assert data_diversity(data, ["x", "y", "x", "x"]) == 1.0


def test_missing_values_are_equal_to_each_other():
    assert data_diversity([[np.nan, 1], [np.nan, 1], [0, 1]]) == pytest.approx(2 / 3)
