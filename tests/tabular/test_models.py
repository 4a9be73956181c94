"""Model files: every method comes back the same; nothing strange is built."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from tables import mixed_table

from counterpoint.auto import Candidate, default_pool
from counterpoint.tabular import fit, load, models, save, training
from counterpoint.tabular.columns import align_columns
from counterpoint.tabular.methods import METHODS
from counterpoint.tabular.models import FORMAT, KeptFrame

TABLE = mixed_table(60)


@pytest.fixture
def few(monkeypatch):
    def pool(*sizes):
        return [
            Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB()),
            Candidate(name="line", family="linear", make=lambda s: LogisticRegression()),
            Candidate(name="tree", family="trees", make=lambda s: DecisionTreeClassifier()),
        ]

    monkeypatch.setattr("counterpoint.auto.overproduce.default_pool", pool)


@pytest.fixture
def small(monkeypatch):
    """A few members say as much about a file as three hundred."""
    real = training.make_method

    def make(name, **options):
        model = real(name, **options)
        if model.named_steps["model"].get_params().get("n_estimators", 0) > 5:
            model.set_params(model__n_estimators=5)
        return model

    monkeypatch.setattr(training, "make_method", make)


@pytest.fixture(scope="module")
def fitted():
    return fit(TABLE, "class", "naive-bayes")


@pytest.fixture
def path(tmp_path, fitted):
    return save(fitted, tmp_path / "model.skops")


def rewrite(path, change):
    """Write a model file again, its entries changed."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as file:
        for name, data in entries.items():
            file.writestr(name, data)


def retold(**changes):
    def change(entries):
        told = json.loads(entries["counterpoint.json"])
        entries["counterpoint.json"] = json.dumps({**told, **changes}).encode()

    return change


@pytest.mark.parametrize("method", METHODS)
def test_every_method_comes_back_the_same(method, tmp_path, few, small):
    fitted = fit(TABLE, "class", method, progress=False)
    saved = load(save(fitted, tmp_path / "model.skops"))
    X = fitted.X_test
    np.testing.assert_array_equal(saved.model.predict(X), fitted.model.predict(X))
    if hasattr(fitted.model, "predict_proba"):
        np.testing.assert_array_equal(saved.model.predict_proba(X), fitted.model.predict_proba(X))
    assert (saved.method, saved.target, saved.classes) == (method, "class", ["no", "yes"])
    assert saved.score.error == fitted.score.error
    assert saved.columns == fitted.columns
    assert saved.notes == []


@pytest.mark.parametrize("rule", ["best alone", "best third", "greedy", "stacking", "blend"])
def test_every_rule_of_auto_comes_back(rule, tmp_path, few, monkeypatch):
    from counterpoint.auto import choice

    monkeypatch.setattr(choice, "_clear_best", lambda each, rows, weight: rule)
    fitted = fit(TABLE, "class", "auto", progress=False)
    assert fitted.model.named_steps["model"].combiner_name_ == rule
    saved = load(save(fitted, tmp_path / "model.skops"))
    np.testing.assert_array_equal(
        saved.model.predict_proba(fitted.X_test), fitted.model.predict_proba(fitted.X_test)
    )
    pd.testing.assert_frame_equal(
        saved.model.named_steps["model"].leaderboard_, fitted.leaderboard, check_dtype=False
    )
    # The model in hand keeps its own frames.
    assert isinstance(fitted.model.named_steps["model"].leaderboard_, pd.DataFrame)


