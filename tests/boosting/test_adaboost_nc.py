import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import boosting as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import AdaBoostClassifier as ScikitLearnAdaBoost
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostM1Classifier,
    AdaBoostNCClassifier,
    DiversityStopping,
    ErrorStopping,
)
from counterpoint.diversity import MEASURES, covariance_with_vote
from counterpoint.trees import HistTreeClassifier, PrunedTreeClassifier

DATA = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "cancer": load_breast_cancer(return_X_y=True),
    "five classes": make_classification(
        300, 8, n_informative=6, n_classes=5, n_clusters_per_class=1, random_state=0
    ),
}
X, Y = DATA["cancer"]
STUMP, SHALLOW = HistTreeClassifier(max_depth=1), HistTreeClassifier(max_depth=2)
LEARNERS = {
    "histogram tree": HistTreeClassifier(max_depth=2),
    "pruned histogram tree": PrunedTreeClassifier(grower="hist"),
    "pruned tree": PrunedTreeClassifier(),
    "scikit-learn tree": DecisionTreeClassifier(max_depth=2),
    "naive Bayes": GaussianNB(),
    "pipeline": make_pipeline(StandardScaler(), GaussianNB()),
}


def replay(model, X, y, lam):
    """The algorithm of Wang and Yao (2010) on the votes the members of a fitted model cast."""
    codes = np.searchsorted(model.classes_, y)
    votes = np.searchsorted(model.classes_, model.member_predict(X))
    return naive.adaboost_nc(votes.tolist(), codes.tolist(), len(model.classes_), lam), votes


# -- against the paper ---------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [STUMP, PrunedTreeClassifier(grower="hist")], ids=repr)
@pytest.mark.parametrize("lam", [0.0, 2.0, 9.0])
@pytest.mark.parametrize("data", ["iris", "cancer", "five classes"])
def test_weights_follow_wang_and_yao(data, lam, learner):
    X, y = DATA[data]
    model = AdaBoostNCClassifier(learner, n_estimators=6, lam=lam, on_failure="stop").fit(X, y)
    rounds, _ = replay(model, X, y, lam)
    # A perfect last member has no weight by the formula.
    usable = len(rounds) - (model.stop_reason_ == "perfect")
    assert_allclose(
        model.estimator_weights_[:usable], [r["alpha"] for r in rounds[:usable]], rtol=1e-6
    )
    for column in ("error", "penalty", "ambiguity", "z"):
        expected = [r[column] for r in rounds[:usable]]
        assert_allclose(model.history_[column][:usable], expected, rtol=1e-6, atol=1e-12)
    assert_allclose(
        model.history_["covariance"][1:usable],
        [r["covariance"] for r in rounds[1:usable]],
        atol=1e-12,
    )


@settings(max_examples=60)
@given(st.data())
def test_theorem_1_is_an_equality_for_the_exponential_loss(data):
    """mean(exp(-y sum(alpha f))) = prod(Z) * sum(D / prod(p ** lam)), alpha half of SAMME's."""
    n, t = data.draw(st.integers(2, 15)), data.draw(st.integers(1, 6))
    lam = data.draw(st.sampled_from([0.0, 0.5, 2.0, 9.0]))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    y = data.draw(bits)
    members = [data.draw(bits) for _ in range(t)]
    for member in members:  # somebody right, somebody wrong, or alpha does not exist
        member[0], member[1] = y[0], 1 - y[1]
    rounds = naive.adaboost_nc(members, y, 2, lam)
    score = np.zeros(n)
    shrunk = np.ones(n)
    for member, r in zip(members, rounds):
        score += r["alpha"] / 2 * np.where(np.array(member) == y, 1.0, -1.0)
        shrunk *= np.array(r["p"]) ** lam
        assert all(0.5 <= p <= 1 for p in r["p"])  # equation 2
    left = np.mean(np.exp(-score))
    right = np.prod([r["z"] for r in rounds]) * np.sum(np.array(rounds[-1]["weight"]) / shrunk)
    assert_allclose(left, right, rtol=1e-9)
    assert np.mean(score < 0) <= left * (1 + 1e-12)  # the bound on the training error


@pytest.mark.parametrize("lam", [0.0, 3.0])
def test_alpha_is_where_z_is_least(lam):
    model = AdaBoostNCClassifier(STUMP, n_estimators=4, lam=lam).fit(X, Y)
    rounds, votes = replay(model, X, Y, lam)
    weight = np.full(len(Y), 1 / len(Y))
    for member, r in zip(votes, rounds):
        pulled = weight * np.array(r["p"]) ** lam
        sign = np.where(member == Y, -1.0, 1.0)
        around = r["alpha"] + np.linspace(-1, 1, 201)
        z = [(pulled * np.exp(sign * a / 2)).sum() for a in around]
        assert around[np.argmin(z)] == pytest.approx(r["alpha"], abs=1e-9)
        weight = np.array(r["weight"])


