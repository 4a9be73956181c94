"""``counterpoint predict``: what a model says about new rows."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import _learning as learning
from counterpoint.cli import _terminal as terminal

HELP = (
    "Say what a model predicts for the rows of a table.\n\n"
    "The table needs the columns the model was trained on, in any order; others are ignored. If "
    "it has the true labels too, the error on rows the model was not trained on is told.\n\n"
    "Examples: `counterpoint predict model.skops new.csv`; `counterpoint predict model.skops "
    "new.csv --proba -o said.csv`."
)


def predict(
    model: learning.ModelFile,
    file: learning.DataFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="CSV file to write. Default: standard output.",
            show_default=False,
        ),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probabilities.")] = False,
    separator: learning.Separator = None,
    as_json: learning.Json = False,
) -> None:  # fmt: skip
    """Predict; HELP says the rest."""
    learning.check_separator(separator)
    learning.check_apart({"--output": output}, [file, model])
    with terminal.in_options(learning.WORDS):
        from counterpoint.tabular.files import check_output, new_file

        if output is not None:
            check_output(output)
        from counterpoint.tabular.models import load_model
        from counterpoint.tabular.plain import to_json
        from counterpoint.tabular.prediction import predict_table

        found = predict_table(load_model(model), file, proba=proba, separator=separator)
        text = None if as_json else found.table.to_csv(index=False)
        if output is not None:
            with new_file(output) as part:
                part.write_text(found.table.to_csv(index=False), encoding="utf-8")
    if as_json:
        typer.echo(to_json(found.summary()))
    elif output is None:
        typer.echo(text, nl=False)
    learning.note(found.notes)
    if output is not None:
        terminal.wrote(output, f"{len(found.table)} predictions")
