import numpy as np
import pytest

from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import GrowWorkspace, grow

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 0, 1, 1, 2, 2])


@pytest.fixture
def binned():
    return Binner().fit_transform(X)


@pytest.mark.parametrize(
    ("y", "n_classes", "message"),
    [
        ([0, 1], None, r"y has shape \(2,\), expected \(6,\)"),
        (Y, 2, "y holds codes from 0 to 2, expected 0 to 1"),
        (-Y, 3, "y holds codes from -2 to 0, expected 0 to 2"),
        (Y, 257, "n_classes=257: trees on bins take from 1 to 256"),
    ],
)
def test_wrong_classes(binned, y, n_classes, message):
    with pytest.raises(ValueError, match=message):
        GrowWorkspace(binned, y, n_classes=n_classes)


def test_wrong_arguments_of_grow(binned):
    classes, numbers = GrowWorkspace(binned, Y), GrowWorkspace(binned)
    with pytest.raises(ValueError, match=r"sample_weight has shape \(5,\), expected \(6,\)"):
        grow(classes, np.ones(5))
    with pytest.raises(ValueError, match=r"target has shape \(5,\), expected \(6,\)"):
        grow(numbers, target=np.ones(5))
    with pytest.raises(ValueError, match="target is for regression"):
        grow(classes, target=np.ones(6))
    with pytest.raises(ValueError, match="target is for regression"):
        grow(numbers)
    with pytest.raises(ValueError, match="criterion='squared_error': choose gini or entropy"):
        grow(classes, criterion="squared_error")


def test_a_class_that_never_occurs_has_its_column(binned):
    tree = grow(GrowWorkspace(binned, Y, n_classes=5))
    assert tree.value.shape[1] == 5
    assert (tree.value[:, 3:] == 0).all()


def test_wrong_arguments_of_predict_trees(binned):
    tree = grow(GrowWorkspace(binned, Y))
    stacked = stack_trees([tree])
    with pytest.raises(ValueError, match=r"X has shape \(6, 1\), but the trees ask for column"):
        predict_trees(stack_trees([grow(GrowWorkspace(Binner().fit_transform(
            np.column_stack([np.zeros(6), X[:, 0]])), Y))]), X[:, :1])  # fmt: skip
    with pytest.raises(ValueError, match="kind='proba': choose 'votes'"):
        predict_trees(stacked, X, kind="proba")
    with pytest.raises(ValueError, match=r"weights has shape \(2,\), expected \(1,\)"):
        predict_trees(stacked, X, kind="vote_sum", weights=[1, 2])
    with pytest.raises(ValueError, match="No trees were given"):
        stack_trees([])
    other = grow(GrowWorkspace(binned, Y, n_classes=4))
    with pytest.raises(ValueError, match=r"different widths, \[3, 4\]"):
        stack_trees([tree, other])


def test_float32_and_integers_are_taken():
    whole = grow(GrowWorkspace(Binner().fit_transform(X.astype(int)), Y))
    stacked = stack_trees([whole])
    expected = predict_trees(stacked, X)
    for data in (X.astype(int), X.astype(np.float32), np.asfortranarray(X), X.tolist()):
        np.testing.assert_array_equal(predict_trees(stacked, data), expected)
