import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.trees import (
    HistTreeClassifier,
    PrunedTreeClassifier,
    apply,
    from_sklearn,
    refine_leaves,
    take_trees,
)

X, Y = load_wine(return_X_y=True)
LABELS = np.array(["blush", "red", "white"])[Y]
FLAT = Y.copy()
FLAT[::5] = 0  # some noise, so that shallow trees have something left to learn
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
SMALL = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize("loss", ["squared", "log"])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(7, max_depth=2, random_state=0),
        ExtraTreesClassifier(7, max_depth=2, random_state=0),
        BaggingClassifier(SMALL, 7, max_features=0.5, random_state=0),
        BaggingClassifier(HistTreeClassifier(max_depth=2), 4, random_state=0),
        VotingClassifier([("a", STUMP), ("b", SMALL)], voting="soft", weights=[1.0, 3.0]),
    ],
    ids=lambda m: type(m).__name__,
)
def test_the_loss_never_rises_and_the_copy_says_what_the_trees_say(model, loss):
    model = clone(model).fit(X, LABELS)
    before = model.predict_proba(X)
    refined, losses = refine_leaves(model, X, LABELS, loss=loss, return_losses=True)
    assert (np.diff(losses) < 0).all()
    assert losses[-1] < 0.95 * losses[0]
    assert type(refined) is type(model)
    np.testing.assert_array_equal(model.predict_proba(X), before)  # the model itself is unchanged
    proba = refined.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert proba.min() >= -1e-12
    trees = refine_leaves(take_trees(model), X, LABELS, loss=loss)
    score = trees.score(X)
    np.testing.assert_allclose(score / score.sum(axis=1, keepdims=True), proba, atol=1e-9)
    told = 0.999 * proba[np.arange(len(X)), Y] + 0.001 / 3
    onehot = np.eye(3)[Y]
    by_hand = -np.log(told).mean() if loss == "log" else ((proba - onehot) ** 2).sum(axis=1).mean()
    np.testing.assert_allclose(losses[-1], by_hand, rtol=1e-6)
    for tree, grown in zip(trees.trees, take_trees(model).trees, strict=True):
        np.testing.assert_array_equal(tree.threshold, grown.threshold)


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_one_tree_comes_to_the_means_of_its_leaves(loss):
    tree = from_sklearn(SMALL.fit(X, Y))
    rng = np.random.default_rng(0)
    y, weight = rng.integers(3, size=len(X)), rng.uniform(0.5, 1.5, size=len(X))
    rows = X.astype(np.float32)
    refined = refine_leaves(tree, rows, y, sample_weight=weight, loss=loss, n_steps=3000, tol=0.0)
    leaf = apply(tree, rows)
    for node in np.flatnonzero(tree.is_leaf):
        held = np.bincount(y[leaf == node], weight[leaf == node], minlength=3)
        share = refined.value[node] / refined.value[node].sum()
        np.testing.assert_allclose(share, held / held.sum(), atol=2e-3)
        np.testing.assert_allclose(refined.value[node].sum(), tree.value[node].sum())


@pytest.mark.parametrize(
    "model", [SMALL, HistTreeClassifier(max_depth=2), PrunedTreeClassifier(random_state=0)]
)
def test_single_trees_are_refined_on_other_data(model):
    half = np.arange(len(X)) % 2 == 0
    model = clone(model).fit(X[half], LABELS[half])
    refined, losses = refine_leaves(model, X[~half], LABELS[~half], return_losses=True)
    onehot = np.eye(3)[Y[~half]]
    proba = refined.predict_proba(X[~half])
    np.testing.assert_allclose(losses[-1], ((proba - onehot) ** 2).sum(axis=1).mean())
    assert losses[-1] < losses[0]
    assert set(refined.predict(X)) <= set(LABELS)


def test_votes_are_refined_as_shares():
    model = AdaBoostClassifier(STUMP, n_estimators=5, random_state=0).fit(X, LABELS)
    trees, losses = refine_leaves(take_trees(model), X, LABELS, return_losses=True)
    assert trees.kind == "shares"
    assert losses[-1] < losses[0]
    with pytest.raises(TypeError, match="take_trees"):
        refine_leaves(model, X, LABELS)
    with pytest.raises(TypeError, match="take_trees"):
        refine_leaves(AdaBoostNCClassifier(STUMP, n_estimators=3).fit(X, LABELS), X, LABELS)
    with pytest.raises(TypeError, match="counts votes"):
        refine_leaves(VotingClassifier([("a", STUMP)]).fit(X, LABELS), X, LABELS)


def test_weights_of_samples_are_repeats():
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, FLAT)
    weight = np.random.default_rng(0).integers(1, 3, size=len(X))
    weighed = refine_leaves(forest, X, FLAT, sample_weight=weight, n_steps=10)
    rows = np.repeat(np.arange(len(X)), weight)
    repeated = refine_leaves(forest, X[rows], FLAT[rows], n_steps=10)
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-8)


def test_bad_input():
    tree = clone(SMALL).fit(X, Y)
    with pytest.raises(ValueError, match="choose 'squared'"):
        refine_leaves(tree, X, Y, loss="hinge")
    with pytest.raises(ValueError, match="n_steps=0"):
        refine_leaves(tree, X, Y, n_steps=0)
    with pytest.raises(ValueError, match="one value for each sample"):
        refine_leaves(tree, X, Y[:-1])
    with pytest.raises(ValueError, match="7"):
        refine_leaves(tree, X, np.where(Y == 0, 7, Y))
