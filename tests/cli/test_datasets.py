"""`counterpoint datasets`: list, describe, export, add."""

import gzip
import json

import pytest

from counterpoint.datasets import export_csv, list_datasets, load


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "data-folder"
    monkeypatch.setenv("COUNTERPOINT_DATA", str(folder))
    return folder


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text("weight,colour,kind\n120,1,apple\n?,2,plum\n")
    return path


def test_list(run, folder):
    ran = run("datasets", "list")
    assert (ran.code, ran.err) == (0, "")
    german = next(line for line in ran.out.splitlines() if line.startswith("german-credit"))
    assert german.split() == ["german-credit", "1000", "7", "13", "2", "0", "70%"]
    insurance = next(line for line in ran.out.splitlines() if line.startswith("insurance"))
    assert insurance.endswith("not here")
    assert str(folder) in ran.out


def test_list_fits_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("datasets", "list").out.splitlines()
    assert max(map(len, lines[:-1])) <= 80  # the last has a path
    assert not any("…" in line for line in lines)


def test_list_as_json(run):
    sets = json.loads(run("datasets", "list", "--json").out)
    assert [one["name"] for one in sets] == list(list_datasets().index)
    german = next(one for one in sets if one["name"] == "german-credit")
    assert (german["rows"], german["majority"], german["split"]) == (1000, 0.7, False)


def test_a_file_nobody_counted_is_listed_all_the_same(run, folder):
    folder.mkdir()
    (folder / "mine.csv").write_text("a,class\n1,x\n2,y\n")
    line = next(x for x in run("datasets", "list").out.splitlines() if x.startswith("mine"))
    assert line.split() == ["mine", *"??????", "in", "data", "folder"]
    mine = json.loads(run("datasets", "list", "--json").out)[-1]
    assert (mine["name"], mine["rows"], mine["majority"]) == ("mine", None, None)


def test_describe(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    out = run("datasets", "describe", "german_credit").out
    assert out.startswith("German credit")
    assert "Cite: Hofmann 1994" in out
    assert "Licence: CC BY 4.0" in out
    assert max(map(len, out.splitlines())) <= 70


@pytest.mark.parametrize("command", ["describe", "export"])
def test_unknown_name(fails, command):
    line = fails("datasets", command, "german-credits")
    assert "Did you mean 'german-credit'?" in line
    assert "`counterpoint datasets list`" in line


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_export(run, tmp_path, name):
    path = tmp_path / name
    ran = run("datasets", "export", "iris", "--output", path)
    assert (ran.code, ran.err) == (0, f"counterpoint: wrote iris to {path}\n")
    text = gzip.decompress(path.read_bytes()) if name.endswith("gz") else path.read_bytes()
    assert text == export_csv("iris", tmp_path / "again.csv").read_bytes()


def test_export_to_standard_output(run, tmp_path):
    ran = run("datasets", "export", "iris", "-o", "-")
    assert ran.err == ""
    assert ran.out == export_csv("iris", tmp_path / "iris.csv").read_text()


def test_export_goes_here_if_no_place_is_named(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("datasets", "export", "iris").code == 0
    assert (tmp_path / "iris.csv").exists()


def test_export_replaces_only_by_force(run, fails, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious")
    line = fails("datasets", "export", "iris", "-o", path)
    assert line == f"{path} is there already: pass --force to replace it."
    assert path.read_text() == "precious"
    assert run("datasets", "export", "iris", "-o", path, "--force").code == 0
    assert path.read_text().startswith("sepal_length")


def test_export_that_fails_leaves_nothing(fails, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    line = fails("datasets", "export", "insurance", "-o", out / "x.csv")
    assert "With a network, --fetch gets it from OpenML." in line
    assert list(out.iterdir()) == []


def test_export_into_no_folder(fails, tmp_path):
    assert "There is no folder" in fails("datasets", "export", "iris", "-o", tmp_path / "n" / "x")


def test_add(run, fruit, folder):
    options = ["--target", "kind", "--nominal", "colour", "--missing", "?", "--name", "my fruit"]
    ran = run("datasets", "add", fruit, *options)
    copy = folder / "my-fruit.csv"
    assert (ran.code, ran.err) == (0, f"counterpoint: wrote fruit.csv to {copy}\n")
    data = load("my-fruit")
    assert data.categorical_features == ["colour"]
    assert data.X["weight"].isna().tolist() == [False, True]
    assert "my-fruit" in run("datasets", "list").out


def test_add_twice_needs_force(run, fails, fruit):
    add = ["datasets", "add", fruit, "--target", "kind"]
    assert run(*add).code == 0
    line = fails(*add)
    assert "pass --force to replace, or another --name" in line
    assert run(*add, "--force").code == 0


def test_add_without_the_target(fails, fruit):
    assert fails("datasets", "add", fruit).endswith("Name the column to predict with --target.")


def test_add_no_file(fails, tmp_path):
    assert "There is no file" in fails("datasets", "add", tmp_path / "x.csv")
