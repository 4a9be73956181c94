import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import subsets as naive

from counterpoint import MemberOutputs
from counterpoint.combiners import MeanCombiner, WeightedVoteCombiner
from counterpoint.diversity.measures import MEASURES
from counterpoint.exceptions import InterruptedFitWarning
from counterpoint.selection import (
    CombinedError,
    Criterion,
    ScorerCriterion,
    VoteError,
    WeightedSum,
    as_criterion,
    order_by_complementarity,
    order_by_error,
    order_by_kappa,
    order_by_margin_distance,
    pareto_front,
    select_backward,
    select_by_order,
    select_exhaustive,
    select_floating,
    select_forward,
    select_genetic,
    select_thinning,
)

SEARCHES = [select_forward, select_backward, select_floating, select_thinning]


def drawn(seed, n_members=6, n_samples=25, n_classes=3, skill=0.4, weighted=False):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_samples)
    y[:n_classes] = np.arange(n_classes)
    votes = np.where(
        rng.random((n_members, n_samples)) < skill, y, rng.integers(n_classes, size=n_samples)
    )
    weight = rng.random(n_samples) if weighted else None
    return MemberOutputs(votes, y, classes=np.arange(n_classes), sample_weight=weight)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_members", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_exhaustive_search_matches_naive(n_classes, n_members, weighted):
    outputs = drawn(0, n_classes=n_classes, weighted=weighted)
    weight = outputs.sample_weight.tolist() if weighted else None
    sizes = range(1, 7) if n_members is None else [n_members]
    error, size, _, members = naive.best_subset(
        outputs.votes.tolist(), outputs.y.tolist(), sizes, weight
    )
    found = select_exhaustive(outputs, n_members=n_members)
    assert found.errors[0] == pytest.approx(error)
    assert len(found.selected) == size
    if not weighted:
        assert tuple(found.selected) == members


@given(st.integers(0, 5000), st.integers(2, 4), st.booleans())
def test_exhaustive_search_is_never_beaten(seed, n_classes, weighted):
    outputs = drawn(seed, n_members=5, n_classes=n_classes, weighted=weighted)
    best = select_exhaustive(outputs).errors[0]
    for search in SEARCHES:
        trace = search(outputs)
        assert trace.errors[trace.best] >= best - 1e-12
    genetic = select_genetic(outputs, n_generations=5, population=8, random_state=seed)
    assert genetic.errors[genetic.best] >= best - 1e-12


@pytest.mark.parametrize("name", ["q", "double_fault", "disagreement"])
def test_exhaustive_search_by_a_measure_is_never_beaten(name):
    outputs = drawn(3)
    best = select_exhaustive(outputs, name).values[0]
    for search in SEARCHES:
        assert np.nanmin(search(outputs, name).values) >= best - 1e-12


@pytest.mark.parametrize("n_classes", [2, 4])
def test_forward_and_backward_match_naive(n_classes):
    outputs = drawn(4, n_classes=n_classes)
    votes, y = outputs.votes.tolist(), outputs.y.tolist()
    assert select_forward(outputs).steps[-1].tolist() == naive.forward(votes, y, 6)
    twice = select_forward(outputs, n_members=9, replace=True)
    assert twice.steps[-1].tolist() == naive.forward(votes, y, 9, replace=True)
    found = [step.tolist() for step in select_backward(outputs).steps]
    assert found == naive.backward(votes, y)


def test_thinning_matches_naive():
    for seed in range(5):
        outputs = drawn(seed)
        found = [step.tolist() for step in select_thinning(outputs, n_members=2).steps]
        assert found == naive.thinning(outputs.votes.tolist(), outputs.y.tolist(), 2)


def test_floating_is_at_least_as_good_as_forward_at_every_size():
    for seed in range(15):
        outputs = drawn(seed, n_members=8)
        forward, floating = select_forward(outputs), select_floating(outputs)
        assert (floating.values <= forward.values + 1e-12).all()
        assert [len(s) for s in floating.steps] == list(range(1, 9))


def test_the_trace_tells_errors_choice_and_weights():
    outputs = drawn(5)
    trace = select_forward(outputs, n_members=10, replace=True)
    for step, error in zip(trace.steps, trace.errors, strict=True):
        counted = outputs.votes[step]
        again = MemberOutputs(counted, outputs.y, classes=outputs.classes)
        assert VoteError().value(again) == pytest.approx(error)
    assert trace.weights.sum() == pytest.approx(1)
    table = trace.table()
    assert table["chosen"].sum() == 1
    assert table["criterion"][trace.best] == table["criterion"].min()


