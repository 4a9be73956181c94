"""Estimators made of a pool: fitted or not, weights, metadata routing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UnsetMetadataPassedError

from counterpoint.trees import (
    DistilledTreeClassifier,
    EnsembleTreeClassifier,
    MergedTreeClassifier,
    RuleList,
    RuleMergeClassifier,
    Tree,
)

KINDS = pytest.mark.parametrize(
    "kind",
    [
        DistilledTreeClassifier,
        EnsembleTreeClassifier,
        MergedTreeClassifier,
        RuleMergeClassifier,
    ],
)
X, Y = load_iris(return_X_y=True)
WEIGHT = 1.0 + (Y == 1)


def forest():
    return RandomForestClassifier(3, max_depth=2)


@KINDS
def test_a_pool_is_seeded_and_fitted_unless_it_is(kind):
    one, two = (kind(pool=forest(), random_state=0).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    fitted = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, Y)
    before = fitted.predict_proba(X)
    given = kind(pool=fitted, random_state=0).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(fitted.predict_proba(X), before)
    assert clone(given).pool is not fitted
    assert hasattr(given, "pool_")


@KINDS
def test_one_kind_of_tree_and_of_rules(kind):
    model = kind(pool=forest(), random_state=0).fit(X, Y)
    assert isinstance(model.rules_, RuleList)
    if kind is not RuleMergeClassifier:
        assert isinstance(model.tree_, Tree)
        assert model.tree_.n_leaves == model.get_n_leaves() == len(model.rules_)
        np.testing.assert_array_equal(model.tree_.label[model.apply(X)], model.predict(X))


@KINDS
def test_weights_are_routed(kind):
    with config_context(enable_metadata_routing=True):
        kind(pool=forest().set_fit_request(sample_weight=True)).fit(X, Y, sample_weight=WEIGHT)
        kind(pool=forest().set_fit_request(sample_weight=False)).fit(X, Y, sample_weight=WEIGHT)
        kind().fit(X, Y, sample_weight=WEIGHT)
        with pytest.raises(UnsetMetadataPassedError):
            kind(pool=forest()).fit(X, Y, sample_weight=WEIGHT)
