"""Cells that other code made, run again."""

import fake_claims
import pytest

from counterpoint.claims import Store, checking, judge_claim, kept, run_experiment


@pytest.fixture
def claim():
    return fake_claims.make("F1", n=30)


@pytest.fixture
def store(claim, tmp_path):
    with Store(tmp_path / "a.sqlite") as store:
        run_experiment(claim.experiment("full"), store, code="earlier")
        yield store


def test_enough_cells_that_are_the_same_vouch_for_all(claim, store, tmp_path):
    assert judge_claim(claim, store).n_older == 60
    found = checking.check_claim(claim, store, 20)
    assert found.recorded
    assert len(found.table) == 20
    judged = judge_claim(claim, store)
    assert judged.n_older == 40  # those that were run again are of today's code
    assert judged.caution == ""
    assert judged.checked.startswith("Of 60 cells made by earlier code, 20, drawn by lot")
    kept.write_kept([claim], store, tmp_path)
    with Store(tmp_path / "b.sqlite") as other:
        kept.take_kept([claim], other, tmp_path)
        assert judge_claim(claim, other).checked == judged.checked


def test_too_few_do_not(claim, store):
    found = checking.check_claim(claim, store, 19)
    assert not found.recorded
    assert found.table["same"].all()
    judged = judge_claim(claim, store)
    assert judged.checked == ""
    assert "41 of the cells were made by older code" in judged.caution


def test_one_that_differs_is_enough_against_it(claim, store):
    full = claim.experiment("full")
    cells = full.cells()
    for cell in cells:
        store.put(full, cell, [{**cell.values, "error": -1.0}], 1.0, "another")
    found = checking.check_claim(claim, store, 25)
    assert not found.recorded
    assert not found.table["same"].any()
    assert judge_claim(claim, store).checked == ""
    rows = store.rows_by_cell(full)  # what was run again stays as it came out
    assert all(
        rows[key] == full.evaluate(c) for key in found.table["cell"] for c in cells if c.key == key
    )


def test_more_cells_of_other_code_are_not_vouched_for(claim, store):
    full = claim.experiment("full")
    assert checking.check_claim(claim, store, 20).recorded
    store.put(full, full.cells()[0], full.evaluate(full.cells()[0]), 1.0, "a third")
    assert judge_claim(claim, store).checked == ""
    store.put(full, full.cells()[0], full.evaluate(full.cells()[0]), 1.0, "earlier")
    assert judge_claim(claim, store).checked != ""
    larger = fake_claims.make("F1", n=50)
    run_experiment(larger.experiment("full"), store, code="earlier")
    assert judge_claim(larger, store).n_older > 60
    assert judge_claim(larger, store).checked == ""


def test_the_draw_is_seeded_and_all_are_taken_if_few(claim, store, tmp_path):
    first = checking.check_claim(claim, store, 3, random_state=1).table["cell"].tolist()
    with Store(tmp_path / "b.sqlite") as other:
        run_experiment(claim.experiment("full"), other, code="earlier")
        again = checking.check_claim(claim, other, 3, random_state=1).table["cell"].tolist()
        assert first == again
        assert checking.check_claim(claim, other, 3, random_state=2).table["cell"].tolist() != first
    few = fake_claims.make("F2", n=2)
    run_experiment(few.experiment("full"), store, code="earlier")
    found = checking.check_claim(few, store, 20)
    assert found.recorded
    assert len(found.table) == 4
    assert judge_claim(few, store).n_older == 0
    assert not checking.check_claim(few, store, 4).recorded  # nothing of other code is left


def test_another_answer_is_told(claim, tmp_path):
    full = claim.experiment("full")
    cell = full.cells()[0]
    right = full.evaluate(cell)
    wrong = [row | {"error": row["error"] + 0.5} for row in right]
    with Store(tmp_path / "c.sqlite") as store:
        store.put(full, cell, wrong, 1.0)
        (found,) = checking.check_cells(claim, store, [cell]).to_dict("records")
        assert not found["same"]
        assert "error is" in found["why"]
        store.put(full, cell, right * 2, 1.0, "new")
        (found,) = checking.check_cells(claim, store, [cell]).to_dict("records")
        assert found["why"].endswith("2 are kept")
