import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import negative_correlation as naive
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris

from counterpoint._strength import lambda_star
from counterpoint.networks import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
    coupling,
)
from counterpoint.networks.coupling import (
    COUPLINGS,
    ROOT_QUARTIC_STAR,
    CrossEntropyMixture,
    NegativeCorrelation,
    RootQuartic,
    find_coupling,
    pointwise_loss,
    register_coupling,
)
from counterpoint.networks.engine import Trainer, start_networks

CASES = [
    ("ncl", "squared", "linear"),
    ("ncl", "squared", "sigmoid"),
    ("ncl", "squared", "softmax"),
    ("root-quartic", "squared", "linear"),
    ("root-quartic", "squared", "sigmoid"),
    ("root-quartic", "squared", "softmax"),
    ("pairs", "squared", "linear"),
    ("pairs", "squared", "sigmoid"),
    ("ncl", "cross-entropy", "softmax"),
    ("ncl", "cross-entropy", "sigmoid"),
]


def naive_error(penalty, loss, output, s, lam, target):
    if loss == "cross-entropy":
        return lambda i, outputs: naive.mixture(i, outputs, target, s, output)
    written = {"ncl": naive.ncl, "pairs": naive.pairs}.get(penalty, naive.root_quartic)
    return lambda i, outputs: written(i, outputs, target, lam)


@pytest.mark.parametrize(("penalty", "loss", "output"), CASES)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_members=st.integers(2, 6),
    n_outputs=st.integers(1, 4),
    s=st.floats(0, 1),
)
@settings(max_examples=25)
def test_gradients_are_those_of_the_errors_as_written(
    penalty, loss, output, seed, n_members, n_outputs, s
):
    rng = np.random.default_rng(seed)
    if output == "softmax":
        n_outputs = max(n_outputs, 2)
    signals = rng.normal(0, 1.5, (n_members, 1, n_outputs))
    target = np.eye(n_outputs)[rng.integers(n_outputs)]
    coupling = find_coupling(penalty, loss)
    lam = s * coupling.strongest(n_members)
    coupling = coupling.with_strength(s, lam, output)
    outputs = np.array([[naive.put_out(row, output) for row in member] for member in signals])
    error = naive_error(penalty, loss, output, s, lam, target.tolist())
    actual = coupling.error(outputs, target[None])
    delta = coupling.delta(outputs, target[None], output)
    plain = signals[:, 0].tolist()
    for i in range(n_members):
        assert_allclose(actual[i, 0], error(i, outputs[:, 0].tolist()), rtol=1e-9, atol=1e-12)
        for k in range(n_outputs):
            expected = naive.slope(lambda f, i=i: error(i, f), plain, i, k, output)
            assert_allclose(delta[i, 0, k], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("output", "n_outputs"), [("softmax", 3), ("sigmoid", 2)])
def test_the_short_way_back_of_the_cross_entropy_is_the_chain_rule(output, n_outputs):
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(4, 7, n_outputs))
    outputs = np.array([[naive.put_out(row, output) for row in member] for member in signals])
    targets = np.eye(n_outputs)[rng.integers(n_outputs, size=7)]
    coupling = CrossEntropyMixture(0.7, output=output)
    long_way = super(CrossEntropyMixture, coupling).delta(outputs, targets, output)
    assert_allclose(coupling.delta(outputs, targets, output), long_way, rtol=1e-10)


@given(seed=st.integers(0, 2**32 - 1), n_members=st.integers(2, 9), s=st.floats(0, 1))
@settings(max_examples=40)
def test_lambda_of_liu_and_yao_is_our_strength(seed, n_members, s):
    """Liu and Yao's gradient, the mean held fixed, at lambda s is Eastwood's (4.9) at s lambda*."""
    f = np.random.default_rng(seed).normal(size=n_members)
    d, mean, lam = 0.3, f.mean(), s * lambda_star(n_members)
    thesis = (f - d) - 2 * lam * (1 - 1 / n_members) * (f - mean)
    liu_and_yao = (1 - s) * (f - d) + s * (mean - d)
    ours = NegativeCorrelation(s).gradient(f[:, None, None], np.array([[d]]))[:, 0, 0]
    assert_allclose(ours, thesis, atol=1e-12)
    assert_allclose(ours, liu_and_yao, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n_members=st.integers(2, 9), s=st.floats(0, 1.5))
@settings(max_examples=40)
def test_ideal_outputs_part_or_meet_exponentially(seed, n_members, s):
    """z_j shrinks by 1 - eta theta, the ensemble's error by 1 - eta (Eastwood, 4.18, 4.20)."""
    f = np.random.default_rng(seed).normal(size=(n_members, 1, 1))
    d, eta, coupling = np.array([[0.4]]), 0.05, NegativeCorrelation(s)
    before = f.copy()
    for _ in range(30):
        f = f - eta * coupling.gradient(f, d)

    def z(f):
        return f - (f.sum(axis=0) - f) / (n_members - 1)

    assert_allclose(z(f), (1 - eta * (1 - s)) ** 30 * z(before), atol=1e-9)
    assert_allclose(f.mean() - 0.4, (1 - eta) ** 30 * (before.mean() - 0.4), atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), n_members=st.integers(2, 12))
