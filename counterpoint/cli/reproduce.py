"""``counterpoint reproduce``: claims of the literature, run again."""

import importlib.util
import shlex
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint._text import visible
from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from counterpoint.claims import Claim, ClaimResult, Store

HELP = (
    "Run claims of the literature again, or list them.\n\n"
    "Each has a rule, stated before the run, that says *reproduced*, *differs*, *not reproduced* "
    "or *open*. Finished cells are kept, so a run that was stopped goes on where it was. "
    "Writes a page with their numbers beside ours, and the rows as CSV.\n\n"
    "Examples: `counterpoint reproduce` lists all; `counterpoint reproduce merged-trees` is a "
    "quick try; `counterpoint reproduce --all --full -j 4` is the real thing, and takes hours."
)
_SHOWN = 24  # rows of a table in the terminal; the page and the CSV file have all
_STYLES = {"reproduced": "green", "differs": "yellow", "not reproduced": "red", "open": "dim"}
_WORDS = {
    "n_jobs=": "--jobs",
    "backend=": "--backend",
    "scheduler=": "--scheduler",
    "time_limit=": "--time-limit",
}


def reproduce(
    context: typer.Context,
    topics: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TOPIC]...", help="Claims by topic; none lists them."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Run every claim.")] = False,
    full: Annotated[bool, typer.Option("--full", help="At full size; else a quick try.")] = False,
    until_decided: Annotated[
        bool,
        typer.Option(
            "--until-decided",
            help="Look after 1, 2, 4, 8 ... repeats, by intervals wide enough for looking "
            "often, and stop as soon as the claim is decided; with --full.",
        ),
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Cells at a time; -1 for one a core.")
    ] = 1,
    backend: Annotated[str | None, options.option("A joblib backend, or dask.")] = None,
    scheduler: Annotated[
        str | None, options.option("Address of a Dask scheduler, for --backend dask.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Run finished cells of older code anew.")
    ] = False,
    check: Annotated[
        int | None,
        options.option(
            "Run so many finished cells of each claim again, those of older code first, and "
            "compare; 20 that are the same vouch for all of older code.",
            min=1,
        ),
    ] = None,
    random_state: Annotated[int, options.option("Which cells --check takes.", min=0)] = 0,
    time_limit: Annotated[
        float | None,
        options.option(
            "Begin no cell after so many seconds, shared among the claims; 0 runs nothing "
            "and writes the page again.",
            min=0,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "reproductions"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Run claims, or list them; HELP says the rest."""
    _check_usage(topics, all_, full or check is not None, jobs, backend, scheduler)
    if until_decided and not full:
        raise typer.BadParameter(
            "a quick try decides nothing: say --full, too.", param_hint="--until-decided"
        )
    if not topics and not all_:
        _list(output, as_json)
        return
    from counterpoint.claims import registry

    try:
        chosen = [registry.claim(topic) for topic in (registry.TOPICS if all_ else topics or [])]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="TOPIC") from error
    with terminal.in_options(_WORDS):
        from counterpoint._files import check_output
        from counterpoint.claims import Store, judge_claim, kept
        from counterpoint.claims.checking import older_cells
        from counterpoint.claims.overview import STORE
        from counterpoint.claims.page import PAGE, write_reproductions
        from counterpoint.tabular.plain import to_json

        output.mkdir(exist_ok=True)
        check_output(output / PAGE)  # before the work, not after
        options = {"n_jobs": jobs, "backend": backend, "scheduler": scheduler}
        debug = bool(context.find_root().params.get("debug"))
        claims = [registry.claim(topic) for topic in registry.TOPICS]
        with Store(output / STORE) as store:
            with_files = _take_kept(claims, store, output)
            if check is not None:
                same = _check_cells(chosen, store, check, random_state, as_json)
                if with_files:
                    kept.write_kept(chosen, store, output)
                raise typer.Exit(0 if same else 1)
            if again:
                for claim in chosen:
                    store.forget(claim.experiment("full"), older_cells(claim, store))
            shown, failed = _run(
                chosen, store, full, until_decided, time_limit, options, as_json, debug
            )
            everything = [judge_claim(claim, store) for claim in claims]
            if with_files:
                kept.write_kept(claims, store, output)
        problems = write_reproductions(
            everything,
            output,
            command=_command(topics or [], all_, full, until_decided, time_limit),
        )
    if as_json:
        typer.echo(to_json({"claims": shown}))
    for problem in problems:
        terminal.say(problem, style="red")
    terminal.wrote(output / PAGE, "the page")
    if failed or problems:
        raise typer.Exit(1)


def _check_usage(
    topics: list[str] | None,
    all_: bool,
    full: bool,
    jobs: int,
    backend: str | None,
    scheduler: str | None,
) -> None:
    dask = backend == "dask"
    package = "dask needs the package distributed: pip install distributed."
    for wrong, option, message in (
        (topics and all_, "--all", "name claims or say --all, not both."),
        (full and not topics and not all_, "--full", "of which claims? Name some, or say --all."),
        (jobs == 0, "--jobs", "0 runs nothing: choose 1 or more, or -1."),
        (scheduler is not None and not dask, "--scheduler", "this is for --backend dask."),
        (dask and importlib.util.find_spec("distributed") is None, "--backend", package),
        (dask and scheduler is None, "--backend", "dask needs --scheduler, tcp://host:8786 say."),
    ):
        if wrong:
            raise typer.BadParameter(message, param_hint=option)


def _run(
    chosen: Sequence["Claim"],
    store: "Store",
    full: bool,
    until_decided: bool,
    time_limit: float | None,
    options: dict[str, Any],
    as_json: bool,
    debug: bool,
) -> tuple[list[dict[str, Any]], bool]:
    """Run claims one after the other; return what came of each, and whether cells failed."""
    from counterpoint.claims import judge_claim, run_experiment
    from counterpoint.claims.code import code_version
    from counterpoint.claims.looks import run_until_decided
    from counterpoint.claims.page import summarise_claim
    from counterpoint.exceptions import ExperimentError

    end = None if time_limit is None else monotonic() + time_limit
    shown, failed, over = [], False, False
    for k, claim in enumerate(chosen):
        # What one claim does not use, the later ones share.
        share = None if end is None else max(0.0, end - monotonic()) / (len(chosen) - k)
        experiment = claim.experiment("full" if full else "smoke")
        try:
            choices: dict[str, Any] = options | {"code": code_version(claim.topic)}
            if until_decided:
                run_until_decided(claim, store, time_limit=share, **choices)
            else:
                run_experiment(experiment, store, time_limit=share, **choices)
        except ExperimentError as error:
            failed = True
            terminal.say(str(error), style="red")
            if debug:
                typer.echo("\n".join(error.failures.values()), err=True)
            # Stopped without a failed cell: its cluster is gone, for the other claims as well.
            over = options["backend"] == "dask" and not error.failures
        except KeyboardInterrupt as stop:
            terminal.kept(store.path)
            for note in getattr(stop, "__notes__", ()):
                terminal.say(note)
            raise
        judged = judge_claim(claim, store, "full" if full else "smoke")
        shown.append(summarise_claim(judged))
        if not as_json:
            _print(judged, visible(shown[-1]))
        if over:
            break
    return shown, failed


def _take_kept(claims: Sequence["Claim"], store: "Store", folder: Path) -> bool:
    """Take in cells that are kept as files; say if they cannot be read for want of a package."""
    from counterpoint.claims import kept

    try:
        kept.take_kept(claims, store, folder)
        return importlib.util.find_spec("pyarrow") is not None
    except ImportError as error:
        terminal.say(f"{error} Going on without the cells in {folder / kept.FOLDER}.")
        return False


def _check_cells(
    chosen: Sequence["Claim"], store: "Store", n: int, random_state: int, as_json: bool
) -> bool:
    """Run some finished cells again, say which give other rows; return whether none does."""
    from counterpoint.claims.checking import check_claim
    from counterpoint.tabular.plain import to_json

    found: list[dict[str, Any]] = []
    for claim in chosen:
        checked = check_claim(claim, store, n, random_state)
        rows: list[Any] = checked.table.to_dict("records")
        found += rows
        same = sum(row["same"] for row in rows)
        if not as_json:
            terminal.say(
                f"{claim.topic}: {same} of {len(rows)} cells give the same rows again."
                + " Its cells of earlier code count as checked." * checked.recorded
            )
            for row in rows:
                if not row["same"]:
                    terminal.say(f"  {row['cell']}: {row['why']}", style="red")
    if as_json:
        typer.echo(to_json({"cells": found}))
    return all(row["same"] for row in found)


def _command(
    topics: Sequence[str],
    all_: bool,
    full: bool,
    until_decided: bool,
    time_limit: float | None,
) -> str:
    words = ["counterpoint", "reproduce", *(["--all"] if all_ else topics)]
    if full:
        words.append("--full")
    if until_decided:
        words.append("--until-decided")
    if time_limit is not None:
        words += ["--time-limit", f"{time_limit:g}"]
    return shlex.join(words)


def _list(folder: Path, as_json: bool) -> None:
    """Print every claim and how far it was run."""
    from counterpoint.claims.overview import MARKS, overview

    claims, problem = overview(folder)
    if problem:
        terminal.say(problem)
    if as_json:
        from counterpoint.tabular.plain import to_json

        typer.echo(to_json({"claims": claims}))
        return
    from rich.text import Text

    out = terminal.console()
    wide = out.width >= terminal.PIPED_WIDTH
    table = terminal.new_table("Topic", no_wrap=True)
    if wide:
        table.add_column("Claim")
    table.add_column("Verdict", no_wrap=True)
    table.add_column("Cells", no_wrap=True, justify="right")
    table.add_column("Left", no_wrap=True, justify="right")
    for one in claims:
        title = [Text(one["title"])] * wide
        table.add_row(one["topic"], *title, _word(one), Text(_cells(one)), Text(_left(one)))
    out.print(table)
    for mark, meaning in MARKS.items():
        if any(mark == one["mark"] for one in claims):
            out.print(Text(f"{mark}: {meaning}", style="dim"))
    out.print(Text("`counterpoint reproduce merged-trees` tries one, --full at full size."))


def _cells(one: dict[str, Any]) -> str:
    if one["size"] is None:
        return f"never run, of {one['n_cells']}"
    every = one["n_done"] == one["n_cells"]
    return f"all {one['n_cells']}" if every else f"{one['n_done']} of {one['n_cells']}"


def _left(one: dict[str, Any]) -> str:
    """Return what the cells not run yet will take, as one says it."""
    from counterpoint.tabular.words import duration

    if one["size"] != "full":
        return ""
    return "none" if one["complete"] else duration(one["seconds_left"])


def _word(one: dict[str, Any]) -> Any:
    from rich.text import Text

    if one["verdict"] is None:
        return Text("failed" if one["problem"] else "", style="red")
    mark = f" ({one['mark']})" if one["mark"] else ""
    return Text(f"{one['verdict']}{mark}", style=_STYLES[one["verdict"]])


def _print(judged: "ClaimResult", shown: dict[str, Any]) -> None:
    from rich.text import Text

    from counterpoint.report.reproductions import show_cell

    out = terminal.console()
    out.print(Text(f"{shown['topic']}: {shown['title']}", style="bold"))
    out.print(Text(shown["sentence"]), end="\n\n")
    if shown["table"]:
        table = terminal.new_table()
        for k, name in enumerate(shown["columns"]):
            numbers = not any(isinstance(row[k], str) for row in shown["table"])
            table.add_column(Text(name), justify="right" if numbers else "left")
        for row in shown["table"][:_SHOWN]:
            table.add_row(*(Text(show_cell(value)) for value in row))
        out.print(table)
        if len(shown["table"]) > _SHOWN:
            out.print(Text(f"The first {_SHOWN} of {len(shown['table'])} rows.", style="dim"))
        out.print()
    out.print(Text(f"Run: {shown['cells']}."))
    if judged.verdict is not None:
        for part in shown["parts"]:
            out.print(Text(f"  {part['state']}: {part['part']}"))
            if part["note"]:
                out.print(Text(f"    {part['note']}", style="dim"))
        words = f"Verdict: {shown['word']}."
        style = f"bold {_STYLES[judged.verdict.word]}"
        out.print(Text.assemble((words, style), f" {shown['why']}"))
    if shown["problem"]:
        out.print(Text(shown["problem"], style="red"))
    for words in filter(None, (shown["caution"], shown["checked"])):
        out.print(Text(words, style="dim"))
    out.print()
