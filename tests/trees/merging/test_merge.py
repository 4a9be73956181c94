import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import merging as naive
from naive import pruning as naive_pruning
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

from counterpoint.trees import PrunedTreeClassifier
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.merging.bases import on_columns, random_basis
from counterpoint.trees.merging.estimator import MergedTreeClassifier
from counterpoint.trees.merging.merge import merge_trees
from counterpoint.trees.pruning.prune import prune

CRITERIA = ["error-based", "pessimistic", "minimum-error"]
SIZED = ["mdl", "mdl-exceptions", "kearns-mansour", "multiple-comparisons"]
ALL = pytest.mark.parametrize("criterion", CRITERIA)


def noisy(n=200, seed=0, n_classes=3):
    return make_classification(
        n, 6, n_informative=4, flip_y=0.3, n_classes=n_classes, random_state=seed
    )


def grown(X, y, n_trees, seed=0, **options):
    """Trees on bootstrap samples."""
    rng = np.random.default_rng(seed)
    trees = []
    for k in range(n_trees):
        drawn = np.bincount(rng.integers(len(X), size=len(X)), minlength=len(X))
        tree = DecisionTreeClassifier(criterion="entropy", random_state=k, **options)
        trees.append(tree.fit(X, y, sample_weight=drawn))
    return trees


def spec(tree, node=0):
    """(feature, threshold, left, right) for the naive twin."""
    if tree.children_left[node] == -1:
        return None
    return (
        int(tree.feature[node]),
        float(tree.threshold[node]),
        spec(tree, tree.children_left[node]),
        spec(tree, tree.children_right[node]),
    )


def described(tree, node=0):
    counts = tree.value[node].tolist()
    if tree.children_left[node] == -1:
        return (counts, None)
    left, right = tree.children_left[node], tree.children_right[node]
    split = int(tree.feature[node]), float(tree.threshold[node])
    return (counts, (*split, described(tree, left), described(tree, right)))