def test_members_of_the_pool_are_known():
    """Whatever auto may choose can be kept; those that share a class are tried once."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    tried = set()
    for candidate in default_pool(60, 3, 2):
        model = candidate.make(0)
        if candidate.family in tried and candidate.family not in ("networks", "trees"):
            continue
        tried.add(candidate.family)
        if "n_estimators" in model.get_params() and candidate.family != "networks":
            model.set_params(n_estimators=3)
        data = skops.io.dumps(models._each(model.fit(X, y), pd.DataFrame, KeptFrame))
        strange = [n for n in skops.io.get_untrusted_types(data=data) if not models._is_known(n)]
        assert strange == [], candidate.name


def test_what_is_told_has_no_date(path):
    with zipfile.ZipFile(path) as file:
        told = json.loads(file.read("counterpoint.json"))
    assert set(told) == {
        "kind", "format", "method", "target", "columns", "classes", "score", "baselines",
        "random_state", "missing", "versions",
    }  # fmt: skip


def test_rows_are_kept_unless_not_wanted(fitted, tmp_path):
    saved = load(save(fitted, tmp_path / "m.skops", keep_rows=7))
    known = fitted.X_train[:7].reset_index(drop=True)
    pd.testing.assert_frame_equal(saved.X_train, known, check_dtype=False)
    assert saved.y_train.tolist() == fitted.y_train[:7].tolist()
    assert len(saved.X_test) == 7
    without = load(save(fitted, tmp_path / "m.skops", keep_rows=0))
    assert without.X_train is without.y_train is without.X_test is None
    with pytest.raises(ValueError, match="keep_rows=-1"):
        save(fitted, tmp_path / "m.skops", keep_rows=-1)


def test_rows_trained_on_are_known_again(path, fitted):
    saved = load(path)
    assert not saved.is_new(fitted.X_train, fitted.y_train).any()
    assert saved.is_new(fitted.X_test, fitted.y_test).all()
    X, _, _ = align_columns(TABLE.sample(frac=1, random_state=0), saved.columns)
    labels = TABLE.loc[X.index, "class"]
    assert saved.is_new(X, labels).sum() == len(fitted.y_test)


@pytest.mark.parametrize("cut", [0, 10, 300, -200])
def test_a_file_cut_short(path, cut):
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match="no model file of counterpoint, or it is cut short"):
        load(path)


def test_a_damaged_file(path):
    data = bytearray(path.read_bytes())
    data[60:80] = b"x" * 20
    path.write_bytes(data)
    with pytest.raises(ValueError, match="no model file of counterpoint, or it is cut short"):
        load(path)


def test_files_of_others(tmp_path):
    path = tmp_path / "m.skops"
    skops.io.dump(LogisticRegression(), path)
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)
    path.write_text("class,a\n")
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)
    import pickle

    path.write_bytes(pickle.dumps({"model": 1}))
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        load(tmp_path / "no.skops")


@pytest.mark.parametrize("entry", [b"[]", b"{", b'{"kind": "cake"}'])
def test_an_entry_that_is_not_ours(path, entry):
    rewrite(path, lambda entries: entries.update({"counterpoint.json": entry}))
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)


def test_another_format(path):
    rewrite(path, retold(format=FORMAT + 1, versions={"counterpoint": "9.9"}))
    with pytest.raises(ValueError, match=r"of model format 3, written by counterpoint 9\.9"):
        load(path)


def test_other_versions_are_noted(path):
    rewrite(path, retold(versions={"counterpoint": "0.0.1"}))
    assert "the model was written with counterpoint 0.0.1, this is" in load(path).notes[0]


def planted(path, thing):
    """Put something else where the model stands."""
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps({"model": thing}))) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    rewrite(path, lambda old: old.update(entries))


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (FunctionTransformer(np.load), "numpy.load"),
        (FunctionTransformer(json.loads), "json.decoder|json.loads"),
        (FunctionTransformer(load), "counterpoint.tabular.models.load"),
        (io.StringIO, "_io.StringIO"),
        (zipfile.ZipFile, "zipfile.ZipFile"),
    ],
)
def test_what_is_strange_is_refused_by_name(path, thing, name):
    planted(path, thing)
    with pytest.raises(ValueError, match=rf"is refused: it names .*({name}).* Nothing of it was"):
        load(path)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "counterpoint.cli.main",
        "counterpoint._files.new_file",
        "counterpoint.auto.overproduce.partial",  # imported there, not ours
        "counterpoint.auto.overproduce.np",
        "counterpoint.auto.choice.choose_rule",
        "counterpoint.auto.nothing.Here",
        "counterpoint.trees.growing.hist.Nothing",
        "counterpoint_evil.auto.Thing",
        "counterpoint.autopsy.Thing",
        "builtins.eval",
        "sklearn.utils.Bunch",
    ],
)
def test_names_that_are_not_known(name):
    assert not models._is_known(name)


def test_a_model_that_does_not_fit_together(path):
    def change(entries):
        schema = json.loads(entries["schema.json"])
        schema["content"] = {}
        entries["schema.json"] = json.dumps(schema).encode()

    rewrite(path, change)
    with pytest.raises(ValueError, match=r"model\.skops (cannot be loaded|is no model file)"):
        load(path)


def test_a_full_disk_leaves_the_old_file(path, fitted, monkeypatch):
    before = path.read_bytes()

    def full(self, data):
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        save(fitted, path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.skops"]


def test_skops_is_asked_for(path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "skops.io", None)
    with pytest.raises(ValueError, match=r"Model files need skops \(pip install skops\)"):
        load(path)
