"""Boxes of several machines merged into one."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, load_wine

from counterpoint.exceptions import ThinnedWarning
from counterpoint.hyperboxes import HyperboxClassifier, MergedHyperboxClassifier, merged

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize("learning", ["online", "agglomerative", "best-first"])
def test_one_machine_is_that_machine(learning):
    merged = MergedHyperboxClassifier(1, max_samples=1.0, learning=learning, theta=0.4).fit(X, Y)
    machine = HyperboxClassifier(0.4, learning=learning).fit(X, Y)
    for ours, theirs in zip(merged.boxes_, machine.boxes_, strict=True):
        assert_array_equal(ours, theirs)
    assert_array_equal(merged.box_weights_, machine.box_weights_)
    assert_array_equal(merged.predict_proba(X), machine.predict_proba(X))


def test_several_are_learned_from_as_boxes():
    """Merging is the agglomerative learning of the machines' boxes, in their order."""
    model = MergedHyperboxClassifier(4, max_samples=0.5, theta=0.4, random_state=3).fit(X, Y)
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    rng = np.random.RandomState(3)
    codes, corners = np.asarray(Y), []
    for _ in range(4):
        rows = model._draw(codes, len(codes) // 2, rng)
        counts = np.bincount(codes[rows])
        assert np.abs(counts - np.bincount(codes) / 2).max() <= 1  # every class in its share
        one = HyperboxClassifier(0.4, learning="agglomerative", bounds=(low, low + span))
        corners.append((one.fit(X[rows], Y[rows]).boxes_, one.box_classes_, one.box_weights_))
    assert_array_equal(model.machine_boxes_, [len(labels) for _, labels, _ in corners])
    again = HyperboxClassifier(0.4, learning="agglomerative", bounds=(low, low + span))
    again.fit_boxes(
        np.concatenate([boxes[0] for boxes, *_ in corners]),
        np.concatenate([boxes[1] for boxes, *_ in corners]),
        np.concatenate([labels for _, labels, _ in corners]),
        weights=np.concatenate([weights for *_, weights in corners]),
    )
    np.testing.assert_allclose(model.boxes_[0], again.boxes_[0], rtol=1e-9)
    assert_array_equal(model.box_weights_, again.box_weights_)
    assert model.box_weights_.sum() == 4 * 89


def test_certainty_is_the_share_of_the_own_class():
    X, y = load_iris(return_X_y=True)
    model = MergedHyperboxClassifier(5, weighting="certainty", random_state=0).fit(X, y)
    lower, upper = model.boxes_
    for k in range(model.n_boxes_):
        inside = ((lower[k] - 1e-9 <= X) & (upper[k] + 1e-9 >= X)).all(axis=1)
        own = (y[inside] == model.box_classes_[k]).sum()
        assert model.box_certainty_[k] == pytest.approx((own + 1) / (inside.sum() + 1))
    assert model.score(X, y) > 0.93


@pytest.mark.parametrize("wrong", [0.0, 1.5, 0, "half"])
def test_wrong_shares(wrong):
    with pytest.raises((ValueError, TypeError), match="max_samples"):
        MergedHyperboxClassifier(max_samples=wrong).fit(X, Y)


def test_a_row_of_which_nothing_is_known_is_refused():
    X = [[np.nan, np.nan]] * 4 + [[0.1, 0.2], [0.9, np.nan]]
    with pytest.raises(ValueError, match="Nothing is known of sample 0"):
        MergedHyperboxClassifier().fit(X, [0, 0, 0, 0, 0, 1])


def test_a_share_of_many_samples_is_cut_where_all_pairs_are_compared(monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(merged, "_MOST_COMPARED", 30)
    options = {"n_estimators": 3, "theta": 0.1, "random_state": 0}
    with pytest.warns(ThinnedWarning, match="is 75 samples, of which 30 are drawn: learning='agg"):
        cut = MergedHyperboxClassifier(**options).fit(X, y)
    told = MergedHyperboxClassifier(**options, max_samples=30).fit(X, y)
    assert_array_equal(cut.boxes_, told.boxes_)
    MergedHyperboxClassifier(**options, learning="online").fit(X, y)  # no warning
    MergedHyperboxClassifier(**options, max_samples=75).fit(X, y)
