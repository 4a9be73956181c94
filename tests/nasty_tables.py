"""Tables as people keep them, made by a script: ``python tests/nasty_tables.py FOLDER`` writes all.

``LAYOUTS`` are one table, written in many ways: whatever the file, the same must come out.
``customers`` has a column of each kind that gives trouble, and ``TAKEN`` says what each is.
"""

import csv
import gzip
import io
import sys
import zipfile
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

PLAIN = pd.DataFrame(
    {
        "Stück": [1, 2, 3, 4, 5],
        "Größe": [1.5, -0.25, np.nan, 1234.5, 12.125],
        "Wort": ["ja, gewiss", 'sagt "nein"', "a;b", "größer | kleiner", "€ 5\tUhr"],
        "class": ["gut", "schlecht", "gut", "schlecht", "gut"],
    }
)
"""What must come out of every layout."""


def as_csv(frame, separator=",", *, decimal=".", quoting=csv.QUOTE_MINIMAL, end="\n"):
    """Return a frame as text, by hand: pandas is what is tested."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerow(frame.columns)
    for row in frame.itertuples(index=False):
        writer.writerow(
            [
                "" if cell != cell else str(cell).replace(".", decimal)
                if isinstance(cell, float) else cell
                for cell in row
            ]
        )  # fmt: skip
    return text.getvalue()


def zipped(name, content, *others):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for other in others:
            archive.writestr(other, b"")
        archive.writestr(name, content)
    return packed.getvalue()


def binary(frame, method):
    file = io.BytesIO()
    getattr(frame, method)(file)
    return file.getvalue()


def workbook(frame, sheets=("Blatt",)):
    """Return a workbook, the table on its last sheet below an empty line."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title in sheets:
        sheet = book.create_sheet(title)
    sheet.append([])
    sheet.append([str(name) for name in frame.columns])
    for row in frame.itertuples(index=False):
        sheet.append([None if cell != cell else cell for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


TEXT = as_csv(PLAIN)
GERMAN = as_csv(PLAIN, ";", decimal=",")
# Windows-1252 has a euro sign, Latin-1 has none.
LATIN = PLAIN.assign(Wort=PLAIN["Wort"].str.replace("€", "£"))
LAYOUTS = {
    "plain.csv": TEXT.encode(),
    "mark.csv": TEXT.encode("utf-8-sig"),
    "utf16.csv": TEXT.encode("utf-16"),
    "utf16_be.csv": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "utf16_bare.csv": TEXT.encode("utf-16-le"),
    "windows.csv": TEXT.encode("cp1252"),
    "semicolon.csv": as_csv(PLAIN, ";").encode(),
    "pipe.txt": as_csv(PLAIN, "|").encode(),
    "tab.csv": as_csv(PLAIN, "\t").encode(),
    "tab.tsv": as_csv(PLAIN, "\t").encode(),
    "comma.tsv": TEXT.encode(),
    "german.csv": GERMAN.encode("cp1252"),
    "german_tab.csv": as_csv(PLAIN, "\t", decimal=",").encode("utf-16"),
    "declared.csv": f"sep=;\n{GERMAN}".encode("utf-8-sig"),
    "quoted.csv": as_csv(PLAIN, quoting=csv.QUOTE_ALL, end="\r\n").encode(),
    "blanks.csv": ("\n\n" + TEXT.replace("\n", "\n\n")).encode(),
    "no_ending": TEXT.encode(),
    "packed.csv.gz": gzip.compress(TEXT.encode(), mtime=0),
    "packed.tsv.gz": gzip.compress(as_csv(PLAIN, "\t").encode(), mtime=0),
    "packed_by_content": gzip.compress(GERMAN.encode("cp1252"), mtime=0),
    "packed.zip": zipped("folder/table.csv", GERMAN.encode(), "folder/", "__MACOSX/._table.csv"),
    "zip_by_content": zipped("table.tsv", as_csv(PLAIN, "\t").encode()),
    "table.parquet": binary(PLAIN, "to_parquet"),
    "parquet_by_content": binary(PLAIN, "to_parquet"),
    "table.feather": binary(PLAIN, "to_feather"),
    "parquet.zip": zipped("table.parquet", binary(PLAIN, "to_parquet")),
}


WORDS = [
    "late",
    "parcel",
    "screen",
    "service",
    "thanks",
    "delivery",
    "wrong",
    "size",
    "nice",
    "box",
]
TAKEN = {
    "customer_id": "left out",
    "place": "left out",
    "email": "left out",
    "signed up": "date",
    "last seen": "date",
    "us date": "date",
    "packed_date": "date",
    "at": "number",
    "discount": "number",
    "price": "number",
    "preis": "number",
    "francs": "number",
    "balance": "number",
    "newsletter": "yes/no",
    "answer": "yes/no",
    "note": "text",
    "country": "left out",
    "price again": "left out",
    "empty": "left out",
    "income": "number",
    "city": "category",
    "closed because": "category",
    "churn": "target",
}
"""What each column of :func:`customers` is to be taken for."""


def customers(n=240, seed=0):
    """Return a table of text cells, and what its numbers and dates are, by column."""
    rng = np.random.RandomState(seed)
    churn = rng.uniform(size=n) < 0.4
    days = [date(2021, 1, 1) + timedelta(int(k)) for k in rng.randint(0, 700, size=n)]
    amounts = np.round(rng.uniform(-2000, 90000, size=n), 2)
    hours, minutes = rng.randint(0, 24, size=n), rng.randint(0, 60, size=n)
    forms = ("%d.%m.%Y", "%Y-%m-%d", "%d %B %Y", "%b %d, %Y", "%Y/%m/%d", "%d.%m.%y")
    notes = [" ".join(rng.choice(WORDS, size=5)) for _ in range(n)]
    cells = {
        "customer_id": [str(k) for k in rng.permutation(range(70000, 70000 + 3 * n, 3))],
        "place": [str(k) for k in range(n)],
        "email": [f"p{k}@example.org" for k in range(n)],
        "signed up": [day.strftime(forms[k % len(forms)]) for k, day in enumerate(days)],
        "last seen": [f"{day:%d.%m.%Y} {h:02}:{m:02}" for day, h, m in zip(days, hours, minutes)],
        "us date": [f"{day.month}/{day.day}/{day.year}" for day in days[::-1]],
        "packed_date": [f"{day:%Y%m%d}" for day in days[1:] + days[:1]],
        "at": [f"{h}:{m:02}" for h, m in zip(hours, minutes)],
        "discount": [f"{k}{'%' if k % 2 else ' %'}" for k in rng.randint(0, 40, size=n)],
        "price": [f"{'-' if a < 0 else ''}${abs(a):,.2f}" for a in amounts],
        "preis": [
            f"{a:,.2f} EUR".replace(",", "_").replace(".", ",").replace("_", ".")
            for a in 2 * amounts
        ],
        "francs": [f"CHF {a:,.2f}".replace(",", "'") for a in np.abs(amounts)],
        "balance": [f"({abs(a):,.2f})" if a < 0 else f"{a:,.2f}" for a in -amounts],
        "newsletter": [("Yes", "NO", "y", "n")[k] for k in rng.randint(0, 4, size=n)],
        "answer": [("ja", "nein")[k] for k in rng.randint(0, 2, size=n)],
        "note": [
            f"{text} {'refund' if gone and k % 2 else 'ok'} {k:04}"
            for k, (text, gone) in enumerate(zip(notes, churn))
        ],
        "country": ["DE"] * n,
        "price again": [],
        "empty": ["", "NA", "?"] * (n // 3),
        "income": [str(k) for k in rng.choice(80000, size=n, replace=False)],
        "city": list(rng.choice(["Ulm", "Bonn", "Köln"], size=n)),
        "closed because": ["moved" if gone else "" for gone in churn],
        "churn": ["yes" if gone else "no" for gone in churn],
    }
    cells["price again"] = list(cells["price"])
    meant = {
        "at": hours + minutes / 60,
        "price": amounts,
        "preis": 2 * amounts,
        "francs": np.abs(amounts),
        "balance": -amounts,
        "discount": np.array([float(cell.rstrip("% ")) for cell in cells["discount"]]),
        "signed up": days,
        "last seen": days,
        "us date": days[::-1],
        "packed_date": days[1:] + days[:1],
    }
    return pd.DataFrame(cells), meant


def write_all(folder):
    """Write every table into a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in LAYOUTS.items():
        (folder / name).write_bytes(content)
    frame, _ = customers()
    (folder / "customers.csv").write_bytes(as_csv(frame, ";").encode("cp1252"))
    return folder


if __name__ == "__main__":
    print(write_all(sys.argv[1]))
