import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_friedman1

from counterpoint.datasets import make_two_gaussians
from counterpoint.diversity import disagreement
from counterpoint.exceptions import CollusionWarning
from counterpoint.networks.collusion import measure_collusion
from counterpoint.networks.negative_correlation import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
)
from counterpoint.networks.samples import Samples


class Said:
    """Networks whose outputs are what X holds: (n_samples, n_members, n_outputs)."""

    def outputs(self, X):
        return np.swapaxes(X, 0, 1)


def measured(train, new, codes_train, codes_new, weight=None):
    sides = []
    for outputs, codes in ((train, codes_train), (new, codes_new)):
        sides.append(
            Samples(
                X=np.swapaxes(outputs, 0, 1), targets=np.eye(2)[codes], codes=codes, weight=weight
            )
        )
    return measure_collusion(Said(), *sides, lambda f, d: ((f - d) ** 2).mean(axis=-1), lambda f: f)


def scenario(rng, noise_train, noise_new, n=400, apart=2.0):
    """Members that are far apart; the mean of their outputs is right up to noise."""
    sides = []
    for noise in (noise_train, noise_new):
        codes = rng.integers(2, size=n)
        shift = rng.normal(0, apart, (4, n, 2))
        shift -= shift.mean(axis=0)
        wrong = rng.random(n) < noise
        mean = np.eye(2)[np.where(wrong, 1 - codes, codes)] + rng.normal(0, 0.02, (n, 2))
        sides.append((mean + shift, codes))
    (train, codes_train), (new, codes_new) = sides
    return train, new, codes_train, codes_new


def test_cancellation_that_fails_on_new_data_is_collusion():
    found = measured(*scenario(np.random.default_rng(0), 0.0, 0.3))
    assert found.colludes
    assert found.missing > 0.9
    assert found.train.cancelled > found.new.cancelled


def test_cancellation_that_carries_over_is_none():
    found = measured(*scenario(np.random.default_rng(0), 0.1, 0.1))
    assert not found.colludes
    assert found.missing < 0.3


def test_members_that_hardly_differ_do_not_collude():
    """However much they overfit: that is not a matter of diversity."""
    found = measured(*scenario(np.random.default_rng(0), 0.0, 0.3, apart=0.05))
    assert not found.colludes


def test_few_samples_prove_nothing():
    found = measured(*scenario(np.random.default_rng(3), 0.0, 0.2, n=12))
    assert not found.colludes


def test_numbers_are_what_their_names_say():
    X, y = make_two_gaussians(random_state=0)
    model = NegativeCorrelationClassifier(4, strength=0.8, max_epochs=30, random_state=0)
    model.fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    side = model.collusion_.new
    outputs = model.member_decision_function(X[1::2])
    targets = (y[1::2, None] == model.classes_).astype(float)
    mean = outputs.mean(axis=0)
    assert_allclose(side.member_loss, ((outputs - targets) ** 2).mean())
    assert_allclose(side.gain, ((outputs - mean) ** 2).mean(), rtol=1e-9)
    assert_allclose(side.cancelled, side.gain / side.member_loss)
    assert_allclose(side.ensemble_error, 1 - model.score(X[1::2], y[1::2]))
    votes = model.member_predict(X[1::2])
    assert_allclose(side.member_error, (votes != y[1::2]).mean())
    assert_allclose(side.disagreement, disagreement(votes == y[1::2]))  # two classes
    assert list(model.collusion_.frame().index) == ["train", "new"]
    excess = side.ensemble_loss - (1 - model.collusion_.train.cancelled) * side.member_loss
    assert_allclose(model.collusion_.missing, max(excess, 0) / side.ensemble_loss)


def test_one_joint_network_on_noise_colludes_and_independent_ones_do_not():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 10)), rng.integers(2, size=300)
    options = dict(n_estimators=10, alpha=0.0, max_epochs=150, random_state=0)
    held = (X[150:], y[150:])
    joint = NegativeCorrelationClassifier(strength=1.0, **options)
    with pytest.warns(CollusionWarning, match="their diversity does not carry over"):
        joint.fit(X[:150], y[:150], eval_set=held)
    assert joint.collusion_.colludes
    alone = NegativeCorrelationClassifier(strength=0.0, **options)
    assert not alone.fit(X[:150], y[:150], eval_set=held).collusion_.colludes


def test_a_regressor_has_it_too():
    X, y = make_friedman1(200, noise=1.0, random_state=0)
    model = NegativeCorrelationRegressor(
        3, strength=0.5, max_epochs=40, early_stopping=True, random_state=0
    ).fit(X, y)
    assert np.isnan(model.collusion_.new.disagreement)
    assert_allclose(model.collusion_.new.ensemble_error**2, model.collusion_.new.ensemble_loss)
    assert model.collusion_.new.n_samples == 20


def test_none_without_data_to_compare_or_members_to_collude():
    X, y = make_two_gaussians(random_state=0)
    model = NegativeCorrelationClassifier(2, max_epochs=5, early_stopping=True, random_state=0)
    assert hasattr(model.fit(X, y), "collusion_")
    assert not hasattr(model.set_params(early_stopping=False).fit(X, y), "collusion_")
    model.set_params(n_estimators=1, early_stopping=True)
    assert not hasattr(model.fit(X, y), "collusion_")
