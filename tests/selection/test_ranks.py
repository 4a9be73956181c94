import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from counterpoint.selection import compare_ranks

# Scores with the mean ranks of the worked example in Demsar 2006, 3.2.2: 14 sets, 4 methods.
DEMSAR = pd.DataFrame(
    {
        "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000, 0.940,
                 0.619, 0.972, 0.957],
        "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000, 0.962,
                   0.666, 0.981, 0.978],
        "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.000, 0.965,
                    0.614, 0.9751, 0.946],
        "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.000, 0.962,
                      0.669, 0.975, 0.970],
    }
)  # fmt: skip


def test_the_worked_example_of_demsar():
    found = compare_ranks(DEMSAR, lower_is_better=False)
    ranks = found.mean_ranks
    assert ranks.round(3).to_dict() == {
        "C4.5+m+cf": 1.964, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5": 3.143,
    }  # fmt: skip
    # The paper does without the correction for equals: chi 9.28, F 3.69; with it both grow.
    chi = 12 * 14 / (4 * 5) * ((ranks**2).sum() - 4 * 5**2 / 4)
    assert chi == pytest.approx(9.28, abs=0.01)
    assert 13 * chi / (14 * 3 - chi) == pytest.approx(3.69, abs=0.01)
    assert 3.69 < found.statistic < 4.3
    assert 0.01 < found.p_value < 0.05
    assert found.critical_difference == pytest.approx(1.25, abs=0.01)
    tenth = compare_ranks(DEMSAR, lower_is_better=False, alpha=0.1)
    assert tenth.critical_difference == pytest.approx(1.12, abs=0.01)
    # C4.5 differs from the two best at 0.1, not at 0.05.
    assert found.groups() == [list(ranks.index)]
    assert tenth.groups() == [["C4.5+m+cf", "C4.5+m", "C4.5+cf"], ["C4.5+cf", "C4.5"]]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(3, 6))
def test_the_statistic_is_that_of_scipy(seed, n, k):
    scores = np.random.default_rng(seed).integers(0, 8, (n, k)).astype(float)  # equals are common
    scores[0] = np.arange(k)
    found = compare_ranks(scores)
    assert found.mean_ranks.mean() == pytest.approx((k + 1) / 2)
    chi = friedmanchisquare(*scores.T).statistic
    if found.p_value > 0:
        assert found.statistic == pytest.approx((n - 1) * chi / (n * (k - 1) - chi))
    for group in found.groups():
        spread = found.mean_ranks[group].max() - found.mean_ranks[group].min()
        assert spread < found.critical_difference


def test_when_all_sets_agree_and_when_all_methods_are_equal():
    agree = compare_ranks(np.tile([0.1, 0.2, 0.3], (5, 1)))
    assert np.isnan(agree.statistic)
    assert agree.p_value == 0
    equal = compare_ranks(np.ones((5, 3)))
    assert np.isnan(equal.statistic)
    assert np.isnan(equal.p_value)
    assert equal.groups() == [["0", "1", "2"]]


def test_methods_far_apart_are_in_no_group():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame({"a": rng.random(80), "b": 2 + rng.random(80), "c": 4 + rng.random(80)})
    assert compare_ranks(scores).groups() == []


def test_wrong_input_says_what_to_change():
    table = pd.DataFrame({"a": [1.0, np.nan], "b": [1.0, 2.0]}, index=["iris", "wine"])
    with pytest.raises(ValueError, match="Method 'a' has no score on 'wine'"):
        compare_ranks(table)
    with pytest.raises(ValueError, match="1 data sets"):
        compare_ranks([[1.0, 2.0]])
    with pytest.raises(ValueError, match="alpha=2: give a level"):
        compare_ranks([[1.0, 2.0], [1.0, 3.0]], alpha=2)
