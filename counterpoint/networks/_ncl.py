"""Fitting networks that are trained together: what classifier and regressor share.

A subclass reads its targets and says what outputs mean; from checks of options to the end of
training everything else is here.
"""

import math
import warnings
from copy import deepcopy
from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from counterpoint._validation import check_sample_weight
from counterpoint.exceptions import CollapseWarning
from counterpoint.networks import _couplings
from counterpoint.networks._classify import check_choice, check_count, check_layers, check_number
from counterpoint.networks._collapse import has_collapsed
from counterpoint.networks._collusion import measure_collusion, warn_collusion
from counterpoint.networks._dynamics import Recorder
from counterpoint.networks._engine import HIDDEN, SOLVERS, Trainer, start_networks
from counterpoint.networks._loop import train
from counterpoint.networks._path import walk
from counterpoint.networks._samples import (
    Samples,
    Scale,
    evaluation_sets,
    mean_and_unit,
    split_rows,
    thinned,
)
from counterpoint.networks._strength import lambda_upper

# Epochs between two looks at full batches; with mini-batches one epoch is many steps already.
_EVERY = 10
# Rows that training is judged by, evenly taken: a look should cost little beside an epoch.
_ROWS_WATCHED = 4096
# Up to this many rows batch_size="auto" takes them all at once; beyond, batches of _BATCH.
_ALL_AT_ONCE = 1000
_BATCH = 200
# Epochs recorded if record=True leaves it open.
_RECORDS = 100


