"""Numbers of regressors side by side, and what outputs share with them."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from counterpoint import MemberOutputs, MemberPredictions, member_predictions
from counterpoint.combiners import MeanCombiner, MedianCombiner, WeightedMeanCombiner
from counterpoint.selection import (
    LogLoss,
    ScorerCriterion,
    bagged_weights,
    select_backward,
    select_exhaustive,
    select_floating,
    select_forward,
    select_genetic,
)
from counterpoint.selection.judge import Judge, make_judge


@pytest.fixture(scope="module")
def forest():
    X, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(6, max_depth=3, random_state=0).fit(X[:200], y[:200])
    return MemberPredictions(member_predictions(model, X[200:]), y[200:])


def test_numbers_are_combined(forest):
    np.testing.assert_allclose(MeanCombiner().predict(forest), forest.values.mean(axis=0))
    weighted = MemberPredictions(forest.values, forest.y, weights=[1, 0, 0, 0, 0, 3])
    expected = (forest.values[0] + 3 * forest.values[5]) / 4
    np.testing.assert_allclose(MeanCombiner().predict(weighted), expected)
    middle = MedianCombiner().predict(forest)
    np.testing.assert_array_equal(middle, np.median(forest.values, axis=0))
    rule = WeightedMeanCombiner().fit(forest)
    gap = ((rule.predict(forest) - forest.y) ** 2).mean()
    assert gap <= forest.errors.min() + 1e-9
    best = WeightedMeanCombiner("best").fit(forest)
    np.testing.assert_array_equal(best.predict(forest), forest.values[forest.errors.argmin()])
    third = WeightedMeanCombiner("best-third").fit(forest)
    np.testing.assert_allclose(
        third.predict(forest), forest.values[np.argsort(forest.errors)[:2]].mean(axis=0)
    )
    with pytest.raises(ValueError, match="choose 'least-squares', 'best', 'best-third'"):
        WeightedMeanCombiner("accuracy").fit(forest)


@pytest.mark.parametrize(
    ("values", "y", "message"),
    [
        ([[1.0, 2.0]], [1.0, None], "y has nan at sample 1"),
        ([[1.0, np.nan]], None, "values has nan at member 0, sample 1"),
        ([[1.0, 1e200]], None, r"values has 1e\+200 at member 0, sample 1.*Divide by"),
        ([[1.0, 2.0]], [1.0], "y has 1 samples, but values"),
    ],
)
def test_numbers_that_are_none_are_named(values, y, message):
    with pytest.raises(ValueError, match=message):
        MemberPredictions(values, y)


@pytest.mark.parametrize(
    "search", [select_backward, select_exhaustive, select_floating, select_forward, select_genetic]
)
def test_searches_take_numbers(forest, search):
    options = {"random_state": 0} if search is select_genetic else {}
    trace = search(forest, "neg_mean_squared_error", **options)
    best = select_exhaustive(forest, "neg_mean_squared_error").values.min()
    assert best - 1e-9 <= trace.values.min() <= forest.errors.min()
    np.testing.assert_allclose(trace.values, trace.errors)


def test_a_running_mean_is_the_mean(forest):
    for outputs, criterion in [
        (forest, ScorerCriterion("neg_median_absolute_error")),
        (classes(), LogLoss()),
    ]:
        running, plain = make_judge(outputs, criterion), Judge(outputs, criterion)
        assert running.is_running
        for members in ([0], [0, 2], [0, 2, 2], [3, 1], [3, 1, 4]):
            assert running.value(members) == pytest.approx(plain.value(members))
            joined = running.changed(members, [0, 1, 5], sign=1)
            np.testing.assert_allclose(joined, plain.changed(members, [0, 1, 5], sign=1))


def classes():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=40)
    proba = rng.dirichlet(np.ones(3), size=(6, 40))
    return MemberOutputs(proba=proba, y=y, sample_weight=rng.random(40))


def test_bags_draw_members_and_average():
    outputs = classes()
    one = bagged_weights(outputs, n_bags=1, random_state=0)
    trace = select_forward(outputs, "log-loss", n_members=40, replace=True, tol=1e-6)
    np.testing.assert_allclose(one[trace.selected], trace.weights)
    many = bagged_weights(outputs, n_bags=10, random_state=0)
    assert many.sum() == pytest.approx(1)
    assert (many > 0).sum() >= (one > 0).sum()
    with pytest.raises(ValueError, match="share=0: give a number above 0"):
        bagged_weights(outputs, share=0)


def test_bags_of_rows_are_means_of_selections_on_halves_of_the_rows():
    outputs = classes()
    rng = np.random.RandomState(0)
    wanted = np.zeros(6)
    halves = [np.arange(40), *(np.sort(rng.permutation(40)[:20]) for _ in range(3))]
    for rows in halves:
        trace = select_forward(
            outputs.take_rows(rows), "log-loss", n_members=40, replace=True, tol=1e-6
        )
        wanted[trace.selected] += trace.weights / 4
    found = bagged_weights(outputs, n_bags=4, bags="rows", random_state=0)
    np.testing.assert_allclose(found, wanted)
    # Rows without weight are in no bag.
    some = outputs.take_rows(np.arange(30))
    weight = np.append(np.ones(30), np.zeros(10))
    weighted = MemberOutputs(proba=outputs.proba, y=outputs.y, sample_weight=weight)
    plain = MemberOutputs(proba=some.proba, y=some.y)
    np.testing.assert_allclose(
        bagged_weights(weighted, bags="rows", random_state=0),
        bagged_weights(plain, bags="rows", random_state=0),
    )
    with pytest.raises(ValueError, match=r"bags='columns'.*'members', 'rows'"):
        bagged_weights(outputs, bags="columns")


def test_one_strong_member_of_few_is_in_every_bag_of_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    strong, weak = np.where(y, 0.8, 0.2), np.clip(rng.normal(0.5, 0.1, size=(4, 500)), 0.01, 0.99)
    second = np.vstack([strong[None], weak])
    outputs = MemberOutputs(proba=np.stack([1 - second, second], axis=2), y=y)
    by_members, by_rows = (
        bagged_weights(outputs, bags=bags, random_state=0)[0] for bags in ("members", "rows")
    )
    assert by_members < 0.8 < 0.99 < by_rows


def test_outputs_over_more_classes_and_fewer_rows():
    outputs = MemberOutputs([["a", "c"], ["c", "c"]], ["a", "c"], classes=["a", "c"])
    wide = outputs.over(np.array(["a", "b", "c"]))
    assert wide.votes.tolist() == [[0, 2], [2, 2]]
    assert wide.y.tolist() == [0, 2]
    assert wide.take_rows([1]).correct.tolist() == [[True], [True]]
    assert outputs.answer.tolist() == [0, 1]
    flags = MemberOutputs.from_correct([[1, 0, 1]]).take_rows([0, 2])
    assert flags.correct.all()


def test_wrong_input_says_what_to_change(forest):
    with pytest.raises(ValueError, match="looks transposed"):
        MemberPredictions(forest.values.T, forest.y)
    with pytest.raises(ValueError, match="needs the truth"):
        MemberPredictions(forest.values).errors  # noqa: B018
