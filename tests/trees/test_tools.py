"""Tools of others read our trees: run after ``pip install shap skl2onnx onnxruntime``."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import export_text, plot_tree

from counterpoint.trees import MergedTreeClassifier

NEEDED = "pip install shap skl2onnx onnxruntime to run it"


@pytest.fixture(scope="module")
def merged():
    X, y = load_breast_cancer(return_X_y=True)
    # These tools compute with 32 bits, so a value between a cut and its rounding would differ.
    X = X.astype(np.float32)
    return MergedTreeClassifier(n_estimators=5, random_state=0).fit(X, y), X


def test_scikit_learn_draws_and_prints_it(merged):
    model, _ = merged
    tree = model.as_sklearn()
    assert export_text(tree).count("class:") == tree.get_n_leaves()
    assert len(plot_tree(tree, ax=plt.subplots()[1])) >= tree.tree_.node_count
    plt.close()


@pytest.mark.filterwarnings("ignore")
def test_shap_values_add_up_to_the_answer(merged):
    shap = pytest.importorskip("shap", reason=NEEDED)
    model, X = merged
    explainer = shap.TreeExplainer(model.as_sklearn())
    values = np.asarray(explainer.shap_values(X[:40]))
    told = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(told, model.predict_proba(X[:40]), atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_onnx_says_the_same(merged):
    skl2onnx = pytest.importorskip("skl2onnx", reason=NEEDED)
    runtime = pytest.importorskip("onnxruntime", reason=NEEDED)
    model, X = merged
    kept = skl2onnx.to_onnx(model.as_sklearn(), X[:1])
    session = runtime.InferenceSession(kept.SerializeToString())
    labels = session.run(None, {"X": X})[0]
    np.testing.assert_array_equal(labels, model.predict(X))
