"""The estimator with criteria other than its default."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.growing.pruned import PrunedTreeClassifier
from counterpoint.trees.pruning.paths import cost_complexity_path
from counterpoint.trees.pruning.prune import CRITERIA, prune

EVERY = pytest.mark.parametrize("criterion", CRITERIA)
GROWERS = pytest.mark.parametrize("grower", ["sklearn", "hist"])


def noisy(n=300, seed=0, n_classes=3):
    return make_classification(
        n, 6, n_informative=4, flip_y=0.3, n_classes=n_classes, random_state=seed
    )


def expected_failures(estimator):
    if estimator.criterion == "reduced-error":
        # Which samples are held out depends on how many rows there are, not on their weight.
        return {"check_sample_weight_equivalence_on_dense_data": "rows are held out, not cases"}
    return {}


@parametrize_with_checks(
    [PrunedTreeClassifier(c) for c in CRITERIA if c != "error-based"],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@EVERY
@GROWERS
def test_prunes_and_holds_a_real_tree(criterion, grower):
    X, y = noisy(400)
    tree = PrunedTreeClassifier(criterion, grower=grower, random_state=0).fit(X, y)
    assert 1 < tree.get_n_leaves() < tree.unpruned_leaves_
    assert tree.n_pruned_ == tree.unpruned_leaves_ - tree.get_n_leaves()
    assert 0 < tree.estimated_error_ < 1
    inner = tree.as_sklearn()
    assert type(inner) is DecisionTreeClassifier
    np.testing.assert_array_equal(inner.predict_proba(X), tree.predict_proba(X))
    np.testing.assert_array_equal(tree.as_sklearn().predict(X), tree.predict(X))
    assert len(tree.rules_) == tree.get_n_leaves()
    again = PrunedTreeClassifier(criterion, grower=grower, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.apply(X), tree.apply(X))


@pytest.mark.parametrize("criterion", ["pessimistic", "minimum-error", "error-based"])
def test_is_the_function_on_the_tree_of_scikit_learn(criterion):
    X, y = noisy()
    tree = PrunedTreeClassifier(criterion, random_state=0).fit(X, y)
    whole = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    expected = prune(whole.fit(X, y), criterion)
    np.testing.assert_array_equal(tree.apply(X), expected.apply(X))


def test_options_reach_the_criterion():
    X, y = noisy()

    def leaves(**options):
        return PrunedTreeClassifier(random_state=0, **options).fit(X, y).get_n_leaves()

    assert leaves(limit="chen") < leaves()
    assert leaves(criterion="minimum-error", m=30.0) < leaves(criterion="minimum-error", m=1.0)
    assert leaves(criterion="minimum-error", m=3.0, prior="uniform") == leaves(
        criterion="minimum-error", m="laplace"
    )


@pytest.mark.parametrize("alpha", [0.0, 0.004, 0.02, 5.0])
def test_given_alpha_is_that_of_scikit_learn(alpha):
    X, y = noisy()
    ours = PrunedTreeClassifier(
        "cost-complexity", ccp_alpha=alpha, split_criterion="gini", min_samples_leaf=1
    ).set_params(random_state=0)
    theirs = DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.fit(X, y).apply(X), theirs.apply(X))
    assert ours.ccp_alpha_ == alpha
    assert ours.estimated_error_ == pytest.approx(1 - theirs.score(X, y))


def test_alpha_chosen_by_cross_validation_is_the_best_of_a_grid():
    X, y = noisy(200, n_classes=2)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    tree = PrunedTreeClassifier(
        "cost-complexity", cv=folds, split_criterion="gini", min_samples_leaf=1, random_state=0
    ).fit(X, y)
    whole = DecisionTreeClassifier(random_state=0)
    known = np.unique(cost_complexity_path(from_sklearn(whole.fit(X, y))).strength)
    known = known[known > 0]
    grid = np.array([0.0, *np.sqrt(known[1:] * known[:-1]), known[-1]])
    errors = [
        (cross_val_predict(whole.set_params(ccp_alpha=a), X, y, cv=folds) != y).mean() for a in grid
    ]
    # The estimator hands its generator on from tree to tree; without ties in the splits that
    # makes no difference.
    assert tree.estimated_error_ == pytest.approx(min(errors), abs=0.011)
    at = np.argmin(np.abs(grid - tree.ccp_alpha_))
    assert grid[at] == pytest.approx(tree.ccp_alpha_)
    assert errors[at] <= min(errors) + 0.011


@pytest.mark.parametrize("criterion", ["cost-complexity", "critical-value"])
def test_one_standard_error_prunes_more(criterion):
    name = "ccp_alpha_" if criterion == "cost-complexity" else "critical_value_"
    cut = 0
    for seed in range(4):
        X, y = noisy(200, seed=seed)
        plain = PrunedTreeClassifier(criterion, random_state=0).fit(X, y)
        small = PrunedTreeClassifier(criterion, one_se=True, random_state=0).fit(X, y)
        assert getattr(small, name) >= getattr(plain, name)
        assert small.estimated_error_ >= plain.estimated_error_
        cut += plain.get_n_leaves() - small.get_n_leaves()
    assert cut > 0


def test_reduced_error_grows_on_the_rest():
    X, y = noisy(400)
    tree = PrunedTreeClassifier("reduced-error", validation_fraction=0.25, random_state=0)
    tree.fit(X, y)
    assert tree.tree_.value[0].sum() == 300
    # The same share of each class, to a row.
    np.testing.assert_allclose(tree.tree_.value[0], np.bincount(y) * 0.75, atol=1)


def test_weights_count_when_samples_are_held_out():
    X, y = noisy(300, n_classes=2)
    weight = np.where(y == 0, 5.0, 1.0)
    for criterion in ("cost-complexity", "reduced-error", "critical-value"):
        plain = PrunedTreeClassifier(criterion, random_state=0).fit(X, y)
        heavy = PrunedTreeClassifier(criterion, random_state=0).fit(X, y, weight)
        assert (heavy.predict(X) == 0).mean() > (plain.predict(X) == 0).mean()


def test_a_class_seen_only_among_the_held_out():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50, 50:100, 100]  # one sample of the last class
    for criterion in ("reduced-error", "cost-complexity"):
        tree = PrunedTreeClassifier(criterion, random_state=0).fit(X[rows], y[rows])
        assert tree.predict_proba(X).shape == (150, 3)


def test_in_a_grid():
    X, y = noisy(150)
    grid = GridSearchCV(PrunedTreeClassifier(random_state=0), {"criterion": CRITERIA}, cv=2)
    assert grid.fit(X, y).best_params_["criterion"] in CRITERIA


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "reduced-error", "validation_fraction": 1.0}, "validation_fraction=1.0"),
        ({"criterion": "cost-complexity", "cv": 1}, "cv=1: give a number of folds from 2"),
        ({"criterion": "cost-complexity", "cv": True}, "cv=True"),
        ({"criterion": "cost-complexity", "ccp_alpha": "a"}, "ccp_alpha='a'"),
        ({"criterion": "critical-value", "critical_value": -0.1}, "critical_value=-0.1"),
        ({"criterion": "minimum-error", "m": None}, "m=None"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        PrunedTreeClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("criterion", ["reduced-error", "cost-complexity"])
def test_too_few_samples_to_hold_some_out(criterion):
    tree = PrunedTreeClassifier(criterion, min_samples_leaf=1)
    if criterion == "reduced-error":
        with pytest.raises(ValueError, match="n_samples=1 with a weight"):
            tree.fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 0])
    else:
        with pytest.raises(ValueError, match="too few samples to hold some out"):
            tree.set_params(cv=[([0], [])]).fit([[0.0], [1.0]], [0, 1])
