"""Classifiers that answer by scores, and that know what they would have answered earlier."""

import numpy as np
from sklearn.utils import compute_sample_weight

from counterpoint.base import BaseEnsembleClassifier, encode_target, need_target
from counterpoint.boosting.loop import BaseBoosting


class StagedClassifier(BaseBoosting, BaseEnsembleClassifier):
    """Classifier by scores that grow as members join.

    A subclass has ``_scores`` of all members and ``_staged_scores``, a generator of those of the
    first 1, 2, ... members, (n_samples, n_scores) each; it says what scores mean, by ``_as_codes``,
    ``_as_decision`` and ``_as_proba``; and it has ``_member_votes``, (n_members, n_samples).
    """

    class_weight = None

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

    def _as_codes(self, scores):
        return scores.argmax(axis=1)

    def decision_function(self, X):
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

    def staged_decision_function(self, X):
        """Yield ``decision_function`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_decision(scores)

    def _winners(self, X):
        return self._as_codes(self._scores(X))

    def staged_predict(self, X):
        """Yield ``predict`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self.classes_[self._as_codes(scores)]

    def _combined(self, X):
        return self._as_proba(self._scores(X))

    def staged_predict_proba(self, X):
        """Yield ``predict_proba`` after the first 1, 2, ... members."""
        for scores in self._staged_scores(X):
            yield self._as_proba(scores)

    def predict_log_proba(self, X):
        """Return the logarithm of ``predict_proba``; -inf where it is 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
