"""Words, weights and misplaced arguments are treated alike by every estimator that there is."""

import inspect

import numpy as np
import pandas as pd
import pytest
import sklearn
from estimators import public_estimators, quick
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from counterpoint.auto.engine import OverproduceSelect
from counterpoint.combiners import CombinedClassifier
from counterpoint.datasets import TabularEncoder
from counterpoint.networks import NCCDRegressor
from counterpoint.tabular import with_encoder

ESTIMATORS = [quick(estimator) for estimator in public_estimators()]


def _rows(estimator):
    X, y = load_iris(return_X_y=True)
    kind = get_tags(estimator).classifier_tags
    if kind is not None and not kind.multi_class:
        y = y == 1
    return X, y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_a_column_of_words_is_taken_or_named(estimator):
    X, y = _rows(estimator)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(colour=["red", "green"] * 75)
    message = ""
    try:
        fitted = clone(estimator).fit(frame, y)
    except ValueError as error:
        message = str(error)
        if not hasattr(estimator, "predict"):
            fitted = clone(estimator).fit(TabularEncoder().fit_transform(frame), y)
            frame = TabularEncoder().fit_transform(frame)
        else:
            fitted = with_encoder(clone(estimator)).fit(frame, y)
    if message:
        assert "'colour'" in message
        assert "TabularEncoder" in message
    ask = next(m for m in ("predict", "transform", "score_samples") if hasattr(fitted, m))
    assert len(getattr(fitted, ask)(frame)) == len(y)


