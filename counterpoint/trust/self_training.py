"""Self-training ensembles: models that are taught to disagree where the ensemble is wrong.

Chen et al. (2021), their framework with random initialisation: check models are trained on the
training rows and on the new rows on which they differed from the ensemble, with their own answer
there; rounds go on. The share of new rows on which they differ at last estimates the error.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import check_random_state

from counterpoint._ballot import vote_shares
from counterpoint._crossfit import fit_member
from counterpoint._tables import select_rows
from counterpoint._typing import DataLike, Estimator, Seed, Target
from counterpoint._validation import check_count, check_learner, check_number
from counterpoint.base import set_random_states
from counterpoint.trust.error_methods import Check, ErrorMethod, Seen


class SelfTraining(ErrorMethod):
    """The share of new rows on which models taught on those rows differ from the ensemble.

    Parameters
    ----------
    X_train, y_train : training rows of the ensemble and their labels
    X_new : array-like of shape (n_samples, n_features)
        The new rows, in the order of their outputs.
    estimator : classifier, default=None
        A check model; None is a forest of 30 trees.
    n_estimators : int, default=5
        Check models of a round.
    n_rounds : int, default=3
    weight : float, default=0.5
        What a new row with an answer of the check models counts beside a training row.
    random_state : int, RandomState instance or None, default=None

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import SelfTraining, estimate_error
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X[:200], y[:200])
    >>> reference = MemberOutputs.from_estimator(forest, X[200:350], y[200:350])
    >>> new = MemberOutputs.from_estimator(forest, X[350:])
    >>> check = SelfTraining(X[:200], y[:200], X[350:], n_rounds=1, random_state=0)
    >>> told = estimate_error(reference, new, methods=[check], random_state=0)
    >>> bool(0 <= told.error < 0.2)
    True
    """

    name = "self-training"
    assumption = "models trained on the new rows, too, are right where they differ"
    on_parts = False  # it is about the new rows given, not about any

    def __init__(
        self,
        X_train: DataLike,
        y_train: Target,
        X_new: DataLike,
        *,
        estimator: Estimator = None,
        n_estimators: int = 5,
        n_rounds: int = 3,
        weight: float = 0.5,
        random_state: Seed = None,
    ) -> None:
        check_learner(estimator, owner="SelfTraining", count="n_estimators")
        self.X_train, self.y_train, self.X_new = X_train, np.asarray(y_train), X_new
        self.estimator = estimator
        self.n_estimators = check_count(n_estimators, "n_estimators")
        self.n_rounds = check_count(n_rounds, "n_rounds")
        self.weight = check_number(weight, "weight", low=0)
        self.random_state = random_state
        self._differ: dict[bytes, np.ndarray] = {}

    def learn(self, reference: Seen, weight: Any) -> Any:
        """Nothing is remembered of the reference."""

    def estimate(self, learnt: Any, new: Seen, weight: Any) -> float:
        """Return the share of new rows on which the check models differ."""
        key = new.answer.tobytes()
        if key not in self._differ:  # other weights of the same rows need no training
            self._differ[key] = self._check(new)
        return float(weight @ self._differ[key] / weight.sum())

    def check(self, reference: Seen, new: Seen) -> Check:
        """Nothing on the reference says whether it holds."""
        return Check(None, "nothing on the reference tells whether check models are right")

    def _check(self, new: Seen) -> np.ndarray:
        classes = new.outputs.classes
        rng = check_random_state(self.random_state)
        answer = classes[new.answer]
        if len(answer) != len(self.X_new):
            raise ValueError(
                f"X_new has {len(self.X_new)} rows, but new= {len(answer)} samples: give the same."
            )
        X_train, X_new = (X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)
                          for X in (self.X_train, self.X_new))  # fmt: skip
        differ = np.zeros(len(answer), dtype=bool)
        said = answer
        learner = RandomForestClassifier(30) if self.estimator is None else self.estimator
        for _ in range(self.n_rounds):
            X, y, weight = X_train, self.y_train, None
            if differ.any():
                X = np.concatenate([X_train, select_rows(X_new, np.flatnonzero(differ))])
                y = np.concatenate([self.y_train, said[differ]])
                weight = np.repeat([1.0, self.weight], [len(X_train), int(differ.sum())])
            votes = []
            for _ in range(self.n_estimators):
                model = set_random_states(clone(learner), rng)
                fit_member(model, X, y, weight)
                votes.append(np.searchsorted(classes, model.predict(X_new)))
            said = classes[vote_shares(np.stack(votes), len(classes)).argmax(axis=1)]
            differ = said != answer
        return differ.astype(float)
