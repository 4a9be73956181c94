"""Tables that nobody here would have made: each test states what must come out."""

import io
import json
import re
import zipfile
from datetime import date, datetime

import nasty_tables as nasty
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.tabular import fit, load, look_at, predict, read_table, save
from counterpoint.tabular.columns import prepare_table
from counterpoint.tabular.date_text import read_dates
from counterpoint.tabular.leaks import find_leaks
from counterpoint.tabular.number_text import read_numbers
from counterpoint.tabular.text_files import find_separator


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return nasty.write_all(tmp_path_factory.mktemp("nasty"))


@pytest.fixture(scope="module")
def cells():
    return nasty.customers()


@pytest.fixture(scope="module")
def prepared(folder):
    file = read_table(folder / "customers.csv", target="churn")
    return prepare_table(file.frame, "churn", wishes=file.wishes, forms=file.forms)


@pytest.mark.parametrize("name", nasty.LAYOUTS)
def test_whatever_the_layout_the_same_comes_out(folder, name):
    file = read_table(folder / name, target="class")
    pd.testing.assert_frame_equal(file.frame, nasty.PLAIN, check_dtype=False)


@pytest.mark.parametrize("name", [name for name in nasty.LAYOUTS if not name.endswith("tsv")])
def test_standard_input_needs_no_name(folder, name):
    file = read_table(io.BytesIO(nasty.LAYOUTS[name]), target="class")
    pd.testing.assert_frame_equal(file.frame, nasty.PLAIN, check_dtype=False)
    assert file.name == "standard input"


def test_windows_is_told_of_and_can_be_overruled(folder):
    notes = read_table(folder / "windows.csv").notes
    assert "the file is not UTF-8 and was read as Windows-1252" in notes[0]
    assert read_table(folder / "windows.csv", encoding="cp1252").notes == []
    # The same bytes are Cyrillic to those who say so.
    frame = read_table(folder / "windows.csv", encoding="cp1251").frame
    assert frame.columns[0] == "Stück".encode("cp1252").decode("cp1251")


def test_bytes_that_windows_does_not_know_are_latin(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(nasty.as_csv(nasty.LATIN).replace("gut", "g\x8dt").encode("latin-1"))
    file = read_table(path)
    assert file.frame["class"].tolist()[0] == "g\x8dt"
    assert "read as Latin-1" in file.notes[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a;b;c\n1;"x, y\nz, w";2\n3;"p";4\n', ";"),
        ("a;b;c\n1;2\n3;4;5\n", ";"),  # a line that ends early
        ("a,b\n1;2,x\n3;4,y\n", ","),
        ("a|b\n1,5|2\n", "|"),
        ("Name, Vorname;Alter\nA, B;3\nC;4\n", ";"),
        ("one\n1\n2\n", ","),
    ],
)
def test_what_divides_the_fields_is_found_out(text, expected):
    assert find_separator(text) == expected


def test_a_separator_that_is_said_is_not_looked_for(folder):
    with pytest.raises(ValueError, match=r"has one column only|fields"):
        read_table(folder / "semicolon.csv", separator=",")


def test_workbooks(tmp_path):
    pytest.importorskip("openpyxl", reason="the extra 'excel'")
    path = tmp_path / "book.xlsx"
    path.write_bytes(nasty.workbook(nasty.PLAIN, ("empty", "rows")))
    for sheet in ("rows", 2, "2"):
        file = read_table(path, sheet=sheet)
        pd.testing.assert_frame_equal(file.frame, nasty.PLAIN, check_dtype=False)
    with pytest.raises(ValueError, match=r"sheet='row' is not in .* Did you mean 'rows'"):
        read_table(path, sheet="row")
    with pytest.raises(ValueError, match=r"sheet 'empty' of .* is empty"):
        read_table(path)
    path.write_bytes(nasty.workbook(nasty.PLAIN.assign(when=datetime(2021, 5, 4, 3)), ("a", "b")))
    assert read_table(path, sheet="b").frame["when"].tolist() == [pd.Timestamp(2021, 5, 4, 3)] * 5
    double = nasty.PLAIN.set_axis(["a", "b", "a", "c"], axis=1)
    path.write_bytes(nasty.workbook(double))
    with pytest.raises(ValueError, match="two columns called 'a': rename one"):
        read_table(path)
    path.write_bytes(nasty.zipped("folder/x.csv", b"a,b\n1,2\n"))
    with pytest.raises(ValueError, match="cannot be read"):
        read_table(path)


