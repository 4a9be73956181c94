"""Three values and how they add up."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.claims import parts as p

PARTS = st.lists(st.sampled_from([True, False, None]), max_size=7)


def endings(parts):
    """All ways in which the open ones could turn out."""
    return itertools.product(*([part] if part is not None else [True, False] for part in parts))


@given(PARTS.filter(bool))
def test_every_is_decided_when_no_ending_changes_it(parts):
    answers = {all(end) for end in endings(parts)}
    assert p.every(parts) == (answers.pop() if len(answers) == 1 else None)


@given(PARTS.filter(bool), st.integers(1, 7))
def test_so_is_at_least(parts, needed):
    answers = {sum(end) >= needed for end in endings(parts)}
    assert p.at_least(needed, parts) == (answers.pop() if len(answers) == 1 else None)


@given(PARTS.filter(bool))
def test_so_is_most(parts):
    answers = {sum(end) > len(parts) / 2 for end in endings(parts)}
    assert p.most(parts) == (answers.pop() if len(answers) == 1 else None)


def test_nothing_is_open():
    assert p.every([]) is p.most([]) is p.in_share([], 0.5) is None
    assert p.within(float("nan"), 0, 1) is p.near(float("nan"), 1, 1) is None
    assert p.lower(float("nan"), 1.0) is p.negated(None) is None


@pytest.mark.parametrize(("n", "part"), [(3, None), (20, True)])
def test_few_repeats_leave_a_share_open(n, part):
    assert p.in_share([True] * n, 0.75) is part
    assert p.in_share([False] * n, 0.75) in (None, False)
