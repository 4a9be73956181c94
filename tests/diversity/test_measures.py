from itertools import product
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import diversity as naive
from numpy.testing import assert_allclose
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

import counterpoint.diversity as public
from counterpoint import MemberOutputs, OutputCounts, PairCounts
from counterpoint.diversity import (
    MEASURES,
    gain,
    groupwise,
    margins,
    matrix,
    pairwise,
    profile,
    trajectory,
)
from counterpoint.diversity.measures import order_alike

FLAGS = arrays(bool, st.tuples(st.integers(1, 6), st.integers(1, 30)))
ON_FLAGS = [m for m in MEASURES.values() if m.needs == "correct"]


@st.composite
def ballots(draw):
    """Votes, truth and number of classes; few classes, so that ties are common."""
    n_members, n_samples, n_classes = (
        draw(st.integers(1, 6)),
        draw(st.integers(1, 25)),
        draw(st.integers(2, 4)),
    )
    labels = st.integers(0, n_classes - 1)
    votes = draw(arrays(int, (n_members, n_samples), elements=labels))
    return votes, draw(arrays(int, n_samples, elements=labels)), n_classes


def outputs_of(ballot):
    votes, y, n_classes = ballot
    return MemberOutputs(votes, y, classes=np.arange(n_classes))


@pytest.mark.parametrize("measure", ON_FLAGS, ids=attrgetter("name"))
@settings(max_examples=25)
@given(FLAGS, st.data())
def test_every_measure_keeps_its_word(measure, correct, data):
    value = measure.function(correct)
    assert isinstance(value, float)
    assert np.isnan(value) or measure.low - 1e-12 <= value <= measure.high + 1e-12
    members = data.draw(st.permutations(range(len(correct))))
    samples = data.draw(st.permutations(range(correct.shape[1])))
    assert_allclose(measure.function(correct[members][:, samples]), value, atol=1e-12)


BOUNDS = (
    public.forest_bound, public.first_order_bound, public.tandem_bound, public.c_bound
)  # fmt: skip


@pytest.mark.parametrize(
    "function", [*(m.function for m in MEASURES.values()), *BOUNDS], ids=attrgetter("__name__")
)
@pytest.mark.parametrize("weights", [None, "equal", "unequal"])
def test_the_order_of_the_members_changes_no_bit(function, weights):
    rng = np.random.RandomState(0)
    for n_members in (3, 6, 11):
        y = rng.randint(3, size=30)
        votes = np.where(rng.rand(n_members, 30) < 0.6, y, rng.randint(3, size=(n_members, 30)))
        say = {None: None, "equal": np.full(n_members, 0.1), "unequal": rng.rand(n_members)}
        for sample_weight in (None, rng.rand(30)):
            outputs = MemberOutputs(
                votes, y, weights=say[weights], sample_weight=sample_weight, classes=[0, 1, 2]
            )
            shuffled = outputs.take(rng.permutation(n_members))
            assert function(outputs) == function(shuffled)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=attrgetter("name"))
@settings(max_examples=25)
@given(ballots(), st.data())
def test_weights_that_repeat_samples_count_as_repeats(measure, ballot, data):
    votes, y, n_classes = ballot
    times = data.draw(arrays(int, len(y), elements=st.integers(1, 3)))
    weighted = MemberOutputs(votes, y, classes=np.arange(n_classes), sample_weight=times)
    repeated = outputs_of((np.repeat(votes, times, axis=1), np.repeat(y, times), n_classes))
    assert_allclose(measure.function(weighted), measure.function(repeated), atol=1e-9)


@pytest.mark.parametrize("name", naive.CORRECT)
@settings(max_examples=40)
@given(FLAGS)
def test_measures_of_right_and_wrong_match_naive(name, correct):
    expected = naive.CORRECT[name](correct.tolist())
    assert_allclose(MEASURES[name].function(correct), expected, atol=1e-12)


@settings(max_examples=80)
@given(ballots())
def test_measures_of_votes_match_naive(ballot):
    votes, y, n_classes = ballot
    values = profile(outputs_of(ballot))["value"]
    expected = naive.vote_measures(votes.tolist(), y.tolist(), n_classes)
    expected |= naive.label_measures(votes.tolist(), y.tolist(), n_classes)
    for name, value in expected.items():
        assert_allclose(values[name], value, atol=1e-12, err_msg=name)