def test_orders_match_naive():
    outputs = drawn(6, n_members=7)
    votes, y = outputs.votes.tolist(), outputs.y.tolist()
    sign = np.where(outputs.correct, 1, -1).tolist()
    assert order_by_margin_distance(outputs).tolist() == naive.margin_distance_order(sign, 0.075)
    assert order_by_complementarity(outputs).tolist() == naive.complementarity_order(votes, y)
    errors = [naive.vote_error(votes, y, [m]) for m in range(7)]
    assert order_by_error(outputs).tolist() == sorted(range(7), key=lambda m: (errors[m], m))
    for order in (order_by_kappa, order_by_margin_distance, order_by_complementarity):
        assert sorted(order(outputs)) == list(range(7))
    trace = select_by_order(outputs, order_by_error(outputs))
    assert [len(s) for s in trace.steps] == list(range(1, 8))


def test_every_measure_is_a_criterion_that_can_be_searched():
    outputs = drawn(7, n_members=4)
    for name in MEASURES:
        assert len(select_forward(outputs, name).selected) >= 1


def test_criteria_by_combiner_scorer_and_sum():
    outputs = drawn(8)
    proba = np.eye(3)[outputs.votes] * 0.7 + 0.1
    soft = MemberOutputs(proba=proba, y=outputs.y, classes=[0, 1, 2])
    assert as_criterion("accuracy").value(soft) == pytest.approx(
        as_criterion(MeanCombiner()).value(soft) - 1
    )
    log_loss = CombinedError(MeanCombiner(), "log-loss").value(soft)
    assert ScorerCriterion("neg_log_loss").value(soft) == pytest.approx(log_loss)
    assert CombinedError(MeanCombiner(), "squared").value(soft) > 0
    both = WeightedSum([VoteError(), "disagreement"], [1, 0.5])
    expected = VoteError().value(soft) + 0.5 * as_criterion("disagreement").value(soft)
    assert both.value(soft) == pytest.approx(expected)
    assert CombinedError(WeightedVoteCombiner()).value(soft) <= 1


def test_genetic_search_keeps_the_best_and_follows_the_seed():
    outputs = drawn(9, n_members=10)
    one = select_genetic(outputs, n_generations=12, random_state=1)
    assert (np.diff(one.values) <= 1e-12).all()
    two = select_genetic(outputs, n_generations=12, random_state=1)
    assert [s.tolist() for s in one.steps] == [s.tolist() for s in two.steps]
    assert one.values[-1] <= VoteError().value(outputs)


def test_ctrl_c_keeps_the_best_so_far():
    class Interrupt(Criterion):
        calls = 0

        def value(self, outputs):
            self.calls += 1
            if self.calls == 61:
                raise KeyboardInterrupt
            return VoteError().value(outputs)

    with pytest.warns(InterruptedFitWarning, match="of 40 generations"):
        trace = select_genetic(drawn(10, n_members=12), Interrupt(), random_state=0)
    assert 1 <= len(trace.steps) < 40


def test_no_subset_of_a_front_beats_another():
    front = pareto_front(drawn(11), ("error", "size"))
    assert (np.diff(front["first"]) > 0).all()
    assert (np.diff(front["second"]) < 0).all()
    assert (front["size"] == front["members"].map(len)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda o: select_forward(o, n_members=9), "pool has 6 members"),
        (lambda o: select_backward(o, n_members=0), "choose from 1 to that many"),
        (lambda o: select_thinning(o, n_members=7), "choose from 1 to that many"),
        (lambda o: select_forward(o, "luck"), "criterion='luck'"),
        (lambda o: select_by_order(o, [9]), "positions of members"),
        (lambda o: order_by_margin_distance(o, objective=2), "objective=2"),
        (lambda o: select_genetic(o, population=2), "population=2: give a whole number from 4"),
        (lambda o: pareto_front(o, ("error",)), "a front is of two"),
        (lambda o: CombinedError(MeanCombiner(), "loss"), "choose 'error', 'log-loss'"),
        (lambda o: WeightedSum(["error"], [1, 2]), "weights of shape"),
        (lambda o: select_exhaustive(drawn(0, n_members=25)), "too many to try all"),
        (lambda o: select_exhaustive(drawn(0, n_members=22), "q"), "too many to try one by one"),
        (lambda o: select_forward(MemberOutputs(o.votes)), "needs the truth"),
    ],
)
def test_wrong_input_says_what_to_change(call, message):
    with pytest.raises(ValueError, match=message):
        call(drawn(0))
