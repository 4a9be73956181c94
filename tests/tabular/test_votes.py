"""Votes in a file: a column a voter, or a row a vote."""

import io

import numpy as np
import pytest

from counterpoint import MemberOutputs
from counterpoint.datasets import make_votes
from counterpoint.tabular import read_answers, summarise_votes
from counterpoint.trust import VoteLog

WIDE = "ann,bob,eve\ncat,cat,dog\ndog,,dog\n"
LONG = "item_id,Annotator,answer\n1,ann,cat\n1,bob,cat\n1,eve,dog\n2,ann,dog\n2,bob,\n2,eve,dog\n"


def read(text, **options):
    return read_answers(io.BytesIO(text.encode()), **options)


def parts(log):
    return log.names, log.samples.tolist(), log.classes.tolist(), log.array().tolist()


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_row_a_vote_is_what_a_column_a_voter_is(shuffled):
    lines = LONG.splitlines()
    order = [0, 4, 2, 6, 1, 3, 5] if shuffled else range(7)
    assert parts(read("\n".join(lines[k] for k in order) + "\n")) == parts(read(WIDE))


def test_both_say_the_same_of_made_votes():
    made = make_votes(60, n_members=4, missing=0.3, random_state=0)
    names = [f"v{k}" for k in range(4)]
    cells = [["" if v is None else str(v) for v in row] for row in np.transpose(made.votes)]
    wide = "\n".join([",".join(names), *(",".join(row) for row in cells)])
    long = ["voter,item,vote"] + [
        f"{names[k]},{at + 1},{cell}" for at, row in enumerate(cells) for k, cell in enumerate(row)
    ]
    assert summarise_votes(read("\n".join(long))) == summarise_votes(read(wide))


def test_columns_of_any_name_are_given():
    text = LONG.replace("item_id,Annotator,answer", "a,b,c")
    assert read(text).names == ["a", "b", "c"]  # three voters
    assert parts(read(text, long=["a", "b", "c"])) == parts(read(WIDE))
    assert read(LONG, long=False).n_members == 3
    with pytest.raises(ValueError, match="no column 'd', but a, b, c"):
        read(text, long=["a", "b", "d"])
    with pytest.raises(ValueError, match="give three columns"):
        read(text, long=["a", "b"])
    with pytest.raises(ValueError, match="do not say who voted on what"):
        read(text, long=True)


def test_a_truth_that_is_named_is_a_truth():
    text = "model,item,label\na,a,a\nb,a,b\n"
    assert isinstance(read(text), VoteLog)
    assert isinstance(read(text, truth="label"), MemberOutputs)


def test_ids_that_look_like_numbers_stay_apart():
    assert read("task,worker,label\n7,ann,x\n007,ann,y\n").samples.tolist() == ["007", "7"]


def test_nothing_whole():
    with pytest.raises(ValueError, match="no whole row of task, worker, label"):
        read("task,worker,label\nq1,,x\n,ann,y\n")


def test_samples_are_named_one_by_one():
    with pytest.raises(ValueError, match=r"samples has shape \(1,\)"):
        VoteLog.from_array([["a", "b"]], samples=["q"])
