"""The six criteria of ``prune``: by hand, against naive twins, against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import pruning as naive
from nested_trees import flat, nested, rebuilt, trees
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.pruning.bottom_up import cut, prune_bottom_up
from counterpoint.trees.pruning.criteria import LOCAL, LocalCriterion, upper_limit
from counterpoint.trees.pruning.local import local_criterion
from counterpoint.trees.pruning.paths import cost_complexity_path, critical_strength, split_gains
from counterpoint.trees.pruning.prune import CRITERIA, find_pruning, prune
from counterpoint.trees.structure import Tree

DEPTH_FIRST = st.booleans()


def as_tree(left, right, value):
    """Arrays of a whole tree; the splits are made up."""
    is_leaf = left == -1
    n = len(left)
    return Tree(
        children_left=left.astype(np.int32),
        children_right=right.astype(np.int32),
        feature=np.where(is_leaf, -1, 0).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, 0.0),
        bin_threshold=np.zeros(n, dtype=np.uint8),
        missing_go_to_left=np.zeros(n, dtype=bool),
        value=value,
        weighted_n_node_samples=value.sum(axis=1),
        n_node_samples=value.sum(axis=1).astype(np.int64),
        impurity=np.array([naive.entropy(counts) for counts in value.tolist()]),
        max_depth=n,
    )


def noisy(n=300, seed=0, n_classes=3):
    return make_classification(
        n, 6, n_informative=4, flip_y=0.3, n_classes=n_classes, random_state=seed
    )


def halves(X, y):
    return X[::2], X[1::2], y[::2], y[1::2]


# Limits


@pytest.mark.parametrize("delta", [0.05, 0.25, 0.6])
def test_limit_of_chen_solves_the_inequality_of_massart(delta):
    cases = [(e, n) for n in (1, 2, 5, 17, 100) for e in range(0, n, max(1, n // 6))]
    actual = upper_limit(*np.array(cases).T, delta, "chen")
    expected = [naive.chen_limit(e, n, delta) for e, n in cases]
    np.testing.assert_allclose(actual, expected, atol=1e-7)


def test_limit_of_chen_by_hand():
    # theta = 9 / (8 ln 8) = 0.541: without errors 1.5 / (1 + 0.541 n).
    theta = 9 / (8 * np.log(8))
    n = np.array([1, 6, 50])
    np.testing.assert_allclose(upper_limit([0, 0, 0], n, 0.25, "chen"), 1.5 / (1 + theta * n))
    assert upper_limit(4, 4, 0.25, "chen") == 1
    assert upper_limit(0, 0.1, 0.25, "chen") == 1  # the formula says 1.42
    assert np.isnan(upper_limit(0, 0, 0.25, "chen"))


def test_limit_of_chen_covers_at_least_as_much_as_it_says():
    rng = np.random.default_rng(0)
    for p in (0.02, 0.2, 0.5):
        seen = rng.binomial(20, p, size=4000)
        assert (upper_limit(seen, np.full(4000, 20), 0.25, "chen") > p).mean() > 0.875


def test_limit_of_an_unknown_name():
    with pytest.raises(ValueError, match="limit='wald': choose 'binomial', 'chen'"):
        upper_limit(0, 1, 0.25, "wald")


# Nodes by hand


def test_costs_of_leaves_by_hand():
    value = np.array([[6.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    pessimistic = local_criterion("pessimistic", classes=value[0])
    np.testing.assert_allclose(pessimistic.leaf_cost(value), [2.5, 0.5, 0.5])
    # (8 - 6 + (1 - 6/8) 2) / (8 + 2) = 0.25 of 8; (0 + (1 - 2/8) 2) / 3 of 1
    expected = local_criterion("minimum-error", classes=value[0])
    np.testing.assert_allclose(expected.leaf_cost(value), [2.0, 0.5, 0.0])
    # Laplace: (2 + 2) / 11 of 8; (0 + 2) / 4 of 1
    laplace = local_criterion("minimum-error", classes=value[0], m="laplace")
    np.testing.assert_allclose(laplace.leaf_cost(value), [32 / 11, 0.5, 0.0])
    plain = local_criterion("minimum-error", classes=value[0], m=0)
    np.testing.assert_allclose(plain.leaf_cost(value), [2.0, 0.0, 0.0])


@pytest.mark.parametrize(("others", "n_leaves"), [(4, 1), (5, 3)])
def test_pessimistic_pruning_by_hand(others, n_leaves):
    # Three leaves with one error each among 60: 4.5, and a standard error of
    # sqrt(4.5 * 55.5 / 60) = 2.04. As a leaf: the two errors, the others, and 1/2.
    leaves = [[19, 1], [38 - others, 1], [1, others]]
    below = np.add(leaves[1], leaves[2])
    value = np.array([below + leaves[0], leaves[0], below, leaves[1], leaves[2]], dtype=float)
    assert value[0].sum() == 60
    tree = as_tree(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), value)
    assert (others + 2.5 <= 4.5 + np.sqrt(4.5 * 55.5 / 60)) == (n_leaves == 1)
    assert prune(tree, "pessimistic").n_leaves == n_leaves


def test_critical_value_keeps_weak_splits_above_strong_ones():
    # The root's split gains nothing, but one below it separates everything.
    value = np.array([[4, 4], [2, 2], [2, 2], [2, 0], [0, 2]], dtype=float)
    tree = as_tree(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), value)
    np.testing.assert_allclose(split_gains(tree)[[0, 2]], [0, 1])
    np.testing.assert_allclose(critical_strength(tree)[[0, 2]], [1, 1])
    assert prune(tree, "critical-value", critical_value=0.99).n_leaves == 3
    assert prune(tree, "critical-value", critical_value=1.0).n_leaves == 1


def test_reduced_error_by_hand():
    # Leaf 0 | 1 at 0.5; held-out rows say the split is of no use, then that it is.
    tree = DecisionTreeClassifier().fit([[0.0], [1.0], [0.0]], [0, 1, 0])
    held = np.array([[0.0], [1.0], [1.0]])
    assert prune(tree, "reduced-error", X_val=held, y_val=[0, 0, 1]).get_n_leaves() == 1
    assert prune(tree, "reduced-error", X_val=held, y_val=[0, 1, 1]).get_n_leaves() == 2
    weighted = prune(
        tree, "reduced-error", X_val=held, y_val=[0, 0, 1], sample_weight_val=[1, 1, 2]
    )
    assert weighted.get_n_leaves() == 2


def test_held_out_classes_unknown_to_the_tree_are_errors():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0], [0.0]], [0, 1, 0])
    held = np.array([[0.0], [1.0], [1.0], [1.0]])
    assert prune(tree, "reduced-error", X_val=held, y_val=[0, 1, 7, 7]).get_n_leaves() == 2


# Against naive twins


@settings(max_examples=40, deadline=None)
@given(
    trees(),
    st.sampled_from(LOCAL),
    st.sampled_from([0.0, 2.0, 7.5]),
    st.sampled_from(["binomial", "chen"]),
    DEPTH_FIRST,
)
def test_local_criteria_match_naive(tree, criterion, m, limit, depth_first):
    left, right, value = flat(tree, depth_first)
    prior = (value[0] / value[0].sum()).tolist()
    size = (4, float(value[0].sum()), 1)
    pruning, _ = find_pruning(
        as_tree(left, right, value), criterion, m=m, limit=limit, n_features=size[0]
    )
    expected, cost = naive.prune_by(
        tree,
        lambda counts: naive.leaf_cost(counts, criterion, m=m, prior=prior, limit=limit),
        lambda *there: naive.margin(*there, criterion, size=size),
    )
    assert rebuilt(pruning, value) == expected
    assert pruning.cost == pytest.approx(cost, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(trees(max_leaves=8), st.data(), DEPTH_FIRST)
def test_reduced_error_matches_naive(tree, data, depth_first):
    left, right, value = flat(tree, depth_first)
    leaves = np.flatnonzero(left == -1)
    n = data.draw(st.integers(1, 20))
    at = np.array(data.draw(st.lists(st.sampled_from(list(leaves)), min_size=n, max_size=n)))
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    counts = np.zeros(value.shape, dtype=int)
    np.add.at(counts, (at, codes), 1)
    for node in range(len(left) - 1, -1, -1):
        if left[node] != -1:
            counts[node] = counts[left[node]] + counts[right[node]]
    pruning, _ = find_pruning(
        as_tree(left, right, value), "reduced-error", held_out=(at, codes, np.ones(n))
    )
    expected, errors = naive.held_out_pruning(tree, nested(left, right, counts))
    assert rebuilt(pruning, value) == expected
    assert pruning.cost == errors


@settings(max_examples=40, deadline=None)
@given(trees(), st.sampled_from([0.0, 0.05, 0.3, 0.9]), DEPTH_FIRST)
def test_critical_value_matches_naive(tree, critical, depth_first):
    left, right, value = flat(tree, depth_first)
    made = as_tree(left, right, value)
    gains = split_gains(made)[left != -1]
    if np.any(np.abs(gains - critical) < 1e-9):
        critical += 1e-6  # not on the edge, where rounding decides
    pruning, level = find_pruning(made, "critical-value", critical_value=critical)
    assert rebuilt(pruning, value) == naive.critical_pruning(tree, critical)[0]
    assert level == critical


@settings(max_examples=30, deadline=None)
@given(trees(max_leaves=8), st.sampled_from([0.0031, 0.0203, 0.1003, 0.4001]), DEPTH_FIRST)
def test_cost_complexity_by_errors_matches_naive_and_is_the_cheapest(tree, alpha, depth_first):
    left, right, value = flat(tree, depth_first)
    total = value[0].sum()
    made = as_tree(left, right, value)
    pruning, _ = find_pruning(made, "cost-complexity", ccp_alpha=alpha, node_cost="error")
    cost = lambda counts: (sum(counts) - max(counts)) / total  # noqa: E731
    assert rebuilt(pruning, value) == naive.weakest_link_pruning(tree, alpha, cost)
    # Cutting weakest links is the bottom-up pass with alpha charged for every leaf.
    errors = (value.sum(axis=1) - value.max(axis=1)) / total
    np.testing.assert_array_equal(prune_bottom_up(left, right, errors + alpha).kept, pruning.kept)


# Against scikit-learn


SETS = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "noisy": noisy,
    "ties": lambda: (np.random.default_rng(0).integers(0, 3, (200, 4)), np.arange(200) % 3),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_cost_complexity_is_that_of_scikit_learn(name, criterion):
    X, y = SETS[name]()
    weight = np.random.default_rng(0).integers(1, 4, len(X)) if name == "noisy" else None
    tree = DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = tree.cost_complexity_pruning_path(X, y, sample_weight=weight)
    tree.fit(X, y, sample_weight=weight)
    ours = cost_complexity_path(from_sklearn(tree))
    np.testing.assert_array_equal(ours.ccp_alphas, theirs.ccp_alphas)
    np.testing.assert_array_equal(ours.costs, theirs.impurities)
    alphas = theirs.ccp_alphas[theirs.ccp_alphas >= 0]
    between = (alphas[1:] + alphas[:-1]) / 2
    for alpha in [*alphas[:: max(1, len(alphas) // 8)], *between[::5], alphas[-1] + 1]:
        expected = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=alpha)
        expected.fit(X, y, sample_weight=weight)
        actual = prune(tree, "cost-complexity", ccp_alpha=alpha)
        assert actual.get_n_leaves() == expected.get_n_leaves()
        for array in ("feature", "threshold", "n_node_samples", "impurity", "children_left"):
            np.testing.assert_array_equal(
                getattr(actual.tree_, array), getattr(expected.tree_, array), err_msg=array
            )
        np.testing.assert_allclose(actual.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_pruned_trees_are_real_scikit_learn_trees(criterion):
    X, X_val, y, y_val = halves(*noisy(400))
    labels = np.array(["a", "b", "c"])
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, labels[y])
    pruned = prune(tree, criterion, X_val=X_val, y_val=labels[y_val])
    assert type(pruned) is DecisionTreeClassifier
    assert tree.get_n_leaves() > 60  # untouched
    assert 1 < pruned.get_n_leaves() < tree.get_n_leaves()
    arrays = prune(from_sklearn(tree), criterion, X_val=X_val, y_val=y_val)
    assert isinstance(arrays, Tree)
    np.testing.assert_array_equal(
        predict_trees(stack_trees([arrays]), X_val.astype(np.float32))[0],
        np.searchsorted(labels, pruned.predict(X_val)),
    )
    # A leaf of the pruned tree is a union of leaves of the whole one.
    pairs = set(zip(tree.apply(X), pruned.apply(X), strict=True))
    assert len(pairs) == tree.get_n_leaves()


@pytest.mark.parametrize("criterion", ["cost-complexity", "critical-value"])
def test_number_is_chosen_by_held_out_rows(criterion):
    X, X_val, y, y_val = halves(*noisy(600, n_classes=2))
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)
    best = prune(tree, criterion, X_val=X_val, y_val=y_val)
    name = "ccp_alpha" if criterion == "cost-complexity" else "critical_value"
    grid = np.unique(
        cost_complexity_path(from_sklearn(tree)).strength
        if criterion == "cost-complexity"
        else critical_strength(from_sklearn(tree))
    )[1:]
    every = [prune(tree, criterion, **{name: float(level)}) for level in grid if level > 0]
    scores = [t.score(X_val, y_val) for t in [*every, tree]]
    assert best.score(X_val, y_val) == pytest.approx(max(scores))
    assert best.get_n_leaves() == min(
        t.get_n_leaves()
        for t, s in zip([*every, tree], scores, strict=True)
        if s >= max(scores) - 1e-12
    )
    small = prune(tree, criterion, X_val=X_val, y_val=y_val, one_se=True)
    error = 1 - max(scores)
    assert small.get_n_leaves() <= best.get_n_leaves()
    assert 1 - small.score(X_val, y_val) <= error + np.sqrt(error * (1 - error) / len(X_val)) + 1e-9


def test_total_stands_for_numbers_of_cases():
    X, y = noisy()
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    plain, light = tree.fit(X, y), DecisionTreeClassifier(criterion="entropy", random_state=0)
    light.fit(X, y, sample_weight=np.full(len(X), 2.0**-12))
    for criterion in ("pessimistic", "minimum-error", "error-based"):
        scaled = prune(light, criterion, total=len(X))
        assert scaled.get_n_leaves() == prune(plain, criterion).get_n_leaves()
        assert prune(light, criterion).get_n_leaves() != scaled.get_n_leaves()


# The link between minimum-error and pessimistic pruning


@pytest.mark.parametrize("n_leaves", [2, 5, 10])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_minimum_error_becomes_pessimistic(n_leaves, share):
    # Equal leaves of one majority class with prior ``share``, and m (1 - share) = 1/2: expected
    # errors are (e + leaves / 2) / (1 + m leaves / n), exactly, and go to e + leaves / 2.
    m = 0.5 / (1 - share)
    rng = np.random.default_rng(0)
    gaps = []
    for size in (10, 100, 1000, 10_000):
        wrong = rng.integers(0, size // 5, size=n_leaves)
        value = np.stack([size - wrong, wrong], axis=1).astype(float)
        n = size * n_leaves
        prior = np.array([share, 1 - share])
        low = LocalCriterion(name="minimum-error", m=m, prior=prior)
        high = LocalCriterion(name="pessimistic")
        subtree, leaf = low.leaf_cost(value).sum(), low.leaf_cost(value.sum(axis=0)[None])[0]
        pessimistic = high.leaf_cost(value).sum()
        assert subtree == pytest.approx(pessimistic / (1 + m * n_leaves / n))
        assert leaf == pytest.approx(high.leaf_cost(value.sum(axis=0)[None])[0] / (1 + m / n))
        gaps.append(abs(subtree / pessimistic - 1))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-3


# Wrong input


@pytest.mark.parametrize(
    ("criterion", "options", "message"),
    [
        ("magic", {}, "criterion='magic': choose 'cost-complexity'"),
        ("reduced-error", {}, "reduced-error needs rows the tree was not grown on: give X_val"),
        ("cost-complexity", {}, "cost-complexity needs ccp_alpha, or rows"),
        ("critical-value", {}, "critical-value needs critical_value, or rows"),
        ("cost-complexity", {"ccp_alpha": -1}, "ccp_alpha=-1: give a number from 0"),
        ("critical-value", {"critical_value": np.nan}, "critical_value=nan"),
        ("cost-complexity", {"ccp_alpha": True}, "ccp_alpha=True"),
        ("cost-complexity", {"ccp_alpha": 1, "node_cost": "x"}, "node_cost='x': choose 'impurity'"),
        ("minimum-error", {"m": -1}, "m=-1: give a number from 0"),
        ("minimum-error", {"m": "big"}, "m='big'"),
        ("minimum-error", {"m": np.inf}, "m=inf"),
        ("minimum-error", {"prior": "old"}, "prior='old': give 'data', 'uniform', or shares"),
        ("minimum-error", {"prior": [0.5, 0.6, 0.1]}, "expected 3 shares"),
        ("minimum-error", {"prior": [1.5, -0.5, 0]}, "expected 3 shares"),
        ("error-based", {"limit": "x"}, "limit='x'"),
        ("error-based", {"cf": 2}, "cf=2"),
        ("pessimistic", {"total": 0}, "total=0"),
        ("reduced-error", {"X_val": [[0.0] * 4]}, "need both X_val and y_val"),
        ("reduced-error", {"y_val": [0]}, "need both X_val and y_val"),
        ("reduced-error", {"X_val": [[0.0] * 4], "y_val": [0, 1]}, "inconsistent numbers"),
        ("reduced-error", {"X_val": [[0.0] * 2], "y_val": [0]}, "columns|column"),
        (
            "reduced-error",
            {"X_val": [[0.0] * 4], "y_val": [0], "sample_weight_val": [-1]},
            "sample_weight_val must be finite and not negative, but is -1 at held-out row 0",
        ),
        (
            "reduced-error",
            {"X_val": [[0.0] * 4], "y_val": [0], "sample_weight_val": [0]},
            "at least one must count",
        ),
    ],
)
def test_wrong_arguments(criterion, options, message):
    tree = DecisionTreeClassifier(random_state=0).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match=message):
        prune(tree, criterion, **options)


def test_trees_that_are_not_for_classes():
    with pytest.raises(TypeError, match="DecisionTreeRegressor was given, expected a Tree"):
        prune(DecisionTreeRegressor().fit([[0], [1]], [0, 1]))
    with pytest.raises(ValueError, match="minimum-error needs a prior"):
        LocalCriterion(name="minimum-error").leaf_cost(np.ones((1, 2)))


def test_a_tree_of_one_leaf_stays():
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    tree = DecisionTreeClassifier().fit(X, y)
    for criterion in CRITERIA:
        assert prune(tree, criterion, X_val=X, y_val=y).get_n_leaves() == 1


def test_cutting_keeps_the_directions_of_oblique_splits():
    left, right = np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1])
    value = np.array([[9, 9], [9, 0], [0, 9], [0, 4], [0, 5]], dtype=float)
    tree = as_tree(left, right, value)
    object.__setattr__(tree, "normals", np.array([[1.0, 2], [0, 0], [3, 4], [0, 0], [0, 0]]))
    pruned = cut(tree, prune_bottom_up(left, right, [9, 0, 0, 0, 0]))
    np.testing.assert_array_equal(pruned.normals, [[1, 2], [0, 0], [0, 0]])


# Criteria that charge for size, by hand: a node of 8 and 8 cases, split into 8|0 and 0|8


def test_size_by_hand():
    value = np.array([[8.0, 8.0], [8.0, 0.0], [0.0, 8.0]])
    size = {"classes": value[0], "n_features": 2}
    bits = local_criterion("mdl-exceptions", **size)
    # A bit and the class; 0..8 exceptions of 16, then which 8: 12870 ways.
    np.testing.assert_allclose(bits.leaf_cost(value), 2 + np.log2([9 * 12870, 5, 5]), rtol=1e-12)
    # One split of 2 columns and 15 cuts: a bit and log2 30.
    assert bits.margin(0.0, value[0], 2, 0) == pytest.approx(1 + np.log2(30))
    shares = local_criterion("mdl", **size)
    room = 0.5 * np.log2(8) + np.log2(np.pi)
    np.testing.assert_allclose(
        shares.leaf_cost(value), [1 + 16 + room, 2 + np.log2(np.pi), 2 + np.log2(np.pi)]
    )
    bound = local_criterion("kearns-mansour", **size, factor=1.0, cf=0.5)
    expected = 16 * np.sqrt((1 * np.log(30) + np.log(32)) / 16)
    assert bound.margin(0.0, value[0], 2, 0) == pytest.approx(expected)
    deeper = 16 * np.sqrt((4 * np.log(30) + np.log(32)) / 16)
    assert bound.margin(0.0, value[0], 3, 2) == pytest.approx(deeper)
    compared = local_criterion("multiple-comparisons", **size, cf=0.05, n_trees=3)
    np.testing.assert_allclose(compared.leaf_cost(value), [32 * np.log(2), 0, 0], atol=1e-9)
    # 3 trees times 2 columns times 1 + log2 16: 30 comparisons, one degree of freedom.
    assert compared.margin(0.0, value[0], 2, 0) == pytest.approx(stats.chi2.isf(0.05 / 30, 1))


def test_the_quantile_goes_on_where_chances_are_no_numbers():
    compared = local_criterion("multiple-comparisons", classes=np.array([5e4, 5e4]), n_features=90)
    margins = [compared.margin(0.0, np.array([5e4, 5e4]), leaves, 0) for leaves in range(2, 200)]
    assert np.isfinite(margins).all()
    assert (np.diff(margins) > 0).all()


@pytest.mark.parametrize("criterion", ["mdl", "mdl-exceptions", "multiple-comparisons"])
def test_size_keeps_a_signal_and_cuts_noise(criterion):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 3))
    clear = (X[:, 0] > 0.5).astype(int)
    noise = rng.integers(2, size=400)
    grown = DecisionTreeClassifier(random_state=0)
    flipped = np.where(rng.uniform(size=400) < 0.1, 1 - clear, clear)
    assert prune(grown.fit(X, flipped), criterion, cf=0.01).get_n_leaves() == 2
    assert prune(grown.fit(X, noise), criterion, cf=0.01).get_n_leaves() == 1
