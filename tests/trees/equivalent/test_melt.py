import pickle
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import LEVELS, ensembles
from naive import equivalent as naive
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, export_text
from sklearn.utils.estimator_checks import check_estimator

from counterpoint._kernels import equivalent as kernels
from counterpoint.exceptions import InterruptedFitWarning
from counterpoint.trees.ensemble import TreeEnsemble
from counterpoint.trees.equivalent import exact, grid, smallest
from counterpoint.trees.equivalent.certificate import certify
from counterpoint.trees.equivalent.estimator import EnsembleTreeClassifier
from counterpoint.trees.equivalent.melt import equivalent_tree
from counterpoint.trees.structure import Tree
from counterpoint.trees.take import take_trees


def _probes(ensemble, seed=0):
    """Points at thresholds, next to them, on a grid and at random, of the ensemble's type."""
    kind = ensemble.dtype
    at = np.array(LEVELS).astype(kind)
    near = np.concatenate([at, np.nextafter(at, kind(9)), np.nextafter(at, kind(-9)), [-9, 9]])
    rng = np.random.RandomState(seed)
    d = ensemble.n_features
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 2.5, 9)] * d), axis=-1).reshape(-1, d)
    rows = [rng.choice(near, (500, d)), rng.uniform(-1, 3, (500, d)), grid]
    return np.concatenate(rows).astype(kind)


@settings(max_examples=60, deadline=None)
@given(ensembles(), st.sampled_from(["cells", "volume"]))
def test_the_tree_decides_as_the_ensemble_does_everywhere(made, criterion):
    ensemble, plain = made
    one = equivalent_tree(ensemble, criterion=criterion)
    assert one.exact
    X = _probes(ensemble)
    np.testing.assert_array_equal(one.predict(X), ensemble.predict(X))
    cells = np.array(naive.points(plain, ensemble.n_features))
    if ensemble.dtype == np.float64:
        expected = [naive.decide(plain, ensemble.weights, ensemble.kind, x) for x in cells]
        np.testing.assert_array_equal(one.predict(cells), expected)
    assert one.verify().equal


@settings(max_examples=30, deadline=None)
@given(ensembles(), st.randoms(use_true_random=False))
def test_the_order_of_the_trees_does_not_matter(made, random):
    ensemble, _ = made
    order = list(range(ensemble.n_trees))
    random.shuffle(order)
    shuffled = TreeEnsemble(
        trees=tuple(ensemble.trees[t] for t in order),
        weights=ensemble.weights[order],
        classes=ensemble.classes,
        n_features=ensemble.n_features,
        kind=ensemble.kind,
        dtype=ensemble.dtype,
    )
    X = _probes(ensemble)
    if not np.array_equal(ensemble.predict(X), shuffled.predict(X)):
        return  # rounding made another function of it
    one, two = equivalent_tree(ensemble), equivalent_tree(shuffled)
    np.testing.assert_array_equal(one.tree.feature, two.tree.feature)
    np.testing.assert_array_equal(one.tree.threshold, two.tree.threshold)


@settings(max_examples=40, deadline=None)
@given(
    ensembles(n_features=2, max_trees=4),
    st.sampled_from(["leaves", "depth"]),
    st.sampled_from(["table", "search", "search, then table"]),
)
def test_the_smallest_tree_is_the_smallest(made, minimize, way):
    ensemble, plain = made
    fewest = naive.smallest(
        plain, ensemble.weights, ensemble.kind, ensemble.n_features, minimize == "depth"
    )
    with pytest.MonkeyPatch.context() as patch:
        if way == "search":
            patch.setattr(grid, "_MOST_CELLS", 0)
        elif way == "search, then table":
            patch.setattr(smallest, "_TABLE_FIRST", 0)
            patch.setattr(smallest, "_STEPS", 1)
        one = equivalent_tree(ensemble, minimize=minimize)
    assert one.smallest
    assert one.verify().equal
    size = one.tree.max_depth if minimize == "depth" else one.n_leaves
    if ensemble.dtype == np.float64:
        assert size == fewest
    else:  # thresholds that float32 does not tell apart need not be told apart
        assert size <= fewest
    assert size <= (lambda t: t.max_depth if minimize == "depth" else t.n_leaves)(
        equivalent_tree(ensemble).tree
    )


