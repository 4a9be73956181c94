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
