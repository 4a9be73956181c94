"""Model files: every method comes back the same; nothing strange is built."""

import contextlib
import io
import json
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import skops.io
from attack.models import lie_about_size
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import DistanceMetric
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import BallTree, KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from tables import mixed_table

from counterpoint.auto import Candidate, default_pool
from counterpoint.auto.number_pool import default_number_pool
from counterpoint.boosting import L2BoostClassifier
from counterpoint.tabular import fit, load, models, save, training
from counterpoint.tabular.columns import align_columns
from counterpoint.tabular.kept import kept
from counterpoint.tabular.methods import METHODS
from counterpoint.tabular.models import FORMAT
from counterpoint.tabular.soundness import check_sound
from counterpoint.trees import HistTreeClassifier

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

    monkeypatch.setattr(choice, "_clear_best", lambda losses, folds: rule)
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


def test_folds_that_stand_in_for_a_last_fit_come_back(tmp_path, few, monkeypatch):
    monkeypatch.setattr("counterpoint.auto.trying.Trying._last_fits_pay", False)
    fitted = fit(TABLE, "class", "auto", time_limit=1e6, progress=False)
    kept = dict(fitted.model.named_steps["model"].pool_).values()
    assert {type(member).__name__ for member in kept} == {"FoldMeanClassifier"}
    saved = load(save(fitted, tmp_path / "model.skops"))
    np.testing.assert_array_equal(
        saved.model.predict_proba(fitted.X_test), fitted.model.predict_proba(fitted.X_test)
    )


