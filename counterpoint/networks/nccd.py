"""NCCD: negative correlation learning for any regressor, through corrected targets."""

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import column_or_1d

from counterpoint._typing import DataLike
from counterpoint.base import BaseEnsembleRegressor, encode_target, read_labels, read_numbers
from counterpoint.combiners.simplex import project_to_simplex
from counterpoint.networks._nccd import BaseNCCD
from counterpoint.networks.base import ScoredClassifier


class NCCDRegressor(BaseNCCD, BaseEnsembleRegressor):
    """Negative correlation learning for any regressor, by correcting what members aim at.

    In negative correlation learning a member with output f_i follows the gradient
    ``(f_i - d) - s (f_i - f)``, where d is the target, f the mean of the members and
    ``s = 2 lambda (1 - 1/N)``. It is zero at the corrected target

        d + s / (1 - s) (d - f),

    so a learner that knows nothing of gradients can be fitted to that. Members are refitted in
    rounds: the first on d, each later one on targets that overshoot where the ensemble fell
    short. Every member keeps its rows and its seeds from round to round: all that changes are
    the targets. The best round is kept.

    Parameters
    ----------
    estimator : regressor or None, default=None
        The base learner; None is ``DecisionTreeRegressor(max_depth=4)``. It should be too
        simple to hit every target: where ``f = d`` there is nothing to correct. A small tree
        is, fits in a millisecond and changes shape with its targets.
    n_estimators : int, default=10
        Number of members, N.
    strength : float in [0, 1), default=None
        s. 0: N independent fits. None is 0.5 if ``lam`` is None as well.
    lam : float, default=None
        lambda, instead of ``strength``. ``s = lam / lam_star_``.
    exclude_self : bool, default=False
        Correct each member by the mean of the *others*. f then moves with f_i, and the gradient
        is zero with ``s (1 - 1/N) = lambda / lambda_upper`` in place of s: strength 1 is
        allowed. Members aim at different targets; otherwise all aim at the same and differ by
        their rows and seeds only.
    n_rounds : int, default=20
        Most rounds; the first is the one without correction.
    step : float in (0, 1], default=None
        Targets are corrected by a running mean of the outputs, which moves this share of the
        way in each round. 1 corrects by the last round alone; for s above 1/2 that swings ever
        wider. None is ``1 - s`` (with ``exclude_self`` ``1 - s (1 - 1/N)``), which converges for
        every linear smoother.
    bootstrap : bool, default=True
        Draw rows for each member with replacement, by ``sample_weight``. If False, members see
        all rows, and a learner without a ``random_state`` gives N times the same.
    patience : int, default=3
        Stop after so many rounds without a lower held-out error.
    tol : float, default=1e-3
        Stop when the output of the ensemble changes by less from one round to the next: root
        mean square over the training samples, as a share of the standard deviation of y.
    n_jobs : int or None, default=None
        Threads that train members.
    progress : bool or None, default=None
        Draw a progress bar; None: on a terminal.
    random_state : int, RandomState instance or None, default=None
        Seeds the rows drawn and every ``random_state`` of the members.

    Attributes
    ----------
    estimators_ : list
        The members of the best round.
    estimators_samples_ : list of ndarray
        Training rows each member saw, those of weight zero left out of the count.
    best_epoch_ : int
        The round kept, from 1.
    stop_reason_ : str
        "converged", "held-out error", "complete" or "interrupted" (Ctrl-C).
    history_ : DataFrame
        One row per round, squared errors on the training data: ``error`` of the ensemble,
        ``member_error`` (mean over members), ``ambiguity`` (error is member_error less
        ambiguity), ``change`` since the round before, and ``valid_error``, by which rounds are
        compared: on ``eval_set`` if given, else out of bag (each row judged by members that did
        not see it), else on the training data.
    strength_, lam_, lam_star_ : float
        s, lambda, and the lambda at which s is 1. ``lam_star_`` is NaN for one member.

    See Also
    --------
    NCCDClassifier : The same for labels.

    References
    ----------
    .. [1] Chan and Kasabov, "A Preliminary Study on Negative Correlation Learning via
       Correlation-Corrected Data (NCCD)", Neural Processing Letters 21, 2005.
    .. [2] M. Eastwood, PhD thesis, Bournemouth University, 2010, equations 4.9 (the gradient),
       4.11, 4.12.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from counterpoint.networks.nccd import NCCDRegressor
    >>> X, y = make_friedman1(400, noise=1.0, random_state=0)
    >>> ensemble = NCCDRegressor(random_state=0).fit(X[:200], y[:200])
    >>> independent = NCCDRegressor(strength=0, random_state=0).fit(X[:200], y[:200])
    >>> bool(ensemble.score(X[200:], y[200:]) > independent.score(X[200:], y[200:]))
    True
    """

    def _read_y(self, y):
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] > 1:
            raise ValueError(
                f"y has shape {y.shape}: {type(self).__name__} learns one output. Wrap it in "
                "MultiOutputRegressor for several."
            )
        y = column_or_1d(read_numbers(y), dtype=np.float64, warn=True)
        assert_all_finite(y, input_name="y")
        return y

    def _code(self, y):
        return y, y[:, None]

    def _new_targets(self, y):
        return self._read_y(y)[:, None]

    def _ask(self, X):
        return self._member_scores(X)[:, :, 0]


