"""What rules learn, beside plain sums over single samples."""

import math

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from counterpoint import MemberOutputs
from counterpoint._predictions import MemberPredictions
from counterpoint.combiners import (
    BlendCombiner,
    ClassWeightedMeanCombiner,
    GeneralizedMeanCombiner,
    MeanCombiner,
    StackingCombiner,
    TemperedCombiner,
    VoteCombiner,
    WeightedMeanCombiner,
    combiner_of,
    fuzzy_lambda,
    member_contributions,
)


def some_outputs(n_members=4, n_samples=40, seed=0, sample_weight=None):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([1.0, 1.0, 1.0], size=(n_members, n_samples))
    return MemberOutputs(
        proba=proba, y=rng.integers(3, size=n_samples), sample_weight=sample_weight
    )


def some_numbers(n_members=4, n_samples=30, seed=0, sample_weight=None):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n_samples)
    off = rng.normal(size=(n_members, n_samples)) * (1 + np.arange(n_members))[:, None]
    return MemberPredictions(truth + off, truth, sample_weight=sample_weight)


def repeated(array, times):
    return np.repeat(array, times, axis=-1)


@pytest.mark.parametrize("by", ["least-squares", "cross-entropy", "accuracy", "best", "best-third"])
def test_learnt_weights_count_samples_as_often_as_they_weigh(by):
    times = np.random.default_rng(1).integers(0, 4, size=40)
    weighted = some_outputs(sample_weight=times.astype(float))
    plain = some_outputs()
    copies = MemberOutputs(
        proba=np.repeat(plain.proba, times, axis=1), y=np.repeat(plain.y, times), classes=[0, 1, 2]
    )
    one, other = (
        WeightedMeanCombiner(by).fit(outputs).estimator_weights_ for outputs in (weighted, copies)
    )
    np.testing.assert_allclose(one, other, atol=1e-7)


@pytest.mark.parametrize("by", ["least-squares", "best", "best-third"])
def test_learnt_weights_of_numbers_count_samples_as_often_as_they_weigh(by):
    times = np.random.default_rng(2).integers(0, 4, size=30)
    plain = some_numbers()
    copies = MemberPredictions(repeated(plain.values, times), repeated(plain.y, times))
    weighted = some_numbers(sample_weight=times.astype(float))
    one, other = (
        WeightedMeanCombiner(by).fit(outputs).estimator_weights_ for outputs in (weighted, copies)
    )
    np.testing.assert_allclose(one, other, atol=1e-7)


@pytest.mark.parametrize("n_members", [1, 2, 3, 4, 5, 6, 7])
def test_the_best_third_is_rounded_up(n_members):
    outputs = some_outputs(n_members, seed=n_members)
    alone = [-sum(math.log(own[s, k]) for s, k in enumerate(outputs.y)) for own in outputs.proba]
    weights = WeightedMeanCombiner("best-third").fit(outputs).estimator_weights_
    kept = sorted(np.argsort(alone)[: math.ceil(n_members / 3)])
    assert np.flatnonzero(weights).tolist() == [int(k) for k in kept]
    np.testing.assert_allclose(weights[kept], 1 / len(kept))


def test_the_mean_takes_numbers():
    numbers = some_numbers()
    np.testing.assert_allclose(MeanCombiner().combine(numbers), numbers.values.mean(axis=0))


def test_powers_of_a_mean_are_tried_from_minus_16_to_16():
    """The least support is best where one member is right and the other knows nothing."""
    knows, other = np.array([0.9, 0.1]), np.array([0.5, 0.5])
    found = GeneralizedMeanCombiner().fit(
        MemberOutputs(proba=[[knows], [other]], y=[0], classes=[0, 1])
    )
    for power, loss in found.losses_.items():
        if power == 0:
            mean = np.sqrt(knows * other)
        else:
            mean = ((knows**power + other**power) / 2) ** (1 / power)
        assert loss == pytest.approx(-math.log(mean[0] / mean.sum()))
    halves = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert sorted(found.losses_) == sorted([*halves, *(-x for x in halves), 0.0, 1.5])
    assert found.power_ == -16.0