@pytest.mark.parametrize("numbers", [False, True])
def test_members_of_the_pool_are_known(numbers):
    """Whatever auto may choose can be kept; those that share a class are tried once."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60) if numbers else np.repeat([0, 1], 30)
    tried = set()
    for candidate in default_number_pool(60, 3) if numbers else default_pool(60, 3, 2):
        model = candidate.make(0)
        if candidate.family in tried and candidate.family not in ("networks", "trees", "linear"):
            continue
        tried.add(candidate.family)
        if "n_estimators" in model.get_params() and candidate.family != "networks":
            model.set_params(n_estimators=3)
        data = skops.io.dumps(kept(model.fit(X, y)))
        strange = [n for n in skops.io.get_untrusted_types(data=data) if not models._is_known(n)]
        assert strange == [], candidate.name


def test_what_is_told_has_no_date(path):
    with zipfile.ZipFile(path) as file:
        told = json.loads(file.read("counterpoint.json"))
    assert set(told) == {
        "kind", "format", "method", "target", "columns", "classes", "score", "baselines",
        "random_state", "missing", "versions", "task", "target_form",
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


def test_a_file_that_unpacks_to_too_much_is_refused(path):
    size = sum(info.file_size for info in zipfile.ZipFile(path).infolist())
    assert load(path, max_bytes=size).method == "naive-bayes"
    with pytest.raises(ValueError, match=rf"unpacks to {size:,} bytes, more than max_bytes"):
        load(path, max_bytes=size - 1)
    with pytest.raises(ValueError, match="max_bytes=0"):
        load(path, max_bytes=0)


def bomb(entries):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("data.npy", bytes(2**20))
    entries["1.npz"] = inner.getvalue()


def test_an_archive_in_the_archive_counts_too(path):
    rewrite(path, bomb)
    with pytest.raises(ValueError, match=r"unpacks to .* more than max_bytes=1,000,000"):
        load(path, max_bytes=10**6)


def test_an_entry_larger_than_it_declares_is_not_unpacked(path):
    path.write_bytes(lie_about_size(path.read_bytes(), 0))
    tracemalloc.start()
    with contextlib.suppress(ValueError):  # its beginning is whole, and may do
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


NESTED = b"[" * 10**5 + b"]" * 10**5


def laughs():
    """A schema of a few lines whose walk takes 2 ** 60 steps."""
    kind = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
    part = {**kind, "content": [], "__id__": 1}
    for k in range(2, 62):
        part = {**kind, "content": [part, {"__id__": k - 1}], "__id__": k}
    return json.dumps({**part, "protocol": 2}).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"counterpoint.json": NESTED},
        {"schema.json": NESTED},
        {"schema.json": b"[]"},
        {"schema.json": b"{}"},
        {"schema.json": laughs()},
        {"../run.py": b""},
        {"notes.txt": b""},
        {"7.npy": b"\x93NUMPY"},
        {"7.npz": b"PK"},
    ],
)
def test_strange_entries_are_no_model_file(path, change):
    rewrite(path, lambda entries: entries.update(change))
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)


def test_an_array_that_declares_more_than_it_holds(path):
    def change(entries):
        name = next(name for name in entries if name.endswith(".npy"))
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}\n"
        entries[name] = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header

    rewrite(path, change)
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"versions": [1]},
        {"versions": {"numpy": 3}},
        {"columns": {}},
        {"columns": [["size", "number"]]},
        {"columns": [{"name": 1, "kind": "number", "categories": []}]},
        {"classes": "yes"},
        {"score": []},
        {"score": {"error": "x"}},
        {"baselines": [1]},
        {"random_state": "0"},
        {"missing": None},
    ],
    ids=str,
)
def test_what_a_file_says_of_itself_has_its_form(path, changes):
    rewrite(path, retold(**changes))
    with pytest.raises(ValueError, match="no model file of counterpoint"):
        load(path)


def test_what_a_file_says_and_its_model_agree(path):
    rewrite(path, retold(classes=["no", "maybe"]))
    with pytest.raises(ValueError, match="cannot be loaded, ValueError: its classes are"):
        load(path)


def changed(name, field, at, value):
    """Change one number of the first array of nodes, or of the named attribute, in a file."""

    def change(entries):
        schema = json.loads(entries["schema.json"])
        held = next(array for found in _find(schema, name) for array in _arrays(found))
        array = np.load(io.BytesIO(entries[held["file"]]))
        part = array if field is None else array[field]
        part[at] = value
        buffer = io.BytesIO()
        np.save(buffer, array)
        entries[held["file"]] = buffer.getvalue()

    return change


def _arrays(found):
    """The array itself; of a list of arrays the first, of arrays kept end to end the one of all."""
    if found.get("__class__") == "KeptColumn":
        found = found["content"]["content"]["content"]
    if isinstance(found.get("content"), list) and found["content"]:
        found = found["content"][0]
    return [found] if found.get("type") == "numpy" else []


def _find(part, name):
    if isinstance(part, dict):
        if isinstance(part.get(name), dict):
            yield part[name]
        for below in part.values():
            yield from _find(below, name)
    elif isinstance(part, list):
        for below in part:
            yield from _find(below, name)


@pytest.mark.parametrize(
    ("method", "change"),
    {
        "far child": ("tree", changed("nodes", "left_child", 0, 10**7)),
        "own child": ("tree", changed("nodes", "left_child", 0, 0)),
        "a column not there": ("random-forest", changed("nodes", "feature", 0, 10**7)),
        "no threshold": ("bagging", changed("nodes", "threshold", 0, np.nan)),
        "a far child of boosting": ("gradient-boosting", changed("nodes", "left", 0, 10**7)),
        "a column of boosting": ("gradient-boosting", changed("nodes", "feature_idx", 0, 10**7)),
        "our own child": ("pruned-tree", changed("children_left", None, 0, 0)),
        "our far child": ("adaboost", changed("children_right", None, 0, 10**7)),
        "our stacked trees": ("adaboost", changed("left", None, 0, 10**7)),
        "a tree of sums": ("forest-rc", changed("features", None, 0, 10**7)),
        "members on no column": ("bagging", changed("estimators_features_", None, ..., 10**7)),
        "another number of classes": ("random-forest", changed("n_classes_", None, ..., 3)),
        "a box of no class": ("hyperboxes", changed("_codes", None, 0, 10**7)),
        "a box of no column": ("stochastic", changed("features", None, 0, 10**7)),
    }.values(),
)
def test_arrays_that_would_crash_are_refused(method, change, tmp_path, small):
    path = save(fit(TABLE, "class", method, progress=False), tmp_path / "model.skops")
    rewrite(path, change)
    with pytest.raises(ValueError, match=r"model\.skops cannot be loaded, ValueError"):
        load(path)


def test_a_tree_and_its_classes_agree():
    tree = HistTreeClassifier(max_depth=1).fit([[0.0], [1.0]], ["a", "b"])
    check_sound(tree)
    tree.classes_ = tree.classes_[:0]
    with pytest.raises(ValueError, match="value has shape"):
        check_sound(tree)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (11, None, "tree of neighbours has no distance"),
        (11, DistanceMetric.get_metric("seuclidean", V=np.ones(2)), "distance is on other columns"),
        (12, np.ones(3), "weights are not one for each row"),
    ],
)
def test_trees_of_neighbours_have_what_they_measure_with(place, value, words):
    tree = BallTree(np.random.default_rng(0).normal(size=(50, 3)))
    check_sound(tree)
    state = list(tree.__getstate__())
    state[place] = value
    tree.__setstate__(tuple(state))
    with pytest.raises(ValueError, match=words):
        check_sound(tree)


def test_rows_of_neighbours_that_are_not_there(path, fitted):
    """The state of a search tree is a tuple: its rows are told by their place."""
    model = Pipeline([*fitted.model.steps[:-1], ("model", KNeighborsClassifier(3))])
    save(replace(fitted, model=model.fit(fitted.X_train, fitted.y_train)), path)
    assert load(path).model.predict(fitted.X_test).shape == (len(fitted.X_test),)

    def change(entries):
        for name in [name for name in entries if name.endswith(".npy")]:
            array = np.load(io.BytesIO(entries[name]))
            if array.dtype.kind == "i" and sorted(array.ravel()) == list(
                range(len(fitted.X_train))
            ):
                buffer = io.BytesIO()
                np.save(buffer, array + 10**9)
                entries[name] = buffer.getvalue()

    rewrite(path, change)
    with pytest.raises(ValueError, match="its rows are not each there once"):
        load(path)


def test_members_without_a_tree_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    model = L2BoostClassifier(n_estimators=2).fit(rng.normal(size=(40, 2)), np.arange(40) % 2)
    check_sound(model)
    del model.estimators_[1].tree_
    with pytest.raises(ValueError, match="its tree is missing"):
        check_sound(model)
