"""Boosted support vector machines whose kernel narrows as members fail.

AdaBoost-SVM (Li, Wang and Sung 2008) and NCAB-SVM (Hong et al. 2018, section 2, steps 1 to 11).
All widths and rounds share one matrix of squared distances (``kernel_members.py``). Here: the rule,
and the two estimators.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from counterpoint._reading import thin_rows
from counterpoint._validation import check_choice, check_number
from counterpoint.base import validate_data
from counterpoint.boosting.kernel_members import ROUNDING, Space, WidthLearner, member_codes, pack
from counterpoint.boosting.rules import Rule, Verdict
from counterpoint.boosting.voting import BaseBoostingClassifier

# Widths closer to each other than a thousandth of a power of two are the same.
_FINEST_STEP = 0.001


class WidthRule(Rule):
    """Steps 5 to 10 of NCAB-SVM; with lam 0 and min_diversity 0 those of AdaBoost-SVM."""

    def __init__(self, lam, min_diversity, n_cases, narrowest=None):
        self.lam, self.min_diversity = lam, min_diversity
        self.least = 1.0 / n_cases
        self.narrowest = narrowest  # log2 of the last width, where each is used once

    def start(self, y, n_classes, weight):
        """Begin with no vote."""
        super().start(y, n_classes, weight)
        self.score = np.zeros((len(y), n_classes))
        self.n_members = 0

    def judge(self, answer):
        """Reject a member too weak or too much like the vote before it, else weigh it."""
        wrong = answer.votes != self.y
        error = float(self.weight[wrong].sum())
        penalised, diversity = self.weight, np.nan
        if self.n_members:
            differs = answer.votes != self.score.argmax(axis=1)
            diversity = 4.0 * float(self.first_weight[differs].sum())
            penalised = self.weight * np.power(np.where(differs, 4.0, 0.0), self.lam)
        good, bad = (max(penalised[k].sum(), self.least) for k in (~wrong, wrong))
        alpha = float(0.5 * np.log(good / bad))
        notes = {"error": error, "penalty": diversity, "log2_width": float(answer.model.log2_width)}
        failure = last = ""
        if error > 0.5 - ROUNDING:
            failure = "chance"
        elif diversity < self.min_diversity - ROUNDING:
            failure = "alike"
        elif alpha <= ROUNDING:
            failure = "worse"
        elif self.narrowest is not None:
            last = "exhausted" if answer.model.log2_width <= self.narrowest else ""
        elif not wrong.any() and not self.min_diversity:
            last = "perfect"  # no weight would change, and the next member would be its copy
        return Verdict(alpha, failure, notes, last)

    def update(self, answer, verdict):
        """Add the member to the vote; reweigh the samples, without the penalty (step 9)."""
        wrong = answer.votes != self.y
        weight = self.weight * np.exp(np.where(wrong, verdict.alpha, -verdict.alpha))
        z = float(weight.sum())
        self.weight = weight / z
        self.score[np.arange(len(self.y)), answer.votes] += verdict.alpha
        self.n_members += 1
        missed = self.score.argmax(axis=1) != self.y
        return {"z": z, "train_error": float(missed.mean())}


class AdaBoostSVMClassifier(BaseBoostingClassifier):
    """AdaBoost-SVM: boosted machines with an RBF kernel that narrows as members fail.

    A machine with a wide kernel is a weak learner, one with a narrow kernel a strong one.
    Training starts wide. Each member is trained on weighted samples, with the numbers that
    ``sklearn.svm.SVC`` would find; one with weighted error of one half or more is rejected, and
    the kernel becomes narrower. It never becomes wider again, so at most ``n_estimators`` plus
    the number of widths are trained.

    Squared distances are computed once, for all widths and rounds, the kernel once for all rounds
    of a width. Solving is libsvm's, step by step, on that kernel. A width at which every
    function provably says one class for all training samples needs no training: the member
    says the class with more weight. It does so too where the two classes weigh the same and
    all samples are at their limits, which leaves the offset to rounding errors.

    Columns must be numbers, none missing. Distances of all pairs are held in memory, and training
    takes time by their number: of more than ``max_samples`` rows a sample is boosted instead, with
    a ``ThinnedWarning``.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors; sample weights multiply it.
    n_estimators : int, default=50
        Most members.
    log2_width_max, log2_width_min, log2_width_step : float, default=20, -20, 2
        Logarithms to base 2 of the kernel width: the first, the one it must stay above, and by
        how much it shrinks. The kernel is exp(-d^2 / (2 width^2)), gamma = 1 / (2 width^2).
    narrow : {"on-rejection", "always"}, default="on-rejection"
        When the kernel becomes narrower: when a member is rejected, or after every member, so
        that each width is tried once (20 of them by default) and "exhausted" ends training.
    scale : bool, default=True
        Standardise the columns (weighted mean 0, standard deviation 1) first.
    tol : float, default=1e-3
        Tolerance of the solver.
    max_samples : int or None, default=5000
        Most rows that are boosted; of more, so many are drawn by lot, every class in its share,
        and keep their weights. None takes all: about 24 bytes at a time for each pair of rows.
    calibrate, stopping, warm_start, progress
        As in ``AdaBoostClassifier``.

    Attributes
    ----------
    estimators_ : list
        The members, with ``predict`` and ``log2_width``.
    estimator_weights_ : ndarray of shape (n_members,)
        Their say, ln((1 - error) / error) / 2. An error below 1 / n_samples counts as that.
    widths_ : ndarray of shape (n_members,)
        Kernel width of each.
    classes_
        As in ``AdaBoostClassifier``.
    history_ : DataFrame
        One row per member: ``alpha``, weighted ``error``, ``penalty`` (4 times the share of
        samples where it differs from the vote before it), ``log2_width``, ``z``,
        ``train_error``, and errors on ``eval_set``.
    stop_reason_ : str
        "complete", "exhausted" (no width left), "perfect" (a member without error, whose
        successors would be copies of it), "interrupted", or what a stopping rule said.

    References
    ----------
    .. [1] Li, Wang and Sung, "AdaBoost with SVM-based Component Classifiers", Engineering
       Applications of Artificial Intelligence 21, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.boosting import AdaBoostSVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = AdaBoostSVMClassifier(n_estimators=10).fit(X, y)
    >>> bool(boosted.score(X, y) > 0.9)
    True
    """

    random_state = None  # nothing is random
    _takes_sparse = False

    def __init__(
        self,
        C: float = 1.0,
        *,
        n_estimators: int = 50,
        log2_width_max: float = 20,
        log2_width_min: float = -20,
        log2_width_step: float = 2,
        narrow: str = "on-rejection",
        scale: bool = True,
        tol: float = 1e-3,
        max_samples: int | None = 5000,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
    ) -> None:
        self.C = C
        self.n_estimators = n_estimators
        self.log2_width_max = log2_width_max
        self.log2_width_min = log2_width_min
        self.log2_width_step = log2_width_step
        self.narrow = narrow
        self.scale = scale
        self.tol = tol
        self.max_samples = max_samples
        self.calibrate = calibrate
        self.stopping = stopping
        self.warm_start = warm_start
        self.progress = progress

    def _check_data(self, X, y, sample_weight):
        X, codes, weight = super()._check_data(X, y, sample_weight)
        rows = thin_rows(self, codes, "boosting machines")
        if rows is None:
            return X, codes, weight
        share = weight[rows].sum()
        self._n_cases *= share  # as many cases as the sample stands for
        return X[rows], codes[rows], weight[rows] / share

    def _make_learner(self, rule, X, codes, weight, rng):
        space = Space.of(X, weight, self.scale)
        solver = {"C": self.C, "tol": self.tol, "n_cases": self._n_cases}
        always = self.narrow == "always"
        return WidthLearner(space, codes, self.classes_, self._widths(), always=always, **solver)

    def _widths(self):
        """Return the logarithms of all widths, the widest first."""
        return np.arange(
            self.log2_width_max, self.log2_width_min, -self.log2_width_step, dtype=float
        )

    def _rule(self, lam, min_diversity):
        narrowest = self._widths()[-1] if self.narrow == "always" else None
        return WidthRule(lam, min_diversity, self._n_cases, narrowest)

    def make_rule(self) -> Rule:
        """Return the rule of AdaBoost on members of one width."""
        return self._rule(0.0, 0.0)

    def _check_options(self):
        super()._check_options()
        for name in ("C", "tol"):
            check_number(getattr(self, name), name, low=0, open_low=True)
        check_number(self.log2_width_step, "log2_width_step", low=_FINEST_STEP)
        check_choice(self.narrow, "narrow", ("on-rejection", "always"))
        for name in ("log2_width_min", "log2_width_max"):
            # Squares of widths beyond these are no numbers.
            check_number(getattr(self, name), name, low=-500, high=500)
        if not self.log2_width_max > self.log2_width_min:
            raise ValueError(
                f"log2_width_max={self.log2_width_max!r} is not above "
                f"log2_width_min={self.log2_width_min!r}: the kernel starts wide and narrows."
            )

    @property
    def widths_(self) -> NDArray:
        """Kernel width of each member."""
        check_is_fitted(self)
        return np.array([2.0**member.log2_width for member in self.estimators_])

    def _finish(self, result):
        # Members of an earlier fit are packed already; a space is shared by those of one fit.
        newest = self.estimators_[-1].space
        pack([member for member in self.estimators_ if member.space is newest])

    def _member_votes(self, X):
        X = self._check_X(X)
        return member_codes(self.estimators_, X)

    def _read_X(self, X, *, reset=False):
        return validate_data(self, X, reset=reset, dtype=np.float64)

    def _base(self):
        return SVC()


class NCABSVMClassifier(AdaBoostSVMClassifier):
    r"""NCAB-SVM: AdaBoost-SVM with members that must differ from the vote before them.

    As ``AdaBoostSVMClassifier``, and three rules more. The penalty of a member at a sample is
    4 where it says another class than the weighted vote of the members before it, else 0 (for
    two classes the squared difference of labels -1 and 1). A member with a mean penalty below
    ``min_diversity`` is rejected, but for the first. The others' say is

        alpha = ln(sum of p^lam D where right / sum of p^lam D where wrong) / 2,

    so that only samples on which a member differs count. A sum below 1 / n_samples counts as
    1 / n_samples: without this, a member that is never wrong where it differs would have an
    infinite say. As p is 0 or 4, p^lam is the same factor in both sums, and ``lam`` has no
    other effect than through this least value, and that ``lam=0`` gives AdaBoost's alpha. The
    sample weights D change as in AdaBoost, without the penalty.

    The text of [1]_ supports two readings: by its step 7 the kernel narrows when a member is
    rejected; by its section 3.1 the step of 2 makes 20 iterations from 20 to -20, one for each
    width. ``narrow="always"`` is the second.

    Not in [1]_: a member whose alpha is not above 0 spoils more than it mends and is
    rejected, and an error of exactly one half is. With the default limit the kernel may stay
    at a width where two members take turns: look at ``history_``.

    Parameters
    ----------
    lam : float, default=2.0
        Strength of the penalty: see above for how little it does.
    min_diversity : float, default=0.8
        Least mean penalty of a member, from 0 to below 4; 0.8 is to differ on 20 % of samples.
    C, n_estimators, log2_width_max, log2_width_min, log2_width_step, narrow, scale, tol, \
            max_samples, calibrate, stopping, warm_start, progress
        As in ``AdaBoostSVMClassifier``.

    Attributes
    ----------
    estimators_, estimator_weights_, widths_, classes_, history_, stop_reason_
        As in ``AdaBoostSVMClassifier``.

    References
    ----------
    .. [1] Hong, Wang, Liu and Liu, "SVM Ensembles Algorithm Using Negative Correlation
       Learning", Journal of Huaqiao University 39, 2018, section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from counterpoint.boosting import NCABSVMClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> boosted = NCABSVMClassifier().fit(X, y)
    >>> bool(boosted.history_["penalty"].min() >= 0.8)
    True
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        n_estimators: int = 50,
        lam: float = 2.0,
        min_diversity: float = 0.8,
        log2_width_max: float = 20,
        log2_width_min: float = -20,
        log2_width_step: float = 2,
        narrow: str = "on-rejection",
        scale: bool = True,
        tol: float = 1e-3,
        max_samples: int | None = 5000,
        calibrate: bool = True,
        stopping: Any = None,
        warm_start: bool = False,
        progress: bool | None = None,
    ) -> None:
        super().__init__(
            C,
            n_estimators=n_estimators,
            log2_width_max=log2_width_max,
            log2_width_min=log2_width_min,
            log2_width_step=log2_width_step,
            narrow=narrow,
            scale=scale,
            tol=tol,
            max_samples=max_samples,
            calibrate=calibrate,
            stopping=stopping,
            warm_start=warm_start,
            progress=progress,
        )
        self.lam = lam
        self.min_diversity = min_diversity

    def make_rule(self) -> Rule:
        """Return the rule with the penalty and the least difference."""
        return self._rule(self.lam, self.min_diversity)

    def _check_options(self):
        super()._check_options()
        check_number(self.lam, "lam", low=0, high=100)
        hint = ", 4 times the share of samples on which a member must differ from the vote"
        check_number(self.min_diversity, "min_diversity", low=0, high=4, open_high=True, hint=hint)
