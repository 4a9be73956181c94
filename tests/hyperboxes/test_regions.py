import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from counterpoint import MemberOutputs
from counterpoint.hyperboxes import MisclassificationBoxes, competence_regions


def naive_competence(regions, X):
    """Distance to the nearest box of each member, in units of the data's diagonal."""
    span = regions.data_range_
    answer = []
    for member in range(regions.n_members_):
        row = []
        for x in X:
            nearest = 1.0
            for b in np.flatnonzero(regions.box_members_ == member):
                gap = np.maximum(regions.lower_[b] - x, x - regions.upper_[b])
                gap = np.maximum(gap, 0) / span
                nearest = min(nearest, np.sqrt((gap**2).mean()))
            row.append(nearest)
        answer.append(row)
    return answer


@settings(max_examples=25)
@given(st.integers(0, 1000), st.sampled_from([0.05, 0.3, 1.0]))
def test_competence_is_the_distance_to_the_nearest_mistake(seed, theta):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3)) * [1, 10, 0.1]
    correct = rng.random((4, 30)) < 0.8
    correct[3] = True
    regions = MisclassificationBoxes(theta).fit(X, correct)
    new = rng.normal(size=(10, 3)) * [1, 10, 0.1]
    competence = regions.competence(new)
    assert_allclose(competence, naive_competence(regions, new), atol=1e-9)
    assert ((competence >= 0) & (competence <= 1)).all()
    assert (competence[3] == 1).all()
    # In a box, up to rounding, at each mistake; a member's box holds no more than its mistakes.
    assert (regions.competence(X)[~correct] < 1e-7).all()
    assert regions.box_weights_.sum() == (~correct).sum()
    assert (regions.upper_ - regions.lower_ <= theta * regions.data_range_ * (1 + 1e-9)).all()


def test_wider_boxes_are_fewer_and_bolder():
    rng = np.random.default_rng(0)
    X, correct = rng.random((200, 2)), rng.random((5, 200)) < 0.7
    fine, coarse = (MisclassificationBoxes(t).fit(X, correct) for t in (0.05, 0.3))
    assert len(coarse.lower_) < len(fine.lower_)
    assert coarse.competence(X).mean() < fine.competence(X).mean()


def test_members_can_be_given_as_outputs():
    y = np.array([0, 1, 1, 0])
    votes = np.array([[0, 1, 0, 0], [1, 1, 1, 0]])
    X = np.arange(4.0).reshape(-1, 1)
    regions = competence_regions(MemberOutputs(votes, y), X, theta=0.2)
    same = competence_regions(votes == y, X, theta=0.2)
    assert_array_equal(regions.competence(X), same.competence(X))
    assert regions.box_members_.tolist() == [0, 1]
    assert regions.lower_.ravel().tolist() == [2.0, 0.0]
    assert_allclose(regions.competence([[2.0], [0.5]]), [[0, 0.5], [2 / 3, 1 / 6]])


def test_what_is_not_known_is_no_distance_away():
    X = [[0.0, 0.0], [1.0, np.nan], [2.0, 2.0]]
    regions = MisclassificationBoxes().fit(X, [[True, False, True]])
    assert regions.lower_.tolist() == [[1.0, -np.inf]]
    assert_allclose(regions.competence([[1.0, 9.0], [np.nan, 0.0]]), [[0.0, 0.0]])


def test_wrong_input():
    X, correct = [[0.0], [1.0]], [[True, False]]
    with pytest.raises(ValueError, match=r"theta=0: give a number above 0 and up to 1"):
        MisclassificationBoxes(0).fit(X, correct)
    with pytest.raises(ValueError, match="looks transposed"):
        MisclassificationBoxes().fit(X, [[True], [False]])
    with pytest.raises(ValueError, match="must say right or wrong"):
        MisclassificationBoxes().fit(X, [[2, 3]])
    with pytest.raises(NotFittedError, match="call fit first"):
        MisclassificationBoxes().competence(X)
    with pytest.raises(ValueError, match="X has 2 columns, but the boxes were made in 1"):
        MisclassificationBoxes().fit(X, correct).competence([[0.0, 1.0]])
