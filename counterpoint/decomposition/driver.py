"""Decompose the error of any scikit-learn estimator: train it again and again, then split."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_random_state

from counterpoint._typing import DataLike, Estimator, Seed
from counterpoint._validation import check_choice, check_count
from counterpoint.decomposition._data import Data, split, train_rows
from counterpoint.decomposition.bregman import bias_variance_diversity
from counterpoint.decomposition.effects import zero_one_diversity_effect
from counterpoint.decomposition.losses import DEFAULT_EPS, LOSSES, BregmanLoss, get_loss
from counterpoint.decomposition.parts import Parts
from counterpoint.decomposition.squared import bias_variance, bias_variance_covariance
from counterpoint.decomposition.trials import Answer, Output, Task, run_trials
from counterpoint.decomposition.zero_one import breiman, domingos, james, kohavi_wolpert

_ZERO_ONE: dict[str, Callable[..., Parts]] = {
    "kohavi-wolpert": kohavi_wolpert,
    "breiman": breiman,
    "james": james,
    "domingos": domingos,
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Decomposition:
    """What :func:`decompose` found.

    Attributes
    ----------
    parts : Parts
        The parts per sample; its class depends on loss and method.
    loss, method : str
        What was decomposed, and how.
    n_trials : int
        Trainings it rests on; fewer than asked for after an interruption.
    n_members : int
        Members in the decomposition; 1 where the estimator counts as a single model.
    own_error : float
        Average loss of the estimator's own predictions. It differs from
        ``averages["error"]`` where the estimator does not combine its members by the
        centroid that the decomposition is about.
    y : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Truth of the test samples: ``y_proba_test`` where given, else labels or values.
    classes : ndarray of shape (n_classes,) or None
        All labels, sorted; None for a regressor.
    outputs : ndarray of shape (n_trials, [n_members,] n_samples[, n_classes])
        What was said in each trial, for the other functions of this package: no need to
        train again for another definition.
    test_index : ndarray of shape (n_samples,) or None
        Rows of X that were the test samples; None where X_test was given.
    """

    parts: Parts
    loss: str
    method: str
    n_trials: int
    n_members: int
    own_error: float
    y: NDArray
    classes: NDArray | None
    outputs: NDArray
    test_index: NDArray | None

    @property
    def averages(self) -> dict[str, float]:
        """Mean of every part over the test samples."""
        return self.parts.averages

    @property
    def contributions(self) -> dict[str, float]:
        """Mean of every signed term; these add up to ``averages["error"]``."""
        return self.parts.contributions

    @property
    def identity(self) -> str:
        """The identity that the parts obey."""
        return self.parts.identity

    @property
    def residual(self) -> float:
        """Largest violation of the identity, as a share of the largest sum of terms."""
        return self.parts.residual

    def table(self, *, per_sample: bool = False) -> pd.DataFrame:
        """Return the parts as a frame: averages, or one row a sample."""
        return self.parts.table(per_sample=per_sample)

    def intervals(
        self, level: float = 0.9, *, n_resamples: int = 1000, random_state: Seed = None
    ) -> pd.DataFrame:
        """Bootstrap intervals of the averages over test samples; see :meth:`Parts.intervals`."""
        return self.parts.intervals(level, n_resamples=n_resamples, random_state=random_state)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4g}" for name, value in self.averages.items())
        return f"Decomposition({self.loss}, {self.method}, {self.n_trials} trials: {values})"


def decompose(
    estimator: Estimator,
    X: DataLike,
    y: ArrayLike,
    *,
    loss: str | BregmanLoss = "zero-one",
    method: str | None = None,
    n_trials: int = 50,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    test_size: float | int = 0.33,
    resample: str | Callable = "bootstrap",
    train_size: float | int | None = None,
    y_proba_test: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    eps: float = DEFAULT_EPS,
    n_jobs: int | None = None,
    random_state: Seed = None,
    progress: bool | None = None,
) -> Decomposition:
    """Train clones of an estimator on resampled training sets and decompose their error.

    Parameters
    ----------
    estimator : scikit-learn classifier or regressor
        Cloned for each trial. A ``random_state`` in it, or in what it holds, is set anew for
        each trial where it is None; a fixed one stays, and takes that source of variance out.
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        Data, given to ``fit`` as they are. Without ``X_test`` they are split first, stratified
        for a classifier where the classes allow it.
    loss : {"zero-one", "squared", "cross-entropy", "poisson", "logistic"} or BregmanLoss, \
