"""What a model has to beat: three simple ones, asked about the same rows."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._members import strip
from counterpoint._tables import select_rows
from counterpoint.tabular.methods import make_method
from counterpoint.tabular.scores import Score, mcnemar, score_answers

BASELINES = {
    "majority class": "majority",
    "single tree": "tree",
    "logistic regression": "logistic-regression",
}
"""The simple models, and the methods they are."""

MOST_ROWS = 20_000
FOLDS = 5


def compare_with_baselines(
    answers: NDArray,
    X: Any,
    y: NDArray,
    *,
    X_train: Any = None,
    y_train: Any = None,
    random_state: Any = 0,
    fitted: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Score], dict[str, tuple[int, int, float]], str]:
    """Hold a model's answers (n_samples,) against three simple models, or those ``fitted``.

    They learn from at most 20 000 of the training rows; without any, each row of X is answered by
    models that learnt from the others, in five parts. Returns a Score by name (one that cannot take
    such data is left out), the tests against the model by name (see ``mcnemar``), and in words what
    they learnt from.
    """
    rng = check_random_state(random_state)
    seed = random_state if isinstance(random_state, int) else rng.randint(np.iinfo(np.int32).max)
    parts = None
    if X_train is not None:
        kept = np.sort(rng.permutation(len(y_train))[:MOST_ROWS])
        X_train, y_train = select_rows(X_train, kept), np.asarray(y_train)[kept]
        how = f"trained on {len(kept)} training rows"
    else:
        folds = min(FOLDS, int(np.unique(y, return_counts=True)[1].min()))
        if folds < 2:
            return {}, {}, "left out: a class has a single row, and no training rows were given"
        parts = StratifiedKFold(folds, shuffle=True, random_state=seed)
        how = f"cross-validated in {folds} parts on the very rows of this page"
    scores, tests = {}, {}
    for name, method in BASELINES.items():
        model = make_method(method, random_state=seed)
        if method == "majority":
            model = model[-1]  # it looks at no column, so any rows will do
        # One thread: products of such small matrices take far longer to share out than to do.
        with warnings.catch_warnings(), threadpool_limits(1), whole():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a baseline, not a contender
            try:
                if fitted is not None and name in fitted:
                    proba, classes = fitted[name].predict_proba(X), fitted[name].classes_
                elif parts is None:
                    model = clone(model).fit(dense(X_train), y_train)
                    proba, classes = model.predict_proba(dense(X)), model.classes_
                else:
                    proba = cross_val_predict(model, dense(X), y, cv=parts, method="predict_proba")
                    classes = np.unique(y)
            except (ValueError, TypeError):
                continue  # texts and the like, which only the model's own pipeline can read
        simple = classes[proba.argmax(axis=1)]
        labels = classes if np.isin(y, classes).all() else None
        scores[name] = score_answers(simple, y, None if labels is None else proba, labels)
        tests[name] = mcnemar(simple, answers, y)
    return scores, tests, how


def is_baseline(model: Any, name: str) -> bool:
    """Tell whether a model is itself the simple model of a name."""
    return type(strip(model)[1]) is type(make_method(BASELINES[name])[-1])


def dense(X: Any) -> Any:
    """Return rows that simple models can take."""
    return X.toarray() if hasattr(X, "toarray") else X
