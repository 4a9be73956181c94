"""Tables read from files: kinds, gaps, wrong delimiters, mixed columns."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.tabular import fit, predict, read_table
from counterpoint.tabular.columns import Column
from counterpoint.tabular.reader import read_frame

TEXT = "age,job,on,class\n30,cook,true,1\n?,smith,,2\n41.5,NA,TRUE,1\n"

GAP_CODES = [
    (18, 160),
    (79, 199),
    (-999, 170),
    (31, 199),
    (45, 165),
    (-999, 181),
    (52, 175),
    (22, 158),
]


@pytest.fixture
def table(tmp_path):
    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_kinds_and_gaps(table):
    file = read_table(table(TEXT), target="class")
    np.testing.assert_array_equal(file.frame["age"], [30, np.nan, 41.5])
    assert file.frame["job"].tolist()[:2] == ["cook", "smith"]
    assert pd.isna(file.frame["job"][2])
    assert file.frame["on"].tolist()[::2] == ["true", "TRUE"]  # as they are spelt
    assert file.frame["class"].tolist() == [1, 2, 1]
    assert file.notes == []


def test_what_spreadsheets_write_for_no_value(table):
    frame = read_table(table("n,class\n1,a\nn/a,b\nN/A,a\n#N/A,b\n2.5,a\n")).frame
    np.testing.assert_array_equal(frame["n"], [1, np.nan, np.nan, np.nan, 2.5])


def test_what_is_missing_can_be_said(table):
    frame = read_table(table(TEXT), missing=["cook"]).frame
    assert frame["age"].tolist() == ["30", "?", "41.5"]
    assert pd.isna(frame["job"][0])
    assert frame["job"][2] == "NA"


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_a_number_for_no_value_goes_however_it_is_written(tmp_path, name):
    path = tmp_path / name
    frame = pd.DataFrame({"n": [1.5, -999, 3], "k": [7, 8, -999], "class": list("aba")})
    frame["c"] = ["1,50 EUR", "-999,00 EUR", "2,00 EUR"]
    write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "xlsx": frame.to_excel}
    write[name.split(".")[1]](path, index=False)
    assert read_table(path).frame["k"].tolist() == [7, 8, -999]
    read = read_table(path, missing=["-999"], target="class").frame
    np.testing.assert_array_equal(read["n"], [1.5, np.nan, 3])
    np.testing.assert_array_equal(read["k"], [7, 8, np.nan])
    np.testing.assert_array_equal(read["c"], [1.5, np.nan, 2])
    column = Column("k", "number")
    again = read_table(path, missing=["-999"], known=[column]).frame
    np.testing.assert_array_equal(again["k"], [7, 8, np.nan])


def test_a_number_that_may_stand_for_no_value_is_told(table):
    rows = "".join(f"{age},{height},{k % 3}\n" for k, (age, height) in enumerate(GAP_CODES))
    file = read_table(table("age,height,class\n" + rows), missing=["?"], target="class")
    assert file.notes == [
        "column 'age' is -999 in 2 of 8 rows, far from all others, which are 18 to 79: if it means "
        "that there is no value, add '-999' to missing='?'."
    ]
    told = read_frame(file.frame, target="class").notes
    assert told[0].endswith("if it means that there is no value, put NaN there.")
    mended = read_table(table("age,height,class\n" + rows), missing=["-999"], target="class")
    assert mended.notes == []
    assert mended.frame["age"].isna().sum() == 2


@pytest.mark.parametrize(
    "values",
    [
        [97, 98, 99, 99, 45],  # not far from the others
        [1, 2, 3, 4, 999],  # once: what is far out, not what stands for a gap
        [1, 2, 999, 999, 999],  # most of the column
        [1, 2, 3, 900, 900],  # no nines
        [1, 1, 1, 99, 99],  # two values: codes
    ],
)
def test_numbers_that_are_what_they_are(values):
    assert read_frame(pd.DataFrame({"n": values})).notes == []


def test_numbers_that_are_categories(table):
    path = table("zip,n\n01,1\n02,2\n")
    assert read_table(path).frame["zip"].tolist() == [1, 2]
    assert read_table(path, nominal=["zip"]).frame["zip"].tolist() == ["01", "02"]
    with pytest.raises(ValueError, match=r"no column 'zap'.* Did you mean 'zip'"):
        read_table(path, nominal=["zap"])


@pytest.mark.parametrize(
    "name", ["t.tsv", "t.tsv.gz", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"]
)
def test_every_format_says_the_same(table, tmp_path, name):
    expected = read_table(table(TEXT), target="class").frame
    path = tmp_path / name
    if ".tsv" in name or ".csv" in name:
        text = TEXT.replace(",", "\t") if ".tsv" in name else TEXT
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    elif name.endswith(".parquet"):
        expected.to_parquet(path)
    else:
        expected.to_feather(path)
    pd.testing.assert_frame_equal(read_table(path, target="class").frame, expected)


def test_a_stream_of_arrow(tmp_path):
    import pyarrow as pa

    frame = pd.DataFrame({"a": [1.5, 2.0], "b": ["x", "y"], "c": pd.Categorical(["u", None])})
    path = tmp_path / "t.arrow"
    arrow = pa.Table.from_pandas(frame)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, arrow.schema) as stream:
        stream.write_table(arrow)
    found = read_table(path).frame
    assert found["a"].tolist() == [1.5, 2.0]
    assert found["c"].tolist()[0] == "u"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "is empty: expected a header row"),
        ("a,b\n", {}, "has a header but no rows"),
        ("a;b\n1;2;3\n", {}, "Are its fields divided by ';'\\? Then pass separator=';'"),
        ("a,a\n1,2\n", {}, "two columns called 'a'"),
        ("a,b\n1,2,3\n", {}, "fields|more fields than its header"),
        (b"a,b\n\xff\xfe,1\n", {"encoding": "utf-8"}, "cannot be read as encoding='utf-8': byte"),
        (b"a,b\n1,2\n", {"encoding": "utf-9"}, "encoding='utf-9' is not known: try 'utf-8'"),
        (b"a,b\n1,2\n", {"encoding": "hex"}, "encoding='hex' is not known"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff", {}, "it is no text"),
        (b"a,b\n1,2\n", {"sheet": 2}, "is no workbook: leave it out"),
        (b"a,b\n1,2\n", {"keep": ["c"]}, "There is no column 'c'.*keep="),
        (b"a,b\n1,2\n", {"leave_out": ["c"]}, "There is no column 'c'.*leave_out="),
        (b"a,b\n1,2\n", {"leave_out": ["b"], "target": "b"}, "leave_out='b', but target= wants"),
        (b"a,b\n1,2\n", {"leave_out": ["a"], "keep": ["a"]}, "leave_out='a', but keep= wants"),
        (b"a,b\n1,2\n", {"columns": {"a": "numbr"}}, "taken for 'numbr'.*Did you mean 'number'"),
        ("a,b\n1,x\n", {"target": "B"}, "no target column 'B'.* Did you mean 'b'"),
        (",\n1,2\n", {}, "no column with a name|header"),
    ],
)
def test_files_that_cannot_be_read(table, text, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(table(text), **options)


def test_files_that_are_something_else(table, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "no.csv")
    with pytest.raises(ValueError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        read_table(table("a,b", "t.parquet"))
    with pytest.raises(ValueError, match="cannot be read as Arrow"):
        read_table(table("a,b", "t.arrow"))
    with pytest.raises(ValueError, match="cannot be read: Not a gzipped file"):
        read_table(table("a,b", "t.csv.gz"))


def test_a_few_words_among_numbers_are_a_mistake(table):
    text = "n,m\n" + "".join(f"{k},1\n" for k in range(9)) + "unknown,1\n"
    with pytest.raises(
        ValueError, match=r"'n' of .* holds numbers, but 'unknown' in data row 10"
    ) as e:
        read_table(table(text))
    assert "add 'unknown' to missing='?,NA,N/A," in str(e.value)
    with pytest.raises(ValueError, match="pass missing='unknown'"):
        read_table(table(text), missing=[])
    assert "nominal='n'" in str(e.value)
    assert read_table(table(text), missing=["unknown"]).frame["n"].isna().sum() == 1
    assert read_table(table(text), nominal=["n"]).frame["n"].tolist()[9] == "unknown"


def test_columns_with_odd_cells_are_told_of_all_at_once(table):
    rows = [f"{k},{k}.5 kg,{k % 28 + 1:02}.01.2024,{k}\n" for k in range(1, 31)]
    rows[4], rows[8], rows[9] = "x,?,05.01.2024,1\n", "9,soon,tbd,2\n", "10,never,10.01.2024,3\n"
    file = table("a,b,c,d\n" + "".join(rows))
    with pytest.raises(ValueError, match=r"3 columns of .* hold a few cells that do not fit") as e:
        read_table(file)
    for words in (
        "column 'a' numbers, but 'x' in data row 5;",
        "column 'b' numbers, but 'soon' in data row 9 (and 1 more such cells)",
        "column 'c' dates, but 'tbd' in data row 9.",
        "add 'x,soon,never,tbd' to missing=",
        "name it in nominal='a,b,c'",
    ):
        assert words in str(e.value)
    seen = read_table(file, strict=False)
    assert seen.unclear == {
        "a": "numbers, but 'x' in data row 5",
        "b": "numbers, but 'soon' in data row 9 (and 1 more such cells)",
        "c": "dates, but 'tbd' in data row 9",
    }
    assert str(e.value) in seen.notes
    mended = read_table(file, missing=["?", "x", "soon", "never", "tbd"])
    assert mended.frame["b"].isna().sum() == 3
    assert mended.frame["b"].max() == 30.5
    assert mended.unclear == {}


def test_a_measure_of_many_numbers_may_have_words_among_it_but_not_one_of_few(table):
    ways = [f"{k}'{k:03} km" for k in range(1, 22)]
    for n, unclear in ((21, True), (20, False)):
        file = table("way,n\n" + "".join(f"{way},1\n" for way in [*ways[:n], "unknown"]))
        read = read_table(file, strict=False)
        assert ("way" in read.unclear) == unclear
        numbers = read_table(file, missing=["unknown"]).frame["way"]
        assert numbers.sum() == sum(1001 * k for k in range(1, n + 1))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30))
def test_the_share_of_words_decides(tmp_path_factory, numbers, words):
    path = tmp_path_factory.mktemp("mixed") / "t.csv"
    cells = [*map(str, range(numbers)), *(f"w{k}" for k in range(words))]
    path.write_text("n,m\n" + "".join(f"{cell},1\n" for cell in cells))
    if words <= 0.2 * len(cells):
        with pytest.raises(ValueError, match="holds numbers, but 'w0'"):
            read_table(path)
        return
    file = read_table(path)
    assert file.frame["n"].tolist() == cells
    mixed = words < 0.8 * len(cells)
    assert ("column 'n' mixes numbers and words" in "".join(file.notes)) == mixed


def test_decimal_commas(table):
    file = read_table(table("n;w\n1,5;a\n-2;b\n;c\n"), separator=";")
    np.testing.assert_array_equal(file.frame["n"], [1.5, -2, np.nan])
    assert file.notes == ["the commas in column 'n' are read as decimal points."]


def test_a_column_without_a_name_is_left_out(table):
    file = read_table(table(",a\n0,1\n1,2\n"))
    assert file.frame.columns.tolist() == ["a"]
    assert file.notes == ["a column without a name left out."]


def test_what_a_model_knows_decides(table):
    known = [Column("code", "category", ("1", "2")), Column("n", "number")]
    frame = read_table(table("n,code\n" + "1,01\n" * 9 + "many,2\n"), known=known).frame
    assert frame["code"].tolist()[0] == "01"
    assert frame["n"].tolist()[9] == "many"  # the model's columns say what is wrong


def test_texts_of_a_frame_are_read_as_those_of_a_file(tmp_path):
    rng = np.random.default_rng(0)
    n = 80
    day = pd.to_datetime("2024-01-31") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    frame = pd.DataFrame({
        "when": day.strftime("%d.%m.%Y"), "off": [f"{k} %" for k in rng.integers(0, 30, n)],
        "paid": [f"{v:.2f}".replace(".", ",") + " EUR" for v in rng.gamma(2, 50, n)],
        "channel": rng.choice(["web", "shop"], n), "plan": rng.choice(["01", "02"], n),
        "kept": rng.choice(["yes", "no"], n),
    })  # fmt: skip
    frame.index = np.repeat(np.arange(n // 2), 2)  # of no meaning
    frame.to_csv(tmp_path / "table.csv", sep=";", index=False)
    by_file, by_frame = (
        fit(table, "kept", "naive-bayes", random_state=0)
        for table in (tmp_path / "table.csv", frame)
    )
    kinds = {column.name: (column.kind, column.form) for column in by_frame.columns}
    assert kinds == {
        "when": ("date", ""), "off": ("number", "%"), "paid": ("number", ",EUR"),
        "channel": ("category", ""), "plan": ("category", ""),
    }  # fmt: skip
    for ours, theirs in zip(by_frame.columns, by_file.columns, strict=True):
        if ours.name != "plan":  # digits: numbers in a file, in a frame what its maker chose
            assert ours == theirs
    new = frame.drop(columns="kept")[:6]
    again = predict(by_frame, new).table["prediction"]
    typed = new.assign(when=pd.to_datetime(new["when"], format="%d.%m.%Y"),
                       off=new["off"].str.removesuffix(" %").astype(float))  # fmt: skip
    assert predict(by_frame, typed).table["prediction"].tolist() == again.tolist()
    assert frame["when"].iloc[0].count(".") == 2  # the frame itself stays as it was


def test_a_frame_with_an_odd_cell_keeps_its_texts():
    table = pd.DataFrame({"when": ["1.2.2024"] * 9 + ["soon"], "code": list("0123456789")})
    read = read_frame(table)
    assert read.frame is table
    assert (read.notes, read.forms) == ([], {})
    days = pd.Series(["1.2.2024", "3.4.2024"], dtype="category")
    assert read_frame(pd.DataFrame({"when": days})).frame["when"].dtype == "category"