@settings(max_examples=60)
def test_root_quartic_members_never_part_up_to_its_star(seed, n_members):
    rng = np.random.default_rng(seed)
    f = rng.standard_cauchy((n_members, 1, 1))  # heavy tails: one member far out is likely
    f -= f.mean()
    pull = RootQuartic(1.0).gradient(f, np.zeros((1, 1)))
    # The derivative of half the squared spread along the way down must not be positive.
    assert -(f * pull).sum() <= 1e-9 * (f**2).sum()


def test_two_camps_reach_the_root_quartic_bound():
    f = np.array([1.0, 1.0, -1.0, -1.0])[:, None, None]
    assert_allclose(RootQuartic(1.0).gradient(f, np.zeros((1, 1))), 0, atol=1e-12)
    beyond = RootQuartic(1.01).gradient(f, np.zeros((1, 1)))
    assert (beyond * f < 0).all()


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-90, 1e70])
def test_root_quartic_neither_divides_by_zero_nor_overflows(size):
    f = size * np.array([1.0, 1.0, -1.0])[:, None, None]
    gradient = RootQuartic(lam=0.2).gradient(f, np.zeros((1, 1)))
    unit = RootQuartic(lam=0.2).gradient(f / size if size else f, np.zeros((1, 1)))
    assert_allclose(gradient, size * unit if size else 0.0, rtol=1e-12)


def test_certain_and_wrong_members_have_finite_gradients():
    outputs = np.array([[[0.0, 1.0]], [[0.0, 1.0]]])
    targets = np.array([[1.0, 0.0]])
    for output in ("softmax", "sigmoid"):
        coupling = CrossEntropyMixture(0.5, output=output)
        assert np.isfinite(coupling.delta(outputs, targets, output)).all()
        assert np.isfinite(coupling.error(outputs, targets)).all()
        assert np.isfinite(pointwise_loss(outputs, targets, "cross-entropy", output)).all()


@pytest.mark.parametrize(
    ("coupling", "output"),
    [
        (NegativeCorrelation(0.6), "linear"),
        (NegativeCorrelation(1.3), "sigmoid"),
        (CrossEntropyMixture(0.6, output="softmax"), "softmax"),
    ],
)
def test_members_descend_n_times_the_joint_objective(coupling, output):
    rng = np.random.default_rng(1)
    outputs = np.array(
        [[naive.put_out(row, output) for row in m] for m in rng.normal(size=(3, 4, 2))]
    )
    targets = np.eye(2)[rng.integers(2, size=4)]
    gradient = coupling.gradient(outputs, targets)
    for place in np.ndindex(outputs.shape):
        moved = [outputs.copy(), outputs.copy()]
        moved[0][place] += 1e-6
        moved[1][place] -= 1e-6
        up, down = (coupling.objective(m, targets).sum() for m in moved)
        assert_allclose(gradient[place], 3 * (up - down) / 2e-6, rtol=1e-5, atol=1e-7)


def test_strength_one_trains_one_joint_network():
    """N times the rate, since each block has an N-th of the output (Eastwood, section 4.7)."""
    rng = np.random.RandomState(0)
    X, targets = rng.normal(size=(6, 2)), np.eye(2)[rng.randint(2, size=6)]
    networks = start_networks(3, (2, 4, 2), random_state=1)
    blocks = [
        tuple(
            array[i].tolist()
            for pair in zip(networks.coefs, networks.intercepts, strict=True)
            for array in pair
        )
        for i in range(3)
    ]
    trainer = Trainer(
        networks=networks, coupling=NegativeCorrelation(1.0), solver="gd", learning_rate=0.1
    )
    trainer.run(X, targets, 25)
    for _ in range(25):
        blocks = naive.joint_step(blocks, X.tolist(), targets.tolist(), 3 * 0.1)
    for i, (W, b, V, c) in enumerate(blocks):
        assert_allclose(trainer.networks.coefs[0][i], W, rtol=1e-9, atol=1e-12)
        assert_allclose(trainer.networks.intercepts[0][i], b, rtol=1e-9, atol=1e-12)
        assert_allclose(trainer.networks.coefs[1][i], V, rtol=1e-9, atol=1e-12)
        assert_allclose(trainer.networks.intercepts[1][i], c, rtol=1e-9, atol=1e-12)


def test_resolving_knows_the_penalty():
    ncl, quartic = NegativeCorrelation(), RootQuartic()
    assert ncl.resolve(0.5, None, 3, 0.9) == (0.5, 0.375)
    assert quartic.resolve(0.5, None, 3, 0.9) == (0.5, 0.5 * ROOT_QUARTIC_STAR)
    assert quartic.resolve(None, ROOT_QUARTIC_STAR, 3, 0.9) == (1.0, ROOT_QUARTIC_STAR)
    assert ncl.resolve(None, None, 3, 0.25)[0] == 0.25
    assert np.isnan(quartic.strongest(1))


