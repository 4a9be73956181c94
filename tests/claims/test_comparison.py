"""Two methods on the same repeats."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoint.claims.comparison import Paired, compare, paired, unpaired


def test_comparisons_need_both_sides():
    frame = pd.DataFrame({"repeat": [0, 1], "method": "a", "error": [0.1, 0.2]})
    assert compare(frame, "method", "a", "b", "error").n == 0


def test_paired():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 12))
    found = paired(a, b)
    test = stats.ttest_rel(a, b)
    assert found.n == 12
    assert found.difference == pytest.approx((a - b).mean())
    assert found.interval == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert found.p == pytest.approx(test.pvalue)
    assert found.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    with_nan = paired([*a, math.nan], [*b, 1.0])
    assert with_nan == found


def test_shared_training_rows_widen_the_interval():
    rng = np.random.default_rng(0)
    gap = rng.normal(size=10)
    plain, shared = paired(gap, np.zeros(10)), paired(gap, np.zeros(10), overlap=1 / 9)
    # Nadeau and Bengio: the variance of the mean is (1/n + n_test/n_train) s^2.
    ratio = math.sqrt((1 / 10 + 1 / 9) / (1 / 10))
    assert np.ptp(shared.interval) == pytest.approx(ratio * np.ptp(plain.interval))
    assert shared.p > plain.p
    assert shared.difference == plain.difference


@pytest.mark.parametrize(
    ("interval", "below", "above", "level"),
    [
        ((-0.3, -0.1), True, False, False),
        ((0.1, 0.3), False, True, False),
        ((-0.1, 0.2), None, None, None),
        ((-0.01, 0.02), None, None, True),
        ((0.0, 0.0), False, False, True),
        ((math.nan, math.nan), None, None, None),
    ],
)
def test_an_interval_says_yes_no_or_nothing(interval, below, above, level):
    gap = Paired(5, sum(interval) / 2, interval, math.nan, math.nan)
    assert (gap.below(), gap.above(), gap.level(0.05)) == (below, above, level)


def test_a_gain_too_small_to_count_can_be_excluded():
    gap = Paired(50, 0.0, (-0.004, 0.004), 1.0, 0.0)
    assert gap.below() is None
    assert gap.below(least=0.01) is False
    assert gap.above(least=0.01) is False
    big = Paired(50, -0.3, (-0.4, -0.2), 0.0, -1.0)
    assert (big.lower_by(0.1), big.lower_by(0.3), big.lower_by(0.5)) == (True, None, False)
    assert (big.higher_by(0.0), gap.higher_by(0.001), gap.higher_by(0.01)) == (False, None, False)


def test_groups_that_share_nothing():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=8), rng.normal(1, 2, size=5)
    found, test = unpaired(a, b), stats.ttest_ind(a, b, equal_var=False)
    assert found.interval == pytest.approx(tuple(test.confidence_interval(0.95)))
    assert unpaired([1.0], [2.0, 3.0]).below() is None
    assert unpaired([1.0, 1.0], [2.0, 2.0]).below() is True


def test_pairs_that_say_little():
    none, one, same = paired([], []), paired([1.0], [0.5]), paired([1.0, 2.0], [1.0, 2.0])
    assert none.n == 0
    assert math.isnan(none.difference)
    assert (one.n, one.difference) == (1, 0.5)
    assert math.isnan(one.p)
    assert math.isnan(one.interval[0])
    assert (same.p, same.difference) == (1.0, 0.0)
    assert math.isnan(same.effect)
    with pytest.raises(ValueError, match="Pairs are needed"):
        paired([1.0, 2.0], [1.0])
