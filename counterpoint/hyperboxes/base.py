"""What every classifier made of boxes can do with them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from counterpoint._kernels import hyperboxes as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._options import numbers_of
from counterpoint._soundness import check_positions, check_shape
from counterpoint._typing import DataLike
from counterpoint._validation import check_choice, check_number
from counterpoint.base import validate_data
from counterpoint.hyperboxes.learning import SIMILARITIES, by_class
from counterpoint.trees.rules.rule import Condition, Rule, RuleList

_TIE = 1e-9  # what the losers of a tie are short of
_FAR = 1e300  # distances beyond are as good as equal


class BoxClassifier(ClassifierMixin, BaseEstimator):
    """Predict by the boxes of ``_keep``, in units in which the data went from 0 to 1."""

    _takes_missing = True

    def _keep(self, lower, upper, codes, weights, certainty=None):
        """Make these boxes the model."""
        self._lower, self._upper, self._codes = lower, upper, codes
        self.box_weights_ = weights
        self.box_certainty_ = np.ones(len(codes)) if certainty is None else certainty
        self.box_classes_ = self.classes_[codes]
        return self

    def _check_sound(self):
        if hasattr(self, "_codes"):
            n = len(self._codes)
            check_positions(self._codes, "_codes", len(self.classes_), shape=(n,))
            for name in ("_lower", "_upper"):
                check_shape(getattr(self, name), name, (n, self.n_features_in_))
            for name in ("box_weights_", "box_certainty_"):
                check_shape(getattr(self, name), name, (n,))
            for name in ("data_min_", "data_range_"):
                check_shape(getattr(self, name), name, (self.n_features_in_,))

    @property
    def boxes_(self) -> tuple[NDArray, NDArray]:
        """Lower and upper corners, (n_boxes, n_features) each, in the units of the data."""
        check_is_fitted(self)
        return from_unit(self._lower, self._upper, self.data_min_, self.data_range_)

    @property
    def n_boxes_(self) -> int:
        """Number of boxes."""
        check_is_fitted(self)
        return len(self._codes)

    @property
    def rules_(self) -> RuleList:
        """The boxes as rules, the heaviest first; sides that hold all the data are left out.

        ``leaf`` is the number of the box, ``confidence`` its certainty.
        """
        lower, upper = self.boxes_
        low, high = self.data_min_, self.data_min_ + self.data_range_
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{i}" for i in range(len(low))] if names is None else names
        rules = RuleList()
        for b in np.argsort(-self.box_weights_, kind="stable"):
            sides = [
                _Side(feature=i, name=str(names[i]), lower=below, upper=above)
                for i, below, above in zip(range(len(low)), lower[b], upper[b], strict=True)
                if below > low[i] or above < high[i]
            ]
            count, certainty = float(self.box_weights_[b]), float(self.box_certainty_[b])
            label = self.box_classes_[b : b + 1].tolist()[0]
            when = " and ".join(side.text(low, high) for side in sides) or "anything"
            noted = f"{count:g} sample{'' if count == 1 else 's'}"
            if certainty != 1:
                noted += f", weighted {certainty:.3g}"
            rules.append(
                Rule(
                    text=f"if {when} then {label} ({noted})",
                    conditions=tuple(side.condition() for side in sides),
                    label=label,
                    support=count,
                    confidence=certainty,
                    leaf=int(b),
                )
            )
        return rules

    def memberships(self, X: DataLike, X_upper: DataLike = None) -> NDArray:
        """Return how far each sample belongs to each class: to its best box, from 0 to 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN is not known.
        X_upper : array-like of shape (n_samples, n_features), default=None
            Upper ends, if samples are intervals and X are the lower ends.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Membership times the certainty of the box.
        """
        return self._ask(*self._samples(X, X_upper))[0]

    def predict_proba(self, X: DataLike, X_upper: DataLike = None) -> NDArray:
        """Return memberships divided by their sum, (n_samples, n_classes).

        Where all memberships are zero, far from all boxes, the inverse distances to the nearest
        box of each class take their place. Of classes with equal memberships, that wins whose box
        has the nearest centre (sum of absolute differences), then that with more training
        samples, then the first; the others get a billionth less.

        ``X`` and ``X_upper`` are as in :meth:`memberships`.
        """
        samples = self._samples(X, X_upper)
        scores, distances = self._ask(*samples)
        scores = self._everywhere(samples, scores)
        best = scores == scores.max(axis=1, keepdims=True)
        distances = np.where(best, distances, np.inf)
        nearest = best & (distances == distances.min(axis=1, keepdims=True))
        heavy = np.bincount(self._codes, self.box_weights_, minlength=len(self.classes_))
        winner = np.where(nearest, heavy, -1.0).argmax(axis=1)
        best[np.arange(len(best)), winner] = False  # left are the losers of ties
        scores = np.where(best, scores * (1 - _TIE), scores)
        return scores / scores.sum(axis=1, keepdims=True)

    def predict(self, X: DataLike, X_upper: DataLike = None) -> NDArray:
        """Return the class with the highest probability, (n_samples,).

        ``X`` and ``X_upper`` are as in :meth:`memberships`.
        """
        share = self.predict_proba(X, X_upper)
        return self.classes_[share.argmax(axis=1)]

    # -- behind ------------------------------------------------------------------------------

    def _samples(self, X, X_upper):
        check_is_fitted(self)
        finite = "allow-nan" if self._takes_missing else True
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=finite)
        lower, upper = as_intervals(X, X_upper)
        return to_unit(lower, upper, self.data_min_, self.data_range_)

    def _sorted(self):
        """Return boxes by class, where the classes begin, and certainties."""
        order, starts = by_class(self._codes, len(self.classes_))
        return self._lower[order], self._upper[order], starts, self.box_certainty_[order]

    def _ask(self, lower, upper):
        v, w, starts, certainty = self._sorted()
        with threads_for(lower.size * len(self._codes)):
            return kernels.class_scores(lower, upper, v, w, starts, certainty, self._gamma())

    def _everywhere(self, samples, scores):
        """Replace scores that are all zero by inverse distances."""
        far = ~scores.any(axis=1)
        if not far.any():
            return scores
        v, w, starts, _ = self._sorted()
        lower, upper = (side[far] for side in samples)
        with threads_for(lower.size * len(self._codes)):
            gaps = kernels.class_gaps(lower, upper, v, w, starts, self._gamma())
        scores = scores.copy()
        # Relative to the nearest: there is a largest number, but no smallest share.
        gaps = np.where(gaps < np.inf, np.minimum(gaps, _FAR), np.inf)
        scores[far] = gaps.min(axis=1, keepdims=True) / gaps
        return scores

    def _gamma(self):
        return np.broadcast_to(np.asarray(self.gamma, dtype=float), self.n_features_in_).copy()

    def _merging(self):
        return {
            "theta": float(self.theta),
            "gamma": self._gamma(),
            "similarity": self.similarity,
            "min_similarity": float(self.min_similarity),
        }

    def _check_box_options(self):
        check_theta(self.theta)
        gamma = numbers_of(self.gamma, "gamma", "one number above 0, or one for each column")
        if gamma.shape not in ((), (self.n_features_in_,)):
            raise ValueError(
                f"gamma has shape {gamma.shape}: give one number, or one for each of the "
                f"{self.n_features_in_} columns."
            )
        if not (np.isfinite(gamma) & (gamma > 0)).all():
            raise ValueError(f"gamma={self.gamma!r}: give numbers above 0.")
        for one in (gamma.min(), gamma.max()):
            check_number(float(one), "gamma", low=0, open_low=True)
        check_choice(self.similarity, "similarity", SIMILARITIES)
        check_number(self.min_similarity, "min_similarity", low=0, high=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        return tags


def check_theta(theta):
    """Return the longest side that a box may have."""
    hint = ", the longest side of a box as a share of the range of the data"
    return check_number(theta, "theta", low=0, high=1, open_low=True, hint=hint)


def check_known(lower, upper):
    """Refuse samples of which no value is known: they fit into every box."""
    empty = np.flatnonzero((lower > upper).all(axis=1))
    if len(empty):
        raise ValueError(
            f"Nothing is known of sample {empty[0]}: all its values are missing. Leave it out."
        )


def as_intervals(lower, upper):
    """Return samples as boxes; a side of which one end is NaN is not known."""
    if upper is None:
        upper = lower
    upper = np.asarray(upper, dtype=np.float64)
    if upper.shape != lower.shape:
        raise ValueError(
            f"The lower ends have shape {lower.shape}, the upper ones {upper.shape}: give as many."
        )
    wrong = np.argwhere(lower > upper)
    if len(wrong):
        s, i = wrong[0]
        raise ValueError(
            f"Sample {s} goes from {lower[s, i]:g} to {upper[s, i]:g} in column {i}: the lower end "
            "is above the upper one. Swap them, or pass NaN where nothing is known."
        )
    unknown = np.isnan(lower) | np.isnan(upper)
    return np.where(unknown, np.inf, lower), np.where(unknown, -np.inf, upper)


def data_range(lower, upper, bounds):
    """Return least values and ranges of the columns, from the samples or as given."""
    n_features = lower.shape[1]
    if bounds is None:
        ends = np.vstack([lower, upper])
        low = np.where(np.isfinite(ends), ends, np.inf).min(axis=0)
        high = np.where(np.isfinite(ends), ends, -np.inf).max(axis=0)
        known = low <= high
        low, high = np.where(known, low, 0.0), np.where(known, high, 0.0)
        far = np.flatnonzero(high / 2 - low / 2 > np.finfo(float).max / 2)
        if len(far):
            i = int(far[0])
            raise ValueError(
                f"Column {i} goes from {low[i]:g} to {high[i]:g}, a range that no float holds: "
                "divide by a common factor."
            )
        return low, np.where(high > low, high - low, 1.0)
    try:
        low, high = (np.broadcast_to(np.asarray(b, dtype=float), n_features) for b in bounds)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"bounds={bounds!r}: give (low, high), each a number or one for each of the "
            f"{n_features} columns."
        ) from error
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise ValueError(f"bounds={bounds!r}: low must be below high, and both finite.")
    return low.copy(), high - low


def to_unit(lower, upper, low, width):
    """Return boxes in units in which the data goes from 0 to 1."""
    return (lower - low) / width, (upper - low) / width


def from_unit(lower, upper, low, width):
    """Return boxes in units of the data; from -inf to inf where nothing is known."""
    unknown = lower > upper
    lower, upper = np.where(unknown, -np.inf, lower), np.where(unknown, np.inf, upper)
    return lower * width + low, upper * width + low


class _Side(NamedTuple):
    """What a box asks of one column, ends included."""

    feature: int
    name: str
    lower: float
    upper: float

    def text(self, low, high):
        """Write the side; an end beyond the data is left out."""
        if self.lower == self.upper:
            return f"{self.name} = {self.lower:.4g}"
        if self.lower <= low[self.feature]:
            return f"{self.name} <= {self.upper:.4g}"
        if self.upper >= high[self.feature]:
            return f"{self.name} >= {self.lower:.4g}"
        return f"{self.lower:.4g} <= {self.name} <= {self.upper:.4g}"

    def condition(self):
        """Return the side as a rule has it, whose lower end is left out."""
        return Condition(
            feature=self.feature,
            name=self.name,
            lower=np.nextafter(self.lower, -np.inf),
            upper=self.upper,
        )
