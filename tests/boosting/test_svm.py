"""AdaBoost-SVM and NCAB-SVM against their published steps, at all widths."""

import numpy as np
import pytest
from naive import svm_boosting as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint import MemberOutputs
from counterpoint.boosting import DiversityStopping, svm
from counterpoint.boosting import kernel_members as module
from counterpoint.boosting.learners import MemberAnswer
from counterpoint.boosting.rules import Verdict
from counterpoint.boosting.svm import AdaBoostSVMClassifier, NCABSVMClassifier

BOTH = [AdaBoostSVMClassifier, NCABSVMClassifier]


def data(n_classes, seed=0, n_samples=160, weights=(0.6,)):
    X, y = make_classification(
        n_samples, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.1,
        weights=weights if n_classes == 2 else None, random_state=seed,
    )  # fmt: skip
    return StandardScaler().fit_transform(X), y


def no_skipping(monkeypatch):
    monkeypatch.setattr(module.WidthLearner, "_is_flat", lambda self, masses: False)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", BOTH)
def test_members_match_the_published_steps(kind, n_classes, seed):
    X, y = data(n_classes, seed)
    train, new = slice(100), slice(100, None)
    tol = 1e-6  # at 1e-3 samples next to the boundary hang on the rounding of the kernel
    fitted = kind(n_estimators=10, scale=False, tol=tol).fit(X[train], y[train])
    members, labels = naive.boosted_svm(
        X[train],
        y[train].tolist(),
        X[new],
        negative_correlation=kind is NCABSVMClassifier,
        rounds=10,
        tol=tol,
    )
    history = fitted.history_
    assert history["log2_width"].tolist() == [m[0] for m in members]
    assert_allclose(fitted.estimator_weights_, [m[1] for m in members], rtol=1e-6)
    assert_allclose(history["error"], [m[2] for m in members], atol=1e-6)
    assert_array_equal(fitted.member_predict(X[train]), [m[4] for m in members])
    assert_array_equal(fitted.predict(X[new]), labels)
    if kind is NCABSVMClassifier:
        assert_allclose(history["penalty"].iloc[1:], [m[3] for m in members[1:]], atol=1e-9)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", BOTH)
def test_skipping_flat_kernels_changes_nothing(kind, n_classes, balanced, monkeypatch):
    X, y = data(n_classes, 1)
    if balanced:
        rows = np.concatenate([np.flatnonzero(y == k)[:40] for k in range(n_classes)])
        X, y = X[rows], y[rows]
    skipped = kind(n_estimators=8).fit(X, y)
    no_skipping(monkeypatch)
    trained = kind(n_estimators=8).fit(X, y)
    assert_array_equal(skipped.history_["log2_width"], trained.history_["log2_width"])
    assert_allclose(skipped.estimator_weights_, trained.estimator_weights_, rtol=1e-9)
    assert_array_equal(skipped.member_predict(X), trained.member_predict(X))
    assert_array_equal(skipped.predict(2 * X), trained.predict(2 * X))


def test_wide_kernels_are_skipped(monkeypatch):
    X, y = data(2)
    fits, solve = [], module.solve_pairs
    monkeypatch.setattr(module, "solve_pairs", lambda *given: fits.append(1) or solve(*given))
    NCABSVMClassifier(n_estimators=3, log2_width_min=8).fit(X, y)
    assert not fits
    NCABSVMClassifier(n_estimators=3).fit(X, y)
    assert fits


@pytest.mark.parametrize("log2_width", [20, 12, 4, 2, 0, -4, -18])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_a_member_says_what_its_machine_says(n_classes, log2_width, monkeypatch):
    """One member at one width, however wide or narrow: libsvm's own answers."""
    no_skipping(monkeypatch)
    X, y = data(n_classes, 2, weights=(0.7,))
    space = module.Space.of(X, np.full(len(X), 1 / len(X)), False)
    learner = module.WidthLearner(
        space, y, np.arange(n_classes), np.array([float(log2_width)]), C=1.0, tol=1e-3,
        n_cases=len(X),
    )  # fmt: skip
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(X))
    weight /= weight.sum()
    answer = learner.fit(weight)
    machine = SVC(gamma=0.5 / 4.0**log2_width).fit(X, y, sample_weight=weight * len(X))
    assert_array_equal(answer.votes, machine.predict(X))
    new = np.random.default_rng(1).normal(size=(50, 5))
    assert_array_equal(answer.model.predict(new), machine.predict(new))