class NCCDClassifier(BaseNCCD, ScoredClassifier):
    """Negative correlation learning for classification with any regressor as a member.

    The members are regressors on coded labels: one column of 0 and 1 for two classes, one
    column per class for more. A regressor that takes several outputs is fitted to all columns
    at once; of others a member has one for each class. Targets are corrected in rounds as in
    ``NCCDRegressor``, squared errors and all. The ensemble says the class whose mean output is
    highest, the first of equals. Outputs are no probabilities, they may overshoot:
    ``predict_proba`` gives the distribution nearest to them.

    Parameters
    ----------
    estimator, n_estimators, strength, lam, exclude_self, n_rounds, step, bootstrap, patience, \
tol, n_jobs, progress, random_state
        As in :class:`NCCDRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    estimators_ : list
        The members of the best round; each a regressor, or a list of one per class.
    history_ : DataFrame
        As in ``NCCDRegressor``, squared errors summed over the columns, and ``train_error``,
        the share of training samples classified wrongly.
    estimators_samples_, best_epoch_, stop_reason_, strength_, lam_, lam_star_
        As in :class:`NCCDRegressor`.

    See Also
    --------
    NCCDRegressor : The same for numbers, with the derivation and its sources.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.networks.nccd import NCCDClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = NCCDClassifier(random_state=0).fit(X, y)
    >>> ensemble.predict_proba(X).shape
    (150, 3)
    """

    def _read_y(self, y):
        return read_labels(self, y)

    def _code(self, y):
        self.classes_, codes = encode_target(self, y)
        return codes, self._coded(codes)

    def _new_targets(self, y):
        y = self._read_y(y)
        strange = ~np.isin(y, self.classes_)
        if strange.any():
            raise ValueError(
                f"eval_set holds the label {y[strange].tolist()[0]!r}, which is not among the "
                f"classes {self.classes_.tolist()} of y: leave such samples out."
            )
        return self._coded(np.searchsorted(self.classes_, y))

    def _coded(self, codes):
        if len(self.classes_) == 2:
            return codes[:, None].astype(float)
        return (codes[:, None] == np.arange(len(self.classes_))).astype(float)

    def _notes(self, d, share):
        truth = _votes(d)
        return lambda f: {"train_error": float(share @ (_votes(f) != truth))}

    def decision_function(self, X: DataLike) -> NDArray:
        """Mean output of the members.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the output less 1/2, positive for the second class.
        """
        f = self._scores(X)
        return f[:, 0] - 0.5 if f.shape[1] == 1 else f

    def member_decision_function(self, X: DataLike) -> NDArray:
        """Return the outputs of each member as they are.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_members, n_samples) or (n_members, n_samples, n_classes)
            For two classes less 1/2. The mean over members is ``decision_function``.
        """
        values = self._member_scores(X)
        return values[:, :, 0] - 0.5 if values.shape[2] == 1 else values

    def _codes(self, scores):
        return _votes(scores)

    def _proba(self, scores):
        """Project scores on the distributions; the order of classes stays."""
        if scores.shape[-1] > 1:
            return project_to_simplex(scores)
        p = np.clip(scores, 0.0, 1.0)
        return np.concatenate([1.0 - p, p], axis=-1)


def _votes(f):
    """Return class codes of outputs (..., n_outputs)."""
    return (f[..., 0] > 0.5).astype(np.int64) if f.shape[-1] == 1 else f.argmax(axis=-1)