def test_no_twin_is_missing():
    vote = naive.vote_measures([[0]], [0], 2) | naive.label_measures([[0]], [0], 2)
    assert set(naive.CORRECT) | set(vote) == set(MEASURES)


def test_no_public_measure_is_missing_from_the_table():
    by_hand = {"covariance_with_vote", "vote_margins", "is_competent", "Worth", "worth"}
    by_hand |= {"mean_over_pairs", "coincidences"}
    named = {m.function.__name__ for m in MEASURES.values()}
    for module in (pairwise, groupwise, margins, gain):
        own = {n for n in public.__all__ if getattr(module, n, None) is getattr(public, n)}
        own = {n for n in own if getattr(public, n).__module__ == module.__name__}
        assert own
        assert own - by_hand <= named
    assert named <= set(public.__all__)
    assert [m.name for m in MEASURES.values()] == list(MEASURES)
    assert [m.name for m in MEASURES.values() if m.name != m.function.__name__] == ["q"]


# Kuncheva's worked example: ten classifiers (columns) on fifteen objects (rows), with the values
# her software gives for all ten measures of Kuncheva & Whitaker 2003.
EXAMPLE = """
1000001000 0100101000 1011010110 1001110011 1101110001 1111010000 1010001011 0000100001
0010011001 0100100000 0000010011 1011000001 0101100110 1011111010 1111001001
"""
PUBLISHED = {
    "q": 0.0231,
    "correlation": 0.0156,
    "disagreement": 0.4889,
    "double_fault": 0.3156,
    "entropy": 0.7200,
    "kohavi_wolpert_variance": 0.2200,
    "interrater_kappa": 0.0079,
    "difficulty": 0.0264,
    "generalized_diversity": 0.4365,
    "coincident_failure_diversity": 0.4889,
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_example(name):
    correct = np.array([[int(c) for c in row] for row in EXAMPLE.split()]).T
    assert round(MEASURES[name].function(correct), 4) == PUBLISHED[name]


# Patterns of success and of failure (Kuncheva et al. 2003): three classifiers right on six of
# ten objects each; the vote is right on nine, or on four.
def test_patterns_of_success_and_failure():
    success = np.array(
        [
            [1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 0, 0, 0, 1, 1, 1, 0],
            [0, 0, 0, 1, 1, 1, 1, 1, 1, 0],
        ]
    )
    failure = np.array(
        [
            [1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 0, 1, 1, 0, 0],
            [1, 1, 1, 1, 0, 0, 0, 0, 1, 1],
        ]
    )
    for correct, error, q, differ in ((success, 0.1, -0.5, 0.6), (failure, 0.6, 1 / 3, 0.4)):
        assert_allclose(public.vote_error(correct), error)
        assert_allclose(public.q_statistic(correct), q)
        assert_allclose(public.disagreement(correct), differ)


# -- against scikit-learn ----------------------------------------------------------------------


@settings(max_examples=40)
@given(ballots())
def test_kappa_and_correlation_are_scikit_learns(ballot):
    votes = ballot[0]
    outputs = outputs_of(ballot)
    right = outputs.correct
    for name, peer, said in (
        ("label_kappa", cohen_kappa_score, votes),
        ("kappa", cohen_kappa_score, right),
        ("correlation", matthews_corrcoef, right),
    ):
        values = matrix(outputs, name)
        for i in range(len(votes)):
            for j in range(i):
                if not np.isnan(values[i, j]):  # where ours is undefined theirs warns, or says 0
                    assert_allclose(values[i, j], peer(said[i], said[j]), atol=1e-12)


# -- identities --------------------------------------------------------------------------------


@settings(max_examples=100)
@given(ballots(), st.data())
def test_good_and_bad_diversity_add_up(ballot, data):
    votes, y, n_classes = ballot
    weights = data.draw(arrays(float, len(votes), elements=st.floats(0.1, 5.0)))
    outputs = MemberOutputs(votes, y, classes=np.arange(n_classes), weights=weights)
    value = profile(outputs)["value"]
    total = value["member_error"] - value["good_diversity"] + value["bad_diversity"]
    assert_allclose(value["vote_error"], total, rtol=1e-12, atol=1e-12)
    assert_allclose(value["ambiguity"], value["member_error"] - value["vote_error"], atol=1e-12)
    assert_allclose(
        value["ambiguity_size"], value["good_diversity"] + value["bad_diversity"], atol=1e-12
    )


@settings(max_examples=60)
@given(FLAGS)
def test_kuncheva_and_whitakers_identities(correct):
    """KW = (T - 1) / 2T disagreement; kappa and theta follow from it and the mean accuracy."""
    n, mean = len(correct), correct.mean()
    value = profile(correct)["value"]
    if n < 2:
        return
    assert_allclose(
        value["kohavi_wolpert_variance"], (n - 1) / (2 * n) * value["disagreement"], atol=1e-12
    )
    assert_allclose(
        value["difficulty"], mean * (1 - mean) - value["kohavi_wolpert_variance"], atol=1e-12
    )
    if not np.isnan(value["interrater_kappa"]):
        expected = 1 - n / ((n - 1) * mean * (1 - mean)) * value["kohavi_wolpert_variance"]
        assert_allclose(value["interrater_kappa"], expected, atol=1e-9)


@settings(max_examples=60)
@given(FLAGS)
def test_q_and_correlation_have_the_same_sign(correct):
    q, rho = matrix(correct, "q"), matrix(correct, "correlation")
    both = ~np.isnan(q) & ~np.isnan(rho)
    assert (np.sign(q[both]) == np.sign(rho[both])).all()
    assert (np.abs(rho[both]) <= np.abs(q[both]) + 1e-12).all()


# -- trajectories, matrices, profiles ----------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES.values(), ids=attrgetter("name"))
@settings(max_examples=15)
@given(ballots(), st.data())
def test_trajectory_is_the_measure_of_the_first_members(measure, ballot, data):
    votes, y, n_classes = ballot
    outputs = MemberOutputs(
        votes,
        y,
        classes=np.arange(n_classes),
        weights=data.draw(arrays(float, len(votes), elements=st.floats(0.1, 5.0))),
        sample_weight=data.draw(arrays(float, len(y), elements=st.floats(0.5, 2.0))),
    )
    grown = trajectory(outputs, measure.name)
    expected = [measure.function(outputs.take(slice(t + 1))) for t in range(len(votes))]
    assert_allclose(grown, expected, atol=1e-9)


def test_trajectory_from_flags_alone():
    correct = np.random.default_rng(0).random((7, 40)) < 0.6
    frame = trajectory(correct, ["vote_error", "q", "entropy"])
    assert list(frame.columns) == ["vote_error", "q", "entropy"]
    assert list(frame.index) == list(range(1, 8))
    for t in range(7):
        assert_allclose(frame["vote_error"].iloc[t], public.vote_error(correct[: t + 1]))


def test_profile_of_merged_counts_is_that_of_the_whole():
    correct = np.random.default_rng(0).random((5, 300)) < 0.7
    merged = PairCounts.from_correct(correct[:, :100]) + PairCounts.from_correct(correct[:, 100:])
    frame = profile(merged)
    assert set(frame["kind"]) == {"pair", "group"}
    assert_allclose(frame["value"], profile(correct).loc[frame.index, "value"])
    with pytest.raises(TypeError, match="not on which samples"):
        public.vote_error(merged)


# Of these the limits are not reached by few members on few samples, or are only bounds.
LOOSE = {
    "kappa_error", "ambiguity", "ambiguity_size", "good_diversity", "bad_diversity",
    "disagreement_error_ratio",
}  # fmt: skip


def test_stated_limits_are_reached():
    values = []
    for n_members, n_samples in ((2, 1), (2, 2), (3, 2), (2, 4)):
        y = np.arange(n_samples) % 2
        for votes in product((0, 1), repeat=n_members * n_samples):
            votes = np.reshape(votes, (n_members, n_samples))
            values.append(profile(MemberOutputs(votes, y, classes=[0, 1]))["value"])
    values = pd.DataFrame(values)
    for m in MEASURES.values():
        low, high = values[m.name].min(), values[m.name].max()
        assert m.low - 1e-12 <= low
        assert high <= m.high + 1e-12
        if m.name not in LOOSE:
            assert_allclose([low, high], [m.low, m.high], atol=1e-12, err_msg=m.name)


@pytest.mark.parametrize("name", ["disagreement", "kappa", "q"])
def test_members_alike_become_neighbours(name):
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 60)) < 0.6
    correct = np.stack([one, other] * 3)
    correct[np.arange(6), np.arange(6)] ^= True  # no two are the same
    order = order_alike(matrix(correct, name), name)
    assert sorted(order) == list(range(6))
    assert {frozenset(order[:3]), frozenset(order[3:])} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3, 5}),
    }


