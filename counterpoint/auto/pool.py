"""The wide pool to select from: learners of many kinds, those first that pay first."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, QuantileTransformer, StandardScaler
from sklearn.svm import SVC

from counterpoint._validation import check_count
from counterpoint.auto.portfolio import FIRST, in_order, quick_first, quick_instead
from counterpoint.auto.scored import ScoredClassifier
from counterpoint.boosting import AdaBoostNCClassifier, HistBoostClassifier
from counterpoint.boosting.hist_boost import usual_leaves
from counterpoint.combiners.pool import MOST_ROWS_NEIGHBOURS
from counterpoint.trees import HistTreeClassifier, PrunedTreeClassifier
from counterpoint.trees.binning import MAX_BINS
from counterpoint.trees.growing.random_trees import ROOT, RandomTreesClassifier

# Beyond so many rows a kernel machine costs more than it brings.
_MOST_ROWS_KERNEL = 16_000
# From so many rows on, boosted trees may have many leaves and take their time, and quick ones, of
# few rounds and without rows held out, and a quick forest, of few trees, come first.
MANY_ROWS, QUICK, QUICK_FOREST = 10_000, "boosted trees, quick", "extra trees, quick"
QUICK_TREES, QUICK_ROUNDS = 50, 100
# Of fewer rounds than this quick ones take yet larger steps; of few rows so many bins tell as much.
_SHORT, _FEW_BINS = 35, 63
# Of fewer rows boosted trees are told how many leaves they have, no fewer than so many.
_FEW_ROWS, _FEWEST_LEAVES = 1_000, 8
# Bytes of a forest, of a node of its trees and of a class there; nodes for rows of a leaf.
_FOREST, _NODE, _CLASS, _NODES = 1e9, 64, 8, 1.33
# Of fewer rows those come first, too, if rows by columns by pairs of classes are so many.
_MUCH_WORK = 600_000
# Of more classes, which have a tree each, many large trees take too long.
_FEW_CLASSES = 10


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A member that may be tried.

    Attributes
    ----------
    name : str
    family : str
        Kind of learner: "linear", "neighbours", "trees", "boosting", "kernel", "networks",
        "views", "bayes".
    make : callable
        ``make(random_state)`` gives the unfitted estimator.
    simple : bool
        Whether an ensemble that is no better than this one alone is not worth having.
    dearer_than : str
        Name of a member that costs less for sure: where there is no time for that one, this one is
        not even looked at.
    quick : Candidate or None
        Kin that costs less, which is tried in its place where there is no time for it.
    n_rounds : int
        Rounds of one whose cost grows with them, so that a few tell what it costs: then
        ``make(random_state, n_rounds)`` gives it with another number of them. 0 for others.
    """

    name: str
    family: str
    make: Callable[..., BaseEstimator]
    simple: bool = False
    dearer_than: str = ""
    quick: "Candidate | None" = None
    n_rounds: int = 0


