"""Raising lambda while training, and the start for raw inputs."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from counterpoint.datasets import load, make_ripley
from counterpoint.networks import NegativeCorrelationClassifier
from counterpoint.networks.engine import start_networks

X, Y = make_ripley(random_state=0)
SIGMOID = dict(
    n_estimators=3, hidden_layer_sizes=(5,), output="sigmoid", patience=None, random_state=0
)


def test_until_it_starts_nothing_changes():
    star = NegativeCorrelationClassifier(strength=1.0, max_epochs=60, record=20, **SIGMOID)
    star.fit(X, Y)
    rising = NegativeCorrelationClassifier(
        strength=1.0, lam_end=2.0, rise_from=0.5, max_epochs=120, record=20, **SIGMOID
    ).fit(X, Y)
    shared = star.dynamics_.frame().query("epoch <= 60")
    ours = rising.dynamics_.frame().query("epoch <= 60")
    numbers = shared.select_dtypes("number").columns
    assert len(shared) == len(ours) > 3
    assert_array_equal(ours[numbers].to_numpy(), shared[numbers].to_numpy())
    on = NegativeCorrelationClassifier(strength=1.0, max_epochs=120, **SIGMOID).fit(X, Y)
    assert np.abs(on.predict_proba(X) - rising.predict_proba(X)).max() > 0.01  # and then it does


def test_members_are_pressed_to_0_and_1_and_the_ensemble_to_k_of_n():
    given = SIGMOID | {"solver": "gd", "learning_rate": 0.5, "alpha": 0.0}
    star = NegativeCorrelationClassifier(strength=1.0, max_epochs=1500, **given).fit(X, Y)
    rising = NegativeCorrelationClassifier(
        strength=1.0, lam_end=4 * star.lam_star_, max_epochs=1500, **given
    ).fit(X, Y)
    apart = []
    for model in (star, rising):
        members = model.member_decision_function(X)
        mean = members.mean(axis=0)
        apart.append((np.minimum(members, 1 - members).mean(), np.abs(3 * mean % 1 - 0.5).mean()))
    assert apart[1][0] < 0.6 * apart[0][0]
    assert apart[1][1] > apart[0][1]  # nearer to k/3 than half way between


def test_a_rise_to_lambda_itself_is_none():
    plain = NegativeCorrelationClassifier(lam=0.5, max_epochs=20, **SIGMOID).fit(X, Y)
    flat = NegativeCorrelationClassifier(lam=0.5, lam_end=0.5, max_epochs=20, **SIGMOID).fit(X, Y)
    assert_allclose(flat.predict_proba(X), plain.predict_proba(X), rtol=1e-12)
    pickle.loads(pickle.dumps(flat))


def test_what_cannot_be_raised_is_said():
    with pytest.raises(ValueError, match=r"rise_from=2"):
        NegativeCorrelationClassifier(lam_end=1.0, rise_from=2).fit(X, Y)
    with pytest.raises(ValueError, match="has none beyond 1"):
        NegativeCorrelationClassifier(loss="cross-entropy", lam_end=3.0).fit(X, Y)
    with pytest.warns(UserWarning, match="beyond lambda"):
        NegativeCorrelationClassifier(3, lam_end=0.8, max_epochs=3).fit(X, Y)


def saturated(init, X):
    """Share of hidden units that sit at the end of their range for nine rows of ten."""
    ranges = np.stack([X.min(axis=0), X.max(axis=0)])
    networks = start_networks(20, (X.shape[1], 5, 2), init=init, random_state=0, ranges=ranges)
    return ((np.abs(networks.activations(X)[0]) > 0.99).mean(axis=1) > 0.9).mean()


@pytest.mark.parametrize("name", ["bupa", "wdbc", "pima"])
def test_no_unit_is_saturated_on_raw_inputs(name):
    rows = np.asarray(load(name, return_X_y=True)[0], dtype=float)
    assert saturated("nguyen-widrow-range", rows) == 0.0
    assert saturated("nguyen-widrow", rows) > 0.5


def test_the_start_over_ranges_is_the_start_on_inputs_brought_to_one():
    rng = np.random.default_rng(0)
    rows = rng.normal(50, 20, (40, 3))
    rows[:, 2] = 7.0  # a column without a range says nothing
    ranges = np.stack([rows.min(axis=0), rows.max(axis=0)])
    raw = start_networks(2, (3, 4, 2), init="nguyen-widrow-range", random_state=3, ranges=ranges)
    plain = start_networks(2, (3, 4, 2), random_state=3)
    unit = np.zeros_like(rows)
    unit[:, :2] = 2 * (rows[:, :2] - ranges[0, :2]) / np.ptp(ranges[:, :2], axis=0) - 1
    for ours, expected in zip(raw.activations(rows), plain.activations(unit), strict=True):
        assert_allclose(ours, expected, rtol=1e-9)
