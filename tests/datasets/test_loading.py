import csv
import gzip
import urllib.error
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from counterpoint.datasets import export_csv, load
from counterpoint.datasets.index import DATA, index
from counterpoint.exceptions import DatasetNotFoundError

SHIPPED = [name for name, entry in index().items() if entry.file]


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    monkeypatch.setenv("COUNTERPOINT_DATA", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("load went to the network unasked")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)


def rows_of(name):
    """Read a shipped file with nothing but the standard library."""
    with gzip.open(DATA / index()[name].file, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_set_is_as_the_index_says(name):
    entry, bunch = index()[name], load(name)
    assert isinstance(bunch, Bunch)
    assert bunch.X.shape == (entry.rows, len(entry.columns))
    assert bunch.feature_names == list(entry.columns) == list(bunch.X.columns)
    for column, kind in entry.columns.items():
        dtype = bunch.X[column].dtype
        if kind == "numeric":
            assert dtype == np.float64, column
        else:
            assert isinstance(dtype, pd.CategoricalDtype), column
            assert all(isinstance(value, str) and value for value in dtype.categories), column
    assert bunch.categorical_features == entry.nominal
    assert bunch.X.isna().sum().sum() == entry.missing
    assert Counter(bunch.y) == Counter(entry.classes)
    assert bunch.y.name == entry.target == "class"
    assert bunch.target_names == sorted(entry.classes)
    assert (bunch.split is None) == (entry.split is None)
    if entry.split is not None:
        assert Counter(bunch.split) == Counter(entry.split)
    assert list(bunch.frame.columns) == [*entry.columns, "class"]
    assert bunch.data is bunch.X
    assert bunch.target is bunch.y
    assert bunch.description == bunch.DESCR
    assert bunch.name == name


@pytest.mark.parametrize("name", SHIPPED)
def test_every_cell_is_the_one_in_the_file(name):
    entry, bunch, rows = index()[name], load(name), rows_of(name)
    for column, kind in entry.columns.items():
        cells = [row[column] for row in rows]
        if kind == "numeric":
            expected = np.array([float(cell) if cell else np.nan for cell in cells])
            np.testing.assert_array_equal(bunch.X[column].to_numpy(), expected)
        else:
            values = bunch.X[column].astype(object)
            assert ["" if pd.isna(value) else value for value in values] == cells, column
    assert bunch.y.tolist() == [row["class"] for row in rows]
    if bunch.split is not None:
        assert bunch.split.tolist() == [row["split"] for row in rows]


def test_known_facts():
    assert load("german-credit").y.value_counts().to_dict() == {"good": 700, "bad": 300}
    votes = load("house-votes-84")
    assert votes.X.isna().sum().sum() == 392
    pima = load("pima").X
    assert (pima == 0).sum()[["insulin", "bmi"]].tolist() == [374, 11]
    hypothyroid = load("hypothyroid").X
    assert hypothyroid["tbg"].isna().sum() == 2903
    assert hypothyroid["sex"].isna().sum() == 73  # missing among categories is NaN too
    # Codes are nominal where the index says so, whatever they look like, in natural order.
    codes = load("australian").X["A5"]
    assert codes.cat.categories.tolist() == [str(code) for code in range(1, 15)]
    # Balance scale: the label follows from the moments.
    X, y = load("balance-scale", return_X_y=True)
    left, right = X.iloc[:, 0] * X.iloc[:, 1], X.iloc[:, 2] * X.iloc[:, 3]
    assert (y[left > right] == "L").all()
    assert (y[left == right] == "B").all()


@pytest.mark.parametrize("name", ["german_credit", "German-Credit", " german credit "])
def test_names_are_taken_as_people_write_them(name):
    assert load(name).name == "german-credit"


def test_return_X_y():
    X, y = load("wine", return_X_y=True)
    bunch = load("wine")
    pd.testing.assert_frame_equal(X, bunch.X)
    pd.testing.assert_series_equal(y, bunch.y)


def test_loading_twice_gives_separate_frames():
    X = load("iris").X
    X.iloc[:] = 0.0
    assert load("iris").X.iloc[0, 0] == 5.1


def test_unknown_name():
    with pytest.raises(DatasetNotFoundError) as caught:
        load("germna-credit")
    message = str(caught.value)
    assert "'germna-credit'" in message
    assert "Did you mean 'german-credit'" in message
    assert "list_datasets()" in message


def test_name_of_a_wrong_type():
    with pytest.raises(TypeError, match=r"is a string such as 'german-credit', not 3 of type int"):
        load(3)


def test_a_set_that_may_not_be_shipped_says_what_to_do(data_folder):
    with pytest.raises(DatasetNotFoundError) as caught:
        load("insurance")
    message = str(caught.value)
    for part in (
        *("'insurance'", "may not be shipped", "non-commercial", str(data_folder)),
        *("does not exist yet", "insurance.train.csv", "counterpoint datasets add FILE"),
        *("COUNTERPOINT_DATA", "fetch=True", "OpenML"),
    ):
        assert part in message, part
    data_folder.mkdir()
    with pytest.raises(DatasetNotFoundError) as caught:
        load("insurance")
    assert "does not exist yet" not in str(caught.value)


@pytest.mark.parametrize("name", ["soybean-large", "vowel", "labor"])
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_exported_csv_reads_back_the_same(name, suffix, data_folder):
    data_folder.mkdir()
    path = export_csv(name, data_folder / f"copy{suffix}")
    first = path.read_bytes()
    assert export_csv(name, path).read_bytes() == first
    open_as = gzip.open if suffix.endswith("gz") else open
    with open_as(path, "rt", encoding="utf-8", newline="") as file:
        exported = list(csv.DictReader(file))
    original = rows_of(name)
    assert list(exported[0]) == list(original[0])
    numeric = set(index()[name].numeric)
    for row, expected in zip(exported, original, strict=True):
        for column, cell in expected.items():
            if column in numeric and cell:
                assert float(row[column]) == float(cell)
            else:
                assert row[column] == cell


def test_export_keeps_whole_numbers_whole(tmp_path):
    path = export_csv("letter", tmp_path / "letter.csv")
    assert path.read_text().splitlines()[1] == ",".join(rows_of("letter")[0].values())


# Fetching: fetch_openml is replaced, so what is tested is what we make of its answer.


def openml_coil():
    """Return a frame of the shape and coding of OpenML's coil2000: 9822 rows, codes, 0/1."""
    entry = index()["insurance"]
    n = entry.rows
    columns = {name: np.zeros(n, dtype=np.int64) for name in entry.columns}
    columns["MOSTYPE"] = np.arange(n) % 41 + 1
    target = np.zeros(n, dtype=np.int64)
    target[:348] = 1
    target[5822 : 5822 + 238] = 1
    return pd.DataFrame({**columns, "CARAVAN": target})


def answer_with(monkeypatch, frame):
    asked = []

    def fetch_openml(**kwargs):
        asked.append(kwargs)
        return Bunch(frame=frame)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    return asked


def test_fetch_gets_checks_and_keeps(monkeypatch, data_folder):
    asked = answer_with(monkeypatch, openml_coil())
    bunch = load("insurance", fetch=True)
    assert asked == [{"data_id": 298, "as_frame": True, "cache": False}]
    assert bunch.y.value_counts().to_dict() == {"noinsurance": 9236, "insurance": 586}
    assert Counter(bunch.split) == {"train": 5822, "test": 4000}
    assert bunch.categorical_features == ["MOSTYPE", "MOSHOOFD"]
    assert bunch.X["MOSTYPE"].cat.categories.tolist() == [str(code) for code in range(1, 42)]
    # Kept: the second time needs neither network nor fetch=True.
    assert (data_folder / "insurance.csv.gz").is_file()
    pd.testing.assert_frame_equal(load("insurance").frame, bunch.frame)
    assert len(asked) == 1


def test_fetch_of_rows_in_another_order_has_no_split(monkeypatch):
    answer_with(monkeypatch, openml_coil().iloc[::-1].reset_index(drop=True))
    bunch = load("insurance", fetch=True)
    assert bunch.split is None
    assert len(bunch.X) == 9822


def test_fetch_refuses_another_data_set(monkeypatch, data_folder):
    answer_with(monkeypatch, openml_coil().iloc[1:])
    with pytest.raises(DatasetNotFoundError, match=r"is not the data set 'insurance'.*classes are"):
        load("insurance", fetch=True)
    answer_with(monkeypatch, openml_coil().drop(columns="MOSTYPE"))
    with pytest.raises(DatasetNotFoundError, match=r"lacks the columns \['MOSTYPE'\]"):
        load("insurance", fetch=True)
    assert not data_folder.exists()


def test_fetch_by_name_says_so(monkeypatch):
    asked = answer_with(monkeypatch, pd.DataFrame({"a": [1.0]}))
    with pytest.raises(
        DatasetNotFoundError, match=r"the name 'ripley-synth', as we know no OpenML"
    ):
        load("ripley-synth", fetch=True)
    assert asked[0]["name"] == "ripley-synth"


@pytest.mark.parametrize(
    "failure", [urllib.error.URLError("no route"), ValueError("no data set found")]
)
def test_fetch_without_a_network(monkeypatch, failure, data_folder):
    def fetch_openml(**kwargs):
        raise failure

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(DatasetNotFoundError, match=r"could not be fetched.*datasets add FILE"):
        load("insurance", fetch=True)
    assert not data_folder.exists()


def test_fetch_is_not_needed_for_what_is_here():
    assert len(load("iris", fetch=True).X) == 150


def test_an_unknown_name_is_not_fetched():
    with pytest.raises(DatasetNotFoundError, match="No data set is called 'nothing'"):
        load("nothing", fetch=True)
