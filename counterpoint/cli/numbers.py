"""What the commands print about a target of numbers."""

from typing import TYPE_CHECKING, Any

from counterpoint.cli import terminal
from counterpoint.tabular.words import figure

if TYPE_CHECKING:
    from rich.console import Console


def span(low: float, high: float) -> str:
    """Return an interval in units of the data."""
    return f"{figure(low)} to {figure(high)}"


def print_fit(summary: dict[str, Any], out: "Console") -> None:
    """Print what a fit came to."""
    from rich.text import Text

    fit = summary["fit"]
    head = (
        f"{fit['source']}: {fit['n_train']} rows to train on, {summary['data']['n_given']} to "
        f"test, {len(fit['columns'])} columns, {fit['target']} is a number"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    terminal.warn(summary["warnings"], out)
    table = terminal.new_table("On the test rows", ("RMSE", "95 % interval", "MAE", "R²"))
    for row in [{"name": fit["method"], **summary["score"]}, *summary["baselines"]["rows"]]:
        table.add_row(
            Text(row["name"]), figure(row["rmse"]), span(row["low"], row["high"]),
            figure(row["mae"]), terminal.number(row["r2"]),
            style="bold" if row["name"] == fit["method"] else "",
        )  # fmt: skip
    table.caption = (
        "RMSE, MAE: root of the mean squared and mean absolute error. R²: share of the variance "
        "explained."
    )
    out.print(table)
    out.print()
    intervals = summary["intervals"]
    if intervals is not None:
        wide = "" if intervals["width"] is None else f", {figure(intervals['width'])} wide"
        out.print(
            Text(
                f"Intervals at {terminal.percent(intervals['asked'])}{wide} (median), held the "
                f"truth on {terminal.percent(intervals['held'])} of the test rows "
                f"({terminal.interval(intervals)})."
            ),
            end="\n\n",
        )
    members = summary["members"]
    if members is None or members["n_members"] == 1:
        out.print(Text("One model, no members: there is no disagreement to measure."))
    else:
        _print_members(members, out)
    if fit["leaderboard"] is not None:
        _print_leaderboard(fit["leaderboard"], out)


def _print_members(members: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    out.print(Text(members["verdict"]), end="\n\n")
    for sums in members["decompositions"]:
        table = terminal.new_table(sums["loss"])
        table.add_column("", justify="right")
        for term in sums["terms"]:
            table.add_row(term["name"], figure(term["value"]))
        table.caption = "Ambiguity: what the members' disagreement takes away."
        out.print(table)
        out.print()
    rows = members["table"]
    columns: list[Any] = [
        ("RMSE alone", "rmse", figure),
        ("Away from the ensemble", "disagrees", figure),
    ]
    if rows[0]["weight"] is not None:
        columns.append(("Weight", "weight", terminal.number))
    text = ""
    if rows[0]["change"] is not None:
        columns.append(("Worth", "change", figure))
        text = "Worth: how much the RMSE of the ensemble would rise without the member."
    terminal.print_rows(rows, "name", columns, text, out, ends=rows[0]["change"] is not None)


def _print_leaderboard(rows: list[dict[str, Any]], out: "Console") -> None:
    text = (
        f"All {len(rows)} members tried, by cross-fitting on the training rows. Worth: how much "
        "the squared error would rise without the member."
    )
    columns: list[Any] = [
        ("RMSE alone", "rmse", figure),
        ("R² alone", "r2", terminal.number),
        ("Weight", "weight", terminal.number),
        ("Worth", "adds", figure),
    ]
    out.print()
    terminal.print_rows(rows, "member", columns, text, out)


def print_comparison(summary: dict[str, Any], out: "Console") -> None:
    """Print methods side by side."""
    from rich.text import Text

    rows = summary["methods"]
    head = (
        f"{summary['source']}: {summary['n_rows']} rows, {summary['target']} is a number; each "
        f"method tried on {rows[0]['folds']} folds"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    headings = ("RMSE", "95 % interval", "Behind", "MAE", "R²", "Seconds")
    table = terminal.new_table("Method", headings, no_wrap=True)
    behind = {row["method"]: row for row in summary["pairs"]}
    for row in rows:
        pair = behind.get(row["method"])
        far = "" if pair is None else (
            f"{figure(pair['behind'])} ± {figure((pair['high'] - pair['low']) / 2)}"
        )  # fmt: skip
        table.add_row(
            Text(row["method"]), figure(row["rmse"]), span(row["low"], row["high"]), far,
            figure(row["mae"]), terminal.number(row["r2"]), f"{row['seconds']:.1f}",
        )  # fmt: skip
    table.caption = "Behind: the best one, fold by fold, with 95 % interval. Seconds: for one fit."
    if summary["interrupted"]:
        done = f"{len(rows)} of {len(summary['requested'])}"
        table.caption = f"Stopped: {done} methods. {table.caption}"
    out.print(table)
    out.print(Text(summary["verdict"]))
