"""Error-correcting output codes that are designed, decoded in three ways, and have no twins."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils import get_tags

from counterpoint._asking import said
from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_choice
from counterpoint.views.base import BaseViewClassifier
from counterpoint.views.code_design import (
    check_code,
    check_usable,
    column_distance,
    design_code,
    row_distance,
)
from counterpoint.views.decoding import DECODINGS, LOSSES, code_distances, distances_to_proba
from counterpoint.views.view import LabelsView


class OutputCodeClassifier(BaseViewClassifier):
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
    design : {"auto", "exhaustive", "random", "evolutionary", "diverse"} or array, default="auto"
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
        Wrong bits that are always corrected: (row_distance_ - 1) // 2. (The thesis [2]_ says
        floor(m / 2) - 1, which is one too few.)
    estimators_ : list of classifiers
        The members; each says 0 or 1.
    views_ : list of LabelsView
        The split that each learns.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A member answers for a half of the classes: ``member_predict`` gives the first class of that
    half, ``member_predict_proba`` shares its probability equally, and in ``member_outputs`` a
    member is right where its bit is that of the true class.

    References
    ----------
    .. [1] T. Dietterich and G. Bakiri, "Solving multiclass learning problems via error-correcting
       output codes", JAIR 2, 1995.
    .. [2] M. Eastwood, "Building Well-Performing Classifier Ensembles", PhD thesis, 2010, section
       2.3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from counterpoint.views import OutputCodeClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> coded = OutputCodeClassifier(n_bits=15, random_state=0).fit(X[:200], y[:200])
    >>> coded.code_book_.shape, coded.row_distance_ >= 4
    ((10, 15), True)
    """

    _numeric = False
    _count = "n_bits"

    def __init__(
        self,
        estimator: Estimator = None,
        *,
        n_bits: int | None = None,
        design: str | NDArray = "auto",
        n_trials: int = 400,
        decoding: str = "soft",
        loss: str = "exponential",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_bits = n_bits
        self.design = design
        self.n_trials = n_trials
        self.decoding = decoding
        self.loss = loss
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_views(self, X, y, sample_weight, rng):
        check_choice(self.decoding, "decoding", DECODINGS)
        check_choice(self.loss, "loss", LOSSES)
        if self.decoding == "soft" and not hasattr(self._template(), "predict_proba"):
            raise ValueError(
                f"{type(self._template()).__name__} has no predict_proba, which decoding='soft' "
                "needs: choose 'hard' or 'loss', or wrap it in CalibratedClassifierCV."
            )
        self.code_book_ = self._code(rng)
        self.row_distance_ = row_distance(self.code_book_)
        self.column_distance_ = column_distance(self.code_book_)
        self.n_correctable_ = (self.row_distance_ - 1) // 2
        labels = self.classes_.tolist()
        return [
            LabelsView(dict(zip(labels, bits.tolist(), strict=True))) for bits in self.code_book_.T
        ]

    def _code(self, rng):
        n_classes = len(self.classes_)
        if not isinstance(self.design, str):
            code = check_code(self.design, "design")
            if len(code) != n_classes:
                raise ValueError(
                    f"design has {len(code)} codewords, but y has {n_classes} classes: give one "
                    "for each."
                )
            check_usable(code)
            return code
        if n_classes == 2 and self.design in ("random", "evolutionary", "diverse"):
            raise ValueError(
                f"design={self.design!r} searches for a code, but y has two classes, which can be "
                "split in one way only: there is nothing to search and nothing to correct. Use "
                "the estimator itself, or an ensemble of another kind."
            )
        return design_code(
            n_classes, self.n_bits, design=self.design, n_trials=self.n_trials, random_state=rng
        )

    def _data_options(self):
        return super()._data_options() | {"accept_sparse": "csr"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._template()).input_tags.sparse
        return tags

    def code_distances(self, X: DataLike) -> NDArray:
        """Return how far the answers are from each codeword, (n_samples, n_classes)."""
        X = self._check_X(X)
        answers = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_bit)(model, X, self.decoding) for model in self.estimators_
        )
        return code_distances(
            np.stack(answers), self.code_book_, decoding=self.decoding, loss=self.loss
        )

    def predict(self, X: DataLike) -> NDArray:
        """Return the label with the nearest codeword, the first of equals, (n_samples,)."""
        nearest = self.code_distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def predict_proba(self, X: Any) -> NDArray:
        """Return probabilities in the order of the distances, (n_samples, n_classes).

        For "hard" and "soft" decoding 1 - distance / D, cut at 0 and made to add up to 1, with D
        the mean distance of two codewords: exact if members are calibrated and all codewords
        equally far apart, as in an exhaustive code. For "loss" the shares of exp(-distance),
        which are no more than an order with many bits.
        """
        return distances_to_proba(self.code_distances(X), self.code_book_, self.decoding)


def _bit(model, X, decoding):
    if decoding == "hard":
        return model.predict(X)
    if decoding == "loss" and hasattr(model, "decision_function"):
        return model.decision_function(X)
    one = said(model, X)[:, 1]
    return np.clip(one, 0.0, 1.0) if decoding == "soft" else 2 * one - 1
