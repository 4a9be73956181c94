import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.auto import (
    Candidate,
    OverproduceSelectClassifier,
    default_number_pool,
    default_pool,
)
from counterpoint.auto.choice import choose_rule, make_rules
from counterpoint.auto.given import candidates_of
from counterpoint.auto.metric import class_metric
from counterpoint.auto.plan import folds_plan
from counterpoint.combiners import TemperedCombiner, combiner_of, member_contributions
from counterpoint.combiners.combiner import mean_loss
from counterpoint.combiners.tempered import temper, tempers
from counterpoint.selection import bagged_weights


def few():
    return [
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=4)),
        ("neighbours", KNeighborsClassifier(7)),
        ("logistic", LogisticRegression(max_iter=1000)),
        ("constant", DummyClassifier()),
    ]


@pytest.fixture(scope="module")
def data():
    return make_classification(400, 8, n_informative=5, n_classes=3, random_state=0)


def test_it_is_at_least_about_as_good_as_its_best_member(data):
    X, y = data
    model = OverproduceSelectClassifier(few(), random_state=0).fit(X[:250], y[:250])
    alone = max(m.fit(X[:250], y[:250]).score(X[250:], y[250:]) for _, m in few())
    assert model.score(X[250:], y[250:]) >= alone - 0.03
    assert abs(model.cv_score_ - model.score(X[250:], y[250:])) < 0.1


def test_the_board_tells_all_members_and_their_worth(data):
    X, y = data
    model = OverproduceSelectClassifier(few(), random_state=0).fit(X, y)
    board = model.leaderboard_
    assert set(board["member"]) == {name for name, _ in few()}
    assert board["weight"].sum() == pytest.approx(1)
    assert (board.loc[board["member"] == "constant", "weight"] == 0).all()
    kept = board[board["weight"] > 0]
    assert len(model.pool_) == len(kept)
    text = model.explain()
    assert "5 members were tried" in text
    assert kept["member"].iloc[0] in text
    tried = {"blend", "best alone", "greedy, one bag", "best third", "greedy", "stacking"}
    assert set(model.combiners_tried_["combiner"]) == tried


def test_what_a_member_adds_is_what_goes_when_it_falls_silent():
    # Two that know half of the rows each, and one that knows nothing.
    outputs = halves()
    for name, rule in make_rules(0, n_classes=2).items():
        rule = TemperedCombiner(rule).fit(outputs)
        whole = log_loss(rule.combine(outputs), outputs)
        rise = [log_loss(rule.silence(m, outputs), outputs) - whole for m in range(3)]
        if name in ("best alone", "best third"):  # of three that is one, too
            assert sorted(np.array(rise) != 0) == [False, False, True]
            continue
        assert min(rise[:2]) > 0.05, name
        assert abs(rise[2]) < 0.03, name


def test_a_rule_cut_down_is_the_same_rule():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=200)
    proba = rng.dirichlet([1, 1, 1], size=(9, 200))
    for m in range(6):
        proba[m, np.arange(200), y] += 0.3 * m
    proba /= proba.sum(axis=2, keepdims=True)
    outputs = MemberOutputs(proba=proba, y=y)
    for name, rule in make_rules(0, n_classes=2).items():
        if name in ("stacking", "blend"):
            continue  # fitted again: the rest of the coefficients change
        rule = TemperedCombiner(rule).fit(outputs)
        keep = np.flatnonzero(rule.estimator_weights_ > 0)
        fewer = rule.keep(keep, outputs)
        np.testing.assert_allclose(fewer.combine(outputs.take(keep)), rule.combine(outputs))
        assert len(fewer.estimator_weights_) == len(fewer.powers_) == len(keep)


def test_tempers_undo_what_was_done_to_probabilities():
    rng = np.random.default_rng(0)
    true = rng.dirichlet([1, 1, 1], size=4000)
    y = np.array([rng.choice(3, p=p) for p in true])
    proba = np.stack([true, true**2, true**0.5])
    outputs = MemberOutputs(proba=proba / proba.sum(axis=2, keepdims=True), y=y)
    powers = tempers(outputs)
    np.testing.assert_allclose(powers, [1.0, 0.5, 2.0], rtol=0.1)
    fixed = temper(outputs, powers)
    np.testing.assert_array_equal(fixed.proba.argmax(axis=2), outputs.proba.argmax(axis=2))
    np.testing.assert_allclose(fixed.proba.sum(axis=2), 1.0)
    assert log_loss(fixed.proba[1], outputs) < log_loss(outputs.proba[1], outputs)
    # One that knows nothing is made to say so.
    noise = MemberOutputs(proba=rng.dirichlet([1, 1, 1], size=(1, 4000)), y=y)
    assert log_loss(temper(noise, tempers(noise)).proba[0], noise) < np.log(3) + 0.1


