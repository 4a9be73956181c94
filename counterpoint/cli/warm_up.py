"""``counterpoint warm-up``: compile ahead."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Compile ahead what is else compiled when it is first used.\n\n"
    "Compiled code is kept on disk: this is done once on a machine, and after an update. Without "
    "names it does all families.\n\n"
    "Examples: `counterpoint warm-up`; `counterpoint warm-up auto`; "
    "`counterpoint warm-up trees networks --large`."
)


def warm_up(
    families: Annotated[
        list[str] | None, options.argument("Families, such as trees or networks. Default: all.")
    ] = None,
    large: Annotated[
        bool, typer.Option("--large", help="Also for tables that several threads share.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Compile; HELP says the rest."""
    with terminal.in_options({"families": "FAMILIES"}), terminal.no_word_of_compiling():
        from counterpoint.tabular.warming import warm_up as compile_ahead

        rows = compile_ahead(families, large=large).to_dict(orient="records")
    terminal.show({"families": rows}, _print, json=as_json)


def _print(summary: dict[str, Any], out: "Console") -> None:
    rows = [row for row in summary["families"] if row["kernels"]]
    if not rows:
        out.print("All of it was compiled before.")
        return
    table = terminal.new_table("Family", ("Kernels", "Seconds"))
    for row in rows:
        table.add_row(row["family"], str(row["kernels"]), f"{row['seconds']:.1f}")
    seconds = sum(row["seconds"] for row in rows)
    caption = f"{seconds:.0f} s in all, this once. A family counts what those before left."
    terminal.print_table(table, out, caption)