def test_eastwood_writes_the_same_update():
    """Eastwood 2010, equations 3.16 and 3.17: w / (1 + B r), alpha = 1/2 ln((1 + r) / (1 - r))."""
    model = AdaBoostNCClassifier(STUMP, n_estimators=5, lam=0.0).fit(X, Y)
    rounds, votes = replay(model, X, Y, 0.0)
    weight = np.full(len(Y), 1 / len(Y))
    for member, r in zip(votes, rounds):
        B = np.where(member == Y, 1.0, -1.0)
        edge = weight @ B
        assert_allclose(r["alpha"] / 2, 0.5 * np.log((1 + edge) / (1 - edge)))
        weight = weight / (1 + B * edge)
        weight /= weight.sum()
        assert_allclose(weight, r["weight"], rtol=1e-9)


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("data", DATA)
def test_without_penalty_it_is_scikit_learns_adaboost_member_by_member(data, depth):
    X, y = DATA[data]
    base = DecisionTreeClassifier(max_depth=depth)
    theirs = ScikitLearnAdaBoost(base, n_estimators=12, random_state=0).fit(X, y)
    ours = AdaBoostNCClassifier(
        base, n_estimators=12, lam=0.0, random_state=0, on_failure="stop", calibrate=False
    ).fit(X, y)
    assert len(ours.estimators_) == len(theirs.estimators_)
    for a, b in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert_array_equal(a.predict(X), b.predict(X))
    last = None if ours.stop_reason_ == "complete" else -1
    assert_allclose(
        ours.estimator_weights_[:last], theirs.estimator_weights_[: len(ours.estimators_)][:last]
    )
    assert_array_equal(ours.predict(X), theirs.predict(X))
    if last is None:
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_without_penalty_it_is_our_adaboost():
    nc = AdaBoostNCClassifier(SHALLOW, n_estimators=9, lam=0.0).fit(X, Y)
    plain = AdaBoostClassifier(SHALLOW, n_estimators=9).fit(X, Y)
    assert_array_equal(nc.estimator_weights_, plain.estimator_weights_)


def test_m1_is_adaboost_for_two_classes_and_stops_at_one_half_for_more():
    assert_array_equal(
        AdaBoostM1Classifier(SHALLOW, n_estimators=9).fit(X, Y).estimator_weights_,
        AdaBoostClassifier(SHALLOW, n_estimators=9).fit(X, Y).estimator_weights_,
    )
    data, y = DATA["five classes"]
    m1 = AdaBoostM1Classifier(STUMP, n_estimators=9).fit(data, y)
    assert m1.stop_reason_ == "chance"  # a stump tells two of five classes apart
    assert len(m1.estimators_) == 1
    assert len(AdaBoostClassifier(STUMP, n_estimators=9).fit(data, y).estimators_) == 9


# -- mistakes of public codes: a test for each ---------------------------------------------------


def test_the_weight_of_wrong_samples_grows_by_alpha_not_by_e():
    rounds = naive.adaboost_nc([[0, 1, 1, 0]], [0, 1, 0, 0], 2, 2.0)[0]
    grown = rounds["weight"][2] / rounds["weight"][0]
    assert_allclose(grown, np.exp(rounds["alpha"]))
    assert sum(rounds["weight"]) == pytest.approx(1.0)  # scaled by the sum, not by the largest


def test_the_penalty_is_the_ambiguity_of_each_sample_not_one_number():
    model = AdaBoostNCClassifier(STUMP, n_estimators=6, lam=2.0).fit(X, Y)
    rounds, _ = replay(model, X, Y, 2.0)
    assert len(set(np.round(rounds[-1]["p"], 9))) > 1
    without = AdaBoostNCClassifier(STUMP, n_estimators=6, lam=0.0).fit(X, Y)
    assert not np.allclose(model.estimator_weights_, without.estimator_weights_)


def test_the_vote_inside_the_penalty_counts_the_new_member():
    """Ambiguity of the first round is zero: one member always agrees with itself."""
    model = AdaBoostNCClassifier(STUMP, n_estimators=2, lam=2.0).fit(X, Y)
    assert model.history_["penalty"].iloc[0] == 1.0
    assert model.history_["penalty"].iloc[1] < 1.0


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_members_are_different_objects_with_different_answers(learner):
    data, y = DATA["five classes"]
    model = AdaBoostNCClassifier(
        learner, n_estimators=5, resample=isinstance(learner, type(LEARNERS["pipeline"]))
    ).fit(data, y)
    assert len({id(m) for m in model.estimators_}) == len(model.estimators_)
    predicted = model.member_predict(data)
    assert len(np.unique(predicted, axis=0)) > 1
    for k, member in enumerate(model.estimators_):
        assert_array_equal(member.predict(data), predicted[k])


