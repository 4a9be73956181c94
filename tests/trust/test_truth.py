"""Votes without truth: planted voters are recovered, EM climbs, copies are found."""

import numpy as np
import pytest
from naive import truth as naive

from counterpoint import MemberOutputs, MemberPredictions
from counterpoint.datasets import make_judges, make_votes
from counterpoint.trust import TRUTH_METHODS, VoteLog, copying_pairs, estimate_truth


@pytest.mark.parametrize(("n_classes", "missing"), [(2, 0.0), (3, 0.3)])
def test_dawid_skene_is_the_naive_twin(n_classes, missing):
    votes = make_votes(40, n_members=5, n_classes=n_classes, missing=missing, random_state=1).votes
    ours = estimate_truth(votes, discount=False, smoothing=0, max_iter=8, tol=0)
    proba, confusion = naive.dawid_skene(votes.tolist(), n_classes, 8)
    np.testing.assert_allclose(ours.proba, proba, atol=1e-8)
    np.testing.assert_allclose(ours.confusion, confusion, atol=1e-8)


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_planted_confusion_matrices_are_recovered(missing):
    made = make_votes(6000, n_members=8, n_classes=3, missing=missing, random_state=0)
    found = estimate_truth(made.votes, discount=False)
    assert np.abs(found.confusion - made.confusion).max() < 0.06
    assert np.abs(found.proba.mean(axis=0) - 1 / 3).max() < 0.03


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "glad"])
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_em_never_lowers_the_likelihood(method, smoothing):
    rng = np.random.default_rng(0)
    for seed in range(5):
        made = make_votes(120, n_classes=2 + seed % 3, low=0.3, missing=0.3, random_state=seed)
        votes = VoteLog.from_array(made.votes, sample_weight=rng.random(120) + 0.1)
        weights = rng.random(7) + 0.2
        found = estimate_truth(
            votes, method=method, smoothing=smoothing, weights=weights, discount=False, tol=0,
            max_iter=60,
        )  # fmt: skip
        assert np.diff(found.objective).min() > -1e-9


def test_the_spectral_learner_is_the_naive_twin():
    from counterpoint.trust.spectral import spectral_weights

    made = make_votes(300, n_members=6, random_state=2)
    signs = np.where(made.votes == 1, 1, -1).tolist()
    ours = spectral_weights(VoteLog.from_array(made.votes), 1)
    np.testing.assert_allclose(ours, naive.spectral_weights(signs), rtol=1e-6)
    # Balanced accuracies order the weights (Parisi et al. 2014, lemma 1).
    made = make_votes(20_000, n_members=6, random_state=2)
    ours = spectral_weights(VoteLog.from_array(made.votes), 1)
    balanced = made.confusion[:, [0, 1], [0, 1]].mean(axis=1)
    assert np.corrcoef(ours, balanced)[0, 1] > 0.99


@pytest.mark.parametrize("method", TRUTH_METHODS)
def test_every_method_beats_the_average_voter(method):
    made = make_votes(800, n_members=9, n_classes=3, missing=0.2, random_state=5)
    found = estimate_truth(made.votes, method=method)
    np.testing.assert_allclose(found.proba.sum(axis=1), 1)
    right = np.mean(found.labels == made.truth)
    own = [np.mean(row[row != None] == made.truth[row != None]) for row in made.votes]  # noqa: E711
    assert right > np.mean(own) + 0.05
    assert np.abs(found.accuracy - own).max() < 0.1


def test_limits_hold_the_accuracy():
    held = []
    for seed in range(25):
        made = make_votes(150, n_members=6, random_state=seed)
        found = estimate_truth(made.votes, random_state=0, discount=False)
        own = (made.votes == made.truth).mean(axis=1)
        held.append((found.low <= own) & (own <= found.high))
    assert np.mean(held) > 0.9


def test_copies_are_found_and_count_less():
    made = make_votes(800, low=0.6, high=0.8, copies={5: 4, 6: 4}, copied=0.95, random_state=3)
    pairs = copying_pairs(made.votes)
    found = {(a, b) for a, b in zip(pairs["first"], pairs["second"])}
    assert found == {("member 4", "member 5"), ("member 4", "member 6"), ("member 5", "member 6")}
    fooled = np.mean(estimate_truth(made.votes, discount=False).labels == made.truth)
    mended = estimate_truth(made.votes)
    assert np.mean(mended.labels == made.truth) > fooled + 0.05
    assert (mended.say[4:] < 0.4).all()
    assert (mended.say[:4] == 1).all()


