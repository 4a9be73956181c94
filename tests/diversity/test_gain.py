import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from counterpoint import MemberOutputs
from counterpoint.diversity import (
    disagreement_error_ratio,
    improvement_rate,
    is_competent,
    worth,
)
from counterpoint.exceptions import RedundancyWarning

APART = np.array([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]], dtype=bool)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@settings(max_examples=60)
@given(data=st.data())
def test_the_ratio_bounds_the_gain_of_competent_ensembles(n_classes, data):
    """Theisen et al., theorem 1."""
    shape = (data.draw(st.integers(1, 7)), data.draw(st.integers(1, 25)))
    labels = st.integers(0, n_classes - 1)
    y = data.draw(arrays(int, shape[1], elements=labels))
    # Members that are mostly right: others are rarely competent.
    votes = np.where(
        data.draw(arrays(bool, shape, elements=st.integers(0, 9).map(lambda k: k < 7))),
        y,
        data.draw(arrays(int, shape, elements=labels)),
    )
    outputs = MemberOutputs(votes, y, classes=np.arange(n_classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)
        result = worth(outputs)
    if result.competent and not np.isnan(result.improvement_rate):
        assert result.gain_low - 1e-9 <= result.improvement_rate <= result.gain_high + 1e-9
        assert result.improvement_rate >= -1e-9


@settings(max_examples=60)
@given(arrays(bool, st.tuples(st.integers(1, 6), st.integers(1, 25))))
def test_competence_by_its_definition(correct):
    wrong = (~correct).sum(axis=0)
    n = len(correct)
    expected = all(
        np.sum((wrong >= t) & (2 * wrong < n)) >= np.sum((2 * wrong >= n) & (wrong <= n - t))
        for t in range(n // 2 + 1)
    )
    assert is_competent(correct) == expected


def test_a_useful_ensemble():
    result = worth(APART)
    assert result.vote_error == 0.0
    assert_allclose(result.member_error, 0.25)
    assert "beats its best member" in result.verdict
    assert set(result.table()) >= {"member_error", "vote_error", "mean_q", "verdict"}


def test_copies_are_called_redundant():
    rng = np.random.default_rng(0)
    one = rng.random(500) < 0.8
    nearly = np.stack([one ^ (rng.random(500) < 0.01) for _ in range(5)])
    with pytest.warns(RedundancyWarning, match="one of them would do"):
        result = worth(nearly)
    assert "copies" in result.verdict
    assert result.mean_q > 0.95


def test_voting_can_hurt():
    failure = np.array(
        [
            [1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 0, 1, 1, 0, 0],
            [1, 1, 1, 1, 0, 0, 0, 0, 1, 1],
        ]
    )
    result = worth(failure)
    assert result.improvement_rate < 0
    assert not result.competent
    assert "makes it worse" in result.verdict
    assert "does not reach" in result.verdict


def test_nothing_to_improve():
    result = worth(np.ones((3, 4), dtype=bool))
    assert np.isnan(result.improvement_rate)
    assert "never wrong" in result.verdict or "No member is ever wrong" in result.verdict


def test_what_rounds_to_the_same_is_not_called_worse():
    right = np.ones((2, 4001), dtype=bool)
    right[0, :801] = False  # 20.02 %, the other 19.97 %: a tie goes against the vote of two
    right[1, :799] = False
    with pytest.warns(RedundancyWarning):
        verdict = worth(right).verdict
    assert "20.0 %, its members 20.0 % on average: voting changes next to nothing" in verdict


def test_one_member_changes_nothing():
    assert improvement_rate(APART[:1]) == 0.0
    assert disagreement_error_ratio(APART[:1]) == 0.0
    verdict = worth(np.random.default_rng(0).random((1, 45)) < 0.9).verdict
    assert "changes nothing" in verdict
    assert "equals its best member" in verdict
