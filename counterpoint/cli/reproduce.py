"""``counterpoint reproduce``: the claims of the sources, run again."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import _terminal as terminal

if TYPE_CHECKING:
    from counterpoint.experiments.judged import Judged
    from counterpoint.experiments.protocol import Claim
    from counterpoint.experiments.store import Store

HELP = (
    "Run claims of the sources again, or list them.\n\n"
    "Each has a rule, stated before the run, that says *reproduced*, *differs* or *not "
    "reproduced*. Finished cells are kept, so a run that was stopped goes on where it was. "
    "Writes a page with their numbers beside ours, and the rows as CSV.\n\n"
    "Examples: `counterpoint reproduce` lists all; `counterpoint reproduce R14` is a quick try; "
    "`counterpoint reproduce --all --full -j 4` is the real thing, and takes hours."
)
STORE = "cells.sqlite"

_SHOWN = 24  # rows of a table in the terminal; the page and the CSV file have all
_STYLES = {"reproduced": "green", "differs": "yellow", "not reproduced": "red"}
_WORDS = {
    "n_jobs=": "--jobs",
    "backend=": "--backend",
    "scheduler=": "--scheduler",
    "time_limit=": "--time-limit",
}


def reproduce(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Claims, as R14; none lists them."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Run every claim.")] = False,
    full: Annotated[bool, typer.Option("--full", help="At full size; else a quick try.")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Cells at a time; -1 for one a core.")
    ] = 1,
    backend: Annotated[
        str | None, typer.Option(help="A joblib backend, or dask.", show_default=False)
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler, for --backend dask.", show_default=False),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Begin no cell after so many seconds, shared among the claims; 0 runs nothing "
            "and writes the page again.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path(
        "reproductions"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Run claims, or list them; HELP says the rest."""
    _check_usage(ids, all_, full, jobs, backend, scheduler)
    from counterpoint.experiments import claims

    if not ids and not all_:
        _list(output / STORE, as_json)
        return
    try:
        chosen = [claims.claim(id_) for id_ in (claims.CLAIM_IDS if all_ else ids or [])]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="ID") from error
    with terminal.in_options(_WORDS):
        from counterpoint.experiments.judged import judge_claim
        from counterpoint.experiments.reproductions import PAGE, write_reproductions
        from counterpoint.experiments.store import Store
        from counterpoint.tabular.files import check_output
        from counterpoint.tabular.plain import to_json

        output.mkdir(exist_ok=True)
        check_output(output / PAGE)  # before the work, not after
        options = {"n_jobs": jobs, "backend": backend, "scheduler": scheduler}
        debug = bool(context.find_root().params.get("debug"))
        with Store(output / STORE) as store:
            told, failed = _run(chosen, store, full, time_limit, options, as_json, debug)
            everything = [judge_claim(claims.claim(id_), store) for id_ in claims.CLAIM_IDS]
        problems = write_reproductions(
            everything, output, command=_command(ids or [], all_, full, time_limit)
        )
    if as_json:
        typer.echo(to_json({"claims": told}))
    for problem in problems:
        terminal.say(problem, style="red")
    terminal.wrote(output / PAGE, "the page")
    if failed or problems:
        raise typer.Exit(1)


def _check_usage(
    ids: list[str] | None,
    all_: bool,
    full: bool,
    jobs: int,
    backend: str | None,
    scheduler: str | None,
) -> None:
    if ids and all_:
        raise typer.BadParameter("name claims or say --all, not both.", param_hint="--all")
    if full and not ids and not all_:
        raise typer.BadParameter("of which claims? Name some, or say --all.", param_hint="--full")
    if jobs == 0:
        raise typer.BadParameter("0 runs nothing: choose 1 or more, or -1.", param_hint="--jobs")
    if scheduler is not None and backend != "dask":
        raise typer.BadParameter("this is for --backend dask.", param_hint="--scheduler")
    if backend == "dask":
        from importlib.util import find_spec

        if find_spec("distributed") is None:
            raise typer.BadParameter(
                "dask needs the package distributed: pip install distributed.",
                param_hint="--backend",
            )
        if scheduler is None:
            raise typer.BadParameter(
                "dask needs --scheduler, tcp://host:8786 say.", param_hint="--backend"
            )


