"""Tables of the pages on boosted trees, from the rows that their benchmarks keep."""

import sys
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import curve, few_rows_each, hist_boost

FRESH = 300  # splits from here on are those that nothing was chosen by


def _rows():
    return pd.DataFrame(hist_boost.done().values())


def defaults_table() -> str:
    """Render default against default, means of splits 0 and 1."""
    rows = _rows()
    table = hist_boost.by_table(rows[rows["split"] < 2])
    lines = [
        "| table, training rows | seconds | LightGBM | error | LightGBM | log-loss | LightGBM |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in table.iterrows():
        name = "made" if name.startswith("made-") else name
        cells = [f"{name}, {row['rows']:,.0f}"]
        for figure, digits in (("seconds", 2), ("error", 3), ("log_loss", 3)):
            cells += [f"{row[f'{figure}, {who}']:.{digits}f}" for who in ("ours", "LightGBM")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def paired_table() -> str:
    """Render points of error and log-loss more than LightGBM's, with intervals, on fresh splits."""
    rows = _rows()
    rows = rows[rows["split"] >= FRESH]
    splits = rows.groupby("table")["split"].count()
    table = hist_boost.paired(rows).sort_values("error", ascending=False)
    lines = [
        "| table, training rows | splits | error, points more | log-loss more |",
        "|---|---|---|---|",
    ]
    for name, row in table.iterrows():
        cells = [f"{name}, {row['rows']:,.0f}", str(splits[name])]
        for figure, digits in (("error", 1), ("log_loss", 3)):
            mean, low, high = (row[f"{figure}{end}"] for end in ("", ", from", ", to"))
            cells.append(f"{mean:+.{digits}f} ({low:+.{digits}f} to {high:+.{digits}f})")
        lines.append(f"| {' | '.join(cells)} |")
    own = table[~table.index.str.startswith("made-")]
    less = {figure: (own[figure] < 0).sum() for figure in ("error", "log_loss")}
    beyond = {
        figure: ((own[f"{figure}, to"] < 0).sum(), (own[f"{figure}, from"] > 0).sum())
        for figure in less
    }
    told = (
        f"{len(own)} shipped tables: on average {own['error'].mean():+.2f} points of error and "
        f"{own['log_loss'].mean():+.3f} of log-loss. The error is less on {less['error']}, beyond "
        f"the interval on {beyond['error'][0]}, and more beyond it on {beyond['error'][1]}; the "
        f"log-loss less on {less['log_loss']}, beyond the interval on {beyond['log_loss'][0]}, "
        f"and more beyond it on {beyond['log_loss'][1]}. More than a point by the mean: "
        f"{(own['error'] > 1).sum()}, beyond the interval {(own['error, from'] > 1).sum()}."
    )
    return "\n".join([*lines, "", told])


def few_rows_table() -> str:
    """Render what eight boosters cost and lose on fewer rows for each tree."""
    frame = few_rows_each.summary(pd.read_csv(few_rows_each.ROWS))
    ways = list(few_rows_each.WAYS)
    lines = [f"| rows, table | {' | '.join(ways)} |", "|---" * (1 + len(ways)) + "|"]
    for (rows, name), row in frame.iterrows():
        cells = [f"{rows:,}, {name}"]
        for way in ways:
            figures = [f"{row['cpu', way]:.2f}", f"{row['error', way]:.3f}"]
            log_loss = row["log_loss", way]
            cells.append(", ".join(figures + [f"{log_loss:.3f}"] * pd.notna(log_loss)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def curve_table(threads: int = 1) -> str:
    """Render error and log-loss, of numbers the RMSE, by table and CPU seconds."""
    table = curve.summary(curve.done()).xs(threads, level="threads")
    boosters = [name for name in curve.DRAWN if ("error", name) in table.columns]
    heads = " | ".join(curve.DRAWN[name][0] for name in boosters)
    lines = [f"| table, CPU seconds | {heads} |", "|---" * (1 + len(boosters)) + "|"]
    for (name, budget), row in table.iterrows():
        cells = [f"{name}, {budget:g}"]
        for booster in boosters:
            figures = (row.get((kind, booster)) for kind in ("error", "log_loss"))
            cells.append(", ".join(f"{value:.3f}" for value in figures if pd.notna(value)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