def test_independent_voters_are_not_called_copies():
    named = [
        len(copying_pairs(make_votes(300, n_members=8, n_classes=2 + s % 3, random_state=s).votes))
        for s in range(20)
    ]
    assert np.count_nonzero(named) <= 1


def test_weights_of_samples_are_repeats():
    made = make_votes(30, random_state=0)
    times = np.random.default_rng(0).integers(1, 4, size=30)
    weighted = VoteLog.from_array(made.votes, sample_weight=times)
    repeated = np.repeat(made.votes, times, axis=1)
    ours = estimate_truth(weighted, discount=False)
    theirs = estimate_truth(repeated, discount=False)
    np.testing.assert_allclose(np.repeat(ours.proba, times, axis=0), theirs.proba, atol=1e-6)
    np.testing.assert_allclose(ours.accuracy, theirs.accuracy, atol=1e-6)


def test_outputs_arrays_and_logs_are_read_alike():
    votes = make_votes(40, random_state=0).votes
    outputs = MemberOutputs(votes)
    assert outputs.y is None
    a, b = estimate_truth(votes), estimate_truth(outputs)
    np.testing.assert_array_equal(a.proba, b.proba)
    who, at = np.divmod(np.arange(votes.size), 40)
    log = VoteLog([f"member {k}" for k in who], at, votes.ravel())
    np.testing.assert_allclose(estimate_truth(log).proba, a.proba)


def test_judges_are_as_told():
    log, truth = make_judges(400, random_state=1)
    found = estimate_truth(VoteLog(log["judge"], log["question"], log["label"]))
    assert np.mean(found.labels == truth.loc[found.samples]) > 0.9
    assert ("delta-1", "delta-2") in set(zip(found.copies["first"], found.copies["second"]))
    table = found.table().set_index("member")
    assert table["accuracy"].idxmin() == "haze"
    assert set(found.sample_table()) == {"sample", "label", "probability"}


# -- bad input ---------------------------------------------------------------------------------


def test_one_voter_is_believed_and_said_so():
    found = estimate_truth([[0, 1, 1, 0]])
    assert found.labels.tolist() == [0, 1, 1, 0]
    assert "nobody to hold its votes against" in found.notes[0]


def test_voters_that_agree_always():
    found = estimate_truth([[0, 1, 1, 0]] * 5)
    assert found.labels.tolist() == [0, 1, 1, 0]
    assert any("never disagree" in note for note in found.notes)


def test_items_with_one_vote_or_none():
    found = estimate_truth([["a", None, "b", None], ["a", "b", None, None], ["a", "b", "b", None]])
    assert any("1 samples have no vote" in note for note in found.notes)
    np.testing.assert_allclose(found.proba.sum(axis=1), 1)
    alone = estimate_truth([["a", "b", None], ["a", None, None], [None, "b", "a"]])
    assert any("1 of 3 samples have one vote only" in note for note in alone.notes)


def test_a_class_that_one_voter_says_only():
    found = estimate_truth([[0, 1, 2, 0], [0, 1, 1, 0], [0, 1, 1, 0]])
    assert any("one voter only ever says 2" in note for note in found.notes)


def test_one_class_only():
    found = estimate_truth([["a", "a"], ["a", "a"]], method="one-coin")
    assert found.proba.tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimate_truth([]), "votes has shape"),
        (lambda: estimate_truth([[None, None]]), "gaps only"),
        (lambda: estimate_truth([[0, "a"]]), "mixes labels of types"),
        (lambda: estimate_truth("votes.csv"), "pass a VoteLog"),
        (lambda: estimate_truth([[0, 1]], weights=[1, 2]), r"weights has shape \(2,\)"),
        (lambda: estimate_truth([[0, 1]], method="em"), "method='em': choose"),
        (lambda: estimate_truth(MemberPredictions([[1.0]])), "predictions of regressors"),
        (lambda: VoteLog(["a", "a"], [1, 1], [0, 1]), "votes on sample"),
        (lambda: VoteLog(["a"], [1, 2], [0]), "got member 1, sample 2, label 1"),
        (lambda: VoteLog(["a"], [1], ["x"], classes=["y", "z"]), "not in classes"),
        (lambda: VoteLog([], [], []), "no vote at all"),
        (lambda: make_votes(5, copies={1: 2, 2: 0}), "copies itself"),
    ],
)
def test_wrong_votes_are_told(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_of_many_voters_nobody_looks_for_copies():
    votes = make_votes(40, n_members=301, random_state=0).votes
    with pytest.raises(ValueError, match="among 300 at most"):
        copying_pairs(votes)
    assert any("more than 300 voters" in note for note in estimate_truth(votes).notes)
