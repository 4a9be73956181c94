"""``counterpoint datasets``: list, describe, export, add."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint._text import visible
from counterpoint.cli import options, terminal

app = typer.Typer(
    help="Data sets: list, describe, export to CSV, add your own.", no_args_is_help=True
)

WORDS = {
    "list_datasets() names": "`counterpoint datasets list` names",
    "overwrite=True": "--force",
    "`name`": "--name",
    "`target`": "--target",
}

_COUNTS = ("rows", "numeric", "nominal", "classes", "missing")

Name = Annotated[str, options.argument("Name of a data set.")]


@app.command("list")
def list_(
    as_json: options.Json = False,
) -> None:
    """List all data sets: shipped, in the data folder, or known but not here."""
    from counterpoint.datasets import data_folder, list_datasets
    from counterpoint.tabular.plain import plain, to_json

    frame = list_datasets()
    if as_json:
        typer.echo(to_json(frame.reset_index().to_dict(orient="records")))
        return
    headings = ("Rows", "Numeric", "Nominal", "Classes", "Missing", "Majority")
    table = terminal.new_table("Name", headings, no_wrap=True)
    table.add_column("", no_wrap=True)
    for name, values in frame.iterrows():
        row = plain(values.to_dict())
        table.add_row(
            str(name),
            *("?" if row[key] is None else f"{row[key]}" for key in _COUNTS),
            "?" if row["majority"] is None else f"{row['majority']:.0%}",
            "" if row["available"] == "shipped" else row["available"],
            style="dim" if row["available"] == "not here" else "",
        )
    out = terminal.console()
    out.print(table)
    where = f"{len(frame)} data sets; your own are looked for in {data_folder()}"
    out.print(visible(where), markup=False, soft_wrap=True)


@app.command()
def describe(name: Name) -> None:
    """Tell what a data set is, where it comes from, its licence and whom to cite."""
    import textwrap

    with terminal.in_options(WORDS):
        from counterpoint.datasets import describe as describe_dataset

        text = visible(describe_dataset(name))
    out = terminal.console()
    heading, *paragraphs = text.strip().split("\n\n")
    out.print(heading.splitlines()[0], style="bold", markup=False, soft_wrap=True)
    for paragraph in paragraphs:
        wrapped = textwrap.fill(
            " ".join(paragraph.split()), min(out.width, 88), break_long_words=False
        )
        out.print(f"\n{wrapped}", markup=False, soft_wrap=True)


@app.command()
def export(
    name: Name,
    output: Annotated[
        str | None,
        options.option(
            "File to write, gzipped if it ends in .gz; - for standard output. "
            "Default: NAME.csv here.",
            None,
            "--output",
            "-o",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Get a set that is not here from OpenML.")
    ] = False,
) -> None:
    """Write a data set as CSV: the class last, missing values as empty fields."""
    import sys
    import tempfile

    with terminal.in_options({**WORDS, f"load('{name}', fetch=True)": "--fetch"}):
        from counterpoint.datasets import export_csv

        if output == "-":
            with tempfile.TemporaryDirectory() as folder:
                text = export_csv(name, Path(folder, "set.csv"), fetch=fetch).read_bytes()
            if sys.stdout.isatty():
                terminal.echo_table(text.decode())
                return
            sys.stdout.flush()
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
            return
        path = Path(f"{name}.csv" if output is None else output)
        if path.exists() and not force:
            raise FileExistsError(f"{path} is there already: pass --force to replace it.")
        export_csv(name, path, fetch=fetch)
    terminal.wrote(path, name)


@app.command()
def add(
    file: Annotated[Path, options.argument("A CSV file with a header, plain or .gz.")],
    name: Annotated[str | None, options.option("What to call it. Default: as the file.")] = None,
    target: Annotated[str, typer.Option(help="The column to predict.")] = "class",
    nominal: Annotated[str, options.option("Columns of numbers that are codes: A,B.")] = "",
    missing: Annotated[
        str, options.option("What stands for a missing value, besides an empty field: '?', say.")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Copy a CSV file into the data folder, so that it can be used by name."""
    with terminal.in_options(WORDS):
        from counterpoint.datasets import add_file

        copy = add_file(
            file,
            name=name,
            target=target,
            nominal=options.split(nominal),
            missing_values=options.split(missing),
            overwrite=force,
        )
    terminal.wrote(copy, file.name)