def log_loss(share, outputs):
    return mean_loss(share, outputs, "log-loss", 1e-6)


def halves():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    sure = np.where(rng.random(600) < 0.5, 0.95, 0.5)  # each knows half of the rows
    other = np.where(sure == 0.5, 0.95, 0.5)
    second = (np.where(y == 1, sure, 1 - sure), np.where(y == 1, other, 1 - other), rng.random(600))
    return MemberOutputs(proba=[np.stack([1 - p, p], axis=1) for p in second], y=y)


def test_on_permuted_labels_the_reported_score_is_chance():
    scores = []
    for seed in range(6):
        rng = np.random.RandomState(seed)
        X, y = rng.randn(160, 5), rng.randint(2, size=160)
        model = OverproduceSelectClassifier(few()[:4], cv=4, random_state=seed).fit(X, y)
        scores.append(model.cv_score_)
    # 960 answers: two standard errors are 0.032; taking the best member's score would be above.
    assert abs(np.mean(scores) - 0.5) < 0.05


def test_the_seed_decides_at_any_number_of_jobs(data):
    X, y = data
    one = OverproduceSelectClassifier(few(), random_state=3).fit(X, y)
    two = OverproduceSelectClassifier(few(), random_state=3).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.estimator_weights_, two.estimator_weights_)


def test_mixed_frames_with_gaps_are_encoded_inside():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = np.where(frame["c"] > 3, "long", "short")
    frame.loc[::7, "a"] = np.nan
    model = OverproduceSelectClassifier(few(), random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.9
    outputs = MemberOutputs.from_estimator(model, frame, y)
    assert outputs.n_members == len(model.pool_)


def test_a_time_limit_tries_what_it_can_and_says_so(data):
    X, y = data
    with pytest.warns(UserWarning, match="of 5 members (was|were) tried"):
        model = OverproduceSelectClassifier(few(), time_limit=1e-9, random_state=0).fit(X, y)
    assert len(model.leaderboard_) == 1
    assert model.predict(X).shape == y.shape


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("cannot do it")

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


class Interrupting(Broken):
    def fit(self, X, y):
        raise KeyboardInterrupt


def test_members_that_fail_are_left_out_and_ctrl_c_goes_on_with_what_there_is(data):
    X, y = data
    with pytest.warns(UserWarning, match="1 of 3 members could not be trained, failed_ says why"):
        model = OverproduceSelectClassifier([*few()[:2], ("broken", Broken())]).fit(X, y)
    assert "Not trained: broken: cannot do it" in model.explain()
    assert model.failed_ == ["broken: cannot do it"]
    with pytest.raises(ValueError, match="No member could be trained"):
        OverproduceSelectClassifier([("broken", Broken())]).fit(X, y)
    with pytest.warns(UserWarning, match="going on with the 2 members"):
        OverproduceSelectClassifier([*few()[:2], ("stop", Interrupting()), *few()[2:]]).fit(X, y)


def test_bagged_weights_find_the_planted_pair():
    outputs = halves()
    weights = bagged_weights(outputs, random_state=0)
    assert weights[2] < 0.15
    mean = np.tensordot(weights, outputs.proba, axes=1)
    assert log_loss(mean, outputs) < min(log_loss(p, outputs) for p in outputs.proba)


def test_more_pay_for_disagreement_keeps_members_that_disagree_more(data):
    X, y = data
    blind, keen = (
        OverproduceSelectClassifier(few(), diversity=w, random_state=0).fit(X, y).outputs_
        for w in (-1, 5)
    )
    weights = [
        make_rules(0, n_classes=2, diversity=w)["greedy"].fit(outputs).estimator_weights_
        for w, outputs in ((-1, blind), (5, keen))
    ]
    spread = [np.average(np.var(outputs.proba, axis=0).sum(axis=1)) for outputs in (blind, keen)]
    assert spread[0] == spread[1]  # the same members were tried
    assert (weights[0] > 0).sum() < (weights[1] > 0).sum()
    with pytest.raises(ValueError, match="diversity=-3"):
        OverproduceSelectClassifier(few(), diversity=-3).fit(X, y)


def test_the_honest_answer_never_saw_its_row():
    # Members that are pure noise, many of them: the best alone looks good where it was chosen.
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=80)
    outputs = MemberOutputs(proba=rng.dirichlet([1, 1], size=(60, 80)), y=y)
    honest = choose_rule(outputs, class_metric("log-loss", outputs.classes), random_state=0).honest
    assert mean_loss(honest, outputs) > outputs.errors.min() + 0.05
    assert log_loss(honest, outputs) > np.log(2) - 0.02


