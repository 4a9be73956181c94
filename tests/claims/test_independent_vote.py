"""The vote of independent members: arithmetic, to the digit."""

import claim_checks as checks

from counterpoint.claims.independent_vote import CLAIM


def test_the_vote_is_exact():
    found = CLAIM.judge(checks.smoke("independent-vote"))
    assert found.word == "reproduced"
    assert len(found.table) == 9
    assert (found.table["ours"].round(6) == found.table["theirs"]).all()


def test_the_vote_can_fail():
    frame = checks.smoke("independent-vote")
    assert CLAIM.judge(frame.assign(vote_error=[*frame["vote_error"][:-1], 0.5])).word == "differs"
    assert CLAIM.judge(frame.assign(vote_error=0.5)).word == "not reproduced"
