"""Exit codes, errors in one line, help without heavy imports, interrupts."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import counterpoint
from counterpoint.cli import terminal
from counterpoint.cli.app import app
from counterpoint.exceptions import DatasetNotFoundError

COMMAND = [sys.executable, "-m", "counterpoint.cli"]
HEAVY = ("numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "jinja2")


def shell(*args, **options):
    return subprocess.run(
        [*COMMAND, *map(str, args)], capture_output=True, text=True, timeout=120, **options
    )


@pytest.mark.parametrize(
    "args", [["--help"], ["--version"], ["measure", "--help"], ["datasets", "-h"], ["demo", "-h"]]
)
def test_help_imports_nothing_heavy(args):
    code = (
        "import sys; from counterpoint.cli import main; code = main(sys.argv[1:]);"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr);"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.strip() == "[]"
    assert done.stdout.strip()


def test_help_names_every_command():
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    for word in ("measure", "datasets", "demo", "--version", "--debug"):
        assert word in shown.output


def test_measure_help_says_which_way_the_table_lies():
    shown = " ".join(CliRunner().invoke(app, ["measure", "--help"]).output.split())
    assert "a column per member, a row per sample" in shown


def test_version(run):
    assert run("--version").out == f"counterpoint {counterpoint.__version__}\n"


@pytest.mark.parametrize("args", [[], ["datasets"], ["measure"]])
def test_nothing_typed_shows_the_help(args):
    done = shell(*args)
    assert done.returncode == 2
    assert "Usage: counterpoint" in done.stdout + done.stderr


def test_exit_codes_of_the_real_command(tmp_path):
    wrong = shell("measure", "x.csv", "--nonsense")
    assert wrong.returncode == 2
    assert wrong.stderr == (
        "counterpoint: No such option: --nonsense. Try 'counterpoint measure --help'.\n"
    )
    failed = shell("measure", tmp_path / "x.csv")
    assert failed.returncode == 1
    assert failed.stderr == f"counterpoint: There is no file {tmp_path / 'x.csv'}.\n"
    fine = shell("measure", "-", input="class,a,b\n0,0,1\n1,1,1\n")
    assert (fine.returncode, fine.stderr) == (0, "")
    assert "2 members, 2 samples" in fine.stdout


def test_a_closed_pipe_makes_no_noise():
    process = subprocess.Popen(
        [*COMMAND, "datasets", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=120)
    assert error == ""


def test_output_survives_a_terminal_without_arrows(tmp_path):
    done = shell("datasets", "list", env={"PYTHONIOENCODING": "ascii", "HOME": str(tmp_path)})
    assert done.returncode == 0
    assert "german-credit" in done.stdout


def test_unknown_command_is_wrong_usage(fails):
    line = fails("mesure", code=2)
    assert line == ("No such command 'mesure'. Did you mean 'measure'? Try 'counterpoint --help'.")


@pytest.mark.parametrize("where", ["first", "last"])
def test_debug_shows_the_traceback_and_the_line(run, where, tmp_path):
    args = ["measure", tmp_path / "x.csv"]
    ran = run("--debug", *args) if where == "first" else run(*args, "--debug")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "in find_file" in ran.err
    assert "counterpoint: There is no file" in ran.err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("two\n  lines"), "two lines"),
        (DatasetNotFoundError("no set"), "no set"),
        (FileExistsError("it is there"), "it is there"),
        (OSError(28, "No space left on device", "a.html"), "a.html: No space left on device."),
        (OSError(28, "No space left on device"), "No space left on device."),
        (
            AttributeError("no such thing"),
            "unexpected AttributeError: no such thing. Run again with --debug to see where.",
        ),
        (
            KeyError("x"),
            "unexpected KeyError: 'x'. Run again with --debug to see where.",
        ),
    ],
)
def test_any_error_is_one_line(error, line, run, monkeypatch):
    def broken():
        raise error

    monkeypatch.setattr("counterpoint.datasets.catalogue.list_datasets", broken)
    ran = run("datasets", "list")
    assert (ran.code, ran.out, ran.err) == (1, "", f"counterpoint: {line}\n")


def test_interrupt_says_that_nothing_was_written(run, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("counterpoint.datasets.catalogue.list_datasets", interrupted)
    ran = run("datasets", "list")
    assert (ran.code, ran.err) == (130, "counterpoint: stopped; nothing was written.\n")


def test_interrupt_says_what_was_kept(run, monkeypatch, tmp_path):
    def interrupted(address):
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", interrupted)
    page = tmp_path / "demo.html"
    options = ["--dataset", "iris", "--methods", "bagging", "--n-splits", 1]
    ran = run("demo", "--output", page, *options, "--open")
    assert ran.code == 130
    report = tmp_path / "demo-report.html"
    assert ran.err.endswith(f"counterpoint: stopped; kept {report}, {page}.\n")
    assert page.exists()
    assert report.exists()
    # And an earlier run's files are not this one's.
    monkeypatch.setattr("counterpoint.datasets.catalogue.list_datasets", lambda: interrupted(None))
    assert run("datasets", "list").err == "counterpoint: stopped; nothing was written.\n"


def test_options_are_named_as_on_the_command_line():
    names = {"truth=": "--truth", "overwrite=True": "--force"}
    wanted = "^use --truth x, or --truth, or --force$"
    with pytest.raises(ValueError, match=wanted), terminal.in_options(names):
        raise ValueError("use truth=x, or truth=, or overwrite=True")
    with pytest.raises(OSError, match="No such file"), terminal.in_options(names):
        raise OSError(2, "No such file")
