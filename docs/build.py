"""Write the generated parts of the documentation again: tables between markers, and pictures.

``python docs/build.py --check`` only says whether the tables are current (a test runs it).
"""

import re
import runpy
import sys
from pathlib import Path

import pandas as pd
from scipy import stats

from counterpoint.datasets import list_datasets
from counterpoint.diversity import MEASURES

DOCS = Path(__file__).parent
LIMITS = DOCS.parent / "benchmarks" / "limits.csv"
TITLES = {
    "made-1e4": "made, 10,000 x 30",
    "made-6e4": "made, 60,000 x 30",
    "made-1e5": "made, 100,000 x 30",
    "made-1e6": "made, 1,000,000 x 30",
    "waveform": "waveform, 5,000 x 21",
    "wide-5e3": "made, 5,000 x 300",
    "wide-2e4": "made, 20,000 x 100",
    "narrow-1e5": "made, 100,000 x 20",
    "classes-100": "made, 6,000 x 30, 100 classes",
    "messy": "made, 3,000 rows with words, categories and gaps",
}
BENCHMARKS = DOCS.parent / "benchmarks"
# Those that go through all shipped sets.
_METHODS = (
    "overproduce-select, limited", "stacking", "CatBoost", "AutoGluon best",
    "AutoGluon best, log-loss", "random forest", "XGBoost", "LightGBM",
)  # fmt: skip
sys.path.insert(0, str(DOCS))
import boosters  # noqa: E402
import evidence  # noqa: E402
import gallery  # noqa: E402