def test_cross_entropy_has_no_strength_beyond_one():
    with pytest.raises(ValueError, match="a mixture of cross-entropies has none beyond 1"):
        CrossEntropyMixture().resolve(None, 0.8, 3, 0.5)


def test_a_coupling_is_for_its_output():
    with pytest.raises(ValueError, match="for softmax outputs, not sigmoid"):
        CrossEntropyMixture(0.5, output="softmax").delta(
            np.ones((1, 1, 1)), np.ones((1, 1)), "sigmoid"
        )


# -- couplings of one's own --------------------------------------------------------------------


class Repelled(NegativeCorrelation):
    """The same error; its gradient is written anew, so that no kernel has it."""

    name = "repelled"

    def gradient(self, outputs, targets):
        return (outputs - targets) - self.strength * (outputs - outputs.mean(axis=0))


def test_every_coupling_of_ours_is_among_the_cases():
    written = [value for value in vars(coupling).values() if isinstance(value, type)]
    ours = {key for key, made in COUPLINGS.items() if made in written}
    assert ours == {(penalty, loss) for penalty, loss, _ in CASES}


def test_a_registered_name_and_an_instance_do_the_same(monkeypatch):
    monkeypatch.setitem(COUPLINGS, ("repelled", "squared"), Repelled)
    X, y = load_iris(return_X_y=True)
    options = dict(strength=0.7, max_epochs=30, random_state=0)
    named, given = (
        NegativeCorrelationClassifier(3, penalty=penalty, **options).fit(X, y)
        for penalty in ("repelled", Repelled())
    )
    ours = NegativeCorrelationClassifier(3, **options).fit(X, y)
    assert_allclose(named.predict_proba(X), given.predict_proba(X), rtol=0, atol=0)
    assert_allclose(named.predict_proba(X), ours.predict_proba(X), atol=1e-9)
    assert clone(given).fit(X, y).lam_ == ours.lam_
    assert isinstance(given.penalty, Repelled)
    assert given.penalty.strength == 0.0, "fit has changed what was passed"


def test_a_new_gradient_never_runs_in_the_kernel_of_the_old_one():
    assert NegativeCorrelation(0.5).kernel("linear") == "squared"
    assert Repelled(0.5).kernel("linear") is None
    assert type("Renamed", (NegativeCorrelation,), {})(0.5).kernel("linear") == "squared"
    assert CrossEntropyMixture(output="softmax").kernel("sigmoid") is None


def test_registering_needs_a_name_and_makes_one_known(monkeypatch):
    monkeypatch.setattr("counterpoint._coupling.COUPLINGS", dict(COUPLINGS))
    assert register_coupling(Repelled) is Repelled
    assert isinstance(find_coupling("repelled", "squared"), Repelled)
    with pytest.raises(ValueError, match="Nameless has no name"):
        register_coupling(type("Nameless", (Repelled,), {"name": ""}))


def test_a_coupling_goes_with_its_loss():
    with pytest.raises(ValueError, match=r"goes with loss='squared' only; .* choose penalty='ncl'"):
        find_coupling(Repelled(), "cross-entropy")
    with pytest.raises(ValueError, match=r"penalty=Repelled is a class: pass Repelled\(\)"):
        find_coupling(Repelled, "squared")
    with pytest.raises(ValueError, match="Did you mean 'root-quartic'"):
        find_coupling("root-quart", "squared")


def test_pairs_reduce_to_members_alone_and_to_one_joint_member():
    rng = np.random.default_rng(1)
    outputs, targets = rng.normal(size=(3, 5, 4)), np.eye(4)[rng.integers(4, size=5)]
    moved = outputs.copy()
    moved[1:] += 1.0 + rng.normal(size=(2, 5, 4))
    alone = find_coupling("pairs", "squared").with_strength(0.0, 0.0)
    assert_allclose(alone.gradient(outputs, targets)[0], alone.gradient(moved, targets)[0])
    joint = alone.with_strength(1.0, None).gradient(outputs, targets)
    assert_allclose(joint[1:], joint[:1].repeat(2, axis=0))  # that of the mean, for all
    shifted = alone.gradient(outputs + rng.normal(size=(3, 5, 1)), targets)
    assert_allclose(shifted, alone.gradient(outputs, targets))  # differences count alone


def test_pairs_learn_classes_and_refuse_numbers():
    X, y = load_iris(return_X_y=True)
    model = NegativeCorrelationClassifier(
        3, penalty="pairs", strength=0.5, early_stopping=True, validation_fraction=0.3,
        max_epochs=150, random_state=0,
    ).fit(X, y)  # fmt: skip
    assert model.score(X, y) > 0.93
    assert 0 < model.loss_ < 0.1  # of what is trained: outputs drift together freely
    with pytest.raises(ValueError, match="penalty='pairs' is for classes"):
        NegativeCorrelationRegressor(3, penalty="pairs").fit(X, y)
