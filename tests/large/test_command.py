import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from counterpoint import tabular
from counterpoint.tabular import large_tables


def run(*args):
    command = [sys.executable, "-m", "counterpoint.cli", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def parts(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.choice(["bad", "good"], size=600)
    frame = pd.DataFrame({f"m{k}": np.where(rng.uniform(size=600) < 0.7, y, "bad") for k in "ab"})
    frame = frame.assign(truth=y)
    for k in range(3):
        frame[200 * k : 200 * k + 200].to_parquet(tmp_path / f"part-{k}.parquet", index=False)
    frame.to_csv(tmp_path / "all.csv", index=False)
    return tmp_path


def test_a_pattern_is_measured_as_one_table(parts):
    many = run("measure", parts / "part-*.parquet", "--truth", "truth", "--json")
    one = run("measure", parts / "all.csv", "--truth", "truth", "--json")
    told = [line for line in many.stderr.splitlines() if "Counting (" not in line]  # of slow ones
    assert (many.returncode, told) == (0, [])
    found, expected = json.loads(many.stdout), json.loads(one.stdout)
    values, right = ([m["value"] for m in s.pop("measures").values()] for s in (found, expected))
    assert values == pytest.approx(right, rel=1e-12)
    assert found.pop("worth")["verdict"] == expected.pop("worth")["verdict"]
    assert found == expected
    wrong = run("measure", parts / "part-*.parquet", "--truth", "nothing")
    assert wrong.returncode != 0
    assert "part-0.parquet has no column 'nothing'" in " ".join(wrong.stderr.split())


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=400), "colour": rng.choice(["red", "blue"], 400)})
    frame["kind"] = np.where((frame["x"] > 0) ^ (frame["colour"] == "red"), "yes", "no")
    frame.loc[::9, "x"] = np.nan
    return frame, tabular.fit(frame, "kind", "tree")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pieces_are_answered_as_the_whole(ending, model, tmp_path, monkeypatch):
    frame, fitted = model
    fitted = fitted.model if hasattr(fitted, "model") and not hasattr(fitted, "columns") else fitted
    path = tmp_path / f"rows.{ending}"
    new = frame.assign(x=frame["x"] + 0.01)
    write = new.to_csv if ending == "csv" else new.to_parquet
    write(path, index=False)
    monkeypatch.setattr(large_tables, "PIECE", 150)
    said = tabular.predict_large(fitted, path, tmp_path / "said.csv", proba=True)
    whole = tabular.predict(fitted, path, proba=True)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "said.csv"), whole.table)
    assert (said.n_rows, said.n_judged) == (400, whole.n_judged)
    assert said.error == pytest.approx(whole.error)


def write_parts(frame, folder, sizes, ending):
    start = 0
    for k, size in enumerate(sizes):
        part = frame[start : start + size]
        path = folder / f"rows-{k}.{ending}"
        part.to_csv(path, index=False) if ending == "csv" else part.to_parquet(path, index=False)
        start += size


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_are_drawn_alike_wherever_files_end(ending, model, tmp_path, monkeypatch):
    frame, fitted = model
    monkeypatch.setattr(large_tables, "PIECE", 70)
    new = frame.assign(x=frame["x"].fillna(5.0) + 0.01)  # no row is one of training
    tried = []
    for sizes in ([400], [1, 0, 250, 149]):
        folder = tmp_path / f"{len(sizes)}"
        folder.mkdir()
        write_parts(new, folder, sizes, ending)
        tried.append(tabular.assess_large(fitted, folder, max_rows=90))
    one, other = tried
    pd.testing.assert_frame_equal(one.X, other.X)
    assert (one.n_given, len(one.y)) == (400, 90)
    assert one.score == other.score
    assert one.notes[0] == (
        "Of 400 rows in all, 90 drawn at random are looked at; all numbers are of these."
    )
    drawn = new.merge(one.X, on=["x", "colour"])  # they are rows of the files, with their labels
    assert set(drawn.index) <= set(new.index)
    assert len(drawn) >= 90


def test_every_row_is_drawn_as_often(model, tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "PIECE", 7)
    frame = pd.DataFrame({"row": range(40)})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    from counterpoint.large.sources import open_parts

    parts, rng = open_parts(str(tmp_path)), np.random.RandomState(0)
    times = np.zeros(40)
    for _ in range(400):
        [piece], n_rows = large_tables._draw(parts, ["row"], 10, rng, False)
        assert (len(piece), n_rows) == (10, 40)
        times[piece["row"].astype(int)] += 1
    # Mean 100, standard deviation 8.7 each; all forty within four of them.
    assert np.abs(times - 100).max() < 35


def test_a_page_of_files_is_that_of_a_file_where_all_rows_are_drawn(model, tmp_path):
    frame, fitted = model
    new = frame.assign(x=frame["x"] + 0.01)
    write_parts(new, tmp_path, [150, 250], "csv")
    new.to_csv(tmp_path / "all.csv", index=False)
    tabular.save(fitted, tmp_path / "model.skops")
    told = []
    for rows in ("rows-*.csv", "all.csv"):
        ran = run("report", tmp_path / "model.skops", tmp_path / rows, "--json",
                  "-o", tmp_path / "page.html")  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        told.append(json.loads(ran.stdout))
    many, one = told
    assert many["score"] == one["score"]
    assert many["by_class"] == one["by_class"]
    assert many["data"] == one["data"]
    assert "drawn at random" not in str(many["notes"])
    gone = run("report", tmp_path / "model.skops", tmp_path / "nothing-*.csv")
    assert gone.returncode == 1
    assert "nothing-*.csv" in " ".join(gone.stderr.split())
