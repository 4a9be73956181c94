"""``counterpoint report``: a page that shows what a model is."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from counterpoint.cli import options, terminal

if TYPE_CHECKING:
    from rich.console import Console

HELP = (
    "Write a page about a model: one HTML file, complete in itself.\n\n"
    "Error against simple models, how the members disagree, what each is worth, one tree in place "
    "of all. FILE has rows with labels; those the model was trained on are left out. Of a pattern "
    "in quotes ('part-*.csv'), a folder, or a file of any size, rows drawn at random are looked "
    "at.\n\n"
    "Examples: `counterpoint report model.skops data.csv`; `counterpoint report model.skops "
    "data.csv -o page.html`."
)


def report(
    model: options.ModelFile,
    file: options.DataFile,
    output: options.Page = Path("report.html"),
    title: Annotated[str | None, options.option("Its heading.")] = None,
    random_state: options.RandomState = 0,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    as_json: options.Json = False,
    open_: options.Open = False,
) -> None:
    """Write the page of a model; HELP says the rest."""
    options.check_separator(separator)
    options.check_apart({"--output": output}, [model, file])
    from counterpoint._files import is_large

    large = is_large(file)
    with terminal.in_options(options.WORDS):
        options.check_inputs(model, None if large else file)
        options.check_outputs(output)
        from counterpoint import tabular
        from counterpoint.report import write_page

        loaded = tabular.load(model)
        if large:
            assessment = tabular.assess_large(
                loaded, file, title=title, random_state=random_state, separator=separator
            )
        else:
            layout = {"separator": separator, "encoding": encoding, "sheet": sheet}
            table = options.read_new(loaded, file, **layout)
            assessment = tabular.assess(loaded, table, title=title, random_state=random_state)
        summary = {"page": str(output), **assessment.summary()}
        write_page(terminal.for_page(summary), output)
    terminal.show(summary, _print, json=as_json)
    terminal.wrote(output, "the page")
    if open_:
        terminal.open_page(output)


def _print(summary: dict[str, Any], out: "Console") -> None:
    terminal.warn(summary["warnings"], out)
    terminal.advise(summary["advice"], out)  # for the rest people have the page
