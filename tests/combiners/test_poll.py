import numpy as np
import pytest

from counterpoint import MemberOutputs
from counterpoint.combiners import Poll, VoteCombiner


def ballot(n_classes, n_members=7, n_samples=200, seed=0):
    rng = np.random.default_rng(seed)
    votes = rng.integers(n_classes, size=(n_members, n_samples))
    y = rng.integers(n_classes, size=n_samples)
    return MemberOutputs(votes, y, classes=np.arange(n_classes)), rng.integers(5, size=n_members)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_a_poll_counts_what_a_weighted_vote_counts(n_classes):
    outputs, weights = ballot(n_classes)
    cast = Poll(outputs).count(weights)
    np.testing.assert_allclose(
        cast / weights.sum(), VoteCombiner(weights).combine(outputs), rtol=1e-12
    )
    np.testing.assert_array_equal(
        cast.argmax(axis=1), VoteCombiner(weights).combine(outputs).argmax(axis=1)
    )


@pytest.mark.parametrize("n_classes", [2, 4])
def test_cells_are_the_samples_counted(n_classes):
    outputs, weights = ballot(n_classes)
    poll = Poll(outputs)
    cast = poll.count(weights)
    cells = poll.cells(cast)
    found = sorted(
        (*row, y)
        for row, y, n in zip(cells.cast.tolist(), cells.y, cells.n_samples)
        for _ in range(n)
    )
    assert found == sorted((*row, y) for row, y in zip(cast.tolist(), outputs.y))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_samples", [30, 70_000])
def test_the_most_disputed_come_first_and_of_equals_the_first(n_classes, n_samples):
    outputs, _ = ballot(n_classes, n_samples=n_samples)
    poll = Poll(outputs)
    rows, dispute = poll.disputed(poll.count(), 12)
    tally = outputs.tally
    expected = np.round(1 - (tally**2).sum(axis=1), 12)
    order = np.argsort(-expected, kind="stable")[:12]
    np.testing.assert_array_equal(rows, order[expected[order] > 0])
    np.testing.assert_allclose(dispute, expected[rows], atol=1e-12)


def test_who_all_agree_on_is_not_disputed():
    outputs = MemberOutputs([[0, 1, 1], [0, 1, 0]], [0, 1, 1])
    rows, dispute = Poll(outputs).disputed(Poll(outputs).count())
    assert rows.tolist() == [2]
    assert dispute.tolist() == [0.5]


@pytest.mark.parametrize(
    "weights", [[1, 2], [0.5] * 7, [-1, *[1] * 6], [2**31, *[0] * 6], [float("nan")] * 7]
)
def test_weights_are_whole_numbers_one_for_each(weights):
    with pytest.raises(ValueError, match="weights"):
        Poll(ballot(2)[0]).count(weights)
