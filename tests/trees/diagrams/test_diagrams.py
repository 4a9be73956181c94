import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import ensembles
from naive import equivalent as naive
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from counterpoint.trees import (
    DecisionDiagram,
    certify,
    equivalent_diagram,
    equivalent_tree,
    take_trees,
)
from counterpoint.trees.diagrams.proof import sweep
from counterpoint.trees.equivalent.certificate import _lay_out

X, Y = load_breast_cancer(return_X_y=True)
FOREST = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, Y)
VOTES = take_trees(list(FOREST.estimators_))
DIAGRAM = equivalent_diagram(VOTES)


def mixed(n=3000, seed=0):
    """Rows whose columns come from different rows of the data."""
    rng = np.random.RandomState(seed)
    return X[rng.randint(len(X), size=(n, X.shape[1])), np.arange(X.shape[1])]


@settings(deadline=None, max_examples=60)
@given(ensembles(), st.sampled_from([True, False, None]))
def test_every_cell_is_decided_as_by_the_naive_twin(made, free):
    ensemble, plain = made
    diagram = equivalent_diagram(ensemble, free=free)
    points = naive.points(plain, ensemble.n_features)
    # The twin sums in double precision, at points that are thresholds: those of the type count.
    points = [p for p in points if (np.array(p, dtype=ensemble.dtype) == p).all()]
    if points:
        expected = [naive.decide(plain, ensemble.weights, ensemble.kind, p) for p in points]
        np.testing.assert_array_equal(diagram.apply(points), expected)
    assert certify(diagram, ensemble).equal


@settings(deadline=None, max_examples=40)
@given(ensembles(), st.booleans(), st.integers(0, 10**6))
def test_a_certificate_tells_what_is_wrong(made, free, seed):
    ensemble, _ = made
    diagram = equivalent_diagram(ensemble, free=free)
    rng = np.random.RandomState(seed)
    if not diagram.n_nodes:
        wrong = replace(diagram, root=-1 - (-diagram.root) % ensemble.n_classes)
    else:
        side = ["low", "high"][rng.randint(2)]
        ends = getattr(diagram, side).copy()
        node = rng.randint(diagram.n_nodes)
        ends[node] = -1 - rng.randint(ensemble.n_classes)
        wrong = replace(diagram, **{side: ends})
    certificate = certify(wrong, ensemble)
    assert certificate.equal is not None
    if certificate.equal:  # what was changed cannot be reached, or was so before
        points = naive.points(made[1], ensemble.n_features)
        np.testing.assert_array_equal(wrong.apply(points), diagram.apply(points))
    else:
        at = certificate.counterexample[None]
        assert wrong.apply(at)[0] == certificate.given
        assert ensemble.score(at)[0].argmax() == certificate.expected != certificate.given


@settings(deadline=None, max_examples=30)
@given(ensembles())
def test_free_diagrams_ask_nothing_they_know(made):
    ensemble, _ = made
    diagram = equivalent_diagram(ensemble, free=True)
    cut = diagram.threshold.astype(ensemble.dtype)
    stack = [(diagram.root, {})]
    while stack:
        node, known = stack.pop()
        if node >= 0:
            f = int(diagram.feature[node])
            low, high = known.get(f, (-np.inf, np.inf))
            assert low < cut[node] < high
            stack.append((int(diagram.low[node]), known | {f: (low, cut[node])}))
            stack.append((int(diagram.high[node]), known | {f: (cut[node], high)}))


@pytest.mark.parametrize("free", [True, False])
def test_nothing_is_there_twice(free):
    diagram = equivalent_diagram(take_trees(list(FOREST.estimators_)[:6]), free=free)
    asked = set(zip(diagram.feature, diagram.threshold, diagram.low, diagram.high, strict=True))
    assert len(asked) == diagram.n_nodes
    assert (diagram.low != diagram.high).all()
    assert set(range(1, diagram.n_nodes)) <= {*diagram.low.tolist(), *diagram.high.tolist()}


def test_thirty_columns_where_no_tree_will_do():
    part = equivalent_tree(VOTES, X, max_leaves=5000)
    assert not part.exact
    certificate = certify(DIAGRAM, VOTES)
    assert certificate.equal
    # Trees times their questions times the votes before them.
    inner = [int((~tree.is_leaf).sum()) for tree in VOTES.trees]
    assert DIAGRAM.n_nodes <= sum((t + 1) * n for t, n in enumerate(inner))
    assert DIAGRAM.depth <= sum(tree.max_depth for tree in VOTES.trees)
    for rows in (X, mixed()):
        np.testing.assert_array_equal(DIAGRAM.predict(rows), VOTES.predict(rows))
        assert DIAGRAM.n_asked(rows).max() <= DIAGRAM.depth


@pytest.mark.parametrize("free", [True, False])
def test_means_and_boosting(free):
    A, b = load_iris(return_X_y=True)
    few = RandomForestClassifier(4, max_depth=3, random_state=1).fit(X, Y)
    many = RandomForestClassifier(6, max_depth=2, random_state=1).fit(A, b)
    boosted = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0).fit(X, Y)
    for model, rows in ((few, mixed()), (many, A), (boosted, mixed())):
        taken = take_trees(model)
        diagram = equivalent_diagram(model, free=free)
        assert certify(diagram, taken).equal
        np.testing.assert_array_equal(diagram.predict(rows), model.predict(rows))