def test_the_outputs_carry_the_rule_and_the_board_its_contributions(data):
    X, y = data
    model = OverproduceSelectClassifier(few(), random_state=0).fit(X[:250], y[:250])
    outputs = MemberOutputs.from_estimator(model, X[250:], y[250:])
    assert outputs.combiner is model.combiner_ is combiner_of(model)
    np.testing.assert_array_equal(model.classes_[outputs.answer], model.predict(X[250:]))
    assert outputs.names == [name for name, _ in model.pool_]
    seen = model.outputs_
    kept = seen.take([seen.names.index(name) for name in outputs.names])
    adds = member_contributions(kept, model.combiner_, loss="log-loss").set_index("member")["adds"]
    board = model.leaderboard_.set_index("member")["adds"]
    np.testing.assert_allclose(board[adds.index], adds)


def test_weights_of_samples_reach_members_and_the_choice(data):
    X, y = data
    pool = [few()[0], few()[1], few()[2]]
    rng = np.random.RandomState(0)
    weight = rng.randint(1, 4, size=len(y)).astype(float)
    with pytest.warns(UserWarning, match="could not be trained"):
        model = OverproduceSelectClassifier(pool, random_state=0).fit(X, y, sample_weight=weight)
    assert model.failed_[0].startswith("neighbours: KNeighborsClassifier takes no sample_weight")
    np.testing.assert_array_equal(model.outputs_.sample_weight, weight)
    bayes = dict(model.pool_)["bayes"]
    np.testing.assert_allclose(bayes.theta_, GaussianNB().fit(X, y, weight).theta_)


def test_the_default_pool_grows_and_shrinks_with_the_data():
    small, large = default_pool(300, 5, 2), default_pool(200_000, 5, 2)
    families = {c.family for c in small}
    assert {"linear", "trees", "boosting", "kernel", "networks", "views", "neighbours"} <= families
    assert "kernel" not in {c.family for c in large}
    assert len({c.name for c in small}) == len(small)
    X, y = make_classification(60, 5, random_state=0)
    for candidate in small:
        made = candidate.make(0)
        assert not hasattr(made, "classes_")
    assert small[0].make(0).fit(X, y).predict_proba(X).shape == (60, 2)


def test_forests_of_many_rows_do_not_fill_memory():
    def leaves(pool):
        made = {c.name: c.make(0).get_params() for c in pool if c.family == "trees"}
        return {name: own["min_samples_leaf"] for name, own in made.items()}

    small, large = leaves(default_pool(15_000, 16, 26)), leaves(default_pool(1_000_000, 30, 2))
    assert (small["extra trees"], small["random forest, leaves of 3"]) == (1, 3)
    assert large["extra trees"] == int(200 * 1.33 * 1e6 * 80 / 1e9) == 21
    assert large["extra trees, quick"] == 5
    assert min(leaves(default_number_pool(10**7, 30)).values()) > 40


def test_estimators_without_names_have_those_of_their_classes(data):
    X, y = data
    pool = [GaussianNB(), DecisionTreeClassifier(max_depth=2), ("bayes", GaussianNB()),
            DecisionTreeClassifier(max_depth=1)]  # fmt: skip
    names = OverproduceSelectClassifier(pool, random_state=0).fit(X, y).leaderboard_["member"]
    assert {"GaussianNB", "bayes", "DecisionTreeClassifier 0", "DecisionTreeClassifier 1"} <= set(
        names
    )


