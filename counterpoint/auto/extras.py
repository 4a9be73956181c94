"""Learners of other libraries that join the pool where they are installed."""

import os
import sys
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from counterpoint.auto.pool import Candidate


@dataclass(frozen=True)
class _Learner:
    """A learner of another library.

    Attributes
    ----------
    name, family : str
        For people.
    classes, numbers : str
        Its classes in the library; "" if there is none.
    options : dict
    most : tuple of int or None
        Rows, columns and classes that it was made for.
    """

    name: str
    family: str
    classes: str
    numbers: str
    options: dict[str, Any] = field(default_factory=dict)
    most: tuple[int, int, int] | None = None


_BOOSTED = {"n_estimators": 300, "learning_rate": 0.05, "n_jobs": 1}
_LEARNERS = {
    "lightgbm": _Learner("LightGBM", "boosting", "LGBMClassifier", "LGBMRegressor",
                         _BOOSTED | {"verbose": -1}),
    "xgboost": _Learner("XGBoost", "boosting", "XGBClassifier", "XGBRegressor",
                        _BOOSTED | {"max_depth": 6}),
    "catboost": _Learner("CatBoost", "boosting", "CatBoostClassifier", "CatBoostRegressor",
                         {"verbose": False, "allow_writing_files": False, "thread_count": 1}),
    "pytabkit": _Learner("RealMLP", "networks", "RealMLP_TD_Classifier", "RealMLP_TD_Regressor",
                         {"device": "cpu", "n_threads": 1, "verbosity": 0}),
}  # fmt: skip
_TABPFN = "tabpfn"


def installed(kind: str, size: tuple[int, int, int]) -> list[Candidate]:
    """Return candidates of what is installed, for "classes" or "numbers"; nothing is imported.

    ``size`` has the rows, columns and classes of the table: what was not made for so many is left
    out.
    """
    found = []
    for library, own in _known(kind).items():
        learner = own.classes if kind == "classes" else own.numbers
        small = own.most is None or all(n <= most for n, most in zip(size, own.most, strict=True))
        if learner and small:
            make = _Maker(library, learner, own)
            found.append(Candidate(name=own.name, family=own.family, make=make))
    return found


def loaded(candidates: list[Candidate]) -> list[Candidate]:
    """Return those of ``installed`` that can be made; of the others a warning says why not."""
    able = []
    for candidate in candidates:
        try:
            candidate.make(0)
        except Exception as why:  # whatever another library does while it is imported
            warnings.warn(
                f"{candidate.name} is installed, but left out, since it cannot be made: {why}.",
                UserWarning,
                stacklevel=5,
            )
        else:
            able.append(candidate)
    return able


def need_installed(name: str) -> None:
    """Raise if this is one of them, and cannot be had here."""
    libraries = {own.name: library for library, own in _LEARNERS.items()} | {"TabPFN": _TABPFN}
    if name not in libraries:
        return
    library = libraries[name]
    if find_spec(library) is None:
        raise ImportError(
            f"{name!r} in pool needs {library}, which is not installed here: pip install "
            f"{library}, or take it out of the pool."
        )
    if name == "TabPFN":
        raise ValueError(
            f"{name!r} in pool: its weights are not in {_weights_folder()}, or the table has more "
            "rows, columns or classes than it was made for. Take it out of the pool."
        )


def _known(kind):
    known = {library: own for library, own in _LEARNERS.items() if find_spec(library) is not None}
    tabpfn = _tabpfn(kind)
    return known if tabpfn is None else known | {_TABPFN: tabpfn}


# -- a network that was trained on made tables, if its weights are here: nothing is fetched -------


def _tabpfn(kind):
    """Return TabPFN, from version 2 on, with the weights there are; None without."""
    if find_spec(_TABPFN) is None:
        return None
    what = "classifier" if kind == "classes" else "regressor"
    weights = list(_weights_folder().glob(f"*{what}*.ckpt"))
    if not weights:
        return None
    newest = max(weights, key=lambda path: path.stat().st_mtime)
    return _Learner(
        "TabPFN", "networks", "TabPFNClassifier", "TabPFNRegressor",
        {"device": "cpu", "model_path": str(newest)}, most=(10_000, 500, 10),
    )  # fmt: skip


def _weights_folder():
    """Return where TabPFN keeps the weights that it has fetched."""
    own = os.environ.get("TABPFN_MODEL_CACHE_DIR")
    if own:
        return Path(own)
    if sys.platform == "win32":
        caches = Path(os.environ.get("APPDATA") or ".")
    elif sys.platform == "darwin":
        caches = Path.home() / "Library" / "Caches"
    else:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / _TABPFN


class _Maker:
    """Makes a learner when asked; importing it takes a while."""

    def __init__(self, library, name, own):
        self.library, self.name, self.own = library, name, own

    def __call__(self, seed):
        learner = getattr(import_module(self.library), self.name)
        return learner(**self.own.options, random_state=seed)
