"""``counterpoint report``: a page that shows what a model is."""

from pathlib import Path
from typing import Annotated

from counterpoint.cli import options, terminal

HELP = (
    "Write a page about a model: one HTML file, complete in itself.\n\n"
    "Error against simple models, how the members disagree, what each is worth, one tree in place "
    "of all. FILE has rows with labels; those the model was trained on are left out.\n\n"
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
    as_json: options.Json = False,
    open_: options.Open = False,
) -> None:
    """Write the page of a model; HELP says the rest."""
    options.check_separator(separator)
    options.check_apart({"--output": output}, [model, file])
    with terminal.in_options(options.WORDS):
        options.check_outputs(output)
        from counterpoint import tabular
        from counterpoint.report import write_page

        assessment = tabular.assess(
            tabular.load(model), file, title=title, random_state=random_state, separator=separator
        )
        summary = {"page": str(output), **assessment.summary()}
        write_page(summary, output)
    terminal.show(summary, lambda *_: None, json=as_json)  # people have the page
    terminal.wrote(output, "the page")
    if open_:
        terminal.open_page(output)
