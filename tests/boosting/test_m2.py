import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import m2 as naive
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.boosting.adaboost import AdaBoostClassifier, AdaBoostM1Classifier
from counterpoint.boosting.concepts import NominalConceptClassifier
from counterpoint.boosting.m2 import AdaBoostM2Classifier
from counterpoint.boosting.stopping import DiversityStopping, ErrorStopping
from counterpoint.trees import HistTreeClassifier


def problem(n_classes=3, n=120, seed=0, noise=0.1):
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=noise, random_state=seed
    )


@pytest.mark.parametrize("output", ["soft", "hard"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_matches_naive(output, n_classes, weighted):
    X, y = problem(n_classes)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
    boosted = AdaBoostM2Classifier(
        DecisionTreeClassifier(max_depth=2),
        n_estimators=8,
        output=output,
        calibrate=False,
        random_state=0,
    ).fit(X, y, weight)
    members, alphas, losses, distributions = naive.adaboost_m2(
        X,
        y,
        n_classes,
        8,
        lambda: DecisionTreeClassifier(max_depth=2, random_state=0),
        hard=output == "hard",
        weights=(weight / weight.sum()).tolist(),
    )
    np.testing.assert_allclose(boosted.estimator_weights_, alphas, rtol=1e-9)
    np.testing.assert_allclose(boosted.history_["pseudo_loss"], losses, rtol=1e-9)
    scores = np.array(naive.scores(members, alphas, X, n_classes, output == "hard"))
    np.testing.assert_allclose(boosted.predict_proba(X), scores / np.sum(alphas), atol=1e-9)
    wrong = [m.predict(X) != y for m in members]
    errors = [np.dot(d, w) for d, w in zip(distributions, wrong)]
    np.testing.assert_allclose(boosted.history_["error"], errors, atol=1e-9)


@settings(max_examples=20)
@given(
    st.integers(2, 5), st.integers(1, 3), st.sampled_from(["soft", "hard"]), st.integers(0, 1000)
)
def test_training_error_is_bounded(n_classes, max_depth, output, seed):
    """Freund & Schapire 1997, theorem 11, after every member and for any starting weights."""
    X, y = problem(n_classes, n=80, seed=seed, noise=0.3)
    weight = np.random.default_rng(seed).exponential(size=len(y))
    boosted = AdaBoostM2Classifier(
        HistTreeClassifier(max_depth=max_depth), n_estimators=12, output=output
    ).fit(X, y, weight)
    loss = boosted.history_["pseudo_loss"].to_numpy()
    # A last member that ended training has not the weight of its pseudo-loss.
    own = np.isclose(boosted.estimator_weights_, np.log((1 - loss) / loss))
    bound = (n_classes - 1) * np.cumprod(2 * np.sqrt(loss * (1 - loss)))
    for predicted, limit in zip(boosted.staged_predict(X), bound[own]):
        assert np.average(predicted != y, weights=weight) <= limit + 1e-12
    # All weights together shrink at least to 2 * loss; exactly so for votes on two classes.
    z = boosted.history_["z"].to_numpy()[own]
    assert (z <= 2 * loss[own] + 1e-12).all()
    if n_classes == 2 and output == "hard":
        np.testing.assert_allclose(z, 2 * loss[own])


@pytest.mark.parametrize(
    ("output", "other"),
    [("hard", AdaBoostM1Classifier()), ("soft", AdaBoostClassifier(confidence=True))],
)
@pytest.mark.parametrize("seed", range(3))
def test_two_classes_are_adaboost(output, other, seed):
    """Votes: pseudo-loss is weighted error. Probabilities: both weigh by beta^p(truth)."""
    X, y = problem(2, n=200, seed=seed)
    base = HistTreeClassifier(max_depth=2)
    boosted = AdaBoostM2Classifier(base, n_estimators=15, output=output).fit(X, y)
    other = other.set_params(estimator=base, n_estimators=15).fit(X, y)
    np.testing.assert_allclose(boosted.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(boosted.member_predict(X), other.member_predict(X))
    # The scale of M2's decision is the share of the vote, half of AdaBoost's.
    np.testing.assert_allclose(
        2 * boosted.decision_function(X), other.decision_function(X), atol=1e-12
    )
    if output == "hard":
        np.testing.assert_allclose(boosted.history_["pseudo_loss"], boosted.history_["error"])


def test_simple_members_go_further_than_with_m1():
    X, y = problem(8, n=600, seed=1)
    stump = HistTreeClassifier(max_depth=1)
    with_m1 = AdaBoostM1Classifier(stump).fit(X, y)
    with_m2 = AdaBoostM2Classifier(stump).fit(X, y)
    assert with_m1.stop_reason_ == "chance"
    assert with_m2.stop_reason_ == "complete"
    assert with_m2.score(X, y) > with_m1.score(X, y) + 0.1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_guess_has_pseudo_loss_one_half(n_classes):
    X, y = problem(n_classes)
    boosted = AdaBoostM2Classifier(DummyClassifier(strategy="uniform", random_state=0)).fit(X, y)
    assert boosted.stop_reason_ == "chance"
    assert boosted.history_["pseudo_loss"].tolist() == pytest.approx([0.5])
    assert boosted.estimator_weights_.tolist() == [1.0]


def test_perfect_first_member_is_kept_alone():
    X, y = problem()
    boosted = AdaBoostM2Classifier(HistTreeClassifier()).fit(X, y)
    assert boosted.stop_reason_ == "perfect"
    assert len(boosted.estimators_) == 1
    assert boosted.score(X, y) == 1.0


def test_perfect_later_member_ends_training():
    X = np.arange(8.0)[:, None]
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1])

    class Better(ClassifierMixin, BaseEstimator):
        calls = 0

        def fit(self, X, y, sample_weight=None):
            Better.calls += 1
            self.classes_ = np.unique(y)
            self.tree_ = HistTreeClassifier(max_depth=None if Better.calls > 1 else 1)
            self.tree_.fit(X, y, sample_weight)
            return self

        def predict(self, X):
            return self.tree_.predict(X)

    boosted = AdaBoostM2Classifier(Better()).fit(X, y)
    assert boosted.stop_reason_ == "perfect"
    assert len(boosted.estimators_) == 2
    assert boosted.estimator_weights_[1] == pytest.approx(np.log(1e6))
    assert boosted.score(X, y) == 1.0


def test_restart_forgets_the_weights():
    X, y = problem(3, n=60)
    weights_seen = []

    class SometimesGuesses(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            weights_seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

        def predict_proba(self, X):
            proba = super().predict_proba(X)
            return np.full_like(proba, 1 / 3) if len(weights_seen) == 3 else proba

    options = {"on_failure": "restart", "calibrate": False, "random_state": 0}
    boosted = AdaBoostM2Classifier(SometimesGuesses(max_depth=1), n_estimators=4, **options)
    boosted.fit(X, y)
    assert boosted.stop_reason_ == "complete"
    assert (len(boosted.estimators_), len(weights_seen)) == (4, 5)
    np.testing.assert_allclose(weights_seen[3], weights_seen[0])
    assert np.ptp(weights_seen[2]) > 0


def nominal():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], 200),
            "size": rng.choice(["s", "m", "l"], 200),
            "shape": rng.choice(["round", "square"], 200),
        }
    )
    y = np.where(X["colour"] == "red", "a", np.where(X["size"] == "l", "b", "c"))
    return X, y


