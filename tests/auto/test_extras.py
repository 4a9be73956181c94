"""Learners of other libraries in the pool; the libraries are stood in for by modules made here."""

import importlib.machinery
import sys
import types

import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.auto.extras import installed, loaded


@pytest.fixture
def tabpfn(monkeypatch, tmp_path):
    """Return the folder of weights of a library called tabpfn, without any."""

    class TabPFNClassifier(DecisionTreeClassifier):
        def __init__(self, device="auto", model_path="auto", random_state=None):
            super().__init__(max_depth=2, random_state=random_state)
            self.device, self.model_path = device, model_path

    module = types.ModuleType("tabpfn")
    module.TabPFNClassifier = TabPFNClassifier
    module.__spec__ = importlib.machinery.ModuleSpec("tabpfn", None)
    monkeypatch.setitem(sys.modules, "tabpfn", module)
    monkeypatch.setenv("TABPFN_MODEL_CACHE_DIR", str(tmp_path))
    return tmp_path


def names(kind="classes", size=(100, 4, 3)):
    return [candidate.name for candidate in installed(kind, size)]


def test_a_foundation_model_joins_with_its_weights_and_fetches_none(tabpfn):
    X, y = load_iris(return_X_y=True)
    assert "TabPFN" not in names()
    with pytest.raises(ValueError, match="'TabPFN' in pool: its weights are not in"):
        OverproduceSelectClassifier(["TabPFN"]).fit(X, y)
    weights = tabpfn / "tabpfn-v2-classifier.ckpt"
    weights.touch()
    assert "TabPFN" in names()
    assert "TabPFN" not in names("numbers")  # those weights are for classes
    assert "TabPFN" not in names(size=(100, 4, 11))  # and for ten of them
    model = OverproduceSelectClassifier(["TabPFN", "naive Bayes"], random_state=0).fit(X, y)
    assert "TabPFN" in model.explain()
    made = next(c for c in installed("classes", (100, 4, 3)) if c.name == "TabPFN").make(0)
    assert (made.model_path, made.device) == (str(weights), "cpu")


def test_what_cannot_be_made_is_left_out_with_a_warning(tabpfn, monkeypatch):
    (tabpfn / "classifier.ckpt").touch()
    monkeypatch.delattr(sys.modules["tabpfn"], "TabPFNClassifier")
    candidates = [c for c in installed("classes", (100, 4, 3)) if c.name == "TabPFN"]
    with pytest.warns(UserWarning, match="TabPFN is installed, but left out, since it cannot"):
        assert loaded(candidates) == []


@pytest.mark.filterwarnings("ignore:All members together")
def test_explain_tells_who_was_of_no_use():
    X, y = load_iris(return_X_y=True)
    model = OverproduceSelectClassifier(["naive Bayes", "majority"], random_state=0).fit(X, y)
    assert "Tried, and of no use beside these: majority." in model.explain()
