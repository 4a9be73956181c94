"""A member is what its own ``fit`` would give, whatever the options: nothing is restated."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaBoostSVMClassifier,
    ArcX4Classifier,
    L2BoostRegressor,
    NCABSVMClassifier,
    NominalConceptClassifier,
)
from counterpoint.boosting.learners import PreparedLearner, make_learner, shares_work
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor, PrunedTreeClassifier

# Weights of a booster add up to 1. With a power of two of samples and of weight the scale rounds
# nothing, and of splits that are equally good the same one is taken.
X, Y = make_classification(
    256, 8, n_informative=5, n_classes=3, n_clusters_per_class=1, flip_y=0.15, random_state=0
)
X[:, 6] = np.clip(np.round(2 * X[:, 6]) + 5, 0, 10)  # may be taken for categories
NUMBERS = X[:, 0] ** 2 + np.sin(X[:, 1]) + 0.1 * np.random.default_rng(0).normal(size=len(X))

TREE = {
    "max_depth": {"max_depth": 2},
    "max_leaf_nodes": {"max_leaf_nodes": 5},
    "min_samples_split": {"min_samples_split": 60},
    "min_samples_leaf": {"min_samples_leaf": 20},
    "min_weight_fraction_leaf": {"min_weight_fraction_leaf": 0.3},
    "min_impurity_decrease": {"min_impurity_decrease": 0.02},
    "max_bins": {"max_bins": 5},
}
HALVES = [(np.arange(0, 256, 2), np.arange(1, 256, 2))]
PRUNED = {
    "criterion": {"criterion": "pessimistic"},
    "cf": {"cf": 0.01},
    "limit": {"limit": "chen", "cf": 0.5},
    "raising": {"raising": True},
    "m": {"criterion": "minimum-error", "m": 30.0},
    "prior": {"criterion": "minimum-error", "prior": [0.8, 0.1, 0.1], "m": 20.0},
    "ccp_alpha": {"criterion": "cost-complexity", "ccp_alpha": 0.01},
    "node_cost": {"criterion": "cost-complexity", "ccp_alpha": 0.01, "node_cost": "error"},
    "critical_value": {"criterion": "critical-value", "critical_value": 0.05},
    "factor": {"criterion": "kearns-mansour", "factor": 0.02},
    "one_se": {"criterion": "cost-complexity", "one_se": True, "random_state": 0},
    "cv": {"criterion": "critical-value", "cv": HALVES, "random_state": 0},
    "validation_fraction": {
        "criterion": "reduced-error",
        "validation_fraction": 0.6,
        "random_state": 0,
    },
    "split_criterion": {"split_criterion": "gini"},
    "max_depth": {"max_depth": 2},
    "min_samples_leaf": {"min_samples_leaf": 15},
    "grower": {"grower": "sklearn"},
    "max_features": {"grower": "sklearn", "max_features": 2},
    "class_weight": {"class_weight": {0: 1, 1: 5, 2: 1}},
    "random_state": {"criterion": "reduced-error", "random_state": 3},
}
# For every parameter of every learner that shares work: options in which it is not the default.
OPTIONS = {
    HistTreeClassifier: {
        **TREE,
        "criterion": {"criterion": "entropy"},
        "class_weight": {"class_weight": {0: 1, 1: 5, 2: 1}},
    },
    HistTreeRegressor: {
        **TREE,
        "criterion": {"criterion": "squared_error"},  # there is no other
        "min_weight_leaf": {"min_weight_leaf": 40.0},
        "l2_regularization": {"l2_regularization": 20.0},
        "max_features": {"max_features": 0.4, "random_state": 0},
        "categorical_features": {"categorical_features": [6]},
        "monotonic_cst": {"monotonic_cst": [1, 0, 0, 0, -1, 0, 0, 0]},
        "random_state": {"max_features": 0.4, "random_state": 3},
    },
    PrunedTreeClassifier: PRUNED,
    NominalConceptClassifier: {
        "n_attributes": {"n_attributes": 3},
        "measure": {"measure": "gain_ratio"},
        "output": {"output": "hard"},
        "match": {"match": "value", "n_attributes": "all"},
        "discretize": {"discretize": "none"},
        "ties": {"ties": "random", "random_state": 0},
        "random_state": {"ties": "random", "random_state": 0},
    },
}
CASES = [
    pytest.param(kind, name, id=f"{kind.__name__}-{name}")
    for kind, options in OPTIONS.items()
    for name in options
]
NO_EFFECT = {
    (HistTreeRegressor, "criterion"): "one choice only",
    (NominalConceptClassifier, "match"): "training rows cannot tell the two apart",
    (NominalConceptClassifier, "ties"): "no class is as frequent as another here",
    (NominalConceptClassifier, "random_state"): "it is drawn from for ties alone",
}
# What is measured in cases; weights that are not whole are scaled to as many as there are samples.
IN_CASES = ("min_weight_leaf", "l2_regularization", "categorical_features")


def with_option(kind, name):
    """The learner on bins, unless the option needs the other grower."""
    base = {"grower": "hist"} if kind is PrunedTreeClassifier else {}
    return kind(**{**base, **OPTIONS[kind][name]})


def first_member(learner, sample_weight=None):
    if isinstance(learner, HistTreeRegressor):
        booster = L2BoostRegressor(learner, n_estimators=1)
        member = booster.fit(X, NUMBERS, sample_weight).estimators_[0]
        return member, NUMBERS - booster.start_
    options = {"on_failure": "stop", "calibrate": False, "random_state": 0}
    booster = AdaBoostClassifier(learner, n_estimators=1, **options)
    return booster.fit(X, Y, sample_weight).estimators_[0], Y


def assert_same(one, other):
    """The same splits, and leaves that say the same; weights may be on another scale."""
    if isinstance(one, NominalConceptClassifier):
        assert one.attributes_ == other.attributes_
        assert_allclose(one.gains_, other.gains_, atol=1e-12)
        assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-12)
        return
    for name in ("children_left", "children_right", "feature", "missing_go_to_left"):
        assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
    split = one.tree_.children_left >= 0
    assert_array_equal(one.tree_.threshold[split], other.tree_.threshold[split])
    answer = "predict" if isinstance(one, HistTreeRegressor) else "predict_proba"
    assert_allclose(getattr(one, answer)(X), getattr(other, answer)(X), atol=1e-9)


@pytest.mark.parametrize("kind", OPTIONS)
def test_no_parameter_is_missing_from_the_table(kind):
    assert set(OPTIONS[kind]) == set(kind().get_params())


def test_no_learner_that_shares_work_is_missing_from_the_table():
    from counterpoint import boosting, trees

    public = [getattr(package, name) for package in (boosting, trees) for name in package.__all__]
    assert {kind for kind in public if hasattr(kind, "prepare")} == set(OPTIONS)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_first_member_is_the_tree_that_fit_gives(kind, name):
    learner = with_option(kind, name)
    member, y = first_member(learner)
    seeds = {"random_state": None} if "random_state" in member.get_params() else {}
    assert str({**member.get_params(), **seeds}) == str({**learner.get_params(), **seeds})
    # A booster gives each member a seed of its own, as scikit-learn's do; the member has it.
    assert_same(member, clone(member).fit(X, y))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_option_is_felt(kind, name):
    if (kind, name) in NO_EFFECT:
        pytest.skip(NO_EFFECT[kind, name])
    learner = with_option(kind, name)
    plain = clone(learner).set_params(**{name: kind().get_params()[name]})
    if name == "grower":
        plain.set_params(grower="hist")
    if name == "random_state":
        plain.set_params(random_state=0)
    y = NUMBERS if kind is HistTreeRegressor else Y
    with pytest.raises(AssertionError):
        assert_same(learner.fit(X, y), plain.fit(X, y))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("kind", "name"), CASES)
def test_so_it_is_from_other_weights(kind, name, whole):
    weight = np.random.default_rng(1).permutation(np.repeat([1.0, 2.0, 3.0], [64, 128, 64]))
    weight = weight if whole else weight / 2
    learner = with_option(kind, name)
    if name in IN_CASES and kind is HistTreeRegressor and not whole:
        weight = weight * (len(X) / weight.sum())
    if not shares_work(learner) and whole:
        pytest.skip("fitted anew each round: a copy of a row is then a row that counts for more")
    member, y = first_member(learner, weight)
    if kind is HistTreeRegressor:
        y = NUMBERS - np.average(NUMBERS, weights=weight)
    assert_same(member, clone(member).fit(X, y, sample_weight=weight))


@pytest.mark.parametrize(
    "class_weight", ["balanced", {0: 0.3, 1: 2, 2: 1}, {0: 0, 1: 1, 2: 1}], ids=str
)
@pytest.mark.parametrize("kind", [HistTreeClassifier, PrunedTreeClassifier])
def test_class_weights_of_a_member_multiply_the_weights_of_each_round(kind, class_weight):
    """They are no part of the samples' weights: those multiply up, class weights do not."""
    options = {"grower": "hist"} if kind is PrunedTreeClassifier else {"max_depth": 3}
    learner = kind(class_weight=class_weight, **options)
    booster = AdaBoostClassifier(learner, n_estimators=3).fit(X, Y)
    assert_same(booster.estimators_[0], clone(learner).fit(X, Y))
    missed = booster.member_predict(X)[0] != Y
    weight = np.where(missed, np.exp(booster.estimator_weights_[0]), 1.0)
    assert_same(booster.estimators_[1], clone(learner).fit(X, Y, sample_weight=weight / 1000.0))


