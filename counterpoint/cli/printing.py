"""What the terminal says about a model, and about methods side by side; for classes and numbers."""

from typing import TYPE_CHECKING, Any

from counterpoint.cli import terminal
from counterpoint.tabular.telling import TELLINGS, Telling, shown, size_words
from counterpoint.tabular.words import figure

if TYPE_CHECKING:
    from rich.console import Console

_MOST_CLASSES = 12
_MOST_WIDE = 36  # of the columns for what was said


def print_fit(summary: dict[str, Any], out: "Console") -> None:
    """Print what a fit came to."""
    from rich.text import Text

    fit, told = summary["fit"], TELLINGS[summary["task"]]
    head = (
        f"{fit['source']}: {fit['n_train']} rows to train on, {summary['data']['n_given']} to "
        f"test, {len(fit['columns'])} columns, {_asked(summary, fit['target'], fit['target_unit'])}"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    terminal.warn(summary["warnings"], out)
    terminal.advise(summary["advice"], out)
    table = terminal.new_table("On the test rows", told.score_headings)
    for row in [{"name": fit["method"], **summary["score"]}, *summary["baselines"]["rows"]]:
        style = "bold" if row["name"] == fit["method"] else ""
        table.add_row(Text(row["name"]), *told.scores(row), style=style)
    terminal.print_table(table, out, told.caption)
    out.print()
    if summary["task"] == "regression":
        _print_intervals(summary["intervals"], out)
    else:
        _print_classes(summary, out)
    _print_members(summary["members"], told, out)
    if fit["leaderboard"] is not None:
        rows = fit["leaderboard"]
        which = "The only member" if len(rows) == 1 else f"All {len(rows)} members"
        text = f"{which} tried, by cross-fitting on the training rows. Worth: {told.tried_worth}"
        out.print()
        terminal.print_rows(rows, "member", shown(told.tried, rows), text, out)


def _asked(summary: dict[str, Any], target: str, unit: str = "") -> str:
    """Return what there is to be predicted."""
    if summary["task"] == "regression":
        return f"{target} is a number" + (f", in {unit}" if unit else "")
    classes = summary["n_classes"] if "n_classes" in summary else len(summary["data"]["classes"])
    return f"{classes} classes"


def _print_classes(summary: dict[str, Any], out: "Console") -> None:
    from rich.text import Text

    told, confusion = summary["by_class"], summary["confusion"]
    rows = told["rows"]
    labels = [row["label"] for row in rows]
    # What was said instead, where it fits beside the numbers.
    wide = sum(max(len(label), 4) + 3 for label in labels)
    tell = confusion is not None and wide <= _MOST_WIDE
    headings = ["Rows", "Recall", "Precision"]
    headings += [f"said {label}" for label in labels] if tell else []
    table = terminal.new_table("Class", headings, overflow="fold")
    for k, row in enumerate(rows[:_MOST_CLASSES]):
        said = map(str, confusion["table"][k]) if tell else []
        table.add_row(
            Text(row["label"]), str(row["rows"]), terminal.percent(row["recall"]),
            terminal.percent(row["precision"]), *said,
        )  # fmt: skip
    auc = "" if told["auc"] is None else f" AUC: {terminal.number(told['auc'])}."
    more = f"{_MOST_CLASSES} of {len(rows)}; --json has all. " if len(rows) > _MOST_CLASSES else ""
    caption = (
        f"{more}Balanced error (1 less the mean recall): "
        f"{terminal.percent(told['balanced_error'])}.{auc}"
    )
    terminal.print_table(table, out, caption)
    out.print()
    if summary["decision"] is not None:
        out.print(Text(" ".join(summary["decision"]["sentences"])), end="\n\n")


def _print_intervals(intervals: dict[str, Any] | None, out: "Console") -> None:
    from rich.text import Text

    if intervals is None:
        return
    wide = "" if intervals["width"] is None else f", {figure(intervals['width'])} wide (median)"
    text = (
        f"Intervals at {terminal.percent(intervals['asked'])}{wide}, held the truth on "
        f"{terminal.percent(intervals['held'])} of the test rows "
        f"({TELLINGS['classification'].span(intervals['low'], intervals['high'])})."
    )
    out.print(Text(text), end="\n\n")


def _print_members(members: dict[str, Any] | None, told: Telling, out: "Console") -> None:
    from rich.text import Text

    if members is None:
        out.print(Text("One model, no members: there is no disagreement to measure."))
        return
    rows = members["table"]
    if members["n_members"] == 1:
        only = rows[0]["name"]
        out.print(Text(f"One member, {only}: there is no disagreement to measure."), end="\n\n")
        return
    _print_disagreement(members, out)
    if members["verdict"]:
        out.print(Text(members["verdict"]), end="\n\n")
    ordered = all(row["change"] is not None for row in rows)
    text = told.worth_of(rows) if ordered else ""
    terminal.print_rows(rows, "name", shown(told.members, rows), text, out, ends=ordered)


def _print_disagreement(members: dict[str, Any], out: "Console") -> None:
    """Print how members disagree: measures of classes, for numbers what it takes away."""
    if "shown_measures" in members:
        measures = [members["measures"][name] for name in members["shown_measures"]]
        rows = [(title, value) for title, [value] in map(terminal.measure_row, measures)]
        tables = [(f"How {members['n_members']} members disagree", rows)]
        caption = "↑ higher, ↓ lower: more diverse."
    else:
        tables = [
            (one["loss"], [(term["name"], figure(term["value"])) for term in one["terms"]])
            for one in members["decompositions"]
        ]
        caption = "Ambiguity: what the members' disagreement takes away."
    for heading, rows in tables:
        table = terminal.new_table(heading)
        table.add_column("", justify="right")
        for row in rows:
            table.add_row(*row)
        terminal.print_table(table, out, caption)
        out.print()


def print_comparison(summary: dict[str, Any], out: "Console") -> None:
    """Print methods side by side."""
    from rich.text import Text

    rows, told = summary["methods"], TELLINGS[summary["task"]]
    head = (
        f"{summary['source']}: {summary['n_rows']} rows, {_asked(summary, summary['target'])}; "
        f"each method tried on {rows[0]['folds']} folds"
    )
    out.print(Text(head, style="bold"), end="\n\n")
    error, interval, *others = told.score_headings
    headings = (error, interval, "Behind", *others, "Seconds", "Size")
    table = terminal.new_table("Method", headings, no_wrap=True)
    behind = {row["method"]: row for row in summary["pairs"]}
    for row in rows:
        pair = behind.get(row["method"])
        error, interval, *others = told.scores(row)
        far = "" if pair is None else _behind(pair, numbers=summary["task"] == "regression")
        table.add_row(
            Text(row["method"]), error, interval, far, *others, f"{row['seconds']:.1f}",
            size_words(row["bytes"]), style="" if pair is None or not pair["apart"] else "dim",
        )  # fmt: skip
    unit = "" if summary["task"] == "regression" else "in percentage points "
    caption = f"Behind: the best one, {unit}fold by fold, with 95 % interval. Seconds: for one fit."
    if summary["interrupted"]:
        caption = f"Stopped: {len(rows)} of {len(summary['requested'])} methods. {caption}"
    terminal.print_table(table, out, caption)
    out.print(Text(summary["verdict"]))


def _behind(pair: dict[str, Any], *, numbers: bool) -> str:
    half = (pair["high"] - pair["low"]) / 2  # the interval is symmetric
    if numbers:
        return f"{figure(pair['behind'])} ± {figure(half)}"
    return f"{100 * pair['behind']:+.1f} ± {100 * half:.1f}"


def print_rankings(summary: dict[str, Any], out: "Console") -> None:
    """Print methods over several tables, with their ranks."""
    from rich.text import Text

    told = TELLINGS[summary["task"]]
    names = list(summary["errors"])
    if summary["ranks"] is not None:
        names = list(summary["ranks"]["mean_ranks"])
    table = terminal.new_table(f"{told.title} on", names, no_wrap=True)
    for name in next(iter(summary["errors"].values()), {}):
        cells = [told.words(summary["errors"][method][name]) for method in names]
        table.add_row(Text(name), *cells)
    caption = ""
    if summary["ranks"] is not None:
        table.add_section()
        ranks = [f"{rank:.2f}" for rank in summary["ranks"]["mean_ranks"].values()]
        table.add_row(Text("mean rank"), *ranks, style="bold")
        caption = (
            f"Mean ranks closer than {summary['ranks']['critical_difference']:.2f} cannot be told "
            "apart (Nemenyi)."
        )
    terminal.print_table(table, out, caption)
    out.print(Text(summary["verdict"]))
    if summary["interrupted"]:
        out.print(Text(f"Stopped: {len(summary['tables'])} tables are done."))