def _run(
    chosen: Sequence["Claim"],
    store: "Store",
    full: bool,
    time_limit: float | None,
    options: dict[str, Any],
    as_json: bool,
    debug: bool,
) -> tuple[list[dict[str, Any]], bool]:
    """Run claims one after the other; return what came of each, and whether cells failed."""
    from counterpoint.exceptions import ExperimentError
    from counterpoint.experiments.judged import judge_claim
    from counterpoint.experiments.reproductions import summarise_claim
    from counterpoint.experiments.runner import run_experiment

    end = None if time_limit is None else monotonic() + time_limit
    told, failed = [], False
    for k, claim in enumerate(chosen):
        # What one claim does not use, the later ones share.
        share = None if end is None else max(0.0, end - monotonic()) / (len(chosen) - k)
        experiment = claim.experiment("full" if full else "smoke")
        try:
            run_experiment(experiment, store, time_limit=share, **options)
        except ExperimentError as error:
            failed = True
            terminal.say(str(error), style="red")
            if debug:
                typer.echo("\n".join(error.failures.values()), err=True)
        except KeyboardInterrupt as stop:
            terminal.kept(store.path)
            for note in getattr(stop, "__notes__", ()):
                terminal.say(note)
            raise
        judged = judge_claim(claim, store, "full" if full else "smoke")
        told.append(summarise_claim(judged))
        if not as_json:
            _print(judged, told[-1])
    return told, failed


def _command(ids: Sequence[str], all_: bool, full: bool, time_limit: float | None) -> str:
    words = ["counterpoint", "reproduce", *(["--all"] if all_ else ids)]
    if full:
        words.append("--full")
    if time_limit is not None:
        words += ["--time-limit", f"{time_limit:g}"]
    return shlex.join(words)


def _list(path: Path, as_json: bool) -> None:
    """Print every claim and how far it was run; a store that is not there is not made."""
    from contextlib import nullcontext

    from counterpoint.experiments import claims
    from counterpoint.experiments.judged import judge_claim
    from counterpoint.experiments.store import Store

    with Store(path) if path.exists() else nullcontext() as store:
        everything = [judge_claim(claims.claim(id_), store) for id_ in claims.CLAIM_IDS]
    if as_json:
        from counterpoint.experiments.reproductions import summarise_claim
        from counterpoint.tabular.plain import to_json

        typer.echo(to_json({"claims": [summarise_claim(one) for one in everything]}))
        return
    from rich.text import Text

    table = terminal.new_table()
    table.add_column("Id", no_wrap=True)
    table.add_column("Claim")
    table.add_column("Run")
    table.add_column("Verdict", no_wrap=True)
    for one in everything:
        what = Text.assemble(one.claim.title, "\n", (one.claim.source, "dim"))
        table.add_row(one.claim.id, what, Text(_cells(one)), _word(one))
    out = terminal.console()
    out.print(table)
    out.print(Text("`counterpoint reproduce R1` tries one, --full at full size."))


def _cells(one: "Judged") -> str:
    return one.cells if one.size else f"never run\n({one.n_cells} cells)"


def _word(one: "Judged") -> Any:
    from rich.text import Text

    if one.verdict is None:
        return Text("failed" if one.problem else "", style="red")
    if one.size == "smoke":  # too small to decide, so it gets no colour
        return Text(f"({one.verdict.word})", style="dim")
    return Text(one.verdict.word, style=_STYLES[one.verdict.word])


def _print(judged: "Judged", told: dict[str, Any]) -> None:
    from rich.text import Text

    from counterpoint.experiments.reproductions import _cell

    out = terminal.console()
    out.print(Text(f"{told['id']}: {told['title']}", style="bold"))
    out.print(Text(told["sentence"]), end="\n\n")
    if told["table"]:
        table = terminal.new_table()
        for k, name in enumerate(told["columns"]):
            numbers = not any(isinstance(row[k], str) for row in told["table"])
            table.add_column(Text(name), justify="right" if numbers else "left")
        for row in told["table"][:_SHOWN]:
            table.add_row(*(Text(_cell(value)) for value in row))
        out.print(table)
        if len(told["table"]) > _SHOWN:
            out.print(Text(f"The first {_SHOWN} of {len(told['table'])} rows.", style="dim"))
        out.print()
    out.print(Text(f"Run: {told['cells']}."))
    if judged.verdict is not None:
        style = "" if judged.size == "smoke" else _STYLES[judged.verdict.word]
        said = f"Verdict: {told['verdict']}."
        out.print(Text.assemble((said, f"bold {style}".strip()), f" {told['why']}"))
    if told["problem"]:
        out.print(Text(told["problem"], style="red"))
    if told["caution"]:
        out.print(Text(told["caution"], style="dim"))
    out.print()