@pytest.mark.parametrize("minimize", ["leaves", "depth"])
def test_the_smallest_tree_of_many_classes(minimize):
    y = np.repeat(np.arange(140), 2)
    X = y[:, None].astype(float)
    tree = DecisionTreeClassifier().fit(X, y)
    one = equivalent_tree(tree, minimize=minimize)
    assert one.smallest
    assert one.n_leaves == 140
    assert one.verify().equal
    np.testing.assert_array_equal(one.predict(X), y)


@settings(max_examples=40, deadline=None)
@given(ensembles(), st.integers(0, 10**6))
def test_verify_finds_a_changed_leaf(made, seed):
    ensemble, _ = made
    one = equivalent_tree(ensemble)
    tree = one.tree
    leaves = np.flatnonzero(tree.is_leaf)
    broken = leaves[seed % len(leaves)]
    value = tree.value.copy()
    value[broken] = np.roll(np.eye(ensemble.n_classes)[tree.label[broken]], 1)
    changed = Tree(**{**vars(tree), "value": value})
    certificate = certify(changed, ensemble)
    assert certificate.equal is False
    assert not certificate
    point = certificate.counterexample[None]
    assert ensemble.score(point)[0].argmax() == certificate.expected != certificate.given
    assert one.predict(point)[0] == certificate.expected


@settings(max_examples=40, deadline=None)
@given(ensembles(), st.integers(1, 6))
def test_a_budget_is_kept_and_what_is_proven_is_true(made, max_leaves):
    ensemble, _ = made
    X = _probes(ensemble)
    whole, one = equivalent_tree(ensemble, X), equivalent_tree(ensemble, X, max_leaves=max_leaves)
    assert one.n_leaves <= max_leaves
    assert one.exact == (one.stopped_by == "")
    if not one.exact:
        assert one.stopped_by == "max_leaves"
        assert one.faithfulness.rows <= one.faithfulness.agreement
        assert 0 <= one.faithfulness.volume <= 1
    else:
        assert one.faithfulness.volume == one.faithfulness.rows == 1
        assert one.verify().equal
    assert whole.faithfulness.agreement == 1
    alike = (one.predict(X) == ensemble.predict(X)).mean()
    assert one.faithfulness.agreement == pytest.approx(alike)


# -- real ensembles ----------------------------------------------------------------------------

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(6, max_depth=3, random_state=0),
        ExtraTreesClassifier(5, max_depth=3, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(), 6, random_state=0),
        BaggingClassifier(TREE, 6, max_features=2, random_state=0),
        AdaBoostClassifier(TREE, n_estimators=5, random_state=0),
        VotingClassifier([("a", TREE), ("b", DecisionTreeClassifier(max_depth=2))]),
        GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
        TREE,
    ],
    ids=lambda e: type(e).__name__,
)
def test_kinds_of_ensembles(ensemble):
    one = EnsembleTreeClassifier(ensemble, random_state=0).fit(X_IRIS, Y_IRIS)
    assert one.exact_
    assert one.verify().equal
    rng = np.random.RandomState(0)
    X = rng.uniform(X_IRIS.min(axis=0) - 1, X_IRIS.max(axis=0) + 1, (3000, 4))
    np.testing.assert_array_equal(one.predict(X), one.pool_.predict(X))
    np.testing.assert_array_equal(one.as_sklearn().predict(X), one.pool_.predict(X))
    assert one.n_leaves_ == one.get_n_leaves() == one.tree_.n_leaves


def test_a_single_tree_comes_out_no_larger():
    tree = DecisionTreeClassifier(random_state=0).fit(X_IRIS, Y_IRIS)
    assert equivalent_tree(tree, minimize="leaves").n_leaves <= tree.get_n_leaves()


def test_labels_frames_and_sklearn():
    data = load_iris(as_frame=True)
    y = data.target_names[data.target]
    one = EnsembleTreeClassifier(random_state=0).fit(data.data, y)
    assert set(one.predict(data.data)) <= set(y)
    tree = one.as_sklearn()
    assert list(tree.feature_names_in_) == list(data.data.columns)
    np.testing.assert_array_equal(tree.predict(data.data), one.predict(data.data))
    assert "petal" in export_text(tree, feature_names=list(data.data.columns))
    assert "petal" in str(one.rules_)
    np.testing.assert_allclose(tree.predict_proba(data.data), one.predict_proba(data.data))
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.predict(data.data), one.predict(data.data))
    assert again.verify().equal


