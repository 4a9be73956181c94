"""Rules on outputs against plain Python, textbook values and properties."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import combiners as naive
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from counterpoint import MemberOutputs
from counterpoint.combiners import (
    ChoquetCombiner,
    DecisionTemplatesCombiner,
    GeneralizedMeanCombiner,
    GeometricMeanCombiner,
    MaxCombiner,
    MeanCombiner,
    MedianCombiner,
    MinCombiner,
    ProductCombiner,
    StackingCombiner,
    SugenoCombiner,
    VoteCombiner,
    WeightedMeanCombiner,
    WeightedVoteCombiner,
    combine_ranks,
    fuzzy_lambda,
    rank_scores,
)
from counterpoint.combiners.simplex import least_quadratic, project_to_simplex

FIXED = {
    "mean": MeanCombiner(),
    "min": MinCombiner(),
    "max": MaxCombiner(),
    "median": MedianCombiner(),
    "product": ProductCombiner(),
    "geometric": GeometricMeanCombiner(),
}
LEARNT = [
    WeightedVoteCombiner("accuracy"),
    WeightedVoteCombiner("log-odds"),
    WeightedVoteCombiner("tandem"),
    WeightedMeanCombiner("accuracy"),
    WeightedMeanCombiner("least-squares"),
    WeightedMeanCombiner("cross-entropy"),
    SugenoCombiner(),
    ChoquetCombiner(),
    DecisionTemplatesCombiner(),
    StackingCombiner(),
    GeneralizedMeanCombiner(),
]


def drawn(seed=0, n_members=5, n_samples=60, n_classes=3, skill=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_samples)
    logits = rng.normal(size=(n_members, n_samples, n_classes))
    logits += skill * np.linspace(0.3, 1, n_members)[:, None, None] * np.eye(n_classes)[y]
    proba = np.exp(logits)
    proba /= proba.sum(axis=2, keepdims=True)
    return MemberOutputs(proba=proba, y=y, classes=np.arange(n_classes))


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize(("n_members", "n_classes"), [(1, 2), (4, 2), (5, 4)])
def test_fixed_rules_match_naive(name, n_members, n_classes):
    outputs = drawn(1, n_members, 20, n_classes)
    found = FIXED[name].combine(outputs)
    for s in range(20):
        expected = naive.RULES[name](outputs.proba[:, s].tolist(), n_classes)
        np.testing.assert_allclose(found[s], expected, rtol=1e-9)


def test_votes_and_weighted_means_by_hand():
    outputs = MemberOutputs([[0, 1, 2], [0, 2, 2], [1, 1, 0]], classes=[0, 1, 2])
    assert VoteCombiner().predict(outputs).tolist() == [0, 1, 2]
    np.testing.assert_allclose(VoteCombiner([1, 1, 3]).combine(outputs)[0], [0.4, 0.6, 0.0])
    outputs = MemberOutputs(proba=[[[0.2, 0.8]], [[0.6, 0.4]]])
    np.testing.assert_allclose(MeanCombiner([3, 1]).combine(outputs), [[0.3, 0.7]])


@pytest.mark.parametrize("power", [-4.0, -1.0, 0.5, 2.0, 7.0])
def test_generalised_means_match_naive_and_have_the_known_limits(power):
    outputs = drawn(2)
    found = GeneralizedMeanCombiner(power).combine(outputs)
    for s in range(5):
        expected = [naive.power_mean(outputs.proba[:, s, c].tolist(), power) for c in range(3)]
        np.testing.assert_allclose(found[s], expected)
    limits = ((np.inf, MaxCombiner()), (-np.inf, MinCombiner()), (-1e307, MinCombiner()))
    for limit, rule in (*limits, (1.0, MeanCombiner())):
        np.testing.assert_allclose(
            GeneralizedMeanCombiner(limit).combine(outputs), rule.combine(outputs)
        )


def test_the_fitted_power_has_the_least_loss_of_those_tried():
    outputs = drawn(3, n_samples=300)
    rule = GeneralizedMeanCombiner().fit(outputs)
    assert rule.losses_[rule.power_] == min(rule.losses_.values())
    assert len(rule.losses_) > 10


def test_lambda_of_the_fuzzy_measure():
    # Kuncheva 2004, example 5.3: densities 0.2, 0.3, 0.1 give lambda 3.109.
    assert fuzzy_lambda([0.2, 0.3, 0.1]) == pytest.approx(3.109, abs=5e-4)
    assert fuzzy_lambda([0.25, 0.75]) == 0.0
    assert -1 < fuzzy_lambda([0.9, 0.8, 0.7]) < 0


@given(
    st.lists(st.floats(0.02, 0.98), min_size=1, max_size=6),
    st.data(),
)
def test_fuzzy_integrals_match_naive_and_are_monotone_and_idempotent(densities, data):
    n = len(densities)
    lam = fuzzy_lambda(densities)
    if n > 1:
        assert np.prod(1 + lam * np.array(densities)) == pytest.approx(1 + lam, rel=1e-6, abs=1e-6)
    values = data.draw(st.lists(st.floats(0.0, 1.0), min_size=n, max_size=n))
    more = [min(1.0, v + data.draw(st.floats(0, 0.5))) for v in values]

    def integral(kind, support):
        proba = np.array([[[v, 1 - v]] for v in support])
        outputs = MemberOutputs(proba=proba)
        return kind(densities).fit(outputs).combine(outputs)[0, 0]

    for kind, slow in ((SugenoCombiner, naive.sugeno), (ChoquetCombiner, naive.choquet)):
        if n > 1:
            assert integral(kind, values) == pytest.approx(slow(values, densities, lam), abs=1e-6)
        assert integral(kind, more) >= integral(kind, values) - 1e-9
        assert integral(kind, [0.3] * n) == pytest.approx(0.3)
        assert min(values) - 1e-9 <= integral(kind, values) <= max(values) + 1e-9


@pytest.mark.parametrize("kind", ["euclidean", "s1", "s2", "s3", "s4"])
def test_templates_match_naive(kind):
    outputs = drawn(4, n_samples=30)
    rule = DecisionTemplatesCombiner(kind).fit(outputs)
    for c in range(3):
        own = outputs.proba[:, outputs.y == c]
        np.testing.assert_allclose(rule.templates_[c], own.mean(axis=1))
    found = rule.combine(outputs)
    for s in range(6):
        for c in range(3):
            expected = naive.similarity(
                kind, outputs.proba[:, s].tolist(), rule.templates_[c].tolist()
            )
            assert found[s, c] == pytest.approx(expected)


def test_a_class_without_a_template_is_never_the_answer():
    outputs = drawn(5)
    some = MemberOutputs(
        proba=outputs.proba[:, outputs.y != 2], y=outputs.y[outputs.y != 2], classes=[0, 1, 2]
    )
    rule = DecisionTemplatesCombiner().fit(some)
    assert np.isnan(rule.templates_[2]).all()
    assert 2 not in rule.predict(outputs)


def test_log_odds_weights_match_naive():
    outputs = drawn(6)
    weights = WeightedVoteCombiner("log-odds").fit(outputs).estimator_weights_
    raw = [naive.log_odds(e, outputs.n_samples, 3) for e in outputs.errors]
    np.testing.assert_allclose(weights, np.array(raw) / sum(raw))


@given(st.integers(0, 1000), st.integers(1, 7))
def test_the_least_quadratic_form_cannot_be_bettered(seed, n):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n + 2))
    matrix = root @ root.T
    weights = least_quadratic(matrix)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    best = weights @ matrix @ weights
    for other in rng.dirichlet(np.ones(n), size=50):
        assert best <= other @ matrix @ other + 1e-6 * (1 + abs(best))


@given(st.integers(0, 1000), st.integers(2, 7))
def test_no_distribution_is_nearer_than_the_projection(seed, n):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3, n))
    near = project_to_simplex(values)
    np.testing.assert_allclose(near.sum(axis=1), 1)
    assert (near >= 0).all()
    gap = ((near - values) ** 2).sum(axis=1)
    for other in rng.dirichlet(np.ones(n), size=50):
        assert (gap <= ((other - values) ** 2).sum(axis=1) + 1e-12).all()
    np.testing.assert_allclose(project_to_simplex(near), near, atol=1e-12)


def test_tandem_weights_lower_the_second_order_bound():
    outputs = drawn(7, n_members=8)
    weights = WeightedVoteCombiner("tandem").fit(outputs).estimator_weights_
    wrong = ~outputs.correct
    tandem = wrong @ wrong.T.astype(float) / outputs.n_samples
    equal = np.full(8, 1 / 8)
    assert weights @ tandem @ weights <= equal @ tandem @ equal


def test_learnt_means_are_no_worse_than_equal_ones_where_they_learnt():
    outputs = drawn(8, n_samples=200)
    truth = np.eye(3)[outputs.y]
    squared = WeightedMeanCombiner().fit(outputs).combine(outputs)
    equal = MeanCombiner().combine(outputs)
    assert ((squared - truth) ** 2).sum() <= ((equal - truth) ** 2).sum()
    entropy = WeightedMeanCombiner("cross-entropy").fit(outputs).combine(outputs)
    rows = np.arange(200)
    assert np.log(entropy[rows, outputs.y]).sum() >= np.log(equal[rows, outputs.y]).sum()


@pytest.mark.parametrize("rule", LEARNT, ids=repr)
def test_learnt_rules_answer_well_clone_and_check_their_members(rule):
    outputs, new = drawn(9, n_samples=300, skill=3), drawn(10, n_samples=300, skill=3)
    fitted = clone(rule).fit(outputs)
    assert (fitted.predict(new) == new.y).mean() > (new.correct.mean() + 0.02)
    share = fitted.predict_proba(new)
    np.testing.assert_allclose(share.sum(axis=1), 1.0)
    if hasattr(fitted, "estimator_weights_") or isinstance(rule, StackingCombiner):
        with pytest.raises(ValueError, match="fitted on 5 members"):
            fitted.combine(new.take([0, 1]))


def test_stacking_on_votes_and_its_errors():
    outputs = MemberOutputs([[0, 1, 0, 1], [1, 1, 0, 0]], [0, 1, 0, 1])
    assert StackingCombiner(use="votes").fit(outputs).predict(outputs).tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        StackingCombiner(LinearSVC(), use="votes").fit(outputs)
    with pytest.raises(ValueError, match="choose 'proba', 'votes', 'log-odds'"):
        StackingCombiner(LogisticRegression(), use="all").fit(outputs)


def test_soft_rules_refuse_labels_and_unfitted_ones_say_so():
    outputs = MemberOutputs([[0, 1], [1, 1]], [0, 1])
    for rule in [*FIXED.values(), ChoquetCombiner(), GeneralizedMeanCombiner(2)]:
        with pytest.raises(ValueError, match="combines probabilities"):
            rule.fit(outputs)
    with pytest.raises(ValueError, match="must be fitted first"):
        GeneralizedMeanCombiner().combine(drawn())


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (VoteCombiner([1, 2]), r"weights has shape \(2,\), expected \(5,\)"),
        (MeanCombiner([-1, 1, 1, 1, 1]), "not negative"),
        (WeightedVoteCombiner("luck"), "choose 'accuracy', 'log-odds', 'tandem'"),
        (WeightedMeanCombiner("luck"), "choose 'accuracy', 'least-squares'"),
        (DecisionTemplatesCombiner("s9"), "similarity='s9'"),
        (GeneralizedMeanCombiner("x"), "power='x'"),
        (GeneralizedMeanCombiner(np.array([1.0, 2.0])), "power=array"),
        (ChoquetCombiner([0.5]), r"expected \(5,\)"),
        (SugenoCombiner([0.5, 0.5, 0.5, 0.5, 1.0]), "above 0 and below 1"),
    ],
)
def test_wrong_options_say_what_to_change(rule, message):
    outputs = drawn()
    with pytest.raises(ValueError, match=message):
        rule.fit(outputs).combine(outputs)


def test_ranks_by_hand():
    scores = [[0.9, 0.5, 0.1], [0.2, 0.8, 0.1]]
    assert rank_scores(scores).tolist() == [[1, 2, 3], [2, 1, 3]]
    assert combine_ranks(scores, function="borda").tolist() == [-3, -3, -6]
    assert combine_ranks(scores, weights=[3, 1]).argmax() == 0
    np.testing.assert_allclose(
        combine_ranks(scores, function=lambda r: 1 / r), combine_ranks(scores, function="inverse")
    )


@given(st.integers(0, 500))
def test_only_the_order_within_a_member_counts(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(3, 12))
    np.testing.assert_array_equal(combine_ranks(scores), combine_ranks(np.exp(5 * scores)))
    first = combine_ranks(scores).argmax()
    assert rank_scores(scores)[:, first].min() <= 2


def test_wrong_ranks_say_what_to_change():
    with pytest.raises(ValueError, match="NaN"):
        rank_scores([[0.1, np.nan]])
    with pytest.raises(ValueError, match="choose inverse-square"):
        combine_ranks([[0.1, 0.2]], function="best")
    with pytest.raises(ValueError, match="must not increase"):
        combine_ranks([[0.1, 0.2]], function=lambda r: r)
    with pytest.raises(ValueError, match="finite number"):
        combine_ranks([[0.1, 0.2]], function=lambda r: r / 0.0 if False else r * np.nan)


@pytest.mark.parametrize(
    "densities",
    [[0.8] * 20, [0.95] * 10, [0.7, 0.9] * 50, [0.999] * 3, [0.5, 0.5 + 1e-9], [1e-12] * 3,
     [1e-300, 0.5], np.linspace(0.01, 0.06, 20), np.linspace(0.5, 0.9, 25)],
)  # fmt: skip
def test_lambda_is_the_root_in_exact_arithmetic(densities):
    exact = [Fraction(float(g)) for g in densities]

    def gap(lam):
        return math.prod(1 + lam * g for g in exact) - (1 + lam)

    found = fuzzy_lambda(densities)
    away = Fraction(1e-15) + Fraction(1e-12) * max(Fraction(found), 0)
    low, high = max(Fraction(found) - away, Fraction(-1)), Fraction(found) + away
    assert found != 0
    assert gap(low) * gap(high) <= 0


def test_fuzzy_integrals_of_a_forest():
    outputs = drawn(3, n_members=25, n_samples=60)
    right = ChoquetCombiner([0.97] * 25).fit(outputs)
    assert right.lambda_ == -1.0
    for kind in (ChoquetCombiner, SugenoCombiner):
        support = kind().fit(outputs).combine(outputs)
        assert (support >= outputs.proba.min(axis=0) - 1e-12).all()
        assert (support <= outputs.proba.max(axis=0) + 1e-12).all()


def test_densities_too_small_for_a_lambda_are_told():
    with pytest.raises(ValueError, match="densities are too small, 1e-200 the least"):
        fuzzy_lambda([1e-200, 1e-200])