def test_boosting_of_nominal_concepts():
    """With nominal concepts: frames of strings reach the learner, unseen values too."""
    X, y = nominal()
    boosted = AdaBoostM2Classifier(NominalConceptClassifier(), n_estimators=10).fit(X, y)
    alone = NominalConceptClassifier().fit(X, y).score(X, y)
    assert len(boosted.estimators_) > 1
    assert boosted.score(X, y) > alone
    strange = X.head(3).assign(colour="violet")
    assert set(boosted.predict(strange)) <= set(y)
    assert all(hasattr(member, "rules_") for member in boosted.estimators_)


def test_frames_stay_frames():
    seen = []

    class Spy(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(X)
            return super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True, as_frame=True)
    AdaBoostM2Classifier(Spy(max_depth=1), n_estimators=2, calibrate=False).fit(X, y)
    assert len(seen) == 2
    assert all(x is X for x in seen)


@pytest.mark.parametrize("output", ["soft", "hard"])
@pytest.mark.parametrize("base", [HistTreeClassifier(max_depth=2), None])
def test_one_kernel_says_what_the_members_say(output, base):
    X, y = problem(4)
    boosted = AdaBoostM2Classifier(base, n_estimators=7, output=output).fit(X, y)
    assert boosted._stacked is not None
    *_, last = boosted.staged_predict_proba(X)
    np.testing.assert_allclose(boosted.predict_proba(X), last, atol=1e-12)
    np.testing.assert_allclose(boosted.predict_proba(X).sum(axis=1), 1.0)
    assert boosted.score(X, y) == pytest.approx(1 - boosted.history_["train_error"].iloc[-1])


