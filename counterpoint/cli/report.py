"""``counterpoint report``: a page that shows what a model is."""

from pathlib import Path
from typing import Annotated

import typer

from counterpoint.cli import _learning as learning
from counterpoint.cli import _terminal as terminal

HELP = (
    "Write a page about a model: one HTML file, complete in itself.\n\n"
    "Error against simple models, how the members disagree, what each is worth, one tree in place "
    "of all. FILE has rows with labels; those the model was trained on are left out.\n\n"
    "Examples: `counterpoint report model.skops data.csv`; `counterpoint report model.skops "
    "data.csv -o page.html`."
)


def report(
    model: learning.ModelFile,
    file: learning.DataFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    title: Annotated[str | None, typer.Option(help="Its heading.", show_default=False)] = None,
    random_state: learning.Seed = 0,
    separator: learning.Separator = None,
    as_json: learning.Json = False,
    open_: Annotated[
        bool, typer.Option("--open/--no-open", help="Show the page in a browser.")
    ] = False,
) -> None:
    """Write the page of a model; HELP says the rest."""
    learning.check_separator(separator)
    learning.check_apart({"--output": output}, [model, file])
    with terminal.in_options(learning.WORDS):
        from counterpoint.tabular.files import check_output

        check_output(output)  # before the work, not after
        from counterpoint.report import model_page
        from counterpoint.tabular.models import load_model
        from counterpoint.tabular.plain import to_json
        from counterpoint.tabular.prediction import judging_rows

        saved = load_model(model)
        X, y, notes = judging_rows(saved, file, separator=separator)
        model_page.report(
            saved.model, X, y, output, title=title or f"{saved.method} on {file.name}",
            X_train=saved.rows, y_train=saved.labels, random_state=random_state,
            extra={"Data": file.name, "Target": saved.target},
        )  # fmt: skip
    if as_json:
        told = {"page": str(output), "model": model.name, "n_rows": len(y), "notes": notes}
        typer.echo(to_json(told))
    learning.note(notes)
    terminal.wrote(output, "the page")
    if open_:
        import webbrowser

        webbrowser.open(output.resolve().as_uri())
