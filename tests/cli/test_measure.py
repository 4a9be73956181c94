"""`counterpoint measure`: what it prints, and what it says to bad input."""

import io
import json
import math

import matplotlib.image
import numpy as np
import pytest

from counterpoint import MemberOutputs
from counterpoint._text import visible
from counterpoint.diversity import MEASURES, profile, worth
from counterpoint.tabular.outputs import read_predictions


def table(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_prints_everything(run, predictions):
    ran = run("measure", predictions)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "3 members, 6 samples, 2 classes (bad, good)"
    for member, error in {"tree": "33.3 %", "net": "33.3 %", "bayes": "16.7 %"}.items():
        assert any(line.split() == [member, *error.split()] for line in lines)
    values = profile(read_predictions(predictions))["value"]
    for name, measure in MEASURES.items():
        shown = f"{values[name]:.3f}" if not math.isnan(values[name]) else "undefined"
        row = next(line for line in lines if line.startswith(f"{measure.title}  "))
        assert row.removeprefix(measure.title).split()[0] == shown
        assert ("↑" in row, "↓" in row) == (
            measure.more_diverse == "higher",
            measure.more_diverse == "lower",
        )
        assert measure.source in row
    assert (
        ran.out.split("more diverse")[1].split()
        == worth(read_predictions(predictions)).verdict.split()
    )


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_fits_the_terminal(run, predictions, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert "undefined" in run("measure", predictions, "--members", "net").out
    out = run("measure", predictions).out
    assert max(map(len, out.splitlines())) <= columns
    assert ("…" in out) == (columns == 80)
    assert "Coincident failure diversity" in out
    assert ("Kuncheva 2003, eq. 13" in out, "Kuncheva & Whitaker 2003, eq. 13" in out) == (
        columns == 80,
        columns == 100,
    )


def test_many_members_are_not_listed(run, tmp_path):
    names = [f"m{k}" for k in range(13)]
    rows = ["class," + ",".join(names), "0" + ",0" * 13, "1" + ",1" * 13]
    out = run("measure", table(tmp_path, "\n".join(rows))).out
    assert "13 members" in out
    assert "m12" not in out


def test_a_name_in_brackets_is_printed_as_it_is(run, tmp_path):
    out = run("measure", table(tmp_path, "class,[bold]tree\n0,0\n1,0\n")).out
    assert "[bold]tree" in out


def test_json_is_all_there_is(run, predictions):
    ran = run("measure", predictions, "--json")
    assert ran.err == ""
    data = json.loads(ran.out)
    values = profile(read_predictions(predictions))["value"]
    assert data["n_members"] == 3
    assert data["classes"] == ["bad", "good"]
    assert data["members"][2] == {"name": "bayes", "error": pytest.approx(1 / 6)}
    assert {name: row["value"] for name, row in data["measures"].items()} == pytest.approx(
        values.to_dict()
    )
    assert data["worth"]["verdict"] == worth(read_predictions(predictions)).verdict


def test_one_member_says_so_and_prints_the_rest(run, predictions):
    ran = run("measure", predictions, "--members", "tree")
    assert ran.code == 0
    assert "1 member, 6 samples" in ran.out
    assert "undefined" in ran.out
    assert "Error of the vote" in ran.out
    assert ran.err == (
        "counterpoint: note: one member makes no pair, so measures of pairs are undefined.\n"
    )
    data = json.loads(run("measure", predictions, "--members", "tree", "--json").out)
    assert data["measures"]["q"]["value"] is None
    assert data["measures"]["vote_error"]["value"] == pytest.approx(2 / 6)


def test_members_in_the_order_asked(run, predictions):
    data = json.loads(run("measure", predictions, "--members", "net, tree", "--json").out)
    assert [member["name"] for member in data["members"]] == ["net", "tree"]


def test_nearly_copies_are_no_python_warning(run, tmp_path):
    rows = ["class,a,b", *["0,0,0", "1,1,1"] * 40, *["0,1,1"] * 5, "1,0,1", "1,1,0"]
    ran = run("measure", table(tmp_path, "\n".join(rows)))
    assert (ran.code, ran.err) == (0, "")
    assert "nearly copies" in ran.out


def test_right_and_wrong_flags(run, tmp_path):
    flags = table(tmp_path, "a,b,w\n1,0,1\n0,1,2\n1,1,1\n")
    data = json.loads(run("measure", flags, "--correct", "--weights", "w", "--json").out)
    assert data["classes"] is None
    assert data["weighted"]
    expected = MemberOutputs.from_correct([[1, 0, 1], [0, 1, 1]], sample_weight=[1, 2, 1])
    assert data["measures"]["disagreement"]["value"] == pytest.approx(
        profile(expected)["value"]["disagreement"]
    )
    assert (
        "3 samples, weighted, right or wrong only"
        in run("measure", flags, "--correct", "--weights", "w").out
    )


def test_standard_input(run, predictions, monkeypatch):
    text = io.TextIOWrapper(io.BytesIO(predictions.read_bytes()))
    monkeypatch.setattr("sys.stdin", text)
    assert run("measure", "-").out == run("measure", predictions).out


@pytest.mark.parametrize("ending", ["png", "svg", "PDF"])
def test_plot(run, predictions, tmp_path, ending):
    picture = tmp_path / f"out.{ending}"
    ran = run("measure", predictions, "--plot", picture)
    assert ran.code == 0
    assert ran.err == f"counterpoint: wrote the plots to {picture}\n"
    start = picture.read_bytes()[:8]
    assert {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending.lower()] in start
    if ending == "png":
        assert np.ptp(matplotlib.image.imread(picture)) > 0.5


def test_plot_with_json_keeps_standard_output_clean(run, predictions, tmp_path):
    ran = run("measure", predictions, "--json", "--plot", tmp_path / "out.png")
    json.loads(ran.out)
    assert "wrote the plots" in ran.err


# Bad input: each a line that says what to change.


def test_no_file(fails, tmp_path):
    assert fails("measure", tmp_path / "x.csv") == f"There is no file {tmp_path / 'x.csv'}."


def test_no_truth_column(fails, predictions):
    line = fails("measure", predictions, "--truth", "klass")
    assert "no truth column 'klass'" in line
    assert "'class', 'tree', 'net', 'bayes'" in line
    assert line.endswith("Did you mean 'class'? Name one with --truth.")


def test_unknown_member(fails, predictions):
    line = fails("measure", predictions, "--members", "tree,nets")
    assert "no member column 'nets'" in line
    assert line.endswith("Did you mean 'net'? Name one with --members.")


def test_no_member_named(fails, predictions):
    assert "at least one column with --members" in fails("measure", predictions, "--members", ",")


def test_new_label_offers_a_way_out(fails, run, tmp_path):
    path = table(tmp_path, "class,a\n0,0\n1,2\n")
    line = fails("measure", path)
    assert "'a' says 2 in data row 2" in line
    assert "pass --allow-new-labels" in line
    assert "with --members" in line
    assert "3 classes (0, 1, 2)" in run("measure", path, "--allow-new-labels").out


def test_flags_without_the_option_are_votes(run, tmp_path):
    ran = run("measure", table(tmp_path, "a,b\n0,1\n1,1\n"))
    assert ran.code == 0
    assert "if that means right and wrong, pass --correct" in ran.err


VOTES = "ann,bob,eve,zoe\n" + "cat,cat,dog,cat\ndog,dog,dog,\ncat,dog,cat,cat\n" * 20


def test_votes_without_a_truth(run, tmp_path):
    ran = run("measure", table(tmp_path, VOTES), "--plot", tmp_path / "voters.png")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("220 votes of 4 members on 60 samples, 2 classes (cat, dog)")
    assert any(line.split()[:2] == ["ann", "60"] for line in lines)
    assert "no column is the truth" in ran.err
    assert matplotlib.image.imread(tmp_path / "voters.png").ndim == 3
    told = json.loads(run("measure", table(tmp_path, VOTES), "--json").out)
    assert [row["label"] for row in told["samples"][:3]] == ["cat", "dog", "cat"]
    assert {row["name"] for row in told["members"]} == {"ann", "bob", "eve", "zoe"}
    assert set(told["agreement"]) == {"one-coin", "spectral", "glad", "vote"}
    assert told["n_votes"] == 220


def test_votes_of_some_members_with_weights(run, fails, tmp_path):
    path = table(tmp_path, "a,b,n\nx,x,2\ny,x,1\n")
    told = json.loads(run("measure", path, "--weights", "n", "--json").out)
    assert (told["weighted"], told["n_members"]) == (True, 2)
    assert "no weights column 'm'" in fails("measure", path, "--weights", "m")
    assert "no vote at all" in fails("measure", table(tmp_path, "a,b\n,\n,\n"))


def test_other_separator(fails, run, tmp_path):
    path = table(tmp_path, "class;a;b\n0;0;1\n1;1;1\n")
    assert "2 members" in run("measure", path).out
    assert "2 members" in run("measure", path, "--separator", ";").out
    assert fails("measure", path, "--separator", ",").endswith("Then pass --separator ';'.")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--plot", "a.gif"], "Invalid value for --plot: a.gif should end in .png, .svg or .pdf."),
        (["--plot", "a"], "Invalid value for --plot: a should end in"),
        (["--correct", "--truth", "y"], "with --correct there is no truth column"),
        (["--separator", "\\t"], "is not one character"),
    ],
)
def test_wrong_usage(fails, predictions, args, line):
    said = fails("measure", predictions, *args, code=2)
    assert line in said
    assert said.endswith("Try 'counterpoint measure --help'.")


def test_plot_into_no_folder_fails_before_the_work(fails, predictions, tmp_path):
    line = fails("measure", predictions, "--plot", tmp_path / "no" / "out.png")
    assert line == f"There is no folder {tmp_path / 'no'}: make it first, or choose another."


def test_names_that_would_act_are_shown(run, fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Turn the writing round, clear the screen; the last would not even be a formula.
    names = ["ann\u202eexe", "\x1b[2Jbob", "$\\foo$"]
    path = table(tmp_path, "\n".join(["class," + ",".join(names), "a,a,b,a", "b,b,b,a", "b,a,b,b"]))
    ran = run("measure", path, "--plot", "plot.png")
    assert (ran.code, ran.err) == (0, "counterpoint: wrote the plots to plot.png\n")
    for shown in ("ann⟨U+202E⟩exe", "⟨U+001B⟩[2Jbob", "$\\foo$"):
        assert shown in ran.out
    assert visible(ran.out) == ran.out
    told = run("measure", path, "--json").out
    assert visible(told) == told
    assert [member["name"] for member in json.loads(told)["members"]] == names
    assert "⟨U+001B⟩[2J" in fails("measure", "\x1b[2J.csv")