@pytest.mark.parametrize("kind", [AdaBoostNCClassifier, AdaBoostM2Classifier, ArcX4Classifier])
def test_every_booster_trains_members_so(kind):
    options = {"resample": False} if kind is ArcX4Classifier else {}
    learner = HistTreeClassifier(min_weight_fraction_leaf=0.3)
    booster = kind(learner, n_estimators=1, **options).fit(X, Y)
    assert_same(booster.estimators_[0], clone(learner).fit(X, Y))


def test_a_subclass_with_a_fit_of_its_own_is_fitted():
    class Counting(HistTreeClassifier):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Counting.fits += 1
            return super().fit(X, y, sample_weight)

    assert shares_work(HistTreeClassifier())
    assert not shares_work(Counting())
    assert not shares_work(PrunedTreeClassifier(grower="sklearn"))
    AdaBoostClassifier(Counting(max_depth=2), n_estimators=3, calibrate=False).fit(X, Y)
    assert Counting.fits == 3


def test_data_are_prepared_once(monkeypatch):
    count = []
    prepare = HistTreeClassifier.prepare
    monkeypatch.setattr(
        HistTreeClassifier,
        "prepare",
        lambda self, *a, **k: count.append(1) or prepare(self, *a, **k),
    )
    AdaBoostClassifier(HistTreeClassifier(max_depth=1), n_estimators=5, calibrate=False).fit(X, Y)
    assert len(count) == 1
    options = {"resample": False, "proba": True, "cases": np.ones(len(Y)), "rng": None}
    learner = make_learner(HistTreeClassifier(), X, Y, np.arange(3), **options)
    assert isinstance(learner, PreparedLearner)
    answer = learner.fit(np.full(len(Y), 1 / len(Y)))
    assert_array_equal(answer.votes, answer.model.predict(X))
    assert_array_equal(answer.proba, answer.model.predict_proba(X))