def measures_table() -> str:
    """Render MEASURES as a Markdown table."""
    rows = [
        "| name | what | range | more diverse when | kind | source |",
        "|---|---|---|---|---|---|",
    ]
    for m in MEASURES.values():
        cells = (
            f"`{m.name}`",
            m.title,
            f"{m.low:g} .. {m.high:g}",
            m.more_diverse,
            m.kind,
            m.source,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def datasets_table() -> str:
    """Render the catalogue of data sets as a Markdown table."""
    head = ["name", "title", "rows", "numeric", "nominal", "classes", "missing", "majority"]
    head += ["split", "licence", "shipped"]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, row in list_datasets().iterrows():
        if row["licence"]:  # what has none is a file of the user's own
            cells = [
                *(f"`{name}`", row["title"], row["rows"], row["numeric"], row["nominal"]),
                *(row["classes"], row["missing"], f"{row['majority']:.0%}"),
                *("yes" if row["split"] else "", row["licence"]),
                "yes" if row["available"] == "shipped" else "no",
            ]
            rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def coupling_table() -> str:
    """Render what grown-together boosters gain over boosters that grow alone."""
    rows = pd.read_csv(BENCHMARKS / "negative_correlation_boosting.csv")
    rows = rows[(rows["measured"] == "loss") & (rows["rounds"] == "30")]
    lines = [
        "| learning rate | trees | strength 0.5 lowers the loss in | 0.9 | 1 | of |",
        "|---|---|---|---|---|---|",
    ]
    for (rate, leaves), part in rows.groupby(["rate", "leaves"]):
        won = [f"{(part[s] < part['0.0']).mean():.0%}" for s in ("0.5", "0.9", "1.0")]
        lines.append(f"| {rate:g} | {leaves} | {' | '.join(won)} | {len(part)} runs |")
    return "\n".join(lines)


def limits_table() -> str:
    """Render what the flagship does in so many seconds of the processor, beside boosters."""
    found = pd.read_csv(LIMITS)
    found = found[(found["clock"] == "cpu") & found["log_loss"].notna() & (found["split"] == 0)]
    ours = found[found["method"] == "overproduce-select"].sort_values("limit", kind="stable")
    head = ["table", "limit", "took", "error", "LightGBM", "AutoGluon", "log-loss", "LightGBM"]
    head += ["AutoGluon", "memory"]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for _, row in ours.iterrows():
        here = found[found["table"] == row["table"]]
        light = here[here["method"] == "LightGBM"].iloc[0]
        other = here[(here["method"] == "AutoGluon best") & (here["limit"] == row["limit"])]
        cells = [TITLES.get(row["table"], row["table"])]
        cells += [f"{row['limit']:g}", f"{row['seconds']:.1f}"]
        for what, form in (("error", "{:.1%}"), ("log_loss", "{:.3f}")):
            own = form.format(row[what]).replace("%", " %")
            cells.append(f"**{own}**" if row[what] > light[what] else own)
            cells.append(form.format(light[what]).replace("%", " %"))
            cells.append("".join(form.format(v).replace("%", " %") for v in other[what]))
        cells.append(f"{row['gigabytes']:.1f} GB")
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def splits_table() -> str:
    """Render how far the flagship is from LightGBM over several splits, with intervals."""
    from benchmarks.limits import against_lightgbm

    found = against_lightgbm(pd.read_csv(LIMITS))
    found = found[found["splits"] > 2]
    lines = ["| table | limit | splits | error, points | log-loss |", "|---|---|---|---|---|"]
    for (table, limit), part in found.groupby(["table", "limit"], sort=False):
        by = part.set_index("loss")
        cells = [TITLES.get(table, table), f"{limit:g}", str(by["splits"].iloc[0])]
        for what, scale, digits in (("error", 100, 2), ("log_loss", 1, 3)):
            row = by.loc[what]
            half = stats.t.ppf(0.975, row["splits"] - 1) * row["error"]
            cells.append(f"{scale * row['difference']:+.{digits}f} ± {scale * half:.{digits}f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def accuracy_table() -> str:
    """Render ranks over the shipped sets that all methods have been through."""
    from benchmarks.accuracy import ASIDE, DATA, STUDY

    rows = STUDY.known()
    return _class_ranks(rows[~rows["dataset"].isin(ASIDE)], len(DATA) - len(ASIDE))


def aside_table() -> str:
    """Render the same over the sets that were kept aside."""
    from benchmarks.accuracy import ASIDE, STUDY

    rows = STUDY.known()
    return _class_ranks(rows[rows["dataset"].isin(ASIDE)], len(ASIDE))


def numbers_table() -> str:
    """Render ranks over tables of numbers: first without AutoGluon, then where it was run."""
    from benchmarks.accuracy_numbers import STUDY
    from benchmarks.study import AUTOGLUON, FLAGSHIP

    rows = STUDY.known()
    without = [m for m in rows["method"].unique() if m not in AUTOGLUON.methods]
    tables = [_ranks(STUDY, rows, ms, FLAGSHIP, len(STUDY.data))
              for ms in (without, [*without, "AutoGluon best"])]  # fmt: skip
    return "\n\n".join(tables)


def beside_table() -> str:
    """Render the flagship beside each method that has been through some of the sets only."""
    from benchmarks.accuracy import STUDY
    from benchmarks.study import LIMITED

    rows = STUDY.known()
    by = {what: rows.pivot_table(index="dataset", columns="method", values=what)
          for what in (*STUDY.losses, "fit_seconds")}  # fmt: skip
    lines = [
        "| method | sets | error | ours | log-loss | ours | won | tied | lost | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(set(rows["method"]) - set(_METHODS)):
        both = {what: table[[name, LIMITED]].dropna() for what, table in by.items()}
        gain = (both["error"][name] - both["error"][LIMITED]).round(12)
        cells = [name, str(len(gain))]
        cells += [f"{both[w][m].mean():.3f}" for w in STUDY.losses for m in (name, LIMITED)]
        cells += [str(int(n)) for n in ((gain > 0).sum(), (gain == 0).sum(), (gain < 0).sum())]
        cells.append(f"{both['fit_seconds'][name].mean():.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def rules_table() -> str:
    """Render ways to combine beside the blend of three whose bags are of members."""
    from benchmarks.rules import ROWS, summary

    found = summary(pd.read_csv(ROWS))
    lines = [
        "| rows | way to combine | cuts | log-loss, median | better | worse | error, points |",
        "|---|---|---|---|---|---|---|",
    ]
    for _, row in found.iterrows():
        cells = [row["rows"], row["rule"], str(row["cuts"]), f"{row['change']:+.1%}"]
        cells += [str(row["better"]), str(row["worse"]), f"{100 * row['error']:+.2f}"]
        lines.append(f"| {' | '.join(cells)} |".replace("%", " %"))
    return "\n".join(lines)


def _class_ranks(rows, n_all):
    from benchmarks.accuracy import STUDY
    from benchmarks.study import LIMITED

    return _ranks(STUDY, rows, _METHODS, LIMITED, n_all)


def _ranks(study, rows, methods, own, n_all):
    """Render ranks over the sets that these methods have all been through."""
    rows = rows[rows["method"].isin(methods)]
    count = rows.groupby("dataset")["method"].nunique()
    whole = count[count == len(methods)].index
    rows = rows[rows["dataset"].isin(whole)]
    if len(whole) < 2:
        return f"{len(whole)} of {n_all} sets."
    frame, _, _ = study.summary(rows, own)
    first, second = (what.replace("_", "-") for what in study.losses)
    shown = [what.upper() if study.task == "numbers" else what for what in (first, second)]
    lines = [
        f"| method | mean rank by {shown[0]} | by {shown[1]} | mean {shown[0]} | mean {shown[1]} "
        "| won | tied | lost | CPU seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, row in frame.iterrows():
        cells = [f"**{name}**" if name == own else str(name)]
        cells += [f"{row[f'rank by {what}']:.2f}" for what in study.losses]
        cells += [f"{row[f'mean {what}']:.3f}" for what in study.losses]
        kinds = [f"{t} by {study.losses[0]}" for t in ("won", "tied", "lost")]
        cells += ["" if name == own else f"{row[kind]:.0f}" for kind in kinds]
        cells.append(f"{row['CPU seconds']:.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{len(whole)} of {n_all} sets."])


def filled(text: str, marker: str, content: str) -> str:
    """Put ``content`` between the markers of that name."""
    pattern = rf"(<!-- {marker}:start -->\n).*?(<!-- {marker}:end -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{content}\n{m[2]}", text, flags=re.DOTALL)


if __name__ == "__main__":
    tables = {
        ("measures", "measures"): measures_table,
        ("datasets", "datasets"): datasets_table,
        ("gallery", "gallery"): gallery.thumbnails,
        ("../README", "fast"): evidence.fast_table,
        ("first_use", "startup"): evidence.first_use_table,
        ("choosing", "branches"): evidence.branches_table,
        ("choosing", "methods"): evidence.methods_table,
        ("hist_boost", "defaults"): boosters.defaults_table,
        ("hist_boost", "paired"): boosters.paired_table,
        ("hist_boost", "curve"): boosters.curve_table,
        ("hist_boost", "threads"): lambda: boosters.curve_table(threads=2),
        ("negative_correlation_boosting", "few"): boosters.few_rows_table,
        ("when_diversity_hurts", "coupling"): coupling_table,
        ("overproduce_select", "limits"): limits_table,
        ("overproduce_select", "splits"): splits_table,
        ("overproduce_select", "accuracy"): accuracy_table,
        ("overproduce_select", "aside"): aside_table,
        ("overproduce_select", "beside"): beside_table,
        ("overproduce_select", "numbers"): numbers_table,
        ("overproduce_select", "rules"): rules_table,
    }
    for (file, name), table in tables.items():
        page = DOCS / f"{file}.md"
        new = filled(page.read_text(), name, table())
        if "--check" not in sys.argv:
            page.write_text(new)
        elif new != page.read_text():
            sys.exit(f"docs/{page.name} is out of date: run make figures")
    if "--check" not in sys.argv:
        for script in sorted([*DOCS.glob("figures*.py"), DOCS / "gallery.py"]):
            runpy.run_path(str(script), run_name="__main__")
