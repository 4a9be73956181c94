"""Finished cells as files."""

from dataclasses import replace

import fake_claims
import pandas as pd
import pytest

from counterpoint.claims import Store, checking, judge_claim, kept, run_experiment
from counterpoint.claims.store import Check


@pytest.fixture
def claim():
    return fake_claims.make("F1")


def test_cells_come_back_from_their_file(claim, tmp_path):
    full = claim.experiment("full")
    with Store(tmp_path / "a.sqlite") as store:
        run_experiment(full, store, code="now")
        kept.write_kept([claim], store, tmp_path)
        before = store.frame(full)
    with Store(tmp_path / "b.sqlite") as store:
        assert kept.take_kept([claim], store, tmp_path) == 6
        assert kept.take_kept([claim], store, tmp_path) == 0
        pd.testing.assert_frame_equal(store.frame(full), before)
        assert set(store.code(full).values()) == {"now"}
        assert len(checking.older_cells(claim, store)) == 6
        assert judge_claim(claim, store).n_older == 6
        found = checking.check_cells(claim, store, full.cells()[:2])
        assert found["same"].all()


def test_a_cell_of_older_code_is_replaced_and_one_of_the_same_is_not(claim, tmp_path):
    full = claim.experiment("full")
    cell = full.cells()[0]
    with Store(tmp_path / "a.sqlite") as store:
        assert store.put(full, cell, [{"error": 1.0}], 1.0, "old")
        assert not store.put(full, cell, [{"error": 2.0}], 1.0, "old")
        assert store.put(full, cell, [{"error": 3.0}], 1.0, "new")
        assert store.frame(full)["error"].tolist() == [3.0]
        store.forget(full, [cell])
        assert store.done(full) == set()


def test_cells_on_data_that_others_have_stay_in_the_file(claim, tmp_path):
    fewer = replace(claim, full=claim.full[:2])
    for k, one in enumerate((claim, fewer)):
        with Store(tmp_path / f"{k}.sqlite") as store:
            run_experiment(one.experiment("full"), store, code="now")
            kept.write_kept([one], store, tmp_path)
    with Store(tmp_path / "all.sqlite") as store:
        assert kept.take_kept([claim], store, tmp_path) == 6


def test_what_was_checked_of_other_claims_stays(claim, tmp_path):
    other = fake_claims.make("F2")
    for one in (other, claim, other):
        full = one.experiment("full")
        with Store(tmp_path / f"{one.topic}.sqlite") as store:
            run_experiment(full, store, code="now")
            store.put_check(full, "now", Check(6, 2, "2026-11-19", "before"))
            kept.write_kept([one], store, tmp_path)
    told = pd.read_csv(tmp_path / "cells" / "checked.csv")
    kept_as = [one.experiment("full").kept_as for one in (claim, other)]
    assert sorted(told["experiment"]) == sorted(kept_as)


def test_a_file_that_is_none(claim, tmp_path):
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "F1.parquet").write_text("no")
    with Store(tmp_path / "a.sqlite") as store, pytest.raises(ValueError, match="holds no cells"):
        kept.take_kept([claim], store, tmp_path)


def test_a_store_of_the_first_layout_is_read(claim, tmp_path):
    import sqlite3

    full = claim.experiment("full")
    cell = full.cells()[0]
    with Store(tmp_path / "a.sqlite") as store:
        store.put(full, cell, full.evaluate(cell), 1.0)
    old = sqlite3.connect(tmp_path / "a.sqlite")
    old.execute("ALTER TABLE cells DROP COLUMN code")
    old.execute("DROP TABLE checks")
    old.execute("PRAGMA user_version = 1")
    old.commit()
    old.close()
    with Store(tmp_path / "a.sqlite") as store:
        assert store.done(full) == {cell.key}
        assert store.code(full) == {cell.key: ""}
        assert store.check(full, "") is None


def test_what_was_finished_later_stays(claim, tmp_path):
    full = claim.experiment("full")
    cell = full.cells()[0]
    with Store(tmp_path / "a.sqlite") as store:
        store.put(full, cell, [{"error": 1.0}], 1.0, "here")
        cells = store.cells(full)
        for day, code, stays in (("2020", "older", "here"), ("2999", "later", "later")):
            known = cells.assign(finished=f"{day}-01-01T00:00:00+00:00", code=code)
            assert store.take(full, known) == 0
            assert store.code(full) == {cell.key: stays}
