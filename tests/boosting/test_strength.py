"""The strength of AdaBoost.NC: what it promises, how it is chosen, and what it costs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostClassifier, AdaBoostNCClassifier
from counterpoint.boosting.adaboost_nc import FEWEST
from counterpoint.boosting.calibration import HeldOut, split_rows
from counterpoint.trees import HistTreeClassifier

X, Y = load_breast_cancer(return_X_y=True)
STUMP = HistTreeClassifier(max_depth=1)


def test_lam_auto_tells_what_it_tried():
    data, y = make_classification(400, 10, flip_y=0.2, random_state=0)
    model = AdaBoostNCClassifier(STUMP, n_estimators=25, random_state=0).fit(data, y)
    path = model.strength_path_.set_index("strength")
    assert path.index.tolist() == [0.0, 0.5]
    assert path.index[path["kept"]].tolist() == [model.strength_]
    better = path.loc[0.5, "difference"] < -path.loc[0.5, "noise"]
    assert model.strength_ == (0.5 if better else 0.0)
    again = AdaBoostNCClassifier(STUMP, n_estimators=25, strength=model.strength_).fit(data, y)
    assert_array_equal(again.estimator_weights_, model.estimator_weights_)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("confidence", [False, True])
def test_below_strength_one_the_exponential_loss_falls_as_promised(n_classes, confidence):
    """The bound of the page: a share 1 - strength of what AdaBoost's bound falls by."""
    data, y = make_classification(
        600, 10, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=1
    )
    strength = 0.6
    model = AdaBoostNCClassifier(
        STUMP, n_estimators=25, strength=strength, confidence=confidence, on_failure="stop"
    ).fit(data, y)
    k, rows, log_bound = n_classes, np.arange(len(y)), 0.0
    margin = np.zeros(len(y))
    weight = np.full(len(y), 1 / len(y))
    right = np.zeros((len(y), k))
    for t, (member, alpha, lam) in enumerate(
        zip(model.estimators_, model.estimator_weights_, model.history_["lam"], strict=True), 1
    ):
        said = member.predict_proba(data) if confidence else np.eye(k)[member.predict(data)]
        right[rows, member.predict(data)] += 1
        truth = said[rows, y]
        error = weight @ (1 - truth)
        odds = (1 - error) * (k - 1) / error
        log_z = np.log(odds) / k + np.log(error * k / (k - 1))
        log_bound += (1 - strength) * log_z
        share = right[rows, y] / t
        p = np.where(right.argmax(axis=1) == y, share, 1 - share)
        weight = weight * p**lam * np.exp(-alpha * truth)
        weight /= weight.sum()
        margin += alpha * (truth - 1 / k)
        assert np.log(np.mean(np.exp(-margin))) <= log_bound + 1e-9


def test_lam_and_strength_exclude_each_other():
    with pytest.raises(ValueError, match=r"strength=0.5 and lam=2.0: give one"):
        AdaBoostNCClassifier(STUMP, lam=2.0, strength=0.5).fit(X, Y)
    with pytest.raises(ValueError, match=r"strength=1\.5"):
        AdaBoostNCClassifier(STUMP, strength=1.5).fit(X, Y)