def test_a_blend_needs_what_one_of_its_rules_needs():
    assert BlendCombiner([VoteCombiner(), WeightedMeanCombiner()]).needs_truth is True
    assert BlendCombiner([VoteCombiner()]).needs_truth is False


def test_a_blend_is_the_mean_of_what_its_rules_say():
    outputs = some_outputs()
    rules = [MeanCombiner(), WeightedMeanCombiner()]
    blend = BlendCombiner(rules).fit(outputs)
    alone = [rule.fit(outputs) for rule in (MeanCombiner(), WeightedMeanCombiner())]
    expected = (alone[0].combine(outputs) + alone[1].combine(outputs)) / 2
    np.testing.assert_allclose(blend.combine(outputs), expected)
    silent = (alone[0].silence(1, outputs) + alone[1].silence(1, outputs)) / 2
    np.testing.assert_allclose(blend.silence(1, outputs), silent)
    kept = blend.keep([0, 2], outputs)
    fewer = outputs.take([0, 2])
    parts = [rule.keep([0, 2], outputs).combine(fewer) for rule in alone]
    np.testing.assert_allclose(kept.combine(fewer), np.mean(parts, axis=0))


def test_a_blend_takes_what_all_of_its_rules_take():
    assert BlendCombiner([VoteCombiner(), MeanCombiner()]).needs_proba is True
    assert BlendCombiner([VoteCombiner(), VoteCombiner()]).needs_proba is False
    assert BlendCombiner([MeanCombiner(), WeightedMeanCombiner()]).takes_numbers is True
    assert BlendCombiner([MeanCombiner(), VoteCombiner()]).takes_numbers is False


@pytest.mark.parametrize("n_classes", [2, 3])
def test_stacking_reads_logarithms_from_their_mean(n_classes):
    """Two classes have one number a member."""
    rng = np.random.default_rng(3)
    proba = rng.dirichlet(np.ones(n_classes), size=(2, 30))
    y = rng.integers(n_classes, size=30)
    outputs = MemberOutputs(proba=proba, y=y, classes=np.arange(n_classes))
    fitted = StackingCombiner(LogisticRegression(), use="log-odds").fit(outputs)
    rows = []
    for s in range(30):
        logs = [[math.log(p) for p in own[s]] for own in proba]
        centred = [[one - sum(own) / n_classes for one in own] for own in logs]
        rows.append([v for own in centred for v in (own[1:] if n_classes == 2 else own)])
    expected = LogisticRegression().fit(rows, y).predict_proba(rows)
    np.testing.assert_allclose(fitted.combine(outputs), expected, atol=1e-6)


def test_tempered_probabilities_are_shares():
    outputs = some_outputs()
    tempered = TemperedCombiner().fit(outputs)
    proba = tempered.temper(outputs).proba
    raised = outputs.proba ** tempered.powers_[:, None, None]
    np.testing.assert_allclose(proba, raised / raised.sum(axis=2, keepdims=True), rtol=1e-6)


def test_an_ensemble_of_somebody_else_is_found_out_by_what_it_says():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)

    class Theirs(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            pairs = (LogisticRegression(), KNeighborsClassifier(3))
            self.estimators_ = [one.fit(X, y) for one in pairs]
            return self

        def predict_proba(self, X):
            return np.mean([one.predict_proba(X) for one in self.estimators_], axis=0)

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    assert type(combiner_of(Theirs().fit(X, y), X)) is MeanCombiner


def test_weights_by_class_need_the_truth():
    blind = MemberOutputs(proba=some_outputs().proba)
    with pytest.raises(ValueError, match="truth"):
        ClassWeightedMeanCombiner().fit(blind)
    assert ClassWeightedMeanCombiner.needs_truth is True


@pytest.mark.parametrize("density", [0.0, 1.0])
def test_a_member_that_counts_for_nothing_or_for_all_has_no_fuzzy_measure(density):
    with pytest.raises(ValueError, match="above 0 and below 1"):
        fuzzy_lambda([density, 0.3, 0.4])


def test_scikit_learns_boosters_vote_with_their_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + rng.normal(size=80) > 0).astype(int)
    booster = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    rule = combiner_of(booster, X)
    assert isinstance(rule, VoteCombiner)
    np.testing.assert_array_equal(rule.weights, booster.estimator_weights_[:5])


