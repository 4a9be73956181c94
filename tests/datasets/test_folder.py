import csv
import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.datasets import add_file, data_folder, export_csv, load
from counterpoint.datasets.index import index
from counterpoint.exceptions import DatasetNotFoundError

FRUIT = "weight,colour,code,class\n1.5,red,1,apple\n,NA,2,plum\n2,,1,plum\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    monkeypatch.setenv("COUNTERPOINT_DATA", str(folder))
    return folder


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text(FRUIT)
    return path


def test_where_the_folder_is(monkeypatch):
    monkeypatch.setenv("COUNTERPOINT_DATA", "~/somewhere")
    assert data_folder() == Path.home() / "somewhere"
    monkeypatch.delenv("COUNTERPOINT_DATA")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert data_folder() == Path("/cache/counterpoint")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert data_folder() == Path.home() / ".cache/counterpoint"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_folder() == Path.home() / "Library/Caches/counterpoint"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert data_folder() == Path("/local/counterpoint")


def test_asking_for_the_folder_does_not_make_it(folder):
    data_folder()
    with pytest.raises(DatasetNotFoundError):
        load("mydata")
    assert not folder.exists()


def test_add_and_load(fruit, folder):
    assert add_file(fruit) == folder / "fruit.csv"
    bunch = load("fruit")
    assert bunch.X["weight"].tolist()[::2] == [1.5, 2.0]
    assert bunch.X["weight"].isna().tolist() == [False, True, False]
    # "NA" is a value: only an empty field is missing.
    assert bunch.X["colour"].cat.categories.tolist() == ["NA", "red"]
    assert bunch.X["colour"].isna().tolist() == [False, False, True]
    assert bunch.categorical_features == ["colour"]
    assert bunch.y.tolist() == ["apple", "plum", "plum"]
    assert bunch.split is None
    assert "3 rows, 3 features (2 numeric, 1 nominal), 2 missing values" in bunch.DESCR


def test_a_file_dropped_into_the_folder_loads_too(folder):
    folder.mkdir()
    with gzip.open(folder / "My_Data.csv.gz", "wt") as file:
        file.write(FRUIT)
    assert load("my-data").X.shape == (3, 3)