class Counted(DecisionTreeClassifier):
    """Counts how many members are trained."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight=sample_weight)


def test_lam_auto_costs_less_than_half_a_fit_more():
    data, y = make_classification(400, 10, flip_y=0.2, random_state=0)
    Counted.fits = 0
    AdaBoostNCClassifier(Counted(max_depth=1), n_estimators=16, lam="auto", random_state=0).fit(
        data, y
    )
    assert 16 < Counted.fits <= 16 + 2 * 3  # on four fifths of the rows; calibration is among them


rules = []


class Spying(AdaBoostNCClassifier):
    """Keeps the rules it makes."""

    def _rule(self, lam):
        rule = super()._rule(lam)
        rules.append(rule)
        return rule


def test_the_race_is_run_on_rows_held_out_and_what_wins_must_win_beyond_noise():
    """By hand: two boosters on the same four fifths, at the temperature of the first."""
    data, y = make_classification(500, 10, flip_y=0.2, n_informative=5, random_state=3)
    data = data.round(1)  # a bin a value: trees in the bins of all rows are those of the part's
    rules.clear()
    model = Spying(HistTreeClassifier(max_depth=3), n_estimators=40).fit(data, y)
    part, held = split_rows(y, np.ones(len(y)))
    assert len(held) == 100
    assert not np.intersect1d(part, held).size
    losses = []
    for strength in (0.0, 0.5):
        short = AdaBoostNCClassifier(
            HistTreeClassifier(max_depth=3), n_estimators=5, strength=strength, calibrate=False
        ).fit(data[part], y[part])
        if not losses:
            found = HeldOut(data[held], y[held], np.ones(len(held))).ask(short).learn()
        sums = 5 * (short.decision_function(data[held])[:, None] * [-1, 1] + 2) / 4
        losses.append(-found.log_proba(sums, 5)[np.arange(len(held)), y[held]])
    less = losses[0] - losses[1]
    path = model.strength_path_.set_index("strength")
    assert path.loc[0.5, "log_loss"] == pytest.approx(losses[1].mean())
    assert path.loc[0.5, "difference"] == pytest.approx(-less.mean())
    assert path.loc[0.5, "noise"] == pytest.approx(less.std() / 10)
    ensembles, *race = rules[:3]
    assert all(len(rule.y) == len(part) for rule in race)
    assert len(ensembles.y) == len(y)
    assert len(rules) == 3  # 0 has won, the rule that was there
    assert model.strength_ == 0


def test_a_fit_keeps_no_rows_of_the_race():
    data, y = make_classification(300, 10, random_state=0)
    for calibrate in (False, True):
        model = AdaBoostNCClassifier(STUMP, n_estimators=9, calibrate=calibrate).fit(data, y)
        assert not [name for name, value in vars(model).items() if isinstance(value, HeldOut)]


@pytest.mark.parametrize(("size", "rows"), [(30, slice(15, 30)), (FEWEST - 1, slice(None))])
def test_lam_auto_of_few_samples_or_few_members_is_adaboost(size, rows):
    few = AdaBoostNCClassifier(STUMP, n_estimators=size).fit(X[rows], Y[rows])
    assert few.strength_ == 0.0
    assert few.strength_path_.columns.tolist() == [
        "strength", "log_loss", "difference", "noise", "kept"
    ]  # fmt: skip
    assert len(few.strength_path_) == 0
    plain = AdaBoostClassifier(STUMP, n_estimators=size).fit(X[rows], Y[rows])
    assert_array_equal(few.estimator_weights_, plain.estimator_weights_)


def test_classes_of_a_single_row_stay_in_the_rows_to_train_on():
    data, y = make_classification(80, 6, n_informative=4, n_classes=2, random_state=0)
    y = y.copy()
    y[:3] = [2, 3, 4]
    part, _held = split_rows(y, np.ones(len(y)))
    assert {2, 3, 4} <= set(y[part].tolist())
    model = AdaBoostNCClassifier(STUMP, n_estimators=25).fit(data, y)
    assert len(model.strength_path_) == 2
    assert np.isfinite(model.predict_proba(data)).all()


def test_rows_held_out_may_be_of_one_class():
    """All but a few rows of one class: what the race and the temperature see is that class."""
    data = np.random.default_rng(0).standard_normal((100, 3))
    y = np.zeros(100, dtype=int)
    y[:2] = 1
    _, held = split_rows(y, np.ones(len(y)))
    assert set(y[held].tolist()) == {0}
    model = AdaBoostNCClassifier(STUMP, n_estimators=8).fit(data, y)
    proba = model.predict_proba(data)
    assert np.isfinite(model.calibration_.link)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(data))


class NeedsAllRows(DecisionTreeClassifier):
    """Cannot be trained on fewer rows than there are."""

    def fit(self, X, y, sample_weight=None):
        if len(X) < 100:  # as splits by number do
            raise IndexError("a hundred rows at least")
        return super().fit(X, y, sample_weight=sample_weight)


def test_members_that_need_all_rows_are_boosted_without_a_race():
    data, y = make_classification(100, 5, flip_y=0.2, random_state=0)
    model = AdaBoostNCClassifier(NeedsAllRows(max_depth=1), n_estimators=8, random_state=0)
    with pytest.warns(UserWarning, match="usual temperature.*a hundred rows at least"):
        model.fit(data, y)
    assert (model.strength_, len(model.strength_path_)) == (0.0, 0)
    assert model.calibration_ == AdaBoostClassifier._usual
    model.set_params(calibrate=False).fit(data, y)
    assert model.calibration_ is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"lam": -0.1},
        {"lam": 101.0},
        {"lam": np.nan},
        {"lam": np.inf},
        {"lam": "Auto"},
        {"lam": "0.5"},
        {"lam": None},
        {"strength": -0.5},
        {"strength": np.nan},
        {"strength": "auto"},
        {"lam": "dynamic", "strength": 0.5},
        {"calibrate": "yes"},
    ],
    ids=str,
)
def test_wrong_options_are_named(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=rf"{name}={value!r}"):
        AdaBoostNCClassifier(STUMP, **wrong).fit(X, Y)


def test_a_warm_start_chooses_a_strength_where_there_was_none():
    data, y = make_classification(300, 10, random_state=0)
    model = AdaBoostNCClassifier(STUMP, n_estimators=4, lam=2.0, warm_start=True).fit(data, y)
    assert np.isnan(model.strength_)
    model.set_params(lam="auto", n_estimators=8).fit(data, y)
    assert model.strength_ in (0.0, 0.5)
    assert np.isfinite(model.estimator_weights_).all()
