"""Large tables: what cannot be done on all rows is done on a sample of them, and says so."""

import importlib.util
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from estimators import public_estimators
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from counterpoint import combiners, views
from counterpoint._reading import thin_rows
from counterpoint.boosting import AdaBoostSVMClassifier, NCABSVMClassifier
from counterpoint.dynamic import DynamicSelectionRegressor
from counterpoint.exceptions import ThinnedWarning
from counterpoint.hyperboxes import HyperboxEnsembleClassifier
from counterpoint.networks import (
    AddemupClassifier,
    EPNetClassifier,
    EvolutionaryEnsembleClassifier,
)
from counterpoint.selection import EnsembleSelectionRegressor, EvolvedEnsembleClassifier
from counterpoint.subsets import EnsembleKernelSVC
from counterpoint.trees import RuleMergeClassifier
from counterpoint.views import HeterogeneousPoolClassifier

N, MOST = 150, 60


@pytest.fixture(scope="module")
def table():
    return make_classification(N, 5, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)


@pytest.fixture(scope="module")
def forest(table):
    """Fitted to all rows, whoever else sees a sample."""
    return RandomForestClassifier(5, max_depth=4, random_state=0).fit(*table)


def rows_of(groups):
    with warnings.catch_warnings(action="ignore", category=ThinnedWarning):
        return thin_rows(EnsembleKernelSVC(max_samples=MOST), groups, "this")


def cases(forest):
    """Return models, and what a fit leaves that depends on the rows it looked at."""
    quick = {"max_epochs": 2, "n_generations": 1, "random_state": 0}
    networks = [
        (kind(3, **quick), lambda m: m.networks_.coefs[0])
        for kind in (AddemupClassifier, EPNetClassifier, EvolutionaryEnsembleClassifier)
    ]
    machines = [
        (kind(n_estimators=3), lambda m: m.history_["train_error"])
        for kind in (AdaBoostSVMClassifier, NCABSVMClassifier)
    ]
    return [
        *networks,
        *machines,
        (EnsembleKernelSVC(FrozenEstimator(forest)), lambda m: m.svc_.dual_coef_),
        (HyperboxEnsembleClassifier(forest), lambda m: m.box_weights_),
        (RuleMergeClassifier(random_state=0), lambda m: m.value_),
        (EvolvedEnsembleClassifier(random_state=0), lambda m: m.history_["fitness"]),
    ]


def test_more_rows_than_max_samples_are_thinned_and_told(table, forest):
    X, y = table
    rows = rows_of(y)
    for model, left in cases(forest):
        alone = left(model.set_params(max_samples=None).fit(X[rows], y[rows]))
        with pytest.warns(ThinnedWarning, match="150 rows are more than max_samples=60 of"):
            thinned = left(model.set_params(max_samples=MOST).fit(X, y))
        assert_array_equal(thinned, alone, err_msg=type(model).__name__)
        with warnings.catch_warnings(action="error"):
            whole = left(model.set_params(max_samples=N).fit(X, y))
        assert not np.array_equal(whole, alone), type(model).__name__


def test_no_case_is_missing(forest):
    """Of all that have a limit of rows; elsewhere it is a share that each member draws."""
    tested = {type(model) for model, _ in cases(forest)}
    limited = {
        kind
        for kind in public_estimators()
        if isinstance(getattr(kind(), "max_samples", None), int) and "views" not in kind.__module__
    }
    assert tested == limited


@pytest.mark.parametrize("kind", [AdaBoostSVMClassifier, NCABSVMClassifier, EnsembleKernelSVC])
def test_memory_does_not_grow_with_all_pairs(kind):
    n = 3000
    X, y = make_classification(n, 5, random_state=0)
    model = kind(max_samples=100)
    tracemalloc.start()
    with pytest.warns(ThinnedWarning):
        model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 4 / 2  # half a matrix of single precision


@pytest.mark.parametrize(
    "kind",
    [
        DynamicSelectionRegressor,
        EnsembleSelectionRegressor,
        EvolvedEnsembleClassifier,
        HeterogeneousPoolClassifier,
    ],
)
def test_default_pools_search_no_neighbours_among_very_many_rows(kind, table, monkeypatch):
    def n_searchers():
        model = kind().fit(*table)
        steps = [
            step
            for member in getattr(model, "estimators_", None) or [m for _, m in model.pool_]
            for _, step in getattr(member, "steps", [("", member)])
        ]
        return sum(hasattr(step, "kneighbors") for step in steps)

    some = n_searchers()
    for module in (combiners.pool, views.pool):
        monkeypatch.setattr(module, "MOST_ROWS_NEIGHBOURS", N - 1)
    assert n_searchers() == 0 < some


def test_a_sample_keeps_every_class_and_its_share():
    groups = np.repeat([0, 1, 2], [1000, 199, 1])[np.random.default_rng(0).permutation(1200)]
    rows = rows_of(groups)
    assert np.bincount(groups[rows]).tolist() == [50, 10, 1]
    assert_array_equal(rows, rows_of(groups))
    assert len(np.unique(rows)) == len(rows)
    # Not every so-many-th row: tables may repeat themselves.
    assert len(np.unique(np.diff(rows))) > 5
    assert rows_of(groups[:MOST]) is None
    for wrong in (1, 2.5, "all", True):
        with pytest.raises(
            ValueError, match=r"max_samples=.*: give a whole number from 2, or None"
        ):
            thin_rows(EnsembleKernelSVC(max_samples=wrong), groups, "this")


def test_the_page_is_what_the_script_makes_and_misses_none():
    path = Path(__file__).parents[1] / "benchmarks" / "sizes.py"
    spec = importlib.util.spec_from_file_location("sizes", path)
    sizes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sizes)
    rows = sizes.kept()
    assert sizes.PAGE.read_text() == sizes.page(rows), "run: python -m benchmarks.sizes --write"
    measured = {name for name, _ in rows}
    assert measured == {e.__name__ for e in public_estimators()}, "run: python -m benchmarks.sizes"
