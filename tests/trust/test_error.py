"""The error estimated without labels, tests of population, alarms over time."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.isotonic import IsotonicRegression

from counterpoint import MemberOutputs, MemberPredictions
from counterpoint._predictions import member_predictions
from counterpoint.trust import (
    METHODS,
    ErrorMethod,
    SelfTraining,
    SequentialAlarm,
    classifier_test,
    column_tests,
    detect_shift,
    disagreement_test,
    error_by_segment,
    estimate_error,
    output_tests,
)
from counterpoint.trust.error_methods import AgreementLine, Check, Seen
from counterpoint.trust.sequential import log_bet


@pytest.fixture(scope="module")
def forest():
    X, y = make_classification(3000, 8, n_informative=5, flip_y=0.1, random_state=0)
    model = RandomForestClassifier(40, max_depth=6, random_state=0).fit(X[:800], y[:800])
    return model, X, y


def asked(forest, rows, truth=False, move=0.0):
    model, X, y = forest
    return MemberOutputs.from_estimator(model, X[rows] + move, y[rows] if truth else None)


def wrong(forest, rows, move=0.0):
    model, X, y = forest
    return np.mean(model.predict(X[rows] + move) != y[rows])


REFERENCE, NEW = np.arange(800, 1800), np.arange(1800, 3000)


def test_without_a_shift_every_method_is_near_and_trusted(forest):
    reference, new = asked(forest, REFERENCE, truth=True), asked(forest, NEW)
    told = estimate_error(reference, new, random_state=0)
    true = wrong(forest, NEW)
    assert told.low <= true <= told.high
    assert abs(told.error - true) < 0.03
    assert told.reference_error == pytest.approx(wrong(forest, REFERENCE))
    near = told.methods.drop("agreement-line")["estimate"]
    assert (np.abs(near - true) < 0.04).all()
    assert told.trusted
    assert told.methods["weight"].sum() == pytest.approx(1)
    assert told.table()["method"].iloc[0] == "combined"
    assert set(told.methods.index) == {method.name for method in METHODS}


def test_hard_rows_are_seen_and_warned_of(forest):
    model, X, _ = forest
    sure = model.predict_proba(X).max(axis=1)
    hard = NEW[sure[NEW] < np.median(sure[NEW])]
    reference = asked(forest, REFERENCE, truth=True)
    told = estimate_error(reference, asked(forest, hard), random_state=0)
    true = wrong(forest, hard)
    assert told.error > told.reference_error + 0.05
    assert abs(told.error - true) < 0.08  # rows below the median of confidence: a hard shift
    assert not told.trusted  # the new rows differ: no assumption is known to hold
    assert "differ in" in told.notes[0]
    assert told.per_class["new_error"].mean() > told.per_class["reference_error"].mean()


def test_confidence_is_the_naive_twin(forest):
    reference, new = asked(forest, REFERENCE, truth=True), asked(forest, NEW)
    told = estimate_error(reference, new, methods=["confidence"], n_draws=2, random_state=0)
    p, q = reference.proba.mean(axis=0)[:, 1], new.proba.mean(axis=0)[:, 1]
    fitted = IsotonicRegression(out_of_bounds="clip").fit(p, reference.y)
    sure = fitted.predict(q)
    assert told.error == pytest.approx(np.mean(np.where(q > 0.5, 1 - sure, sure)), abs=1e-9)


def test_threshold_is_the_error_on_the_reference_itself(forest):
    reference = asked(forest, REFERENCE, truth=True)
    told = estimate_error(reference, reference, methods=["threshold", "disagreement"], n_draws=2)
    assert told.methods["estimate"].to_numpy() == pytest.approx(told.reference_error)


def test_the_agreement_line_is_least_squares():
    """As published: a system of pairs, solved by any library's least squares."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    right = rng.random((6, 500)) < np.linspace(0.6, 0.9, 6)[:, None]
    reference = MemberOutputs(np.where(right, y, 1 - y), y)
    worse = rng.random((6, 500)) < np.linspace(0.55, 0.8, 6)[:, None]
    new = MemberOutputs(np.where(worse, y, 1 - y))
    method = AgreementLine()
    before, after = Seen(reference), Seen(new)
    ours = method.estimate(method.learn(before, before.weight), after, after.weight)
    models = [np.vstack([o.votes, Seen(o).answer[None]]) for o in (reference, new)]
    pairs = [(i, j) for i in range(7) for j in range(i + 1, 7)]
    agree = [np.array([norm.ppf(np.mean(m[i] == m[j])) for i, j in pairs]) for m in models]
    accuracy = norm.ppf((models[0] == y).mean(axis=1))
    slope = np.polyfit(agree[0], agree[1], 1)[0]
    A = np.zeros((len(pairs), 7))
    for row, (i, j) in zip(A, pairs):
        row[[i, j]] = 0.5
    mean = np.array([(accuracy[i] + accuracy[j]) / 2 for i, j in pairs])
    solved = np.linalg.lstsq(A, agree[1] + slope * (mean - agree[0]), rcond=None)[0]
    assert ours == pytest.approx(1 - norm.cdf(solved[-1]))


