import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import as_tree, points, random_pair
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from counterpoint.trees import apply, from_sklearn, restrict, tree_rules


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_each_sample_is_covered_by_the_rule_of_its_leaf_alone(seed):
    tree = random_pair(seed)[1]
    X = points(seed)
    rules = tree_rules(tree)
    covered = np.array([rule.covers(X) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    leaf = np.array([rule.leaf for rule in rules])[covered.argmax(axis=0)]
    np.testing.assert_array_equal(leaf, apply(tree, X))
    assert [rule.label for rule in rules] == tree.label[[rule.leaf for rule in rules]].tolist()
    for rule in rules:  # one condition a column
        assert len({condition.feature for condition in rule.conditions}) == len(rule.conditions)


def test_rules_of_iris_count_its_samples():
    X, y = load_iris(return_X_y=True)
    tree = from_sklearn(DecisionTreeClassifier(random_state=0).fit(X, y))
    rules = tree_rules(tree, ["a", "b", "c"])
    supports = [rule.support for rule in rules]
    assert supports == sorted(supports, reverse=True)
    assert sum(supports) == 150
    assert str(rules).count("\n") == len(rules) - 1 == tree.n_leaves - 1
    for rule in rules:
        inside = rule.covers(X.astype(np.float32))
        assert inside.sum() == rule.support
        assert (np.array(["a", "b", "c"])[y[inside]] == rule.label).mean() == rule.confidence


def test_conditions_on_one_column_are_put_together():
    below = (0, 1.0, True, [8.0, 2.0], [0.0, 5.0])
    tree = as_tree((0, 4.125, True, (1, 0.0, True, [1.0, 0.0], below), [1.0, 1.0]))
    texts = [rule.text for rule in tree_rules(tree, ["no", "yes"], ["age", "pay"])]
    assert texts == [
        "if age <= 1 and pay > 0 then no (10 of 18, 80 % sure)",
        "if 1 < age <= 4.125 and pay > 0 then yes (5 of 18, 100 % sure)",
        "if age > 4.125 then no (2 of 18, 50 % sure)",
        "if age <= 4.125 and pay <= 0 then no (1 of 18, 100 % sure)",
    ]


def test_rules_without_conditions_without_samples_and_out_of_reach():
    (rule,) = tree_rules(as_tree([1.0, 3.0]))
    assert str(rule) == "always 1 (4 of 4, 75 % sure)"
    rules = tree_rules(as_tree((0, 0.0, True, [0.0, 0.0], [1.0, 0.0])))
    assert np.isnan(rules[1].confidence)
    assert rules[1].text == "if x0 <= 0 then 0 (0 of 1, no samples)"
    nobody = as_tree((0, 0.0, True, (0, 1.0, True, [1.0, 0.0], [0.0, 1.0]), [1.0, 1.0]))
    assert len(tree_rules(nobody)) == 2
    whole = np.array([np.inf])
    assert len(tree_rules(restrict(nobody, -whole, whole, missing=False))) == 2


def test_limits_that_differ_are_written_differently():
    close = (0, 1.0, True, [1.0, 0.0], (0, 1.0000001, True, [0.0, 1.0], [1.0, 0.0]))
    assert "1 < x0 <= 1.0000001 then" in str(tree_rules(as_tree(close)))


def test_bad_input():
    tree = as_tree((1, 0.0, True, [1.0, 0.0], [0.0, 1.0]))
    with pytest.raises(ValueError, match="2 classes"):
        tree_rules(tree, ["a"])
    with pytest.raises(ValueError, match="column 1"):
        tree_rules(tree, None, ["a"])
    with pytest.raises(ValueError, match=r"numbers=array.*True or False"):
        tree_rules(tree, numbers=np.ones(2))


def test_indicators_are_said_in_words():
    X = np.array([[0, 1.0], [1, 2.0], [1, 3.0], [0, 4.0]])
    tree = DecisionTreeClassifier(random_state=0).fit(X[:, :1], [0, 1, 1, 0])
    known = {"colour_red": ("colour", "red")}
    rules = tree_rules(from_sklearn(tree), ["no", "yes"], ["colour_red"], known)
    texts = sorted(str(rule.conditions[0]) for rule in rules)
    assert texts == ["colour is not red", "colour is red"]
    assert str(next(r for r in rules if r.label == "yes").conditions[0]) == "colour is red"
    gap = {"colour_red": ("colour", float("nan"))}
    rules = tree_rules(from_sklearn(tree), ["no", "yes"], ["colour_red"], gap)
    assert {str(rule.conditions[0]) for rule in rules} == {
        "colour is missing",
        "colour is not missing",
    }