# Machines share distances between rounds and widths: the first is scikit-learn's at that width.
MACHINES = [
    {},
    {"C": 5.0},
    {"log2_width_max": 3},
    {"log2_width_max": 3, "log2_width_min": 1.5},
    {"log2_width_max": 3, "log2_width_step": 0.5},
    {"scale": False},
    {"tol": 1e-1},
    {"narrow": "always"},
]


@pytest.mark.parametrize("kind", [AdaBoostSVMClassifier, NCABSVMClassifier])
@pytest.mark.parametrize("options", MACHINES, ids=str)
def test_the_first_machine_is_the_one_that_fit_gives(kind, options):
    booster = kind(n_estimators=1, **options).fit(X, Y)
    data = StandardScaler().fit_transform(X) if booster.scale else X
    gamma = 0.5 / booster.widths_[0] ** 2
    machine = SVC(C=booster.C, gamma=gamma, tol=booster.tol).fit(data, Y)
    assert_array_equal(booster.estimators_[0].predict(X), machine.predict(data))


def test_no_option_of_machines_is_missing():
    loop = {"n_estimators", "calibrate", "stopping", "warm_start", "progress", "max_samples"}
    options = set().union(*MACHINES)
    assert options == set(AdaBoostSVMClassifier().get_params()) - loop