# -- the estimator -------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [False, True])
@pytest.mark.parametrize("data", ["iris", "cancer"])
def test_staged_answers_end_in_the_answer(data, confidence):
    X, y = DATA[data]
    model = AdaBoostNCClassifier(SHALLOW, n_estimators=5, confidence=confidence).fit(X, y)
    for stages, whole in (
        (model.staged_predict(X), model.predict(X)),
        (model.staged_predict_proba(X), model.predict_proba(X)),
        (model.staged_decision_function(X), model.decision_function(X)),
    ):
        stages = list(stages)
        assert len(stages) == 5
        if whole.dtype.kind == "f":
            assert_allclose(stages[-1], whole, atol=1e-12)
        else:
            assert_array_equal(stages[-1], whole)
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


def test_confidence_uses_probabilities_in_equation_3():
    model = AdaBoostNCClassifier(SHALLOW, n_estimators=3, lam=2.0, confidence=True).fit(X, Y)
    weight = np.full(len(Y), 1 / len(Y))
    votes = []
    for member, alpha in zip(model.estimators_, model.estimator_weights_, strict=True):
        f = 2 * member.predict_proba(X)[:, 1] - 1
        signed = np.where(Y == 1, 1.0, -1.0)
        votes.append(member.predict(X).tolist())
        p = np.array([naive.penalty([v[i] for v in votes], Y[i], 2)[0] for i in range(len(Y))])
        pulled = weight * p**2.0
        half = 0.5 * np.log((pulled @ (1 + f * signed)) / (pulled @ (1 - f * signed)))
        assert_allclose(alpha, 2 * half, rtol=1e-9)
        weight = pulled * np.exp(-half * f * signed)
        weight /= weight.sum()


def test_evaluation_data_are_followed():
    model = AdaBoostNCClassifier(STUMP, n_estimators=7, lam=2.0)
    model.fit(X[::2], Y[::2], eval_set={"new": (X[1::2], Y[1::2])})
    history = model.history_
    errors = [np.mean(predicted != Y[1::2]) for predicted in model.staged_predict(X[1::2])]
    assert_allclose(history["new_error"], errors)
    trained = [np.mean(predicted != Y[::2]) for predicted in model.staged_predict(X[::2])]
    assert_allclose(history["train_error"], trained)
    outputs = MemberOutputs.from_estimator(model, X[1::2], Y[1::2])
    assert_allclose(history["new_member_error"], outputs.errors)
    outputs.weights = None
    assert_allclose(history["new_covariance"], covariance_with_vote(outputs), atol=1e-12)


@pytest.mark.parametrize("lam", [1.5, 3.0, "dynamic"])
@pytest.mark.parametrize(
    "learner", [STUMP, DecisionTreeClassifier(max_depth=1)], ids=["hist", "any"]
)
def test_warm_start_goes_on_as_if_never_stopped(learner, lam):
    data, y = DATA["five classes"]
    whole = AdaBoostNCClassifier(learner, n_estimators=8, lam=lam, random_state=0).fit(data, y)
    parts = AdaBoostNCClassifier(
        learner, n_estimators=3, lam=lam, random_state=0, warm_start=True
    ).fit(data, y)
    parts.set_params(n_estimators=8).fit(data, y)
    assert_allclose(parts.estimator_weights_, whole.estimator_weights_, rtol=1e-9)
    assert_array_equal(parts.predict(data), whole.predict(data))
    assert len(parts.history_) == 8
    with pytest.raises(ValueError, match="there are 8 members already"):
        parts.set_params(n_estimators=4).fit(data, y)


def test_a_class_missing_from_the_rows_drawn_is_no_mistake():
    """Members that know two of three classes must not have their codes taken for the whole's."""
    data = np.arange(30.0)[:, None]
    y = np.repeat(["a", "b", "c"], [1, 15, 14])
    weight = np.r_[1e-9, np.ones(29)]  # drawn next to never
    model = AdaBoostNCClassifier(STUMP, n_estimators=3, resample=True, random_state=0)
    model.fit(data, y, sample_weight=weight)
    assert any(len(member.classes_) == 2 for member in model.estimators_)
    assert np.mean(model.predict(data[1:]) == y[1:]) > 0.9