def test_both_sweeps_prove():
    forest, _ = _lay_out(VOTES)
    proven, looked = sweep(DIAGRAM, forest, fine=False)
    assert proven
    assert looked >= DIAGRAM.n_nodes
    stopped, looked = sweep(DIAGRAM, forest, fine=False, most=10)
    assert not stopped
    assert looked > 10
    free = equivalent_diagram(take_trees(list(FOREST.estimators_)[:5]), free=True)
    forest, _ = _lay_out(take_trees(list(FOREST.estimators_)[:5]))
    assert sweep(free, forest, fine=True)[0]


def test_a_limit_ends_the_proof():
    certificate = certify(DIAGRAM, VOTES, limit=20)
    assert certificate.equal is None
    assert not certificate


def test_sqlite_says_the_same():
    base = sqlite3.connect(":memory:")
    rows = mixed(500)
    frame = pd.DataFrame(rows, columns=DIAGRAM.names)
    frame.to_sql('odd "table"', base, index=False)
    said = pd.read_sql(DIAGRAM.sql('odd "table"', "it's"), base)
    assert list(said) == [*frame, "it's"]
    np.testing.assert_array_equal(said["it's"], DIAGRAM.predict(rows))
    frame.iloc[:1].to_sql("data", base, index=False)
    constant = replace(
        DIAGRAM,
        **{n: getattr(DIAGRAM, n)[:0] for n in ("feature", "threshold", "low", "high")},
        root=-2,
        classes=np.array(["a", "it's"]),
    )
    assert pd.read_sql(constant.sql(), base)["prediction"].tolist() == ["it's"]


def test_python_says_the_same_and_names_are_quoted():
    named = replace(DIAGRAM, feature_names=np.array([f'"; {k}\n' for k in range(30)]))
    scope: dict = {}
    exec(named.python(), scope)
    rows = mixed(300)
    said = [scope["predict"](dict(zip(named.names, row, strict=True))) for row in rows]
    np.testing.assert_array_equal(said, named.predict(rows))


def test_doubles_go_where_their_rounding_goes():
    # At every threshold, the doubles around the border between two numbers of single precision.
    scope: dict = {}
    one = take_trees([FOREST.estimators_[0]])
    diagram = equivalent_diagram(one)
    exec(diagram.python(), scope)
    base = X.mean(axis=0)
    for f, cut in zip(diagram.feature, diagram.threshold, strict=True):
        below = np.float32(cut)
        near = [np.nextafter(below, np.float32(s * np.inf)) for s in (-1, 1)]
        for other in near:
            half = (np.float64(below) + np.float64(other)) / 2
            for value in (np.nextafter(half, -np.inf), half, np.nextafter(half, np.inf), cut):
                row = base.copy()
                row[f] = value
                said = scope["predict"](dict(zip(diagram.names, row, strict=True)))
                assert said == diagram.predict(row[None])[0]


def test_rules_in_blocks():
    lines = DIAGRAM.rules().splitlines()
    blocks = [line for line in lines if line.startswith("block")]
    assert blocks == [f"block {k}" for k in range(1, len(blocks) + 1)]
    # Two ways out of every question, less those within a block.
    assert len(lines) - len(blocks) == DIAGRAM.n_nodes + len(blocks)
    ends = [line.split(" then ")[1] for line in lines if " then " in line]
    assert set(blocks[1:]) <= set(ends)
    assert set(ends) - set(blocks) == {"0.0", "1.0"}


def test_one_way_explained():
    rows = mixed(2000, seed=1)
    said = DIAGRAM.predict(rows)
    for x in X[:5]:
        rule = DIAGRAM.explain(x)
        covered = rule.covers(rows.astype(np.float32))
        assert rule.covers(x[None].astype(np.float32))[0]
        assert set(said[covered]) <= {rule.label}
        assert rule.label == DIAGRAM.predict(x[None])[0]


def test_one_tree_is_no_larger_than_itself():
    tree = take_trees([FOREST.estimators_[0]])
    diagram = equivalent_diagram(tree)
    assert diagram.n_nodes <= int((~tree.trees[0].is_leaf).sum())
    constant = take_trees([RandomForestClassifier(1, max_depth=1).fit([[0], [1]], [0, 0])][0])
    alone = equivalent_diagram(constant)
    assert alone.n_nodes == alone.depth == 0
    assert alone.predict([[5.0]]).tolist() == [0]
    assert alone.rules() == "always 0\n"
    assert certify(alone, constant).equal


def test_bad_input():
    with pytest.raises(ValueError, match="more than max_nodes=10"):
        equivalent_diagram(VOTES, max_nodes=10)
    with pytest.raises(ValueError, match="max_nodes=0"):
        equivalent_diagram(VOTES, max_nodes=0)
    with pytest.raises((TypeError, ValueError), match="free"):
        equivalent_diagram(VOTES, free="yes")
    with pytest.raises(ValueError, match="missing"):
        DIAGRAM.predict(np.full((1, 30), np.nan))
    with pytest.raises(ValueError, match="30"):
        DIAGRAM.predict(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="goes back"):
        replace(DIAGRAM, low=np.zeros_like(DIAGRAM.low)).predict(X)
    with pytest.raises(ValueError, match="root"):
        replace(DIAGRAM, root=3).predict(X)
    with pytest.raises(ValueError, match="NaN"):
        replace(DIAGRAM, threshold=DIAGRAM.threshold * np.nan).predict(X)
    iris = take_trees(RandomForestClassifier(2, max_depth=2).fit(*load_iris(return_X_y=True)))
    with pytest.raises(ValueError, match="2 classes, the ensemble 3"):
        certify(DIAGRAM, iris)
    two = take_trees(RandomForestClassifier(2, max_depth=2).fit(X[:, :5], Y))
    with pytest.raises(ValueError, match="30 columns"):
        certify(DIAGRAM, two)
    assert isinstance(DIAGRAM, DecisionDiagram)