def test_auto_output_takes_votes_without_probabilities():
    X, y = problem(3)
    options = {"n_estimators": 5, "calibrate": False}
    auto = AdaBoostM2Classifier(RidgeClassifier(), **options).fit(X, y)
    hard = AdaBoostM2Classifier(RidgeClassifier(), output="hard", **options).fit(X, y)
    np.testing.assert_array_equal(auto.predict_proba(X), hard.predict_proba(X))
    assert np.isneginf(auto.predict_log_proba(X)).any()


def test_learner_without_sample_weight_is_trained_on_drawn_rows():
    X, y = problem(3)
    boosted = AdaBoostM2Classifier(KNeighborsClassifier(15), n_estimators=4, random_state=0)
    with pytest.warns(UserWarning, match="rows drawn by weight") as warned:
        boosted.fit(X, y)
    assert len(warned) == 1
    assert boosted.score(X, y) > 0.6


def test_members_that_miss_a_class_keep_their_labels():
    """Drawn rows may lack a class; codes of such a tree are not those of the ensemble."""
    X = np.arange(60.0)[:, None]
    y = np.repeat(["a", "b", "c"], [1, 29, 30])
    boosted = AdaBoostM2Classifier(
        HistTreeClassifier(max_depth=1), n_estimators=5, resample=True, random_state=0
    )
    weight = np.where(y == "a", 1e-9, 1.0)
    boosted.fit(X, y, weight)
    assert any(len(m.classes_) == 2 for m in boosted.estimators_)
    assert boosted.predict([[20.0], [50.0]]).tolist() == ["b", "c"]
    for k, member in enumerate(boosted.estimators_):
        np.testing.assert_array_equal(boosted.member_predict(X)[k], member.predict(X))


def test_warm_start_is_one_long_fit():
    X, y = problem(3)
    base = HistTreeClassifier(max_depth=1)
    going = AdaBoostM2Classifier(base, n_estimators=4, warm_start=True).fit(X, y)
    going.set_params(n_estimators=9).fit(X, y)
    whole = AdaBoostM2Classifier(base, n_estimators=9).fit(X, y)
    np.testing.assert_allclose(going.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_allclose(going.predict_proba(X), whole.predict_proba(X))


def test_stopping_rules_and_history():
    X, y = problem(3, n=300, noise=0.3)
    boosted = AdaBoostM2Classifier(
        HistTreeClassifier(max_depth=2), n_estimators=300, stopping=ErrorStopping(patience=5)
    ).fit(X[::2], y[::2], eval_set=(X[1::2], y[1::2]))
    assert len(boosted.estimators_) < 300
    last = boosted.history_.iloc[-1]
    assert last["eval_error"] == pytest.approx(1 - boosted.score(X[1::2], y[1::2]))
    boosted.set_params(stopping=DiversityStopping("q", patience=3)).fit(X, y)
    assert boosted.stop_reason_ == "q did not improve for 3 rounds"


def test_members_are_open_to_measures():
    X, y = problem(3)
    boosted = AdaBoostM2Classifier(HistTreeClassifier(max_depth=1), n_estimators=6).fit(X, y)
    outputs = MemberOutputs.from_estimator(boosted, X, y)
    assert outputs.n_members == 6


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"output": "loud"}, "output='loud': choose 'auto', 'soft', 'hard'"),
        ({"on_failure": "cry"}, "on_failure='cry'"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"estimator": RidgeClassifier(), "output": "soft"}, "RidgeClassifier has no predict_pro"),
    ],
)
def test_bad_parameters(params, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        AdaBoostM2Classifier(**params).fit(X, y)


def test_sparse_data_are_refused_or_drawn_from():
    from scipy.sparse import coo_matrix

    X, y = problem()
    with pytest.raises(TypeError, match="needs dense data"):
        AdaBoostM2Classifier(resample=True).fit(coo_matrix(X), y)
    drawn = AdaBoostM2Classifier(DecisionTreeClassifier(max_depth=2), resample=True, n_estimators=3)
    assert drawn.fit(coo_matrix(X), y).score(coo_matrix(X), y) > 0.5