def same_tree(one, two):
    for name in ("children_left", "children_right", "feature", "threshold"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    np.testing.assert_allclose(one.value, two.value)
    np.testing.assert_allclose(one.impurity, two.impurity, atol=1e-12)
    np.testing.assert_array_equal(one.n_node_samples, two.n_node_samples)
    assert one.max_depth == two.max_depth


# Against the naive twin


@st.composite
def problems(draw):
    n = draw(st.integers(6, 28))
    n_classes = draw(st.integers(2, 3))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n, 2)).astype(float)
    y = rng.integers(0, n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    weight = rng.integers(1, 4, size=n) if draw(st.booleans()) else np.ones(n, dtype=int)
    trees = grown(X, y, draw(st.integers(1, 4)), seed=seed, max_depth=draw(st.integers(1, 5)))
    return X, y, weight, trees


@settings(max_examples=60, deadline=None)
@given(
    problems(),
    st.sampled_from([*CRITERIA, *SIZED, "chen"]),
    st.booleans(),
    st.sampled_from(["samples", "volume"]),
)
def test_matches_naive(problem, criterion, corrected, order):
    X, y, weight, trees = problem
    options = {}
    if criterion == "chen":
        criterion, options = "error-based", {"limit": "chen"}
    prior = (np.bincount(y, weight) / weight.sum()).tolist()
    actual = merge_trees(
        trees,
        X,
        y,
        criterion=criterion,
        corrected=corrected,
        order=order,
        sample_weight=weight,
        **options,
    )
    expected = naive.merge(
        [spec(tree.tree_) for tree in trees],
        X.tolist(),
        y.tolist(),
        len(prior),
        lambda counts: naive_pruning.leaf_cost(counts, criterion, prior=prior, **options),
        lambda *there: naive_pruning.margin(
            *there, criterion, size=(X.shape[1], weight.sum(), len(trees))
        ),
        corrected and criterion != "multiple-comparisons",
        order,
        weight.tolist(),
    )
    assert described(actual.tree) == expected


# One tree


@ALL
@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_merging_one_tree_is_pruning_it(criterion, corrected, weighted):
    X, y = noisy()
    weight = np.random.default_rng(0).integers(1, 4, len(X)) if weighted else None
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    tree.fit(X, y, sample_weight=weight)
    merged = merge_trees(
        [tree], X, y, criterion=criterion, corrected=corrected, sample_weight=weight
    )
    expected = prune(tree, criterion)
    assert 1 < expected.get_n_leaves() < tree.get_n_leaves()
    same_tree(merged.tree, from_sklearn(expected))
    assert merged.n_grafts == 0


@ALL
@pytest.mark.parametrize("grower", ["sklearn", "hist"])
def test_one_estimator_is_a_pruned_tree(criterion, grower):
    X, y = noisy()
    merged = MergedTreeClassifier(
        1, criterion=criterion, diversify=None, grower=grower, random_state=0
    )
    pruned = PrunedTreeClassifier(criterion, grower=grower, random_state=0)
    assert merged.fit(X, y).n_leaves_ == pruned.fit(X, y).get_n_leaves()
    np.testing.assert_array_equal(merged.predict_proba(X), pruned.predict_proba(X))
    np.testing.assert_array_equal(np.sort(merged.tree_.threshold), np.sort(pruned.tree_.threshold))
    assert (merged.history_["action"] == "leaf").all()


def test_steps_of_one_tree_are_those_of_bottom_up_pruning():
    X, y = noisy()
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    merged = merge_trees([tree], X, y)
    arrays = tree.tree_
    samples = merged.history["weight"].tolist()
    assert samples == sorted(samples)
    for step in merged.history.itertuples():
        assert step.tree == 0
        assert arrays.n_node_samples[step.node] == step.weight
        assert step.cost_after == step.cost_as_leaf <= step.cost_before * (1 + 1e-9)


# Many trees


@ALL
def test_equal_trees_are_merged_into_the_pruned_one(criterion):
    X, y = noisy()
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    merged = merge_trees([tree] * 3, X, y, criterion=criterion)
    np.testing.assert_array_equal(
        predict_trees(stack_trees([merged.tree]), X), [prune(tree, criterion).predict(X)]
    )
    assert merged.tree.n_leaves == prune(tree, criterion).get_n_leaves()


@ALL
@pytest.mark.parametrize("corrected", [True, False])
def test_counts_are_of_all_samples_given(criterion, corrected):
    X, y = noisy()
    merged = merge_trees(grown(X, y, 7), X, y, criterion=criterion, corrected=corrected)
    tree = merged.tree
    assert merged.n_grafts > 0
    leaf = predict_trees(stack_trees([tree]), X.astype(np.float32), kind="leaves")[0]
    value = np.zeros_like(tree.value)
    np.add.at(value, (leaf, y), 1)
    is_leaf = tree.children_left == -1
    np.testing.assert_array_equal(value[is_leaf], tree.value[is_leaf])
    assert (tree.n_node_samples > 0).all()
    np.testing.assert_array_equal(tree.value[0], np.bincount(y))


def test_best_of_all_trees_is_no_dearer_than_each_pruned_alone():
    # Without a margin and without the mean, each root could have kept its own pruned tree.
    X, y = noisy()
    trees = grown(X, y, 5)
    alone = [merge_trees([tree], X, y, corrected=False).cost for tree in trees]
    assert merge_trees(trees, X, y, corrected=False).cost <= min(alone) + 1e-9


def test_correction_makes_smaller_trees():
    X, y = noisy(400, n_classes=2)
    trees = grown(X, y, 15)
    mean, best = (merge_trees(trees, X, y, corrected=c).tree.n_leaves for c in (True, False))
    assert mean < best


def test_history_tells_what_was_done():
    X, y = noisy()
    merged = merge_trees(grown(X, y, 5), X, y)
    for step in merged.history.itertuples():
        assert step.action in ("leaf", "graft")
        assert (step.source == -1) == (step.action == "leaf")
        if step.action == "graft":
            assert step.source != step.tree
            assert step.cost_after < step.cost_before
            assert step.cost_after < step.cost_as_leaf
        else:
            assert step.leaves_after == 1 < step.leaves_before
    weights = merged.history["weight"].tolist()
    assert weights == sorted(weights)


def test_splits_that_no_sample_reaches_are_dropped():
    X, y = noisy(400)
    forest = grown(X, y, 3)
    few = merge_trees(forest, X[:60], y[:60], criterion="minimum-error", m=0.0)
    assert (few.tree.n_node_samples > 0).all()
    assert few.tree.n_leaves <= 60


def test_samples_without_weight_play_no_part():
    X, y = noisy()
    trees = grown(X, y, 4)
    weight = np.random.default_rng(1).integers(0, 2, len(X))
    some = merge_trees(trees, X, y, sample_weight=weight)
    same_tree(some.tree, merge_trees(trees, X[weight > 0], y[weight > 0]).tree)


def test_weights_that_are_no_whole_numbers_are_scaled():
    X, y = noisy()
    trees = grown(X, y, 4)
    one = merge_trees(trees, X, y, sample_weight=np.full(len(X), 0.013))
    np.testing.assert_array_equal(one.tree.threshold, merge_trees(trees, X, y).tree.threshold)


def test_missing_values_go_their_way():
    X, y = noisy()
    X[::5, 1] = np.nan
    trees = grown(X, y, 5)
    merged = MergedTreeClassifier(pool=trees, criterion="pessimistic").fit(X, y)
    leaf = merged.apply(X)
    held = np.bincount(leaf, minlength=merged.tree_.node_count)
    is_leaf = merged.tree_.children_left == -1
    np.testing.assert_array_equal(held[is_leaf], merged.tree_.n_node_samples[is_leaf])


# Ensembles of others


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(5, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(), 5, max_features=3, random_state=0),
    ],
)
def test_takes_the_trees_of_an_ensemble(ensemble):
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["a", "b", "c"])[y]
    fitted = clone(ensemble).fit(X, labels)
    given = MergedTreeClassifier(pool=fitted).fit(X, labels)
    assert given.unmerged_leaves_.tolist() == [m.get_n_leaves() for m in fitted.estimators_]
    assert given.score(X, labels) > 0.9
    merged = merge_trees(fitted, X, labels)
    np.testing.assert_array_equal(merged.classes, ["a", "b", "c"])
    same_tree(merged.tree, given.tree_)
    # clone forgets what was fitted, and the ensemble is fitted again
    again = clone(given).fit(X, labels)
    assert clone(given).pool is not fitted
    same_tree(again.tree_, given.tree_)