def test_an_undefined_pair_is_apart():
    values = np.array([[0.0, np.nan, 0.1], [np.nan, 0.0, 0.1], [0.1, 0.1, 0.0]])
    order = order_alike(values, "disagreement")
    assert order[1] == 2  # what is near to both is between them


def test_profile_of_counted_outputs_is_that_of_the_whole():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    votes = np.where(rng.random((5, 200)) < 0.6, y, rng.integers(3, size=(5, 200)))
    parts = [MemberOutputs(votes[:, s], y[s]) for s in (slice(80), slice(80, None))]
    counted = OutputCounts.from_outputs(parts[0]) + OutputCounts.from_outputs(parts[1])
    frame = profile(MemberOutputs(votes, y))
    assert_allclose(profile(counted).loc[frame.index, "value"], frame["value"])


def test_profile_shows_the_whole_table():
    frame = profile(MemberOutputs([[0, 1, 1], [0, 0, 1]], [0, 1, 1]))
    assert list(frame.index) == list(MEASURES)
    assert isinstance(frame, pd.DataFrame)
    assert set(frame["more_diverse"]) == {"higher", "lower", ""}


def test_matrix_is_symmetric_and_its_mean_the_measure():
    rng = np.random.default_rng(0)
    outputs = MemberOutputs(rng.integers(3, size=(6, 50)), rng.integers(3, size=50))
    for m in MEASURES.values():
        if m.pairwise:
            values = matrix(outputs, m.name)
            assert_allclose(values, values.T)
            assert_allclose(values[np.triu_indices(6, 1)].mean(), m.function(outputs))