default="zero-one"
        Zero-one, cross-entropy and logistic loss are for classifiers, logistic for two classes.
    method : str or None, default=None
        For zero-one loss "kohavi-wolpert" (None), "breiman", "james", "domingos" or "effect",
        which needs the members of an ensemble. For the others "diversity" (None),
        "bias-variance", which takes the estimator for a single model, or with squared loss
        "covariance". An estimator whose members cannot be taken out counts as an
        ensemble of one: its diversity is 0, and its covariance NaN.
    n_trials : int, default=50
        How many times to train. One trial is legal, and has variance 0.
    X_test, y_test : array-like or None, default=None
        Test samples. ``y_test`` may be left out where ``y_proba_test`` is given.
    test_size : float or int, default=0.33
        Share or number of samples to split off where ``X_test`` is None.
    resample : {"bootstrap", "subsample"} or callable, default="bootstrap"
        How a training set is drawn: with replacement; without; or by your own function, which
        takes a ``RandomState`` and returns a training set ``(X, y)``. Draws that
        miss a class are drawn again, up to 100 times.
    train_size : float, int or None, default=None
        Share or number of training samples in a draw. None means as many as there are for
        "bootstrap", and half of them for "subsample".
    y_proba_test : array-like of shape (n_samples, n_classes) or None, default=None
        True class probabilities, classes sorted, where known: noise is then told apart from
        bias. One row for each row of ``X_test``, or of ``X`` where that is split.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the test samples in the averages, not of the training samples. One for
        each row of ``X_test``, or of ``X`` where that is split.
    eps : float, default=1e-12
        How far outputs on the edge of their domain, such as zero probabilities, are moved
        inside; see :func:`bias_variance_diversity`.
    n_jobs : int or None, default=None
        Trials run at once. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds the split, the draws and the estimators.
    progress : bool or None, default=None
        Whether to draw a progress bar; None means on a terminal only.

    Warns
    -----
    UserWarning
        When interrupted from the keyboard after at least two trials: what is finished is
        decomposed.

    Notes
    -----
    Bias and variance are about training sets like those drawn. Resampled sets overlap, so
    variance comes out smaller, and bias larger, than over fresh sets of the same size; pass
    a callable where fresh ones can be made.

    For "diversity" and "covariance" the ensemble is the :func:`centroid` of its members with
    equal weights. ``own_error`` tells what the estimator's own way to combine gives. For
    "effect" the vote is the estimator's own prediction. All trials are held in memory:
    n_trials x n_members x n_samples x n_classes numbers at most.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> result = decompose(DecisionTreeClassifier(), X, y, n_trials=20, random_state=0)
    >>> sorted(result.averages)
    ['bias', 'error', 'noise', 'variance']
    >>> result.residual < 1e-12
    True
    """
    name, method, bregman = _choose(loss, method)
    check_count(n_trials, "n_trials")
    for_classes = bregman is None or bregman.vector or bregman is LOSSES["logistic"]
    _check_kind(estimator, name, for_classes)
    rng = check_random_state(random_state)
    data = split(X, y, X_test, y_test, test_size, y_proba_test, sample_weight, for_classes, rng)
    if name == "logistic" and len(data.classes) != 2:
        raise ValueError(
            f"loss='logistic' is for two classes, but y has {len(data.classes)}: "
            "use loss='cross-entropy'."
        )
    if not callable(resample):
        check_choice(resample, "resample", ("bootstrap", "subsample"))
    output: Output = "labels" if name == "zero-one" else "proba" if for_classes else "values"
    task = Task(
        estimator=estimator,
        X=data.X,
        y=data.y,
        X_test=data.X_test,
        resample=resample,
        n_train=train_rows(train_size, resample, len(data.y)),
        output=output,
        classes=data.classes if for_classes else None,
        members=method in ("effect", "diversity", "covariance"),
    )
    trials = run_trials(task, n_trials, n_jobs=n_jobs, rng=rng, progress=progress)
    own, members = _stack(trials, task.members)
    if bregman is None:
        parts, outputs, own_error = _zero_one_parts(method, own, members, data)
    else:
        parts, outputs, own_error = _bregman_parts(method, bregman, own, members, data, eps)
    return Decomposition(
        parts=parts,
        loss=name,
        method=method,
        n_trials=len(trials),
        n_members=1 if members is None else members.shape[1],
        own_error=own_error,
        y=data.truth,
        classes=data.classes if for_classes else None,
        outputs=outputs,
        test_index=data.test_index,
    )


def _choose(loss, method) -> tuple[str, str, BregmanLoss | None]:
    """Return the names of loss and method, and the Bregman loss if it is one."""
    if loss == "zero-one":
        allowed, name, bregman = [*_ZERO_ONE, "effect"], "zero-one", None
    else:
        if not isinstance(loss, BregmanLoss):
            check_choice(loss, "loss", ["zero-one", *LOSSES])
        bregman = get_loss(loss)
        name, allowed = bregman.name, ["diversity", "bias-variance"]
        if bregman is LOSSES["squared"]:
            allowed.append("covariance")
    method = allowed[0] if method is None else method
    return name, check_choice(method, "method", allowed), bregman


def _check_kind(estimator, name: str, for_classes: bool) -> None:
    kind, wrong = ("classifiers", is_regressor) if for_classes else ("regressors", is_classifier)
    if wrong(estimator):
        hint = "'squared' or 'poisson'" if for_classes else "'zero-one' or 'cross-entropy'"
        raise ValueError(
            f"loss={name!r} is for {kind}, which {type(estimator).__name__} is not: "
            f"choose loss {hint}."
        )


def _stack(trials: list[Answer], with_members: bool) -> tuple[NDArray, NDArray | None]:
    own = np.stack([answer.own for answer in trials])
    parts = [answer.members for answer in trials if answer.members is not None]
    if not with_members or not parts:
        return own, None
    sizes = sorted({len(part) for part in parts})
    if len(parts) < len(trials) or len(sizes) > 1:
        raise ValueError(
            f"the trials have ensembles of different sizes, from {sizes[0]} to {sizes[-1]} "
            "members, so members have no counterparts: use a method that takes the estimator "
            "for a single model ('bias-variance', or any for zero-one loss but 'effect')."
        )
    return own, np.stack(parts)


def _zero_one_parts(method: str, own: NDArray, members: NDArray | None, data: Data):
    """Return the parts, the outputs they are made from, and the error of ``own``."""
    y = data.y_test if data.proba is None else None
    known: dict[str, Any] = {"y_proba": data.proba, "classes": data.classes}
    known["sample_weight"] = data.weight
    labels = data.classes[own]
    own_error = kohavi_wolpert(y, labels, **known).averages["error"]
    if method != "effect":
        return _ZERO_ONE[method](y, labels, **known), labels, own_error
    votes = data.classes[own[:, None] if members is None else members]
    return zero_one_diversity_effect(y, votes, combined=labels, **known), votes, own_error


def _bregman_parts(
    method: str, loss: BregmanLoss, own: NDArray, members: NDArray | None, data: Data, eps: float
):
    """Return the parts, the outputs they are made from, and the error of ``own``."""
    known: dict[str, Any] = {"loss": loss, "eps": eps, "sample_weight": data.weight}
    truth: Any = data.truth
    if loss is LOSSES["logistic"]:
        own, members = own[..., 1], None if members is None else members[..., 1]
        truth = truth == data.classes[1] if data.proba is None else truth[:, 1]
    elif loss.vector:
        known["classes"] = data.classes
    alone = bias_variance_diversity(truth, own[:, None], **known)
    own_error = alone.averages["error"]
    outputs = own[:, None] if members is None else members
    if method == "diversity":
        parts: Parts = bias_variance_diversity(truth, outputs, **known)
    elif method == "covariance":
        parts = bias_variance_covariance(truth, outputs, sample_weight=data.weight)
    elif loss is LOSSES["squared"]:
        outputs = own
        parts = bias_variance(truth, own, sample_weight=data.weight)
    else:
        parts = alone
    return parts, outputs, own_error
