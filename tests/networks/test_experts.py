"""Mixtures of experts: the likelihood, EM and gradient, gates, problems no single expert solves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import experts as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression

from counterpoint import member_predictions
from counterpoint.exceptions import InterruptedFitWarning
from counterpoint.networks import mixture as mixture_module
from counterpoint.networks.coupling import CROSS_ENTROPY, NegativeCorrelation
from counterpoint.networks.engine import Networks, Trainer, start_networks
from counterpoint.networks.experts import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from counterpoint.networks.samples import Samples


def some_rows(seed, n=25, n_features=2, n_classes=0):
    rng = np.random.RandomState(seed)
    X, weight = rng.normal(size=(n, n_features)), rng.uniform(0.1, 2, n)
    if n_classes:
        targets = np.eye(n_classes)[rng.randint(n_classes, size=n)]
    else:
        targets = rng.normal(size=(n, 1))
    return Samples(X=X, targets=targets, weight=weight / weight.sum())


def some_mixture(seed, rows, n_experts=3, hidden=(), is_classifier=False):
    n_features, n_outputs = rows.X.shape[1], rows.targets.shape[1]
    gate, experts = (
        start_networks(n, sizes, output=output, random_state=seed + k)
        for k, (n, sizes, output) in enumerate(
            [
                (1, (n_features, n_experts), "softmax"),
                (
                    n_experts,
                    (n_features, *hidden, n_outputs),
                    "softmax" if is_classifier else "linear",
                ),
            ]
        )
    )
    variance = None if is_classifier else np.random.RandomState(seed).uniform(0.3, 2, n_experts)
    return mixture_module.Mixture(gate=gate, experts=experts, variance=variance)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_responsibilities_and_likelihood_match_naive(n_classes):
    rows = some_rows(0, n_classes=n_classes)
    mixture = some_mixture(1, rows, is_classifier=n_classes > 0)
    likelihood = []
    for i in range(3):
        w, b = mixture.experts.coefs[0][i].tolist(), mixture.experts.intercepts[0][i].tolist()
        said = [naive.linear(x, w, b) for x in rows.X.tolist()]
        if n_classes:
            kinds = rows.targets.argmax(axis=1)
            likelihood.append([naive.softmax(s)[k] for s, k in zip(said, kinds, strict=True)])
        else:
            variance = mixture.variance[i]
            likelihood.append(
                [naive.normal(y[0], s[0], variance) for y, s in zip(rows.targets, said)]
            )
    gate = mixture.gate.coefs[0][0].tolist(), mixture.gate.intercepts[0][0].tolist()
    assert_allclose(
        mixture.responsibilities(rows), naive.responsibilities(rows.X.tolist(), likelihood, *gate)
    )
    assert_allclose(
        mixture.log_likelihood(rows),
        naive.mean_log_likelihood(rows.X.tolist(), likelihood, rows.weight, *gate),
    )


@pytest.mark.parametrize("hidden", [(), (4,)])
@pytest.mark.parametrize("n_classes", [0, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.01])
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), inner=st.integers(1, 6))
def test_em_never_lowers_the_likelihood(hidden, n_classes, alpha, seed, inner):
    rows = some_rows(seed, n_classes=n_classes)
    begun = some_mixture(seed, rows, hidden=hidden, is_classifier=n_classes > 0)
    path = [begun.log_likelihood(rows) - begun.penalty(alpha)]
    for _, better in zip(range(10), mixture_module.em(begun, rows, alpha=alpha, inner=inner)):
        path.append(better.log_likelihood(rows) - better.penalty(alpha))
    assert np.diff(path).min() >= -1e-9 * (1 + abs(path[0]))
    assert path[-1] > path[0]


@pytest.mark.parametrize(
    "estimator",
    [
        MixtureOfExpertsClassifier(3, random_state=0),
        MixtureOfExpertsClassifier(2, hidden_layer_sizes=(3,), max_epochs=20, random_state=0),
        MixtureOfExpertsRegressor(3, random_state=0),
        MixtureOfExpertsRegressor(2, alpha=0.0, gate_hidden_layer_sizes=3, random_state=0),
    ],
)
def test_the_path_of_the_likelihood_never_falls(estimator):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    estimator.fit(X, y)
    assert len(estimator.log_likelihood_) == estimator.n_epochs_ + 1 > 2
    assert np.diff(estimator.log_likelihood_).min() >= -1e-9


@pytest.mark.parametrize("n_classes", [0, 3])
def test_steps_of_gradient_ascent_follow_the_likelihood(n_classes):
    rows = some_rows(3, n_classes=n_classes)
    mixture = some_mixture(4, rows, hidden=(2,), is_classifier=n_classes > 0)
    share = mixture.responsibilities(rows)
    weight = share * rows.weight
    if n_classes == 0:
        weight = weight / mixture.variance[:, None]
    coupling = CROSS_ENTROPY if n_classes else NegativeCorrelation(0.0)
    experts = Trainer(networks=mixture.experts, coupling=coupling)
    gate = Trainer(networks=mixture.gate, coupling=CROSS_ENTROPY)
    found = [
        *experts.gradients(rows.X, rows.targets, weight),
        *gate.gradients(rows.X, share.T, rows.weight[None]),
    ]
    eps = 1e-6
    for p, g in zip(mixture.experts.parameters + mixture.gate.parameters, found, strict=True):
        for at in np.ndindex(p.shape):
            keep = p[at]
            p[at] = keep + eps
            up = mixture.log_likelihood(rows)
            p[at] = keep - eps
            down = mixture.log_likelihood(rows)
            p[at] = keep
            assert_allclose(-g[at], (up - down) / (2 * eps), atol=1e-7)


def test_least_squares_is_that_of_weighted_rows():
    rows = some_rows(5)
    weight = np.random.RandomState(0).uniform(size=(2, 25))
    blank = Networks(coefs=[np.zeros((2, 2, 1))], intercepts=[np.zeros((2, 1))])
    found = mixture_module.least_squares(blank, rows.X, rows.targets, weight, alpha=0.0)
    for i in range(2):
        line = LinearRegression().fit(rows.X, rows.targets, sample_weight=weight[i])
        assert_allclose(found.coefs[0][i], line.coef_.T)
        assert_allclose(found.intercepts[0][i], line.intercept_)
    penalised = mixture_module.least_squares(blank, rows.X, rows.targets, weight, alpha=0.3)
    trainer = Trainer(networks=penalised, coupling=NegativeCorrelation(0.0), alpha=0.3)
    for g in trainer.gradients(rows.X, rows.targets, weight):
        assert_allclose(g, 0, atol=1e-12)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), iterations=st.integers(1, 30))
def test_inner_steps_go_down_or_stay(seed, iterations):
    rows = some_rows(seed, n_classes=3)
    networks = start_networks(2, (2, 3, 3), output="softmax", random_state=seed)
    weight = np.random.RandomState(seed).uniform(size=(2, 25))

    def value(networks):
        errors = CROSS_ENTROPY.error(networks.outputs(rows.X), rows.targets)
        return (errors * weight).sum() + 0.05 * sum((w**2).sum() for w in networks.coefs)

    before = networks.copy()
    found = mixture_module.descended(
        networks, CROSS_ENTROPY, rows.X, rows.targets, weight, 0.1, iterations
    )
    assert value(found) < value(before)
    assert_array_equal(networks.coefs[0], before.coefs[0])


def test_many_inner_steps_find_the_minimum_of_a_convex_error():
    rows = some_rows(6, n_classes=3)
    networks = start_networks(2, (2, 3), output="softmax", random_state=0)
    weight = np.tile(rows.weight, (2, 1))
    found = mixture_module.descended(
        networks, CROSS_ENTROPY, rows.X, rows.targets, weight, 0.1, 200
    )
    trainer = Trainer(networks=found, coupling=CROSS_ENTROPY, alpha=0.1)
    for g in trainer.gradients(rows.X, rows.targets, weight):
        assert_allclose(g, 0, atol=1e-6)


def test_steps_end_where_there_is_nothing_left_to_gain():
    class Counted:
        asked = 0

        def error(self, outputs, targets):
            self.asked += 1
            assert self.asked < 5000
            return CROSS_ENTROPY.error(outputs, targets)

        def __getattr__(self, name):
            return getattr(CROSS_ENTROPY, name)

    rows = some_rows(6, n_classes=3)
    networks = start_networks(2, (2, 3), output="softmax", random_state=0)
    weight = np.tile(rows.weight, (2, 1))
    counted = Counted()
    for _ in range(3):  # a start at the minimum, too
        networks = mixture_module.descended(
            networks, counted, rows.X, rows.targets, weight, 0.1, 10**6
        )
    assert counted.asked > 20


# -- problems no single expert can solve -------------------------------------------------------


@pytest.mark.parametrize("solver", ["em", "gradient"])
def test_two_lines_are_found_where_one_fails(solver):
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, (300, 1))
    y = np.where(X[:, 0] < 0, 1 + 2 * X[:, 0], 4 - 3 * X[:, 0]) + 0.1 * rng.normal(size=300)
    options = {"solver": solver, "max_epochs": 300, "learning_rate": 0.05, "random_state": 0}
    alone = MixtureOfExpertsRegressor(1, **options).fit(X, y)
    both = MixtureOfExpertsRegressor(2, **options).fit(X, y)
    assert alone.score(X, y) < 0.5
    assert both.score(X, y) > 0.95
    assert_allclose(both.noise_, 0.1, atol=0.03)
    at = np.array([[-0.5], [0.5]])
    chosen = both.gate_proba(at).argmax(axis=1)
    assert chosen[0] != chosen[1]
    assert_allclose(both.member_predict(at)[chosen, [0, 1]], [0.0, 2.5], atol=0.1)


@pytest.mark.parametrize("solver", ["em", "gradient"])
def test_linear_experts_solve_exclusive_or(solver):
    rng = np.random.RandomState(1)
    X = rng.uniform(-1, 1, (300, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    options = {"solver": solver, "max_epochs": 300, "learning_rate": 0.05, "random_state": 0}
    assert MixtureOfExpertsClassifier(1, **options).fit(X, y).score(X, y) < 0.7
    assert MixtureOfExpertsClassifier(2, **options).fit(X, y).score(X, y) > 0.95


def test_three_classes_in_stripes():
    X = np.random.RandomState(0).uniform(0, 6, (400, 1))
    y = X[:, 0].astype(int) % 3
    mixture = MixtureOfExpertsClassifier(4, n_init=3, max_epochs=200, random_state=0).fit(X, y)
    alone = MixtureOfExpertsClassifier(1, random_state=0).fit(X, y)
    assert mixture.score(X, y) > 0.9 > 0.6 > alone.score(X, y)


def test_one_expert_is_a_linear_regression():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(50, 3)), rng.normal(size=50)
    mixture = MixtureOfExpertsRegressor(1, alpha=0.0, validation_fraction=None).fit(X, y)
    assert_allclose(mixture.predict(X), LinearRegression().fit(X, y).predict(X))
    assert_allclose(mixture.gate_proba(X), 1)
    assert_array_equal(mixture.experts_.coefs[0].shape, (1, 3, 1))


# -- answers -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def moons():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(400, 2))
    return X, (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=400) > 0).astype(int)


def test_gates_answer_as_they_say(moons):
    X, y = moons
    soft = MixtureOfExpertsClassifier(3, random_state=0).fit(X, y)
    share, said = soft.gate_proba(X), soft.member_predict_proba(X)
    assert_allclose(share.sum(axis=1), 1)
    assert_allclose(soft.predict_proba(X), sum(share[:, [i]] * said[i] for i in range(3)))
    rows = np.arange(len(X))
    hard = MixtureOfExpertsClassifier(3, gate="hard", random_state=0).fit(X, y)
    assert_allclose(hard.predict_proba(X), said[share.argmax(axis=1), rows])
    drawn = MixtureOfExpertsClassifier(3, gate="stochastic", random_state=0).fit(X, y)
    proba = drawn.predict_proba(X)
    assert_array_equal(proba, drawn.predict_proba(X))
    matches = np.abs(proba - said).max(axis=2) < 1e-12
    assert matches.any(axis=0).all()
    # Each expert is drawn as often as the gate says, within five standard deviations.
    expected = share.sum(axis=0)
    wide = 5 * np.sqrt((share * (1 - share)).sum(axis=0)) + 1
    assert (np.abs(matches.sum(axis=1) - expected) < wide).all()


def test_the_unit_of_y_does_not_matter():
    rng = np.random.RandomState(0)
    X = rng.uniform(-1, 1, (120, 2))
    y = np.abs(X[:, 0]) + 0.1 * rng.normal(size=120)
    small = MixtureOfExpertsRegressor(2, random_state=0).fit(X, y)
    large = MixtureOfExpertsRegressor(2, random_state=0).fit(X, 1000 * y + 7)
    assert_allclose(member_predictions(small, X), small.member_predict(X))
    # Other rows are held out, so not the same model.
    assert abs(small.score(X, y) - large.score(X, 1000 * y + 7)) < 0.05
    assert_allclose(large.noise_.mean(), 1000 * small.noise_.mean(), rtol=0.3)


def test_a_constant_target_is_learnt():
    X = np.random.RandomState(0).normal(size=(30, 2))
    mixture = MixtureOfExpertsRegressor(2, random_state=0).fit(X, np.full(30, 3.5))
    assert_allclose(mixture.predict(X), 3.5, atol=1e-3)


def test_starts_are_compared_on_held_out_rows(moons):
    mixture = MixtureOfExpertsClassifier(2, n_init=3, max_epochs=5, random_state=0).fit(*moons)
    best = mixture.history_.loc[mixture.history_["valid_log_likelihood"].idxmax()]
    assert mixture.history_["start"].nunique() == 3
    assert mixture.best_epoch_ == best["epoch"]
    kept = mixture.history_[mixture.history_["start"] == best["start"]]
    assert_array_equal(kept["log_likelihood"], mixture.log_likelihood_)


def test_ctrl_c_keeps_the_best_so_far(moons, monkeypatch):
    maximised, calls = mixture_module.maximised, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) > 4:
            raise KeyboardInterrupt
        return maximised(*args)

    monkeypatch.setattr(mixture_module, "maximised", interrupted)
    with pytest.warns(InterruptedFitWarning, match="keeps the best found so far"):
        mixture = MixtureOfExpertsClassifier(2, random_state=0).fit(*moons)
    assert mixture.stop_reason_ == "interrupted"
    assert len(mixture.history_) == 4
    assert mixture.predict(moons[0]).shape == (400,)


def test_an_expert_left_without_rows_keeps_its_variance():
    rows = some_rows(7)
    mixture = some_mixture(8, rows)
    share = np.zeros((3, 25))
    share[0] = 1.0
    after = mixture_module.maximised(mixture, share, rows, 0.0, 2)
    assert np.isfinite(after.log_likelihood(rows))
    assert_array_equal(after.variance[1:], mixture.variance[1:])