def test_covariance_with_vote_is_that_of_member_and_vote():
    rng = np.random.default_rng(0)
    votes, y = rng.integers(3, size=(6, 80)), rng.integers(3, size=80)
    outputs = MemberOutputs(votes, y)
    values = public.covariance_with_vote(outputs)
    assert np.isnan(values[0])
    for t in range(1, 6):
        before = outputs.take(slice(t)).majority == outputs.y
        expected = np.cov(outputs.correct[t], before, bias=True)[0, 1]
        assert_allclose(values[t], expected, atol=1e-12)


# -- what is undefined -------------------------------------------------------------------------

ALWAYS_RIGHT = np.ones((3, 5), dtype=bool)


def test_members_that_are_never_wrong():
    value = profile(ALWAYS_RIGHT)["value"]
    undefined = {
        "q",
        "correlation",
        "kappa",
        "interrater_kappa",
        "generalized_diversity",
        "disagreement_error_ratio",
        "improvement_rate",
    }
    assert set(value.index[value.isna()]) == undefined
    assert value["coincident_failure_diversity"] == 0.0


def test_one_member_has_no_pairs_and_no_group():
    value = profile(np.array([[True, False, True]]))["value"]
    assert value[[m.name for m in ON_FLAGS if m.pairwise]].isna().all()
    assert value["entropy"] != value["entropy"]
    assert_allclose(value["vote_error"], 1 / 3)


def test_an_undefined_pair_does_not_reach_the_mean():
    correct = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]])
    values = matrix(correct, "correlation")
    assert np.isnan(values[0, 1])
    assert public.correlation(correct) == values[1, 2]


def test_one_class_only_leaves_label_kappa_undefined():
    outputs = MemberOutputs([["a", "a"], ["a", "a"]], ["a", "a"])
    assert np.isnan(public.label_kappa(outputs))
    assert public.vote_error(outputs) == 0.0


# -- wrong input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: profile([1, 0, 1]), r"For a single member, pass correct\[None\]"),
        (lambda: profile([["a", "b"]]), "right or wrong"),
        (lambda: profile(np.zeros((0, 3), bool)), "is empty"),
        (lambda: matrix([[1, 0]], "entropy"), "measure='entropy': choose 'q', "),
        (lambda: trajectory([[1, 0]], "quality"), "measure='quality': choose 'member_error'"),
        (lambda: public.label_kappa([[1, 0]]), "needs the members' labels"),
        (lambda: public.vote_error(MemberOutputs([[1, 0]])), "needs the truth"),
    ],
)
def test_wrong_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
