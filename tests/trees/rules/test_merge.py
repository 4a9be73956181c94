"""Rules of trees on disjoint parts: conflicts, gaps, what is joined, and the estimator."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import rule_merging as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint._kernels import rules as kernels
from counterpoint.trees import HistTreeClassifier, from_sklearn
from counterpoint.trees.rules.estimator import RuleMergeClassifier, _rules_of
from counterpoint.trees.rules.merge import Cut, RuleMerger, Rules, apply_cut, best_cuts

INF = np.inf


def listed(rules):
    return list(zip(rules.lower.tolist(), rules.upper.tolist(), rules.label.tolist()))


def small_data(seed, n=30, d=2, n_classes=3):
    """Few distinct values, so that ties are common."""
    rng = np.random.RandomState(seed)
    X = rng.randint(6, size=(n, d)).astype(float)
    return X, rng.randint(n_classes, size=n), rng.randint(1, 4, size=n).astype(float)


def tree_rules(X, codes, seed, n_classes=3):
    rng = np.random.RandomState(seed)
    rows = rng.choice(len(X), size=len(X) // 2, replace=False)
    # Every class in every tree, so that codes mean the same.
    X = np.concatenate([X[rows], np.full((n_classes, X.shape[1]), 99.0)])
    y = np.concatenate([codes[rows], np.arange(n_classes)])
    tree = DecisionTreeClassifier(max_depth=4, splitter="random", random_state=seed).fit(X, y)
    return _rules_of(from_sklearn(tree), X.shape[1])


# -- conflicts -------------------------------------------------------------------------------------


def test_a_hand_worked_conflict():
    """Two rules on one column, x <= 5 says 0 and x > 2 says 1; samples at 3, 4, 5 are contested."""
    X = np.array([[1.0], [3], [4], [5], [8]])
    codes = np.array([0, 0, 1, 1, 1])
    first = Rules(np.array([[-INF], [5.0]]), np.array([[5.0], [INF]]), np.array([0, 1]))
    second = Rules(np.array([[-INF], [2.0]]), np.array([[2.0], [INF]]), np.array([0, 1]))
    merger = RuleMerger(X, codes, np.ones(5), 2)
    settled = merger.settle(first, second)
    assert merger.n_conflicts == 1
    assert listed(settled) == [
        ([-INF], [3.5], 0), ([5.0], [INF], 1), ([-INF], [2.0], 0), ([3.5], [INF], 1),
    ]  # fmt: skip
    merged = merger.simplify(settled)
    assert sorted(listed(merged)) == [([-INF], [3.5], 0), ([3.5], [INF], 1)]


def test_a_cut_takes_least_from_what_a_rule_had_right():
    """Both columns settle the conflict; along the second, the first rule would lose a sample."""
    X = np.array([[1.0, 1], [1, 9], [9, 9]])
    codes = np.array([0, 0, 1])
    first = Rules(np.array([[-INF, -INF]]), np.array([[INF, INF]]), np.array([0]))
    second = Rules(np.array([[5.0, -INF]]), np.array([[INF, INF]]), np.array([1]))
    merger = RuleMerger(X, codes, np.ones(3), 2)
    settled = merger.settle(first, second)
    assert merger.n_gaps == 0
    assert listed(settled) == [([-INF, -INF], [5.0, INF], 0), ([5.0, -INF], [INF, INF], 1)]


def test_what_a_rule_alone_had_right_can_count():
    """Giving the inner rule the one sample it has right would cost the outer rule two others."""
    X = np.array([[1.0], [2], [4], [5], [8], [9]])
    codes = np.array([0, 0, 0, 1, 0, 0])
    outer = Rules(np.array([[-INF]]), np.array([[INF]]), np.array([0]))
    inner = Rules(np.array([[3.0]]), np.array([[7.0]]), np.array([1]))
    by_source = RuleMerger(X, codes, np.ones(6), 2)
    by_source.settle(outer, inner)
    assert by_source.n_gaps == 1
    merger = RuleMerger(X, codes, np.ones(6), 2, "covered")
    assert listed(merger.settle(outer, inner)) == [([-INF], [INF], 0)]
    assert merger.n_gaps == 0


def test_counting_what_is_covered_gives_fewer_rules():
    X, y = load_breast_cancer(return_X_y=True)
    by_source, other = (
        RuleMergeClassifier(counting=counting, random_state=0).fit(X, y)
        for counting in ("contested", "covered")
    )
    assert len(other.rules_) < len(by_source.rules_)
    assert other.score(X, y) > 0.9


def test_a_gap_gets_a_rule():
    """The outer rule loses what lies beyond the inner one, and nobody else covers it."""
    X = np.array([[1.0], [4], [5], [6], [9]])
    codes = np.array([0, 1, 1, 1, 0])
    outer = Rules(np.array([[-INF]]), np.array([[INF]]), np.array([0]))
    inner = Rules(np.array([[3.0]]), np.array([[7.0]]), np.array([1]))
    merger = RuleMerger(X, codes, np.ones(5), 2)
    settled = merger.settle(outer, inner)
    assert merger.n_gaps == 1
    assert sorted(listed(settled)) == [([-INF], [3.0], 0), ([3.0], [7.0], 1), ([7.0], [INF], 0)]


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 3))
def test_best_cuts_match_naive(seed, n, d):
    X, codes, weight = small_data(seed, n, d)
    lower, upper = np.full(d, -1.0), np.full(d, 6.0)
    wrong = np.stack([weight * (codes != label) for label in (0, 1)])
    cuts = best_cuts(X, wrong, lower, upper)
    least = naive.fewest_errors(
        X.tolist(), codes.tolist(), weight.tolist(), (0, 1), lower.tolist(), upper.tolist()
    )
    for cut in cuts:
        assert cut.errors == least
        low = np.ones(n, dtype=bool) if cut.feature < 0 else X[:, cut.feature] <= cut.value
        said = np.where(low == cut.first_low, 0, 1)
        assert weight[said != codes].sum() == least


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 3))
def test_kernels_match_naive(seed, n_rules, d):
    rng = np.random.RandomState(seed)
    edges = np.sort(rng.choice([-INF, 0, 1, 2, 3, 4, 5, INF], size=(2, n_rules, d)), axis=0)
    edges[1] = np.where(edges[0] == edges[1], edges[1] + 1, edges[1])
    rules = Rules(edges[0].copy(), edges[1].copy(), rng.randint(2, size=n_rules))
    rules = rules.take((rules.lower < rules.upper).all(axis=1))
    X, _, weight = small_data(seed, 10, d)
    expected = [[naive.covers(rule, x) for x in X.tolist()] for rule in listed(rules)]
    covered = rules.cover(X)
    assert covered.tolist() == expected
    some = np.array([0, 3, 7])
    assert_array_equal(
        kernels.shared_weight(covered, some, weight), covered[:, some] @ weight[some]
    )
    twin = naive.join(listed(rules))
    left = kernels.join(rules.lower, rules.upper, rules.label)
    assert listed(rules.take(left)) == twin


def test_a_cut_between_neighbouring_numbers():
    x = np.array([[1.0], [np.nextafter(1.0, 2)]])
    (cut,) = best_cuts(x, np.array([[0.0, 1], [1, 0]]), [0.0], [2.0])
    assert (x[:, 0] <= cut.value).tolist() == [True, False]


def test_what_a_rule_loses():
    rules = Rules(np.array([[0.0, 0.0]]), np.array([[4.0, 4.0]]), np.array([0]))
    lower, upper = apply_cut(Cut(1, 3.0, True, 0.0), rules, 0, True)
    assert (lower.tolist(), upper.tolist()) == ([0.0, 3.0], [4.0, 4.0])
    assert listed(rules) == [([0.0, 0.0], [4.0, 3.0], 0)]
    assert apply_cut(Cut(0, 9.0, True, 0.0), rules, 0, True) is None
    whole = Cut(-1, -INF, True, 0.0)
    assert apply_cut(whole, rules, 0, True) is None
    assert apply_cut(whole, rules, 0, False)[1].tolist() == [4.0, 3.0]
    assert not (rules.lower < rules.upper).any()


@settings(max_examples=40)
@given(
    st.integers(0, 10_000),
    st.integers(2, 4),
    st.integers(1, 3),
    st.sampled_from(["contested", "covered"]),
)
def test_after_merging_no_sample_is_contested_and_all_are_covered(seed, n_trees, d, counting):
    X, codes, weight = small_data(seed, d=d)
    merger = RuleMerger(X, codes, weight, 3, counting)
    rules = merger.simplify(tree_rules(X, codes, seed))
    for k in range(1, n_trees):
        rules = merger.merge(rules, tree_rules(X, codes, seed + k))
        assert rules.cover(X).any(axis=0).all()
        assert naive.contested(listed(rules), listed(rules), X.tolist()) == []
        assert (rules.lower < rules.upper).all()


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_joining_changes_no_answer_on_the_samples(seed):
    X, codes, weight = small_data(seed)
    merger = RuleMerger(X, codes, weight, 3)
    rules = merger.settle(tree_rules(X, codes, seed), tree_rules(X, codes, seed + 1))

    def said(rules):
        return rules.label[rules.cover(X).argmax(axis=0)]

    simple = merger.simplify(rules)
    assert len(simple) == len(rules) - merger.n_joined - merger.n_dropped
    assert_array_equal(said(simple), said(rules))
    covered = simple.cover(X)
    alone = covered & (covered.sum(axis=0) == 1)
    assert len(simple) == 1 or alone.any(axis=1).all()  # no rule could be dropped


def test_equal_trees_leave_the_tree():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    model = RuleMergeClassifier([tree, tree, tree]).fit(X, y)
    assert model.n_conflicts_ == model.n_gaps_ == 0
    assert len(model.rules_) <= tree.get_n_leaves()
    assert_array_equal(model.predict(X), tree.predict(X))


# -- the estimator ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    X, y = make_classification(200, 4, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)
    return RuleMergeClassifier(random_state=0).fit(X, y), X, y


def test_probabilities_match_naive(fitted):
    model, X, _ = fitted
    far = np.concatenate([X[:40], np.random.RandomState(0).normal(0, 3, (300, 4))])
    rounded = far.astype(np.float32)
    rules = listed(model._rules)
    scale = X.std(axis=0).tolist()
    twin = [naive.predict_shares(rules, model.value_.tolist(), scale, x) for x in rounded.tolist()]
    assert_allclose(model.predict_proba(far), twin)
    bare = [not any(naive.covers(rule, x) for rule in rules) for x in rounded.tolist()]
    assert any(bare)  # some points are in no rule, and take the nearest


def test_rules_can_be_read(fitted):
    model, X, y = fitted
    covered = np.stack([rule.covers(X.astype(np.float32)) for rule in model.rules_])
    assert_array_equal(covered.T, model.apply(X))  # all training samples are covered
    for rule, rows in zip(model.rules_, covered, strict=True):
        assert rule.support == rows.sum()
        assert rule.confidence == pytest.approx(np.mean(y[rows] == rule.label))
    support = [rule.support for rule in model.rules_]
    assert support == sorted(support, reverse=True)
    assert str(model.rules_[0]).startswith("if ")
    assert f"of {len(y)}, " in str(model.rules_[0])


def test_names_of_columns_and_labels():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = RuleMergeClassifier(random_state=0).fit(frame, np.array(["x", "y", "z"])[y])
    text = str(model.rules_)
    assert "then x" in text
    assert any(f"{name} <=" in text for name in "abcd")


def test_parts_are_disjoint_and_hold_all_classes():
    X, y = load_iris(return_X_y=True)
    model = RuleMergeClassifier(n_parts=5, random_state=0).fit(X, y)
    assert model.pool_.n_trees == 5
    counts = [tree.weighted_n_node_samples[0] for tree in model.pool_.trees]
    assert_allclose(counts, 30)
    assert all((tree.value[0] == 10).all() for tree in model.pool_.trees)


def test_as_good_as_its_trees_together():
    X, y = load_breast_cancer(return_X_y=True)
    model = RuleMergeClassifier(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9
    vote = np.mean(model.pool_.predict(X[1::2]) == y[1::2])
    assert model.score(X[1::2], y[1::2]) > vote - 0.05
    assert 0.5 < model.fidelity_ <= 1


def test_ensembles_fitted_or_not():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    model = RuleMergeClassifier(forest).fit(X, y)
    assert model.score(X, y) > 0.9
    again = RuleMergeClassifier(clone(forest)).fit(X, y)
    assert_array_equal(model.predict(X), again.predict(X))
    hist = RuleMergeClassifier(estimator=HistTreeClassifier(max_depth=3), random_state=0).fit(X, y)
    assert hist.score(X, y) > 0.9


def test_more_parts_than_samples():
    X, y = load_iris(return_X_y=True)
    model = RuleMergeClassifier(n_parts=50, random_state=0).fit(X[::15], y[::15])
    assert model.pool_.n_trees == 10


def test_in_a_search():
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(RuleMergeClassifier(random_state=0), {"n_parts": [1, 3]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.85


def test_one_part_is_one_tree():
    X, y = load_iris(return_X_y=True)
    model = RuleMergeClassifier(n_parts=1, random_state=0).fit(X, y)
    assert_array_equal(model.predict(X), model.pool_.predict(X))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"n_parts": 0}, ValueError, "n_parts=0: give a whole number from 1"),
        ({"n_parts": 2.5}, ValueError, "n_parts=2.5"),
        ({"counting": "all"}, ValueError, "counting='all': choose 'contested', 'covered'"),
        (
            {"estimator": KNeighborsClassifier()},
            TypeError,
            "takes no sample_weight: pass a Decision",
        ),
        ({"pool": GradientBoostingClassifier(n_estimators=2)}, TypeError, "cast no votes"),
        ({"pool": KNeighborsClassifier()}, TypeError, "KNeighborsClassifier was given"),
        ({"pool": []}, ValueError, "empty"),
    ],
)
def test_bad_options(options, error, match):
    with pytest.raises(error, match=match):
        RuleMergeClassifier(**options).fit(*load_iris(return_X_y=True))


def test_an_ensemble_of_other_data():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="y holds 5, which the pool does not know"):
        RuleMergeClassifier(forest).fit(X, y + 5)
    with pytest.raises(ValueError, match="3 columns, but the pool was fitted on 4"):
        RuleMergeClassifier(forest).fit(X[:, :3], y)