def _few_rows(estimator):
    """Thirty rows of two classes, or numbers: enough to be refused, and to be learned."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    if get_tags(estimator).estimator_type == "regressor":
        return X, rng.normal(size=30)
    return X, np.arange(30) % 2


def _with_dates():
    rows = np.random.default_rng(0).normal(size=(30, 3))
    days = pd.date_range("2026-01-01", periods=30)
    frame = pd.DataFrame(rows, columns=list("abc"))
    return {
        "frame": frame.assign(when=days),
        "zone": frame.assign(when=days.tz_localize("UTC")),
        "span": frame.assign(when=days - days[0]),
        "array": np.stack([days.to_numpy()] * 2, axis=1),
        "list": [[1.0, day] for day in days.to_pydatetime()],
    }


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("form", _with_dates())
def test_a_column_of_dates_is_named_and_what_to_do(estimator, form):
    X, (_, y) = _with_dates()[form], _few_rows(estimator)
    if hasattr(X, "columns") and isinstance(estimator, OverproduceSelect):
        return  # takes dates as they are: tests/auto/test_columns.py
    wanted = r"Column ('when'|'?x?[01]'?) .*(T|t)urn it into numbers"
    with pytest.raises((ValueError, TypeError), match=wanted):
        clone(estimator).fit(X, y)


def test_members_that_take_numbers_name_the_column_of_dates():
    frame = _with_dates()["frame"]
    model = CombinedClassifier([DecisionTreeClassifier()])
    with pytest.raises(ValueError, match=r"Column 'when' .*, and DecisionTreeClassifier takes num"):
        model.fit(frame, np.arange(30) % 2)


CLASSIFIERS = [e for e in ESTIMATORS if get_tags(e).estimator_type == "classifier"]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("kinds", [("a", 1, None), ("a", 1), ("1", 1.0, True)])
def test_labels_of_several_types_are_told(estimator, kinds):
    X, _ = _few_rows(estimator)
    y = list(kinds) * (30 // len(kinds))
    with pytest.raises(TypeError, match=r"y mixes labels of types .* convert them to one type"):
        clone(estimator).fit(X, y)


# -- weights -----------------------------------------------------------------------------------

WEIGHTED = [e for e in ESTIMATORS if has_fit_parameter(e, "sample_weight")]
BAD_WEIGHTS = {
    "zero": (np.zeros(30), "sample_weight are all zero"),
    "negative": (np.linspace(-1, 1, 30), "sample_weight must be finite and not negative"),
    "nan": (np.full(30, np.nan), "sample_weight must be finite and not negative"),
    "short": (np.ones(29), r"sample_weight has shape \(29,\), expected \(30,\)"),
    "words": (["much"] * 30, "sample_weight must be numbers"),
}


@pytest.mark.parametrize("estimator", WEIGHTED, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_bad_weights_are_told_by_everyone_alike(estimator, kind):
    X, y = _few_rows(estimator)
    weight, message = BAD_WEIGHTS[kind]
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("estimator", WEIGHTED, ids=lambda e: type(e).__name__)
def test_only_ratios_of_tiny_weights_count(estimator):
    X, y = _few_rows(estimator)
    options = {"random_state": 0} if "random_state" in estimator.get_params() else {}
    models = [
        clone(estimator).set_params(**options).fit(X, y, sample_weight=weight)
        for weight in (np.ones(30), np.full(30, 1e-320))
    ]
    ask = next(m for m in ("predict", "transform", "score_samples") if hasattr(models[0], m))
    assert_array_equal(*(getattr(model, ask)(X) for model in models))


META = [e for e in ESTIMATORS if {"estimator", "pool"} & set(e.get_params(deep=False))]
# Who takes a list of members and not one ensemble; whose members learn numbers.
OF_LISTS = {
    "OverproduceSelectClassifier",
    "OverproduceSelectRegressor",
    "EvolvedEnsembleClassifier",
    "HeterogeneousPoolClassifier",
}
# Who grows trees of its own kind only: its rows are weighed on bins, and tested there.
OF_TREES = {"BaggedTreesClassifier"}
OF_REGRESSORS = {"L2BoostClassifier", "LogitBoostClassifier", "NCCDClassifier"}
SPIED = [e for e in META if type(e).__name__ not in OF_TREES]
# Who weighs rows by its own method: its members have weights, whoever asked for them.
WEIGH = {
    *(c.__name__ for c in public_estimators() if c.__module__.startswith("counterpoint.boosting")),
    "BalancedSubsetsClassifier",
    "DistilledTreeClassifier",
    "RuleMergeClassifier",
}
received = []


class SpyClassifier(DecisionTreeClassifier):
    """A tree that tells which weights it was given."""

    def fit(self, X, y, sample_weight=None, check_input=True):
        received.append(sample_weight)
        return super().fit(X, y, sample_weight=sample_weight, check_input=check_input)


class SpyRegressor(DecisionTreeRegressor):
    """A tree that tells which weights it was given."""

    def fit(self, X, y, sample_weight=None, check_input=True):
        received.append(sample_weight)
        return super().fit(X, y, sample_weight=sample_weight, check_input=check_input)


class SpyForest(RandomForestClassifier):
    """A forest that tells which weights it was given."""

    def fit(self, X, y, sample_weight=None):
        received.append(sample_weight)
        return super().fit(X, y, sample_weight=sample_weight)


class SpyNumbers(RandomForestRegressor):
    """A forest that tells which weights it was given."""

    def fit(self, X, y, sample_weight=None):
        received.append(sample_weight)
        return super().fit(X, y, sample_weight=sample_weight)


def with_spy(estimator, request=None):
    """Return the estimator with a learner, or a pool, that tells which weights it was given."""
    name = type(estimator).__name__
    numbers = get_tags(estimator).estimator_type == "regressor" or name in OF_REGRESSORS
    if "estimator" in estimator.get_params(deep=False):
        spy = (SpyRegressor if numbers else SpyClassifier)(max_depth=2, splitter="random")
        role = "estimator"
    else:
        spy = (SpyNumbers if numbers else SpyForest)(n_estimators=3, max_depth=2, random_state=0)
        role = "pool"
    if request is not None:
        spy.set_fit_request(sample_weight=request)
    model = clone(estimator).set_params(**{role: [("spy", spy)] if name in OF_LISTS else spy})
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    for option in ("bootstrap", "resample"):  # rows are drawn by weight instead
        if option in model.get_params(deep=False):
            model.set_params(**{option: False})
    for option in ("n_estimators", "n_generations", "n_rounds"):
        if option in model.get_params(deep=False):
            model.set_params(**{option: 2})
    return model


@pytest.mark.parametrize("estimator", SPIED, ids=lambda e: type(e).__name__)
def test_weights_reach_the_members(estimator):
    X, y = _rows(estimator)
    received.clear()
    with_spy(estimator).fit(X, y, sample_weight=np.linspace(0.5, 2, len(y)))
    assert received
    # A member that is built on drawn rows, or on rows weighed by the method, sees other numbers,
    # but never none.
    assert all(weight is not None for weight in received)
    assert any(np.ptp(weight) > 0 for weight in received)


@pytest.mark.parametrize("estimator", SPIED, ids=lambda e: type(e).__name__)
def test_weights_are_routed_to_who_asked(estimator):
    X, y = _rows(estimator)
    weight = np.linspace(0.5, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        received.clear()
        with_spy(estimator, request=True).fit(X, y, sample_weight=weight)
        assert received
        assert all(weight is not None for weight in received)
        if type(estimator).__name__ in WEIGH:
            return
        received.clear()
        with_spy(estimator, request=False).fit(X, y, sample_weight=weight)
        assert received
        assert all(weight is None for weight in received)


@pytest.mark.parametrize("estimator", META, ids=lambda e: type(e).__name__)
def test_a_number_in_the_place_of_a_learner_says_what_to_write(estimator):
    X, y = _rows(estimator)
    first = next(iter(inspect.signature(type(estimator)).parameters))
    if first not in ("estimator", "pool"):
        return
    with pytest.raises(TypeError, match=rf"{first}=10 of {type(estimator).__name__}"):
        type(estimator)(10).fit(X, y)


OPTIONS = [
    pytest.param(estimator, name, id=f"{type(estimator).__name__}-{name}")
    for estimator in ESTIMATORS
    for name in sorted(estimator.get_params(deep=False))
]


@pytest.mark.parametrize(("estimator", "name"), OPTIONS)
def test_an_option_without_sense_is_named(estimator, name):
    X, y = _few_rows(estimator)
    model = clone(estimator).set_params(**{name: Ellipsis})
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        model.fit(X, y)


SHARED = {
    "n_jobs": [0, 1.5, 10**18, np.inf],
    "random_state": [-1, np.nan, "seed", 2**40],
    "progress": [np.array([1.0, 2.0]), "yes"],
    "cv": [1, True, (), {}, "5", [1]],
    "class_weight": [[1], "balance"],
    "warm_start": [None, np.array([True, False]), "no"],
}


@pytest.mark.parametrize("name", SHARED)
def test_options_that_many_share_are_checked_alike(name):
    for estimator in ESTIMATORS:
        for value in SHARED[name] if name in estimator.get_params(deep=False) else ():
            X, y = _few_rows(estimator)
            with pytest.raises(ValueError, match=f"^{name}=.*: give "):
                clone(estimator).set_params(**{name: value}).fit(X, y)


def test_words_in_a_question_are_named():
    X, y = _few_rows(NCCDRegressor())
    model = NCCDRegressor(n_estimators=2, n_rounds=1).fit(pd.DataFrame(X, columns=list("abc")), y)
    with pytest.raises(ValueError, match="Column 'c' holds values such as 'red'"):
        model.predict(pd.DataFrame(X, columns=list("abc")).assign(c="red"))
