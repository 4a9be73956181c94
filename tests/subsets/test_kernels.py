import numba
import numpy as np
import pandas as pd
import pytest
from naive import subset_kernels as naive
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.exceptions import MemberError
from counterpoint.subsets import (
    StochasticDiscriminationClassifier,
    ensemble_kernel,
    ensemble_to_features,
)
from counterpoint.subsets import kernels as module

X, Y = load_iris(return_X_y=True)
X = X + np.random.RandomState(0).normal(0, 0.01, X.shape)
SHALLOW = DecisionTreeClassifier(max_depth=2, random_state=0)
TREES = {
    "forest": RandomForestClassifier(n_estimators=12, random_state=0),
    "shallow forest": RandomForestClassifier(n_estimators=12, max_depth=2, random_state=0),
    "bagging": BaggingClassifier(n_estimators=7, max_features=0.5, random_state=0),
    "AdaBoost": AdaBoostClassifier(SHALLOW, n_estimators=6, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=4, random_state=0),
    "regression": ExtraTreesRegressor(n_estimators=5, random_state=0),
    "ours": AdaBoostNCClassifier(n_estimators=5, random_state=0),
    "one tree": SHALLOW,
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(4, random_state=0)),
    "members in pipelines": BaggingClassifier(
        make_pipeline(StandardScaler(), SHALLOW), n_estimators=4, random_state=0
    ),
    "search": GridSearchCV(RandomForestClassifier(4, random_state=0), {"max_depth": [2]}, cv=2),
}


def leaves_by_hand(fitted, name, rows):
    if name == "pipeline":
        return fitted[-1].apply(fitted[0].transform(rows)).T
    if name == "search":
        return fitted.best_estimator_.apply(rows).T
    if name == "one tree":
        return fitted.apply(rows)[None]
    if name == "bagging":
        pairs = zip(fitted.estimators_, fitted.estimators_features_)
        return np.stack([tree.apply(rows[:, f]) for tree, f in pairs])
    if name == "members in pipelines":
        return np.stack([m[-1].apply(m[0].transform(rows)) for m in fitted.estimators_])
    if name == "gradient boosting":
        return fitted.apply(rows).reshape(len(rows), -1).T
    return np.stack([tree.apply(rows) for tree in fitted.estimators_])


@pytest.mark.parametrize("name", TREES)
def test_the_kernel_of_trees_is_that_of_the_twin(name):
    fitted = TREES[name].fit(X, Y)
    some, others = X[::9], X[1::7]
    ours, theirs = (leaves_by_hand(fitted, name, rows).tolist() for rows in (some, others))
    kernel = ensemble_kernel(fitted, some, others)
    assert kernel.dtype == np.float32
    np.testing.assert_allclose(kernel, naive.leaf_kernel(ours, theirs), rtol=1e-6)
    nearest = naive.nearest(naive.leaf_kernel(ours, ours), 4)
    cut = ensemble_kernel(fitted, some, k=4)
    for i, row in enumerate(nearest):
        assert cut[[i]].indices.tolist() == sorted(row)
        np.testing.assert_allclose(cut[[i]].data, [row[j] for j in sorted(row)], rtol=1e-6)
    features = ensemble_to_features(fitted, some)
    both = (features @ ensemble_to_features(fitted, others).T).toarray() / len(ours)
    np.testing.assert_allclose(both, kernel, rtol=1e-6)


@pytest.mark.parametrize("name", TREES)
def test_the_kernel_of_trees_is_a_kernel(name):
    kernel = ensemble_kernel(TREES[name].fit(X, Y), X)
    np.testing.assert_array_equal(kernel, kernel.T)
    np.testing.assert_array_equal(np.diag(kernel), 1.0)
    assert kernel.min() >= 0
    assert kernel.max() == 1
    assert np.linalg.eigvalsh(kernel.astype(float)).min() > -1e-5


def test_the_kernel_of_stochastic_discrimination():
    model = StochasticDiscriminationClassifier(30, random_state=0).fit(X, Y)
    held = model.subsets(X).astype(float)
    kernel = ensemble_kernel(model, X)
    np.testing.assert_allclose(kernel, held.T @ held / len(held), rtol=1e-6)
    np.testing.assert_array_equal(kernel, kernel.T)
    np.testing.assert_allclose(np.diag(kernel), held.mean(axis=0), rtol=1e-6)
    assert np.linalg.eigvalsh(kernel.astype(float)).min() > -1e-5
    np.testing.assert_array_equal(ensemble_kernel(model, X[:5], X), kernel[:5])
    cut = ensemble_kernel(model, X, k=3)
    for i, row in enumerate(naive.nearest(kernel.tolist(), 3)):
        assert dict(zip(cut[[i]].indices.tolist(), cut[[i]].data.tolist())) == row
    features = ensemble_to_features(model, X)
    np.testing.assert_array_equal(features.toarray(), held.T)
    piped = make_pipeline(StandardScaler(), StochasticDiscriminationClassifier(20, random_state=0))
    assert ensemble_kernel(piped.fit(X, Y), X).shape == (150, 150)