@pytest.mark.parametrize("first", [0, 2])
def test_some_samples_share_distances_and_begin_where_machines_were_kept(first):
    X, y = data(2)
    weight, rows = np.full(len(y), 1 / len(y)), np.arange(0, len(y), 2)
    space = module.Space.of(X, weight, True)
    given = np.array([4.0, 2.0, 0.0, -2.0]), {"C": 1.0, "tol": 1e-3}

    def learner(vectors, codes):
        own = module.Space(vectors, space.mean, space.scale)
        widths, options = given
        return module.WidthLearner(own, codes, np.unique(y), widths, n_cases=len(codes), **options)

    whole, part = learner(space.vectors, y), learner(space.vectors[rows], y[rows])
    whole.fit(weight)
    for _ in range(first):  # sent back
        assert whole.recover("chance")
        whole.fit(weight)
    whole.fit(weight)  # the one before was kept
    whole.recover("chance")
    some = whole.some(rows, None)
    assert (some.at, some.n_cases) == (first, pytest.approx(len(rows)))
    assert_allclose(some.squared, part.squared, atol=1e-12)
    part.at = first
    share = np.full(len(rows), 1 / len(rows))
    assert_array_equal(some.fit(share).votes, part.fit(share).votes)
    assert len(whole.codes) == len(y)


