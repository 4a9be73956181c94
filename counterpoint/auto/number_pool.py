"""The wide pool of regressors to select from."""

import inspect
from importlib import import_module
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNetCV, RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.svm import SVR
from sklearn.tree import DecisionTreeRegressor

from counterpoint._validation import check_count
from counterpoint.auto.pool import (
    MANY_ROWS,
    QUICK,
    QUICK_FOREST,
    QUICK_ROUNDS,
    QUICK_TREES,
    Candidate,
    plain_steps,
    quick_boosted,
    quick_pays,
    small_forest,
)
from counterpoint.auto.portfolio import in_order, quick_first, quick_instead
from counterpoint.boosting import HistBoostRegressor, L2BoostRegressor
from counterpoint.combiners.pool import MOST_ROWS_NEIGHBOURS
from counterpoint.trees import HistTreeRegressor
from counterpoint.trees.growing.random_trees import RandomTreesRegressor

# Beyond so many rows a kernel machine costs more than it brings; ridge holds all pairs of them.
_MOST_ROWS_KERNEL, _MOST_ROWS_RIDGE = 16_000, 5_000
# Splines of more columns than this would outnumber the rows.
_MOST_SPLINES = 60
_ALPHAS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0)


def default_number_pool(n_samples: int, n_features: int) -> list[Candidate]:
    """List the regressors to try on data of this size, those first that pay first.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the data, nominal columns counted after encoding.

    Returns
    -------
    list of Candidate

    Examples
    --------
    >>> from counterpoint.auto import default_number_pool
    >>> len(default_number_pool(500, 10)) > 10
    True
    """
    for size, name in ((n_samples, "n_samples"), (n_features, "n_features")):
        check_count(size, name)
    trees = 200
    small = small_forest(trees, n_samples, 1)
    leaf = max(2, n_samples // 100)
    plain = plain_steps(n_samples)
    members = [
        _of("boosted trees", "boosting", lambda s: HistBoostRegressor(random_state=s), True),
        _of("ridge regression", "linear", lambda s: _scaled(RidgeCV(_ALPHAS)), True),
        _of("mean", "simple", lambda s: DummyRegressor(), True),
        _of("small tree", "simple", lambda s: DecisionTreeRegressor(
            min_samples_leaf=leaf, random_state=s), True),
        _of("extra trees", "trees", lambda s: RandomTreesRegressor(
            trees, extra=True, min_samples_leaf=small, random_state=s)),
        _of("extra trees, leaves of 3", "trees", lambda s: RandomTreesRegressor(
            trees, extra=True, max_features=0.5, min_samples_leaf=max(3, small), random_state=s)),
        _of("random forest, leaves of 5", "trees", lambda s: RandomTreesRegressor(
            trees, min_samples_leaf=max(5, small), random_state=s)),
        _of("gradient boosting", "boosting", lambda s: HistBoostRegressor(
            n_estimators=150, learning_rate=0.06, max_leaf_nodes=15, min_samples_leaf=20,
            l2_regularization=1.0, max_features=1.0, random_state=s, **plain)),
        _of("gradient boosting, shallow", "boosting", lambda s: HistBoostRegressor(
            n_estimators=250, learning_rate=0.05, max_depth=3, max_leaf_nodes=None,
            min_samples_leaf=10, l2_regularization=0.0, max_features=1.0, random_state=s, **plain)),
        _of("L2 boosting", "boosting", lambda s: L2BoostRegressor(
            HistTreeRegressor(max_depth=4), n_estimators=150, learning_rate=0.1, random_state=s)),
        _of("elastic net", "linear", lambda s: _scaled(
            ElasticNetCV(l1_ratio=0.7, max_iter=5000, random_state=s, **_thirty_alphas()))),
        *_networks(),
    ]  # fmt: skip
    if n_features <= _MOST_SPLINES:
        members.append(_of("ridge on splines", "linear", lambda s: make_pipeline(
            StandardScaler(), SplineTransformer(5, knots="quantile", extrapolation="linear"),
            RidgeCV(_ALPHAS))))  # fmt: skip
    if n_samples <= MOST_ROWS_NEIGHBOURS:
        for k, name in ((5, "near neighbours"), (20, "many neighbours")):
            members.append(_of(name, "neighbours", _neighbours(min(k, max(1, n_samples // 10)))))
    if n_samples <= _MOST_ROWS_KERNEL:
        for c in (1.0, 10.0):
            members.append(_of(f"SVM, C={c:g}", "kernel", _svm(c)))
    if n_samples <= _MOST_ROWS_RIDGE:
        members.append(
            _of(
                "kernel ridge",
                "kernel",
                lambda s: _like_numbers(
                    KernelRidge(alpha=0.1, kernel="rbf", gamma=1.0 / max(1, 2 * n_features))
                ),
            )
        )
        members.append(_of("kernel ridge, quadratic", "kernel", lambda s: _like_numbers(
            KernelRidge(alpha=1.0, kernel="poly", degree=2, coef0=1.0,
                        gamma=1.0 / max(1, n_features)))))  # fmt: skip
    members = in_order(members, "numbers")
    quick = [
        _of(QUICK, "boosting", quick_boosted(HistBoostRegressor, n_samples, QUICK_ROUNDS), True,
            n_rounds=QUICK_ROUNDS),
        _of(QUICK_FOREST, "trees", lambda s, n=QUICK_TREES: RandomTreesRegressor(
            n, extra=True, max_features=0.5, random_state=s,
            min_samples_leaf=max(3, small_forest(QUICK_TREES, n_samples, 1))),
            n_rounds=QUICK_TREES),
    ]  # fmt: skip
    place = quick_first if quick_pays(n_samples, n_features) else quick_instead
    return place(members, quick)


def boosted_for(level: float, n_samples: int) -> Candidate:
    """Return boosted trees that lower the loss of a quantile, which the others do not.

    Where a few targets are far from all others, what is best by squared error is not a median.
    """
    many = n_samples >= MANY_ROWS
    rounds: dict[str, Any] = {"n_estimators": QUICK_ROUNDS, "early_stopping": False} if many else {}
    name = "boosted trees, median" if level == 0.5 else "boosted trees, quantile"
    return _of(name, "boosting", lambda s: HistBoostRegressor(
        loss="quantile", quantile=level, random_state=s, **rounds), simple=True)  # fmt: skip


def _of(name, family, make, simple=False, **options):
    return Candidate(name=name, family=family, make=make, simple=simple, **options)


def _scaled(model):
    return make_pipeline(StandardScaler(), model)


def _like_numbers(model):
    """Scale columns and target: what a penalty means must not depend on units."""
    return TransformedTargetRegressor(_scaled(model), transformer=StandardScaler())


def _neighbours(k):
    return lambda s: _scaled(KNeighborsRegressor(k, weights="distance"))


def _svm(c):
    return lambda s: _like_numbers(SVR(C=c, epsilon=0.05))


def _networks():
    networks = import_module("counterpoint.networks")
    return [
        _of("networks, negative correlation", "networks", lambda s: _like_numbers(
            networks.NegativeCorrelationRegressor(8, random_state=s))),
    ]  # fmt: skip


def _thirty_alphas():
    # Older versions of scikit-learn have another name for how many there are.
    known = inspect.signature(ElasticNetCV).parameters.get("n_alphas")
    older = known is not None and known.default == 100
    return {"n_alphas" if older else "alphas": 30}
