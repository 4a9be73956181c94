"""Negative correlation learning for any torch module; needs the extra ``counterpoint[torch]``.

Torch runs the modules forwards and backwards; couplings are those of
:mod:`counterpoint.networks`, with every penalty, loss and output.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from counterpoint._validation import check_choice
from counterpoint.base import MAX_SEED, draw_seed
from counterpoint.networks.engine import SOLVERS, Trainer, mean_weights, put_out
from counterpoint.networks.negative_correlation import NegativeCorrelationClassifier

__all__ = ["TorchNegativeCorrelationClassifier"]


def _import_torch():
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            "TorchNegativeCorrelationClassifier needs torch: pip install 'counterpoint[torch]'. "
            "NegativeCorrelationClassifier does without."
        ) from error
    return torch


def small_network(n_features: int, n_outputs: int):
    """Return one hidden layer of 20 tanh units: what is trained if nothing else is given."""
    torch = _import_torch()
    return torch.nn.Sequential(
        torch.nn.Linear(n_features, 20), torch.nn.Tanh(), torch.nn.Linear(20, n_outputs)
    )


@dataclass(kw_only=True)
class TorchNetworks:
    """Torch modules that are trained together; stands where ``Networks`` stands."""

    modules: list
    output: str  # what is made of their outputs: "linear", "sigmoid", "softmax"
    sizes: tuple[int, int]  # inputs and outputs
    device: str = "cpu"

    @property
    def n_members(self) -> int:
        """Number of modules."""
        return len(self.modules)

    @property
    def parameters(self) -> list[NDArray]:
        """Copies of all parameters."""
        return [p.detach().cpu().numpy() for m in self.modules for p in m.parameters()]

    @property
    def coefs(self) -> list[NDArray]:
        """Copies of the parameters that weight decay is for: those with two axes or more."""
        return [p for p in self.parameters if p.ndim > 1]

    def copy(self) -> Self:
        """Return networks that share no weights with these."""
        return deepcopy(self)

    def tensor(self, X: NDArray):
        """Return inputs in the type of the modules' parameters, on their device."""
        torch = _import_torch()
        kinds = [p.dtype for p in self.modules[0].parameters() if p.is_floating_point()]
        dtype = kinds[0] if kinds else torch.float32
        return torch.as_tensor(np.ascontiguousarray(X), dtype=dtype, device=self.device)

    def signals(self, x):
        """Return what all modules say, (n_members, n_samples, n_outputs), as a tensor."""
        torch = _import_torch()
        signals = [module(x) for module in self.modules]
        wanted = (len(x), self.sizes[1])
        for k, one in enumerate(signals):
            if tuple(one.shape) != wanted:
                raise ValueError(
                    f"Module {k} puts out {tuple(one.shape)} for {len(x)} samples, expected "
                    f"{wanted}: one output a class. module_factory gets that number second."
                )
        return torch.stack(signals)

    def outputs(self, X: NDArray, *, batch_size: int = 4096) -> NDArray:
        """Return the outputs, (n_members, n_samples, n_outputs), in chunks of rows."""
        torch = _import_torch()
        for module in self.modules:
            module.eval()
        outputs = []
        with torch.no_grad():
            for rows in gen_batches(len(X), batch_size):
                signals = self.signals(self.tensor(X[rows])).cpu().numpy().astype(X.dtype)
                outputs.append(put_out(signals, self.output))
        return np.concatenate(outputs, axis=1)