def test_self_training_differs_where_the_ensemble_is_wrong(forest):
    _, X, y = forest
    check = SelfTraining(X[:800], y[:800], X[NEW], n_estimators=2, n_rounds=2, random_state=0)
    reference, new = asked(forest, REFERENCE, truth=True), asked(forest, NEW)
    told = estimate_error(reference, new, methods=[check, "confidence"], n_draws=2, random_state=0)
    row = told.methods.loc["self-training"]
    assert 0 < row["estimate"] < 3 * wrong(forest, NEW)
    assert row["holds"] is None
    check = SelfTraining(X[:800], y[:800], X[:3])
    with pytest.raises(ValueError, match="X_new has 3 rows"):
        estimate_error(reference, new, methods=[check], n_draws=2)


def test_a_method_of_ones_own(forest):
    class Fixed(ErrorMethod):
        name, assumption = "fixed", "it is always the same"

        def learn(self, reference, weight):
            return reference.error(weight)

        def estimate(self, learnt, new, weight):
            return learnt

        def check(self, reference, new):
            return Check(True, "of course")

    reference, new = asked(forest, REFERENCE, truth=True), asked(forest, NEW)
    told = estimate_error(reference, new, methods=[Fixed()], n_draws=5)
    assert told.error == pytest.approx(told.reference_error)


def test_numbers_by_their_spread():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(1500, 2))
    y = np.sin(2 * X[:, 0]) * X[:, 1] + rng.normal(0, 0.1, size=1500)
    model = RandomForestRegressor(30, random_state=0).fit(X[:300], y[:300])

    def said(rows, truth=True):
        return MemberPredictions(member_predictions(model, X[rows]), y[rows] if truth else None)

    reference = said(slice(300, 900))
    told = estimate_error(reference, said(slice(900, 1500), truth=False), random_state=0)
    true = np.mean((model.predict(X[900:]) - y[900:]) ** 2)
    assert told.low <= true <= told.high
    assert told.trusted
    outer = np.arange(900, 1500)[np.abs(X[900:1500]).max(axis=1) > 1.8]
    true = np.mean((model.predict(X[outer]) - y[outer]) ** 2)
    edge = estimate_error(reference, said(outer, truth=False), random_state=0)
    assert true > told.error
    assert edge.error > told.error
    assert not edge.trusted


def test_the_segment_that_got_worse_is_found(forest):
    model, X, _ = forest
    before, after = X[REFERENCE], X[NEW].copy()
    part = after[:, 0] > 0.5
    after[part, 1:] = 0.6 * after[part, 1:]  # members become unsure there
    reference = asked(forest, REFERENCE, truth=True)
    new = MemberOutputs.from_estimator(model, after)
    table = error_by_segment(reference, new, before, after, random_state=0)
    assert table["reference_share"].sum() == pytest.approx(1)
    assert table["new_share"].sum() == pytest.approx(1)
    assert (table["adds"].diff().dropna() <= 1e-12).all()
    frame = error_by_segment(
        reference, reference, pd.DataFrame({"kind": np.where(before[:, 0] > 0, "a", "b")}),
        pd.DataFrame({"kind": np.where(before[:, 0] > 0, "a", "b")}), random_state=0,
    )  # fmt: skip
    assert (frame["p_holm"].dropna() > 0.01).all()


# -- population --------------------------------------------------------------------------------


def test_tests_of_columns_see_what_changed():
    rng = np.random.default_rng(0)
    before = pd.DataFrame({"a": rng.normal(size=400), "b": rng.choice(["x", "y"], 400)})
    after = before.assign(a=before["a"] + 1, b="x")
    after.loc[:40, "a"] = np.nan
    told = column_tests(before, after).set_index("column")
    assert (told["p_holm"] < 1e-6).all()
    assert told.loc["a", "test"] == "Kolmogorov-Smirnov, gaps"
    same = column_tests(before, before)
    assert (same["p_holm"] > 0.9).all()


def test_a_forest_sees_what_columns_alone_do_not():
    rng = np.random.default_rng(0)
    a = rng.normal(size=600)
    before = np.stack([a, a + rng.normal(0, 0.1, 600)], axis=1)
    after = np.stack([a, rng.permutation(before[:, 1])], axis=1)
    assert column_tests(before, after)["p_holm"].min() > 0.05
    assert classifier_test(before, after, n_estimators=20, random_state=0)[1] < 1e-6
    p = [classifier_test(rng.normal(size=(60, 2)), rng.normal(size=(60, 2)), n_estimators=10,
                         random_state=s)[1] for s in range(8)]  # fmt: skip
    assert np.sum(np.array(p) < 0.05) <= 2