def test_options_are_remembered(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,code,kind\n1,1,p\n?,2,q\n")
    add_file(path, name="Other Name", target="kind", nominal=["code"], missing_values=["?"])
    bunch = load("other-name")
    assert bunch.y.name == "kind"
    assert bunch.categorical_features == ["code"]
    assert bunch.X["a"].isna().tolist() == [False, True]


def test_a_split_column_is_no_feature(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("split,a,class\ntrain,1,p\ntest,2,q\n")
    add_file(path)
    bunch = load("x")
    assert bunch.feature_names == ["a"]
    assert bunch.split.tolist() == ["train", "test"]
    assert "1 rows to train on, 1 to test" in bunch.DESCR


def test_a_column_called_split_may_be_a_feature(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("split,class\nbanana,p\nno,q\n")
    add_file(path)
    assert load("x").feature_names == ["split"]
    assert load("x").split is None


def test_pairs_become_one_set_with_a_split(tmp_path, folder):
    (tmp_path / "ripley-synth.train.csv").write_text("xs,ys,class\n0.5,1,0\n-1,2,1\n")
    with gzip.open(tmp_path / "ripley-synth.test.csv.gz", "wt") as file:
        file.write("xs,ys,class\n3,4,0\n")
    add_file(tmp_path / "ripley-synth.train.csv")
    assert load("ripley-synth").split.tolist() == ["train", "train"]
    add_file(tmp_path / "ripley-synth.test.csv.gz")
    bunch = load("ripley_synth")
    assert bunch.split.tolist() == ["train", "train", "test"]
    assert bunch.X["xs"].tolist() == [0.5, -1.0, 3.0]
    assert bunch.X.index.tolist() == [0, 1, 2]
    assert "GPL" in bunch.DESCR
    assert json.loads((folder / "ripley-synth.json").read_text())["split"] == {
        "train": 2,
        "test": 1,
    }


def test_a_pair_of_insurance_files(folder):
    names = list(index()["insurance"].columns)
    header = ",".join([*names, "class"])
    row = ",".join(["1 a label" if n in ("MOSTYPE", "MOSHOOFD") else "1" for n in names])
    folder.mkdir()
    (folder / "insurance.train.csv").write_text(f"{header}\n{row},noinsurance\n")
    (folder / "insurance.test.csv").write_text(f"{header}\n{row},insurance\n")
    bunch = load("insurance")
    assert bunch.categorical_features == ["MOSTYPE", "MOSHOOFD"]
    assert bunch.split.tolist() == ["train", "test"]


def test_halves_agree_on_kinds(tmp_path):
    (tmp_path / "x.train.csv").write_text("a,class\n1,p\n")
    (tmp_path / "x.test.csv").write_text("a,class\none,q\n")
    add_file(tmp_path / "x.train.csv")
    add_file(tmp_path / "x.test.csv")
    assert load("x").X["a"].tolist() == ["1", "one"]


def test_halves_need_one_header(tmp_path):
    (tmp_path / "x.train.csv").write_text("a,class\n1,p\n")
    (tmp_path / "x.test.csv").write_text("b,class\n1,q\n")
    add_file(tmp_path / "x.train.csv")
    with pytest.raises(ValueError, match=r"differ in the columns \['a', 'b'\]"):
        add_file(tmp_path / "x.test.csv")


def test_overwrite(fruit, folder):
    add_file(fruit)
    with pytest.raises(FileExistsError, match=r"\['fruit.csv'\] already.*overwrite=True"):
        add_file(fruit)
    zipped = fruit.with_name("fruit.csv.gz")
    with gzip.open(zipped, "wt") as file:
        file.write("a,class\n1,p\n")
    add_file(zipped, overwrite=True)
    assert sorted(path.name for path in folder.iterdir()) == ["fruit.csv.gz", "fruit.json"]
    assert load("fruit").feature_names == ["a"]


def test_a_whole_file_replaces_its_halves(tmp_path, folder):
    for part in ("train", "test"):
        (tmp_path / f"x.{part}.csv").write_text("a,class\n1,p\n")
        add_file(tmp_path / f"x.{part}.csv")
    (tmp_path / "x.csv").write_text("b,class\n1,p\n")
    with pytest.raises(FileExistsError):
        add_file(tmp_path / "x.csv")
    add_file(tmp_path / "x.csv", overwrite=True)
    assert sorted(path.name for path in folder.iterdir()) == ["x.csv", "x.json"]


def test_adding_a_file_that_is_in_the_folder_already(folder):
    folder.mkdir()
    path = folder / "x.csv"
    path.write_text("a,kind\n1,p\n")
    add_file(path, target="kind", overwrite=True)
    assert load("x").y.tolist() == ["p"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read as CSV"),
        (b"a,b\n1,2\n", r"no target column 'class'; its columns are 'a', 'b'.*`target`"),
        (b"a,class\n", "a header but no rows"),
        (b"class\np\n", "no column but the target"),
        (b"a,class\n1,p\n2,\n", r"1 rows have nothing in the target.*data row 2"),
        (b"a,class\n1,p,3\n", "cannot be read as CSV"),
        (b"a,class\n\xff\xfe,p\n", "cannot be read as CSV"),
    ],
)
def test_a_file_that_is_no_data_set_is_refused(tmp_path, folder, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        add_file(path)
    assert not folder.exists()


@pytest.mark.parametrize(
    "content", [b"not gzip", gzip.compress(FRUIT.encode(), mtime=0)[:-12]], ids=["text", "cut"]
)
def test_a_broken_gzip_file(tmp_path, content):
    path = tmp_path / "bad.csv.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="cannot be read as CSV"):
        add_file(path)


def test_other_refusals(fruit, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nowhere.csv"):
        add_file(tmp_path / "nowhere.csv")
    text = tmp_path / "fruit.txt"
    text.write_text(FRUIT)
    with pytest.raises(ValueError, match=r"fruit.txt does not end in .csv"):
        add_file(text)
    with pytest.raises(ValueError, match="'iris' is a data set shipped with counterpoint"):
        add_file(fruit, name="Iris")
    with pytest.raises(ValueError, match=r"cannot be called '\.\./fruit'"):
        add_file(fruit, name="../fruit")
    with pytest.raises(ValueError, match=r"lacks the columns 'xs', 'ys'.*another `name`"):
        add_file(fruit, name="ripley-synth")
    with pytest.raises(ValueError, match="lacks the columns 'taste'"):
        add_file(fruit, nominal=["taste"])


def test_words_where_numbers_belong(tmp_path):
    path = tmp_path / "ripley-synth.csv"
    path.write_text("xs,ys,class\nmany,1,0\n")
    with pytest.raises(ValueError, match=r"Column 'xs' should hold numbers.*'many'"):
        add_file(path)


def test_numbers_are_read_to_the_last_digit(tmp_path):
    path = tmp_path / "x.csv"
    values = ["0.1", "5e-324", "1.7976931348623157e308", "123456789.123456789"]
    path.write_text("a,class\n" + "".join(f"{value},p\n" for value in values))
    add_file(path)
    assert load("x").X["a"].tolist() == [float(value) for value in values]
    assert isinstance(load("x").y.dtype, pd.CategoricalDtype)


WORDS = st.text(st.sampled_from("a,\"\n N?é'"), max_size=4) | st.sampled_from(["NA", "None", "nan"])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS.filter(len)), min_size=1, max_size=6))
def test_any_text_survives_add_load_and_export(rows):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with mock.patch.dict(os.environ, {"COUNTERPOINT_DATA": str(folder / "data")}):
            for source in (folder / "first.csv", folder / "second.csv"):
                if source.stem == "first":
                    with open(source, "w", newline="", encoding="utf-8") as file:
                        csv.writer(file).writerows([("a", "class"), *rows])
                else:
                    export_csv("first", source)
                add_file(source, nominal=["a"])
                bunch = load(source.stem)
                values = bunch.X["a"].astype(object)
                cells = ["" if pd.isna(value) else value for value in values]
                assert list(zip(cells, bunch.y, strict=True)) == rows
