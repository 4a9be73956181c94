"""Fitting networks that are trained together: what classifier, regressor and torch share."""

import math
import warnings
from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from counterpoint._arrays import check_sample_weight
from counterpoint._interrupts import keep_partial
from counterpoint._options import check_shared_options
from counterpoint._typing import Seed
from counterpoint._validation import check_choice, check_count, check_number
from counterpoint.base import draw_seed, need_target, validate_data
from counterpoint.networks.base import BaseNetworks, check_layers
from counterpoint.networks.collapse import warn_collapse
from counterpoint.networks.collusion import measure_collusion, warn_collusion
from counterpoint.networks.coupling import find_coupling, pointwise_loss
from counterpoint.networks.dynamics import Recorder
from counterpoint.networks.engine import (
    HIDDEN,
    INITS,
    SMALLEST_RATE,
    SOLVERS,
    Trainer,
    start_networks,
)
from counterpoint.networks.samples import Samples, Scale, evaluation_sets, mean_and_unit, split_rows
from counterpoint.networks.strength_path import walk
from counterpoint.networks.training import train

# Epochs between two looks at full batches; with mini-batches one epoch is many steps already.
_EVERY = 10
# Rows that training is judged by, evenly taken: a look should cost little beside an epoch.
_ROWS_WATCHED = 4096
# Up to this many rows batch_size="auto" takes them all at once; beyond, batches of _BATCH.
_ALL_AT_ONCE = 1000
_BATCH = 200
# Epochs recorded if record=True leaves it open.
_RECORDS = 100


