"""`counterpoint predict`: columns in any order, too many, missing; categories never seen."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tables import mixed_table

from counterpoint.tabular import fit, load, save
from counterpoint.tabular.columns import align_columns


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.skops"
    return save(fit(mixed_table(), "class", "naive-bayes"), path)


@pytest.fixture
def model(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.skops").write_bytes(made.read_bytes())
    return Path("model.skops")


@pytest.fixture
def new():
    return mixed_table(20, seed=1).drop(columns=["class", "id"])


def write(frame, name="new.csv"):
    frame.to_csv(name, index=False)
    return name


def said(model, frame):
    saved = load(model)
    X, _, _ = align_columns(frame, saved.columns)
    return saved.model.predict(X), saved.model.predict_proba(X)


def test_predict(run, model, new):
    ran = run("predict", model, write(new))
    assert (ran.code, ran.err) == (0, "")
    table = pd.read_csv(io.StringIO(ran.out))
    assert table.columns.tolist() == ["row", "prediction"]
    assert table["row"].tolist() == list(range(1, 21))
    assert table["prediction"].tolist() == said(model, new)[0].tolist()


def test_probabilities_to_a_file(run, model, new):
    ran = run("predict", model, write(new), "--proba", "-o", "out.csv")
    assert (ran.out, ran.err) == ("", "counterpoint: wrote 20 predictions to out.csv\n")
    table = pd.read_csv("out.csv")
    assert table.columns.tolist() == ["row", "prediction", "p(no)", "p(yes)"]
    np.testing.assert_allclose(table[["p(no)", "p(yes)"]], said(model, new)[1])


@pytest.mark.parametrize(("option", "mark"), [([], ""), (["--spreadsheet-safe"], "'")])
def test_labels_that_a_spreadsheet_would_run(run, tmp_path, monkeypatch, option, mark):
    monkeypatch.chdir(tmp_path)
    table = mixed_table()
    table["class"] = "=" + table["class"]
    save(fit(table, "class", "naive-bayes"), "odd.skops")
    args = ("predict", "odd.skops", write(table), "--proba", *option)
    assert run(*args, "-o", "out.csv").code == 0
    assert set(pd.read_csv("out.csv")["prediction"]) <= {f"{mark}=no", f"{mark}=yes"}
    assert run(*args).out == Path("out.csv").read_text()


def test_a_terminal_is_not_told_to_act(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = mixed_table()
    table["class"] = table["class"] + "\x1b[2J"
    save(fit(table, "class", "naive-bayes"), "odd.skops")
    assert "\x1b[2J" in run("predict", "odd.skops", write(table)).out  # for a program
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    shown = run("predict", "odd.skops", write(table)).out
    assert "⟨U+001B⟩[2J" in shown
    assert "\x1b" not in shown


def test_sets_and_reasons(run, tmp_path, monkeypatch, new):
    monkeypatch.chdir(tmp_path)
    save(fit(mixed_table(), "class", "bagging"), "bag.skops")
    args = ("predict", "bag.skops", write(new), "--coverage", "0.8", "--explain", "--proba")
    ran = run(*args)
    table = pd.read_csv(io.StringIO(ran.out))
    assert {"disagreement", "p(no)", "set", "votes", "nearest", "path"} <= set(table.columns)
    assert "80.0 % of the sets hold the true class" in ran.err
    told = json.loads(run(*args, "--json").out)
    assert told["set"] == table["set"].tolist()
    assert len(told["probabilities"][0]) == 2
    np.testing.assert_allclose(told["disagreement"], table["disagreement"])


def test_a_share_is_a_share(fails, model, new):
    assert "2 is not between 0 and 1" in fails(
        "predict", model, write(new), "--coverage", "2", code=2
    )


def test_json(run, model, new):
    told = json.loads(run("predict", model, write(new), "--proba", "--json").out)
    assert told["classes"] == ["no", "yes"]
    np.testing.assert_allclose(told["probabilities"], said(model, new)[1])
    assert told["error"] is None


def test_order_and_extra_columns(run, model, new):
    expected = said(model, new)[0].tolist()
    new["extra"], new["more"] = 1, "x"
    ran = run("predict", model, write(new[["more", "code", "colour", "extra", "size"]]))
    assert pd.read_csv(io.StringIO(ran.out))["prediction"].tolist() == expected
    assert ran.err == (
        "counterpoint: note: the model does not know columns 'more', 'extra': ignored.\n"
    )


def test_parquet_says_the_same(run, model, new):
    new.to_parquet("new.parquet")
    ran = run("predict", model, "new.parquet")
    assert pd.read_csv(io.StringIO(ran.out))["prediction"].tolist() == said(model, new)[0].tolist()


def test_categories_never_seen(run, model, new):
    new.loc[3, "colour"] = "mauve"
    ran = run("predict", model, write(new))
    assert ran.code == 0
    assert "column 'colour' has values that training never saw: 'mauve'" in ran.err


def test_labels_are_judged_on_new_rows(run, model):
    whole = mixed_table()
    told = json.loads(run("predict", model, write(whole), "--json").out)
    saved = load(model)
    assert told["n_judged"] == saved.score.n == 23
    assert told["error"] == pytest.approx(saved.score.error)
    ran = run("predict", model, "new.csv")
    assert "note: 67 of 90 rows were trained on." in ran.err
    assert f"{100 * saved.score.error:.1f} % wrong on the others, by column 'class'." in ran.err


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda f: f.drop(columns="size"), "The model needs a column 'size', which the data has"),
        (lambda f: f.rename(columns={"size": "Size"}), "Did you mean 'Size'?"),
        (lambda f: f.assign(size="big"), "'size' holds 'big' in data row 1, but the model knows"),
        (lambda f: f[:0], "has a header but no rows"),
    ],
)
def test_columns_that_do_not_fit(fails, model, new, change, line):
    assert line in fails("predict", model, write(change(new)))


def test_files_that_are_no_models(fails, model, new):
    write(new)
    assert "new.csv is no model file of counterpoint" in fails("predict", "new.csv", "new.csv")
    assert "There is no file no.skops" in fails("predict", "no.skops", "new.csv")
    model.write_bytes(model.read_bytes()[:-50])
    assert "or it is cut short" in fails("predict", model, "new.csv")


def test_wrong_usage(fails, model, new):
    write(new)
    line = fails("predict", model, "new.csv", "-o", "model.skops", code=2)
    assert "model.skops is read or written already" in line
    assert "There is no folder no" in fails("predict", model, "new.csv", "-o", "no/x.csv")


def test_no_probabilities(fails, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(fit(mixed_table(60), "class", "stochastic"), "m.skops")
    line = fails("predict", "m.skops", write(mixed_table(5)), "--proba")
    assert "'stochastic' gives no probabilities" in line
