"""A tree in the words of the table: the same answers as behind the encoder."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import TabularEncoder, load
from counterpoint.tabular.column import Column
from counterpoint.tabular.expansion import made_of, words_of_texts
from counterpoint.tabular.small_tree import (
    cut_back,
    rules_of,
    short_paths,
    tree_nodes,
    tree_sizes,
    why_not_monotone,
)
from counterpoint.tabular.table_tree import Question, table_tree
from counterpoint.trees import from_sklearn


def grown(X, y, encoder, **options):
    encoder = encoder.fit(X)
    rows = encoder.transform(X)
    tree = DecisionTreeClassifier(random_state=0, **options).fit(rows, y)
    names = [str(name) for name in encoder.get_feature_names_out()]
    one, raw = table_tree(from_sklearn(tree), tree.classes_, [encoder], X, names)
    assert raw
    return tree, rows, one


@pytest.mark.parametrize("name", ["german-credit", "hepatitis", "labor", "iris"])
@pytest.mark.parametrize(
    "options",
    [
        {}, {"scale": "standard"}, {"scale": "minmax"}, {"nominal": "ordinal"},
        {"missing_indicator": True}, {"missing_indicator": True, "scale": "standard"},
    ],
    ids=str,
)  # fmt: skip
def test_it_says_what_the_tree_says(name, options):
    data = load(name)
    tree, rows, one = grown(data.X, data.y, TabularEncoder(**options))
    assert one.predict(data.X).tolist() == tree.predict(rows).tolist()
    assert (np.bincount(one.apply(data.X)) > 0).sum() == tree.get_n_leaves()


def test_limits_are_short_and_in_the_units_of_the_table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"discount": rng.integers(0, 40, 300) / 100, "price": rng.normal(900, 90, 300)}
    )
    y = np.where((X["discount"] > 0.125) & (X["price"] > 850), "buy", "leave")
    _, _, one = grown(X, y, TabularEncoder(scale="standard"), max_depth=2)
    cuts = {q.column: q.cut for q in one.questions if q is not None}
    assert cuts["discount"] == 0.125
    below, above = X["price"][X["price"] <= 850].max(), X["price"][X["price"] > 850].min()
    assert below <= cuts["price"] < above
    assert len(f"{cuts['price']:g}") <= 5
    assert any("discount > 0.125" in rule for rule in rules_of(one))


def test_gaps_and_categories_in_words():
    X = pd.DataFrame(
        {
            "colour": ["red", "blue", "green", None] * 25,
            "size": [1.0, 2.0, np.nan, 4.0] * 25,
        }
    )
    y = np.array(["u", "v", "v", "w"] * 25)
    _, _, one = grown(X, y, TabularEncoder())
    rules = rules_of(one)
    assert any("colour is red" in r or "size <= 1.5" in r for r in rules), rules
    assert any("or missing" in r or "is missing" in r for r in rules), rules
    path = one.path(X.iloc[[0]])
    assert path
    assert not {*path} & {"colour is blue", "colour is green", "colour is missing"}
    told = [node["question"] for node in tree_nodes(one) if node["yes"] is not None]
    assert told == [q.text() for q in one.questions if q is not None]


def test_questions_in_words():
    number = Question(column="a", kind="number", cut=12.0, unit=" %")
    assert (number.text(), number.text(yes=False)) == ("a ≤ 12 %", "a > 12 %")
    value = Question(column="a", kind="category", values=("web",))
    assert (value.text(), value.text(yes=False)) == ("a is web", "a is not web")
    several = Question(column="a", kind="category", values=tuple("abcdef"))
    assert several.text() == "a is one of a, b, c, d and 2 more"
    assert Question(column="a", kind="missing", gap=True).text() == "a is missing"


def best_agreement(tree, n_leaves):
    """Try all prunings: (agreement, leaves) of every subtree with the root."""

    def prunings(node):
        value = tree.value[node]
        yield value.max(), 1
        if tree.children_left[node] >= 0:
            for a, n in prunings(tree.children_left[node]):
                for b, m in prunings(tree.children_right[node]):
                    yield a + b, n + m

    return max(a for a, n in prunings(0) if n == n_leaves)


def test_cut_back_is_the_best_of_all_prunings():
    data = load("iris")
    rng = np.random.default_rng(0)
    y = np.where(rng.random(150) < 0.25, "Iris-setosa", np.asarray(data.y))
    _, _, one = grown(data.X, y, TabularEncoder(), max_depth=4)
    for n_leaves in range(1, one.tree.n_leaves + 1):
        small = cut_back(one, n_leaves)
        assert small.tree.n_leaves == n_leaves
        agreement = small.tree.value[small.tree.is_leaf].max(axis=1).sum()
        assert agreement == pytest.approx(best_agreement(one.tree, n_leaves))
    assert cut_back(one, 99).tree.n_leaves == one.tree.n_leaves


def test_cut_back_leaves_the_split_that_separates_most():
    X = pd.DataFrame(np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20), columns=["a", "b"])
    y = np.array([0, 0, 1, 1] * 20)
    y[3] = 0  # of one row only: the last thing to be kept
    _, _, one = grown(X, y, TabularEncoder())
    small = cut_back(one, 2)
    assert small.questions[0].column == "a"
    assert cut_back(one, 1).tree.n_leaves == 1


def test_agreement_never_falls_and_fidelity_says_why():
    data = load("german-credit")
    X, y = data.X, np.asarray(data.y)
    _, _, one = grown(X[:700], y[:700], TabularEncoder())
    sizes = tree_sizes(one, one.apply(X[700:]), y[700:], y[700:])
    agreement = [row["agreement"] for row in sizes]
    assert agreement == sorted(agreement)
    assert agreement[-1] == pytest.approx(1.0)
    fidelity = [row["fidelity"] for row in sizes]
    assert fidelity != sorted(fidelity)  # it was grown to the last row
    why = why_not_monotone(sizes, 300)
    assert "the last ones follow single rows there" in why
    assert why_not_monotone(sorted(sizes, key=lambda row: row["fidelity"]), 300) == ""


def test_a_row_is_told_each_column_once_and_its_gaps():
    X = pd.DataFrame({"age": [20.0, 35.0, 45.0, 60.0, np.nan] * 8, "size": np.arange(40.0)})
    y = np.where((X["age"] > 30) & (X["age"] < 50), "in", "out")
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree, _ = table_tree(from_sklearn(fitted), fitted.classes_, [], X, ["age", "size"])
    assert short_paths(tree, X[:5])[1] == short_paths(tree, X[:5])[2] == "27.5 < age ≤ 52.5"
    assert short_paths(tree, X[:5])[4] == "age is missing"
    assert len(tree.path(X[1:2])) == 2  # as it was asked


def test_words_of_a_text_are_there_or_not():
    columns = [Column("message", "text", ("late", "refund")), Column("sum", "number")]
    names = [*made_of(columns)["message"], "sum"]
    X = pd.DataFrame(np.random.default_rng(0).integers(2, size=(60, 4)), columns=names)
    y = np.where(X["message: refund"] > 0, "pay", "wait")
    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree, _ = table_tree(
        from_sklearn(fitted), fitted.classes_, [], X, names, words=words_of_texts(columns)
    )  # fmt: skip
    assert tree.questions[0].text() == "message has no 'refund'"
    assert tree.questions[0].text(yes=False) == "message has 'refund'"
    rules = rules_of(tree)
    assert any(rule.startswith("if message has 'refund' then pay") for rule in rules)
    assert any(rule.startswith("if message has no 'refund' then wait") for rule in rules)
