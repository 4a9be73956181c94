"""Fit estimators to a store: the same loop, rules and grower, with the rows kept by a crew."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone, is_classifier

from counterpoint._arrays import are_cases
from counterpoint._validation import check_choice
from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostNCClassifier,
    L2BoostClassifier,
    L2BoostRegressor,
    LogitBoostClassifier,
)
from counterpoint.boosting.loop import evaluation_sets
from counterpoint.large.bagging import BaggedTreesClassifier, fit_bagging
from counterpoint.large.crew import new_crew
from counterpoint.large.learners import ShardedColumnsLearner, ShardedLearner, prepare
from counterpoint.large.rows import Job, Rows, SumRows, VoteRows
from counterpoint.large.rules import ShardedSumRule, ShardedVoteRule
from counterpoint.large.store import BinnedStore
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor

# Rows that calibration and the choice of a penalty look at.
_SAMPLE = 10_000
_VOTING = (AdaBoostClassifier, AdaBoostM1Classifier, AdaBoostNCClassifier)
_ADDITIVE = (LogitBoostClassifier, L2BoostClassifier, L2BoostRegressor)
_TREES = (HistTreeClassifier, HistTreeRegressor)
TAKES_STORES = (*_TREES, *_VOTING, *_ADDITIVE, BaggedTreesClassifier)
"""The estimators that are fitted to a store."""


def fit_on_store(
    estimator: Any,
    store: BinnedStore,
    *,
    eval_set: Any = None,
    client: Any = None,
    n_shards: int | None = None,
    engine: str = "own",
) -> Any:
    """Fit an estimator to a store; ``estimator.fit(store, ...)`` does the same.

    Parameters
    ----------
    estimator : estimator
        One of ``TAKES_STORES``; members must be histogram trees.
    store : BinnedStore
    eval_set : (X, y), list or dict of such pairs, default=None
        Data in memory to follow a booster on.
    client : distributed.Client, default=None
        The workers that add up the rows. None: this process.
    n_shards : int, default=None
        Parts that the rows are dealt with in. None: one, or as many as there are workers. The model
        is the same, byte for byte.
    engine : {"own", "xgboost"}, default="own"
        Who grows the trees. "xgboost" does it in its external memory, for AdaBoost, M1 and
        AdaBoost.NC on two classes, by ``max_depth`` alone.

    Returns
    -------
    estimator
        Fitted.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from counterpoint.large import BinnedStore, fit_on_store
    >>> from counterpoint.trees import HistTreeClassifier
    >>> rows = load_iris(as_frame=True).frame
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = BinnedStore.from_parquet(rows, f"{folder}/iris", target="target")
    ...     tree = fit_on_store(HistTreeClassifier(max_depth=2), store)
    >>> tree.get_n_leaves()
    3
    """
    if type(estimator) not in TAKES_STORES:
        names = ", ".join(sorted(kind.__name__ for kind in TAKES_STORES))
        raise TypeError(f"{type(estimator).__name__} is not fitted to a store: these are: {names}.")
    if is_classifier(estimator) != (store.classes is not None):
        what = "numbers" if store.classes is None else "classes"
        raise ValueError(
            f"The target {store.target!r} of the store holds {what}, and "
            f"{type(estimator).__name__} is a "
            f"{'classifier' if is_classifier(estimator) else 'regressor'}: take another estimator, "
            "or write the store with another task=."
        )
    check_choice(engine, "engine", ("own", "xgboost"))
    if engine == "xgboost" and (client is not None or not isinstance(estimator, _VOTING)):
        names = ", ".join(kind.__name__ for kind in _VOTING)
        raise ValueError(f"engine='xgboost' is for {names}, without client=: use engine='own'.")
    options = {"client": client, "n_shards": n_shards, "engine": engine}
    if engine == "own":
        del options["engine"]
    if isinstance(estimator, _TREES):
        return _fit_tree(estimator, store, options)
    if isinstance(estimator, BaggedTreesClassifier):
        return fit_bagging(estimator, store, options)
    return _fit_booster(estimator, store, eval_set, options)


def _fit_tree(tree, store, options):
    factor = None
    if is_classifier(tree):
        factor = class_factor(tree.class_weight, store)
    with new_crew(store, lambda token: Job(token, Rows, factor), **options) as crew:
        data = prepare(tree, crew)
        return tree.fit_prepared(data)


def class_factor(class_weight, store):
    """Return the weight of each class, (n_classes,), or None."""
    if class_weight is None:
        return None
    counts = np.array(store.class_counts, dtype=float)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return counts.sum() / (len(counts) * counts)
    if isinstance(class_weight, dict):
        return np.array([float(class_weight.get(label, 1.0)) for label in store.classes.tolist()])
    raise ValueError(f"class_weight={class_weight!r}: give 'balanced', a dict by label, or None.")


def sample_rows(store, most=_SAMPLE):
    """Return a frame, labels or numbers, and weights of some rows, evenly spread in each class.

    Numbers are ends of bins: trees on the same bins cannot tell them from the rows' own.
    """
    n = store.n_rows
    rows = np.arange(n) if n <= most else _spread(store, most)
    codes, targets, weights = store.take(rows)
    frame = pd.DataFrame(store.decode(codes), columns=store.feature_names)
    for name, values in zip(store.feature_names, store.categories, strict=True):
        if values is not None:
            table = np.array([*values, None], dtype=object)
            at = frame[name].fillna(len(values)).astype(int)
            frame[name] = pd.Series(table[at.to_numpy()], dtype=object)
    return frame, targets if store.classes is None else store.classes[targets], weights


def _spread(store, most):
    """Choose rows at a fixed pace, and the first rows of classes that would have none."""
    rng = np.random.RandomState(0)
    n = store.n_rows
    rows = ((np.arange(most) + rng.uniform(size=most)) * (n / most)).astype(np.int64)
    if store.classes is None:
        return rows
    targets = store.targets()
    there = np.bincount(targets[rows], minlength=len(store.classes))
    lacking = np.flatnonzero(there < 5)
    more: list[int] = []
    for code in lacking:
        found = 0
        for start in range(0, n, store.group):
            places = np.flatnonzero(targets[start : start + store.group] == code)[: 5 - found]
            more.extend(start + places)
            found += len(places)
            if found >= 5:
                break
    return np.unique(np.concatenate([rows, np.array(more, dtype=np.int64)]))


def _fit_booster(estimator, store, eval_set, options):
    _check_booster(estimator)
    base = _base(estimator)
    given = estimator.estimator
    estimator._check_options()
    frame, labels, weights = sample_rows(store)
    # Reads names and classes, and chooses what is chosen by a trial on a sample of the rows.
    estimator.estimator = base
    if any(values is not None for values in store.categories):  # the sample has names, not numbers
        estimator.estimator = clone(base).set_params(categorical_features="from_dtype")
    try:
        X, y, weight = estimator._check_data(frame, labels, weights)
        sample_cases, estimator._kept = estimator._n_cases, None
        rule = estimator.make_rule()
        trial = estimator._make_learner(rule, X, y, weight, estimator._generator())
        rule = estimator._tuned(rule, trial, X, y, weight)
        pairs = evaluation_sets(eval_set).items()
        watchers = [estimator._watcher(name, *pair) for name, pair in pairs]
        factor = class_factor(getattr(estimator, "class_weight", None), store)
        if "engine" in options:
            from counterpoint.large.xgboost_engine import fit_by_xgboost

            fit_by_xgboost(estimator, base, rule, store, watchers, factor)
        else:
            _run_own(estimator, base, rule, store, watchers, factor, options)
        estimator._n_cases = sample_cases
        estimator._calibrate(X, y, weight, trial)
    finally:
        estimator.estimator = given
    return estimator


def _run_own(estimator, base, rule, store, watchers, factor, options):
    voting = isinstance(estimator, _VOTING)
    job = _vote_job if voting else _sum_job
    with new_crew(store, lambda token: job(token, rule, store, factor), **options) as crew:
        keep, train = (
            (ShardedVoteRule, ShardedLearner) if voting else (ShardedSumRule, ShardedColumnsLearner)
        )
        estimator._run(keep(rule, crew), train(base, crew), None, None, watchers)


def _vote_job(token, rule, store, factor):
    return Job(token, VoteRows, factor, _total(store, factor))


def _sum_job(token, rule, store, factor):
    # Other weights than numbers of cases are scaled to as many as there are rows.
    total = _total(store, factor)
    whole = store.whole_weights and are_cases(total, store.n_rows)
    scale = 1.0 if whole else total / store.n_rows
    return Job(token, SumRows, factor, scale, {"loss": rule.loss})


def _total(store, factor):
    """Return the sum of all weights, group by group."""
    if not store.weighted:
        if factor is None:
            return float(store.n_rows)
        return float(np.dot(factor, store.class_counts))
    total = 0.0
    for g in range(store.n_groups):
        weights = store.weights(g, g + 1)
        total += float(
            np.sum(weights if factor is None else weights * factor[store.targets(g, g + 1)])
        )
    return total


def _base(estimator):
    """Return the learner of the members: a histogram tree."""
    base = estimator.estimator
    if base is None:
        if isinstance(estimator, _VOTING):
            # C4.5's stand-in looks at single rows when it prunes; this is as deep as they pass.
            return HistTreeClassifier(max_depth=6)
        return clone(estimator._base())
    if type(base) not in _TREES:
        raise TypeError(
            f"estimator={type(base).__name__}: on a store members are histogram trees. Give "
            "HistTreeClassifier(max_depth=6), or a HistTreeRegressor to methods that fit numbers."
        )
    if getattr(base, "class_weight", None) is not None:
        raise ValueError(
            f"estimator has class_weight={base.class_weight!r}: on a store give class_weight to "
            f"{type(estimator).__name__} itself."
        )
    return clone(base)


_REFUSED = {
    "confidence": "members vote by labels there",
    "resample": "members are trained by weights there",
    "line_search": "the values of trees are their best step already",
    "stopping": "rules that stop look at every row; give n_estimators, or look at eval_set",
}


def _check_booster(estimator):
    if getattr(estimator, "ambiguity", "") == "weighted":
        raise ValueError(
            "ambiguity='weighted' is not for a store: its penalty is one of single rows. Give "
            "'absolute' or 'signed'."
        )
    for name, why in _REFUSED.items():
        value = getattr(estimator, name, None)
        if value is not None and value is not False:
            raise ValueError(
                f"{name}={value!r} is not for a store: {why}. Leave it out for fit(store)."
            )
