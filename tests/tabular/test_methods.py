"""The table of methods: every one learns a mixed frame, and is found by its name."""

import numpy as np
import pytest
from tables import mixed_table

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.cli.options import METHOD_NAMES
from counterpoint.tabular.methods import COMPARED, METHODS, find_method, make_method

SLOW = {"auto", "stacking", "selection", "dynamic"}  # tried with the model files, once


def test_the_command_knows_the_same_methods():
    assert list(METHOD_NAMES) == list(METHODS)
    assert all(method.name == name for name, method in METHODS.items())
    assert set(COMPARED) <= set(METHODS)
    assert len({method.what for method in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SLOW])
def test_every_method_learns_a_mixed_frame(name):
    frame = mixed_table(60)
    X, y = frame[["size", "colour"]].astype({"colour": "category"}), frame["class"].to_numpy(str)
    model = make_method(name, random_state=0).fit(X, y)
    error = np.mean(model.predict(X) != y)
    rare = min(np.mean(y == "no"), np.mean(y == "yes"))
    if name == "majority":
        assert error == rare
    else:
        assert error < min(0.25, rare)


@pytest.mark.parametrize("name", ["adaboost-nc", "random-forest", "ncl", "merged-tree", "noise"])
def test_the_seed_decides(name):
    frame = mixed_table(60)
    X, y = frame[["size"]], frame["class"].to_numpy(str)
    first, second = (make_method(name, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_options_reach_the_classifier():
    model = make_method("auto", random_state=5, time_limit=9.0, n_jobs=2, progress=True)
    auto = model.named_steps["model"]
    assert isinstance(auto, OverproduceSelectClassifier)
    assert (auto.random_state, auto.time_limit, auto.n_jobs, auto.progress) == (5, 9.0, 2, True)
    assert make_method("ncl").named_steps["encode"].scale == "standard"
    assert make_method("random-forest", n_jobs=2).named_steps["model"].n_jobs == 2


def test_an_unknown_method_is_named():
    with pytest.raises(ValueError, match="Did you mean 'random-forest'"):
        find_method("random-forrest")
    with pytest.raises(ValueError, match="method='xyz': choose 'auto', 'adaboost-nc'"):
        make_method("xyz")
