"""Compiling ahead: what each family compiles when it is first used, done before it is needed."""

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from counterpoint._kernels.compiling import compiled_within, shareable
from counterpoint._kernels.threads import own_threads
from counterpoint._progress import quiet, track
from counterpoint._validation import check_choice

_ROWS = 200


def _table() -> tuple[NDArray, NDArray]:
    return make_classification(_ROWS, 6, n_informative=4, n_redundant=0, random_state=0)


def _forest(n_estimators: int = 5, max_depth: int = 3) -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators, max_depth=max_depth, random_state=0)


def _use(model: Any, numbers: bool = False) -> None:
    X, y = _table()
    model.fit(X, y + X[:, 0] if numbers else y).predict(X)


def _trees() -> None:
    from counterpoint.trees import HistTreeClassifier

    _use(HistTreeClassifier(max_depth=3))


def _regression_trees() -> None:
    from counterpoint.trees import HistTreeRegressor

    _use(HistTreeRegressor(max_depth=3), numbers=True)


def _boosting() -> None:
    from counterpoint.boosting import AdaBoostNCClassifier
    from counterpoint.trees import HistTreeClassifier

    _use(AdaBoostNCClassifier(HistTreeClassifier(max_depth=3), n_estimators=5))


def _gradient_boosting() -> None:
    from counterpoint.boosting import HistBoostClassifier

    _use(HistBoostClassifier(n_estimators=5))


def _networks() -> None:
    from counterpoint.networks import NegativeCorrelationClassifier

    _use(NegativeCorrelationClassifier(n_estimators=3, max_epochs=3))


def _views() -> None:
    from counterpoint.views import ForestRCClassifier

    _use(ForestRCClassifier(n_estimators=3))


def _subsets() -> None:
    from counterpoint.subsets import StochasticDiscriminationClassifier

    _use(StochasticDiscriminationClassifier(n_estimators=50))


def _kernels_of_ensembles() -> None:
    from counterpoint.subsets import EnsembleKernelSVC

    _use(EnsembleKernelSVC(_forest()))


def _hyperboxes() -> None:
    from counterpoint.hyperboxes import HyperboxClassifier

    _use(HyperboxClassifier())


def _dynamic() -> None:
    from counterpoint.dynamic import DynamicSelectionClassifier

    _use(DynamicSelectionClassifier(_forest()))


def _sequences() -> None:
    from counterpoint.sequences import HMMClassifier

    rng = np.random.RandomState(0)
    X = rng.randint(3, size=(40, 6))
    model = HMMClassifier(n_states=2, max_iter=3, random_state=0).fit(X, X[:, 0] > 0)
    model.predict_proba(X)


def _selection() -> None:
    from counterpoint.selection import EnsembleSelectionClassifier

    _use(EnsembleSelectionClassifier(_forest()))


def _measures() -> None:
    from counterpoint.diversity import profile

    rng = np.random.RandomState(0)
    profile(rng.rand(5, _ROWS) < 0.7)


def _one_tree() -> None:
    from counterpoint.trees import MergedTreeClassifier

    _use(MergedTreeClassifier(n_estimators=3))


def _equivalent_tree() -> None:
    from counterpoint.trees import equivalent_tree

    equivalent_tree(_forest(3, 2).fit(*_table()))


def _distilled_tree() -> None:
    from counterpoint.trees import DistilledTreeClassifier

    _use(DistilledTreeClassifier(_forest()))


def _rules() -> None:
    from counterpoint.trees import RuleMergeClassifier

    _use(RuleMergeClassifier(_forest(3)))


def _auto() -> None:
    from counterpoint.auto import OverproduceSelectClassifier

    _use(OverproduceSelectClassifier(time_limit=10, random_state=0))


def _auto_numbers() -> None:
    from counterpoint.auto import OverproduceSelectRegressor

    _use(OverproduceSelectRegressor(time_limit=10, random_state=0), numbers=True)


FIRST_USES: dict[str, Callable[[], None]] = {
    "trees": _trees,
    "regression trees": _regression_trees,
    "boosting": _boosting,
    "gradient boosting": _gradient_boosting,
    "networks": _networks,
    "views": _views,
    "subsets": _subsets,
    "ensemble kernels": _kernels_of_ensembles,
    "hyperboxes": _hyperboxes,
    "dynamic": _dynamic,
    "sequences": _sequences,
    "selection": _selection,
    "measures": _measures,
    "merged tree": _one_tree,
    "equivalent tree": _equivalent_tree,
    "distilled tree": _distilled_tree,
    "rules": _rules,
    "auto": _auto,
    "auto for numbers": _auto_numbers,
}
"""The first use of each family, on a small table, by its name."""


def warm_up(
    families: Sequence[str] | None = None, *, large: bool = False, progress: bool | None = None
) -> pd.DataFrame:
    """Compile ahead what the families need, by a first use of each on a small table.

    Compiled code is kept on disk, so that this is done once on a machine, and after an update.
    What is there already is only loaded.

    Parameters
    ----------
    families : sequence of str or None, default=None
        Names of ``counterpoint.tabular.FIRST_USES``. None means all.
    large : bool, default=False
        Compile also what several threads share, for tables of some ten thousand rows and more.
    progress : bool or None, default=None
        Draw a bar. None means on a terminal.

    Returns
    -------
    DataFrame
        A row for each family: ``kernels`` compiled, ``functions`` with those that kernels call, and
        the ``seconds`` that all took; none for what was there already.

    Examples
    --------
    >>> from counterpoint.tabular import warm_up
    >>> list(warm_up(["measures"], progress=False).columns)
    ['family', 'kernels', 'functions', 'seconds']
    """
    names = list(FIRST_USES) if families is None else list(families)
    for name in names:
        check_choice(name, "families", FIRST_USES)
    rows = []
    for name in track(names, description="compiling, once", show=progress):
        began = time.monotonic()
        with quiet(), warnings.catch_warnings(), compiled_within() as found:
            warnings.simplefilter("ignore")  # of few rows and short training: nobody keeps these
            FIRST_USES[name]()
            if large and own_threads() > 1:
                for one in shareable():
                    one.compile_shared()
        rows.append(
            {
                "family": name,
                "kernels": sum(one.is_kernel for one in found),
                "functions": len(found),
                "seconds": time.monotonic() - began if found else 0.0,
            }
        )
    return pd.DataFrame(rows, columns=["family", "kernels", "functions", "seconds"])