def test_fitted_ensembles_are_not_fitted_again():
    forest = RandomForestClassifier(5, max_depth=2, random_state=3).fit(X_IRIS, Y_IRIS)
    for one in (
        EnsembleTreeClassifier(forest),
        EnsembleTreeClassifier(FrozenEstimator(forest)),
    ):
        one.fit(X_IRIS[::2], Y_IRIS[::2])
        np.testing.assert_array_equal(one.predict(X_IRIS), forest.predict(X_IRIS))
    assert EnsembleTreeClassifier(forest).fit(X_IRIS, Y_IRIS).pool_ is forest


def test_pipelines_and_searches():
    model = make_pipeline(StandardScaler(), EnsembleTreeClassifier(random_state=0))
    grid = GridSearchCV(model, {"ensembletreeclassifier__max_leaves": [3, 100]}, cv=2)
    with pytest.warns(ConvergenceWarning, match="max_leaves"):
        grid.fit(X_IRIS, Y_IRIS)
    assert grid.best_score_ > 0.8


def test_same_seed_same_tree():
    made = [EnsembleTreeClassifier(random_state=4).fit(X_IRIS, Y_IRIS).tree_ for _ in range(2)]
    np.testing.assert_array_equal(made[0].threshold, made[1].threshold)


def test_weights_go_to_the_ensemble():
    weight = np.where(Y_IRIS == 2, 0.0, 1.0)
    one = EnsembleTreeClassifier(RandomForestClassifier(5, max_depth=2), random_state=0)
    assert 2 not in one.fit(X_IRIS, Y_IRIS, sample_weight=weight).predict(X_IRIS)
    with pytest.raises(ValueError, match="the pool is fitted"):
        EnsembleTreeClassifier(one.pool_).fit(X_IRIS, Y_IRIS, sample_weight=weight)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        EnsembleTreeClassifier(_Unweighted()).fit(X_IRIS, Y_IRIS, sample_weight=weight)


class _Unweighted(RandomForestClassifier):
    def __init__(self):
        super().__init__(3)

    def fit(self, X, y):
        return super().fit(X, y)


def test_sklearn_contract_of_samples():
    model = EnsembleTreeClassifier(method="sample", n_overlaps=200, random_state=0)
    drawn = {"check_sample_weight_equivalence_on_dense_data": "each bagged tree draws rows"}
    check_estimator(model, on_skip=None, expected_failed_checks=drawn)


# -- budgets -----------------------------------------------------------------------------------


def _large():
    X, y = make_classification(300, 10, n_informative=8, random_state=0)
    return X, y, RandomForestClassifier(20, random_state=0).fit(X, y)


def test_time_runs_out():
    X, _, forest = _large()
    one = equivalent_tree(forest, X, time_limit=0.2, max_leaves=None)
    assert not one.exact
    assert one.stopped_by == "time_limit"
    assert 0 < one.faithfulness.agreement < 1
    assert one.verify(limit=1_000_000).equal is not True


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    X, _, forest = _large()
    expand, calls = kernels.expand, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return expand(*arguments)

    monkeypatch.setattr(exact.kernels, "expand", interrupted)
    with pytest.warns(InterruptedFitWarning, match="only where it is proven to"):
        one = equivalent_tree(forest, X)
    assert one.stopped_by == "interrupted"
    assert one.n_leaves > 10
    assert one.faithfulness.agreement > 0.5


def test_more_leaves_are_more_faithful():
    X, _, forest = _large()
    agreement = [
        equivalent_tree(forest, X, max_leaves=n).faithfulness.agreement for n in (1, 20, 300)
    ]
    assert agreement[0] < agreement[1] < agreement[2]


@pytest.mark.parametrize("most_bytes", [0, 2**32])
def test_search_for_the_smallest_runs_out(monkeypatch, most_bytes):
    monkeypatch.setattr(grid, "_MOST_BYTES", most_bytes)
    monkeypatch.setattr(smallest, "_TABLE_FIRST", 0)
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X[:, :8], y)
    deadline = time.perf_counter() + 0.5
    packed = exact.pack(take_trees(forest))
    melter = exact.Melter(packed, exact.threshold_bounds(packed))
    melted = melter.result(None, *melter.run(None, None))
    assert melted.finished
    found, proven = smallest.find_smallest(packed, melted, "leaves", deadline)
    assert found is melted
    assert not proven