def test_what_is_no_ensemble_of_trees():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="StandardScaler"):
        merge_trees(StandardScaler().fit(X), X, y)
    with pytest.raises(NotFittedError):
        merge_trees(RandomForestClassifier(), X, y)
    with pytest.raises(TypeError, match="regress"):
        merge_trees(DecisionTreeRegressor().fit(X, y), X, y)
    forest = RandomForestClassifier(3).fit(X, y)
    with pytest.raises(ValueError, match="columns"):
        merge_trees(forest, X[:, :3], y)
    with pytest.raises(ValueError, match="columns"):
        MergedTreeClassifier(pool=forest).fit(X[:, :3], y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "cost-complexity"}, "choose 'error-based', 'pessimistic', 'minimum-error'"),
        ({"order": "age"}, "order='age': choose 'samples', 'volume'"),
        ({"cf": 1}, "below 1"),
        ({"limit": "x"}, "limit='x'"),
        ({"criterion": "minimum-error", "m": -1}, "m=-1"),
        ({"criterion": "minimum-error", "prior": [1]}, "expected 3 shares"),
        ({"sample_weight": np.zeros(150)}, "are all zero"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        merge_trees(DecisionTreeClassifier().fit(X, y), X, y, **options)


# Bases


def test_bases_are_orthogonal_in_scaled_columns():
    X, y = noisy()
    basis = random_basis(X * [1, 10, 100, 1, 1, 1], y, np.random.RandomState(0))
    scaled = basis * (X * [1, 10, 100, 1, 1, 1]).std(axis=0)
    np.testing.assert_allclose(scaled @ scaled.T, np.eye(6), atol=1e-9)
    other = random_basis(X * [1, 10, 100, 1, 1, 1], y, np.random.RandomState(1))
    assert np.abs(other - basis).max() > 1e-3


def test_first_vector_of_a_basis_separates_the_classes_it_was_made_of():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((400, 2)) * [3, 0.5]
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    y = (X[:, 1] > 0).astype(int)
    along = []
    for seed in range(20):
        vector = random_basis(X @ turn, y, np.random.RandomState(seed))[0]
        along.append(abs(vector @ turn[1]) / np.linalg.norm(vector))
    # A random direction would have a median of 0.71.
    assert np.median(along) > 0.9


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((5, 3)), np.array([0, 1, 0, 1, 0])),  # no spread
        (np.random.RandomState(0).rand(20, 4), np.zeros(20, dtype=int)),  # one class
        (np.random.RandomState(0).rand(3, 6), np.array([0, 1, 1])),  # fewer rows than columns
    ],
)
def test_bases_of_awkward_samples(X, y):
    basis = random_basis(X, y, np.random.RandomState(0))
    scale = X.std(axis=0)
    scaled = basis * np.where(scale > 0, scale, 1)
    np.testing.assert_allclose(scaled @ scaled.T, np.eye(X.shape[1]), atol=1e-9)