@pytest.mark.parametrize("weights", ["even", "uneven", "some nothing"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_functions_are_those_of_libsvm(n_classes, weights, monkeypatch):
    """Coefficient by coefficient: it takes the same steps, and no others."""
    no_skipping(monkeypatch)
    X, y = data(n_classes, 3)
    weight = np.ones(len(y))
    if weights != "even":
        weight = np.random.default_rng(0).exponential(size=len(y))
    if weights == "some nothing":
        weight[::4] = 0.0
    space = module.Space.of(X, None, standardise=False)
    learner = module.WidthLearner(
        space, y, np.arange(n_classes), np.array([0.0]), C=3.0, tol=1e-3, n_cases=len(y)
    )
    model = learner.fit(weight / len(y)).model
    used = np.flatnonzero(weight)
    values = np.exp(-module.gamma_of(0.0) * learner.squared)[np.ix_(used, used)]
    machine = SVC(C=3.0, kernel="precomputed", decision_function_shape="ovo")
    machine.fit(values, y[used], sample_weight=weight[used])
    assert_array_equal(model.rows, np.sort(used[machine.support_]))
    sign = -1.0 if n_classes == 2 else 1.0
    said = learner.squared[np.ix_(used, model.rows)]
    said = np.exp(-module.gamma_of(0.0) * said) @ model.coef + model.offset
    wanted = machine.decision_function(values).reshape(len(used), -1)
    assert_allclose(said, sign * wanted, atol=1e-12)


def test_a_machine_that_takes_too_long_is_stopped_with_a_warning(monkeypatch):
    monkeypatch.setattr(module, "solver_steps", lambda n: 20)
    X, y = data(2)
    with pytest.warns(ConvergenceWarning, match="stopped after 20 steps"):
        AdaBoostSVMClassifier(n_estimators=1, log2_width_max=2).fit(X, y)


@pytest.mark.parametrize("log2_width", [12, 0, -2, -20])
def test_kernel_values_are_powers_and_hardly_any_are_too_small_for_a_processor(log2_width):
    squared = np.random.default_rng(0).exponential(30.0, size=(300, 200))
    squared[0, 0] = 0.0
    with np.errstate(under="ignore"):
        wanted = np.exp(-module.gamma_of(log2_width) * squared)
    values = module.kernel_values(squared, log2_width)
    assert_allclose(values, wanted, rtol=1e-15, atol=1e-306)
    assert values[0, 0] == 1.0
    assert not ((values > 0) & (values < np.finfo(float).tiny)).any()
    room = np.empty_like(squared)
    assert module.kernel_values(squared, log2_width, room) is room
    assert_array_equal(room, values)


def test_a_flat_kernel_says_the_heavier_class():
    X, y = data(2, weights=(0.3,))
    fitted = AdaBoostSVMClassifier(n_estimators=1).fit(X, y)
    assert (fitted.predict(X) == 1).all()
    assert fitted.history_["error"].iloc[0] == pytest.approx(np.mean(y == 0))
    assert fitted.widths_.tolist() == [2.0**20]


def test_balanced_classes_start_at_a_width_that_tells_them_apart():
    """All samples at their limits say nothing: error one half, rejected."""
    X, y = make_moons(100, noise=0.2, random_state=0)
    fitted = AdaBoostSVMClassifier(n_estimators=1).fit(X, y)
    assert fitted.history_["log2_width"].iloc[0] < 10
    assert fitted.score(X, y) > 0.8


def test_widths_never_grow_and_rejections_are_bounded():
    X, y = data(2)
    fitted = AdaBoostSVMClassifier().fit(X, y)
    assert (np.diff(fitted.widths_) <= 0).all()
    narrow = NCABSVMClassifier(min_diversity=3.99).fit(X, y)
    assert (narrow.stop_reason_, len(narrow.estimators_)) == ("exhausted", 1)


def test_every_member_but_the_first_differs_enough():
    X, y = data(3, 4)
    penalty = NCABSVMClassifier(min_diversity=0.5).fit(X, y).history_["penalty"]
    assert np.isnan(penalty.iloc[0])
    assert (penalty.iloc[1:] >= 0.5).all()


def test_without_penalty_it_is_adaboost_svm():
    X, y = data(2, 3)
    plain = AdaBoostSVMClassifier(n_estimators=8).fit(X, y)
    without = NCABSVMClassifier(n_estimators=8, lam=0, min_diversity=0).fit(X, y)
    assert_array_equal(plain.estimator_weights_, without.estimator_weights_)
    assert_array_equal(plain.predict(X), without.predict(X))


def test_lambda_acts_through_the_least_sum_only():
    X, y = data(2, 0)
    small, large = (NCABSVMClassifier(n_estimators=4, lam=v).fit(X, y) for v in (1.0, 3.0))
    wrong = small.member_predict(X) != y
    # the second member is wrong at samples on which it differs, the sums are not tiny
    assert wrong[1].any()
    assert_allclose(small.estimator_weights_[:2], large.estimator_weights_[:2])


@pytest.mark.parametrize("lam", [1.0, 2.0])
def test_the_say_of_a_member_never_wrong_where_it_differs(lam):
    """Its sum of wrong samples is 0 and counts as 1 / n."""
    n = 10
    rule = svm.WidthRule(lam, 0.8, n)
    y = np.array([0] * 6 + [1] * 4)
    rule.start(y, 2, np.full(n, 1 / n))
    model = type("Model", (), {"log2_width": 0.0})
    first = MemberAnswer(model, votes=np.zeros(n, dtype=int))
    rule.update(first, rule.judge(first))
    verdict = rule.judge(MemberAnswer(model, votes=np.array([0] * 6 + [1] * 3 + [0])))
    assert not verdict.failure
    mended = 3 / 8  # three of the four samples that weigh one half together
    assert verdict.alpha == pytest.approx(0.5 * np.log(4**lam * mended / (1 / n)))


def test_a_member_that_spoils_more_than_it_mends_is_rejected():
    rule = svm.WidthRule(2.0, 0.0, 10)
    y = np.array([0] * 6 + [1] * 4)
    rule.start(y, 2, np.full(10, 0.1))
    model = type("Model", (), {"log2_width": 0.0})
    perfect = MemberAnswer(model, votes=y)
    rule.update(perfect, Verdict(1.0))
    assert rule.judge(MemberAnswer(model, votes=1 - y)).failure == "chance"
    almost = y.copy()
    almost[0] = 1
    assert rule.judge(MemberAnswer(model, votes=almost)).failure == "worse"


def test_a_perfect_member_ends_adaboost_svm():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]  # two classes that a plane separates
    fitted = AdaBoostSVMClassifier().fit(X, y)
    assert fitted.stop_reason_ == "perfect"
    assert fitted.history_["error"].iloc[-1] == 0
    assert fitted.estimator_weights_[-1] == pytest.approx(0.5 * np.log(100))


@pytest.mark.parametrize("kind", BOTH)
def test_constant_columns_leave_the_heaviest_class(kind):
    y = np.repeat([0, 1], [4, 8])
    fitted = kind().fit(np.ones((12, 2)), y)
    assert fitted.stop_reason_ == "exhausted"
    assert (fitted.predict(np.ones((3, 2))) == 1).all()
    tied = kind().fit(np.ones((8, 2)), np.repeat([0, 1], 4))  # no member at all is any good
    assert len(tied.estimators_) == 1


def test_scaling_is_done_inside():
    X, y = data(2)
    stretched = X * [1e3, 1, 1e-3, 5, 70] + 9
    plain = NCABSVMClassifier(n_estimators=5).fit(X, y)
    assert_array_equal(NCABSVMClassifier(n_estimators=5).fit(stretched, y).predict(stretched),
                       plain.predict(X))  # fmt: skip


def test_only_support_vectors_are_kept():
    X, y = data(2, n_samples=300)
    fitted = AdaBoostSVMClassifier(n_estimators=2).fit(X, y)
    (space,) = {id(m.space): m.space for m in fitted.estimators_}.values()
    assert len(space.vectors) == len(
        np.unique(np.concatenate([m.rows for m in fitted.estimators_]))
    )
    assert len(space.vectors) < len(X)


def test_samples_are_asked_in_blocks(monkeypatch):
    X, y = data(3)
    fitted = NCABSVMClassifier(n_estimators=6).fit(X, y)
    whole = fitted.member_predict(X)
    monkeypatch.setattr(module, "_BLOCK", 7 * len(fitted.estimators_[0].space.vectors))
    assert_array_equal(fitted.member_predict(X), whole)


@pytest.mark.parametrize("kind", BOTH)
def test_a_warm_start_goes_on(kind):
    X, y = data(3, 5)
    whole = kind(n_estimators=7).fit(X, y)
    parts = kind(n_estimators=3, warm_start=True).fit(X, y)
    parts.set_params(n_estimators=7).fit(X, y)
    assert_allclose(parts.estimator_weights_, whole.estimator_weights_, rtol=1e-9)
    assert_array_equal(parts.widths_, whole.widths_)
    assert_array_equal(parts.predict(X), whole.predict(X))


def test_evaluation_data_stopping_rules_and_measures():
    X, y = data(2)
    fitted = AdaBoostSVMClassifier(stopping=DiversityStopping("disagreement", patience=3))
    fitted.fit(X[:100], y[:100], eval_set=(X[100:], y[100:]))
    history = fitted.history_
    assert history["eval_error"].iloc[-1] == pytest.approx(1 - fitted.score(X[100:], y[100:]))
    assert "disagreement" in history
    outputs = MemberOutputs.from_estimator(fitted, X, y)
    assert_array_equal(outputs.votes, fitted.member_predict(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C=0: give a number above 0"),
        ({"tol": -1}, "tol=-1"),
        ({"log2_width_step": 0}, "log2_width_step=0"),
        ({"log2_width_max": -20}, "log2_width_max=-20 is not above log2_width_min=-20"),
        ({"lam": -1}, "lam=-1: give a number from 0"),
        ({"lam": "auto"}, "lam='auto'"),
        ({"min_diversity": 4}, "min_diversity=4: give a number from 0 and below 4"),
        ({"n_estimators": 0}, "n_estimators=0"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        NCABSVMClassifier(**options).fit(*data(2))


@pytest.mark.parametrize("kind", BOTH)
def test_one_class_and_missing_values_are_refused(kind):
    X, y = data(2)
    with pytest.raises(ValueError, match="one class only"):
        kind().fit(X, np.zeros(len(y)))
    fitted = kind(n_estimators=2).fit(X, y)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        kind().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(X)


@pytest.mark.parametrize("kind", [AdaBoostSVMClassifier, NCABSVMClassifier])
def test_narrowing_always_tries_every_width_once(kind, monkeypatch):
    from counterpoint.boosting.kernel_members import WidthLearner

    tried, fit = [], WidthLearner.fit

    def recorded(self, weight, target=None):
        answer = fit(self, weight, target)
        tried.append(float(answer.model.log2_width))
        return answer

    monkeypatch.setattr(WidthLearner, "fit", recorded)
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[::4]
    model = kind(narrow="always", scale=False, calibrate=False).fit(X, y[::4])
    assert tried == list(range(20, -20, -2))  # 20 widths, as printed
    assert model.stop_reason_ == "exhausted"
    members, labels = naive.boosted_svm(
        X.tolist(), y[::4].tolist(), X.tolist(), rounds=50, always=True,
        negative_correlation=kind is NCABSVMClassifier,
    )  # fmt: skip
    assert [m[0] for m in members] == model.history_["log2_width"].tolist()
    assert_allclose(model.estimator_weights_, [m[1] for m in members], rtol=1e-4)
    assert_array_equal(model.predict(X), labels)


def test_a_class_that_weighs_nothing_any_more_wins_no_pair():
    # libsvm leaves such samples out, and has functions for the other pairs only.
    X, y = data(3)
    weight = np.where(y == 1, 0.0, 1.0) / (y != 1).sum()
    space = module.Space.of(X, None, standardise=False)
    learner = module.WidthLearner(
        space, y, np.arange(3), np.array([0.0]), C=1.0, tol=1e-8, n_cases=float(len(y))
    )
    votes = learner.fit(weight).votes
    rest = y != 1
    two = SVC(C=1.0, gamma=module.gamma_of(0.0), tol=1e-8)
    two.fit(X[rest], y[rest], sample_weight=weight[rest] * len(y))
    assert_array_equal(votes, two.predict(X))
