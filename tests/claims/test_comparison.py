"""Two methods on the same repeats."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counterpoint.claims.comparison import compare, paired


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
    assert found.p == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert found.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    with_nan = paired([*a, math.nan], [*b, 1.0])
    assert with_nan == found


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
