import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting.arcing import ArcX4Classifier
from counterpoint.boosting.stopping import DiversityStopping
from counterpoint.trees import HistTreeClassifier


def problem(n_classes=3, n=150, seed=0):
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=seed
    )


class Spy(DecisionTreeClassifier):
    """Remembers the weights it is trained on."""

    weights_seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Spy.weights_seen.append(np.array(sample_weight))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("power", [0, 1, 4, 900])
def test_weights_follow_the_misses(power):
    X, y = problem()
    Spy.weights_seen.clear()
    options = {"power": power, "resample": False, "calibrate": False, "random_state": 0}
    arced = ArcX4Classifier(Spy(max_depth=1), n_estimators=12, **options).fit(X, y)
    missed = [0] * len(y)
    for weights_seen, member in zip(Spy.weights_seen, arced.estimators_, strict=True):
        naive = [1 + m**power for m in missed]  # whole numbers of any size
        naive = [value / sum(naive) for value in naive]
        np.testing.assert_allclose(weights_seen, naive, rtol=1e-9, atol=1e-300)
        missed = [
            m + int(predicted != label) for m, predicted, label in zip(missed, member.predict(X), y)
        ]
    assert max(missed) > 1


def test_votes_are_equal():
    X, y = problem()
    arced = ArcX4Classifier(
        HistTreeClassifier(max_depth=2), n_estimators=9, calibrate=False, random_state=0
    ).fit(X, y)
    votes = arced.member_predict(X)
    counts = np.stack([(votes == c).sum(axis=0) for c in arced.classes_], axis=1)
    np.testing.assert_array_equal(arced.estimator_weights_, np.ones(9))
    np.testing.assert_allclose(arced.predict_proba(X), counts / 9)
    np.testing.assert_array_equal(arced.predict(X), arced.classes_[counts.argmax(axis=1)])
    assert arced.history_["train_error"].iloc[-1] == pytest.approx(1 - arced.score(X, y))


def test_rows_are_drawn_by_weight():
    X, y = problem()
    rows = []

    class Drawn(DecisionTreeClassifier):
        def fit(self, X, y, sample_weight=None):
            rows.append(X)
            return super().fit(X, y, sample_weight)

    arced = ArcX4Classifier(
        Drawn(max_depth=1), n_estimators=40, calibrate=False, random_state=0
    ).fit(X, y)
    assert arced.resample
    assert all(len(x) == len(X) for x in rows)
    missed = (arced.member_predict(X)[:-1] != y).sum(axis=0)
    weight = 1.0 + missed**4.0
    hard = missed > np.median(missed)
    expected = weight[hard].sum() / weight.sum()
    drawn = np.isin(rows[-1][:, 0], X[hard, 0]).mean()
    assert expected > hard.mean() + 0.2
    assert abs(drawn - expected) < 5 * np.sqrt(expected * (1 - expected) / len(X))


def test_no_member_fails():
    """Full trees by weights miss nothing: all members are the same, and all are kept."""
    X, y = load_iris(return_X_y=True)
    arced = ArcX4Classifier(HistTreeClassifier(), n_estimators=5, resample=False).fit(X, y)
    assert len(arced.estimators_) == 5
    assert arced.stop_reason_ == "complete"
    assert (arced.member_predict(X) == arced.member_predict(X)[0]).all()


def test_drawing_helps_where_weights_change_little():
    """Why rows are drawn by default."""
    X, y = problem(4, n=600)
    base = HistTreeClassifier()
    drawn = ArcX4Classifier(base, n_estimators=30, random_state=0).fit(X[::2], y[::2])
    weighed = ArcX4Classifier(base, n_estimators=30, resample=False).fit(X[::2], y[::2])
    assert drawn.score(X[1::2], y[1::2]) > weighed.score(X[1::2], y[1::2]) + 0.05


def test_learners_of_all_kinds_and_stopping():
    X, y = problem()
    arced = ArcX4Classifier(
        KNeighborsClassifier(3),
        n_estimators=60,
        stopping=DiversityStopping("q", patience=3),
        random_state=0,
    ).fit(X, y, eval_set=(X, y))
    assert len(arced.estimators_) < 60
    assert arced.history_["eval_error"].iloc[-1] == arced.history_["train_error"].iloc[-1]


def test_warm_start_is_one_long_fit():
    X, y = problem()
    going = ArcX4Classifier(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    going.set_params(n_estimators=9).fit(X, y)
    whole = ArcX4Classifier(n_estimators=9, random_state=0).fit(X, y)
    np.testing.assert_array_equal(going.member_predict(X), whole.member_predict(X))


def test_class_weight_moves_the_draws():
    X, y = problem(2)
    plain = ArcX4Classifier(n_estimators=10, random_state=0).fit(X, y)
    pulled = ArcX4Classifier(n_estimators=10, class_weight={0: 50, 1: 1}, random_state=0).fit(X, y)
    assert (pulled.predict(X) == 0).sum() > (plain.predict(X) == 0).sum()


@pytest.mark.parametrize("power", [-1, np.inf, np.nan, "four"])
def test_bad_power(power):
    X, y = problem()
    with pytest.raises(ValueError, match=r"power=.*: give a number from 0"):
        ArcX4Classifier(power=power).fit(X, y)