@pytest.mark.parametrize(("voting", "kind"), [("soft", MeanCombiner), ("hard", VoteCombiner)])
def test_scikit_learns_votes_keep_their_weights(voting, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    members = [("line", LogisticRegression()), ("near", KNeighborsClassifier(3))]
    ensemble = VotingClassifier(members, voting=voting, weights=[3.0, 1.0]).fit(X, y)
    rule = combiner_of(ensemble, X)
    assert type(rule) is kind
    assert np.asarray(rule.weights).tolist() == [3.0, 1.0]


def test_stacking_weighs_members_by_their_coefficients():
    outputs = some_outputs(3, 60)
    fitted = StackingCombiner(LogisticRegression(), use="proba").fit(outputs)
    sizes = np.abs(fitted.estimator_.coef_).mean(axis=0)
    per_member = [sizes[3 * k : 3 * k + 3].mean() for k in range(3)]
    np.testing.assert_allclose(fitted.estimator_weights_, per_member / np.sum(per_member))
    near = StackingCombiner(KNeighborsClassifier(3), use="proba").fit(outputs)
    assert near.estimator_weights_ is None


def test_powers_have_limits():
    """A member that is always right, and unsure, would be raised without end."""
    right = MemberOutputs(proba=np.tile([0.499, 0.501], (1, 50, 1)), y=[1] * 50, classes=[0, 1])
    assert TemperedCombiner().fit(right).powers_[0] == pytest.approx(math.exp(3.0), rel=1e-3)
    wrong = MemberOutputs(proba=np.tile([0.001, 0.999], (1, 50, 1)), y=[0] * 50, classes=[0, 1])
    assert TemperedCombiner().fit(wrong).powers_[0] == pytest.approx(math.exp(-2.5), rel=1e-3)


@pytest.mark.parametrize("loss", ["error", "log-loss", "squared"])
def test_what_members_add_is_the_loss_without_them_less_the_loss_with_them(loss):
    outputs = some_outputs(3, 25, seed=5)

    def mean_of(members):
        total = 0.0
        for s, k in enumerate(outputs.y):
            share = outputs.proba[members, s].mean(axis=0)
            if loss == "error":
                total += int(share.argmax()) != k
            elif loss == "log-loss":
                total += -math.log(max(share[k], 1e-6))
            else:
                total += sum((share[c] - (c == k)) ** 2 for c in range(3))
        return total / len(outputs.y)

    found = member_contributions(outputs, MeanCombiner(), loss=loss)["adds"]
    others = [[1, 2], [0, 2], [0, 1]]
    np.testing.assert_allclose(found, [mean_of(left) - mean_of([0, 1, 2]) for left in others])


def test_log_losses_of_contributions_stay_finite():
    """Below a millionth a share of the truth counts as a millionth."""
    sure = MemberOutputs(proba=[[[1.0, 0.0]], [[1.0, 0.0]]], y=[1], classes=[0, 1])
    both = member_contributions(sure, MeanCombiner(), loss="log-loss")["adds"]
    np.testing.assert_allclose(both, 0.0)
    mixed = MemberOutputs(proba=[[[1.0, 0.0]], [[0.5, 0.5]]], y=[1], classes=[0, 1])
    adds = member_contributions(mixed, MeanCombiner(), loss="log-loss")["adds"]
    np.testing.assert_allclose(adds[1], -math.log(1e-6) + math.log(0.25))
