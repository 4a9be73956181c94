"""Measures and combiners against exact rational arithmetic: no rounding hides a wrong formula.

Weights are whole numbers of 64ths, so that both sides are given exactly the same case. Where a
root is taken, squares are compared.
"""

from fractions import Fraction
from itertools import combinations
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from counterpoint import MemberOutputs
from counterpoint.combiners import (
    MaxCombiner,
    MeanCombiner,
    MedianCombiner,
    MinCombiner,
    ProductCombiner,
    VoteCombiner,
)
from counterpoint.diversity import MEASURES, profile

TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def cases(draw):
    """Votes, truth, weights of samples and number of classes."""
    members, samples = draw(st.integers(2, 5)), draw(st.integers(1, 7))
    classes = draw(st.integers(2, 3))
    label = st.integers(0, classes - 1)
    votes = draw(st.lists(st.lists(label, min_size=samples, max_size=samples),
                          min_size=members, max_size=members))  # fmt: skip
    y = draw(st.lists(label, min_size=samples, max_size=samples))
    weight = draw(st.lists(st.integers(1, 64), min_size=samples, max_size=samples))
    return votes, y, [Fraction(w, 64) for w in weight], classes


def ratio(a, b):
    return a / b if b else None


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def exact(votes, y, weight, n_classes):
    """Every measure as a fraction, from its definition; None where it is 0/0."""
    T, total = len(votes), sum(weight)
    p = [w / total for w in weight]
    n = range(len(y))
    right = [[v == t for v, t in zip(m, y, strict=True)] for m in votes]

    def expect(values):
        return sum(q * v for q, v in zip(p, values, strict=True))

    pairs = []
    for a, b in combinations(range(T), 2):
        n11 = expect([right[a][s] and right[b][s] for s in n])
        n10 = expect([right[a][s] and not right[b][s] for s in n])
        n01 = expect([not right[a][s] and right[b][s] for s in n])
        n00 = 1 - n11 - n10 - n01
        chance = (n11 + n10) * (n11 + n01) + (n01 + n00) * (n10 + n00)
        same = expect([votes[a][s] == votes[b][s] for s in n])
        by_chance = sum(
            expect([votes[a][s] == c for s in n]) * expect([votes[b][s] == c for s in n])
            for c in range(n_classes)
        )
        kappa = ratio(same - by_chance, 1 - by_chance)
        error = (n10 + n01 + 2 * n00) / 2
        pairs.append(
            {
                "q": ratio(n11 * n00 - n10 * n01, n11 * n00 + n10 * n01),
                "kappa": ratio(n11 + n00 - chance, 1 - chance),
                "disagreement": n10 + n01,
                "double_fault": n00,
                "covariance": n11 - (n11 + n10) * (n11 + n01),
                "label_kappa": kappa,
                "label_disagreement": 1 - same,
                "kappa_error": None if kappa is None else kappa * error,
            }
        )
    values = {name: mean([pair[name] for pair in pairs]) for name in pairs[0]}

    count = [sum(right[m][s] for m in range(T)) for s in n]
    rate = expect([Fraction(k, T) for k in count])
    fails = [expect([T - k == i for k in count]) for i in range(T + 1)]
    one = sum(Fraction(i, T) * fails[i] for i in range(T + 1))
    two = sum(Fraction(i * (i - 1), T * (T - 1)) * fails[i] for i in range(T + 1))
    spread = expect([Fraction(k * (T - k)) for k in count])
    values |= {
        "member_error": 1 - rate,
        "entropy": expect([Fraction(min(k, T - k), T - -(-T // 2)) for k in count]),
        "kohavi_wolpert_variance": spread / T**2,
        "interrater_kappa": None
        if rate in (0, 1)
        else 1 - spread / T / ((T - 1) * rate * (1 - rate)),
        "difficulty": expect([(Fraction(k, T) - rate) ** 2 for k in count]),
        "generalized_diversity": None if one == 0 else 1 - two / one,
        "coincident_failure_diversity": Fraction(0)
        if fails[0] == 1
        else sum(Fraction(T - i, T - 1) * fails[i] for i in range(1, T + 1)) / (1 - fails[0]),
    }

    cast = [[sum(m[s] == c for m in votes) for c in range(n_classes)] for s in n]
    won = [cast[s].index(max(cast[s])) == y[s] for s in n]
    share = [Fraction(cast[s][y[s]], T) for s in n]
    margin = [
        share[s] - Fraction(max(cast[s][c] for c in range(n_classes) if c != y[s]), T) for s in n
    ]
    vote = 1 - expect(won)
    differ = expect([1 - sum(Fraction(v, T) ** 2 for v in cast[s]) for s in n])
    values |= {
        "vote_error": vote,
        "ambiguity": expect([won[s] - share[s] for s in n]),
        "ambiguity_size": expect([abs(won[s] - share[s]) for s in n]),
        "good_diversity": expect([(1 - share[s]) * won[s] for s in n]),
        "bad_diversity": expect([share[s] * (not won[s]) for s in n]),
        "margin_min": min(margin),
        "margin_mean": expect(margin),
        "disagreement_error_ratio": ratio(differ, 1 - rate),
        "improvement_rate": ratio(1 - rate - vote, 1 - rate),
    }
    squares = {"margin_spread": expect([m**2 for m in margin]) - expect(margin) ** 2}
    return values, squares


@given(cases())
@settings(max_examples=150)
def test_every_measure_equals_its_definition_in_fractions(case):
    votes, y, weight, n_classes = case
    outputs = MemberOutputs(
        votes, y, classes=np.arange(n_classes), sample_weight=[float(w) for w in weight]
    )
    values = profile(outputs)["value"]
    fractions, squares = exact(votes, y, weight, n_classes)
    # The correlation of a pair holds a root, and its mean over pairs is no root of a fraction.
    assert {*fractions, *squares, "correlation"} == set(MEASURES)
    for name, wanted in fractions.items():
        assert_allclose(
            values[name], nan if wanted is None else float(wanted), err_msg=name, **TOLERANCE
        )
    for name, wanted in squares.items():
        assert_allclose(values[name] ** 2, float(wanted), err_msg=name, rtol=1e-9, atol=1e-12)


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_measures_do_not_depend_on_the_order_of_members(case, random):
    votes, y, weight, n_classes = case
    options = {"classes": np.arange(n_classes), "sample_weight": [float(w) for w in weight]}
    values = profile(MemberOutputs(votes, y, **options))["value"]
    shuffled = random.sample(votes, len(votes))
    again = profile(MemberOutputs(shuffled, y, **options))["value"]
    assert_allclose(again, values, **TOLERANCE)


def median(values):
    values, n = sorted(values), len(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


def product(values):
    result = Fraction(1)
    for value in values:
        result *= value
    return result


RULES = {
    MeanCombiner: lambda column: sum(column) / len(column),
    MinCombiner: min,
    MaxCombiner: max,
    MedianCombiner: median,
    ProductCombiner: product,
}


@st.composite
def shares(draw):
    """Probabilities in 64ths, (members, samples, classes)."""
    members, samples, classes = draw(st.integers(1, 4)), draw(st.integers(1, 4)), 3
    cuts = st.tuples(st.integers(1, 62), st.integers(1, 62)).filter(lambda c: c[0] != c[1])
    rows = []
    for _ in range(members * samples):
        low, high = sorted(draw(cuts))
        rows.append([Fraction(low, 64), Fraction(high - low, 64), Fraction(64 - high, 64)])
    return [rows[m * samples : (m + 1) * samples] for m in range(members)], classes


@pytest.mark.parametrize("combiner", RULES, ids=lambda c: c.__name__)
@given(shares())
@settings(max_examples=40)
def test_fixed_rules_equal_their_definition_in_fractions(combiner, case):
    proba, n_classes = case
    outputs = MemberOutputs(
        proba=[[[float(v) for v in row] for row in member] for member in proba],
        classes=np.arange(n_classes),
    )
    support = combiner().predict_proba(outputs)
    for s, row in enumerate(support):
        wanted = [RULES[combiner]([member[s][c] for member in proba]) for c in range(n_classes)]
        total = sum(wanted)
        assert_allclose(row, [float(w / total) for w in wanted], **TOLERANCE)


@given(cases(), st.lists(st.integers(1, 64), min_size=5, max_size=5))
@settings(max_examples=60)
def test_a_weighted_vote_is_exact(case, say):
    votes, y, _, n_classes = case
    say = [Fraction(w, 64) for w in say[: len(votes)]]
    outputs = MemberOutputs(votes, y, classes=np.arange(n_classes))
    support = VoteCombiner([float(w) for w in say]).predict_proba(outputs)
    for s, row in enumerate(support):
        cast = [
            sum((w for m, w in zip(votes, say, strict=True) if m[s] == c), Fraction(0))
            for c in range(n_classes)
        ]
        assert_allclose(row, [float(c / sum(cast)) for c in cast], **TOLERANCE)
        assert int(row.argmax()) == cast.index(max(cast))
