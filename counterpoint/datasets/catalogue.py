"""What data sets there are, the story of each one, and how one more is shipped.

The catalogue is one table, ``data/index.json``: a row for each set, its file beside it.
``register`` writes both.
"""

import hashlib
import json
import os
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint._files import new_file
from counterpoint._validation import check_choice
from counterpoint.datasets.folder import all_files, data_folder, find_files, read_files, recorded
from counterpoint.datasets.index import DATA, Entry, canonical, close_matches, index
from counterpoint.exceptions import DatasetNotFoundError

if TYPE_CHECKING:
    import pandas as pd

_LICENCES = {
    "CC BY 4.0 (UCI)": "CC BY 4.0. Attribute to the UCI Machine Learning Repository (Dua & Graff; "
    "Kelly, Longjohn & Nottingham) and to the source cited.",
    "MIT (modeldata)": "not a UCI set; distributed with R's modeldata under the MIT licence.",
    "unsettled, see LICENCES.md": "unsettled. As far as we know, UCI withdrew the set for want of "
    "a permission to distribute it; Weka and R's mlbench (GPL) still carry it.",
    "non-commercial, see LICENCES.md": "the donor's own terms, as far as we know them: "
    "non-commercial research and education only. Not shipped.",
    "GPL-2 or GPL-3 (MASS)": "distributed with R's MASS under GPL-2 or GPL-3. Not shipped; "
    "make_ripley draws fresh samples from the same distribution.",
}


def list_datasets() -> "pd.DataFrame":
    """List every data set that `load` knows, and the files in the data folder.

    Returns
    -------
    pandas.DataFrame
        One row a data set, its name the index. Columns: ``title``; ``rows``; ``features``,
        of which ``numeric`` and ``nominal``; ``classes``; ``missing`` (cells); ``majority``
        (share of the largest class); ``split`` (does the source fix train and test rows);
        ``licence``; ``available``: ``"shipped"``, ``"in data folder"`` or ``"not here"``.
        Counts of a file that was put into the data folder without `add_file` are missing.

    Examples
    --------
    >>> table = list_datasets()
    >>> table.loc["german-credit", ["rows", "numeric", "nominal", "classes"]].tolist()
    [1000, 7, 13, 2]
    """
    import pandas as pd

    files = all_files()
    rows = [_row(entry, files) for entry in index().values()]
    for key in sorted(set(files) - set(index())):
        facts = recorded(key)
        if facts is None:
            story = {"title": f"{key}, a file in the data folder", "licence": ""}
            rows.append({"name": key} | story | {"available": "in data folder"})
        else:
            rows.append(_row(_own_entry(key, facts), files))
    table = pd.DataFrame(rows).set_index("name")
    counts = ["rows", "features", "numeric", "nominal", "classes", "missing"]
    table[counts] = table[counts].astype("Int64")
    table["split"] = table["split"].astype("boolean")
    return table


def describe(name: str) -> str:
    """Tell what a data set is: counts, source, notes, licence, citation.

    Parameters
    ----------
    name : str
        As `load` takes it.

    Examples
    --------
    >>> "Fisher 1936" in describe("iris")
    True
    """
    key = canonical(name)
    if key in index():
        return description(index()[key])
    files = find_files(key)
    if not files:
        raise unknown(name)
    facts = recorded(key)
    if facts is not None:
        return description(_own_entry(key, facts))
    return description(read_files(key, files, target="class")[0])


