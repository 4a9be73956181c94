import errno
import os
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tree_bytes import tree_bytes

from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostNCClassifier,
    L2BoostClassifier,
    L2BoostRegressor,
    LogitBoostClassifier,
)
from counterpoint.large import TAKES_STORES, BaggedTreesClassifier, BinnedStore, fit_on_store
from counterpoint.large import rows as rows_module
from counterpoint.large.mapping import let_go
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor, PrunedTreeClassifier

TREE = HistTreeClassifier(max_depth=3)
VOTES = {"calibrate": False, "n_estimators": 4}
# Exactly what the same rows give in memory, and what differs from it by rounding alone.
EXACT = {
    "tree": HistTreeClassifier(max_depth=4),
    "best first": HistTreeClassifier(max_leaf_nodes=7, min_samples_leaf=300),
    "entropy, without limit": HistTreeClassifier(criterion="entropy", min_samples_leaf=500),
    "share of weight": HistTreeClassifier(min_weight_fraction_leaf=0.01, max_depth=6),
    "balanced": HistTreeClassifier(max_depth=3, class_weight="balanced"),
    "adaboost": AdaBoostClassifier(TREE, **VOTES),
    "m1": AdaBoostM1Classifier(TREE, **VOTES),
    "nc": AdaBoostNCClassifier(TREE, lam=2.0, **VOTES),
    "nc, a share": AdaBoostNCClassifier(TREE, strength=0.5, **VOTES),
    "nc, signed": AdaBoostNCClassifier(TREE, lam=2.0, ambiguity="signed", **VOTES),
    "nc, dynamic": AdaBoostNCClassifier(TREE, lam="dynamic", **VOTES),
    "bagging": BaggedTreesClassifier(TREE, n_estimators=2, random_state=1),
}
ROUNDED = {
    "logitboost": LogitBoostClassifier(n_estimators=3, calibrate=False),
    "regression tree": HistTreeRegressor(max_depth=4, min_samples_leaf=10),
    "falling": HistTreeRegressor(max_depth=3, monotonic_cst=[1, 0, -1, 0, 0]),
    "l2boost": L2BoostRegressor(n_estimators=3),
}
COLUMNS = list("abcde")


@pytest.mark.parametrize("target", ["two", "three"])
@pytest.mark.parametrize("name", EXACT)
def test_a_store_gives_the_trees_that_the_same_rows_give_in_memory(name, target, rows, stores):
    if name in ("nc, signed", "nc, a share", "nc, dynamic", "m1") and target == "three":
        pytest.skip("two classes tell")
    model = EXACT[name]
    memory = clone(model).fit(rows[COLUMNS], rows[target])
    stored = clone(model).fit(stores[target])
    assert tree_bytes(stored) == tree_bytes(memory)
    few = rows[COLUMNS][:500]
    np.testing.assert_array_equal(stored.predict(few), memory.predict(few))
    if hasattr(memory, "estimator_weights_"):
        np.testing.assert_array_equal(stored.estimator_weights_, memory.estimator_weights_)
        pd.testing.assert_frame_equal(stored.history_, memory.history_)
    cut = fit_on_store(clone(model), stores[target], n_shards=7)
    assert tree_bytes(cut) == tree_bytes(stored)


@pytest.mark.parametrize("name", ROUNDED)
def test_sums_of_targets_differ_from_memory_by_rounding_alone(name, rows, stores):
    model, target = ROUNDED[name], "three" if name == "logitboost" else "number"
    memory = clone(model).fit(rows[COLUMNS], rows[target])
    stored = clone(model).fit(stores[target])
    few = rows[COLUMNS][:2000]
    ask = "predict_proba" if name == "logitboost" else "predict"
    np.testing.assert_allclose(
        getattr(stored, ask)(few), getattr(memory, ask)(few), rtol=1e-9, atol=1e-9
    )
    for n_shards in (2, 7):
        cut = fit_on_store(clone(model), stores[target], n_shards=n_shards)
        assert tree_bytes(cut) == tree_bytes(stored)


@pytest.mark.parametrize("name", ["nc", "l2boost", "bagging", "weighted"])
def test_rows_gone_through_in_pieces_give_the_same_trees(name, rows, stores, monkeypatch, tmp_path):
    """All arrays in files, whose pages are let go of after every group of rows."""
    model = (EXACT | ROUNDED).get(name, HistTreeClassifier(max_depth=3))
    store = stores["number" if name == "l2boost" else "two"]
    if name == "weighted":
        heavy = rows.assign(weight=np.arange(len(rows)) % 3 + 0.5)
        options = {"target": "two", "columns": COLUMNS, "weight": "weight", "max_bins": 255}
        store = BinnedStore.write(heavy, tmp_path / "store", **options)
    whole = clone(model).fit(store)
    released = []
    monkeypatch.setattr(rows_module, "_MAPPED", 0)
    monkeypatch.setattr(rows_module, "_HELD", 0)
    monkeypatch.setattr(rows_module, "_PIECE", 1)
    monkeypatch.setattr(rows_module, "let_go", lambda a: (released.append(a.nbytes), let_go(a)))
    assert tree_bytes(clone(model).fit(store)) == tree_bytes(whole)
    assert sum(released) > 2 * store.n_rows * store.n_features


