"""Trees to and from scikit-learn, and out of ensembles of many kinds."""

import pickle

import numpy as np
import pandas as pd
import pytest
from random_trees import as_tree
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    export_text,
    plot_tree,
)

from counterpoint.boosting import AdaBoostM2Classifier, AdaBoostNCClassifier, DecorateClassifier
from counterpoint.trees import (
    HistTreeClassifier,
    PrunedTreeClassifier,
    Tree,
    as_sklearn,
    from_sklearn,
    take_trees,
)
from counterpoint.trees.ensemble import predict_trees, stack_trees

X, Y = load_wine(return_X_y=True)
NAMES = np.array(["blush", "red", "white"])
LABELS = NAMES[Y]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def noisy(n=400):
    return X[np.random.default_rng(0).integers(len(X), size=n)] * np.random.default_rng(1).normal(
        1, 0.15, size=(n, X.shape[1])
    )


# -- single trees ------------------------------------------------------------------------------


def test_a_regressor_keeps_its_means():
    rng = np.random.default_rng(0)
    rows, target = rng.normal(size=(100, 3)), rng.normal(size=100)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(rows, target)
    tree = from_sklearn(model)
    assert tree.value.shape == (tree.node_count, 1)
    said = predict_trees(stack_trees([tree]), rows.astype(np.float32), kind="values")[0]
    np.testing.assert_array_equal(said, model.predict(rows))


def test_whole_weights_of_classes_are_whole_numbers():
    forest = RandomForestClassifier(20, random_state=0, max_depth=3).fit(X, LABELS)
    for model in forest.estimators_:
        value = from_sklearn(model).value
        np.testing.assert_array_equal(value, np.rint(value))
        shares = value / value.sum(axis=1, keepdims=True)
        np.testing.assert_array_equal(shares, model.tree_.value[:, 0, :])


def test_small_weights_stay():
    model = TREE.fit(X, Y, sample_weight=np.full(len(X), 1e-12))
    tree = from_sklearn(model)
    np.testing.assert_allclose(tree.value.sum(axis=1), tree.weighted_n_node_samples)
    assert tree.value[0].min() > 0