def test_a_certificate_can_give_up():
    X, y, forest = _large()
    one = equivalent_tree(forest, X, max_leaves=50)
    found = certify(one.tree, one.ensemble, limit=1)
    assert found.equal is None or found.equal is False
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    same = take_trees([tree])
    assert certify(same.trees[0], same, limit=1).equal is None


# -- samples -----------------------------------------------------------------------------------


def test_all_overlaps_make_an_exact_tree():
    one = EnsembleTreeClassifier(method="sample", random_state=0).fit(X_IRIS, Y_IRIS)
    assert not one.exact_
    assert one.faithfulness_.volume == 0
    assert one.faithfulness_.agreement == 1
    # Few overlaps, many draws: all of them were met.
    assert one.verify().equal


@pytest.mark.parametrize("weight", ["volume", "data", "both"])
@pytest.mark.parametrize("sampling", ["uniform", "data", "volume"])
def test_samples(weight, sampling):
    X, y, forest = _large()
    one = EnsembleTreeClassifier(
        forest, method="sample", sampling=sampling, weight=weight, n_overlaps=3000,
        random_state=0,
    )  # fmt: skip
    if weight == "data" and sampling != "data":
        with pytest.raises(ValueError, match="holds a training row"):
            one.fit(X, y)
        return
    one.fit(X, y)
    assert one.n_overlaps_ <= 3000
    if sampling == "data":
        assert one.faithfulness_.agreement > 0.8


def test_agreement_is_strictly_above_and_rank_keeps_a_share():
    def made(**options):
        model = EnsembleTreeClassifier(
            BaggingClassifier(DecisionTreeClassifier(), 10, random_state=0),
            method="sample",
            n_overlaps=2000,
            random_state=0,
            **options,
        )
        return model.fit(X_IRIS, Y_IRIS)

    every = made().n_overlaps_
    assert made(agreement=0.8).n_overlaps_ < made(agreement=0.6).n_overlaps_ < every
    # Ten pure trees: 0.79 lets eight of ten through, 0.8 does not.
    assert made(agreement=0.8).n_overlaps_ < made(agreement=0.79).n_overlaps_
    assert made(keep=0.5).n_overlaps_ == int(np.ceil(0.5 * every))


def test_pruning_makes_small_trees():
    X, y, forest = _large()
    options = dict(method="sample", sampling="data", n_overlaps=3000, random_state=0)
    whole = EnsembleTreeClassifier(forest, **options).fit(X, y)
    pruned = EnsembleTreeClassifier(forest, pruning="error-based", **options).fit(X, y)
    hard = EnsembleTreeClassifier(
        forest, pruning={"criterion": "error-based", "cf": 0.01}, **options
    ).fit(X, y)
    assert hard.n_leaves_ <= pruned.n_leaves_ < whole.n_leaves_
    assert pruned.score(X, y) > 0.8


def test_a_pruned_exact_tree_is_not_exact():
    X, y = load_breast_cancer(return_X_y=True)
    ensemble = RandomForestClassifier(3, max_depth=3, random_state=0)
    one = EnsembleTreeClassifier(ensemble, pruning="error-based").fit(X, y)
    assert not one.exact_
    assert one.n_leaves_ < EnsembleTreeClassifier(ensemble).fit(X, y).n_leaves_
    assert one.faithfulness_.volume == 0


def test_samples_keep_to_their_leaves():
    X, y, forest = _large()
    one = EnsembleTreeClassifier(
        forest, method="sample", sampling="data", max_leaves=7, random_state=0
    ).fit(X, y)
    assert one.n_leaves_ == 7


