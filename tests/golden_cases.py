"""Small fits of every estimator whose outputs are kept in tests/golden/outputs.npz.

``python tests/golden_cases.py tests/golden/outputs.npz`` writes them anew: only where a change of
numbers is meant, and the change log says so. With names behind it, only those of the estimators
whose names begin so: ``... outputs.npz HistBoost``.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from estimators import FEW_NUMBERS, public_estimators
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from counterpoint.trees import HistTreeClassifier, PrunedTreeClassifier

FEW = [
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ("logistic", LogisticRegression(max_iter=500)),
]


def forest(n_estimators, max_depth=None):
    return RandomForestClassifier(n_estimators, max_depth=max_depth, random_state=0)


# Options of each fit; an estimator that is not here is fitted with its defaults.
OPTIONS = {
    "AdaBoostClassifier": [
        {"calibrate": False},
        {"estimator": DecisionTreeClassifier(max_depth=2), "n_estimators": 10, "calibrate": False},
        {"estimator": HistTreeClassifier(max_depth=2), "n_estimators": 16},
    ],
    "AdaBoostM1Classifier": [{"calibrate": False}],
    "AdaBoostM2Classifier": [{"calibrate": False}],
    "AdaBoostNCClassifier": [
        {"lam": 2.0, "calibrate": False, **options}
        for options in (
            {},
            {"confidence": True, "lam": 1.0},
            {"resample": True, "n_estimators": 10},
            {"estimator": HistTreeClassifier(max_depth=2), "n_estimators": 15},
            {"estimator": PrunedTreeClassifier(grower="hist"), "n_estimators": 5},
            {"estimator": GaussianNB(), "n_estimators": 5},
            {"lam": "auto", "n_estimators": 5},
            {"lam": "dynamic", "n_estimators": 10},
        )
    ],
    "AdaBoostSVMClassifier": [{"calibrate": False}],
    "AddemupClassifier": [{"max_epochs": 5, "n_generations": 2, "n_estimators": 4}],
    "ArcX4Classifier": [{"calibrate": False}],
    "AveragedNetworkClassifier": [{"base_epochs": 20, "max_epochs": 10}],
    "CombinedClassifier": [{}, {"pool": FEW}],
    "ConstructiveNetworkClassifier": [{"max_epochs": 5, "n_estimators": 3}],
    "DistilledTreeClassifier": [{}, {"pool": forest(10)}],
    "DynamicSelectionClassifier": [
        {"pool": FEW, "method": method}
        for method in ("knora-e", "knora-u", "ola", "meta-des", "rrc")
    ],
    "EPNetClassifier": [{"max_epochs": 5, "n_generations": 3}],
    "EnsembleKernelSVC": [{}, {"pool": forest(10)}],
    "EnsembleSelectionClassifier": [
        {"pool": FEW, "search": search} for search in ("forward", "genetic", "error")
    ],
    "EnsembleTreeClassifier": [{"pool": forest(3, 2)}, {"pool": forest(5, 3), "method": "sample"}],
    "EvolutionaryEnsembleClassifier": [{"max_epochs": 5, "n_generations": 3}],
    "EvolvedEnsembleClassifier": [{"pool": FEW, "n_generations": 2}],
    "HyperboxEnsembleClassifier": [{"pool": forest(3, 2)}],
    "L2BoostClassifier": [{"calibrate": False}, {}],
    "LogitBoostClassifier": [
        {"calibrate": False},
        {"n_estimators": 20, "learning_rate": 0.3, "calibrate": False},
        {"n_estimators": 20},
    ],
    "MergedTreeClassifier": [
        {},
        {"pool": forest(5, 3)},
        {"grower": "hist", "criterion": "minimum-error"},
        {"n_estimators": 15, "max_leaf_nodes": 6},
    ],
    "MergedTreeRegressor": [
        {"n_estimators": 15},
        {"n_estimators": 10, "max_leaf_nodes": None, "criterion": "pessimistic"},
    ],
    "MixtureOfExpertsClassifier": [{"max_epochs": 20}, {"max_epochs": 10, "solver": "gradient"}],
    "MixtureOfExpertsRegressor": [{"max_epochs": 20}],
    "NCABSVMClassifier": [{"calibrate": False}],
    "NegativeCorrelationClassifier": [
        {"max_epochs": 40},
        {"max_epochs": 30, "strength": 0.7, "penalty": "root-quartic"},
        {"max_epochs": 20, "loss": "cross-entropy"},
    ],
    "NegativeCorrelationRegressor": [{"max_epochs": 40}],
    "OverproduceSelectClassifier": [
        {"pool": FEW, "cv": 3},
        {"pool": FEW[:2], "cv": 2, "n_jobs": 1},
    ],
    "OverproduceSelectRegressor": [
        {"pool": FEW_NUMBERS, "cv": 3},
        {"pool": FEW_NUMBERS, "cv": 2, "metric": ("quantile", 0.8)},
    ],
    "PrunedTreeClassifier": [
        {},
        {"grower": "hist"},
        {"grower": "hist", "raising": True},
        {"criterion": "cost-complexity"},
        {"criterion": "reduced-error"},
    ],
    "StochasticDiscriminationClassifier": [{"n_estimators": 100}],
}
QUESTIONS = (
    "predict",
    "predict_proba",
    "decision_function",
    "transform",
    "member_predict",
    "member_predict_proba",
    "score_samples",
)


def data():
    """Return few rows of three tasks."""
    X, y = load_breast_cancer(return_X_y=True)
    return {
        "iris": load_iris(return_X_y=True),
        "breast": (X[:240, :8], y[:240]),
        "diabetes": load_diabetes(return_X_y=True),
    }


def cases():
    """Yield (name, estimator, task) of every fit."""
    for cls in public_estimators():
        for k, options in enumerate(OPTIONS.get(cls.__name__, [{}])):
            model = cls(**options)
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            tags = get_tags(model)
            for task in ("iris", "breast", "diabetes"):
                numbers = task == "diabetes"
                binary = tags.classifier_tags is not None and not tags.classifier_tags.multi_class
                if (tags.estimator_type == "regressor") == numbers and not (
                    binary and task == "iris"
                ):
                    yield f"{cls.__name__}/{k}/{task}", model, task


def answers(model, X, y):
    """Fit on every second row and ask about the others; return arrays by question."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[::2], y[::2])
        given = {ask: getattr(model, ask)(X[1::2]) for ask in QUESTIONS if hasattr(model, ask)}
    return {
        ask: np.asarray(array.toarray() if hasattr(array, "toarray") else array)
        for ask, array in given.items()
    }


if __name__ == "__main__":
    path, begin = Path(sys.argv[1]), tuple(sys.argv[2:])
    tasks, arrays = data(), dict(np.load(path)) if begin else {}
    for name, model, task in cases():
        if begin and not name.startswith(begin):
            continue
        for ask, array in answers(model, *tasks[task]).items():
            small = {"f": np.float32, "i": np.int16, "u": np.int16}.get(array.dtype.kind)
            arrays[f"{name}/{ask}"] = array if small is None else array.astype(small)
    np.savez_compressed(path, **arrays)