def test_as_sklearn_is_a_tree_like_any_other():
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
    model = clone(TREE).fit(frame, LABELS)
    made = as_sklearn(from_sklearn(model), NAMES, X.shape[1], frame.columns)
    np.testing.assert_array_equal(made.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(made.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(made.apply(frame), model.apply(frame))
    assert export_text(made) == export_text(model)
    assert len(plot_tree(made)) == len(plot_tree(model))
    np.testing.assert_allclose(made.feature_importances_, model.feature_importances_)
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    clone(made).fit(frame, LABELS)
    assert as_sklearn(from_sklearn(model), NAMES, X.shape[1]).predict(X).tolist() == list(
        model.predict(frame)
    )


def test_as_sklearn_of_a_single_leaf_and_of_a_leaf_without_weight():
    assert as_sklearn(as_tree([1.0, 3.0]), [4, 7], 2).predict([[0.0, 0.0]]).tolist() == [7]
    made = as_sklearn(as_tree((0, 0.0, True, [0.0, 0.0], [0.0, 1.0])), [0, 1], 1)
    assert made.predict_proba([[-1.0]]).tolist() == [[0.5, 0.5]]


def test_as_sklearn_keeps_where_missing_values_go():
    rows = X.copy()
    rows[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    model = clone(TREE).fit(rows, LABELS)
    made = as_sklearn(from_sklearn(model), NAMES, X.shape[1])
    np.testing.assert_array_equal(made.apply(rows), model.apply(rows))


@pytest.mark.parametrize(
    ("classes", "n_features", "names", "words"),
    [
        ([0, 1, 2], 1, None, "2 classes"),
        ([1, 0], 1, None, "sorted"),
        ([1, 1], 1, None, "once"),
        ([0, 1], 2, ["a"], "feature_names has shape"),
        ([0, 1], 0, None, "."),
    ],
)
def test_as_sklearn_refuses(classes, n_features, names, words):
    tree = as_tree((0, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    with pytest.raises(ValueError, match=words):
        as_sklearn(tree, classes, n_features, names)


def test_as_sklearn_refuses_oblique_splits():
    tree = as_tree((0, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    tree = Tree(**{**tree.__dict__, "feature": np.array([-2, -1, -1]), "normals": np.ones((3, 2))})
    with pytest.raises(ValueError, match="oblique"):
        as_sklearn(tree, [0, 1], 2)


# -- ensembles ---------------------------------------------------------------------------------

SMALL = {"n_estimators": 9, "random_state": 0}
ENSEMBLES = {
    "forest": (RandomForestClassifier(max_depth=3, **SMALL), "shares"),
    "extra": (ExtraTreesClassifier(max_depth=3, **SMALL), "shares"),
    "bagging": (BaggingClassifier(TREE, **SMALL), "shares"),
    "subspaces": (BaggingClassifier(TREE, max_features=0.4, **SMALL), "shares"),
    "few rows": (BaggingClassifier(TREE, max_samples=5, **SMALL), "shares"),
    "adaboost": (AdaBoostClassifier(TREE, **SMALL), "votes"),
    "hard": (VotingClassifier([("a", TREE), ("b", ExtraTreeClassifier(random_state=1))]), "votes"),
    "soft": (
        VotingClassifier(
            [("a", TREE), ("no", "drop"), ("b", ExtraTreeClassifier(random_state=1))],
            voting="soft",
            weights=[1.0, 5.0, 2.0],
        ),
        "shares",
    ),
    "tree": (TREE, "shares"),
    "hist tree": (HistTreeClassifier(max_depth=3), "shares"),
    "pruned tree": (PrunedTreeClassifier(random_state=0), "shares"),
    "adaboost.nc": (AdaBoostNCClassifier(HistTreeClassifier(max_depth=2), **SMALL), "votes"),
    "adaboost.nc of scikit-learn's": (AdaBoostNCClassifier(TREE, **SMALL), "votes"),
    "adaboost.m2": (AdaBoostM2Classifier(TREE, **SMALL), None),
    "decorate": (DecorateClassifier(TREE, n_estimators=4, random_state=0), "shares"),
}


@pytest.mark.parametrize("name", ENSEMBLES)
def test_taken_trees_decide_as_their_ensemble(name):
    model, kind = ENSEMBLES[name]
    model = clone(model).fit(X, LABELS)
    trees = take_trees(model)
    rows = noisy()
    np.testing.assert_array_equal(trees.predict(rows), model.predict(rows))
    assert kind is None or trees.kind == kind
    assert trees.score(rows).shape == (len(rows), 3)
    assert (trees.n_features, trees.n_classes) == (X.shape[1], 3)
    if kind == "shares":
        score = trees.score(rows)
        proba = score / score.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(proba, model.predict_proba(rows), atol=1e-12)
    if hasattr(model, "member_predict"):
        said = trees.classes[trees.member_votes(rows)]
        np.testing.assert_array_equal(said, model.member_predict(rows))
    np.testing.assert_array_equal(take_trees(trees).score(rows), trees.score(rows))
    total = sum(table[0] for table in trees.contributions())
    assert total.shape == (3,)


@pytest.mark.parametrize("name", ["forest", "subspaces", "adaboost", "adaboost.nc"])
def test_names_of_columns_are_taken(name):
    columns = [f"c{k}" for k in range(X.shape[1])]
    model = clone(ENSEMBLES[name][0]).fit(pd.DataFrame(X, columns=columns), LABELS)
    assert take_trees(model).feature_names.tolist() == columns


class Committee(ClassifierMixin, BaseEstimator):
    """Somebody's ensemble: trees on parts of the classes, which know labels or class numbers."""

    def __init__(self, codes=False):
        self.codes = codes

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        self.estimator_weights_ = np.array([1.0, 2.0, 4.0])
        target = np.searchsorted(self.classes_, y) if self.codes else y
        self.estimators_ = [
            clone(TREE).fit(X[y != self.classes_[k]], target[y != self.classes_[k]])
            for k in range(3)
        ]
        return self


@pytest.mark.parametrize("codes", [False, True])
def test_members_that_lack_a_class_are_put_in_place(codes):
    committee = Committee(codes).fit(X, 10 * Y + 5)
    trees = take_trees(committee)
    assert trees.classes.tolist() == [5, 15, 25]
    rows = noisy()
    wanted = np.zeros((len(rows), 3))
    for k, model in enumerate(committee.estimators_):
        said = model.predict(rows)
        at = said if codes else np.searchsorted(trees.classes, said)
        wanted[np.arange(len(rows)), at] += 2.0**k
        assert (trees.trees[k].value[:, k] == 0).all()
    np.testing.assert_array_equal(trees.score(rows), wanted)


def test_a_list_of_trees_votes():
    models = [DecisionTreeClassifier(max_depth=d, random_state=0).fit(X, LABELS) for d in (1, 2, 3)]
    trees = take_trees([*models, PrunedTreeClassifier().fit(X, LABELS)])
    assert (trees.kind, trees.n_trees, trees.dtype) == ("votes", 4, np.float32)
    rows = noisy()
    votes = np.stack([model.predict(rows) for model in models])
    np.testing.assert_array_equal(trees.classes[trees.member_votes(rows)[:3]], votes)
    np.testing.assert_array_equal(trees.score(rows).sum(axis=1), 4.0)
    # One that has seen two classes only, among others.
    some = clone(TREE).fit(X[Y > 0], LABELS[Y > 0])
    mixed = take_trees({"some": some, "all": models[0]})
    np.testing.assert_array_equal(mixed.classes[mixed.member_votes(rows)[0]], some.predict(rows))


def test_plain_trees_vote_too():
    tree = as_tree((1, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    assert take_trees([tree, tree]).score([[0.0, 1.0]]).tolist() == [[0.0, 2.0]]
    taken = take_trees(tree, classes=["a", "b"], n_features=3)
    assert taken.predict([[0.0, -1.0, 0.0]]).tolist() == ["a"]
    with pytest.raises(ValueError, match="n_features=1"):
        take_trees(tree, n_features=1)
    with pytest.raises(ValueError, match="2 classes"):
        take_trees(tree, classes=["a"])
    with pytest.raises(ValueError, match="different numbers of classes"):
        take_trees([tree, as_tree([1.0, 2.0, 3.0])])


def test_histogram_trees_take_doubles_as_they_are():
    rows = np.array([[0.1], [np.nextafter(0.1, 1)], [0.3], [0.4]])
    model = HistTreeClassifier(min_samples_leaf=1).fit(rows, [0, 1, 1, 1])
    trees = take_trees(model)
    assert trees.dtype == np.float64
    np.testing.assert_array_equal(trees.predict(rows), model.predict(rows))


def test_wrappers_are_opened_but_pipelines_with_steps_are_not():
    search = GridSearchCV(clone(TREE), {"max_depth": [2]}, cv=2).fit(X, LABELS)
    np.testing.assert_array_equal(take_trees(search).predict(X), search.predict(X))
    bare = make_pipeline(clone(TREE)).fit(X, LABELS)
    np.testing.assert_array_equal(take_trees(bare).predict(X), bare.predict(X))
    with pytest.raises(ValueError, match="pipeline with StandardScaler"):
        take_trees(make_pipeline(StandardScaler(), TREE).fit(X, LABELS))


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (RandomForestClassifier(), NotFittedError, "not fitted"),
        ([DecisionTreeClassifier()], NotFittedError, "Item 0"),
        ([], ValueError, "empty"),
        (KNeighborsClassifier().fit(X, Y), TypeError, "KNeighborsClassifier was given"),
        ("forest", TypeError, "str was given"),
        ([KNeighborsClassifier().fit(X, Y)], TypeError, "Item 0 of the list is a KNeighbors"),
        (RandomForestRegressor(2).fit(X, Y), TypeError, "regressor"),
        ([DecisionTreeRegressor().fit(X, Y)], TypeError, "Item 0"),
        (
            BaggingClassifier(LogisticRegression(), 2).fit(X[Y < 2][:, :2], Y[Y < 2]),
            TypeError,
            "not a tree",
        ),
        (
            [clone(TREE).fit(X, Y), clone(TREE).fit(X[:, :5], Y)],
            ValueError,
            "different columns",
        ),
        (
            [
                clone(TREE).fit(pd.DataFrame(X[:, :2], columns=list("ab")), Y),
                clone(TREE).fit(pd.DataFrame(X[:, :2], columns=list("ba")), Y),
            ],
            ValueError,
            "different columns",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else None,
)
def test_take_trees_refuses(model, error, words):
    with pytest.raises(error, match=words):
        take_trees(model)


def test_an_ensemble_refuses_other_columns():
    with pytest.raises(ValueError, match="X has 2 columns"):
        take_trees(clone(TREE).fit(X, Y)).score(X[:, :2])
