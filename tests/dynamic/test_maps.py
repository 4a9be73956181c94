"""Competence by maps: boxes around mistakes, and maps of one's own."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.dynamic import DynamicSelectionClassifier, MappedCompetence
from counterpoint.hyperboxes import MisclassificationBoxes


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(900, 4, n_informative=4, n_redundant=0, n_classes=3, random_state=1)
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=3), 10, random_state=0)
    return bag.fit(X[:300], y[:300]), X, y


def test_who_is_far_from_own_mistakes_decides(data):
    bag, X, y = data
    model = DynamicSelectionClassifier(
        bag, method=MappedCompetence(MisclassificationBoxes(0.05), share=1.0)
    ).fit(X[300:600], y[300:600])
    held = MemberOutputs.from_estimator(bag, X[300:600], y[300:600])
    boxes = MisclassificationBoxes(0.05).fit(X[300:600], held.correct)
    far = boxes.competence(X[600:])
    told = MemberOutputs.from_estimator(bag, X[600:])
    expected = []
    for votes, own in zip(told.votes.T, far.T, strict=True):
        say = (own == own.max()).astype(float)
        expected.append(np.bincount(votes, weights=say, minlength=3).argmax())
    np.testing.assert_array_equal(model.predict(X[600:]), expected)
    board = model.explain_selection(X[600:640])
    np.testing.assert_allclose(board.groupby("query")["competence"].max(), far[:, :40].max(axis=0))


def test_the_share_says_how_many_vote(data):
    bag, X, y = data
    sizes = []
    for share in (1.0, 0.8, 0.0):
        method = MappedCompetence(MisclassificationBoxes(0.1), share=share)
        model = DynamicSelectionClassifier(bag, method=method).fit(X[300:600], y[300:600])
        sizes.append(len(model.explain_selection(X[600:])))
    assert sizes[0] < sizes[1] < sizes[2]


def test_among_the_mistakes_of_all_everybody_votes(data):
    bag, X, y = data
    method = MappedCompetence(Flat(0.0))
    model = DynamicSelectionClassifier(bag, method=method).fit(X[300:600], y[300:600])
    plain = MemberOutputs.from_estimator(bag, X[600:]).majority
    np.testing.assert_array_equal(model.predict(X[600:]), plain)


class Flat:
    """A map of one's own, without any base class."""

    def __init__(self, level):
        self.level = level

    def fit(self, X, correct):
        self.n_members = len(correct)
        return self

    def competence(self, X):
        return np.full((self.n_members, len(X)), self.level)


def test_a_map_alone_will_do_and_is_not_touched(data):
    bag, X, y = data
    boxes = MisclassificationBoxes()
    model = DynamicSelectionClassifier(bag, method=boxes).fit(X[300:600], y[300:600])
    assert not hasattr(boxes, "box_members_")
    assert isinstance(model.competence_, MappedCompetence)
    again = DynamicSelectionClassifier(bag, method=clone(boxes, safe=False))
    again.fit(X[300:600], y[300:600])
    kept = pickle.loads(pickle.dumps(model))
    for other in (again, kept):
        np.testing.assert_array_equal(other.predict(X[600:]), model.predict(X[600:]))
    # It should be of use: about as good as the plain vote, or better.
    plain = MemberOutputs.from_estimator(bag, X[600:], y[600:])
    assert model.score(X[600:], y[600:]) > np.mean(plain.majority == plain.y) - 0.02


class Transposed(Flat):
    def competence(self, X):
        return super().competence(X).T


def test_wrong_input_says_what_to_change(data):
    bag, X, y = data

    def fit(method):
        return DynamicSelectionClassifier(bag, method=method).fit(X[300:600], y[300:600])

    with pytest.raises(TypeError, match="map is a str, expected an object with fit"):
        fit(MappedCompetence("boxes"))
    with pytest.raises(ValueError, match=r"share=1\.5: give a number from 0 to 1"):
        fit(MappedCompetence(Flat(1.0), share=1.5))
    with pytest.raises(ValueError, match=r"shape \(300, 10\), expected \(10, 300\)"):
        fit(Transposed(1.0)).explain_selection(X[600:])
    with pytest.raises(ValueError, match="or pass a Competence"):
        fit(3)