def test_workbooks_need_a_library_and_say_so(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match=r"workbooks need openpyxl \(pip install openpyxl\)"):
        read_table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.zip", nasty.zipped("a.csv", b"x", "b.csv"), r"holds 2 files, b.csv, a.csv: pack one"),
        ("a.zip", nasty.zipped("a/", b""), "holds no file"),
        ("a.zip", b"PK\x03\x04 cut short", "cannot be read: File is not a zip file"),
        ("a.zip", nasty.zipped("a.csv.gz", b"x"), "packed twice"),
        ("a.csv.gz", nasty.LAYOUTS["packed.csv.gz"][:60], "cannot be read"),
        ("a.xls", b"\xd0\xcf\x11\xe0", r"save it as .xlsx or .csv"),
        ("a.csv", b"\xff\xfe" + "a,b".encode("utf-16-le") + b"\n", "cannot be read as utf-16"),
    ],
)
def test_files_that_are_broken(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table(path)


def test_every_column_is_taken_for_what_it_is(folder):
    seen = look_at(folder / "customers.csv", "churn")
    assert {one.name: one.use for one in seen.taken} == nasty.TAKEN
    why = {one.name: one.why for one in seen.taken}
    assert why["customer_id"] == "an id: every row has a number of its own"
    assert why["place"] == "an id: it counts the rows"
    assert why["email"] == "an id: every row has a text of its own"
    assert why["country"] == "it holds one value only, 'DE'"
    assert why["price again"] == "it is the same as 'price'"
    assert why["empty"] == "it has no value at all"
    assert why["us date"].endswith("month first: year, month, day, weekday, days since")


def test_the_leak_is_named_and_nothing_else(folder, prepared):
    leaks = [note for note in look_at(folder / "customers.csv", "churn").notes if "LEAK" in note]
    assert leaks == [note for note in prepared[4] if "LEAK" in note]
    (leak,) = leaks
    assert "'closed because' alone predicts 'churn' on 100.0 % of 240 rows" in leak


@pytest.mark.parametrize("name", ["at", "price", "preis", "francs", "balance", "discount"])
def test_numbers_however_they_are_written(prepared, cells, name):
    np.testing.assert_allclose(prepared[0][name], cells[1][name], rtol=1e-12)


@pytest.mark.parametrize("name", ["signed up", "last seen", "us date", "packed_date"])
def test_dates_however_they_are_written(prepared, cells, name):
    X, days = prepared[0], cells[1][name]
    assert X[f"{name}: year"].tolist() == [day.year for day in days]
    assert X[f"{name}: month"].tolist() == [day.month for day in days]
    assert X[f"{name}: day"].tolist() == [day.day for day in days]
    assert X[f"{name}: weekday"].tolist() == [day.isoweekday() for day in days]
    since = X[f"{name}: days since {min(days)}"]
    hours = cells[1]["at"] if name == "last seen" else 0
    np.testing.assert_allclose(
        since, np.array([(day - min(days)).days for day in days]) + hours / 24
    )
    assert (f"{name}: hour" in X) == (name == "last seen")


def test_yes_and_no_are_one_word_each(prepared, cells):
    said = prepared[0]["newsletter"].tolist()
    assert said == ["yes" if c.lower()[0] == "y" else "no" for c in cells[0]["newsletter"]]
    assert prepared[0]["answer"].tolist() == cells[0]["answer"].tolist()  # spelt alike: as it is


def test_texts_become_words(prepared, cells):
    X, notes = prepared[0], cells[0]["note"]
    column = next(column for column in prepared[2] if column.name == "note")
    assert {*nasty.WORDS, "refund"} - {*column.categories} <= {"ok"}
    assert "0001" not in column.categories  # in one row only
    for word in column.categories:
        assert X[f"note: {word}"].tolist() == [word in text.split() for text in notes]
    assert X["note: number of words"].tolist() == [len(text.split()) for text in notes]


def test_a_model_reads_new_tables_as_it_read_the_first(folder, cells, tmp_path):
    file = read_table(
        folder / "customers.csv", target="churn", columns={"closed because": "left out"}
    )
    fitted = fit(file, "churn", "tree")
    again = load(save(fitted, tmp_path / "model.skops"))
    assert again.columns == fitted.columns
    expected = predict(fitted, file).table["prediction"].tolist()
    # Spelt otherwise, in another order, in another encoding.
    other = cells[0].iloc[:, ::-1].copy()
    other["newsletter"] = other["newsletter"].str.upper()
    other["preis"] = other["preis"].str.replace(" EUR", " €")
    other["us date"] = [f"{day:%m/%d/%Y}" for day in cells[1]["us date"]]
    other["signed up"] = [f"{day:%d.%m.%Y}" for day in cells[1]["signed up"]]
    (tmp_path / "new.csv").write_bytes(nasty.as_csv(other, "\t").encode("utf-16"))
    said = predict(again, tmp_path / "new.csv")
    assert said.table["prediction"].tolist() == expected
    assert not any("never saw" in note for note in said.notes)
    # One row of 1.234 alone would be a small number; the model knows better.
    one = other.iloc[:1].assign(preis="1.234")
    (tmp_path / "one.csv").write_text(nasty.as_csv(one, ";"))
    assert read_table(tmp_path / "one.csv", known=again.columns).frame["preis"].tolist() == [1234]
    with pytest.raises(ValueError, match=r"'last seen' holds 'soon' in data row 1.* dates"):
        predict(again, one.assign(**{"last seen": "soon"}))
    with pytest.raises(ValueError, match=r"'price' holds 'much' in data row 1.* numbers"):
        predict(again, one.assign(price="much"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('n,m\n"1,234",a\n"2,500",b\n', 1234),  # commas divide fields: they set thousands apart
        ("n;m\n1,234;a\n2,500;b\n", 1.234),  # semicolons do, so that commas are free
        ("n;m\n1,234;1.5\n2,500;2.5\n", 1234),  # a column with points proves the opposite
        ("n;m\n1.234;1,5\n2.500;2,5\n", 1234),
        ("n;m\n1.234;x\n2.500;y\n", 1.234),
        ('n,m\n"1.234","1,5"\n2.500,"2,5"\n', 1234),
        ("n\tm\n1,234\t7,5 %\n2,500\t2\n", 1.234),
    ],
)
def test_what_is_not_clear_in_a_column_is_clear_in_the_file(tmp_path, text, expected):
    path = tmp_path / "marks.csv"
    path.write_text(text)
    assert read_table(path).frame["n"][0] == expected


@pytest.mark.parametrize("labels", [("10%", "20%"), ("1,5", "2,5"), ("3.4.2021", "4.4.2021")])
def test_labels_keep_their_spelling(tmp_path, labels):
    path = tmp_path / "labels.csv"
    rows = [f"{k};{labels[k % 2]}" for k in range(60)]
    path.write_text("\n".join(["n;y", *rows]))
    with pytest.raises(ValueError, match=r"an id: it counts the rows\. To use it .* keep='n'"):
        fit(path, "y", "tree")
    fitted = fit(read_table(path, target="y", keep=["n"]), "y", "tree")
    assert fitted.classes == sorted(labels)
    assert predict(fitted, path).n_judged == 15


def test_ids_and_others_can_be_kept_and_changed(folder):
    wishes = {"income": "category", "city": "left out", "us date": "day first", "note": "left out"}
    file = read_table(folder / "customers.csv", columns={"us date": "number"})
    with pytest.raises(ValueError, match="'us date' is to be taken for numbers, but holds dates"):
        look_at(file)
    file = read_table(folder / "customers.csv", columns={"city": "number"})
    with pytest.raises(ValueError, match=r"'city' holds '\w+' in .* it is to be taken for numbers"):
        look_at(file)
    file = read_table(
        folder / "customers.csv", columns={**wishes, "income": "number"}, keep=["place", "country"]
    )
    uses = {one.name: one.use for one in look_at(file).taken}
    assert (uses["place"], uses["country"]) == ("number", "category")
    assert (uses["city"], uses["note"]) == ("left out", "left out")


@pytest.mark.parametrize(
    ("cell", "what"), [("31.02.2021", "dates"), ("soon", "dates"), ("$1,2", "numbers")]
)
def test_a_wrong_cell_is_named(tmp_path, cells, cell, what):
    frame = cells[0][["signed up", "price", "churn"]].copy()
    name = "price" if what == "numbers" else "signed up"
    frame.loc[17, name] = cell
    path = tmp_path / "wrong.csv"
    path.write_text(nasty.as_csv(frame))
    expected = rf"Column '{name}' of .* holds {what}, but {re.escape(repr(cell))} in data row 18"
    with pytest.raises(ValueError, match=expected):
        read_table(path, target="churn")
    frame = read_table(path, target="churn", missing=[cell]).frame
    assert frame[name].isna().tolist() == [k == 17 for k in range(len(frame))]


def test_dates_that_prove_no_order_say_so(tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text("d,n\n" + "".join(f"{k % 12 + 1}/{k % 11 + 1}/2021,{k}\n" for k in range(30)))
    file = read_table(path)
    assert "'1/1/2021', are taken as month first, which no cell proves" in file.notes[0]
    assert file.frame["d"][1] == pd.Timestamp(2021, 2, 2)
    assert file.frame["d"][11] == pd.Timestamp(2021, 12, 1)
    told = read_table(path, columns={"d": "day first"})
    assert told.frame["d"][11] == pd.Timestamp(2021, 1, 12)


def test_two_columns_of_one_name_are_refused_by_everybody(tmp_path):
    from sklearn.ensemble import BaggingClassifier

    from counterpoint.base import read_table as read_frame
    from counterpoint.boosting import AdaBoostNCClassifier, MDLDiscretizer
    from counterpoint.datasets import TabularEncoder

    X = pd.DataFrame(np.eye(20, 3), columns=["a", "b", "a"])
    y = np.arange(20) % 2
    match = "two columns called 'a': rename one of them"
    for model in (AdaBoostNCClassifier(), TabularEncoder(), MDLDiscretizer()):
        with pytest.raises(ValueError, match=match):
            model.fit(X, y)
    with pytest.raises(ValueError, match=match):
        read_frame(BaggingClassifier(), X, reset=True)
    with pytest.raises(ValueError, match=match):
        fit(X.assign(y=y).set_axis(["a", "b", "a", "y"], axis=1), "y", "tree")
    path = tmp_path / "double.csv"
    path.write_text("a;b;a\n1;2;3\n")
    with pytest.raises(ValueError, match=match):
        read_table(path)


STYLES = {
    "$1,234.50": (",", ".", "${}"),
    "1.234,50 EUR": (".", ",", "{} EUR"),
    "1 234,50": ("\u202f", ",", "{}"),
    "1'234.50": ("'", ".", "CHF {}"),
    "12,5%": ("", ",", "{}%"),
}


@given(
    st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=20),
    st.sampled_from(sorted(STYLES)),
)
def test_any_amount_in_any_style_comes_back(amounts, style):
    group, decimal, frame = STYLES[style]
    marks = str.maketrans({",": group, ".": decimal})
    texts = [frame.format(f"{abs(a):,.2f}".translate(marks)) for a in amounts]
    texts = [f"-{text}" if a < 0 else text for a, text in zip(amounts, texts)]
    numbers, form = read_numbers(pd.Series(texts))
    assert numbers.tolist() == [float(a) for a in amounts]
    assert form.decimal == decimal


@given(st.lists(st.dates(date(1970, 1, 1), date(2068, 12, 31)), min_size=1, max_size=20), st.data())
def test_any_date_in_any_form_comes_back(days, data):
    forms = ("%d.%m.%Y", "%Y-%m-%d", "%d-%b-%Y", "%B %d, %Y", "%Y/%m/%d", "%Y-%m-%dT00:00:00Z")
    texts = [day.strftime(data.draw(st.sampled_from(forms))) for day in days]
    dates, order, _ = read_dates(pd.Series(texts))
    assert dates.dt.date.tolist() == days
    assert order == ""


def test_models_of_before_still_load(folder, tmp_path):
    """Files written earlier know of a column its name, its kind and its categories."""
    plain = read_table(folder / "customers.csv", target="churn").frame[["income", "city", "churn"]]
    fitted = fit(plain, "churn", "tree")
    path = save(fitted, tmp_path / "model.skops")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(entries["counterpoint.json"])
    for column in told["columns"]:
        for name in ("form", "parts", "origin"):
            del column[name]
    entries["counterpoint.json"] = json.dumps(told).encode()
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    again = load(path)
    assert again.columns == fitted.columns
    pd.testing.assert_frame_equal(predict(again, plain).table, predict(fitted, plain).table)


@pytest.mark.parametrize(
    "wrong", [{"origin": "soon"}, {"parts": ["era"]}, {"form": 1}, {"kind": "colour"}, {"more": ""}]
)
def test_columns_that_were_tampered_with_are_refused(folder, tmp_path, wrong):
    file = read_table(folder / "customers.csv", target="churn")
    frame = file.frame[["us date", "income", "churn"]]
    path = save(fit(frame, "churn", "tree"), tmp_path / "model.skops")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(entries["counterpoint.json"])
    told["columns"][0].update(wrong)
    entries["counterpoint.json"] = json.dumps(told).encode()
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match="is no model file of counterpoint"):
        load(path)