@dataclass(kw_only=True)
class TorchTrainer(Trainer):
    """Torch modules on their way; stands where ``Trainer`` stands.

    ``moments`` is the state of the optimizer; ``solver`` may make one from a list of parameters.
    """

    networks: Any  # TorchNetworks
    solver: Any = "adam"
    moments: Any = field(default_factory=list)

    def run(
        self, X: NDArray, targets: NDArray, epochs: int, sample_weight: NDArray | None = None
    ) -> None:
        """Train for some epochs."""
        torch = _import_torch()
        nets = self.networks
        weight = mean_weights(sample_weight, len(X), nets.n_members)
        optimizer = self._optimizer(torch)
        x = nets.tensor(X)
        for module in nets.modules:
            module.train()
        # Dropout and the like draw from torch's global state: seeded for the time being.
        with torch.random.fork_rng():
            torch.manual_seed(draw_seed(self.random_state))
            for _ in range(epochs):
                for part, own in self.batches(len(X), weight):
                    at = part
                    if not isinstance(part, slice):
                        at = torch.as_tensor(part, device=nets.device)
                    self._step(torch, optimizer, x[at], targets[part], own)
                self.n_epochs += 1
        self.moments = optimizer.state_dict()

    def _step(self, torch, optimizer, x, targets, weight):
        signals = self.networks.signals(x)
        outputs = signals.detach().cpu().numpy().astype(targets.dtype)
        outputs = put_out(outputs, self.networks.output)
        delta = self.coupling.delta(outputs, targets, self.networks.output)
        delta = delta / len(targets) if weight is None else delta * weight[..., None]
        optimizer.zero_grad()
        signals.backward(torch.as_tensor(delta, dtype=signals.dtype, device=signals.device))
        optimizer.step()
        self.steps += 1

    def _optimizer(self, torch):
        parameters = [p for m in self.networks.modules for p in m.parameters() if p.requires_grad]
        if not isinstance(self.solver, str):
            optimizer = self.solver(parameters)
            if self.steps:
                optimizer.load_state_dict(self.moments)
            return optimizer
        make = torch.optim.Adam if self.solver == "adam" else torch.optim.SGD
        groups = [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": self.alpha},
            {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
        ]
        optimizer = make([g for g in groups if g["params"]], lr=self.learning_rate)
        if self.steps:
            # The state brings back the rates of its time: those of today count.
            now = [(g["lr"], g["weight_decay"]) for g in optimizer.param_groups]
            optimizer.load_state_dict(self.moments)
            for group, (rate, decay) in zip(optimizer.param_groups, now, strict=True):
                group["lr"], group["weight_decay"] = rate, decay
        return optimizer


class TorchNegativeCorrelationClassifier(NegativeCorrelationClassifier):
    """Classify by the mean of torch modules of your own that are trained together.

    What ``NegativeCorrelationClassifier`` does, for any architecture: strength, dynamics,
    collusion, early stopping, warm starts and ``partial_fit`` are the same.

    Parameters
    ----------
    module_factory : callable or None, default=None
        ``module_factory(n_features, n_classes)`` makes one member, a ``torch.nn.Module`` that turns
        (n_samples, n_features) into (n_samples, n_classes) without a final softmax. For samples
        with several axes, such as images, the first number is the length of the first of
        them. None is a network of 20 hidden units.
    n_estimators : int, default=5
        Number of members.
    strength : float in [0, 1], "auto" or None, default=None
        0 trains every member alone, 1 all as one; None is 0.5. Large members are often best
        near 0.
    lam : float or None, default=None
        Lambda itself, instead of ``strength``.
    penalty : {"ncl", "root-quartic"}, registered name or Coupling, default="ncl"
        The second goes with the squared loss only.
    loss : {"cross-entropy", "squared"}, default="cross-entropy"
        Generalized negative correlation learning, or the original.
    output : {"auto", "linear", "sigmoid", "softmax"}, default="auto"
        What is made of what modules put out. "auto" is softmax for the cross-entropy, linear
        for the squared loss.
    solver : {"adam", "gd"} or callable, default="adam"
        A callable makes an optimizer from a list of parameters; ``learning_rate`` and ``alpha``
        are then its own business.
    learning_rate : float, default=0.01
    alpha : float, default=0.0
        Weight decay of parameters with two axes or more.
    max_epochs : int, default=100
    batch_size : int, "auto" or None, default="auto"
        None takes all samples at once; "auto" does so up to 1000 and takes 200 beyond.
    scale : bool, default=True
        Bring inputs to mean 0 and standard deviation 1 inside.
    early_stopping, validation_fraction, patience, tol, class_weight, record, \
warm_start, progress
        As in ``NegativeCorrelationClassifier``.
    device : str or None, default=None
        Where to train; None is the first GPU if there is one, else the CPU.
    random_state : int, RandomState instance or None, default=None
        Seeds weights, splits, shuffles, and what modules draw while they are trained.

    Attributes
    ----------
    modules_ : list of torch.nn.Module
        The members.
    strength_, lam_, lam_star_, lam_upper_, n_epochs_, best_epoch_, loss_, stop_reason_, \
dynamics_, collusion_, strength_path_, classes_
        As in ``NegativeCorrelationClassifier``.

    References
    ----------
    .. [1] S. Buschjäger, L. Pfahler and K. Morik, "Generalized negative correlation learning for
       deep ensembling", arXiv:2011.02952, 2020.
    .. [2] T. Abe, E. K. Buchanan, G. Pleiss and J. Cunningham, "Pathologies of predictive diversity
       in deep ensembles", TMLR 2024.

    Examples
    --------
    >>> from counterpoint.networks.torch import TorchNegativeCorrelationClassifier
    >>> TorchNegativeCorrelationClassifier(n_estimators=3, strength=0.2)
    TorchNegativeCorrelationClassifier(n_estimators=3, strength=0.2)
    """

    _takes_images = True

    def __init__(
        self,
        module_factory: Callable[[int, int], Any] | None = None,
        *,
        n_estimators=5,
        strength=None,
        lam=None,
        penalty="ncl",
        loss="cross-entropy",
        output="auto",
        solver="adam",
        learning_rate=0.01,
        alpha=0.0,
        max_epochs=100,
        batch_size="auto",
        scale=True,
        early_stopping=False,
        validation_fraction=0.1,
        patience=20,
        tol=1e-4,
        class_weight=None,
        record=False,
        warm_start=False,
        progress=None,
        device=None,
        random_state=None,
    ):
        super().__init__(
            n_estimators,
            strength=strength,
            lam=lam,
            penalty=penalty,
            loss=loss,
            output=output,
            solver=solver,
            learning_rate=learning_rate,
            alpha=alpha,
            max_epochs=max_epochs,
            batch_size=batch_size,
            scale=scale,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            patience=patience,
            tol=tol,
            class_weight=class_weight,
            record=record,
            warm_start=warm_start,
            progress=progress,
            random_state=random_state,
        )
        self.module_factory = module_factory
        self.device = device

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        return tags

    @property
    def modules_(self):
        """The members, torch modules."""
        return self.networks_.modules

    def _check_architecture(self):
        _import_torch()
        if self.module_factory is not None and not callable(self.module_factory):
            raise TypeError(
                f"module_factory is a {type(self.module_factory).__name__}: give a function of "
                "(n_features, n_classes) that makes a module."
            )
        if isinstance(self.solver, str) or not callable(self.solver):
            check_choice(self.solver, "solver", SOLVERS)

    def _sizes(self, rows):
        return (rows.X.shape[1], rows.targets.shape[1])

    def _make_trainer(self, rows, **options):
        """Make the members, each from a seed of its own, and their trainer."""
        torch = _import_torch()
        make = small_network if self.module_factory is None else self.module_factory
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        seeds = np.random.RandomState(self._seeds[0]).randint(MAX_SEED, size=self.n_estimators)
        sizes, modules = self._sizes(rows), []
        with torch.random.fork_rng():
            for seed in seeds:
                torch.manual_seed(int(seed))
                module = make(*sizes)
                if not isinstance(module, torch.nn.Module):
                    raise TypeError(
                        f"module_factory made a {type(module).__name__}, expected a "
                        "torch.nn.Module."
                    )
                if self.module_factory is None and rows.X.dtype == np.float64:
                    module.double()
                modules.append(module.to(device))
        networks = TorchNetworks(
            modules=modules, output=self._output_name(), sizes=sizes, device=device
        )
        return TorchTrainer(networks=networks, **options)
