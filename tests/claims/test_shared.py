"""Data, splits and networks of the claims."""

import numpy as np
import pytest

from counterpoint.claims import _shared, sources
from counterpoint.claims._shared import (
    network_errors,
    take_fold,
    thesis_data,
    train_and_test,
    train_networks,
    with_own_sample,
    without_what_is_missing,
)


def test_halves_and_samples():
    X, y, X_new, y_new = train_and_test("liver", 3)
    assert (len(y), len(y_new), X.shape[1]) == (172, 173, 6)
    every = np.r_[np.c_[X, y], np.c_[X_new, y_new]]
    known = np.column_stack(thesis_data("liver", 0))
    np.testing.assert_array_equal(every[np.lexsort(every.T)], known[np.lexsort(known.T)])
    X, y, X_new, y_new = train_and_test("synthetic", 3)
    assert (len(y), len(y_new)) == (250, 1000)


def test_ripleys_own_sample_is_taken_where_it_was_added(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPOINT_DATA", str(tmp_path))
    rows = [{"data": "synthetic", "repeat": 0}, {"data": "liver", "repeat": 0}]
    assert with_own_sample(rows) == rows
    for part, first in (("train", 0.25), ("test", 0.75)):
        text = f"xs,ys,class\n{first},0.5,0\n0.5,0.125,1\n"
        (tmp_path / f"ripley-synth.{part}.csv").write_text(text, encoding="utf-8")
    told, plain = with_own_sample(rows)
    assert told == rows[0] | {"sample": "ripley-synth"}
    assert plain == rows[1]
    X, y, X_new, y_new = train_and_test("synthetic", 3, told["sample"])
    assert X.tolist() == [[0.25, 0.5], [0.5, 0.125]]
    assert X_new[0].tolist() == [0.75, 0.5]
    assert y.tolist() == y_new.tolist() == [0, 1]
    np.testing.assert_array_equal(thesis_data("synthetic", 5, told["sample"])[0], X)


def test_insurance_is_a_set_of_the_sources_where_it_was_added(monkeypatch):
    sets = sources.ADABOOST_NC.index
    assert len(sets) == 10
    monkeypatch.setattr(_shared, "is_at_hand", lambda name: False)
    assert set(sets) - set(without_what_is_missing(sets)) == {"insurance"}
    monkeypatch.setattr(_shared, "is_at_hand", lambda name: True)
    assert list(without_what_is_missing(sets)) == list(sets)


def test_errors_of_networks_are_those_of_their_mean():
    X, y, X_new, y_new = train_and_test("liver", 0)
    model = train_networks(X, y, seed=0, n_estimators=2, learning_rate=0.1, max_epochs=20)
    mse, mcr = network_errors(model, X_new, y_new)
    assert mcr == pytest.approx(np.mean(model.predict(X_new) != y_new))
    one, two = model.member_decision_function(X_new)
    squares = [
        ((one + two)[i, k] / 2 - (label == k)) ** 2 for i, label in enumerate(y_new) for k in (0, 1)
    ]
    assert mse == pytest.approx(sum(squares) / len(squares))


def test_networks_that_run_away_are_none():
    X, y, *_ = train_and_test("liver", 0)
    options = {"n_estimators": 3, "learning_rate": 0.5, "max_epochs": 2000}
    assert train_networks(X, y, seed=0, lam=1.5, **options) is None


@pytest.mark.parametrize(("name", "shape"), [("cancer", (569, 30)), ("liver", (345, 6))])
def test_sets_are_the_size_of_table_5_1(name, shape):
    X, y = thesis_data(name, 0)
    assert X.shape == shape
    assert set(y) == {0, 1}
    every = np.concatenate([take_fold(y, k, 10, 0)[1] for k in range(10)])
    np.testing.assert_array_equal(np.sort(every), np.arange(len(y)))


def test_sets_in_the_plane_are_drawn_by_seed():
    (X, y), (other, _), (again, _) = (thesis_data("cone-torus", seed) for seed in (0, 1, 0))
    assert X.shape == (400, 2)
    assert len(set(y)) == 3
    assert not np.array_equal(X, other)
    np.testing.assert_array_equal(X, again)
