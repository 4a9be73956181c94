import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from counterpoint import datasets
from counterpoint.datasets import add_file, describe, list_datasets
from counterpoint.datasets.catalogue import register
from counterpoint.datasets.index import DATA, close_matches, index
from counterpoint.exceptions import DatasetNotFoundError

SHIPPED = [name for name, entry in index().items() if entry.file]
NOT_SHIPPED = ["insurance", "ripley-synth"]


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    monkeypatch.setenv("COUNTERPOINT_DATA", str(folder))
    return folder


def test_all_sets_are_shipped_but_the_two_that_may_not_be():
    assert len(SHIPPED) == 44
    assert sorted(set(index()) - set(SHIPPED)) == NOT_SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_file_is_the_one_the_index_describes(name):
    data = (DATA / index()[name].file).read_bytes()
    assert hashlib.sha256(data).hexdigest() == index()[name].sha256
    assert data[4:8] == bytes(4)  # no time stamp, so that the file can be made again


def test_no_file_is_shipped_unlisted_and_all_are_small():
    files = {path.name for path in DATA.iterdir()} - {"index.json", "LICENCES.md"}
    assert files == {index()[name].file for name in SHIPPED}
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 2_500_000


def test_licences_file_names_every_set():
    text = (DATA / "LICENCES.md").read_text(encoding="utf-8")
    assert [
        name for name in index() if f"| {name} |" not in text and f"**{name}**" not in text
    ] == []


@pytest.mark.parametrize("name", index())
def test_description_credits_the_source(name):
    entry, text = index()[name], describe(name)
    flat = " ".join(text.split())
    assert text.startswith(entry.title)
    assert " ".join(f"Cite: {entry.cite}.".split()) in flat
    assert "Licence: " in flat
    assert f"{entry.rows} rows" in flat
    if entry.licence == "CC BY 4.0 (UCI)":
        assert "UCI Machine Learning Repository" in flat
    for source in entry.sources:
        assert source["package"] in flat


def test_index_names_no_path_of_a_machine():
    text = (DATA / "index.json").read_text(encoding="utf-8")
    assert "usr/" not in text
    assert "site-library" not in text
    assert all(
        set(source) == {"package", "version", "origin", "file", "sha256"}
        for facts in json.loads(text).values()
        for source in facts["sources"]
    )


def test_list_datasets():
    table = list_datasets()
    assert table.index.name == "name"
    assert table.columns.tolist() == [
        *("title", "rows", "features", "numeric", "nominal", "classes", "missing"),
        *("majority", "split", "licence", "available"),
    ]
    assert list(table.index) == list(index())
    german = table.loc["german-credit"]
    assert german[["rows", "features", "numeric", "nominal"]].tolist() == [1000, 20, 7, 13]
    assert german["majority"] == 0.7
    assert table.loc["hypothyroid", "missing"] == 5329
    assert table.index[table["split"]].tolist() == [
        *("churn", "insurance", "monks-1", "monks-2", "monks-3", "ripley-synth"),
        *("satimage", "segment", "soybean-large", "vowel"),
    ]
    assert (table["numeric"] + table["nominal"] == table["features"]).all()
    assert table["available"].value_counts().to_dict() == {"shipped": 44, "not here": 2}


def test_list_datasets_shows_the_data_folder(data_folder, tmp_path):
    mine = tmp_path / "fruit.csv"
    mine.write_text("weight,colour,class\n1,red,a\n,blue,b\n3,,b\n")
    add_file(mine)
    (data_folder / "loose.csv").write_text("x,class\n1,a\n")
    (data_folder / "ripley-synth.csv").write_text("xs,ys,class\n1,1,a\n")
    (data_folder / "notes.txt").write_text("no data set")
    table = list_datasets()
    assert table.loc["ripley-synth", "available"] == "in data folder"
    assert table.loc["insurance", "available"] == "not here"
    fruit = table.loc["fruit"]
    assert fruit["available"] == "in data folder"
    assert fruit[["rows", "numeric", "nominal", "classes", "missing"]].tolist() == [3, 1, 1, 2, 2]
    assert table.loc["loose", "available"] == "in data folder"
    assert table.loc["loose", ["rows", "majority"]].isna().all()  # never opened
    assert len(table) == 48


def test_describe_a_file_of_ones_own(data_folder, tmp_path):
    data_folder.mkdir()
    (data_folder / "loose.csv").write_text("x,class\n1,a\n2,b\n")
    assert "2 rows, 1 features (1 numeric, 0 nominal)" in describe("loose")
    mine = tmp_path / "fruit.csv"
    mine.write_text("colour,kind\nred,a\n")
    add_file(mine, target="kind")
    assert "Target 'kind'" in describe("Fruit")


def test_register_writes_the_file_and_its_row(tmp_path):
    shutil.copy(DATA / "index.json", tmp_path)
    mine = tmp_path / "fruit.csv"
    mine.write_text("weight,colour,kind\n1,red,a\n,blue,b\n3,,b\n")
    given = {"title": "Fruit", "licence": "MIT (modeldata)", "cite": "Us 2026", "folder": tmp_path}
    entry = register(mine, target="kind", **given)
    assert (entry.rows, entry.missing, entry.nominal) == (3, 2, ["colour"])
    rows = json.loads((tmp_path / "index.json").read_text(encoding="utf-8"))
    assert rows.pop("fruit")["classes"] == {"a": 1, "b": 2}
    text = json.dumps(rows, indent=1, ensure_ascii=False) + "\n"
    assert text == (DATA / "index.json").read_text(encoding="utf-8")  # the others are as before
    data = (tmp_path / entry.file).read_bytes()
    assert hashlib.sha256(data).hexdigest() == entry.sha256
    with pytest.raises(ValueError, match="licence='mine': choose"):
        register(mine, **{**given, "licence": "mine"})


def test_describe_an_unknown_name():
    with pytest.raises(DatasetNotFoundError, match=r"'iriss'.*Did you mean 'iris'.*list_datasets"):
        describe("iriss")


@pytest.mark.parametrize(
    ("typo", "meant"),
    [("germna-credit", "german-credit"), ("credit", "german-credit"), ("monks", "monks-1")],
)
def test_close_matches(typo, meant):
    assert meant in close_matches(typo, list(index()))


def test_close_matches_of_nonsense():
    assert close_matches("qqqqqq", list(index())) == []


def test_public_names():
    assert sorted(datasets.__all__) == datasets.__all__ == dir(datasets)
    for name in datasets.__all__:
        assert callable(getattr(datasets, name)), name
    with pytest.raises(AttributeError, match="has no attribute 'laod'"):
        _ = datasets.laod


def test_import_stays_light():
    code = "import sys, counterpoint.datasets; print({'pandas', 'sklearn'} & set(sys.modules))"
    root = Path(datasets.__file__).parents[2]
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert out.stdout.strip() == "set()"
