"""G6: error-correcting output codes that are designed, decoded in three ways, and have no twins."""

from typing import Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.multiclass import OutputCodeClassifier as _ScikitLearnOutputCode
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from counterpoint._members import select_rows
from counterpoint.views._checks import check_choice, check_numeric_frame
from counterpoint.views._members import fit_members
from counterpoint.views.code_design import (
    check_code,
    check_usable,
    column_distance,
    design_code,
    row_distance,
)
from counterpoint.views.decoding import DECODINGS, LOSSES, code_distances, distances_to_proba
from counterpoint.views.view import LabelsView

__all__ = ["OutputCodeClassifier"]


# A subclass of scikit-learn's, so that whoever knows how to take that one apart, as MemberOutputs
# does, finds bits and code book here as well. Nothing but the name is used.
class OutputCodeClassifier(_ScikitLearnOutputCode):
    """Error-correcting output codes with designed codes and three ways of decoding.

    Every class has a codeword, every bit is a split of the classes in two that one member
    learns, and a sample goes to the class whose codeword is nearest to what the members say. The
    larger the distance between codewords, the more wrong members are corrected. Unlike in
    scikit-learn's class of this name, codes are searched for, no two classes ever share a
    codeword, no two members learn the same split, and there are probabilities.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Learns a bit; None is scikit-learn's ``DecisionTreeClassifier()``.
    n_bits : int or None, default=None
        Number of members; None is all splits for up to 7 classes, else 10 log2(n_classes). Two
        classes can be split in one way only: then one member is trained, and asking for more is an
        error.
    design : {"auto", "exhaustive", "random", "evolutionary"} or array, default="auto"
        How the code is found, see :func:`design_code`; or a code of one's own, 0 and 1,
        (n_classes, n_bits).
    n_trials : int, default=400
        Codes tried by a search.
    decoding : {"hard", "soft", "loss"}, default="soft"
        See :func:`code_distances`. "soft" needs members with ``predict_proba``; "loss" takes
        ``decision_function``, or else 2 P(1) - 1.
    loss : {"exponential", "logistic", "hinge"}, default="exponential"
        For "loss".
    n_jobs : int or None, default=None
        Members trained at a time. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds the search and the learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    code_book_ : ndarray of shape (n_classes, n_bits), int8
        The code.
    row_distance_ : int
        Fewest bits in which two codewords differ.
    column_distance_ : float
        Distance of the two most similar splits; NaN for one bit.
    n_correctable_ : int
        Wrong bits that are always corrected: (row_distance_ - 1) // 2. (The thesis says
        floor(m / 2) - 1, which is one too few.)
    estimators_ : list of classifiers
        The members; each says 0 or 1.
    n_features_in_ : int
        Number of columns.

    References
    ----------
    .. [1] T. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting
       output codes", JAIR 2, 1995.
    .. [2] Eastwood's thesis, section 2.3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from counterpoint.views import OutputCodeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> coded = OutputCodeClassifier(n_bits=15, random_state=0).fit(X[:200], y[:200])
    >>> coded.code_book_.shape, coded.row_distance_ >= 4
    ((10, 15), True)
    """

    def __init__(
        self,
        estimator=None,
        *,
        n_bits=None,
        design="auto",
        n_trials=400,
        decoding="soft",
        loss="exponential",
        n_jobs=None,
        random_state=None,
    ):
        self.estimator = estimator
        self.n_bits = n_bits
        self.design = design
        self.n_trials = n_trials
        self.decoding = decoding
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _template(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def fit(self, X, y, sample_weight=None) -> Self:
        """Design the code and train a member per bit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; a frame goes to an ``estimator`` of one's own as it is.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Not negative; passed to the members.

        Returns
        -------
        OutputCodeClassifier
        """
        check_choice(self.decoding, "decoding", DECODINGS)
        check_choice(self.loss, "loss", tuple(LOSSES))
        if self.decoding == "soft" and not hasattr(self._template(), "predict_proba"):
            raise ValueError(
                f"{type(self._template()).__name__} has no predict_proba, which decoding='soft' "
                "needs: choose 'hard' or 'loss', or wrap it in CalibratedClassifierCV."
            )
        X, y = self._read(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            y_held = y[sample_weight > 0]  # a class without weight is no class
            self.classes_ = np.unique(y_held)
            keep = np.isin(y, self.classes_)
            if not keep.all():
                rows = np.flatnonzero(keep)
                X, y, sample_weight = select_rows(X, rows), y[rows], sample_weight[rows]
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only, {self.classes_[:1].tolist()}: classifiers need at least "
                "two classes."
            )
        rng = check_random_state(self.random_state)
        self.code_book_ = self._code(rng)
        self.row_distance_ = row_distance(self.code_book_)
        self.column_distance_ = column_distance(self.code_book_)
        self.n_correctable_ = (self.row_distance_ - 1) // 2
        labels = self.classes_.tolist()
        views = [
            LabelsView(dict(zip(labels, bits.tolist(), strict=True))) for bits in self.code_book_.T
        ]
        self.estimators_, _ = fit_members(
            [self._template()] * len(views), views, X, y, sample_weight, rng, n_jobs=self.n_jobs
        )
        return self

    def _read(self, X, y):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        if self.estimator is not None and hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            if len(y) != X.shape[0]:
                raise ValueError(
                    f"X has {X.shape[0]} samples and y {len(y)}: give a label for each."
                )
        else:
            check_numeric_frame(X, type(self).__name__)
            X, y = validate_data(
                self, X, y, accept_sparse="csr", ensure_all_finite=not self._allows_nan()
            )
        check_classification_targets(y)
        return X, y

    def _code(self, rng):
        n_classes = len(self.classes_)
        if not isinstance(self.design, str):
            code = check_code(self.design)
            if len(code) != n_classes:
                raise ValueError(
                    f"design has {len(code)} codewords, but y has {n_classes} classes: give one "
                    "for each."
                )
            check_usable(code)
            return code
        if n_classes == 2 and self.design in ("random", "evolutionary"):
            raise ValueError(
                f"design={self.design!r} searches for a code, but y has two classes, which can be "
                "split in one way only: there is nothing to search and nothing to correct. Use "
                "the estimator itself, or an ensemble of another kind."
            )
        return design_code(
            n_classes, self.n_bits, design=self.design, n_trials=self.n_trials, random_state=rng
        )

    def _allows_nan(self):
        return get_tags(self._template()).input_tags.allow_nan

    def __sklearn_tags__(self):
        # scikit-learn's own looks into an estimator that may be None here.
        estimator, self.estimator = self.estimator, self._template()
        try:
            tags = super().__sklearn_tags__()
        finally:
            self.estimator = estimator
        tags.input_tags.allow_nan = self._allows_nan()
        return tags

    def _check_new(self, X):
        check_is_fitted(self)
        if self.estimator is not None and hasattr(X, "columns"):
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        check_numeric_frame(X, type(self).__name__)
        return validate_data(
            self, X, reset=False, accept_sparse="csr", ensure_all_finite=not self._allows_nan()
        )

    def code_distances(self, X) -> NDArray:
        """Return how far the members' answers are from each class's codeword.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._check_new(X)
        said = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_say)(model, X, self.decoding) for model in self.estimators_
        )
        return code_distances(
            np.stack(said), self.code_book_, decoding=self.decoding, loss=self.loss
        )

    def predict(self, X) -> NDArray:
        """Return the label with the nearest codeword, the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        nearest = self.code_distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def predict_proba(self, X) -> NDArray:
        """Return probabilities in the order of the distances.

        For "hard" and "soft" decoding 1 - distance / D, cut at 0 and made to add up to 1, with D
        the mean distance of two codewords: exact if members are calibrated and all codewords
        equally far apart, as in an exhaustive code. For "loss" the shares of exp(-distance),
        which are no more than an order with many bits.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return distances_to_proba(self.code_distances(X), self.code_book_, self.decoding)


def _say(model, X, decoding):
    if decoding == "hard":
        return model.predict(X)
    if decoding == "loss" and hasattr(model, "decision_function"):
        return model.decision_function(X)
    one = np.asarray(model.predict_proba(X))[:, 1]
    return np.clip(one, 0.0, 1.0) if decoding == "soft" else 2 * one - 1