class BaseNegativeCorrelation(BaseEstimator):
    """Networks trained together, N at once.

    A subclass has the parameters used here, and gives ``_read_targets``, ``_default_strength``,
    ``_loss_name`` and ``_output_name``.
    """

    # What classification and regression say differently.
    _scales_targets = False
    # Whether samples may have more than one axis.
    _takes_images = False

    # -- fit ---------------------------------------------------------------------------------

    def fit(self, X, y, sample_weight=None, *, eval_set=None):
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
        data = self._read(X, y, sample_weight, reset=not warm)
        others = {
            name: self._read(pair[0], pair[1], None, reset=False)
            for name, pair in evaluation_sets(eval_set).items()
        }
        self._begin(data, warm)
        self._forget("strength_path_")
        s = None
        if self.strength == "auto" and self.n_estimators > 1:
            walked = walk(self, data)
            self.strength_path_, s = walked.frame, walked.strength
            if walked.outcome.reason == "interrupted":
                return self._finish(walked.outcome, walked.trainer, *self._resolved(s))
        s, lam = self._resolved(s)
        self._warn_beyond(s, lam)
        rows, held = data, None
        if self.early_stopping:
            rows, held = split_rows(data, self.validation_fraction, self._seeds[1])
        if not warm:
            self.scale_ = self._fit_scale(rows)
        watched = {"train": rows} | ({} if held is None else {"validation": held}) | others
        watched = {name: self._scaled(one) for name, one in watched.items()}
        trainer = self._prepare(watched["train"], s, lam)
        recorder = None
        if self.record:
            recorder = Recorder(watched, self._pointwise, self._labels(), self.scale_.back)
        outcome = self._train(
            trainer,
            watched["train"],
            self.max_epochs,
            held=watched.get("validation"),
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
        self._warn_collapse(watched["train"])
        self._look_for_collusion(watched)
        return self

    def _partial_fit(self, X, y, sample_weight, **options):
        self._check_options()
        if self.strength == "auto":
            raise ValueError(
                "strength='auto' needs all data at once: give a number to use partial_fit."
            )
        warm = hasattr(self, "networks_")
        data = self._read(X, y, sample_weight, reset=not warm, **options)
        self._begin(data, warm)
        s, lam = self._resolved()
        self._warn_beyond(s, lam)
        if not warm:
            self.scale_ = self._fit_scale(data)
        rows = self._scaled(data)
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
        self._seeds = [int(seed) for seed in rng.randint(np.iinfo(np.int32).max, size=3)]
        self._trainer = None

    def _train(
        self, trainer, rows, max_epochs, *, held=None, watch=True, recorder=None, progress=False
    ):
        """Run the trainer and return its outcome."""
        every = _EVERY if trainer.batch_size is None else 1
        patience = self.n_iter_no_change
        interval = max(1, max_epochs // _RECORDS) if self.record is True else self.record
        return train(
            trainer,
            rows.X,
            rows.targets,
            max_epochs=max_epochs,
            sample_weight=rows.weight,
            every=every,
            watch=self._watch(trainer, rows, held) if watch else None,
            patience=None if patience is None else max(1, patience // every),
            tol=self.tol,
            record=recorder,
            record_every=interval or None,
            show_progress=progress,
        )

    def _watch(self, trainer, rows, held):
        """Return the function whose lowest value is kept: loss held out, or what is descended."""
        if held is not None:

            def loss(networks):
                mean = networks.outputs(held.X).mean(axis=0)
                return np.average(self._pointwise(mean, held.targets), weights=held.weight)

            return loss
        if self.n_iter_no_change is None:
            return None  # as in the thesis: so many epochs, and what is there at their end
        rows = thinned(rows, _ROWS_WATCHED)

        def objective(networks):
            found = _couplings.joint_objective(
                trainer.coupling, networks.outputs(rows.X), rows.targets
            )
            decay = sum(np.vdot(w, w) for w in networks.coefs) / networks.n_members
            return np.average(found, weights=rows.weight) + 0.5 * trainer.alpha * decay

        return objective

    def _prepare(self, rows, s, lam):
        """Return a trainer: the one there is, or one that starts anew."""
        coupling = _couplings.make_coupling(
            s, lam, self.penalty, self._loss_name(), self._output_name()
        )
        options = {
            "coupling": coupling,
            "solver": self.solver,
            "learning_rate": float(self.learning_rate),
            "alpha": float(self.alpha),
            "batch_size": self._batch_size(len(rows.X)),
        }
        if self._trainer is not None:
            # A copy: should training run away, the estimator is what it was before.
            trainer = deepcopy(self._trainer)
            if trainer.solver != self.solver:
                trainer.moments, trainer.steps = [], 0
            return replace(trainer, **options)
        networks = start_networks(
            self.n_estimators,
            (rows.X.shape[1], *self._hidden_sizes(), rows.targets.shape[1]),
            init=self.init,
            hidden=self.activation,
            output=self._output_name(),
            random_state=self._seeds[0],
            dtype=rows.X.dtype,
        )
        return Trainer(
            networks=networks, random_state=np.random.RandomState(self._seeds[2]), **options
        )

    def _finish(self, outcome, trainer, s, lam):
        trainer.networks = outcome.networks
        self._trainer = trainer
        self.networks_ = outcome.networks
        self.n_epochs_ = outcome.n_epochs
        self.best_epoch_ = outcome.best_epoch
        self.stop_reason_ = outcome.reason
        self.loss_ = outcome.best
        self.strength_, self.lam_ = s, lam
        self.lam_star_ = _couplings.star(self.penalty, self.n_estimators)
        self.lam_upper_ = lambda_upper(self.n_estimators) if self.penalty == "ncl" else math.nan
        return self

    # -- data --------------------------------------------------------------------------------

    def _read(self, X, y, sample_weight, *, reset, **options):
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            dtype=(np.float64, np.float32),
            multi_output=self._scales_targets,
            y_numeric=self._scales_targets,
            ensure_min_samples=2 if reset else 1,
            allow_nd=self._takes_images,
        )
        weight = check_sample_weight(sample_weight, len(X))
        targets, codes, weight = self._read_targets(y, weight, reset=reset, **options)
        return Samples(X=X, targets=targets.astype(X.dtype), codes=codes, weight=weight)

    def _fit_scale(self, rows):
        if not self.scale:
            return Scale()
        found = dict(zip(("X_mean", "X_unit"), mean_and_unit(rows.X, rows.weight), strict=True))
        if self._scales_targets:
            mean, unit = mean_and_unit(rows.targets, rows.weight)
            found |= {"y_mean": mean, "y_unit": unit}
        return Scale(**found)

    def _scaled(self, data):
        return replace(
            data, X=self.scale_.inputs(data.X), targets=self.scale_.targets(data.targets)
        )

    def _asked(self, X):
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, dtype=(np.float64, np.float32), allow_nd=self._takes_images
        )
        return self.scale_.inputs(X)

    def member_outputs(self, X):
        """Return what the output units of every member say, in the units of the targets.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_outputs)
        """
        return self.scale_.back(self.networks_.outputs(self._asked(X)))

    def _mean_outputs(self, X):
        """Return the outputs of the ensemble, in chunks: members by members is never held."""
        X = self._asked(X)
        found = np.empty((len(X), self.networks_.sizes[-1]), dtype=X.dtype)
        for rows in gen_batches(len(X), 4096):
            found[rows] = self.networks_.outputs(X[rows]).mean(axis=0)
        return self.scale_.back(found)

    def _pointwise(self, outputs, targets):
        return _couplings.pointwise_loss(outputs, targets, self._loss_name(), self._output_name())

    def _forget(self, name):
        """Drop what an earlier fit left and this one does not make."""
        if hasattr(self, name):
            delattr(self, name)

    def _labels(self):
        return getattr(self, "classes_", None)

    # -- options -----------------------------------------------------------------------------

    def _check_options(self):
        check_count("n_estimators", self.n_estimators)
        self._check_architecture()
        check_choice("penalty", self.penalty, _couplings.PENALTIES)
        check_number("learning_rate", self.learning_rate, 0, open_low=True)
        check_number("alpha", self.alpha, 0)
        check_number("tol", self.tol, 0)
        check_count("max_epochs", self.max_epochs)
        if self.n_iter_no_change is not None:
            check_count("n_iter_no_change", self.n_iter_no_change)
        if self.batch_size is not None and self.batch_size != "auto":
            check_count("batch_size", self.batch_size)
        if self.early_stopping or self.strength == "auto":
            check_number("validation_fraction", self.validation_fraction, 0, 1, open_low=True)
        whole = isinstance(self.record, Integral) and int(self.record) >= 0
        if not (isinstance(self.record, bool | np.bool_) or whole):
            raise ValueError(
                f"record={self.record!r}: give True, False, or a number of epochs between records."
            )
        if isinstance(self.strength, str) and self.strength != "auto":
            raise ValueError(
                f"strength={self.strength!r}: give a number from 0 to 1, 'auto', or None for "
                f"{self._default_strength()}."
            )
        if self.strength == "auto" and self.lam is not None:
            raise ValueError(
                f"strength='auto' chooses lambda, but lam={self.lam!r} sets it: leave one out."
            )

    def _check_architecture(self):
        self._hidden_sizes()
        check_choice("activation", self.activation, HIDDEN)
        check_choice("init", self.init, ("nguyen-widrow", "glorot"))
        check_choice("solver", self.solver, SOLVERS)

    def _hidden_sizes(self):
        return check_layers("hidden_layer_sizes", self.hidden_layer_sizes, may_be_empty=True)

    def _batch_size(self, n):
        if self.batch_size == "auto":
            return None if n <= _ALL_AT_ONCE else _BATCH
        return None if self.batch_size is None or self.batch_size >= n else int(self.batch_size)

    def _resolved(self, chosen=None):
        """Return strength and lambda, as set or as chosen."""
        auto = self.strength == "auto"
        return _couplings.resolve(
            chosen if auto else self.strength,
            self.lam,
            self.n_estimators,
            self._default_strength(),
            self.penalty,
            self._loss_name(),
        )

    def _warn_beyond(self, s, lam):
        if s <= 1 + 1e-9 or self._output_name() != "linear":
            return
        limit = _couplings.star(self.penalty, self.n_estimators)
        warnings.warn(
            f"lam={lam:g} is beyond lambda* = {limit:.6g} of {self.n_estimators} members: with "
            "linear outputs members fly apart faster and faster, their errors no longer cancel, "
            "and training ends in a DivergenceError if it lasts long enough. Give lam up to "
            "lambda*, a strength from 0 to 1, or bounded outputs.",
            UserWarning,
            stacklevel=3,
        )

    def _check_same_shape(self, data):
        wanted = (data.X.shape[1], *self._hidden_sizes(), data.targets.shape[1])
        nets = self.networks_
        now = (self.n_estimators, wanted, self.activation, self._output_name())
        there = (nets.n_members, nets.sizes, nets.hidden, nets.output)
        names = ("n_estimators", "layers", "activation", "output")
        for name, new, old in zip(names, now, there, strict=True):
            if new != old:
                raise ValueError(
                    f"{name} is {new}, but the networks to go on from have {old}: keep it, or "
                    "set warm_start=False to start anew."
                )

    # -- after training ----------------------------------------------------------------------

    def _warn_collapse(self, rows):
        rows = thinned(rows, _ROWS_WATCHED)
        if not has_collapsed(self.networks_.outputs(rows.X).mean(axis=0), rows):
            return
        warnings.warn(
            "The ensemble gives the same answer to every training sample. Networks may have "
            f"saturated: lower the learning rate (now {self.learning_rate:g}), the strength (now "
            f"{self.strength_:.3g}) or alpha (now {self.alpha:g}), scale inputs, or train longer.",
            CollapseWarning,
            stacklevel=3,
        )

    def _look_for_collusion(self, watched):
        """Compare training data with data held out, or else the first evaluation set."""
        names = [name for name in watched if name != "train"]
        if not names or self.n_estimators == 1:
            self._forget("collusion_")
            return
        rows, new = (thinned(watched[name], _ROWS_WATCHED) for name in ("train", names[0]))
        self.collusion_ = measure_collusion(
            self.networks_, rows, new, self._pointwise, self.scale_.back
        )
        warn_collusion(self.collusion_, self.strength_, stacklevel=3)
