"""What a model has to beat: simple ones of classes and of numbers, asked about the same rows."""

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from counterpoint._interrupts import whole
from counterpoint._members import strip
from counterpoint._tables import select_rows
from counterpoint.auto.engine import OverproduceSelect
from counterpoint.auto.fold_mean import FoldMeanClassifier, FoldMeanRegressor
from counterpoint.tabular.methods import make_method
from counterpoint.tabular.number_scores import NumberScore, compare_rmse, score_numbers
from counterpoint.tabular.scores import Score, mcnemar, score_answers
from counterpoint.tabular.targets import Task

MOST_ROWS = 20_000
FOLDS = 5


@dataclass(frozen=True)
class SimpleModels:
    """The simple models of a task, and how they are asked.

    Attributes
    ----------
    task : {"classification", "regression"}
    methods : dict of str to str
        What they are called, and the methods they are.
    blind : tuple of str
        Methods that look at no column, so any rows will do.
    ask : str
        The method of a model that is called.
    folds : callable
        Of how many parts a cross-validation on these labels can have.
    splitter : class
        What makes the parts.
    too_few : str
        Why there is none.
    """

    task: Task
    methods: dict[str, str]
    blind: tuple[str, ...]
    ask: str
    folds: Callable[[NDArray], int]
    splitter: Callable[..., Any]
    too_few: str

    def others(self, model: Any, names: Iterable[str]) -> list[str]:
        """Return those of the names whose simple model is another than the model itself."""
        own = _kind(model)
        kinds = {name: type(make_method(self.methods[name], task=self.task)[-1]) for name in names}
        return [name for name, kind in kinds.items() if kind is not own]

    def answers(
        self,
        X: Any,
        y: NDArray,
        *,
        X_train: Any = None,
        y_train: Any = None,
        random_state: Any = 0,
        fitted: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, tuple[NDArray, NDArray | None]], str]:
        """Ask them, or those ``fitted``, about rows.

        They learn from at most 20 000 of the training rows; without any, each row of X is answered
        by models that learnt from the others, in five parts. Returns by name (one that cannot take
        such data is left out) what was said and the classes, None for numbers; and in words what
        they learnt from.
        """
        rng = check_random_state(random_state)
        most = np.iinfo(np.int32).max
        seed = random_state if isinstance(random_state, int) else rng.randint(most)
        parts = None
        if X_train is not None:
            kept = np.sort(rng.permutation(len(y_train))[:MOST_ROWS])
            X_train, y_train = select_rows(X_train, kept), np.asarray(y_train)[kept]
            how = f"trained on {len(kept)} training rows"
        else:
            folds = min(FOLDS, self.folds(y))
            if folds < 2:
                return {}, f"left out: {self.too_few}, and no training rows were given"
            parts = self.splitter(folds, shuffle=True, random_state=seed)
            how = f"cross-validated in {folds} parts on the very rows of this page"
        found: dict[str, tuple[NDArray, NDArray | None]] = {}
        for name, method in self.methods.items():
            model: Any = make_method(method, random_state=seed, task=self.task)
            if method in self.blind:
                model = model[-1]
            # One thread: products of such small matrices take far longer to share out than to do.
            with warnings.catch_warnings(), threadpool_limits(1), whole():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a baseline, not a contender
                try:
                    if parts is not None and (fitted is None or name not in fitted):
                        said = cross_val_predict(model, _dense(X), y, cv=parts, method=self.ask)
                        classes = np.unique(y) if self.task == "classification" else None
                    else:
                        rows = X
                        if fitted is not None and name in fitted:
                            model = fitted[name]
                        else:
                            model = clone(model).fit(_dense(X_train), y_train)
                            rows = _dense(X)
                        said = getattr(model, self.ask)(rows)
                        classes = getattr(model, "classes_", None)
                except (ValueError, TypeError):
                    continue  # texts and the like, which only the model's own pipeline can read
            found[name] = said, classes
        return found, how


SIMPLE_CLASSIFIERS = SimpleModels(
    task="classification",
    methods={
        "majority class": "majority",
        "single tree": "tree",
        "logistic regression": "logistic-regression",
    },
    blind=("majority",),
    ask="predict_proba",
    folds=lambda y: int(np.unique(y, return_counts=True)[1].min()),
    splitter=StratifiedKFold,
    too_few="a class has a single row",
)
SIMPLE_REGRESSORS = SimpleModels(
    task="regression",
    methods={
        "mean": "mean",
        "median": "median",
        "single tree": "tree",
        "linear model": "linear",
    },
    blind=("mean", "median"),
    ask="predict",
    folds=len,
    splitter=KFold,
    too_few="there is one row",
)


SIMPLE_MODELS: dict[Task, SimpleModels] = {
    one.task: one for one in (SIMPLE_CLASSIFIERS, SIMPLE_REGRESSORS)
}


def compare_with_baselines(
    answers: NDArray, X: Any, y: NDArray, **options: Any
) -> tuple[dict[str, Score], dict[str, tuple[int, int, float]], str]:
    """Hold a model's answers (n_samples,) against three simple models.

    Options are those of :meth:`SimpleModels.answers`. Returns a Score by name, the tests against
    the model by name (see ``mcnemar``), and in words what they learnt from.
    """
    found, how = SIMPLE_CLASSIFIERS.answers(X, y, **options)
    scores, tests = {}, {}
    for name, (proba, classes) in found.items():
        known: NDArray = np.asarray(classes)
        simple = known[proba.argmax(axis=1)]
        labels = known if np.isin(y, known).all() else None
        scores[name] = score_answers(simple, y, None if labels is None else proba, labels)
        tests[name] = mcnemar(simple, answers, y)
    return scores, tests, how


def compare_numbers_with_baselines(
    answers: NDArray, X: Any, y: NDArray, counts: NDArray, **options: Any
) -> tuple[dict[str, NumberScore], dict[str, tuple[float, float, float]], str]:
    """Hold estimates (n_samples,) against four simple models.

    Options are those of :meth:`SimpleModels.answers`. Returns a score by name, how far the RMSE of
    each is above that of the answers with limits, and in words what they learnt from.
    """
    found, how = SIMPLE_REGRESSORS.answers(X, y, **options)
    scores = {name: score_numbers(simple, y, counts) for name, (simple, _) in found.items()}
    above = {name: compare_rmse(answers, simple, y, counts) for name, (simple, _) in found.items()}
    return scores, above, how


def _kind(model: Any) -> type:
    """Return the class of a model, or of the only member that was worth keeping."""
    model = strip(model)[1]
    while isinstance(model, OverproduceSelect) and len(model.pool_) == 1:
        model = strip(model.pool_[0][1])[1]
    if isinstance(model, FoldMeanClassifier | FoldMeanRegressor):
        model = strip(model.estimators[0])[1]
    return type(model)


def _dense(X: Any) -> Any:
    """Return rows that simple models can take."""
    return X.toarray() if hasattr(X, "toarray") else X