def test_blocks_change_nothing(monkeypatch):
    model = StochasticDiscriminationClassifier(20, random_state=0).fit(X, Y)
    whole, cut = ensemble_kernel(model, X), ensemble_kernel(model, X, k=5)
    monkeypatch.setattr(module, "_BLOCK", 1000)
    np.testing.assert_array_equal(ensemble_kernel(model, X), whole)
    assert (ensemble_kernel(model, X, k=5) != cut).nnz == 0


def test_lists_bytes_and_threads_agree(monkeypatch):
    rows, y = make_classification(400, random_state=0)
    forest = RandomForestClassifier(300, max_depth=4, random_state=0).fit(rows, y)
    kernels = []
    before = numba.get_num_threads()
    try:
        for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(threads)
            for faster in (0, 1e9):  # never bytes, always bytes
                monkeypatch.setattr(module, "_BYTES_FASTER", faster)
                kernels.append(ensemble_kernel(forest, rows))
    finally:
        numba.set_num_threads(before)
    for other in kernels[1:]:
        np.testing.assert_array_equal(other, kernels[0])


def test_weights_of_the_ensemble_and_of_the_user():
    boosted = TREES["AdaBoost"].fit(X, Y)
    leaves = leaves_by_hand(boosted, "AdaBoost", X[::10]).tolist()
    own = boosted.estimator_weights_.tolist()[: len(leaves)]
    kernel = ensemble_kernel(boosted, X[::10], weights="ensemble")
    np.testing.assert_allclose(kernel, naive.leaf_kernel(leaves, leaves, own), rtol=1e-5)
    np.testing.assert_array_equal(np.diag(kernel), 1.0)
    np.testing.assert_array_equal(ensemble_kernel(boosted, X[::10], weights=own), kernel)


def test_sparse_and_frames_and_large_k():
    forest = TREES["forest"].fit(X, Y)
    kernel = ensemble_kernel(forest, X)
    np.testing.assert_array_equal(ensemble_kernel(forest, sparse.csr_array(X)), kernel)
    assert ensemble_kernel(forest, X, k=1000).toarray() == pytest.approx(kernel)
    frame = pd.DataFrame(X, columns=list("abcd"))
    bagged = BaggingClassifier(n_estimators=3, random_state=0).fit(frame, Y)
    assert ensemble_kernel(bagged, frame).shape == (150, 150)


def test_features_let_a_linear_model_weigh_the_leaves():
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X[::2], Y[::2])
    linear = LogisticRegression(max_iter=1000).fit(ensemble_to_features(forest, X[::2]), Y[::2])
    assert linear.score(ensemble_to_features(forest, X[1::2]), Y[1::2]) > 0.9


@pytest.mark.parametrize("function", [ensemble_kernel, ensemble_to_features])
def test_foreign_and_unfitted_ensembles_are_errors(function):
    with pytest.raises(MemberError, match="RandomForestClassifier is not fitted"):
        function(RandomForestClassifier(), X)
    with pytest.raises(MemberError, match="LogisticRegression is neither a tree nor"):
        function(LogisticRegression(max_iter=1000).fit(X, Y), X)
    bagged = BaggingClassifier(LogisticRegression(max_iter=1000), n_estimators=2).fit(X, Y)
    with pytest.raises(
        MemberError, match=r"Member 0 .* is a LogisticRegression, which has no leav"
    ):
        function(bagged, X)
    voting = VotingClassifier([("a", RandomForestClassifier(2))]).fit(X, Y)
    with pytest.raises(MemberError, match="is a RandomForestClassifier"):
        function(voting, X)
    with pytest.raises(MemberError, match="does not tell which leaves"):
        function(HistGradientBoostingClassifier(max_iter=2).fit(X, Y), X)
    with pytest.raises(MemberError, match="got a list"):
        function([SHALLOW], X)
    with pytest.raises(MemberError, match="got a str"):
        function("forest", X)


@pytest.mark.parametrize("name", ["forest", "bagging", "ours", "one tree"])
def test_other_columns_are_an_error(name):
    fitted = TREES[name].fit(X, Y)
    with pytest.raises(ValueError, match="3 features"):
        ensemble_kernel(fitted, X[:, :3])
    with pytest.raises(ValueError, match="3 features"):
        ensemble_kernel(fitted, X, X[:, :3])


def test_wrong_options_say_what_to_change():
    forest = TREES["forest"].fit(X, Y)
    with pytest.raises(ValueError, match="k=0: give a whole number from 1"):
        ensemble_kernel(forest, X, k=0)
    with pytest.raises(MemberError, match="has no estimator_weights_"):
        ensemble_kernel(forest, X, weights="ensemble")
    with pytest.raises(ValueError, match="weights='own'"):
        ensemble_kernel(forest, X, weights="own")
    with pytest.raises(ValueError, match="expected \\(12,\\)"):
        ensemble_kernel(forest, X, weights=[1.0])
    model = StochasticDiscriminationClassifier(5, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="weights are for trees"):
        ensemble_kernel(model, X, weights=[1.0])