def test_wrong_input_says_what_to_change(data):
    X, y = data
    with pytest.raises(ValueError, match="pool is empty"):
        OverproduceSelectClassifier([]).fit(X, y)
    with pytest.raises(TypeError, match="give estimators, \\(name, estimator\\) pairs"):
        OverproduceSelectClassifier([3]).fit(X, y)
    with pytest.raises(ValueError, match="'LinearSVC' in pool, LinearSVC, gives no probabilities"):
        OverproduceSelectClassifier([LinearSVC()]).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        OverproduceSelectClassifier(few()).fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="y holds 9 classes in as many rows"):
        OverproduceSelectClassifier(few()).fit(X[:9], np.arange(9))
    with pytest.raises(
        TypeError, match=r"pool=GaussianNB\(\) of .* is no pool: give a list of members"
    ):
        OverproduceSelectClassifier(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="pool names 'bayes' twice"):
        OverproduceSelectClassifier([*few(), few()[0]]).fit(X, y)
    with pytest.raises(ValueError, match="groups has a gap at row 3"):
        OverproduceSelectClassifier(few()).fit(X, y, groups=[*"abc", None, *"d" * (len(y) - 4)])
    with pytest.raises(ValueError, match=r"class_weight\[0\]=-1"):
        OverproduceSelectClassifier(few(), class_weight={0: -1}).fit(X, y)
    model = OverproduceSelectClassifier(
        [Candidate(name="bayes", family="bayes", make=lambda s: GaussianNB())]
    ).fit(X, y)
    gap = X[:2].copy()
    gap[0, 0] = np.nan
    with pytest.raises(ValueError, match="there was none in training"):
        model.predict(gap)


def test_a_pool_may_be_a_dict_and_name_quick_kin(data):
    X, y = data
    model = OverproduceSelectClassifier(dict(few()[:2]), random_state=0).fit(X, y)
    assert set(model.leaderboard_["member"]) == {"bayes", "tree"}
    names = [c.name for c in candidates_of(["boosted trees, quick"], default_pool(99, 5, 2), "")]
    assert names == ["boosted trees, quick"]


def test_a_booster_that_is_not_installed_is_named(monkeypatch, data):
    monkeypatch.setattr("counterpoint.auto.extras.find_spec", lambda library: None)
    with pytest.raises(ImportError, match="'CatBoost' in pool needs catboost, which is not"):
        OverproduceSelectClassifier(["CatBoost"]).fit(*data)


def test_a_class_of_one_row_ends_nothing(data):
    X, _ = data
    y = np.zeros(60, dtype=int)
    y[7] = 1
    model = OverproduceSelectClassifier(few(), random_state=0).fit(X[:60], y)
    assert model.predict_proba(X[:3]).shape == (3, 2)
    assert model.failed_ == []
    assert model.outputs_.n_samples == 59  # that row is learnt from only
    # A fold of the choice has one class only: stacking, which some classifiers refuse, is that.
    one = MemberOutputs(proba=[[[0.9, 0.1]] * 4], y=np.zeros(4, dtype=int), classes=[0, 1])
    rule = make_rules(0, n_classes=2)["stacking"].fit(one)
    np.testing.assert_array_equal(rule.combine(one), [[1.0, 0.0]] * 4)


def test_what_is_learnt_of_members_on_a_group_is_not_judged_on_it():
    # A group is a class: members know nothing of it, but where all say "surely not that one", a
    # classifier that saw other rows of the group knows.
    X, y = load_iris(return_X_y=True)
    model = OverproduceSelectClassifier(few()[:2], random_state=0).fit(X, y, groups=y)
    assert model.cv_score_ == 0.0
    plan = folds_plan(TimeSeriesSplit(7), X, y, None, None, classes=True)
    parts = plan.parts(5)
    assert len(np.unique(parts)) == 5
    assert (np.diff(parts) >= 0).all()
    assert folds_plan(5, X, y, None, None, classes=True).parts(5) is None


def test_a_scorer_that_cannot_judge_says_so_before_anything_is_tried(data):
    X, y = data
    pool = [("none", Interrupting())]
    with pytest.raises(ValueError, match="'roc_auc' cannot judge this target: multi_class must"):
        OverproduceSelectClassifier(pool, metric="roc_auc").fit(X, y)
    names = np.array(["no", "yes"])[(y > 0).astype(int)]
    with pytest.raises(ValueError, match="'precision' cannot judge this target: pos_label"):
        OverproduceSelectClassifier(pool, metric="precision").fit(X, names)


def test_a_class_with_hardly_a_row_held_out_is_named():
    X, y = make_classification(9000, 6, weights=[0.998], flip_y=0, random_state=0)
    pool = [("logistic", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
    model = OverproduceSelectClassifier(pool, time_limit=0.01, random_state=0)
    with pytest.warns(UserWarning, match=r"rows held out, \d of them of class 1, too few to judge"):
        model.fit(X, y)
    even = y.copy()
    even[::2] = 1
    with pytest.warns(UserWarning, match=r"rows held out[.;]"):
        model.fit(X, even)
