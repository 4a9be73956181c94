"""Stochastic discrimination: weak random subsets, filtered, and averaged into a classifier."""

import warnings
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels import stochastic as kernels
from counterpoint._soundness import check_positions, check_shape
from counterpoint._typing import DataLike, Seed, Target
from counterpoint._validation import check_count, check_number
from counterpoint.base import encode_target, validate_data
from counterpoint.subsets.boxes import BoxModels, BoxSpace
from counterpoint.subsets.coverage import chi

# Candidates drawn at a time; their number fixes the stream of random numbers, so it never
# depends on the machine.
_DRAWN = 1000
# Bytes of rows-in-models kept at a time.
_ROOM = 1 << 26


class StochasticDiscriminationClassifier(ClassifierMixin, BaseEstimator):
    """Average thousands of weak random subsets into a classifier.

    For each class, random models (unions of boxes) are drawn. A model is let in if it is thick
    (holds ``min_points`` training rows), enriched (captures more of the class than of the
    rest), and needed: the rows in it are, on the mean, covered by no more models so far than as
    many rows of each kind drawn at random would be. A class is known by the mean of
    ``chi`` over its models, which is +1 for its rows and -1 for the others, the more precisely the
    more models there are [1]_, [2]_. Each class is held against all others; the largest mean wins.

    Parameters
    ----------
    n_estimators : int, default=300
        Models to let in for each class.
    n_boxes : int, default=3
        Boxes in a model. One box reaches only what a box can tell apart; unions follow
        crooked borders and cover a class more evenly.
    max_features : int, float or "sqrt", default="sqrt"
        Columns that limit a box: a number, a share of all, or the root of all, but then two at
        least.
    box_share : (float, float), default=(0.02, 0.5)
        Smallest and largest share of the space that a model takes; drawn evenly on a log scale.
    min_points : int or float, default=0.02
        Training rows that a model must hold, or their share: what makes it carry over to new
        data.
    min_enrichment : float or "auto", default="auto"
        The least r(M, class) - r(M, rest), above 0. "auto" asks for more than the median of the
        thick and enriched among the first 1000 candidates. Little enrichment makes noisy votes.
    patience : int or None, default=10
        Where a class cannot be covered evenly, nothing passes the last filter after a while.
        When so many candidates in a row have failed only there, the least over-covered of them
        is let in. 1 lets in all that are thick and enriched; None keeps to the filter, and may end
        with fewer models.
    max_candidates : int, default=500
        Give up on a class after so many candidates for each model asked for.
    give_up : float, default=0.0
        Share of the rows of each class that need not be covered, from 0 to below 1: a fifth of the
        models are found first, and the rows of each class that fewest of its models hold are left
        out of the search for all of them. For noisy labels: to cover such rows as often as the
        others takes models that are good for little else.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    boxes_ : BoxModels
        All models, class by class.
    model_class_ : ndarray of shape (n_all_models,)
        The class each model speaks for, as a position in ``classes_``.
    captured_ : ndarray of shape (n_all_models, 2)
        r(M, class) and r(M, rest) on the training rows.
    enrichment_ : ndarray of shape (n_all_models,)
        Their difference.
    coverage_ : ndarray of shape (n_classes, n_samples)
        How many models of a class hold each training row.
    uniformity_ : ndarray of shape (n_classes,)
        Standard deviation, over the rows of the class, of the share of its models that hold
        them; 0 is a uniform cover.
    n_estimators_, n_candidates_, n_forced_ : ndarray of shape (n_classes,)
        Models let in, candidates drawn, and models let in because patience ran out.
    given_up_ : ndarray of shape (n_samples,)
        Whether a row was left out.
    min_points_ : int
        Rows asked for.
    min_enrichment_ : ndarray of shape (n_classes,)
        Enrichment asked for.

    See Also
    --------
    counterpoint.subsets.ensemble_kernel : The kernel of these models.
    counterpoint.plots.CoverageDisplay : Coverage evening out as models are added.

    Notes
    -----
    Sides of boxes are intervals of ranks, in at most 255 bins a column: no column needs scaling.
    There are no probabilities: the mean of ``chi`` is a score. The models are not asked as members
    by ``member_predict``: one that does not hold a row names no class. :meth:`subsets` says which
    rows they hold, for the measures of ``counterpoint.diversity``.

    References
    ----------
    .. [1] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, sections
       3.1 and 3.2, equation 3.4; ``give_up`` is asked for in 7.1. ``patience`` is ours.
    .. [2] Kleinberg, "On the Algorithmic Implementation of Stochastic Discrimination", IEEE
       Transactions on Pattern Analysis and Machine Intelligence 22, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.subsets import StochasticDiscriminationClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StochasticDiscriminationClassifier(n_estimators=100, random_state=0)
    >>> bool(model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        n_boxes: int = 3,
        max_features: float | str = "sqrt",
        box_share: tuple[float, float] = (0.02, 0.5),
        min_points: float = 0.02,
        min_enrichment: float | str = "auto",
        patience: int | None = 10,
        max_candidates: int = 500,
        give_up: float = 0.0,
        random_state: Seed = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_boxes = n_boxes
        self.max_features = max_features
        self.box_share = box_share
        self.min_points = min_points
        self.min_enrichment = min_enrichment
        self.patience = patience
        self.max_candidates = max_candidates
        self.give_up = give_up
        self.random_state = random_state

    def fit(self, X: DataLike, y: Target) -> Self:
        """Draw and filter the models of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, none missing.
        y : array-like of shape (n_samples,)
            Labels of two classes or more.

        Returns
        -------
        StochasticDiscriminationClassifier
        """
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self.classes_, codes = encode_target(self, y)
        share = self._check(len(X))
        self._space = BoxSpace().fit(X)
        if len(self._space.usable_) == 0:
            raise ValueError(
                f"All {X.shape[1]} columns are constant: every box holds all rows or none, so none "
                "can be enriched. Pass a column that varies."
            )
        n_sides = self._n_sides(len(self._space.usable_))
        rng = check_random_state(self.random_state)
        self.given_up_ = np.zeros(len(X), dtype=bool)
        if self.give_up:
            first = clone(self).set_params(
                n_estimators=max(1, self.n_estimators // 5), give_up=0.0, random_state=rng
            )
            self._leave_out(first.fit(X, codes).coverage_, codes)
        everything, everywhere = X, codes
        X, codes = X[~self.given_up_], codes[~self.given_up_]
        # Sorted by class, the rows of a class are a stretch that kernels run through.
        order = np.argsort(codes, kind="stable")
        columns = np.ascontiguousarray(self._space.columns(X)[:, order])
        bounds = np.searchsorted(codes[order], np.arange(len(self.classes_) + 1))
        parts = [
            self._collect(columns, bounds[c], bounds[c + 1], rng, n_sides, share, label)
            for c, label in enumerate(self.classes_)
        ]
        self.n_estimators_ = np.array([len(part["boxes"]) for part in parts])
        self.n_candidates_ = np.array([part["n_candidates"] for part in parts])
        self.n_forced_ = np.array([part["n_forced"] for part in parts])
        self.min_enrichment_ = np.array([part["min_enrichment"] for part in parts])
        self.boxes_ = BoxModels.joined([part["boxes"] for part in parts])
        self.model_class_ = np.repeat(np.arange(len(parts)), self.n_estimators_)
        self.captured_ = np.concatenate([part["captured"] for part in parts])
        self.enrichment_ = self.captured_[:, 0] - self.captured_[:, 1]
        coverage = np.empty((len(parts), len(X)), dtype=np.int64)
        coverage[:, order] = [part["coverage"] for part in parts]
        self.uniformity_ = np.array(
            [(coverage[c, codes == c] / n).std() for c, n in enumerate(self.n_estimators_)]
        )
        self.coverage_ = np.empty((len(parts), len(everywhere)), dtype=np.int64)
        self.coverage_[:, ~self.given_up_] = coverage
        if self.given_up_.any():
            held = self.boxes_.hold(self._space.columns(everything[self.given_up_]))
            for c in range(len(parts)):
                self.coverage_[c, self.given_up_] = held[self.model_class_ == c].sum(axis=0)
        return self

    def _leave_out(self, coverage, codes):
        """Mark the rows of each class that fewest of its models hold."""
        for c in range(len(self.classes_)):
            rows = np.flatnonzero(codes == c)
            hardest = np.argsort(coverage[c, rows], kind="stable")
            n_left = min(round(self.give_up * len(rows)), len(rows) - 1)
            self.given_up_[rows[hardest[:n_left]]] = True

    def _check(self, n):
        check_count(self.n_estimators, "n_estimators")
        check_count(self.n_boxes, "n_boxes")
        check_count(self.max_candidates, "max_candidates")
        check_number(self.give_up, "give_up", low=0, high=1, open_high=True)
        if self.patience is not None:
            check_count(self.patience, "patience", hint=", or None to wait for ever")
        given: Any = self.min_points
        if isinstance(given, Integral):
            hint = ", the number of rows, or a share above 0 and below 1"
            self.min_points_ = check_count(given, "min_points", high=n, hint=hint)
        else:
            share = check_number(
                given, "min_points", low=0, high=1, open_low=True, open_high=True,
                hint=f", or a whole number of rows up to {n}",
            )  # fmt: skip
            self.min_points_ = int(np.ceil(share * n))
        if not (isinstance(self.min_enrichment, str) and self.min_enrichment == "auto"):
            check_number(self.min_enrichment, "min_enrichment", low=0, high=1, hint=', or "auto"')
        try:
            low, high = map(float, self.box_share)
        except (TypeError, ValueError):
            low, high = np.nan, np.nan
        if not 0 < low <= high < 1:
            raise ValueError(
                f"box_share={self.box_share!r}: give two numbers, the smallest and the largest "
                "share of the space in a model, above 0 and below 1."
            )
        return low, high

    def _n_sides(self, n_usable):
        value = self.max_features
        if isinstance(value, str) and value == "sqrt":
            return min(n_usable, max(2, round(n_usable**0.5)))
        if isinstance(value, Integral):
            hint = ', the number of columns, a share up to 1.0, or "sqrt"'
            most = self.n_features_in_
            return min(check_count(value, "max_features", high=most, hint=hint), n_usable)
        hint = ', a whole number of columns, or "sqrt"'
        share = check_number(value, "max_features", low=0, high=1, open_low=True, hint=hint)
        return max(1, round(share * n_usable))

    def _collect(self, columns, first, last, rng, n_sides, share, label) -> dict[str, Any]:
        """Find the models of the class in rows first..last; label names it in messages."""
        n = columns.shape[1]
        patience = self.patience or 0
        at_a_time = max(_ROOM // n, 2 * patience, 16)
        coverage = np.zeros(n, dtype=np.int64)
        least = None if self.min_enrichment == "auto" else float(self.min_enrichment)
        kept: list[BoxModels] = []
        shares: list[NDArray] = []
        waiting: tuple[BoxModels, NDArray, NDArray] | None = None
        n_kept = n_tried = n_forced = 0
        best = -np.inf
        while n_kept < self.n_estimators and n_tried < self.max_candidates * self.n_estimators:
            drawn = self._space.draw(rng, _DRAWN, self.n_boxes, n_sides, share)
            n_tried += _DRAWN
            own, total = drawn.count(columns, first, last)
            gain = own / (last - first) - (total - own) / (n - last + first)
            good = (total >= self.min_points_) & (gain > 0.0)
            best = max(best, gain[total >= self.min_points_].max(initial=-np.inf))
            if least is None:
                if not good.any():
                    continue
                least = float(np.median(gain[good]))
            good &= gain >= least
            fresh = drawn.take(good), own[good], total[good]
            if waiting is not None:
                fresh = (
                    BoxModels.joined([waiting[0], fresh[0]]),
                    np.append(waiting[1], fresh[1]),
                    np.append(waiting[2], fresh[2]),
                )
            models, own, total = fresh
            done = 0
            while True:
                part = slice(done, done + at_a_time)
                taken, forced, n_done = kernels.accept(
                    models.take(part).hold(columns), own[part], total[part], first, last,
                    patience, coverage, self.n_estimators - n_kept,
                )  # fmt: skip
                taken = taken + done
                kept.append(models.take(taken))
                rest = total[taken] - own[taken]
                shares.append(
                    np.stack([own[taken] / (last - first), rest / (n - last + first)], axis=1)
                )
                n_kept += len(taken)
                n_forced += int(forced.sum())
                done += n_done
                if n_done == 0 or done == len(models) or n_kept == self.n_estimators:
                    break
            waiting = models.take(slice(done, None)), own[done:], total[done:]
        if n_kept == 0:
            raise ValueError(self._no_models(label, n_tried, best, least))
        if n_kept < self.n_estimators:
            warnings.warn(
                f"Only {n_kept} of {self.n_estimators} models for class {label!r} passed the "
                f"filters in {n_tried} candidates. Raise max_candidates, lower min_enrichment or "
                "min_points, or set patience.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return {
            "boxes": BoxModels.joined(kept),
            "captured": np.concatenate(shares),
            "coverage": coverage,
            "n_candidates": n_tried,
            "n_forced": n_forced,
            "min_enrichment": least,
        }

    def _no_models(self, label, n_tried, best, least):
        if best == -np.inf:
            return (
                f"None of {n_tried} random models held min_points={self.min_points_} rows: "
                "lower min_points, raise box_share, or lower max_features."
            )
        wanted = "more than 0" if least is None else f"min_enrichment={least:.3g}"
        return (
            f"None of {n_tried} random models was enriched enough for class {label!r}: the best "
            f"captured {best:.3g} more of it than of the rest, asked was {wanted}. Lower "
            "min_enrichment or min_points, or change box_share."
        )

    def _check_sound(self):
        if hasattr(self, "boxes_"):
            n_columns = len(self._space.binner_.n_bins_)
            check_positions(self.boxes_.features, "features", n_columns, low=-1)
            n_classes, shape = len(self.classes_), (len(self.boxes_),)
            check_positions(self.model_class_, "model_class_", n_classes, shape=shape)
            check_shape(self.enrichment_, "enrichment_", shape)

    def _columns(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self._space.columns(X)

    def subsets(self, X: DataLike) -> NDArray:
        """Return whether each model holds each row of X, (n_all_models, n_samples) bool.

        For the measures of ``counterpoint.diversity``, say.
        """
        columns = self._columns(X)
        return self.boxes_.hold(columns).view(bool)

    def chi(self, X: DataLike) -> NDArray:
        """Return what each model says of each row, (n_all_models, n_samples).

        Equation 3.4 for the class it speaks for.
        """
        return chi(self.subsets(X), self.captured_[:, 0], self.captured_[:, 1])

    def decision_function(self, X: DataLike) -> NDArray:
        """Return the mean of chi over the models of each class, (n_samples, n_classes).

        Near 1 for the class of a row and -1 for the others. For two classes (n_samples,), half the
        difference: the mean of chi over the models of both, those of the first with their sign
        changed.
        """
        columns = self._columns(X)
        weights = 2.0 / (self.enrichment_ * self.n_estimators_[self.model_class_])
        shift = np.bincount(self.model_class_, weights * self.captured_[:, 1]) + 1.0
        n_classes = len(self.classes_)
        means = self.boxes_.add_up(columns, weights, self.model_class_, n_classes)
        means -= shift[:, None]
        return means.T if n_classes > 2 else (means[1] - means[0]) / 2.0

    def predict(self, X: DataLike) -> NDArray:
        """Return the class with the largest mean of chi, the first of equals, (n_samples,)."""
        score = self.decision_function(X)
        at = (score > 0).astype(int) if score.ndim == 1 else score.argmax(axis=1)
        return self.classes_[at]