def test_a_file_with_nearly_that_name_is_named(folder):
    with pytest.raises(FileNotFoundError, match=r"customer\.csv\. Did you mean .*customers\.csv"):
        read_table(folder / "customer.csv")
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*nowhere either"):
        read_table(folder / "nowhere" / "x.csv")


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_a_leak_is_what_leaves_hardly_a_mistake(noise):
    rng = np.random.RandomState(0)
    y = np.where(rng.uniform(size=400) < 0.1, "rare", "common")
    X = pd.DataFrame({"n": (y == "rare") + rng.normal(scale=noise, size=400)})
    assert len(find_leaks(X, y, "y")) == (noise < 0.2)
    # To say the common class always is right on nine rows of ten, and no leak.
    assert find_leaks(pd.DataFrame({"n": rng.normal(size=400)}), y, "y") == []
    number = rng.normal(size=400)
    X = pd.DataFrame({"n": number + noise * rng.normal(size=400), "m": rng.normal(size=400)})
    assert len(find_leaks(X, number, "y")) == (noise < 0.2)


@pytest.mark.parametrize(
    ("cells", "unit", "first"),
    [
        (["80 kg", "71.5 kg", "63 kg"], "kg", 80.0),
        (["90 km/h", "120 km/h", "7 km/h"], "km/h", 90.0),
        (["21,5 °C", "-3,25 °C", "0 °C"], "°C", 21.5),
        (["32GB", "64GB", "128GB"], "GB", 32.0),
        (["57.71 ?", "1,049.11 ?", "3 ?"], "?", 57.71),  # a sign the file has lost
    ],
)
def test_a_word_after_every_number_is_its_unit(tmp_path, cells, unit, first):
    path = tmp_path / "t.csv"
    frame = pd.DataFrame({"size": cells * 10, "y": ["a", "b"] * 15})
    frame.to_csv(path, index=False, sep=";")
    read = read_table(path, target="y")
    assert read.frame["size"].iloc[0] == first
    assert read.forms["size"].lstrip(",") == unit


@pytest.mark.parametrize("cells", [["3 rooms", "4 beds", "5 rooms"], ["3A", "4", "5A"]])
def test_words_that_differ_are_no_units(tmp_path, cells):
    path = tmp_path / "t.csv"
    pd.DataFrame({"what": cells * 10, "y": ["a", "b"] * 15}).to_csv(path, index=False)
    assert read_table(path, target="y").frame["what"].tolist() == cells * 10


def test_another_unit_is_not_what_the_model_knows(tmp_path):
    path = tmp_path / "t.csv"
    rng = np.random.RandomState(0)
    weight = rng.normal(70, 10, size=60)
    pd.DataFrame(
        {"weight": [f"{w:.1f} kg" for w in weight], "y": (weight > 70).astype(str)}
    ).to_csv(path, index=False)
    model = fit(path, "y", "tree")
    known = predict(model, pd.DataFrame({"weight": ["60 kg", "81 kg"]}))
    assert known.table["prediction"].tolist() == ["False", "True"]
    with pytest.raises(ValueError, match="weight"):
        predict(model, pd.DataFrame({"weight": ["160 lb", "181 lb"]}))
