"""Decisions of DESlib 0.3.7 on the same pool, rows and neighbours; made by make_deslib.py."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from counterpoint.dynamic import (
    BetterThanChance,
    ClassLocalAccuracy,
    DynamicSelectionClassifier,
    KnoraEliminate,
    KnoraUnion,
    MetaLearned,
    NeighbourRegion,
    OverallLocalAccuracy,
    RandomReference,
)

GOLDEN = np.load(Path(__file__).parent.parent / "golden" / "deslib.npz")
SAME = {
    "knora_e": KnoraEliminate(),
    "knora_u": KnoraUnion(),
    "ola": OverallLocalAccuracy(ties="first"),
    "lca": ClassLocalAccuracy(ties="first"),
    "des_p": BetterThanChance(),
    "meta_des": MetaLearned(),
    "rrc": RandomReference(scale=False, weighted=False),
}


class LinearMember(ClassifierMixin, BaseEstimator):
    def __init__(self, weights):
        self.weights, self.classes_ = weights, np.arange(3)

    def fit(self, X, y):
        raise AssertionError("fitted already")

    def predict_proba(self, X):
        score = np.exp(np.column_stack([X, np.ones(len(X))]) @ self.weights)
        return score / score.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def fitted(method):
    pool = [LinearMember(w) for w in GOLDEN["weights"]]
    model = DynamicSelectionClassifier(
        pool, method=method, region=NeighbourRegion(7, scale=False), batch_size=64
    )
    return model.fit(GOLDEN["X"][:300], GOLDEN["y"][:300])


@pytest.mark.parametrize("name", SAME)
def test_decisions_are_those_of_deslib(name):
    decided = fitted(SAME[name]).predict(GOLDEN["X"][300:])
    np.testing.assert_array_equal(decided, GOLDEN[name])
    # The pool is one where the choice matters.
    assert len(np.unique([GOLDEN[other] for other in SAME], axis=0)) >= 6


def test_meta_des_trusts_as_deslib_does():
    model = fitted(MetaLearned())
    told = model.explain_selection(GOLDEN["X"][300:])
    given = GOLDEN["meta_des_competence"]
    at = told["member"].str.rsplit(" ").str[-1].astype(int)
    np.testing.assert_allclose(told["competence"], given[told["query"], at], atol=1e-6)


def test_random_reference_is_the_one_of_deslib():
    source = fitted(RandomReference()).competence_.source_
    np.testing.assert_allclose(source.T, GOLDEN["rrc_source"], atol=1e-9)
