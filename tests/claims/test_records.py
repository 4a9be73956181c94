"""What was judged before is said again, unless anything changed that it rests on."""

import json
from pathlib import Path

import fake_claims
import pytest

import counterpoint
from counterpoint.claims import Store, kept, records, run_experiment
from counterpoint.claims.overview import STORE, overview
from counterpoint.claims.store import Check


class Judge:
    """A rule that counts how often it is asked."""

    def __init__(self):
        self.n_asked = 0

    def __call__(self, frame):
        self.n_asked += 1
        return fake_claims.judge(frame)


@pytest.fixture
def judge(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path / "data"))
    rule = Judge()
    made = fake_claims.make("trees", judge=rule), fake_claims.make("bags", judge=rule)
    fake_claims.install(monkeypatch, *made)
    with Store(tmp_path / STORE) as store:
        run_experiment(made[0].experiment("full"), store)
        kept.write_kept(made, store, tmp_path)
    overview(tmp_path)
    rule.n_asked = 0
    return rule


TREES = fake_claims.make("trees")
FULL = TREES.experiment("full")


def test_what_did_not_change_is_not_judged_again(judge, tmp_path):
    first, second = overview(tmp_path), overview(tmp_path)
    assert first == second
    assert judge.n_asked == 0
    assert [one["topic"] for one in first[0]] == ["trees", "bags"]
    assert first[0][0]["verdict"] == "reproduced"
    assert first[0][1]["size"] is None


def test_what_is_said_again_is_what_judging_says(judge, tmp_path):
    again = overview(tmp_path)
    (tmp_path / records.RECORDS).unlink()
    assert overview(tmp_path) == again
    assert judge.n_asked > 0


def other_rows(folder, monkeypatch):
    with Store(folder / STORE) as store:
        store.put(FULL, FULL.cells()[0], [{"error": 7.0}], 0.1, "other")


def a_cell_less(folder, monkeypatch):
    (folder / "cells" / "trees.parquet").unlink()
    with Store(folder / STORE) as store:
        store.forget(FULL, FULL.cells()[:1])


def a_check(folder, monkeypatch):
    with Store(folder / STORE) as store:
        store.put_check(FULL, "code", Check(6, 6, "2026-01-01", ""))


def another_file_of_cells(folder, monkeypatch):
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    with Store(elsewhere / STORE) as store:
        for cell in FULL.cells():
            store.put(FULL, cell, [{"error": 9.0}], 0.1)
        kept.write_kept([TREES], store, elsewhere)
    (elsewhere / "cells" / "trees.parquet").replace(folder / "cells" / "trees.parquet")


def no_store(folder, monkeypatch):
    (folder / STORE).unlink()


def other_code(folder, monkeypatch):
    monkeypatch.setattr(records, "package_hash", lambda: "other")


def other_libraries(folder, monkeypatch):
    monkeypatch.setattr(records, "versions", lambda *names: {"scipy": "0.1"})


def other_data(folder, monkeypatch):
    (folder / "data").mkdir()
    (folder / "data" / "insurance.csv").write_text("x,class\n1,a\n")


def a_damaged_record(folder, monkeypatch):
    path = folder / records.RECORDS
    path.write_text(path.read_text()[:-9])


def a_record_of_another_claim(folder, monkeypatch):
    path = folder / records.RECORDS
    found = json.loads(path.read_text())
    path.write_text(json.dumps(found | {"trees": found["bags"]}))


def a_changed_record(folder, monkeypatch):
    path = folder / records.RECORDS
    path.write_text(path.read_text().replace('"experiments"', '"experiment"'))


CHANGES = [
    other_rows, a_cell_less, a_check, another_file_of_cells, no_store, other_code, other_libraries,
    other_data, a_damaged_record, a_record_of_another_claim, a_changed_record,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_changed_is_judged_again(judge, tmp_path, monkeypatch, change):
    change(tmp_path, monkeypatch)
    found = overview(tmp_path)
    assert judge.n_asked > 0
    asked = judge.n_asked
    assert overview(tmp_path) == found  # and is known from then on
    assert judge.n_asked == asked
    (tmp_path / records.RECORDS).unlink()
    assert overview(tmp_path) == found


def test_rows_that_come_in_while_judging_are_not_taken_for_judged(tmp_path, monkeypatch):
    written = []

    def judge(frame):
        if not written:
            written.append(1)
            other_rows(tmp_path, monkeypatch)
        return fake_claims.judge(frame)

    fake_claims.install(monkeypatch, fake_claims.make("trees", judge=judge))
    with Store(tmp_path / STORE) as store:
        run_experiment(FULL, store)
    before = overview(tmp_path)[0][0]
    after = overview(tmp_path)[0][0]
    assert before["table"] != after["table"]
    assert overview(tmp_path)[0][0] == after


def test_looking_makes_nothing_where_there_is_nothing(tmp_path, monkeypatch):
    fake_claims.install(monkeypatch, TREES)
    assert overview(tmp_path / "nowhere")[0][0]["size"] is None
    assert list(tmp_path.iterdir()) == []


def test_every_file_of_the_package_counts(tmp_path, monkeypatch):
    def hashed():
        records.package_hash.cache_clear()
        return records.package_hash()

    real = hashed()
    (tmp_path / "claims").mkdir()
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr(counterpoint, "__file__", str(tmp_path / "__init__.py"))
    seen = [real, hashed()]
    for name, text in (
        ("claims/bagging.py", "a = 1"), ("claims/bagging.py", "a = 2"), ("data.csv.gz", "1")
    ):  # fmt: skip
        (tmp_path / name).write_text(text)
        seen.append(hashed())
    (tmp_path / "data.csv.gz").rename(tmp_path / "other.csv.gz")
    seen.append(hashed())
    assert len(set(seen)) == len(seen)
    (tmp_path / "__pycache__").mkdir()
    Path(tmp_path, "__pycache__", "x.pyc").write_text("compiled")
    assert hashed() == seen[-1]
    records.package_hash.cache_clear()
