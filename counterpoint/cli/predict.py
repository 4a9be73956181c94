"""``counterpoint predict``: what a model says about new rows."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import options, terminal

HELP = (
    "Say what a model predicts for the rows of a table.\n\n"
    "The table needs the columns the model was trained on, in any order; others are ignored. If "
    "it has the true labels too, the error on rows the model was not trained on is told.\n\n"
    "Examples: `counterpoint predict model.skops new.csv`; `counterpoint predict model.skops "
    "new.csv --proba -o answers.csv`."
)


def predict(
    model: options.ModelFile,
    file: options.DataFile,
    output: Annotated[
        Path | None,
        options.option("CSV file to write. Default: standard output.", None, "--output", "-o")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probabilities.")] = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    separator: options.Separator = None,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Predict; HELP says the rest."""
    options.check_separator(separator)
    options.check_apart({"--output": output}, [file, model])
    with terminal.in_options(options.WORDS):
        options.check_outputs(output)
        from counterpoint import tabular
        from counterpoint._files import new_file
        from counterpoint.tabular.plain import to_json
        from counterpoint.tabular.spreadsheet import to_csv

        prediction = tabular.predict(tabular.load(model), file, proba=proba, separator=separator)
        text = to_csv(prediction.table, spreadsheet_safe=spreadsheet_safe)
        if output is not None:
            with new_file(output) as part:
                part.write_text(text, encoding="utf-8", newline="")
    if as_json:
        typer.echo(to_json(prediction.summary()))
    elif output is None:
        terminal.echo_table(text)
    terminal.note(prediction.notes)
    if output is not None:
        terminal.wrote(output, f"{len(prediction.table)} predictions")
