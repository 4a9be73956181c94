"""Tables of predictions become MemberOutputs, or an error that says where."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.tabular.outputs import read_predictions


def read(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return read_predictions(io.BytesIO(data), **options)


def said(outputs):
    """Return the labels each member gave, as they were in the file."""
    return outputs.classes[outputs.votes].tolist()


# Any text a cell can hold; blanks around it do not count, and an empty cell is missing.
label = st.text(min_size=1, max_size=5).map(str.strip).filter(lambda text: text not in ("", "\0"))


@settings(max_examples=60, deadline=None)
@given(st.lists(label, min_size=2, max_size=4, unique=True), st.integers(1, 4), st.data())
def test_any_labels_come_back(labels, n_members, data):
    labels = [text.replace("\0", "0").replace("\r", "r").replace("\ufeff", "b") for text in labels]
    n = data.draw(st.integers(2, 8))
    rows = data.draw(
        st.lists(
            st.lists(st.sampled_from(labels), min_size=n_members + 1, max_size=n_members + 1),
            min_size=n,
            max_size=n,
        )
    )
    text = io.StringIO()
    names = [f"m{k}" for k in range(n_members)]
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["class", *names], *rows])
    truth = [row[0] for row in rows]
    try:
        numbers = {text: float(text) for text in labels}
    except ValueError:
        numbers = None
    key = (lambda x: x) if numbers is None else numbers.get  # 1 and 1.0 are one label
    if len({key(x) for x in truth}) == 1 or numbers is not None:
        return  # one class is an error; numbers have tests of their own
    outputs = read(text.getvalue(), allow_new_labels=True)
    assert outputs.names == names
    assert said(outputs) == [[row[k + 1].strip() for row in rows] for k in range(n_members)]
    assert outputs.classes[outputs.y].tolist() == [x.strip() for x in truth]
    wrong = [sum(row[k + 1] != row[0] for row in rows) / n for k in range(n_members)]
    assert outputs.errors == pytest.approx(wrong)


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (["1", "1.0", "2", "2."], [1, 2]),
        (["+1", "1", "-1", "-1.0"], [-1, 1]),
        (["10", "10.0", "9", "9"], [9, 10]),
        (["1.5", "1.50", "1", "1.0"], [1.0, 1.5]),
        (["1e2", "100", "0", "0.0"], [0.0, 100.0]),
        (["1", "1", "1_0", "1_0"], ["1", "1_0"]),
        (["nan", "nan", "inf", "inf"], ["inf", "nan"]),
        (["NA", "NA", "None", "None"], ["NA", "None"]),
        (["True", "True", "False", "False"], ["False", "True"]),
        (["9" * 25, "9" * 25, "8", "8"], ["8", "9" * 25]),
    ],
)
def test_numbers_are_numbers_if_all_are(cells, classes):
    a, also_a, b, also_b = cells
    outputs = read(f"class,m\n{a},{also_a}\n{b},{also_b}\n")
    assert outputs.classes.tolist() == classes
    assert outputs.errors.tolist() == [0.0]


def test_the_unnamed_index_of_a_frame_is_no_member():
    frame = pd.DataFrame({"class": ["a", "b"], "m": ["a", "a"]}, index=[7, 8])
    assert read(frame.to_csv()).names == ["m"]


def test_members_weights_and_order():
    outputs = read("a,class,b,c,n\n1,1,0,0,2\n0,0,1,0,0.5\n", members=["c", "a"], weights="n")
    assert outputs.names == ["c", "a"]
    assert outputs.sample_weight.tolist() == [2.0, 0.5]
    assert said(outputs) == [[0, 0], [1, 0]]


def test_flags():
    outputs = read("a,b\n1,true\n0,FALSE\n1.0,0\n", correct=True)
    assert outputs.correct.tolist() == [[True, False, True], [True, False, False]]
    assert outputs.votes is None


def test_new_labels_can_be_classes():
    outputs = read("class,m\na,c\nb,b\n", allow_new_labels=True)
    assert outputs.classes.tolist() == ["a", "b", "c"]
    assert outputs.errors.tolist() == [0.5]


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.csv.gz", "p.tsv.gz", "p.txt", "P.CSV"])
def test_files(tmp_path, name):
    mark = "\t" if "tsv" in name else ","
    text = mark.join(["class", "m"]) + f"\nx{mark}x\ny{mark}x\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    for source in (path, str(path)):
        outputs = read_predictions(source)
        assert said(outputs) == [["x", "x"]]


def test_other_separator_and_byte_order_mark():
    assert said(read(b"\xef\xbb\xbfclass;m\n1;1\n2;1\n", separator=";")) == [[1, 1]]


@pytest.mark.parametrize("kind", ["int64", "float64", "Int64", "str", "category"])
def test_parquet(tmp_path, kind):
    path = tmp_path / "p.parquet"
    frame = pd.DataFrame({"class": [1, 2, 1], "m": [1, 1, 2]})
    frame["m"] = frame["m"].astype(kind)
    frame.to_parquet(path)
    outputs = read_predictions(path)
    assert outputs.classes.tolist() == [1, 2]
    assert said(outputs) == [[1, 1, 2]]


def test_parquet_with_a_missing_label(tmp_path):
    path = tmp_path / "p.parquet"
    pd.DataFrame({"class": [1, 2], "m": [1.0, np.nan]}).to_parquet(path)
    with pytest.raises(ValueError, match=r"Column 'm' of .* has no label in data row 2"):
        read_predictions(path)


# What is wrong with the file itself.


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*x\.csv\.$"):
        read_predictions(tmp_path / "x.csv")


def test_a_folder(tmp_path):
    with pytest.raises(ValueError, match="is a folder: give a file"):
        read_predictions(tmp_path)


@pytest.mark.parametrize("name", ["p.csv.gz", "p.parquet"])
def test_a_file_that_is_not_what_its_name_says(tmp_path, name):
    path = tmp_path / name
    path.write_text("class,m\n1,1\n")
    with pytest.raises(ValueError, match=r"cannot be read.*: .*[^.]\.$"):
        read_predictions(path)


def test_a_gzip_file_cut_short(tmp_path):
    path = tmp_path / "p.csv.gz"
    path.write_bytes(gzip.compress(b"class,m\n" + b"1,2\n2,1\n" * 500)[:40])
    with pytest.raises(ValueError, match="cannot be read"):
        read_predictions(path)


def test_a_file_nobody_may_read(tmp_path, monkeypatch):
    path = tmp_path / "p.csv"
    path.write_text("class,m\n1,1\n")

    def forbidden(*args):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.open", forbidden)
    with pytest.raises(ValueError, match=r"p\.csv cannot be read: Permission denied\.$"):
        read_predictions(path)


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    def missing(path):
        raise ImportError("no engine")

    path = tmp_path / "p.parquet"
    path.touch()
    monkeypatch.setattr("pandas.read_parquet", missing)
    with pytest.raises(ValueError, match="Parquet files need pyarrow"):
        read_predictions(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty: expected a header row"),
        (b"\n\n", "is empty: expected a header row"),
        (b"class,m\n", "has a header but no rows"),
        (b"class,m\n\xff\0\0\0,1\n", "it is no text"),
        (b"class,m\n1,2,3\n2,2,3\n", "has rows with more fields than its header"),
        (b"class,m\n1,2\n2,2,3\n", "data row 2 has 3 fields, the header 2"),
        (b'class,m\n1,"2\n', "cannot be read as CSV: EOF inside string"),
        (b"class,m,m\n1,2,2\n", "two columns called 'm': rename one"),
        (b"class;m\n1;2;3\n", "Then pass separator=';'"),
        (b"class\tm\n1\t2\t3\n", r"Then pass separator='\\t'"),
    ],
)
def test_unreadable(text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


def test_empty_parquet(tmp_path):
    path = tmp_path / "p.parquet"
    pd.DataFrame({"class": []}).to_parquet(path)
    with pytest.raises(ValueError, match="has columns but no rows"):
        read_predictions(path)


# What is wrong with what it says.


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("Clas,m\na,b\n", {}, r"no truth column 'class'.* Did you mean 'Clas'\? Name one"),
        ("x,m\na,b\n", {}, "Its columns are 'x', 'm'. Name one with truth="),
        ("a,m\n0,1\n", {}, "all its columns say 1 or 0. If .* pass correct=True"),
        ("class,m\na,b\n", {"weights": "w"}, "no weights column 'w'"),
        ("class,tree\na,b\n", {"members": ["trees"]}, r"Did you mean 'tree'\? .* members="),
        ("class,m\na,b\n", {"members": []}, "No member is named"),
        ("class,m\na,b\n", {"members": ["m", "m"]}, "'m' is named twice"),
        ("class,m\na,b\n", {"members": ["class"]}, "'class' cannot be a member"),
        ("class\na\nb\n", {}, "no column for a member: its only columns are 'class'"),
        ("class,m\na,a\nb,\n,\n", {}, "Column 'class' of .* has no label in data row 3:"),
        ("class,m\na,a\nb,\na,  \n", {}, r"'m' of .* no label in data row 2 \(and in 1 more\):"),
        ("class,m\na,a\nb\n", {}, "'m' of .* no label in data row 2:"),
        ("class,m\na,a\na,a\n", {}, "one class only, 'a'"),
        ("class,m\na,a\na,b\n", {"allow_new_labels": True}, "one class only, 'a'"),
        ("class,m\na,a\nb,c\n", {}, r"\(it has 'a', 'b'\): 'm' says 'c' in data row 2\. If"),
        ("class,m\n0,0.2\n1,0.9\n", {}, "'m' says 0.2 in data row 1. These look like scores"),
        ("class,a,b,c,d\n0,2,2,2,2\n1,2,2,2,2\n", {}, "'c' says 2 in .*; and 1 more members"),
        ("class,m,w\na,a,1\nb,b,-1\n", {"weights": "w"}, "holds '-1' in data row 2: a weight"),
        ("class,m,w\na,a,x\nb,b,1\n", {"weights": "w"}, "holds 'x' in data row 1: a weight"),
        ("class,m,w\na,a,0\nb,b,0\n", {"weights": "w"}, "sample_weight are all zero"),
        ("m\n1\n2\n", {"correct": True}, "holds '2' in data row 2, but with correct=True"),
        ("w\n1\n", {"correct": True, "weights": "w"}, "its only columns are 'w'"),
    ],
)  # fmt: skip
def test_bad_content(text, options, message):
    with pytest.raises(ValueError, match=message):
        read(text, **options)


def test_the_callers_file_stays_open():
    file = io.BytesIO(b"class,m\n1,1\n2,2\n")
    read_predictions(file)
    assert not file.closed