def test_disagreement_that_changed_is_seen(forest):
    reference = asked(forest, REFERENCE)
    assert output_tests(reference, asked(forest, NEW))["p_holm"].min() > 0.01
    moved = detect_shift(reference, asked(forest, NEW, move=1.0))
    assert moved["p_holm"].min() < 1e-6


def test_constrained_models_disagree_off_the_population():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3))
    y = (X[:, 0] > 0).astype(int)
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(X[:300], y[:300])
    far = disagreement_test(model, X[:300], X[300:], X[600:640] + np.array([0, 5, 0]), n_trials=19,
                            random_state=0)  # fmt: skip
    assert far.p == 0.05
    near = [
        disagreement_test(model, X[:300], X[300:600], X[600 + 5 * s :][:30], n_trials=19,
                          random_state=s).p for s in range(6)
    ]  # fmt: skip
    assert np.mean(near) > 0.2
    assert len(far.table()) == 20
    assert np.nanmax(far.rows) == 1


def test_false_alarms_are_rare_for_ever():
    """120 streams of 20 batches against one reference each: tests share it and still hold."""
    rng = np.random.default_rng(0)
    from counterpoint.trust.drift import number_test

    alarms = 0
    for _ in range(120):
        reference = rng.normal(size=300)
        alarm = SequentialAlarm(0.1)
        verdicts = [alarm.update(number_test(reference, rng.normal(size=40))[1]) for _ in range(20)]
        alarms += any(v.alarm for v in verdicts)
    assert alarms <= binom.ppf(0.999, 120, 0.1)


def test_slow_changes_add_up():
    alarm = SequentialAlarm(0.05)
    verdicts = [alarm.update(0.02) for _ in range(40)]
    assert not verdicts[0].alarm
    first = next(v for v in verdicts if v.alarm)
    assert first.reason == "batches together"
    assert alarm.state.alarmed
    assert not SequentialAlarm(0.05).update(float("nan")).alarm


def test_the_bet_is_fair():
    """The mean e value of an even p value is 1: integrated where it is not singular."""
    from scipy.integrate import quad

    whole = sum(quad(lambda p: np.exp(log_bet(p)), a, b)[0]
                for a, b in ((1e-12, 1e-6), (1e-6, 1e-2), (1e-2, 1)))  # fmt: skip
    # What lies below 1e-12 is 1 / log(1e12).
    assert whole + 1 / np.log(1e12) == pytest.approx(1, abs=5e-3)


# -- bad input ---------------------------------------------------------------------------------


def test_a_batch_of_one_row_and_an_empty_one(forest):
    reference = asked(forest, REFERENCE, truth=True)
    told = estimate_error(reference, asked(forest, NEW[:1]), random_state=0)
    assert 0 <= told.error <= 1
    assert any("one new row" in note for note in told.notes)
    with pytest.raises(ValueError, match=r"0 sample|empty"):
        asked(forest, NEW[:0])


def test_a_tiny_reference_is_said_to_be_one(forest):
    told = estimate_error(asked(forest, REFERENCE[:8], truth=True), asked(forest, NEW[:50]))
    assert any("nothing could be tried" in note for note in told.notes)
    assert told.low <= told.error <= told.high


def test_weights_are_repeats(forest):
    model, X, y = forest
    times = np.random.default_rng(0).integers(1, 4, size=300)
    rows = REFERENCE[:300]
    weighted = MemberOutputs.from_estimator(model, X[rows], y[rows], sample_weight=times)
    repeated = asked(forest, np.repeat(rows, times), truth=True)
    new = asked(forest, NEW)
    a, b = (
        estimate_error(r, new, random_state=0).methods["estimate"] for r in (weighted, repeated)
    )
    np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda o: o.take([0, 1]), "has 40 members and new= 2"),
        (lambda o: MemberOutputs(o.votes, names=o.names), "probabilities, the other only votes"),
        (lambda o: o.over(np.array([0, 1, 2])), r"knows the classes \[0, 1\]"),
        (lambda o: 3, "new=3: pass MemberOutputs"),
        (lambda o: MemberPredictions([[1.0]]), "predictions of regressors"),
    ],
)
def test_other_members_or_classes_are_told(forest, change, message):
    reference = asked(forest, REFERENCE, truth=True)
    with pytest.raises((ValueError, TypeError), match=message):
        estimate_error(reference, change(asked(forest, NEW[:20])))


def test_a_reference_without_truth_is_told(forest):
    with pytest.raises(ValueError, match="reference= has no truth"):
        estimate_error(asked(forest, REFERENCE), asked(forest, NEW))
    one = asked(forest, REFERENCE, truth=True).take([0])
    with pytest.raises(ValueError, match="'disagreement' needs 2 members"):
        estimate_error(one, asked(forest, NEW).take([0]), methods=["disagreement"])
    told = estimate_error(one, asked(forest, NEW).take([0]), n_draws=2)
    assert "disagreement" not in told.methods.index
