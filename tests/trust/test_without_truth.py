"""Outputs without truth: what needs none gives a number, all else says what is missing."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier

from counterpoint import MemberOutputs, combiners, diversity, selection

OUTPUTS = MemberOutputs(proba=np.random.default_rng(0).dirichlet([1, 1, 1], size=(4, 30)))
NO_TRUTH = {"label_disagreement", "label_kappa"}


@pytest.mark.parametrize("name", diversity.MEASURES)
def test_measures_need_the_truth_or_do_not(name):
    measure = diversity.MEASURES[name].function
    try:
        known, said = measure(OUTPUTS), None
    except ValueError as error:
        known, said = None, str(error)
    if name in NO_TRUTH or known is not None:
        assert np.isfinite(known)
    else:
        assert "build the MemberOutputs with y" in said


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in selection.__all__
        if name.startswith("select_") and name not in ("select_by_order",)
        and inspect.isfunction(getattr(selection, name))
    ],
)  # fmt: skip
def test_searches_for_members_need_it(name):
    with pytest.raises(ValueError, match="build the MemberOutputs with y"):
        getattr(selection, name)(OUTPUTS)


def test_rules_that_do_not_learn_need_none():
    mean = combiners.MeanCombiner().fit(OUTPUTS).predict_proba(OUTPUTS)
    np.testing.assert_allclose(mean, OUTPUTS.proba.mean(axis=0))
    with pytest.raises(ValueError, match="with y"):
        combiners.StackingCombiner().fit(OUTPUTS)


def test_an_ensemble_is_asked_without_it():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    outputs = MemberOutputs.from_estimator(model, X)
    assert outputs.y is None
    assert outputs.take([0, 2]).take_rows([1, 2]).y is None
    assert outputs.over(np.arange(4)).y is None
    assert outputs.majority.shape == (150,)
    for what in ("correct", "packed", "counts", "errors"):
        with pytest.raises(ValueError, match="Right or wrong needs the truth"):
            getattr(outputs, what)