def test_tree_on_a_basis_is_an_oblique_tree():
    X, y = noisy()
    basis = random_basis(X, y, np.random.RandomState(0))
    turned = (X @ basis.T).astype(np.float32)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(turned, y)
    oblique = on_columns(from_sklearn(tree), basis)
    leaves = predict_trees(stack_trees([oblique]), X, kind="leaves")[0]
    np.testing.assert_array_equal(leaves, tree.apply(turned))


def test_merging_trees_on_bases_gives_oblique_splits():
    X, y = noisy(n_classes=2)
    model = MergedTreeClassifier(5, diversify="bases", criterion="pessimistic", random_state=0)
    model.fit(X, y)
    assert model.tree_.is_oblique
    assert model.score(X, y) > 0.75
    held = np.bincount(model.apply(X), minlength=model.tree_.node_count)
    is_leaf = model.tree_.children_left == -1
    np.testing.assert_array_equal(held[is_leaf], model.tree_.n_node_samples[is_leaf])
    with pytest.raises(ValueError, match="oblique"):
        model.as_sklearn()
    with pytest.raises(ValueError, match="order='volume'"):
        clone(model).set_params(order="volume").fit(X, y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="missing values"):
        clone(model).fit(X, y)


# The estimator


@pytest.mark.parametrize("diversify", ["bootstrap", "features", "bases"])
@pytest.mark.parametrize("grower", ["sklearn", "hist"])
def test_same_seed_same_tree(diversify, grower):
    X, y = noisy(120)
    model = MergedTreeClassifier(
        4, diversify=diversify, grower=grower, criterion="pessimistic", random_state=3
    )
    one, two = clone(model).fit(X, y), clone(model).set_params(n_jobs=2).fit(X, y)
    same_tree(one.tree_, two.tree_)
    other = clone(model).set_params(random_state=4).fit(X, y)
    assert not np.array_equal(one.tree_.threshold, other.tree_.threshold, equal_nan=True)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(one)).predict(X), one.predict(X))


def test_trees_on_some_columns_use_only_these():
    X, y = noisy()
    model = MergedTreeClassifier(
        1, diversify="features", max_features=2, criterion="pessimistic", random_state=0
    ).fit(X, y)
    used = np.unique(model.tree_.feature[model.tree_.feature >= 0])
    assert 1 <= len(used) <= 2
    for wanted, n in (("sqrt", 2), ("log2", 2), (0.5, 3), (1.0, 6), (1, 1), (9, 6)):
        assert MergedTreeClassifier(max_features=wanted)._n_columns(6) == n


def test_result_is_a_real_scikit_learn_tree():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.array(["bad", "good"])[y]
    model = MergedTreeClassifier(7, random_state=0).fit(X, labels)
    made = model.as_sklearn()
    assert isinstance(made, DecisionTreeClassifier)
    assert made.get_n_leaves() == model.n_leaves_ == model.get_n_leaves()
    assert made.get_depth() == model.get_depth()
    np.testing.assert_array_equal(made.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(made.predict(X), model.predict(X))
    assert list(made.feature_names_in_) == list(X.columns)
    assert "class: good" in export_text(made)
    assert len(model.rules_) == model.n_leaves_
    assert sum(rule.support for rule in model.rules_) == len(X)
    assert str(model.rules_[0]).startswith("if ")


def test_whole_weights_are_copies_when_trees_are_given():
    X, y = noisy(100)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    trees = grown(X, y, 4)
    one = MergedTreeClassifier(pool=trees).fit(X, y, weight)
    two = MergedTreeClassifier(pool=trees).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_array_equal(one.tree_.threshold, two.tree_.threshold)
    np.testing.assert_array_equal(one.tree_.value, two.tree_.value)


def test_class_weights_multiply_sample_weights():
    X, y = noisy(150, n_classes=2)
    weight = np.random.default_rng(0).integers(1, 3, len(X))
    one = MergedTreeClassifier(5, class_weight={0: 3, 1: 1}, random_state=0).fit(X, y, weight)
    two = MergedTreeClassifier(5, random_state=0).fit(X, y, weight * np.where(y == 0, 3, 1))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert (one.predict(X) == 0).mean() > (y == 0).mean()


def test_in_a_pipeline_and_a_grid():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(StandardScaler(), MergedTreeClassifier(3, random_state=0))
    grid = GridSearchCV(model, {"mergedtreeclassifier__limit": ["binomial", "chen"]}, cv=3)
    assert grid.fit(X, y).best_score_ > 0.85


def test_labels_without_a_pattern_leave_the_root():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 3)), rng.random(200) < 0.2
    model = MergedTreeClassifier(limit="chen", random_state=0).fit(X, y)
    assert model.n_leaves_ == 1
    assert model.winner_ == -1
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 - y.mean(), y.mean()]])


