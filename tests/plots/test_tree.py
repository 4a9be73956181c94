import matplotlib.pyplot as plt
import numpy as np
import pytest
from random_trees import as_tree, random_pair
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.plots import TreePathDisplay
from counterpoint.plots.tree import TreeDisplay
from counterpoint.trees import (
    HistTreeClassifier,
    MergedTreeClassifier,
    MergedTreeRegressor,
    Tree,
    as_sklearn,
    from_sklearn,
)

X, Y = load_iris(return_X_y=True, as_frame=True)
SMALL = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, Y)


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_the_table_is_the_tree():
    table = TreeDisplay.from_tree(SMALL).table()
    tree = SMALL.tree_
    assert len(table) == tree.node_count
    assert table["leaf"].sum() == 5
    np.testing.assert_array_equal(table["support"], tree.weighted_n_node_samples)
    np.testing.assert_allclose(table["share"], tree.value[:, 0].max(axis=1))
    np.testing.assert_array_equal(table["label"], tree.value[:, 0].argmax(axis=1))
    for node in table.index[1:]:
        above = table.loc[node, "parent"]
        assert node in (tree.children_left[above], tree.children_right[above])
        assert table.loc[node, "depth"] == table.loc[above, "depth"] + 1
    assert table.loc[0, "question"] == "petal width (cm) ≤ 0.800"


def test_every_question_and_every_leaf_is_written_and_drawn():
    display = TreeDisplay.from_tree(SMALL, classes=["setosa", "versicolor", "virginica"])
    written = texts(display)
    for question in display.table()["question"]:
        assert question == "" or question in written
    assert "setosa: 50 (100 %)" in written
    # Bars: one a leaf and class, whose lengths are the weights.
    bars = np.array([bar.get_width() for bar in display.ax_.patches]).reshape(5, 3)
    weights = display.tree.value[display.tree.is_leaf]
    np.testing.assert_allclose(bars / bars.sum(), weights / weights.sum())
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["setosa", "versicolor", "virginica"]
    assert len(display.ax_.lines) == display.tree.node_count - 1


@pytest.mark.parametrize("leaves", [5, 20, 60])
def test_no_two_texts_overlap(leaves):
    data = load_breast_cancer()
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(data.target)) < 0.2, 1 - data.target, data.target)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(data.data, noisy)
    display = TreeDisplay.from_tree(tree, feature_names=data.feature_names)
    assert display.tree.n_leaves == leaves
    display.figure_.canvas.draw()
    boxes = [t.get_window_extent() for t in display.ax_.texts]
    boxes += [bar.get_window_extent() for bar in display.ax_.patches if bar.get_width() > 0]
    n_texts = len(display.ax_.texts)
    for i in range(n_texts):
        for j in range(i + 1, len(boxes)):
            assert not boxes[i].overlaps(boxes[j])


def test_the_figure_grows_with_the_tree_and_axes_of_others_do_not():
    small = TreeDisplay.from_tree(random_pair(0, depth=2)[1]).figure_.get_size_inches()
    large = TreeDisplay.from_tree(random_pair(0, depth=7)[1]).figure_.get_size_inches()
    assert (large > small).all()
    ax = plt.figure(figsize=(3, 2)).add_subplot()
    assert TreeDisplay.from_tree(SMALL, ax=ax).ax_ is ax
    assert ax.figure.get_size_inches().tolist() == [3, 2]


def test_trees_of_all_kinds():
    hist = TreeDisplay.from_tree(HistTreeClassifier(max_depth=2).fit(X, Y))
    assert "petal" in hist.table().loc[0, "question"]
    alone = TreeDisplay.from_tree(as_tree([1.0, 3.0]))
    assert "1: 4 (75 %)" in texts(alone)
    empty = TreeDisplay.from_tree(as_tree((0, 0.0, True, [0.0, 0.0], [0.0, 1.0])))
    assert "0: 0 (no samples)" in texts(empty)

    class Merged:
        def as_sklearn(self):
            return as_sklearn(from_sklearn(SMALL), ["a", "b", "c"], 4)

    assert "a: 50 (100 %)" in texts(TreeDisplay.from_tree(Merged()))


def test_an_oblique_split_names_its_heaviest_columns():
    tree = as_tree((0, 1.5, True, [1.0, 0.0], [0.0, 1.0]))
    normals = np.array([[0.1, -2.0, 0.5], [0, 0, 0], [0, 0, 0]])
    tree = Tree(**{**tree.__dict__, "feature": np.array([-2, -1, -1]), "normals": normals})
    question = TreeDisplay.from_tree(tree, feature_names=["a", "b", "c"]).table()["question"][0]
    assert question == "\N{MINUS SIGN}2.00 b + 0.500 c + … ≤ 1.50"


def test_styles_can_be_given():
    display = TreeDisplay.from_tree(
        SMALL, text_kwargs={"size": 5}, line_kwargs={"lw": 2, "color": "red"}
    )
    assert {text.get_fontsize() for text in display.ax_.texts} == {5}
    assert {line.get_linewidth() for line in display.ax_.lines} == {2}


def test_bad_input():
    with pytest.raises(ValueError, match="2 trees were given"):
        TreeDisplay.from_tree(RandomForestClassifier(2).fit(X, Y))
    with pytest.raises(ValueError, match="3 classes"):
        TreeDisplay.from_tree(SMALL, classes=["a"])
    with pytest.raises(ValueError, match="4 columns"):
        TreeDisplay.from_tree(SMALL, feature_names=["a"])
    with pytest.raises(TypeError, match="str was given"):
        TreeDisplay.from_tree("tree")
    with pytest.raises(TypeError, match="Axes"):
        TreeDisplay.from_tree(SMALL, ax=plt.figure())


def test_trees_of_every_size():
    X, y = load_breast_cancer(return_X_y=True)
    model = MergedTreeClassifier(6, max_leaf_nodes=6, random_state=0).fit(X, y)
    display = TreePathDisplay.from_estimator(model)
    cost, out_of_bag, taken = display.ax_.lines
    np.testing.assert_allclose(cost.get_ydata(), model.path_["cost"])
    np.testing.assert_allclose(out_of_bag.get_ydata(), model.path_["oob_error"])
    assert set(taken.get_xdata()) == {model.n_leaves_}
    with pytest.raises((ValueError, TypeError, AttributeError), match="max_leaf_nodes"):
        TreePathDisplay.from_estimator(MergedTreeClassifier(3).fit(X, y))


def test_trees_of_numbers():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = MergedTreeRegressor(6, max_leaf_nodes=5, random_state=0).fit(X, y)
    display = TreeDisplay.from_estimator(model)
    leaves = display.table().query("leaf")
    assert len(leaves) == 5
    assert leaves["support"].sum() == len(X)
    assert any("bmi" in question for question in display.table()["question"])
    path = TreePathDisplay.from_estimator(model)
    np.testing.assert_allclose(path.ax_.lines[0].get_ydata(), model.path_["cost"])
    with pytest.raises(ValueError, match="none for a tree that gives numbers"):
        TreeDisplay.from_estimator(model, classes=["a", "b"])
