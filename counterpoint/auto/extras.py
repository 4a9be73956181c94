"""Learners of other libraries that join the pool where they are installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from counterpoint.auto.pool import Candidate

# Library, its name for people, its options; "Classifier" or "Regressor" is added to the class.
_BOOSTERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "lightgbm": ("LightGBM", "LGBM", {"n_estimators": 300, "learning_rate": 0.05, "verbose": -1}),
    "xgboost": ("XGBoost", "XGB", {"n_estimators": 300, "learning_rate": 0.05, "max_depth": 6}),
    "catboost": ("CatBoost", "CatBoost", {
        "verbose": False, "allow_writing_files": False, "thread_count": 1}),
}  # fmt: skip


def installed(kind: str) -> list[Candidate]:
    """Return candidates of the boosters that are installed, for "classes" or "numbers"."""
    suffix = "Classifier" if kind == "classes" else "Regressor"
    found = []
    for library, (name, prefix, options) in _BOOSTERS.items():
        if find_spec(library) is None:
            continue
        maker = _Maker(library, prefix + suffix, options)
        found.append(Candidate(name=name, family="boosting", make=maker))
    return found


def need_installed(name: str) -> None:
    """Raise if this is one of them, and not installed."""
    for library, (known, *_) in _BOOSTERS.items():
        if name == known and find_spec(library) is None:
            raise ImportError(
                f"{name!r} in pool needs {library}, which is not installed here: pip install "
                f"{library}, or take it out of the pool."
            )


class _Maker:
    """Makes a booster when asked; importing it takes a while."""

    def __init__(self, library, name, options):
        self.library, self.name, self.options = library, name, options

    def __call__(self, seed):
        threads = {} if "thread_count" in self.options else {"n_jobs": 1}
        learner = getattr(import_module(self.library), self.name)
        return learner(**self.options, **threads, random_state=seed)