class BaseJointNetworks(BaseNetworks):
    """Networks trained together, N at once.

    A subclass gives ``_read_targets``; a classifier also has ``loss`` and ``output``.
    """

    _dtypes = (np.float64, np.float32)
    # Best on average over shipped data sets: benchmarks/strength.py, docs/negative_correlation.md.
    _default_strength = 0.5
    _wide_flags = ("record",)

    def __init__(
        self,
        n_estimators: int = 5,
        *,
        hidden_layer_sizes: int | tuple[int, ...] = (20,),
        strength: float | str | None = None,
        lam: float | None = None,
        penalty: str = "ncl",
        activation: str = "tanh",
        init: str = "nguyen-widrow",
        solver: str = "adam",
        learning_rate: float = 0.01,
        alpha: float = 0.01,
        max_epochs: int = 200,
        batch_size: int | str | None = "auto",
        scale: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int | None = 20,
        tol: float = 1e-4,
        record: bool | int = False,
        warm_start: bool = False,
        progress: bool | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.hidden_layer_sizes = hidden_layer_sizes
        self.strength = strength
        self.lam = lam
        self.penalty = penalty
        self.activation = activation
        self.init = init
        self.solver = solver
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.scale = scale
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.tol = tol
        self.record = record
        self.warm_start = warm_start
        self.progress = progress
        self.random_state = random_state

    # -- fit ---------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, eval_set: Any = None) -> Self:
        """Train all networks together.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Labels or values; a regressor also takes (n_samples, n_outputs).
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        eval_set : (X, y) or dict of such pairs, default=None
            Data to look at only: for ``dynamics_`` and, if no rows are held out,
            ``collusion_``. A dict names them.

        Returns
        -------
        self
        """
        self._check_options()
        warm = self.warm_start and hasattr(self, "networks_")
        data = self._samples(X, y, sample_weight, reset=not warm)
        others = {
            name: self._samples(pair[0], pair[1], None, reset=False)
            for name, pair in evaluation_sets(eval_set).items()
        }
        self._begin(data, warm)
        self._forget("strength_path_")
        s = None
        if self.strength == "auto" and self.n_estimators > 1:
            self.strength_path_, s, outcome, trainer = walk(self, data)
            if outcome.reason == "interrupted":
                return self._finish(outcome, trainer, *self._resolved(s))
        s, lam = self._resolved(s)
        self._warn_beyond(s, lam)
        rows, valid = data, None
        if self.early_stopping:
            rows, valid = split_rows(data, self.validation_fraction, self._seeds[1])
        if not warm:
            self.scale_ = self._fit_scale(rows)
        watched = {"train": rows} | ({} if valid is None else {"validation": valid}) | others
        watched = {name: self.scale_.samples(one) for name, one in watched.items()}
        trainer = self._prepare(watched["train"], s, lam)
        trainer.schedule = self._schedule(trainer, s, lam)
        recorder = None
        if self.record:
            recorder = Recorder(
                watched, self._pointwise, getattr(self, "classes_", None), self.scale_.back
            )
        outcome = self._train(
            trainer,
            watched["train"],
            self.max_epochs,
            valid=watched.get("validation"),
            recorder=recorder,
            progress=self.progress,
        )
        self._finish(outcome, trainer, s, lam)
        if recorder is not None:
            before = getattr(self, "dynamics_", None) if warm else None
            now = recorder.result()
            self.dynamics_ = now if before is None else before.then(now)
        else:
            self._forget("dynamics_")
        warn_collapse(self, watched["train"].thinned(_ROWS_WATCHED), stacklevel=3)
        self._look_for_collusion(watched)
        return self

    def _partial_fit(self, X, y, sample_weight, **options):
        self._check_options()
        if self.strength == "auto":
            raise ValueError(
                "strength='auto' needs all data at once: give a number to use partial_fit."
            )
        warm = hasattr(self, "networks_")
        data = self._samples(X, y, sample_weight, reset=not warm, **options)
        self._begin(data, warm)
        s, lam = self._resolved()
        self._warn_beyond(s, lam)
        if not warm:
            self.scale_ = self._fit_scale(data)
        rows = self.scale_.samples(data)
        trainer = self._prepare(rows, s, lam)
        outcome = self._train(trainer, rows, 1, watch=False)
        return self._finish(outcome, trainer, s, lam)

    def _begin(self, data, warm):
        """Go on with the networks there are, or forget them."""
        if warm:
            self._check_same_shape(data)
            return
        rng = check_random_state(self.random_state)
        # A seed for the weights, the split, the shuffles: none depends on whether others are drawn.
        self._seeds = [draw_seed(rng) for _ in range(3)]
        self._trainer = None

    def _train(
        self, trainer, rows, max_epochs, *, valid=None, watch=True, recorder=None, progress=False
    ):
        """Run the trainer and return its outcome."""
        every = _EVERY if trainer.batch_size is None else 1
        interval = max(1, max_epochs // _RECORDS) if self.record is True else self.record
        return train(
            trainer,
            rows.X,
            rows.targets,
            max_epochs=max_epochs,
            sample_weight=rows.weight,
            every=every,
            watch=self._watch(trainer, rows, valid) if watch else None,
            patience=None if self.patience is None else max(1, self.patience // every),
            tol=self.tol,
            record=recorder,
            record_every=interval or None,
            progress=progress,
        )

    def _watch(self, trainer, rows, valid):
        """Return the function whose lowest value is kept: loss held out, or what is descended."""
        if valid is not None:

            def loss(networks):
                mean = networks.outputs(valid.X).mean(axis=0)
                return valid.mean(self._pointwise(mean, valid.targets))

            return loss
        if self.patience is None or trainer.schedule is not None:
            return None  # so many epochs, and what is there at their end
        rows = rows.thinned(_ROWS_WATCHED)

        def objective(networks):
            values = trainer.coupling.objective(networks.outputs(rows.X), rows.targets)
            decay = sum(np.vdot(w, w) for w in networks.coefs) / networks.n_members
            return rows.mean(values) + 0.5 * trainer.alpha * decay

        return objective

    def _coupling(self, s, lam):
        """Return the coupling at this strength."""
        return self._found().with_strength(s, lam, self._output_name())

    def _found(self):
        return find_coupling(self.penalty, self._loss_name(), classes=not self._is_regression)

    def _schedule(self, trainer, s, lam):
        """Return the coupling of every epoch as a function, or None if it stays what it is."""

    def _prepare(self, rows, s, lam):
        """Return a trainer: the one there is, or one that starts anew."""
        options = {
            "coupling": self._coupling(s, lam),
            "solver": self.solver,
            "learning_rate": float(self.learning_rate),
            "alpha": float(self.alpha),
            "batch_size": self._batch_size(len(rows.X)),
        }
        if self._trainer is None:
            rng = np.random.RandomState(self._seeds[2])
            return self._make_trainer(rows, random_state=rng, **options)
        # A copy: should training run away, the estimator is what it was before.
        trainer = deepcopy(self._trainer)
        if self._trainer.solver != self.solver:
            trainer.moments, trainer.steps = [], 0
        return replace(trainer, **options)

    def _make_trainer(self, rows, **options):
        networks = start_networks(
            self.n_estimators,
            self._sizes(rows),
            init=self.init,
            hidden=self.activation,
            output=self._output_name(),
            random_state=self._seeds[0],
            dtype=rows.X.dtype,
            ranges=np.stack([rows.X.min(axis=0), rows.X.max(axis=0)]),
        )
        return Trainer(networks=networks, **options)

    def _finish(self, outcome, trainer, s, lam):
        trainer.networks, trainer.schedule = outcome.networks, None
        self._trainer = trainer
        self.networks_ = outcome.networks
        self.n_epochs_ = outcome.n_epochs
        self.best_epoch_ = outcome.best_epoch
        self.stop_reason_ = outcome.reason
        if outcome.reason == "interrupted":
            keep_partial(
                f"{type(self).__name__} keeps its networks as after epoch {outcome.best_epoch}.",
                stacklevel=4,
            )
        self.loss_ = outcome.best
        self.strength_, self.lam_ = s, lam
        several = self.n_estimators > 1
        self.lam_star_ = trainer.coupling.strongest(self.n_estimators) if several else math.nan
        self.lam_upper_ = trainer.coupling.upper(self.n_estimators)
        return self

    # -- data --------------------------------------------------------------------------------

    def _samples(self, X, y, sample_weight, *, reset, **options):
        need_target(self, y)
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            dtype=self._dtypes,
            multi_output=self._is_regression,
            y_numeric=self._is_regression,
            ensure_min_samples=2 if reset else 1,
            allow_nd=self._takes_images,
        )
        weight = check_sample_weight(sample_weight, len(X))
        targets, codes, weight = self._read_targets(y, weight, reset=reset, **options)
        return Samples(X=X, targets=targets.astype(X.dtype), codes=codes, weight=weight)

    def _fit_scale(self, rows):
        if not self.scale:
            return Scale()
        X_mean, X_unit = mean_and_unit(rows.X, rows.weight)
        y_mean, y_unit = None, None
        if self._is_regression:
            y_mean, y_unit = mean_and_unit(rows.targets, rows.weight)
        return Scale(X_mean=X_mean, X_unit=X_unit, y_mean=y_mean, y_unit=y_unit)

    def _pointwise(self, outputs, targets):
        seen = self._found().judged(outputs, targets)
        return pointwise_loss(seen, targets, self._loss_name(), self._output_name())

    def _forget(self, name):
        """Drop what an earlier fit left and this one does not make."""
        if hasattr(self, name):
            delattr(self, name)

    # -- options -----------------------------------------------------------------------------

    def _loss_name(self):
        return "squared"

    def _output_name(self):
        return "linear"

    def _check_options(self):
        check_shared_options(self)
        check_count(self.n_estimators, "n_estimators")
        self._check_architecture()
        self._found()
        check_number(self.learning_rate, "learning_rate", low=SMALLEST_RATE, high=np.inf)
        check_number(self.alpha, "alpha", low=0)
        check_number(self.tol, "tol", low=0)
        check_count(self.max_epochs, "max_epochs")
        if self.patience is not None:
            check_count(self.patience, "patience", hint=", or None")
        if not (self.batch_size is None or isinstance(self.batch_size, str)) or (
            isinstance(self.batch_size, str) and self.batch_size != "auto"
        ):
            check_count(self.batch_size, "batch_size", hint=", 'auto' or None")
        share = self.validation_fraction
        if share is not None or self.early_stopping or self.strength == "auto":
            check_number(share, "validation_fraction", low=0, high=1, open_low=True, open_high=True)
        whole = isinstance(self.record, Integral) and int(self.record) >= 0
        if not (isinstance(self.record, bool | np.bool_) or whole):
            raise ValueError(
                f"record={self.record!r}: give True, False, or a number of epochs between records."
            )
        if isinstance(self.strength, str) and self.strength != "auto":
            raise ValueError(
                f"strength={self.strength!r}: give a number from 0 to 1, 'auto', or None for "
                f"{self._default_strength}."
            )
        if self.strength is not None and not isinstance(self.strength, str):
            check_number(self.strength, "strength")
        if self.strength == "auto" and self.lam is not None:
            raise ValueError(
                f"strength='auto' chooses lambda, but lam={self.lam!r} sets it: leave one out."
            )

    def _check_architecture(self):
        check_layers(self.hidden_layer_sizes, "hidden_layer_sizes", may_be_empty=True)
        check_choice(self.activation, "activation", HIDDEN)
        check_choice(self.init, "init", INITS)
        check_choice(self.solver, "solver", SOLVERS)

    def _sizes(self, rows):
        """Return the units of each layer, inputs and outputs included."""
        layers = check_layers(self.hidden_layer_sizes, "hidden_layer_sizes", may_be_empty=True)
        return (rows.X.shape[1], *layers, rows.targets.shape[1])

    def _batch_size(self, n):
        if self.batch_size == "auto":
            return None if n <= _ALL_AT_ONCE else _BATCH
        return None if self.batch_size is None or self.batch_size >= n else int(self.batch_size)

    def _resolved(self, chosen=None):
        """Return strength and lambda, as set or as chosen."""
        strength = chosen if self.strength == "auto" else self.strength
        return self._found().resolve(strength, self.lam, self.n_estimators, self._default_strength)

    def _warn_beyond(self, s, lam):
        if s <= 1 + 1e-9 or self._output_name() != "linear":
            return
        limit = self._coupling(s, lam).strongest(self.n_estimators)
        warnings.warn(
            f"lam={lam:g} is beyond lambda* = {limit:.6g} of {self.n_estimators} members: with "
            "linear outputs members fly apart faster and faster, their errors no longer cancel, "
            "and training ends in a DivergenceError if it lasts long enough. Give lam up to "
            "lambda*, a strength from 0 to 1, or bounded outputs.",
            UserWarning,
            stacklevel=3,
        )

    def _check_same_shape(self, data):
        nets = self.networks_
        # Torch modules see to their own hidden units.
        hidden = getattr(nets, "hidden", None)
        activation = self.activation if hidden else None
        now = (self.n_estimators, self._sizes(data), activation, self._output_name())
        there = (nets.n_members, nets.sizes, hidden, nets.output)
        names = ("n_estimators", "layers", "activation", "output")
        for name, new, old in zip(names, now, there, strict=True):
            if new != old:
                raise ValueError(
                    f"{name} is {new}, but the networks to go on from have {old}: keep it, or "
                    "set warm_start=False to start anew."
                )

    # -- after training ----------------------------------------------------------------------

    def _look_for_collusion(self, watched):
        """Compare training data with data held out, or else the first evaluation set."""
        names = [name for name in watched if name != "train"]
        if not names or self.n_estimators == 1:
            self._forget("collusion_")
            return
        rows, new = (watched[name].thinned(_ROWS_WATCHED) for name in ("train", names[0]))
        self.collusion_ = measure_collusion(
            self.networks_, rows, new, self._pointwise, self.scale_.back
        )
        warn_collusion(self.collusion_, self.strength_, stacklevel=3)