def register(
    path: str | os.PathLike,
    *,
    title: str,
    licence: str,
    cite: str,
    name: str | None = None,
    target: str = "class",
    nominal: Sequence[str] = (),
    missing_values: Sequence[str] = (),
    notes: str = "",
    folder: Path = DATA,
) -> Entry:
    """Ship a data set: write its file beside the others, and its row into the catalogue.

    For those who work on this package; `add_file`, with the same arguments, is for everybody else.
    What can be counted is counted here, so that the row, which is returned, says what the file
    holds. ``data/LICENCES.md`` names every set, too.
    """
    from counterpoint.datasets.tables import write_csv

    check_choice(licence, "licence", _LICENCES)
    path = Path(path)
    key = canonical(path.name.split(".csv")[0] if name is None else name)
    given: dict[str, Any] = {"target": target, "nominal": nominal, "missing_values": missing_values}
    entry, table = read_files(key, {None: path}, **given)
    file = folder / f"{key}.csv.gz"
    write_csv(table, file)
    row: dict[str, Any] = {"title": title, "target": target}
    row |= {fact: getattr(entry, fact) for fact in ("rows", "missing", "classes", "columns")}
    row |= {"split": entry.split} if entry.split else {}
    row |= {"licence": licence, "cite": cite, "notes": notes, "checks": [], "sources": []}
    row |= {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    catalogue = folder / "index.json"
    rows = json.loads(catalogue.read_text(encoding="utf-8")) | {key: row}
    text = json.dumps(dict(sorted(rows.items())), indent=1, ensure_ascii=False)
    with new_file(catalogue) as part:
        part.write_text(text + "\n", encoding="utf-8")
    index.cache_clear()
    return Entry(name=key, **row)


def description(entry: Entry) -> str:
    """Return the text about a data set, with attribution and citation."""
    kinds = f"{len(entry.numeric)} numeric, {len(entry.nominal)} nominal"
    by_size = sorted(entry.classes.items(), key=lambda item: -item[1])
    facts = (
        f"{entry.rows} rows, {len(entry.columns)} features ({kinds}), "
        f"{entry.missing or 'no'} missing values."
    )
    labels = f"Target {entry.target!r}, {len(by_size)} classes: " + ", ".join(
        f"{label} {count}" for label, count in by_size
    )
    carriers = "; ".join(
        f"{source['file']} of {source['package']} {source['version']} ({source['origin']})"
        for source in entry.sources
    )
    split = entry.split
    story = {
        "Split": split and f"{split['train']} rows to train on, {split['test']} to test.",
        "Notes": entry.notes,
        "Taken from": carriers and f"{carriers}.",
        "Checked": entry.checks and f"{'; '.join(entry.checks)}.",
        "Licence": entry.licence and _LICENCES[entry.licence],
        "Cite": entry.cite and f"{entry.cite}.",
    }
    paragraphs = [facts, f"{labels}."]
    paragraphs += [f"{heading}: {text}" for heading, text in story.items() if text]
    body = "\n\n".join(textwrap.fill(text, 88, break_long_words=False) for text in paragraphs)
    return f"{entry.title}\n{'=' * len(entry.title)}\n\n{body}\n"


def unknown(name: str) -> DatasetNotFoundError:
    """Return the error for a name nobody knows."""
    key = canonical(name)
    near = close_matches(key, [*index(), *all_files()])
    hint = f" Did you mean {' or '.join(repr(match) for match in near)}?" if near else ""
    return DatasetNotFoundError(
        f"No data set is called {name!r}.{hint} list_datasets() names them all. A file of your own "
        f"is looked for in the data folder {data_folder()} ({key}.csv or {key}.csv.gz): put it "
        "there with `counterpoint datasets add FILE`."
    )


def _own_entry(key: str, facts: dict) -> Entry:
    facts = {name: value for name, value in facts.items() if name != "missing_values"}
    return Entry(name=key, title=f"{key}, a file in the data folder", **facts)


def _row(entry: Entry, files: dict) -> dict:
    available = "in data folder" if entry.name in files else "not here"
    return {
        "name": entry.name,
        "title": entry.title,
        "rows": entry.rows,
        "features": len(entry.columns),
        "numeric": len(entry.numeric),
        "nominal": len(entry.nominal),
        "classes": len(entry.classes),
        "missing": entry.missing,
        "majority": max(entry.classes.values()) / entry.rows,
        "split": entry.split is not None,
        "licence": entry.licence,
        "available": "shipped" if entry.file else available,
    }
