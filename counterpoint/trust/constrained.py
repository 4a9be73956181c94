"""Disagreement as a test of population, as Detectron does it.

Ginsberg, Liang and Krishnan (2023): models are trained to agree with the ensemble on its training
rows and to disagree with it on a small batch of unlabelled rows. On rows from the same population
the training rows hold them back; on others they are free to disagree. How far they succeed is
compared with batches of the same size from the reference.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from counterpoint._crossfit import fit_member
from counterpoint._typing import Estimator, Seed
from counterpoint._validation import check_count, check_learner
from counterpoint.base import set_random_states
from counterpoint.datasets.encoding import TabularEncoder
from counterpoint.trust.drift import as_frame, both_frames

_LEAVES = 16


@dataclass(frozen=True, kw_only=True, eq=False)
class DisagreementTest:
    """Result of :func:`disagreement_test`.

    Attributes
    ----------
    disagreement : float
        Share of the batch on which constrained models have disagreed, mean over the rounds: not
        of the last, by which models that are free enough disagree on everything.
    null : ndarray of shape (n_trials,)
        The same of batches of that size from the reference.
    p : float
        Share of those, with the batch itself, that reach as much.
    rows : ndarray of shape (n_samples,)
        For each row of the batch, the share of rounds by which it was disagreed on: the rows
        behind an alarm have most. NaN for rows that were not drawn.
    """

    disagreement: float
    null: np.ndarray
    p: float
    rows: np.ndarray

    def table(self) -> pd.DataFrame:
        """Return the disagreement of the batch and of each reference batch."""
        of = ["new", *["reference"] * len(self.null)]
        return pd.DataFrame({"of": of, "disagreement": [self.disagreement, *self.null]})


def disagreement_test(
    model: Any,
    X_train: Any,
    X_reference: Any,
    X_new: Any,
    *,
    estimator: Estimator = None,
    n_rounds: int = 5,
    n_trials: int = 39,
    max_samples: int = 50,
    random_state: Seed = None,
) -> DisagreementTest:
    """Test whether new rows come from the reference's population, by how easily one disagrees.

    Parameters
    ----------
    model : fitted classifier
        The ensemble. Anything with ``predict``.
    X_train : array-like or frame of shape (n_samples, n_features)
        Rows it was trained on (some suffice): constrained models must agree with it here.
    X_reference : array-like or frame
        Rows of the same population that it was not trained on.
    X_new : array-like or frame
        The batch. Of more than ``max_samples`` rows, some drawn by lot are tested.
    estimator : classifier, default=None
        What is trained to disagree; it must take ``sample_weight``. None is a tree of 16 leaves.
    n_rounds : int, default=5
        Constrained models, each trained on the rows on which those before it still agree.
    n_trials : int, default=39
        Batches of the reference; the smallest p value is ``1 / (n_trials + 1)``.
    max_samples : int, default=50
        Rows of a batch: the method is made for small ones.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    DisagreementTest

    Notes
    -----
    A row of the batch asks for any answer but the ensemble's, with weight ``1 / (n + 1)`` for a
    batch of n rows beside 1 of a training row ([1]_, equation 4, for models that learn labels: of
    more than two classes, the second likeliest by the rows' own model, or else the next one).

    References
    ----------
    .. [1] T. Ginsberg, Z. Liang and R. G. Krishnan, "A learning based hypothesis test for harmful
       covariate shift", ICLR 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.trust import disagreement_test
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = (X.sum(axis=1) > 0).astype(int)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[:200], y[:200])
    >>> told = disagreement_test(forest, X[:200], X[200:], X[400:430] + 4, n_trials=19,
    ...                          random_state=0)
    >>> told.p
    0.05
    """
    if not hasattr(model, "predict"):
        raise TypeError(f"model={model!r}: pass a fitted classifier.")
    check_learner(estimator, owner="disagreement_test")
    n_rounds = check_count(n_rounds, "n_rounds")
    n_trials = check_count(n_trials, "n_trials", high=10_000)
    check_count(max_samples, "max_samples", low=2)
    rng = check_random_state(random_state)
    try:
        answers = [np.asarray(model.predict(X)) for X in (X_train, X_reference, X_new)]
        asked = zip((X_reference, X_new), answers[1:], strict=True)
        scores = [_second(model, X, said) for X, said in asked]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The model cannot answer X_train, X_reference or X_new, as it was fitted: {error}"
        ) from error
    train, before = both_frames(X_train, X_reference)
    _, after = both_frames(X_train, as_frame(X_new, "X_new"))
    encoder = TabularEncoder().fit(train, answers[0])
    train, before, after = (encoder.transform(part) for part in (train, before, after))
    size = min(max_samples, len(after), len(before))
    learner = DecisionTreeClassifier(max_leaf_nodes=_LEAVES) if estimator is None else estimator

    def run(X, other, rows):
        return _disagree(learner, train, answers[0], X[rows], other[rows], n_rounds, rng)

    drawn = rng.permutation(len(after))[:size]
    apart = np.full(len(after), np.nan)
    apart[drawn] = run(after, scores[1], drawn)
    reached = float(apart[drawn].mean())
    null = np.array(
        [
            run(before, scores[0], rng.permutation(len(before))[:size]).mean()
            for _ in range(n_trials)
        ]
    )
    p = (1 + int((null >= reached - 1e-12).sum())) / (1 + n_trials)
    return DisagreementTest(disagreement=reached, null=null, p=p, rows=apart)


def _disagree(learner, X_train, y_train, X, other, n_rounds, rng):
    """Return how often constrained models disagree on each row of a batch, as a share of rounds."""
    n = len(X)
    left = np.ones(n, dtype=bool)
    hits = np.zeros(n)
    for _ in range(n_rounds):
        if not left.any():
            hits += 1
            continue
        rows = np.flatnonzero(left)
        both = np.concatenate([X_train, X[rows]])
        y = np.concatenate([y_train, other[rows]])
        weight = np.repeat([1.0, 1.0 / (n + 1.0)], [len(X_train), len(rows)])
        constrained = fit_member(set_random_states(clone(learner), rng), both, y, weight)
        turned = constrained.predict(X) == other
        left &= ~turned
        hits += ~left
    return hits / n_rounds


def _second(model, X, answers):
    """Return for each row a class that is not the answer: the second likeliest, or the next."""
    classes = np.asarray(getattr(model, "classes_", np.unique(answers)))
    if len(classes) < 2:
        raise ValueError("The model knows one class only: nobody can disagree with it.")
    at = np.searchsorted(classes, answers)
    if hasattr(model, "predict_proba"):
        proba = np.array(model.predict_proba(X))
        proba[np.arange(len(at)), at] = -1
        return classes[proba.argmax(axis=1)]
    return classes[(at + 1) % len(classes)]