def test_memory_is_taken_while_there_is_room_and_given_back(stores, monkeypatch):
    """What every pass writes to comes first; the rest is files, and nothing is kept of a fit."""
    store, kept = stores["two"], []
    monkeypatch.setattr(rows_module, "_MAPPED", 1)
    room = 12 * store.n_rows  # leaf and weight
    monkeypatch.setattr(rows_module, "_HELD", room)
    reset = rows_module.VoteRows.begin

    def begin(self):
        reset(self)
        kept.append(
            {name for name in ("leaf", "weight", "right", "score") if _is_mapped(self, name)}
        )
        kept.append(rows_module._room.take(1))

    monkeypatch.setattr(rows_module.VoteRows, "begin", begin)
    AdaBoostNCClassifier(n_estimators=2, calibrate=False, lam=2.0).fit(store)
    assert kept[0] == {"right", "score"}
    assert kept[1] is False
    assert rows_module._room.take(room)
    rows_module._room.give_back(room)


def _is_mapped(rows, name):
    array = getattr(rows, name)
    while array is not None and not hasattr(array, "_mmap"):
        array = getattr(array, "base", None)
    return array is not None


def test_no_space_beside_the_store_is_said(stores, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = sorted(os.listdir(stores["two"].path))
    monkeypatch.setattr(rows_module, "_MAPPED", 1)
    monkeypatch.setattr(rows_module, "_HELD", 0)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match=r"No space for what a fit keeps .* takes \d+ bytes more in"):
        HistTreeClassifier().fit(stores["two"])
    assert sorted(os.listdir(stores["two"].path)) == before


def test_pages_that_were_let_go_of_are_read_again(tmp_path):
    """What was written to a shared mapping is there afterwards, and fewer pages are held."""

    def held():
        with open("/proc/self/status") as file:
            return int(next(line for line in file if "RssFile" in line).split()[1])

    if not sys.platform.startswith("linux"):
        pytest.skip("asks Linux what is held")
    numbers = np.asarray(np.memmap(tmp_path / "x", np.int64, "w+", shape=(1 << 21,)))
    numbers[:] = np.arange(1 << 21)
    before = held()
    let_go(numbers[1000:])
    assert before - held() > 12_000  # of 16 MB
    np.testing.assert_array_equal(numbers, np.arange(1 << 21))
    let_go(np.arange(10))  # nothing that is mapped


def test_what_is_held_out_of_memory_is_held_out_of_nothing_here(rows, stores):
    model = L2BoostClassifier(n_estimators=3).fit(stores["two"])
    assert model.estimators_[0].tree_.n_node_samples[0] == len(rows)
    assert model.score(rows[COLUMNS], rows["two"]) > 0.8


def test_histograms_that_do_not_fit_at_once_take_more_passes(stores, monkeypatch):
    model = HistTreeClassifier(min_samples_leaf=2000)
    whole = clone(model).fit(stores["two"])
    monkeypatch.setattr("counterpoint.trees.growing.shards._FRESH_BYTES", 1)
    assert tree_bytes(clone(model).fit(stores["two"])) == tree_bytes(whole)


def test_calibration_and_penalty_are_chosen_on_a_sample(rows, stores):
    model = AdaBoostNCClassifier(TREE, n_estimators=8).fit(stores["two"])
    assert model.strength_ in (0.0, 0.5)
    assert model.calibration_ is not None
    proba = model.predict_proba(rows[COLUMNS][:100])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert model.estimator is TREE


def test_without_an_estimator_members_are_histogram_trees(stores):
    model = AdaBoostClassifier(n_estimators=2, calibrate=False).fit(stores["two"])
    assert all(type(m) is HistTreeClassifier for m in model.estimators_)
    assert model.estimator is None


def test_a_warm_start_goes_on_where_it_stopped(stores):
    model = AdaBoostNCClassifier(TREE, lam=1.0, n_estimators=5, calibrate=False)
    whole = clone(model).fit(stores["two"])
    part = clone(model).set_params(n_estimators=2, warm_start=True).fit(stores["two"])
    part.set_params(n_estimators=5).fit(stores["two"])
    assert tree_bytes(part) == tree_bytes(whole)


