"""How much of a claim was run, and what that says."""

import fake_claims
import pytest

from counterpoint.claims import Store, judge_claim, run_experiment

CLAIM = fake_claims.make("F1")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as store:
        yield store


@pytest.mark.parametrize("empty", [None, "store"])
def test_never_run(store, empty):
    judged = judge_claim(CLAIM, store if empty else None)
    assert (judged.size, judged.n_done, judged.n_cells) == (None, 0, 6)
    assert judged.cells == "never run"
    assert judged.verdict is None
    assert judged.caution == judged.problem == ""
    assert not judged.complete


def test_smoke_is_no_proof(store):
    run_experiment(CLAIM.experiment("smoke"), store)
    judged = judge_claim(CLAIM, store)
    assert judged.cells == "smoke size, all 2 cells"
    assert judged.verdict.word == "open"
    assert judged.word == "open (smoke run)"
    assert "too small to decide" in judged.caution
    assert not judged.complete


def test_full_in_part_and_whole(store):
    full = CLAIM.experiment("full")
    run_experiment(CLAIM.experiment("smoke"), store)
    for cell in full.cells()[:4]:
        store.put(full, cell, full.evaluate(cell), 2.0)
    judged = judge_claim(CLAIM, store)  # before the smoke run
    assert judged.cells == "full size, 4 of 6 cells"
    assert judged.seconds == 8.0
    assert judged.verdict.word == "reproduced"
    assert judged.caution.startswith("Judged on 4 of 6 cells")
    assert judged.word == "reproduced (4 of 6 cells)"
    assert not judged.complete
    assert judge_claim(CLAIM, store, "smoke").n_cells == 2
    run_experiment(full, store)
    judged = judge_claim(CLAIM, store)
    assert judged.complete
    assert judged.caution == ""
    assert len(judged.frame) == 6


def test_a_size_that_was_not_run(store):
    run_experiment(CLAIM.experiment("smoke"), store)
    judged = judge_claim(CLAIM, store, "full")
    assert (judged.size, judged.n_cells) == (None, 6)


def test_a_rule_that_fails_is_a_problem_and_no_error(store):
    claim = fake_claims.make("F1", judge=fake_claims.judge_badly)
    run_experiment(claim.experiment("smoke"), store)
    judged = judge_claim(claim, store)
    assert judged.verdict is None
    assert judged.problem.startswith("The rule cannot be applied to these rows: KeyError")
    assert "judge_badly" in judged.trace


def test_a_rule_may_change_its_frame(store):
    def judge(frame):
        frame["more"] = 1
        return fake_claims.judge(frame)

    claim = fake_claims.make("F1", judge=judge)
    run_experiment(claim.experiment("smoke"), store)
    assert "more" not in judge_claim(claim, store).frame


def test_cells_without_rows(store):
    full = CLAIM.experiment("full")
    store.put(full, full.cells()[0], [], 1.0)
    assert judge_claim(CLAIM, store).problem == "The finished cells gave no rows."