def default_pool(n_samples: int, n_features: int, n_classes: int) -> list[Candidate]:
    """List the members to try on data of this size, those first that pay first.

    The order is that of ``portfolio.csv``: what lowered the ensemble's log-loss most for its time,
    given those before it, over shipped data sets (``benchmarks/portfolio.py`` makes it).

    Parameters
    ----------
    n_samples, n_features, n_classes : int
        Size of the data, nominal columns counted after encoding.

    Returns
    -------
    list of Candidate

    Examples
    --------
    >>> from counterpoint.auto import default_pool
    >>> len(default_pool(500, 10, 2)) > 15
    True
    """
    for size, name in (
        (n_samples, "n_samples"),
        (n_features, "n_features"),
        (n_classes, "n_classes"),
    ):
        check_count(size, name)
    trees = 200
    leaf = small_forest(trees, n_samples, n_classes)
    plain = plain_steps(n_samples)
    # Of few rows its parts would also try larger trees, which hardly ever are better, for half of
    # its time.
    usual = usual_leaves(n_samples, n_classes)
    leaves = max(_FEWEST_LEAVES, round(usual)) if n_samples < _FEW_ROWS else "auto"
    members = [
        _of("boosted trees", "boosting", lambda s: HistBoostClassifier(
            max_leaf_nodes=leaves, random_state=s), simple=True),
        _of("logistic regression", "linear", lambda s: _scaled(
            LogisticRegression(C=1.0, max_iter=2000)), simple=True),
        _of("majority", "simple", lambda s: DummyClassifier(strategy="prior"), simple=True),
        _of("pruned tree", "simple", lambda s: PrunedTreeClassifier(random_state=s), simple=True),
        _of("naive Bayes", "bayes", lambda s: GaussianNB(var_smoothing=1e-6)),
        _of("naive Bayes on bins", "bayes", lambda s: make_pipeline(
            _bins(), BernoulliNB())),
        _of("quadratic discriminant", "bayes", lambda s: _scaled(_quadratic())),
        _of("logistic regression on quantiles", "linear", lambda s: make_pipeline(
            QuantileTransformer(n_quantiles=max(2, min(n_samples // 2, 200)),
                                output_distribution="normal", random_state=s),
            LogisticRegression(C=0.5, max_iter=2000))),
        _of("AdaBoost, stumps", "boosting", _boosted(0.0, 1, 150)),
        _of("AdaBoost.NC 2, depth 3", "boosting", _boosted(2.0, 3, 80)),
        _of("random forest", "trees", lambda s: RandomTreesClassifier(
            trees, max_features=ROOT, min_samples_leaf=leaf, random_state=s)),
        _of("random forest, leaves of 3", "trees", lambda s: RandomTreesClassifier(
            trees, min_samples_leaf=max(3, leaf), max_features=0.4, random_state=s)),
        _of("extra trees", "trees", lambda s: RandomTreesClassifier(
            trees, extra=True, max_features=ROOT, min_samples_leaf=leaf, random_state=s)),
        _of("extra trees, half of the columns", "trees", lambda s: RandomTreesClassifier(
            trees, extra=True, max_features=0.5, min_samples_leaf=max(2, leaf), random_state=s)),
        _of("gradient boosting", "boosting", lambda s: HistBoostClassifier(
            n_estimators=60, learning_rate=0.12, max_leaf_nodes=15, min_samples_leaf=20,
            l2_regularization=1.0, max_features=0.5, random_state=s, **plain)),
        _of("gradient boosting, shallow", "boosting", lambda s: HistBoostClassifier(
            n_estimators=100, learning_rate=0.1, max_depth=3, max_leaf_nodes=None,
            min_samples_leaf=10, l2_regularization=0.0, max_features=0.5, random_state=s, **plain)),
    ]  # fmt: skip
    if n_samples <= MOST_ROWS_NEIGHBOURS:
        for k, name in ((5, "near neighbours"), (20, "many neighbours")):
            members.append(_of(name, "neighbours", _neighbours(min(k, max(1, n_samples // 10)))))
    if n_samples <= _MOST_ROWS_KERNEL:
        for c in (1.0, 10.0, 100.0):
            members.append(_of(f"SVM, C={c:g}", "kernel", _svm(C=c)))
        for degree, name in ((2, "quadratic"), (3, "cubic")):
            curve = _svm(kernel="poly", degree=degree, coef0=1.0)
            members.append(_of(f"SVM, {name}", "kernel", curve))
    members += _from_our_packages()
    members = in_order(members, "classes")
    # Every class has a tree in each round.
    rounds = max(50, min(QUICK_ROUNDS, 1500 // n_classes))
    quick = [
        _of(QUICK, "boosting", quick_boosted(HistBoostClassifier, n_samples, rounds), simple=True,
            n_rounds=rounds),
        _of(QUICK_FOREST, "trees", lambda s, n=QUICK_TREES: RandomTreesClassifier(
            n, extra=True, max_features=0.5, random_state=s,
            min_samples_leaf=max(2, small_forest(QUICK_TREES, n_samples, n_classes))),
            n_rounds=QUICK_TREES),
    ]  # fmt: skip
    if not quick_pays(n_samples, n_features, n_classes):
        # The order is learnt on small tables, where these are of use only if time is very short.
        members = quick_instead(members, quick)
    else:
        members = quick_first(members, quick)
        if n_samples >= MANY_ROWS and n_classes <= _FEW_CLASSES:
            members.insert(FIRST + 1, _of("boosted trees, many leaves", "boosting", lambda s: (
                HistBoostClassifier(n_estimators=3000, learning_rate=0.08, max_leaf_nodes=255,
                                    min_samples_leaf=5, patience=50, random_state=s)),
                dearer_than=QUICK))  # fmt: skip
    return members


def quick_pays(n_samples: int, n_features: int, n_classes: int = 2) -> bool:
    """Whether a table is so large that quick kin of the strongest members come first."""
    work = n_samples * n_features * max(1, n_classes / 2)
    return n_samples >= MANY_ROWS or work >= _MUCH_WORK


def small_forest(n_trees: int, n_samples: int, n_outputs: int) -> int:
    """Return rows of a leaf that keep a forest small: one grown on many rows would fill memory."""
    grown = n_trees * _NODES * n_samples * (_NODE + _CLASS * n_outputs)
    return max(1, int(grown / _FOREST))


def _of(name, family, make, **options):
    return Candidate(name=name, family=family, make=make, **options)


def plain_steps(n_samples: int) -> dict[str, Any]:
    """Return what members that boost a given number of rounds on all rows have in common."""
    return {
        "min_weight_leaf": 1e-3, "subsample": 1.0, "early_stopping": False,
        "max_bins": n_bins(n_samples),
    }  # fmt: skip


def n_bins(n_samples: int) -> int:
    """Return bins of a column for trees that are to be quick."""
    return _FEW_BINS if n_samples < MANY_ROWS else MAX_BINS


def quick_boosted(
    booster: type[BaseEstimator], n_samples: int, n_rounds: int
) -> Callable[..., BaseEstimator]:
    """Return what makes boosted trees of few rounds, and with fewer of them in larger steps."""

    def make(seed: int, n: int = n_rounds) -> BaseEstimator:
        rate = "auto" if n >= QUICK_ROUNDS else 0.2 if n >= _SHORT else 0.3
        return booster(
            n_estimators=n, learning_rate=rate, max_bins=n_bins(n_samples), early_stopping=False,
            random_state=seed,
        )  # fmt: skip

    return make


def _quadratic():
    # Older versions of scikit-learn draw covariances towards round ones in one way only.
    known = "solver" in inspect.signature(QuadraticDiscriminantAnalysis).parameters
    return QuadraticDiscriminantAnalysis(
        **({"solver": "eigen", "shrinkage": 0.1} if known else {"reg_param": 0.1})
    )


def _bins():
    # Older versions of scikit-learn have one way to find quantiles, and no option for it.
    known = "quantile_method" in inspect.signature(KBinsDiscretizer).parameters
    how = {"quantile_method": "averaged_inverted_cdf"} if known else {}
    return KBinsDiscretizer(5, encode="onehot-dense", **how)


def _scaled(model):
    return make_pipeline(StandardScaler(), model)


def _neighbours(k):
    return lambda s: _scaled(KNeighborsClassifier(k, weights="distance"))


def _boosted(lam, depth, n):
    # Not calibrated: the combiner of the pool finds a temperature for every member.
    return lambda s: AdaBoostNCClassifier(
        HistTreeClassifier(max_depth=depth),
        n_estimators=n,
        lam=lam,
        calibrate=False,
        random_state=s,
    )


def _svm(**options):
    return lambda s: _scaled(ScoredClassifier(SVC(random_state=s, **options)))


def _from_our_packages():
    networks = import_module("counterpoint.networks")
    views = import_module("counterpoint.views")
    return [
        _of("networks, negative correlation", "networks", lambda s: (
            networks.NegativeCorrelationClassifier(8, loss="cross-entropy", random_state=s))),
        _of("rotated trees", "views", lambda s: views.ProjectionEnsembleClassifier(
            kinds=("rotation",), n_estimators=30, random_state=s)),
    ]  # fmt: skip