def test_evaluation_goes_on_after_a_warm_start():
    data, y = DATA["five classes"]
    follow = (data[1::2], y[1::2])
    whole = AdaBoostNCClassifier(STUMP, n_estimators=6).fit(data[::2], y[::2], eval_set=follow)
    parts = AdaBoostNCClassifier(STUMP, n_estimators=3, warm_start=True)
    parts.fit(data[::2], y[::2], eval_set=follow)
    parts.set_params(n_estimators=6).fit(data[::2], y[::2], eval_set=follow)
    for column in ("eval_error", "eval_covariance", "eval_ambiguity"):
        assert_allclose(parts.history_[column], whole.history_[column], atol=1e-12)


class Interrupting(DecisionTreeClassifier):
    """Ctrl-C arrives while the fourth member is trained."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Interrupting.fits += 1
        if Interrupting.fits == 4:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight=sample_weight)


def test_an_interruption_keeps_the_rounds_done():
    Interrupting.fits = 0
    data, y = DATA["five classes"]
    model = AdaBoostNCClassifier(
        Interrupting(max_depth=2), n_estimators=9, lam=2.0, random_state=0, warm_start=True
    )
    with pytest.warns(UserWarning, match="keeps the 3 members"):
        model.fit(data, y)
    assert model.stop_reason_ == "interrupted"
    assert model.predict(data).shape == y.shape
    model.fit(data, y)
    assert len(model.estimators_) == 9
    assert model.stop_reason_ == "complete"


def test_dynamic_lam_moves_within_its_limits():
    data, y = DATA["five classes"]
    model = AdaBoostNCClassifier(STUMP, n_estimators=30, lam="dynamic").fit(data, y)
    lam = model.history_["lam"]
    assert lam.between(0, 12).all()
    assert lam.nunique() > 2
    assert (lam.diff().abs().dropna() <= 1).all()


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.more_diverse])
def test_stopping_by_any_measure_of_diversity(name):
    data, y = DATA["five classes"]
    stop = DiversityStopping(name, patience=2)
    model = AdaBoostClassifier(SHALLOW, n_estimators=60, stopping=stop).fit(data, y)
    values = model.history_[name].to_numpy()[1:]
    if model.stop_reason_ != "complete":
        assert model.stop_reason_ == f"{name} did not improve for 2 rounds"
        best = np.argmin if MEASURES[name].more_diverse == "lower" else np.argmax
        assert best(values[1:]) <= len(values[1:]) - 3 + 1
    outputs = MemberOutputs(
        np.searchsorted(model.classes_, model.member_predict(data)),
        np.searchsorted(model.classes_, y),
    )
    assert_allclose(values[-1], MEASURES[name].function(outputs))


def test_stopping_by_error():
    model = AdaBoostClassifier(
        STUMP, n_estimators=300, stopping=ErrorStopping("train_error", patience=4)
    )
    model.fit(X, Y)
    errors = model.history_["train_error"].to_numpy()
    assert len(errors) < 300
    assert (errors[-4:] >= errors[:-4].min()).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("learner", [STUMP, GaussianNB()], ids=["hist", "any"])
def test_frames_and_text_labels(frame, learner):
    data, codes = DATA["iris"]
    y = np.array(["setosa", "versicolor", "virginica"])[codes]
    table = frame({name: data[:, k] for k, name in enumerate("abcd")})
    model = AdaBoostNCClassifier(learner, n_estimators=4).fit(table, y)
    assert list(model.feature_names_in_) == list("abcd")
    assert set(model.predict(table)) <= set(y)
    assert model.score(table, y) > 0.8


def test_it_lives_among_scikit_learns_tools():
    data, y = DATA["wine"]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), AdaBoostNCClassifier(STUMP, n_estimators=4)),
        {"adaboostncclassifier__lam": [0.0, 2.0]},
        cv=3,
    ).fit(data, y)
    assert search.best_score_ > 0.6
    assert cross_val_score(clone(search.best_estimator_), data, y, cv=3).mean() > 0.6


def test_class_weight_starts_the_samples_off():
    rare = np.r_[np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)[:20]]
    balanced = AdaBoostNCClassifier(STUMP, n_estimators=1, class_weight="balanced").fit(
        X[rare], Y[rare]
    )
    by_hand = AdaBoostNCClassifier(STUMP, n_estimators=1).fit(
        X[rare], Y[rare], sample_weight=np.where(Y[rare] == 1, 1 / 357, 1 / 20)
    )
    assert_allclose(balanced.estimator_weights_, by_hand.estimator_weights_)


def test_learners_without_weights_are_trained_on_drawn_rows():
    data, y = DATA["iris"]
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        model = AdaBoostNCClassifier(KNeighborsClassifier(5), n_estimators=4, random_state=0).fit(
            data, y
        )
    assert model.score(data, y) > 0.9
    quiet = AdaBoostNCClassifier(
        KNeighborsClassifier(5), n_estimators=4, resample=True, random_state=0
    ).fit(data, y)
    assert_array_equal(quiet.predict(data), model.predict(data))


# -- failures ------------------------------------------------------------------------------------


def test_a_perfect_first_member_is_kept_alone():
    data, y = DATA["iris"]
    full = HistTreeClassifier()
    for on_failure in ("restart", "stop"):
        model = AdaBoostNCClassifier(full, n_estimators=5, on_failure=on_failure)
        model.fit(data, y, eval_set=(data, y))
        assert model.history_["eval_error"].tolist() == [0.0]
        assert model.stop_reason_ == "perfect"
        assert len(model.estimators_) == 1
        assert model.score(data, y) == 1.0


def test_restart_goes_on_after_a_perfect_draw():
    data, y = DATA["iris"]
    full = DecisionTreeClassifier()
    model = AdaBoostNCClassifier(full, n_estimators=8, resample=True, random_state=0).fit(data, y)
    assert len(model.estimators_) == 8


def test_members_no_better_than_chance_leave_the_first_alone():
    rng = np.random.default_rng(0)
    noise, y = np.zeros((40, 2)), np.tile([0, 1], 20)
    model = AdaBoostNCClassifier(STUMP, n_estimators=5).fit(noise, y)
    assert model.stop_reason_ == "chance"
    assert len(model.estimators_) == 1
    assert_array_equal(model.predict(rng.random((3, 2))), [0, 0, 0])


def test_a_class_of_one_row():
    data, y = DATA["iris"]
    y = np.where(np.arange(150) == 0, 7, y)
    model = AdaBoostNCClassifier(SHALLOW, n_estimators=5).fit(data, y)
    assert 7 in model.classes_
    AdaBoostNCClassifier(SHALLOW, n_estimators=5, lam="auto", random_state=0).fit(data, y)


def test_missing_values_go_to_learners_that_take_them():
    holes = X.copy()
    holes[::7, 0] = np.nan
    assert AdaBoostNCClassifier(SHALLOW, n_estimators=3).fit(holes, Y).score(holes, Y) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostNCClassifier(LogisticRegression(), n_estimators=3).fit(holes, Y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(lam=-1.0), "lam=-1.0: give a number from 0"),
        (dict(lam="best"), "lam='best'"),
        (dict(lam=np.nan), "lam=nan"),
        (dict(n_estimators=0), "n_estimators=0"),
        (dict(on_failure="cry"), "on_failure='cry'"),
        (dict(estimator=LinearSVC(), confidence=True), "has no predict_proba"),
        (dict(stopping=DiversityStopping("margin_mean")), "has no direction"),
        (dict(stopping=DiversityStopping("nonsense")), "measure='nonsense': choose"),
        (dict(stopping=DiversityStopping(patience=0)), "patience=0"),
        (dict(stopping=ErrorStopping()), "Pass eval_set to fit"),
        (dict(estimator=HistTreeClassifier(max_depth=0)), "max_depth=0"),
    ],
)
def test_wrong_options_say_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        AdaBoostNCClassifier(**arguments).fit(X, Y)


def test_text_columns_say_how_to_go_on():
    table = pd.DataFrame({"colour": ["red", "blue"] * 10})
    message = r"Column 'colour' .*with_encoder\(AdaBoostNCClassifier\(\)\).* TabularEncoder"
    for learner in (None, GaussianNB()):
        with pytest.raises(ValueError, match=message):
            AdaBoostNCClassifier(learner).fit(table, [0, 1] * 10)


def test_a_number_in_place_of_the_learner_says_what_to_write():
    with pytest.raises(TypeError, match=r"write AdaBoostNCClassifier\(n_estimators=10\)"):
        AdaBoostNCClassifier(10).fit(X, Y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        AdaBoostNCClassifier().fit(X, np.zeros(len(X)))


def test_the_same_seed_gives_the_same_at_any_thread_count(monkeypatch):
    import numba

    monkeypatch.setattr("counterpoint.trees.growing.workspace._MIN_PARALLEL", 0)
    data, y = make_classification(5000, 10, random_state=0)
    weights = []
    for threads in (1, 2):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        model = AdaBoostNCClassifier(HistTreeClassifier(max_depth=4), n_estimators=10).fit(data, y)
        weights.append(model.estimator_weights_)
    numba.set_num_threads(1)
    assert_array_equal(*weights)
