"""`counterpoint reproduce`: what was run, what came of it, and how to go on."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_claims
import pandas as pd
import pytest

from counterpoint.claims import Store, paired, runner, verdict
from counterpoint.cli import reproduce
from counterpoint.exceptions import ExperimentError

TOPICS = ("bags", "trees", "votes")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fake_claims.install(monkeypatch, *(fake_claims.make(topic) for topic in TOPICS))
    return tmp_path


WROTE = "counterpoint: wrote the page to reproductions/index.html\n"


def line_of(out, id_):
    return next(line for line in out.splitlines() if line.startswith(f"{id_} "))


def test_list_before_any_run(run, here):
    ran = run("reproduce")
    assert ran.code == 0
    assert ran.err == ""
    assert line_of(ran.out, "trees").split()[1:4] == ["Title", "of", "trees"]
    assert "never run" in line_of(ran.out, "trees")
    assert list(here.iterdir()) == []  # looking makes nothing


def test_smoke(run, here):
    ran = run("reproduce", "Trees")
    assert ran.code == 0
    assert ran.err == WROTE
    assert ran.out.startswith("trees: Title of trees\nIt errs less than <b>that</b>.\n")
    assert "Run: smoke size, all 2 cells." in ran.out
    assert "Verdict: open (smoke run). 2 rows. Does not hold: all." in ran.out
    assert "  does not hold: all\n" in ran.out
    assert "too small to decide" in ran.out
    assert {path.name for path in Path("reproductions").iterdir()} == {
        "index.html", "summary.csv", "cells.sqlite", "trees.csv", "trees-table.csv", "trees.png",
    }  # fmt: skip
    listed = run("reproduce").out
    assert line_of(listed, "trees").split()[-5:] == ["open", "(smoke", "run)", "all", "2"]
    assert "smoke run: a quick try, too small to decide" in listed
    assert "never run, of 6" in line_of(listed, "bags")


def test_full_and_all(run):
    ran = run("reproduce", "--all", "--full", "-j", 2, "--backend", "threading")
    assert ran.code == 0
    assert ran.err == WROTE
    assert ran.out.count("Run: full size, all 6 cells.") == 3
    assert ran.out.count("Verdict: reproduced. 6 rows.") == 3
    listed = pd.read_csv("reproductions/summary.csv")
    assert listed["verdict"].tolist() == ["reproduced"] * 3
    page = Path("reproductions/index.html").read_text(encoding="utf-8")
    assert "counterpoint reproduce --all --full" in page
    assert page.count("<img ") == 3
    assert line_of(run("reproduce").out, "votes").split()[-4:] == ["reproduced", "all", "6", "none"]


def test_what_is_done_is_not_done_again(run, monkeypatch):
    first = run("reproduce", "bags", "trees", "--full", "-o", "here").out
    # Were a cell run now, it would fail.
    made = [fake_claims.make(topic, fail=range(9)) for topic in TOPICS]
    fake_claims.install(monkeypatch, *made)
    again = run("reproduce", "bags", "trees", "--full", "-o", "here")
    assert (again.code, again.out) == (0, first)


def test_json(run):
    listed = json.loads(run("reproduce", "--json").out)["claims"]
    assert [one["verdict"] for one in listed] == [None] * 3
    told = json.loads(run("reproduce", "bags", "--full", "--json").out)["claims"]
    assert [one["topic"] for one in told] == ["bags"]
    assert told[0]["verdict"] == "reproduced"
    assert told[0]["columns"] == ["method", "ours", "theirs"]
    assert (told[0]["n_done"], told[0]["n_cells"]) == (6, 6)


def test_a_time_limit_leaves_a_part(run, monkeypatch):
    fake_claims.install(monkeypatch, fake_claims.make("bags", n=40, pause=0.05))
    ran = run("reproduce", "bags", "--full", "--time-limit", 0.3)
    assert ran.code == 0
    assert " of 80 cells; the others have not been run." in ran.out
    assert " of 80 " in line_of(run("reproduce").out, "bags")
    with Store("reproductions/cells.sqlite") as store:
        experiment = fake_claims.make("bags", n=40).experiment("full")
        done = store.done(experiment)
    assert 0 < len(done) < 80
    # and none at all writes the page again
    Path("reproductions/index.html").unlink()
    assert run("reproduce", "bags", "--full", "--time-limit", 0).err == WROTE
    with Store("reproductions/cells.sqlite") as store:
        assert store.done(experiment) == done
    assert f"{len(done)} of 80 cells" in Path("reproductions/index.html").read_text()


def test_time_is_shared_among_claims(run, monkeypatch):
    fake_claims.install(monkeypatch, *(fake_claims.make(topic, n=40) for topic in TOPICS))
    clock = itertools.count()  # a second passes whenever someone looks, however busy the machine
    for module in (reproduce, runner):
        monkeypatch.setattr(module, "monotonic", clock.__next__)
    run("reproduce", "--all", "--full", "--time-limit", 60)
    assert pd.read_csv("reproductions/summary.csv")["n_done"].between(10, 30).all()


def test_nothing_run_has_no_verdict(run):
    ran = run("reproduce", "bags", "--time-limit", 0)
    assert ran.code == 0
    assert "Run: never run." in ran.out
    assert "Verdict" not in ran.out


def test_cells_that_fail(run, monkeypatch):
    fake_claims.install(monkeypatch, fake_claims.make("bags", fail=(1,)), fake_claims.make("trees"))
    ran = run("reproduce", "--all", "--full")
    assert ran.code == 1
    said, wrote = ran.err.splitlines()
    assert said.startswith("counterpoint: 2 of 6 cells of bags failed, the others are kept;")
    assert said.endswith("ArithmeticError: no luck with 1 (and 1 more)")
    assert wrote == WROTE.strip()
    assert "Run: full size, 4 of 6 cells." in ran.out
    assert "trees: Title of trees" in ran.out  # the next claim had its turn
    assert "Traceback" in run("reproduce", "bags", "--full", "--debug").err


def test_a_cluster_that_dies(run, here, monkeypatch):
    pytest.importorskip("distributed")
    tried = []

    def die(experiment, store, **options):
        tried.append(experiment.name)
        raise ExperimentError(f"{experiment.name} stopped: 3 of 9 cells are kept: run it again.")

    monkeypatch.setattr("counterpoint.claims.run_experiment", die)
    ran = run("reproduce", *TOPICS, "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert ran.code == 1
    assert "stopped: 3 of 9 cells are kept: run it again." in ran.err
    assert "Traceback" not in ran.err + ran.out
    assert "wrote the page" in ran.err
    assert len(tried) == 1  # nobody is left to ask about the others


def test_a_rule_that_fails(run, monkeypatch):
    fake_claims.install(monkeypatch, fake_claims.make("bags", judge=fake_claims.judge_badly))
    ran = run("reproduce", "bags")
    assert ran.code == 1
    assert "The rule cannot be applied to these rows: KeyError" in ran.out
    assert ran.err.startswith("counterpoint: bags: The rule cannot be applied")
    assert "failed" in line_of(run("reproduce").out, "bags")


def test_long_tables_are_cut(run, monkeypatch):
    from counterpoint.claims import verdict

    def judge(frame):
        return verdict({"ok": True}, pd.DataFrame({"k": range(50)}), "So.")

    fake_claims.install(monkeypatch, fake_claims.make("bags", judge=judge))
    assert "The first 24 of 50 rows." in run("reproduce", "bags").out


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["boats"], "There is no claim 'boats'"),
        (["bags", "--all"], "not both"),
        (["--full"], "of which claims?"),
        (["bags", "-j", "0"], "0 runs nothing"),
        (["bags", "--scheduler", "tcp://x:1"], "this is for --backend dask"),
        (["bags", "--backend", "dask"], "dask needs --scheduler"),
        (["bags", "--time-limit", "-1"], "--time-limit"),
    ],
)
def test_wrong_usage(fails, here, args, line):
    if args[-1] == "dask":
        pytest.importorskip("distributed")
    assert line in fails("reproduce", *args, code=2)
    assert list(here.iterdir()) == []


def test_dask_without_distributed(fails, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    line = fails("reproduce", "bags", "--backend", "dask", "--scheduler", "tcp://x:1", code=2)
    assert "pip install distributed" in line


def test_unknown_backend(fails):
    assert "nonsense" in fails("reproduce", "bags", "--backend", "nonsense")


def test_places_that_cannot_be_written(fails, here):
    (here / "file").write_text("")
    assert "file" in fails("reproduce", "bags", "-o", "file")
    assert "No such file or directory" in fails("reproduce", "bags", "-o", "no/folder")
    (here / "reproductions").mkdir()
    (here / "reproductions" / "cells.sqlite").write_text("not a database, " * 100)
    line = fails("reproduce", "bags")
    assert "reproductions/cells.sqlite is not a store of experiments" in line
    assert fails("reproduce") == line


def test_ctrl_c(here):
    """In a process of its own, which gets the signal."""
    code = (
        "import sys, fake_claims, pytest\n"
        "from counterpoint.cli import main\n"
        "with pytest.MonkeyPatch.context() as patch:\n"
        "    fake_claims.install(patch, fake_claims.make('bags', n=200, pause=0.05))\n"
        "    sys.exit(main(['reproduce', 'bags', '--full']))\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    child = subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    store = here / "reproductions" / "cells.sqlite"
    limit = time.monotonic() + 60
    experiment = fake_claims.make("bags", n=200).experiment("full")

    def n_done():
        with Store(store) as opened:
            return len(opened.done(experiment))

    while not (store.exists() and n_done() >= 2):
        assert child.poll() is None, child.stderr.read()
        assert time.monotonic() < limit
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    err = child.communicate(timeout=60)[1]
    assert child.returncode == 130
    assert err.splitlines() == [
        f"counterpoint: {n_done()} of 400 cells of bags are kept in reproductions/cells.sqlite: "
        "run it again to go on from there.",
        "counterpoint: stopped; kept reproductions/cells.sqlite.",
    ]


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from counterpoint.cli import main; main(['reproduce', '--help']);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'numba') if m in sys.modules],"
        "file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "--time-limit" in done.stdout


def test_cells_are_checked_against_those_kept(run, here, monkeypatch):
    assert run("reproduce", "trees", "--full").code == 0
    assert Path("reproductions/cells/trees.parquet").exists()
    Path("reproductions/cells.sqlite").unlink()  # the files are enough to go on from
    ran = run("reproduce", "trees", "--check", "4")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "counterpoint: trees: 4 of 4 cells give the same rows again.\n"
    fake_claims.install(monkeypatch, *(fake_claims.make(t, run=another_run) for t in TOPICS))
    ran = run("reproduce", "trees", "--check", "2", "--json")
    assert ran.code == 1
    assert [cell["same"] for cell in json.loads(ran.out)["cells"]] == [False, False]


def test_cells_of_older_code_that_come_out_the_same_count_as_checked(run, here, monkeypatch):
    assert run("reproduce", "trees", "--full").code == 0
    for module in ("code", "checking", "judging"):
        monkeypatch.setattr(f"counterpoint.claims.{module}.code_version", lambda topic: "newer")
    ran = run("reproduce", "trees", "--check", "2")
    assert ran.err == "counterpoint: trees: 2 of 2 cells give the same rows again.\n"
    ran = run("reproduce", "trees", "--check", "20")
    assert ran.code == 0
    assert "4 of 4 cells" in ran.err
    assert "Its cells of earlier code count as checked." in " ".join(ran.err.split())
    assert Path("reproductions/cells/checked.csv").read_text().count("\n") == 2
    assert "older code" not in run("reproduce", "trees", "--full").out


def another_run(*, seed, repeat, method):
    return {"error": 7.0}


def test_cells_of_older_code_can_be_run_again(run, here, monkeypatch):
    assert run("reproduce", "trees", "--full").code == 0
    for module in ("code", "checking", "judging"):
        monkeypatch.setattr(f"counterpoint.claims.{module}.code_version", lambda topic: "newer")
    ran = run("reproduce", "trees", "--full")
    assert "6 of the cells were made by older code" in " ".join(ran.out.split())
    ran = run("reproduce", "trees", "--full", "--again")
    assert "older code" not in ran.out


def test_until_decided_is_for_full_runs(run):
    ran = run("reproduce", "trees", "--until-decided")
    assert ran.code == 2
    assert "a quick try decides nothing: say --full, too." in " ".join(ran.err.split())


def test_until_decided(run, monkeypatch):
    def judge(frame):
        spread = paired(frame["error"], [0.0] * len(frame))
        return verdict({"low": spread.level(99.0), "high": spread.above(999.0)}, frame, "Seen.")

    made = fake_claims.make("trees", n=9, judge=judge)
    fake_claims.install(monkeypatch, made)
    ran = run("reproduce", "trees", "--full", "--until-decided")
    assert ran.code == 0
    when = "decided after 1 of 9 repeats, at looks corrected for looking often"
    words = " ".join(ran.out.split())
    assert f"Verdict: differs ({when}; 2 of 18 cells)." in words
    assert "Run: full size, 2 of 18 cells." in words
    listed = json.loads(run("reproduce", "--json").out)["claims"]
    assert [one["word"] for one in listed] == [f"differs ({when}; 2 of 18 cells)"]
    page = Path("reproductions/index.html").read_text(encoding="utf-8")
    assert "counterpoint reproduce trees --full --until-decided" in page


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_a_list_is_whole_at_any_width(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    made = fake_claims.make("sampled-hyperboxes", n=300, title="A title that is about as long as")
    fake_claims.install(monkeypatch, made)
    run("reproduce", "sampled-hyperboxes", "--full", "--time-limit", 0.2)
    out = run("reproduce").out
    assert max(map(len, out.splitlines())) <= columns
    line = " ".join(line_of(out, "sampled-hyperboxes").split())
    assert " (so far) " in line
    assert " of 600 " in line
    assert line.endswith(("s", "second"))
    assert ("A title that is about as long as" in line) == (columns >= 120)


def test_a_list_of_what_was_judged_imports_nothing_heavy(here):
    """In a process of its own: twice the real claims, without a cell."""
    (here / "reproductions").mkdir()
    code = (
        "import sys; from counterpoint.cli import main; main(['reproduce']);"
        "print([m for m in ('numpy', 'pandas', 'sklearn', 'numba') if m in sys.modules],"
        "file=sys.stderr)"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert "numpy" in first.stderr
    assert second.stderr.strip() == "[]"
    assert first.stdout == second.stdout
    assert "merged-trees" in first.stdout
