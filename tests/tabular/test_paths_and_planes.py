"""Stored paths of penalties, and points painted on the plane."""

import numpy as np
import pytest

from counterpoint import member_predictions, tabular
from counterpoint._progress import listening
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import load
from counterpoint.tabular.encoder import with_encoder
from counterpoint.tabular.painted_plane import PAINTERS, paint_plane
from counterpoint.tabular.penalty_path import LAMS, PATHS, STRENGTHS, penalty_path
from counterpoint.trees import HistTreeClassifier


@pytest.fixture(scope="module")
def fitted():
    data = load("iris")
    return tabular.fit(data.X.assign(kind=data.y), "kind", "bagging", random_state=0)


def test_a_path_of_lambda_is_what_each_booster_does(fitted):
    heard = []
    with listening(lambda step: bool(heard.append(step))):
        path = penalty_path(fitted, "lam")
    assert [step["value"] for step in path["steps"]] == list(LAMS)
    assert [step["n_done"] for step in heard] == list(range(1, len(LAMS) + 1))
    tree = HistTreeClassifier(max_depth=5, min_samples_leaf=3)
    one = with_encoder(AdaBoostNCClassifier(tree, n_estimators=30, lam=2.0, random_state=0))
    one.fit(fitted.X_train, fitted.y_train)
    step = path["steps"][LAMS.index(2.0)]
    assert step["error"] == np.mean(one.predict(fitted.X_test) != fitted.y_test)
    assert len(step["pairs"][0]) == step["n_members"] * (step["n_members"] - 1) // 2


def test_networks_tell_their_outputs_epoch_by_epoch(fitted):
    path = penalty_path(fitted, "strength")
    assert [step["value"] for step in path["steps"]] == list(STRENGTHS)
    for step in path["steps"]:
        assert np.shape(step["outputs"]) == (8, len(step["epochs"]))
        assert step["low"] <= step["error"] <= step["high"]
    spread = [np.std(np.array(step["outputs"])[:, -1]) for step in path["steps"]]
    assert spread[-1] > spread[0]  # as one they need not agree


def test_there_are_two_paths(fitted):
    for kind in ("gamma", "boosters"):  # the second is for numbers
        with pytest.raises(ValueError, match=f"kind='{kind}'"):
            penalty_path(fitted, kind)


def test_paths_of_numbers_are_what_each_ensemble_does(monkeypatch):
    data = load("iris")
    table = data.X.iloc[:, :3].assign(width=data.X.iloc[:, 3] + 0.01 * data.X.iloc[:, 0])
    numbers = tabular.fit(table, "width", "bagging", random_state=0, task="regression")
    _, make, scaled = PATHS["regression"]["boosters"]
    monkeypatch.setitem(PATHS["regression"], "boosters", ((0.5,), make, scaled))
    (step,) = penalty_path(numbers)["steps"]
    one = with_encoder(make(0.5, 0)).fit(numbers.X_train, numbers.y_train)
    gap = member_predictions(one, numbers.X_test) - numbers.y_test
    assert step["error"] == pytest.approx(np.sqrt(np.mean(gap.mean(axis=0) ** 2)))
    assert step["low"] <= step["error"] <= step["high"]
    i, j = np.triu_indices(8, k=1)
    np.testing.assert_allclose(step["pairs"][0], np.corrcoef(gap)[i, j], atol=1e-4)
    alone = np.sqrt(np.mean(gap**2, axis=1))
    np.testing.assert_allclose(step["pairs"][1], (alone[i] + alone[j]) / 2)
    _, make, scaled = PATHS["regression"]["strength"]
    monkeypatch.setitem(PATHS["regression"], "strength", ((0.5,), make, scaled))
    (step,) = penalty_path(numbers, "strength")["steps"]
    assert np.shape(step["outputs"]) == (8, len(step["epochs"]))


@pytest.mark.parametrize("method", PAINTERS)
def test_every_painter_tells_two_corners_apart(method):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0.2, 0.05, (20, 2)), rng.normal(0.8, 0.05, (20, 2))])
    told = paint_plane(X, ["a"] * 20 + ["b"] * 20, method, n_estimators=6, resolution=20)
    assert told["region"].shape == (20, 20)
    assert told["region"][4, 4] == 0  # the lower left corner comes first
    assert told["region"][15, 15] == 1
    assert told["error"] == 0
    assert told["members"].shape[1:] == (20, 20)
    assert (told["n_members"] > 1) == (len(told["members"]) > 1)


@pytest.mark.parametrize(
    ("X", "y", "word"),
    [([[0, 0]] * 4, [1] * 4, "two classes"), ([[0, 0], [1, 1]], [0, 1], "four in all"),
     ([[0], [1]], [0, 1], "two numbers")],
)  # fmt: skip
def test_too_little_paint_is_said(X, y, word):
    with pytest.raises(ValueError, match=word):
        paint_plane(X, y)
