"""`counterpoint report`: a page about rows the model has not seen."""

import json
from pathlib import Path

import pytest
from tables import mixed_table

from counterpoint.report import model_page
from counterpoint.tabular import fit, load, save


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mixed_table().to_csv("data.csv", index=False)
    return save(fit(mixed_table(), "class", "naive-bayes"), "model.skops")


@pytest.fixture
def pages(monkeypatch):
    made = []

    def write(summary, path):
        made.append(summary)
        Path(path).write_text("<!doctype html>")

    monkeypatch.setattr(model_page, "write_page", write)
    return made


def test_rows_trained_on_are_left_out(run, model, pages):
    ran = run("report", model, "data.csv", "-o", "page.html", "--json")
    assert json.loads(ran.out)["data"]["n_rows"] == 23
    assert "note: 67 rows that the model was trained on left out." in ran.err
    assert ran.err.endswith("counterpoint: wrote the page to page.html\n")
    (summary,) = pages
    assert summary == json.loads(ran.out)
    assert summary["score"]["error"] == load(model).score.error
    assert summary["title"] == "naive-bayes on data.csv"
    assert summary["model"]["n_train"] == 67


def test_nothing_but_training_rows(run, model, pages):
    saved = load(model)
    saved.X_train.assign(**{"class": saved.y_train}).to_csv("data.csv", index=False)
    ran = run("report", model, "data.csv")
    assert "trained on all these rows: the numbers flatter it" in ran.err
    assert pages[0]["data"]["n_rows"] == 67
    assert Path("report.html").exists()


def test_a_real_page(run, model):
    ran = run("report", model, "data.csv", "--title", "Ours <b>")
    assert ran.code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "Ours &lt;b&gt;" in page


def test_bad_input(fails, model, pages):
    Path("x.csv").write_text("size,colour,code\n1,red,1\n")
    assert "x.csv has no column 'class'" in fails("report", model, "x.csv")
    Path("x.csv").write_text("size,colour,code,class\n1,red,1,\n")
    assert "x.csv has no row with a 'class'" in fails("report", model, "x.csv")
    assert "There is no folder no" in fails("report", model, "data.csv", "-o", "no/p.html")
    assert "read or written already" in fails("report", model, "x.csv", "-o", "x.csv", code=2)
    assert pages == []
