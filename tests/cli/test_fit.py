"""`counterpoint fit`: a table in, a model and an honest account out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tables import mixed_table

from counterpoint.tabular import load, training

BAYES = ["--target", "class", "--method", "naive-bayes"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mixed_table().to_csv("data.csv", index=False)
    return Path("data.csv")


@pytest.fixture
def pages(monkeypatch):
    """What the page was made of, without making it."""
    made = []

    def write(summary, path):
        made.append(summary)
        Path(path).write_text("<!doctype html>")

    monkeypatch.setattr("counterpoint.report.model_page.write_page", write)
    return made


def test_fit(run, data, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("fit", data, "--target", "class", "--method", "bagging")
    assert ran.code == 0
    assert ran.err == (
        "counterpoint: note: column 'id' left out: an id: every row has a text of its own; --keep "
        "'id' to use it.\n"
        "counterpoint: wrote the model to model.skops\n"
        "counterpoint: wrote the page to model.html\n"
    )
    assert "bagging on data.csv" in Path("model.html").read_text(encoding="utf-8")
    assert max(map(len, ran.out.splitlines())) <= 80
    lines = ran.out.splitlines()
    assert lines[0] == "data.csv: 67 rows to train on, 23 to test, 3 columns, 2 classes"
    assert (
        "NOT BETTER THAN SINGLE TREE on the test rows: 39.1 % of them wrong, 30.4 % by the "
        "simple model."
    ) in " ".join(ran.out.split())
    saved = load("model.skops")
    row = next(line.split() for line in lines if line.startswith("bagging"))
    assert row[1] == f"{100 * saved.score.error:.1f}"
    for words in ("majority class", "single tree", "95 % interval", "How 50 members disagree"):
        assert words in ran.out
    assert "The 6 best and the 6 worst of 50; --json has all." in " ".join(ran.out.split())


def test_no_page_unless_wanted(run, data):
    options = ("fit", data, "--target", "class", "--method", "pruned-tree", "--no-report")
    assert run(*options).code == 0
    assert Path("model.skops").exists()
    assert not Path("model.html").exists()
    assert run(*options, "--report", "page.html").code == 2


def test_skops_is_asked_for_before_the_work(run, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setattr("counterpoint.tabular.training.fit", lambda *a, **k: 1 / 0)
    ran = run("fit", data, "--target", "class")
    assert (ran.code, ran.err) == (1, "counterpoint: Model files need skops (pip install skops).\n")


def test_json(run, data):
    ran = run("fit", data, "--target", "class", "--method", "bagging", "--json", "-o", "m.skops")
    told = json.loads(ran.out)
    assert told["members"]["n_members"] == len(told["members"]["table"]) == 50
    assert told["score"]["low"] <= told["score"]["error"] <= told["score"]["high"]
    names = [row["name"] for row in told["baselines"]["rows"]]
    assert names == ["majority class", "single tree", "logistic regression"]
    assert told["notes"][0].startswith("column 'id' left out")
    assert load("m.skops").score.error == told["score"]["error"]


def test_a_single_model(run, data):
    ran = run("fit", data, *BAYES)
    assert "One model, no members" in ran.out
    assert "disagree:" not in ran.out


def test_auto_shows_its_leaderboard(run, data, monkeypatch):
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    from counterpoint.auto import Candidate

    def few(*sizes):
        return [
            Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
            Candidate(name="line", family="linear", make=lambda s: LogisticRegression()),
        ]

    monkeypatch.setattr("counterpoint.auto.overproduce.default_pool", few)
    ran = run("fit", data, "--target", "class")
    assert ran.code == 0
    assert "All 2 members tried, by cross-fitting on the training rows." in " ".join(
        ran.out.split()
    )
    assert "bayes" in ran.out
    assert "line" in ran.out


def test_the_page_is_about_the_test_rows(run, data, pages):
    ran = run("fit", data, *BAYES, "--report", "page.html")
    assert ran.code == 0
    assert ran.err.endswith("counterpoint: wrote the page to page.html\n")
    (summary,) = pages
    saved = load("model.skops")
    assert summary["score"]["error"] == saved.score.error
    assert summary["data"]["n_rows"] == len(saved.y_test)
    assert saved.is_new(saved.X_test, saved.y_test).all()
    assert not saved.is_new(saved.X_train, saved.y_train).any()


def test_options_reach_the_work(run, data, monkeypatch):
    asked = {}
    real = training.fit

    def spy(table, target, method, **options):
        asked.update(options, columns=table.frame.dtypes.astype(str).to_dict())
        return real(table, target, method, **options)

    monkeypatch.setattr(training, "fit", spy)
    run(
        "fit", data, *BAYES, "--test-size", 0.4, "--random-state", 7, "-j", 2, "--nominal", "code",
        "--missing", "red", "--keep-rows", 0, "--time-limit", 5,
    )  # fmt: skip
    assert (asked["test_size"], asked["random_state"], asked["n_jobs"]) == (0.4, 7, 2)
    assert asked["columns"]["code"] == "object"
    saved = load("model.skops")
    assert saved.missing == ["red"]
    assert saved.X_train is None
    assert saved.random_state == 7
    assert [c.categories for c in saved.columns if c.name == "colour"] == [("blue", "green")]


def test_odd_names(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = mixed_table().rename(
        columns={"size": "Größe [cm]", "colour": "<b>,", "class": 'Kunde "A" = x'}
    )
    frame.to_csv("odd.csv", index=False)
    ran = run("fit", "odd.csv", "--target", 'Kunde "A" = x', "--method", "pruned-tree")
    assert ran.code == 0
    assert [c.name for c in load("model.skops").columns] == ["Größe [cm]", "<b>,", "code"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "data.csv is empty: expected a header row"),
        ("a,class\n", "data.csv has a header but no rows"),
        ("a;class\n1;x;2\n", "Are its fields divided by ';'? Then pass --separator ';'"),
        ("a,klass\n1,x\n2,y\n", "no target column 'class'. The columns are 'a', 'klass'. Did you"),
        ("a,class\n1,x\n2,x\n", "--target 'class' holds one class only, 'x'"),
        ("a,class\n1,u\n2,v\n3,w\n", "has 3 different values in 3 rows: it looks like an id"),
        ("a,class\n1,1.5\n2,2.5\n3,7\n", "3 rows have a number in the target column"),
        ("a,class\n1,x\n2,x\n3,y\n4,y\n5,z\n6,x\n", "Of class 'z' in the target column"),
        ("a,class\n" + "1,x\n2,y\n" * 5 + "many,x\n", "but 'many' in data row 11. Mend the cell"),
        ("class\nx\ny\nx\ny\n", "no column to learn 'class' from"),
        ("a,class\n1,x\n2,y\n3,x\n4,y\n", "4 rows are too few to hold out --test-size 0.25"),
    ],
)
def test_bad_tables_are_one_line(fails, data, text, line):
    data.write_text(text)
    assert line in fails("fit", data, *BAYES)
    assert not Path("model.skops").exists()


def test_mixed_columns_are_mended_with_options(run, fails, data):
    data.write_text("a,class\n" + "1,x\n2,y\n" * 9 + "many,x\n")
    line = fails("fit", data, *BAYES)
    assert "add 'many' to --missing '?,NA,N/A,n/a,#N/A,NaN,nan'; or, if all are" in line
    assert "categories, pass --nominal 'a'." in line
    assert run("fit", data, *BAYES, "--missing", "many").code == 0
    assert run("fit", data, *BAYES, "--nominal", "a").code == 0


def test_places_are_checked_before_the_work(fails, data, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "fit", lambda *a, **k: pytest.fail("work was done"))
    assert "There is no folder no" in fails("fit", data, *BAYES, "-o", "no/m.skops")
    assert "is a folder" in fails("fit", data, *BAYES, "--report", tmp_path)
    assert "There is no file" in fails("fit", "no.csv", *BAYES)


def test_a_full_disk_leaves_the_old_model(fails, data, monkeypatch):
    Path("model.skops").write_text("old")

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert fails("fit", data, *BAYES) == "model.skops: No space left on device."
    assert Path("model.skops").read_text() == "old"
    assert sorted(p.name for p in Path().iterdir()) == ["data.csv", "model.skops"]


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--method", "nlc"], "there is no method 'nlc'. Did you mean 'ncl'?"),
        (["--method", "zzzz"], "there is no method 'zzzz'. --list names them."),
        (["--test-size", "1"], "1 is not between 0 and 1"),
        (["--separator", ";;"], "';;' is not one character"),
        (["-o", "data.csv"], "data.csv is read or written already"),
        (["--report", "model.skops"], "model.skops is read or written already"),
    ],
)
def test_wrong_usage(fails, data, args, line):
    assert line in fails("fit", data, *BAYES, *args, code=2)


def test_ctrl_c(run, data, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "fit", interrupted)
    ran = run("fit", data, *BAYES)
    assert (ran.code, ran.err) == (130, "counterpoint: stopped; nothing was written.\n")


def test_ctrl_c_while_the_page_is_made_keeps_the_model(run, data, monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("counterpoint.tabular.assessed.explain", interrupted)
    ran = run("fit", data, *BAYES, "--report", "page.html")
    assert ran.code == 130
    assert ran.err.endswith("counterpoint: stopped; kept model.skops.\n")


def test_methods_are_listed(run):
    ran = run("fit", "--list")
    assert ran.code == 0
    assert "merged-tree" in ran.out
    assert "one readable tree" in ran.out


@pytest.mark.parametrize("command", ["fit", "predict", "compare", "explain", "report"])
def test_help_has_examples_and_imports_nothing_heavy(command):
    code = (
        f"import sys; from counterpoint.cli import main; main(['{command}', '--help']);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'numba', 'skops') if m in sys.modules],"
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "Examples:" in done.stdout
    assert "--json" in done.stdout


def test_the_shell_completes_methods():
    from counterpoint.cli import compare, options

    assert options.complete_method("merg") == ["merged-tree"]
    assert compare._complete("tree,maj") == ["tree,majority"]


def test_completion_is_switched_on():
    done = subprocess.run(
        [sys.executable, "-m", "counterpoint.cli"], capture_output=True, text=True, check=False,
        env={
            "_COUNTERPOINT_COMPLETE": "complete_bash", "COMP_WORDS": "counterpoint com",
            "COMP_CWORD": "1", "PATH": "/usr/bin:/bin",
        },
    )  # fmt: skip
    assert done.stdout.split() == ["compare"]


def test_costs_from_the_shell(run, fails, data):
    common = ("fit", data, "--target", "class", "--method", "naive-bayes", "--no-report")
    ran = run(*common, "--cost", "fn=10,fp=1", "--positive", "no")
    assert ran.code == 0
    said = " ".join(ran.out.split())
    assert "It says 'no' from a probability of" in said
    assert "its cost per row is" in said
    Path("costs.csv").write_text("truth,no,yes\nno,0,10\nyes,1,0\n")
    again = run(*common, "--cost", "costs.csv")
    assert again.out == ran.out
    assert load("model.skops").model[-1].decision_.shape == (2, 2)
    said = fails(*common, "--cost", "fn=1")
    assert said.startswith("--cost names fn: give fn")
    said = fails(*common, "--cost", "no-such.csv")
    assert "no-such.csv" in said
    assert run(*common, "--metric", "balanced-error").code == 0
    said = fails(*common, "--metric", "auc")
    assert said.startswith("--metric 'auc': 'naive-bayes' can be given a threshold for")
