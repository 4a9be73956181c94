"""`counterpoint columns`, and every command on tables that are nasty."""

import io
import json
import subprocess
import sys
from pathlib import Path

import nasty_tables as nasty
import pandas as pd
import pytest

import counterpoint
from counterpoint.cli import options
from counterpoint.tabular import load, look_at
from counterpoint.tabular.column_file import read_column_file
from counterpoint.tabular.reader import MISSING

TREE = ["--target", "churn", "--method", "tree", "--no-report"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A table with a column of each kind, as a spreadsheet in Germany may save it."""
    monkeypatch.chdir(tmp_path)
    nasty.write_all(tmp_path)
    return Path("customers.csv")


def test_what_columns_are_taken_for(run, data):
    ran = run("columns", data, "--target", "churn")
    assert ran.code == 0
    assert "customers.csv: 240 rows, 23 columns" in ran.out
    rows = {
        line.split("  ")[0].strip(): line for line in ran.out.splitlines() if line.count("  ") > 1
    }
    for name, use in nasty.TAKEN.items():
        assert f" {use} " in rows[name]
    assert "note: LEAK? Column 'closed because' alone predicts 'churn'" in ran.err
    assert "note: the file is not UTF-8 and was read as Windows-1252" in ran.err


def test_json_says_the_same(run, data):
    told = json.loads(run("columns", data, "--target", "churn", "--json").out)
    assert {row["name"]: row["taken_for"] for row in told["columns"]} == nasty.TAKEN
    assert told == look_at(data, "churn").summary()


@pytest.mark.parametrize("name", ["columns.csv", "columns.json"])
def test_what_is_written_can_be_changed_and_given_back(run, fails, data, name):
    assert run("columns", data, "--target", "churn", "-o", name).code == 0
    told = read_column_file(name)
    expected = {**nasty.TAKEN, "newsletter": "category", "answer": "category"}
    assert told == {column: use for column, use in expected.items() if use != "target"}
    text = Path(name).read_text(encoding="utf-8")
    leak = ('"closed because": "category"', '"closed because": "left out"')
    leak = leak if name.endswith("json") else ("because,category", "because,left out")
    assert leak[0] in text
    Path(name).write_text(text.replace(*leak), encoding="utf-8")
    ran = run("fit", data, *TREE, "--columns", name)
    assert ran.code == 0
    assert "LEAK?" not in ran.err
    used = [column.name for column in load("model.skops").columns]
    assert "closed because" not in used
    assert "customer_id" not in used
    ran = run("fit", data, *TREE, "--columns", name, "--keep", "customer_id")
    assert "customer_id" in [column.name for column in load("model.skops").columns]
    line = run("compare", data, "--target", "churn", "--methods", "tree", "--columns", name)
    assert line.code == 0
    assert "LEAK?" not in line.err


def test_ids_are_left_out_with_a_word(run, data):
    ran = run("fit", data, *TREE)
    assert (
        "column 'customer_id' left out: an id: every row has a number of its own; --keep" in ran.err
    )
    assert "LEAK? Column 'closed because'" in ran.out


def test_what_gives_the_answer_away_is_said_first_and_can_be_left_out(run, data):
    ran = run("fit", data, *TREE)
    said = " ".join(ran.out.split())
    assert "leave it out with --leave-out 'closed because': a model" in said
    assert "→ First settle the warning of a LEAK: if such" in said
    ran = run("fit", data, *TREE, "--leave-out", "closed because")
    assert "LEAK?" not in ran.out + ran.err
    assert "→ First" not in ran.out
    assert "column 'closed because' left out: as was said." in ran.err
    assert "closed because" not in [column.name for column in load("model.skops").columns]
    ran = run("compare", data, "--target", "churn", "--methods", "tree", "--leave-out", "b c")
    assert ran.code == 1
    assert "There is no column 'b c'" in ran.err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name,kind\na,number\n", "expected a table with the columns 'column' and 'taken for'"),
        ("column,taken for\nzip,number\n", "There is no column 'zip', which is to be taken for"),
        ("column,taken for\ncity,numbr\n", "'city' is to be taken for 'numbr': choose one of"),
    ],
)
def test_wrong_files_of_columns(fails, data, text, line):
    Path("columns.csv").write_text(text)
    assert line in fails("fit", data, *TREE, "--columns", "columns.csv")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--target", "churned"], "no target column 'churned'. The columns are"),
        (["--keep", "customer"], "Did you mean 'customer_id'? Name one with --keep."),
        (["--encoding", "latin-one"], "--encoding 'latin-one' is not known"),
        (["--sheet", "1"], "--sheet '1', but customers.csv is no workbook"),
        (["--columns", "no.csv"], "There is no file no.csv"),
    ],
)
def test_wrong_options(fails, data, options, line):
    assert line in fails("columns", data, *options)


def test_every_command_reads_the_same_tables(run, data, monkeypatch):
    frame, _ = nasty.customers()
    packed = nasty.zipped("new.txt", nasty.as_csv(frame, "\t").encode("utf-16"))
    Path("new.zip").write_bytes(packed)
    assert run("fit", data, *TREE, "--columns", columns_without_leak()).code == 0
    answers = [run("predict", "model.skops", name).out for name in (data, "new.zip")]
    assert answers[0] == answers[1]
    assert pd.read_csv(io.StringIO(answers[0])).shape == (240, 2)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert run("predict", "model.skops", "-").out == answers[0]
    assert run("report", "model.skops", "new.zip").code == 0
    assert run("explain", "model.skops", "--data", "new.zip").code == 0
    votes = frame[["churn"]].assign(a=frame["churn"], b=frame["churn"].iloc[::-1].to_numpy())
    Path("votes.zip").write_bytes(nasty.zipped("votes", nasty.as_csv(votes, ";").encode("utf-16")))
    assert "2 members, 240 samples" in run("measure", "votes.zip", "--truth", "churn").out


def columns_without_leak():
    Path("leave.json").write_text('{"closed because": "left out"}')
    return "leave.json"


def test_events_are_read_as_all_tables_are(run, tmp_path, monkeypatch):
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    from counterpoint.sequences import RecentEventsTransformer, risk
    from counterpoint.sequences.simulation import make_churn_events

    def quick(length=2, *, random_state=None):
        return {"Bayes": make_pipeline(RecentEventsTransformer(length), GaussianNB())}

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(risk, "default_models", quick)
    events = make_churn_events(1500, base_hazard=0.003, random_state=0).events
    events["time"] = pd.Timestamp(2021, 1, 1) + pd.to_timedelta(events["time"].round(3), unit="D")
    names = ["--entity", "customer", "--time", "time", "--type", "event", "--target", "churn"]
    plain = events.assign(time=events["time"].dt.strftime("%Y-%m-%d %H:%M:%S"))
    plain.to_csv("plain.csv", index=False)
    german = events.assign(time=events["time"].dt.strftime("%d.%m.%Y %H:%M:%S"))
    Path("german.csv").write_bytes(nasty.as_csv(german, ";", decimal=",").encode("utf-16"))
    told = [
        json.loads(run("churn", name, *names, "--json").out) for name in ("plain.csv", "german.csv")
    ]
    assert told[0]["table"] == told[1]["table"]


@pytest.mark.parametrize(
    "args",
    [
        ["columns", "no.csv"],
        ["fit", "no.csv", "--target", "y"],
        ["compare", "no.csv", "--target", "y"],
        ["predict", "no.skops", "no.csv"],
        ["report", "no.skops", "no.csv"],
        ["explain", "no.skops"],
        ["measure", "no.csv"],
        ["churn", "no.csv", "--entity", "a", "--time", "b", "--type", "c", "--target", "d"],
    ],
    ids=lambda args: args[0],
)
def test_a_missing_file_is_told_before_anything_heavy_is_imported(args, tmp_path):
    code = (
        "import sys; from counterpoint.cli import main; code = main(sys.argv[1:]);"
        "heavy = ('numpy', 'pandas', 'sklearn', 'scipy', 'numba', 'skops', 'matplotlib');"
        "print([name for name in heavy if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1
    assert done.stderr.startswith("counterpoint: There is no file no.")
    assert done.stdout.strip() == "[]"


def test_the_command_and_the_library_know_the_same_words_for_no_value():
    assert tuple(options.MISSING.split(",")) == MISSING


def test_columns_that_fit_would_refuse_are_shown_and_told_of_at_once(
    run, fails, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{k % 3},{'ab'[k % 2]}" for k in range(20)]
    rows[3], rows[7] = "three,0,b", "7,one,b"
    Path("odd.csv").write_text("\n".join(["n,m,class", *rows]))
    ran = run("columns", "odd.csv", "--target", "class", "-o", "taken.csv")
    assert ran.code == 0
    assert ran.out.count("unclear") == 2
    advice = "add 'three,one' to --missing '?,NA"
    assert advice in ran.err
    assert advice in fails("fit", "odd.csv", "--target", "class")
    # A file of columns says what they are for once somebody has filled it in.
    assert advice in fails("fit", "odd.csv", "--target", "class", "--columns", "taken.csv")
    lines = Path("taken.csv").read_text().replace("unclear", "category")
    Path("taken.csv").write_text(lines)
    again = run("columns", "odd.csv", "--target", "class", "--columns", "taken.csv")
    assert "unclear" not in again.out
    told = json.loads(run("columns", "odd.csv", "--target", "class", "--json").out)
    assert [row["taken_for"] for row in told["columns"]] == ["unclear", "unclear", "target"]


def test_a_target_with_a_word_among_its_many_numbers_is_unclear(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k / 7:.3f},{k % 5}" for k in range(60)]
    rows[3] = "on request,3"
    Path("odd.csv").write_text("\n".join(["price,m", *rows]))
    ran = run("columns", "odd.csv", "--target", "price")
    assert "unclear" in ran.out
    assert "'on request' in data row 4" in ran.err


def test_the_command_runs_as_a_module():
    ran = subprocess.run(
        [sys.executable, "-m", "counterpoint", "--version"], capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout.strip()) == (0, f"counterpoint {counterpoint.__version__}")
