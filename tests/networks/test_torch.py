import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris

from counterpoint import MemberOutputs
from counterpoint.exceptions import DivergenceError
from counterpoint.networks.coupling import find_coupling
from counterpoint.networks.engine import Networks, Trainer
from counterpoint.networks.torch import (
    TorchNegativeCorrelationClassifier,
    TorchNetworks,
    TorchTrainer,
    small_network,
)


def test_without_torch_fit_says_what_to_install(monkeypatch):
    import builtins

    real = builtins.__import__

    def no_torch(name, *args, **kwargs):
        if name == "torch":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_torch)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ImportError, match=r"pip install 'counterpoint\[torch\]'"):
        TorchNegativeCorrelationClassifier().fit(X, y)


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def make(**options):
    options = {"n_estimators": 3, "max_epochs": 40, "random_state": 0, **options}
    return TorchNegativeCorrelationClassifier(**options)


def flat(model):
    return np.concatenate([p.ravel() for p in model.networks_.parameters])


@pytest.mark.parametrize("solver", ["gd", "adam"])
@pytest.mark.parametrize(
    ("penalty", "loss", "output"),
    [
        ("ncl", "squared", "linear"),
        ("root-quartic", "squared", "sigmoid"),
        ("ncl", "cross-entropy", "softmax"),
    ],
)
def test_torch_modules_train_as_our_own_networks(torch, iris, solver, penalty, loss, output):
    X, y = iris
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    targets = np.eye(3)[y]
    with torch.random.fork_rng():
        torch.manual_seed(1)
        modules = [small_network(4, 3).double() for _ in range(3)]
    layers = [[m[0], m[2]] for m in modules]
    ours = Networks(
        coefs=[np.stack([m[k].weight.detach().numpy().T for m in layers]) for k in (0, 1)],
        intercepts=[np.stack([m[k].bias.detach().numpy() for m in layers]) for k in (0, 1)],
        output=output,
    ).copy()
    weight = np.random.default_rng(0).random(150)
    coupling = find_coupling(penalty, loss).with_strength(0.7, None, output)
    options = dict(coupling=coupling, solver=solver, learning_rate=0.05, alpha=0.01)
    Trainer(networks=ours, **options).run(X, targets, 15, weight)
    theirs = TorchNetworks(modules=modules, output=output, sizes=(4, 3))
    trainer = TorchTrainer(networks=theirs, **options)
    trainer.run(X, targets, 7, weight)
    trainer.run(X, targets, 8, weight)  # the state of the solver goes on
    # Torch's Adam has its epsilon at another place, which tiny gradients feel at the first step.
    tolerance = 1e-9 if solver == "gd" else 1e-3
    assert_allclose(theirs.outputs(X), ours.outputs(X), atol=tolerance)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"loss": "squared", "strength": 1.0},
        {"loss": "squared", "penalty": "root-quartic"},
        {"batch_size": 16, "strength": 0.9},
        {"loss": "squared", "solver": "gd", "learning_rate": 0.3},
    ],
    ids=str,
)
def test_it_learns(torch, iris, options):
    X, y = iris
    model = make(**options).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.member_predict_proba(X).shape == (3, 150, 3)
    assert MemberOutputs.from_estimator(model, X, y).n_members == 3
    assert len(model.modules_) == 3


def test_any_module_and_any_optimizer(torch):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300].reshape(-1, 1, 8, 8), y[:300]

    def factory(n_channels, n_classes):
        return torch.nn.Sequential(
            torch.nn.Conv2d(n_channels, 8, 3),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
            torch.nn.Dropout(0.1),
            torch.nn.Linear(8 * 36, n_classes),
        )

    model = make(
        module_factory=factory,
        solver=lambda parameters: torch.optim.AdamW(parameters, lr=0.01),
        batch_size=64,
        max_epochs=6,
    )
    model.fit(X, y)
    assert model.score(X, y) > 0.8
    again = clone(model).fit(X, y)  # dropout is seeded too
    assert_array_equal(flat(again), flat(model))


def test_the_seed_decides_and_torch_keeps_its_own(torch, iris):
    X, y = iris
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    first, again, other = (make(random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert_array_equal(flat(first), flat(again))
    assert not np.array_equal(flat(first), flat(other))
    assert torch.equal(torch.rand(3), expected)


def test_dynamics_collusion_and_auto(torch, iris):
    X, y = iris
    model = make(strength="auto", record=10, max_epochs=20, early_stopping=True).fit(X, y)
    assert model.dynamics_.epochs.tolist() == [0, 10, 20]
    assert len(model.strength_path_) == 6
    assert model.collusion_.new.n_samples == 15


def test_a_warm_start_goes_on_where_it_was(torch, iris):
    X, y = iris
    once = make(patience=None, max_epochs=20).fit(X, y)
    twice = make(patience=None, max_epochs=10, warm_start=True)
    twice.fit(X, y).fit(X, y)
    assert twice.n_epochs_ == 20
    assert_allclose(flat(twice), flat(once), atol=1e-5)
    with pytest.raises(ValueError, match="n_estimators is 4, but the networks"):
        twice.set_params(n_estimators=4).fit(X, y)


def test_partial_fit_and_pickle(torch, iris):
    X, y = iris
    model = make()
    for _ in range(40):
        model.partial_fit(X, y, classes=[0, 1, 2])
    assert model.score(X, y) > 0.85
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_runs_away_is_caught(torch, iris):
    X, y = iris
    model = make(loss="squared", warm_start=True).fit(X, y)
    before = flat(model)
    with pytest.raises(DivergenceError, match="lower it"):
        model.set_params(learning_rate=1e12).fit(X, y)
    assert_array_equal(flat(model), before)
    assert model.set_params(learning_rate=0.01).fit(X, y).score(X, y) > 0.85


def test_wrong_input(torch, iris):
    X, y = iris
    with pytest.raises(TypeError, match="module_factory is a int"):
        make(module_factory=3).fit(X, y)
    with pytest.raises(TypeError, match=r"made a list, expected a torch\.nn\.Module"):
        make(module_factory=lambda n, k: []).fit(X, y)
    with pytest.raises(ValueError, match=r"Module 0 puts out \(150, 7\) for 150 samples"):
        make(module_factory=lambda n, k: small_network(n, 7)).fit(X, y)
    with pytest.raises(ValueError, match="solver='sgd'"):
        make(solver="sgd").fit(X, y)
    with pytest.raises(ValueError, match="strength=2"):
        make(strength=2).fit(X, y)
