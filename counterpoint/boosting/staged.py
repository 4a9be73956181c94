"""Classifiers that answer by scores, and that know what they would have answered earlier."""

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_sample_weight

from counterpoint._interrupts import keep_partial
from counterpoint._tables import select_rows
from counterpoint._typing import ClassWeight, DataLike
from counterpoint._validation import check_flag
from counterpoint.base import BaseEnsembleClassifier, encode_target, need_target
from counterpoint.boosting.calibration import MANY, Calibration, HeldOut, Trial, split_many
from counterpoint.boosting.loop import BaseBoosting


class StagedClassifier(BaseBoosting, BaseEnsembleClassifier):
    """Classifier by scores that grow as members join.

    A subclass has ``_scores`` of all members and ``_staged_scores``, a generator of those of the
    first 1, 2, ... members, (n_samples, n_scores) each; it says what scores mean, by ``_as_codes``,
    ``_as_decision``, ``_as_proba`` and ``_as_sums``, which are calibrated (``calibration.py``);
    and it has ``_member_votes``, (n_members, n_samples).
    """

    class_weight: ClassWeight = None
    calibrate = False
    calibration_ = None
    _apart = None
    _usual = Calibration(1.0, 0.2)  # of votes: the median over many tables
    _least_rounds = 3  # of a trial
    _looked_at: tuple[int, ...] = (1, 2, 4)  # after all of its rounds, a half and a quarter

    def _check_options(self):
        super()._check_options()
        check_flag(self.calibrate, "calibrate")

    def _check_data(self, X, y, sample_weight):
        """Return data, class codes and weights that add up to 1, of the samples that count."""
        need_target(self, y)
        going_on = self._goes_on()
        X = self._read_X(X, reset=not going_on)
        classes, codes = encode_target(self, y)
        if going_on and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start: the classes were {self.classes_.tolist()} and now are "
                f"{classes.tolist()}. Fit with warm_start=False for other data."
            )
        self.classes_ = classes
        factor = None
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, classes[codes])
        return self._start_weights(X, codes.astype(np.int32), sample_weight, factor)

    def _encode(self, y):
        """Return the class codes of evaluation data."""
        y = np.asarray(y)
        strange = ~np.isin(y, self.classes_)
        if strange.any():
            raise ValueError(
                f"eval_set holds the label {y[strange].tolist()[0]!r}, which is not among the "
                f"classes {self.classes_.tolist()} of y: leave such samples out."
            )
        return np.searchsorted(self.classes_, y)

    # -- probabilities ---------------------------------------------------------------------------

    def _set_aside(self, X, y, weight, rng):
        split = split_many(y) if self.calibrate and len(y) >= MANY else None
        if split is None:
            return super()._set_aside(X, y, weight, rng)
        kept, held = split
        share = weight[kept].sum()
        self._apart = HeldOut(select_rows(X, held), y[held], weight[held] * self._n_cases)
        self._n_cases *= share
        return self._only(X, kept), y[kept], weight[kept] / share, []

    def _calibrate(self, X, y, weight, learner):
        apart, self._apart = self._apart, None  # no data in the model
        self.calibration_ = self._usual if self.calibrate else None
        if not self.calibrate or self.stop_reason_ == "interrupted":
            return
        try:
            held = apart.ask(self) if apart else self._try_out(X, y, weight, learner)
        except KeyboardInterrupt:
            self.stop_reason_ = "interrupted"
            keep_partial(
                f"{type(self).__name__} keeps its members, with the usual temperature for "
                "probabilities.",
                stacklevel=4,
            )
            return
        except Exception as error:  # the members are there: how sure they are is the lesser loss
            warnings.warn(
                f"{type(self).__name__}: members cannot be trained on four fifths of the rows, so "
                "probabilities have the usual temperature. Set calibrate=False to have the bare "
                f"ones. What the member said: {error}",
                UserWarning,
                stacklevel=3,
            )
            return
        if held is not None:
            self.calibration_ = held.learn()

    def _try_out(self, X, y, weight, learner):
        trial = Trial.of(self, X, y, weight, learner, len(self.estimators_))
        return None if trial is None else trial.run(trial.owner.make_rule())

    def _proba(self, scores, n_members):
        if self.calibration_ is None:
            return self._as_proba(scores)
        return np.exp(self._log_proba(scores, n_members))

    def _log_proba(self, scores, n_members):
        sums = self._as_sums(scores, n_members)
        return self.calibration_.log_proba(sums, self._size(n_members))

    def _answers_bins(self):
        """Whether ``_staged_scores`` takes bins of the trees, just grown, for numbers."""
        return False

    def _size(self, n_members):
        """Return how large an ensemble counts as when its temperature is worked out."""
        return float(n_members)

    def _as_codes(self, scores):
        return scores.argmax(axis=1)

    def decision_function(self, X: DataLike) -> NDArray:
        """Return the scores of the classes.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number per sample for two classes, positive for the second.
        """
        return self._as_decision(self._scores(X))

    def staged_decision_function(self, X: DataLike) -> Iterator[NDArray]:
        """Yield ``decision_function`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_decision(scores)

    def _winners(self, X):
        return self._as_codes(self._scores(X))

    def staged_predict(self, X: DataLike) -> Iterator[NDArray]:
        """Yield ``predict`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self.classes_[self._as_codes(scores)]

    def _combined(self, X):
        return self._proba(self._scores(X), len(self.estimators_))

    def staged_predict_proba(self, X: DataLike) -> Iterator[NDArray]:
        """Yield ``predict_proba`` after the first 1, 2, ... members."""
        for n_members, scores in enumerate(self._staged_scores(X), start=1):
            yield self._proba(scores, n_members)

    def predict_log_proba(self, X: DataLike) -> NDArray:
        """Return the logarithm of ``predict_proba``; -inf where it is 0."""
        if self.calibration_ is not None:
            return self._log_proba(self._scores(X), len(self.estimators_))
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