def test_evaluation_data_are_followed(rows, stores):
    few = rows[:1000]
    model = AdaBoostClassifier(TREE, n_estimators=3, calibrate=False)
    model.fit(stores["two"], eval_set=(few[COLUMNS], few["two"]))
    assert model.history_["eval_error"].iloc[-1] == np.mean(
        model.predict(few[COLUMNS]) != few["two"]
    )


def test_weights_count_as_copies(rows, tmp_path):
    few = rows[:4000].assign(weight=np.arange(4000) % 3)
    options = {"target": "two", "columns": COLUMNS, "max_bins": 255}
    weighted = BinnedStore.write(few, tmp_path / "weighted", weight="weight", **options)
    assert weighted.n_rows == np.count_nonzero(few["weight"])
    copies = few.loc[few.index.repeat(few["weight"])]
    copied = BinnedStore.write(copies, tmp_path / "copied", **options)
    model = HistTreeClassifier(max_depth=4)
    one, other = clone(model).fit(weighted).tree_, clone(model).fit(copied).tree_
    np.testing.assert_array_equal(one.threshold, other.threshold)
    np.testing.assert_allclose(one.value, other.value)
    for model in (AdaBoostClassifier(TREE, **VOTES), L2BoostClassifier(n_estimators=3)):
        one, other = clone(model).fit(weighted), clone(model).fit(copied)
        np.testing.assert_allclose(one.decision_function(few[COLUMNS]),
                                   other.decision_function(few[COLUMNS]), rtol=1e-8)  # fmt: skip


def test_categories_are_split_as_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    names = np.array(["red", "green", "blue", None, "grey"], dtype=object)
    frame = pd.DataFrame({"colour": names[rng.integers(5, size=3000)], "x": rng.normal(size=3000)})
    frame["y"] = (frame["colour"] == "green") * 3.0 + rng.normal(size=3000)
    store = BinnedStore.write(frame, tmp_path / "store", target="y", max_bins=255)
    assert store.categories[0] == ["blue", "green", "grey", "red"]
    # The store's own bins of x, so that memory sees the same.
    X = frame[["colour"]].assign(x=store.decode(_codes(store))[:, 1])
    memory = HistTreeRegressor(max_depth=3, categorical_features="from_dtype").fit(X, frame["y"])
    stored = HistTreeRegressor(max_depth=3).fit(store)
    np.testing.assert_allclose(stored.predict(X), memory.predict(X))
    assert (
        L2BoostRegressor(n_estimators=20).fit(store).score(frame[["colour", "x"]], frame["y"]) > 0.4
    )
    with pytest.raises(ValueError, match=r"'colour' of the store holds text"):
        HistTreeClassifier().fit(
            BinnedStore.write(frame.assign(y=frame["y"] > 1), tmp_path / "classes", target="y")
        )


def _codes(store):
    return store.codes().transpose(0, 2, 1).reshape(-1, store.n_features)[: store.n_rows]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AdaBoostClassifier(TREE, confidence=True), "confidence=True is not for a store"),
        (AdaBoostNCClassifier(TREE, lam=1.0, ambiguity="weighted"), "ambiguity='weighted' is not"),
        (AdaBoostClassifier(TREE, resample=True), "resample=True is not for a store"),
        (L2BoostClassifier(line_search=True), "line_search=True is not for a store"),
        (AdaBoostClassifier(PrunedTreeClassifier()), "members are histogram trees"),
        (AdaBoostClassifier(HistTreeClassifier(class_weight="balanced")), "class_weight"),
        (L2BoostRegressor(), "holds classes, and L2BoostRegressor is a regressor"),
        (PrunedTreeClassifier(), "is not fitted to a store"),
        (BaggedTreesClassifier(PrunedTreeClassifier()), "give a HistTreeClassifier"),
    ],
)
def test_what_cannot_be_done_is_said(model, words, stores):
    with pytest.raises((TypeError, ValueError), match=words):
        model.fit(stores["two"])


def test_targets_and_workers_belong_to_the_store(rows, stores):
    with pytest.raises(ValueError, match="lie in the store"):
        HistTreeClassifier().fit(stores["two"], rows["two"])
    with pytest.raises(ValueError, match="client= is for a BinnedStore"):
        AdaBoostClassifier().fit(rows[COLUMNS], rows["two"], client=object())


def test_every_estimator_that_takes_stores_is_tried():
    tried = {type(model) for model in [*EXACT.values(), *ROUNDED.values()]} | {L2BoostClassifier}
    assert tried == set(TAKES_STORES)
