"""``counterpoint predict``: what a model says about new rows."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import options, terminal

HELP = (
    "Say what a model predicts for the rows of a table.\n\n"
    "The table needs the columns the model was trained on, in any order; others are ignored. If "
    "the model has members, the column disagreement is the share of their votes against the "
    "answer. If the table has the true labels too, the error on rows the model was not trained on "
    "is told. A pattern in quotes ('part-*.csv'), a folder, or a file of any size is answered "
    "piece by piece.\n\n"
    "Examples: `counterpoint predict model.skops new.csv`; `counterpoint predict model.skops "
    "new.csv --proba --coverage 0.9 --explain -o answers.csv`."
)


def predict(
    model: options.ModelFile,
    file: options.DataFile,
    output: Annotated[
        Path | None,
        options.option("CSV file to write. Default: standard output.", None, "--output", "-o")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Also the probabilities.")] = False,
    coverage: Annotated[
        float | None,
        options.option("Also sets of classes, or intervals: this share holds the truth.", "SHARE")
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also why: votes, columns, rows like it, way in one tree.")
    ] = False,
    spreadsheet_safe: options.SpreadsheetSafe = False,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    as_json: options.Json = False,
) -> None:  # fmt: skip
    """Predict; HELP says the rest."""
    if coverage is not None and not 0 < coverage < 1:
        raise typer.BadParameter(f"{coverage:g} is not between 0 and 1.", param_hint="--coverage")
    options.check_separator(separator)
    options.check_apart({"--output": output}, [file, model])
    from counterpoint._files import is_large

    large = is_large(file)
    if large and output is None:
        raise typer.BadParameter(
            f"the answers about {file} are written piece by piece: name a file for them.",
            param_hint="--output",
        )
    with terminal.in_options(options.WORDS):
        options.check_inputs(model, None if large else file)
        options.check_outputs(output)
        from counterpoint.tabular.put_off import put_off
        from counterpoint.tabular.quick import SELDOM_USED, later, quick_skops, quickly

        with quickly(), put_off(), later(*SELDOM_USED):
            from counterpoint import tabular
            from counterpoint._files import new_file
            from counterpoint.tabular import prediction as _prediction  # noqa: F401 (here: quick)
            from counterpoint.tabular.plain import to_json
            from counterpoint.tabular.spreadsheet import to_csv

            quick_skops()
            loaded = tabular.load(model)
        if large and output is not None:
            said = tabular.predict_large(
                loaded,
                file,
                output,
                proba=proba,
                coverage=coverage,
                reasons=explain,
                spreadsheet_safe=spreadsheet_safe,
                separator=separator,
            )
            if as_json:
                typer.echo(to_json(said.summary()))
            terminal.note(said.notes)
            terminal.wrote(output, f"{said.n_rows} predictions")
            return
        table = options.read_new(loaded, file, separator=separator, encoding=encoding, sheet=sheet)
        prediction = tabular.predict(
            loaded, table, proba=proba, coverage=coverage, reasons=explain
        )  # fmt: skip
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