# -- wrong input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(method="both"), "method='both'"),
        (dict(criterion="gini"), "criterion='gini'"),
        (dict(minimize="nodes"), "minimize='nodes'"),
        (dict(max_leaves=0), "max_leaves=0"),
        (dict(max_leaves=2.5), "max_leaves=2.5"),
        (dict(time_limit=0), "time_limit=0"),
        (dict(n_overlaps=0), "n_overlaps=0"),
        (dict(sampling="all"), "sampling='all'"),
        (dict(agreement=1.0), "agreement=1.0"),
        (dict(keep=0), "keep=0"),
        (dict(weight="rows"), "weight='rows'"),
        (dict(pruning=3), "pruning=3"),
        (dict(pruning={"cv": 0.1}), "an option in pruning='cv'"),
        (dict(pruning={"criterion": "volume", "cf": 0.1}), "an option in pruning='cf'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        EnsembleTreeClassifier(**options).fit(X_IRIS, Y_IRIS)


def test_foreign_ensembles():
    with pytest.raises(TypeError, match="LogisticRegression"):
        equivalent_tree(LogisticRegression(max_iter=1000).fit(X_IRIS, Y_IRIS))
    with pytest.raises(TypeError, match="regressor"):
        equivalent_tree(RandomForestRegressor(2).fit(X_IRIS, Y_IRIS))
    with pytest.raises(NotFittedError):
        equivalent_tree(RandomForestClassifier())
    with pytest.raises(NotFittedError):
        EnsembleTreeClassifier([DecisionTreeClassifier()]).fit(X_IRIS, Y_IRIS)
    trees = [DecisionTreeClassifier().fit(X_IRIS[:, :k], Y_IRIS) for k in (2, 3)]
    with pytest.raises(ValueError, match="different columns"):
        equivalent_tree(trees)
    forest = RandomForestClassifier(2, random_state=0).fit(X_IRIS, Y_IRIS)
    with pytest.raises(ValueError, match="fitted on 4"):
        EnsembleTreeClassifier(forest).fit(X_IRIS[:, :2], Y_IRIS)
    with pytest.raises(ValueError, match="does not know"):
        EnsembleTreeClassifier(forest).fit(X_IRIS, Y_IRIS + 1)


def test_oblique_trees():
    tree = equivalent_tree(TREE.fit(X_IRIS, Y_IRIS)).tree
    normals = np.zeros((tree.node_count, 4))
    feature = np.where(tree.is_leaf, -1, -2).astype(np.int32)
    oblique = Tree(**{**vars(tree), "feature": feature, "normals": normals + 1.0})
    with pytest.raises(ValueError, match="oblique"):
        equivalent_tree(oblique)


def test_missing_values():
    X = X_IRIS.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        EnsembleTreeClassifier().fit(X, Y_IRIS)
    one = EnsembleTreeClassifier(random_state=0).fit(X_IRIS, Y_IRIS)
    with pytest.raises(ValueError, match="NaN"):
        one.predict(X)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, Y_IRIS)
    with pytest.raises(ValueError, match="missing values"):
        equivalent_tree(forest, X)
    # The ensemble knows missing values; the tree is exact for all others.
    one = equivalent_tree(forest)
    assert one.verify().equal
    np.testing.assert_array_equal(one.predict(X_IRIS), forest.predict(X_IRIS))
    with pytest.raises(ValueError, match="missing values"):
        one.predict(X)


def test_no_overlap_left():
    # Trees grown to the end never agree on less than all of three, and share no overlap there.
    votes = [DecisionTreeClassifier().fit([[0.0]], [c]) for c in "abc"]
    one = EnsembleTreeClassifier(
        VotingClassifier([(c, TREE) for c in "ab"], voting="hard"),
        method="sample",
        agreement=0.999,
        n_overlaps=1,
        random_state=0,
    )
    assert one.fit(X_IRIS, Y_IRIS).n_overlaps_ == 1
    ensemble = take_trees(votes)
    fitted = EnsembleTreeClassifier(ensemble, method="sample", agreement=0.5, n_overlaps=5)
    with pytest.raises(ValueError, match=r"agreement=0\.5 leaves no overlap"):
        fitted.fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])


def test_scores_below_zero_are_no_votes():
    scores = GradientBoostingClassifier(n_estimators=2).fit(X_IRIS, Y_IRIS)
    with pytest.raises(ValueError, match="scores below zero"):
        EnsembleTreeClassifier(scores, method="sample").fit(X_IRIS, Y_IRIS)


def test_certify_needs_the_same_classes():
    two = DecisionTreeClassifier(max_depth=1).fit(X_IRIS[:100], Y_IRIS[:100])
    with pytest.raises(ValueError, match="2 classes, the ensemble 3"):
        certify(take_trees(two).trees[0], take_trees(TREE.fit(X_IRIS, Y_IRIS)))
    with pytest.raises(ValueError, match="limit=0"):
        certify(take_trees(two).trees[0], take_trees(two), limit=0)


def test_clone():
    one = EnsembleTreeClassifier(TREE, method="sample", agreement=0.3)
    assert clone(one).get_params()["agreement"] == 0.3
