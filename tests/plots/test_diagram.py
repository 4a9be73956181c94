import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from counterpoint.plots import DiagramDisplay
from counterpoint.trees import equivalent_diagram, take_trees

X, Y = load_iris(return_X_y=True, as_frame=True)
FOREST = RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, Y)
SMALL = equivalent_diagram(FOREST)


def test_every_question_and_answer_is_there():
    display = DiagramDisplay.from_diagram(SMALL)
    table = display.table()
    assert len(table) == SMALL.n_nodes
    assert table["ways"][0] == 0
    assert (table["ways"][1:] >= 1).all()
    # A question is below all that lead to it, and the last level is that of the longest way.
    for node, (low, high) in enumerate(zip(SMALL.low, SMALL.high, strict=True)):
        for end in (low, high):
            assert end < 0 or table["level"][end] > table["level"][node]
    assert table["level"].max() == SMALL.depth - 1
    texts = {text.get_text() for text in display.ax_.texts}
    assert {"0", "1", "2"} <= texts
    assert len(texts) == 3 + table["question"].str[-21:].nunique()
    full, dashed = display.ax_.collections
    assert len(full.get_segments()) == len(dashed.get_segments()) == SMALL.n_nodes


def test_a_large_one_is_drawn_without_words():
    large = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, Y)
    diagram = equivalent_diagram(take_trees(list(large.estimators_)), free=False)
    assert diagram.n_nodes > 40
    display = DiagramDisplay.from_diagram(diagram)
    assert len(display.ax_.texts) == 3


def test_an_answer_alone_styles_and_bad_input():
    alone = equivalent_diagram(RandomForestClassifier(2).fit([[0.0], [1.0]], [1, 1]))
    assert [text.get_text() for text in DiagramDisplay.from_diagram(alone).ax_.texts] == ["1"]
    axes = plt.subplots()[1]
    display = DiagramDisplay.from_diagram(
        SMALL, ax=axes, text_kwargs={"size": 5}, line_kwargs={"lw": 3}
    )
    assert display.ax_ is axes
    assert {text.get_fontsize() for text in axes.texts} == {5}
    assert {float(np.ravel(lines.get_linewidth())[0]) for lines in axes.collections} == {3.0}
    with pytest.raises(TypeError, match="DecisionDiagram"):
        DiagramDisplay.from_diagram(FOREST)