def test_frames_keep_their_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = MergedTreeClassifier(3, random_state=0).fit(X, y)
    assert model.feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X.to_numpy(), columns=list("abcd")))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0: give a whole number from 1"),
        ({"criterion": "cost-complexity"}, "criterion='cost-complexity': choose"),
        (
            {"diversify": "noise"},
            "diversify='noise': choose 'bootstrap', 'features', 'bases', None",
        ),
        ({"order": "x"}, "order='x'"),
        ({"grower": "x"}, "grower='x'"),
        ({"split_criterion": "x"}, "split_criterion='x'"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"max_features": 0}, "max_features=0"),
        ({"max_features": 1.5}, "max_features=1.5"),
        ({"max_features": True}, "max_features=True"),
        ({"max_features": np.array([1.0, np.nan])}, "max_features=array"),
        ({"cf": 1.0}, "cf=1.0"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        MergedTreeClassifier(**parameters).fit(X, y)


# By rows held out


@pytest.mark.parametrize("corrected", [True, False])
def test_held_out_rows_judge_as_in_the_naive_twin(corrected):
    X, y = noisy(60)
    X = X.round(1).astype(np.float32).astype(float)
    trees = grown(X[:40], y[:40], 4, max_depth=3)
    merged = merge_trees(
        trees, X[:40], y[:40], criterion="reduced-error", corrected=corrected,
        X_val=X[40:], y_val=y[40:],
    )  # fmt: skip

    def cost(counts):
        known, held = counts[:3], counts[3:]
        by = known if any(known) else held
        return sum(held) - held[by.index(max(by))]

    codes = [*y[:40].tolist(), *(y[40:] + 3).tolist()]
    specs = [spec(tree.tree_) for tree in trees]
    twin = naive.merge(specs, X.tolist(), codes, 6, cost, lambda *there: 0.0, corrected)

    def folded(node):
        counts, split = node
        both = [float(a + b) for a, b in zip(counts[:3], counts[3:], strict=True)]
        if split is None:
            return (both, None)
        return (both, (*split[:2], folded(split[2]), folded(split[3])))

    assert described(merged.tree) == folded(twin)


def test_one_tree_by_held_out_rows_is_reduced_error_pruning():
    X, y = noisy(300)
    tree = DecisionTreeClassifier(random_state=0).fit(X[:200], y[:200])
    expected = prune(tree, "reduced-error", X_val=X[200:], y_val=y[200:])
    merged = merge_trees(
        [tree], X[:200], y[:200], criterion="reduced-error", X_val=X[200:], y_val=y[200:]
    )
    assert 1 < expected.get_n_leaves() < tree.get_n_leaves()
    np.testing.assert_array_equal(merged.tree.threshold, from_sklearn(expected).threshold)


@pytest.mark.parametrize("criterion", [*SIZED, "reduced-error"])
def test_all_criteria_make_a_tree_from_many(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    model = MergedTreeClassifier(7, criterion=criterion, random_state=0).fit(X[::2], y[::2])
    assert 1 < model.n_leaves_ < 20
    assert model.score(X[1::2], y[1::2]) > 0.88
    assert 0 <= model.estimated_error_ < 0.3


def test_rows_to_judge_by_go_with_their_criterion_only():
    X, y = noisy(60)
    trees = grown(X, y, 2)
    with pytest.raises(ValueError, match="criterion='reduced-error': give X_val"):
        merge_trees(trees, X, y, criterion="reduced-error")
    with pytest.raises(ValueError, match="criterion='mdl': give X_val"):
        merge_trees(trees, X, y, criterion="mdl", X_val=X, y_val=y)
    with pytest.raises(ValueError, match=r"criterion=array.*choose"):
        merge_trees(trees, X, y, criterion=np.ones(3))
    with pytest.raises(ValueError, match=r"corrected=array.*True or False"):
        merge_trees(trees, X, y, corrected=np.ones(3))
