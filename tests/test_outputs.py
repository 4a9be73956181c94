import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_predict
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint import MemberOutputs, PairCounts, member_predictions
from counterpoint.combiners import MeanCombiner, VoteCombiner
from counterpoint.diversity import trajectory, vote_error
from counterpoint.exceptions import MemberError

X, CODES = load_iris(return_X_y=True)
# Labels that are neither sorted like their codes' values nor equal to them, as text and as numbers.
LABELINGS = {"text": np.array(["x", "y", "z"])[CODES], "from one": CODES + 1}
NB, TREE = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())

# For each: how to get member k's label by hand, given the fitted ensemble.
VOTING_ENSEMBLES = {
    "bagging": (
        BaggingClassifier(TREE, n_estimators=5, random_state=0),
        lambda e, k: e.classes_[e.estimators_[k].predict(X).astype(int)],
    ),
    "bagging of columns": (
        BaggingClassifier(TREE, n_estimators=5, max_features=2, random_state=0),
        lambda e, k: e.classes_[e.estimators_[k].predict(X[:, e.estimators_features_[k]])],
    ),
    "bagging without probabilities": (
        BaggingClassifier(LinearSVC(), n_estimators=3, random_state=0),
        lambda e, k: e.classes_[e.estimators_[k].predict(X)],
    ),
    "forest": (
        RandomForestClassifier(n_estimators=5, random_state=0),
        lambda e, k: e.classes_[e.estimators_[k].predict(X).astype(int)],
    ),
    "extra trees": (
        ExtraTreesClassifier(n_estimators=5, random_state=0),
        lambda e, k: e.classes_[e.estimators_[k].predict(X).astype(int)],
    ),
    "adaboost": (
        AdaBoostClassifier(n_estimators=5, random_state=0),
        lambda e, k: e.estimators_[k].predict(X),
    ),
    "voting": (
        VotingClassifier([("nb", NB), ("gone", "drop"), ("tree", TREE)], weights=[1, 5, 2]),
        lambda e, k: e.le_.inverse_transform(e.estimators_[k].predict(X)),
    ),
    "stacking": (
        StackingClassifier([("nb", NB), ("tree", TREE)], cv=3),
        lambda e, k: e.classes_[e.estimators_[k].predict(X)],
    ),
    "pipeline": (
        make_pipeline(StandardScaler(), BaggingClassifier(TREE, n_estimators=3, random_state=0)),
        lambda e, k: e.classes_[e[-1].estimators_[k].predict(e[:-1].transform(X))],
    ),
    "search": (
        GridSearchCV(RandomForestClassifier(3, random_state=0), {"max_depth": [1, 2]}, cv=3),
        lambda e, k: e.classes_[e.best_estimator_.estimators_[k].predict(X).astype(int)],
    ),
    "calibration": (
        CalibratedClassifierCV(NB, cv=3),
        lambda e, k: e.classes_[e.calibrated_classifiers_[k].predict_proba(X).argmax(axis=1)],
    ),
}


@pytest.mark.parametrize("labels", LABELINGS.values(), ids=LABELINGS)
@pytest.mark.parametrize("name", VOTING_ENSEMBLES)
def test_members_say_what_they_say_by_hand(name, labels):
    ensemble, by_hand = VOTING_ENSEMBLES[name]
    ensemble = clone(ensemble).fit(X, labels)
    outputs = MemberOutputs.from_estimator(ensemble, X, labels)
    for k in range(outputs.n_members):
        said = by_hand(ensemble, k)
        assert_array_equal(outputs.classes[outputs.votes[k]], said)
        assert_array_equal(outputs.correct[k], said == labels)
    assert_allclose(outputs.errors, (~outputs.correct).mean(axis=1))


def test_averaging_member_probabilities_is_the_forest():
    forest = RandomForestClassifier(7, random_state=0).fit(X, LABELINGS["text"])
    outputs = MemberOutputs.from_estimator(forest, X)
    assert_allclose(outputs.proba.mean(axis=0), forest.predict_proba(X), atol=1e-12)


def test_the_vote_of_adaboost_is_by_its_own_weights():
    boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=7).fit(X, CODES)
    outputs = MemberOutputs.from_estimator(boosted, X, CODES)
    assert_array_equal(outputs.classes[outputs.majority], boosted.predict(X))


def test_voting_weights_of_dropped_members_are_dropped():
    ensemble = clone(VOTING_ENSEMBLES["voting"][0]).fit(X, CODES)
    outputs = MemberOutputs.from_estimator(ensemble, X)
    assert outputs.names == ["nb", "tree"]
    assert_array_equal(outputs.weights, [1, 2])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "ensemble",
    [GradientBoostingClassifier(n_estimators=4), HistGradientBoostingClassifier(max_iter=4)],
    ids=lambda e: type(e).__name__,
)
def test_rounds_of_gradient_boosting_vote_for_the_class_they_raise(ensemble, n_classes):
    data, y = make_classification(200, n_informative=5, n_classes=n_classes, random_state=0)
    fitted = clone(ensemble).fit(data, y)
    outputs = MemberOutputs.from_estimator(fitted, data, y)
    assert outputs.n_members == 4
    stages = list(fitted.staged_decision_function(data))
    gain = stages[3] - stages[2]
    raised = (gain.ravel() > 0).astype(int) if n_classes == 2 else gain.argmax(axis=1)
    assert_array_equal(outputs.votes[3], raised)


def test_one_vs_rest_members_are_right_about_their_own_class():
    y = LABELINGS["text"]
    ensemble = OneVsRestClassifier(NB).fit(X, y)
    outputs = MemberOutputs.from_estimator(ensemble, X, y)
    for k, label in enumerate(ensemble.classes_):
        assert_array_equal(outputs.correct[k], ensemble.estimators_[k].predict(X) == (y == label))
    assert outputs.names[0] == "x or not"
    assert outputs.votes is None


@pytest.mark.parametrize("model", [NB, LinearSVC()], ids=["proba", "decision"])
def test_output_code_members_are_right_about_their_own_bit(model):
    ensemble = OutputCodeClassifier(model, code_size=2, random_state=0).fit(X, CODES)
    outputs = MemberOutputs.from_estimator(ensemble, X, CODES)
    for k, bit in enumerate(ensemble.estimators_):
        assert_array_equal(outputs.correct[k], bit.predict(X) == ensemble.code_book_[CODES, k])


def test_a_class_missing_from_a_bootstrap_gets_probability_zero():
    y = CODES.copy()
    y[:-1][y[:-1] == 2] = 0  # one sample of the last class is left
    # A learner without sample_weight: it is trained on the rows drawn, not on weights of all.
    bag = BaggingClassifier(KNeighborsClassifier(1), n_estimators=12, random_state=0).fit(X, y)
    assert any(len(member.classes_) == 2 for member in bag.estimators_)
    outputs = MemberOutputs.from_estimator(bag, X, y)
    assert_allclose(outputs.proba.mean(axis=0), bag.predict_proba(X), atol=1e-12)


class Committee(ClassifierMixin, BaseEstimator):
    """Somebody else's ensemble that speaks our protocol."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.models_ = [GaussianNB().fit(X[k::3], y[k::3]) for k in range(3)]
        return self

    def member_predict(self, X):
        return np.stack([m.predict(X) for m in self.models_])

    def member_predict_proba(self, X):
        return np.stack([m.predict_proba(X) for m in self.models_])


class Unknown(ClassifierMixin, BaseEstimator):
    """Somebody else's ensemble that keeps its members in estimators_."""

    def __init__(self, encode=False):
        self.encode = encode

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        target = codes if self.encode else y
        self.estimators_ = [GaussianNB().fit(X[k::3], target[k::3]) for k in range(3)]
        return self


@pytest.mark.parametrize("labels", LABELINGS.values(), ids=LABELINGS)
@pytest.mark.parametrize("ensemble", [Committee(), Unknown(), Unknown(encode=True)], ids=repr)
def test_ensembles_we_do_not_know_are_understood(ensemble, labels):
    outputs = MemberOutputs.from_estimator(clone(ensemble).fit(X, labels), X, labels)
    expected = [(GaussianNB().fit(X[k::3], labels[k::3]).predict(X) == labels) for k in range(3)]
    assert_array_equal(outputs.correct, expected)
    assert outputs.proba.shape == (3, 150, 3)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_work_and_members_may_see_columns_of_their_own(frame):
    names = ["a", "b", "c", "d"]
    data = frame({name: X[:, k] for k, name in enumerate(names)})
    first = GaussianNB().fit(X[:, :2], CODES)
    forest = RandomForestClassifier(3, random_state=0).fit(data, CODES)
    bag = BaggingClassifier(TREE, n_estimators=3, max_features=2, random_state=0).fit(data, CODES)
    for ensemble in (forest, bag):
        assert MemberOutputs.from_estimator(ensemble, data, CODES).n_members == 3
    outputs = MemberOutputs.from_estimator(
        {"first": _named(data, ["a", "b"]), "slice": _named(data, ["c", "d"])},
        data,
        CODES,
        columns=[["a", "b"], slice(2, 4)],
    )
    assert outputs.names == ["first", "slice"]
    assert_array_equal(outputs.correct[0], first.predict(X[:, :2]) == CODES)


def _named(data, columns):
    return GaussianNB().fit(data[columns], CODES)


def test_sparse_data_work():
    forest = RandomForestClassifier(3, random_state=0).fit(X, CODES)
    outputs = MemberOutputs.from_estimator(forest, sparse.csr_matrix(X), CODES)
    assert_array_equal(outputs.votes, MemberOutputs.from_estimator(forest, X, CODES).votes)


def test_any_number_of_jobs_gives_the_same():
    forest = RandomForestClassifier(5, random_state=0).fit(X, CODES)
    one, two = (MemberOutputs.from_estimator(forest, X, CODES, n_jobs=n) for n in (1, 2))
    assert_array_equal(one.proba, two.proba)


# -- unfitted and mixed pools ------------------------------------------------------------------


def test_unfitted_members_are_cross_fitted_and_fitted_ones_asked_as_they_are():
    prefit = GaussianNB().fit(X[:, :1], CODES)
    cv = KFold(4, shuffle=True, random_state=0)
    pool = [prefit, ("fresh", LogisticRegression(max_iter=1000))]
    with pytest.warns(UserWarning, match="GaussianNB 0 is fitted already.*looks better than it is"):
        outputs = MemberOutputs.from_estimator(pool, X, CODES, columns=[[0], None], cv=cv)
    expected = cross_val_predict(LogisticRegression(max_iter=1000), X, CODES, cv=cv)
    assert_array_equal(outputs.votes, [prefit.predict(X[:, :1]), expected])
    assert outputs.names == ["GaussianNB 0", "fresh"]
    assert outputs.proba.shape == (2, 150, 3)


def test_a_member_without_probabilities_leaves_the_pool_without():
    outputs = MemberOutputs.from_estimator([NB, LinearSVC()], X, CODES, cv=3)
    assert outputs.proba is None


def test_an_unfitted_ensemble_is_cross_fitted_as_a_whole():
    cv = KFold(3, shuffle=True, random_state=0)
    bag = BaggingClassifier(TREE, n_estimators=4, random_state=0)
    outputs = MemberOutputs.from_estimator(bag, X, LABELINGS["text"], cv=cv)
    expected = cross_val_predict(bag, X, LABELINGS["text"], cv=cv, method="predict_proba")
    assert_allclose(outputs.proba.mean(axis=0), expected, atol=1e-12)


def test_cv_leaves_a_fitted_ensemble_alone():
    bag = BaggingClassifier(TREE, n_estimators=4, random_state=0).fit(X, CODES)
    with_cv = MemberOutputs.from_estimator(bag, X, CODES, cv=3)
    assert_array_equal(with_cv.votes, MemberOutputs.from_estimator(bag, X, CODES).votes)


class CountingNB(GaussianNB):
    """Counts how often it is asked, over all copies."""

    asked = 0

    def predict(self, X):
        CountingNB.asked += 1
        return super().predict(X)


def test_answers_are_kept_on_disk(tmp_path):
    CountingNB.asked = 0
    pool = [CountingNB().fit(X, CODES)]
    for _ in range(2):
        outputs = MemberOutputs.from_estimator(pool, X, CODES, memory=str(tmp_path))
    assert CountingNB.asked == 1
    assert outputs.n_members == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MemberOutputs.from_estimator([NB], X, CODES), r"Not fitted: GaussianNB 0.*cv=5"),
        (lambda: MemberOutputs.from_estimator(RandomForestClassifier(), X), "not fitted.*cv=5"),
        (lambda: MemberOutputs.from_estimator([NB], X, cv=3), "pass the truth"),
        (
            lambda: MemberOutputs.from_estimator([NB], X, CODES, cv=ShuffleSplit(2)),
            "every sample exactly once",
        ),
        (lambda: MemberOutputs.from_estimator([], X), "list of members is empty"),
        (lambda: MemberOutputs.from_estimator([3], X), "Member 0 is a int"),
        (
            lambda: MemberOutputs.from_estimator([NB], X, columns=[[0], [1]]),
            "2 entries for 1 members",
        ),
        (
            lambda: MemberOutputs.from_estimator(
                [GaussianNB().fit(X, CODES)], X, columns=[["petal"]]
            ),
            "columns are names, 'petal' first",
        ),
        (
            lambda: MemberOutputs.from_estimator(DecisionTreeClassifier().fit(X, CODES), X),
            "DecisionTreeClassifier is one model.*pass them as a list",
        ),
        (
            lambda: MemberOutputs.from_estimator(OneVsOneClassifier(NB).fit(X, CODES), X),
            "each know two classes",
        ),
        (
            lambda: MemberOutputs.from_estimator(RandomForestRegressor(2).fit(X, CODES), X),
            "is a regressor.*member_predictions",
        ),
        (
            lambda: MemberOutputs.from_estimator([LinearRegression().fit(X, CODES)], X),
            "is a regressor",
        ),
        (
            lambda: MemberOutputs.from_estimator(
                RandomForestClassifier(2).fit(X, np.c_[CODES, CODES]), X
            ),
            "several outputs",
        ),
        (
            lambda: MemberOutputs.from_estimator(OneVsRestClassifier(NB).fit(X, CODES), X),
            "only be right about a y",
        ),
        (
            lambda: MemberOutputs.from_estimator(
                RandomForestClassifier(2).fit(X, CODES), X, LABELINGS["from one"]
            ),
            "y has the label 3, which the ensemble never saw",
        ),
        (
            lambda: MemberOutputs.from_estimator(
                RandomForestClassifier(2).fit(X, CODES), X, CODES[:-1]
            ),
            "y has 149 samples",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart_says_why(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_folds_without_a_class_are_refused():
    y = np.array([0] * 149 + [1])
    with (
        pytest.warns(UserWarning, match="least populated class"),
        pytest.raises(MemberError, match="every class in every training part"),
    ):
        MemberOutputs.from_estimator(BaggingClassifier(TREE, 2), X, y, cv=3)


# -- plain arrays ------------------------------------------------------------------------------


def test_labels_of_any_type_are_encoded():
    outputs = MemberOutputs([["b", "a"], ["b", "b"]], ["b", "a"])
    assert_array_equal(outputs.votes, [[1, 0], [1, 1]])
    assert_array_equal(outputs.correct, [[True, True], [True, False]])
    frame = pd.DataFrame({"m1": ["b", "a"], "m2": ["b", "b"]}, dtype=object)
    assert_array_equal(MemberOutputs(frame.T, pd.Series(["b", "a"])).votes, outputs.votes)


def test_votes_come_from_probabilities_and_ties_go_to_the_first_class():
    proba = [[[0.2, 0.8], [0.5, 0.5]]]
    assert_array_equal(MemberOutputs(proba=proba, y=["no", "yes"]).votes, [[1, 0]])
    assert_array_equal(MemberOutputs(proba=proba).classes, [0, 1])


@pytest.mark.parametrize("n_members", [2, 6, 10, 30])
@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7, 1e-30])
def test_equal_weights_of_any_size_vote_as_none_do(n_members, weight):
    """Half of the members on each side: three tenths are neither more nor less than three."""
    weights = [weight] * n_members
    votes = np.arange(n_members)[:, None] % 2 * np.ones((1, 3), dtype=int)
    rng = np.random.RandomState(0)
    votes = np.column_stack([votes[rng.permutation(n_members)] for _ in range(4)])
    y = np.ones(votes.shape[1], dtype=int)
    flags = MemberOutputs.from_correct(votes == 1, weights=weights)
    assert vote_error(flags) == vote_error(votes == 1) == 1.0
    told = MemberOutputs(votes, y, classes=[0, 1], weights=weights)
    assert_array_equal(told.tally, MemberOutputs(votes, y, classes=[0, 1]).tally)
    assert_array_equal(VoteCombiner(weights).combine(told), told.tally)
    assert trajectory(flags, "vote_error")[-1] == trajectory(told, "vote_error")[-1] == 1.0


def test_weights_that_tie_but_for_their_rounding_tie():
    """As 1/6 + 1/3 and 1/2, or 0.1 + 0.2 and 0.3, do."""
    for weights in ([0.1, 0.2, 0.3], [1 / 6, 1 / 3, 1 / 2], [0.7, 0.1, 0.8]):
        outputs = MemberOutputs([[1], [1], [0]], [1], classes=[0, 1], weights=weights)
        assert outputs.tally[0, 0] == outputs.tally[0, 1]
        assert vote_error(MemberOutputs.from_correct([[1], [1], [0]], weights=weights)) == 1.0


def test_half_precision_still_adds_up_to_one():
    proba = np.random.RandomState(0).dirichlet(np.ones(7), size=(3, 50)).astype(np.float16)
    assert abs(proba.sum(axis=2, dtype=float) - 1).max() > 1e-4
    outputs = MemberOutputs(proba=proba)
    assert_allclose(outputs.proba.sum(axis=2), 1, rtol=0, atol=1e-15)
    assert_allclose(MeanCombiner().predict_proba(outputs).sum(axis=1), 1, rtol=0, atol=1e-14)


class _Lost(ClassifierMixin, BaseEstimator):
    """A classifier that overflows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), np.inf) - np.inf

    def predict(self, X):
        return self.classes_[np.zeros(len(X), dtype=int)]


def test_a_member_without_an_answer_is_named():
    pool = [("sure", GaussianNB().fit([[0], [1]], [0, 1])), ("lost", _Lost().fit(None, [0, 1]))]
    with pytest.raises(ValueError, match="lost gives sample 0 the probability nan"):
        MemberOutputs.from_estimator(pool, [[0.0], [1.0]])


def test_without_truth_labels_can_still_be_compared():
    outputs = MemberOutputs([["a", "b"], ["b", "b"]])
    assert outputs.n_classes == 2
    with pytest.raises(ValueError, match="needs the truth"):
        outputs.correct  # noqa: B018


def test_packed_is_correct_in_bits():
    rng = np.random.default_rng(0)
    votes, y = rng.integers(3, size=(5, 130)), rng.integers(3, size=130)
    outputs = MemberOutputs(votes, y)
    assert outputs.packed.shape == (8, 3)
    assert outputs.counts == PairCounts.from_correct(votes == y)
    assert outputs.packed.nbytes == 8 * 3 * 8
    seen_first = MemberOutputs(votes, y)
    assert seen_first.correct.sum() == (votes == y).sum()
    assert seen_first.counts == outputs.counts


def test_members_can_be_taken():
    rng = np.random.default_rng(0)
    votes, y, weights = rng.integers(3, size=(5, 30)), rng.integers(3, size=30), rng.random(5)
    outputs = MemberOutputs(votes, y, weights=weights, names=list("abcde"))
    some = outputs.take([3, 1])
    assert some.names == ["d", "b"]
    assert_array_equal(some.correct, outputs.correct[[3, 1]])
    assert_array_equal(some.weights, weights[[3, 1]])
    assert MemberOutputs.from_correct(outputs.correct).take(slice(2)).n_members == 2
    with pytest.raises(ValueError, match="at least one member of 5"):
        outputs.take([])


def test_outputs_pickle():
    outputs = MemberOutputs([["a", "b"], ["b", "b"]], ["a", "b"], sample_weight=[1, 2])
    again = pickle.loads(pickle.dumps(outputs))
    assert_array_equal(again.correct, outputs.correct)
    assert len(again) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            dict(votes=np.zeros((3, 4)), y=np.zeros(3)),
            r"looks transposed, pass np\.swapaxes\(votes, 0, 1\)",
        ),
        (
            dict(votes=np.zeros((3, 4)), y=np.zeros(5)),
            "y has 5 samples, but votes .*thus 4 samples",
        ),
        (dict(votes=np.zeros(4), y=np.zeros(4)), r"shape \(4,\).*pass votes\[None\]"),
        (dict(votes=np.zeros((3, 4)), y=np.zeros((4, 1))), r"y has shape \(4, 1\)"),
        (dict(votes=np.zeros((0, 4)), y=np.zeros(4)), "votes is empty"),
        (dict(votes=np.zeros((2, 0)), y=np.zeros(0)), "votes is empty"),
        (dict(), "Pass votes"),
        (dict(votes=[["a", "c"]], y=["a", "b"]), "member 0 says 'c', which y never has"),
        (dict(votes=[["a", "c"]], classes=["a", "b"]), "'c', which is not in classes"),
        (dict(votes=[["a", "b"]], classes=["b", "a"]), "must be sorted"),
        (dict(votes=[[1.0, np.nan]], y=[1.0, 2.0]), "votes holds NaN"),
        (dict(votes=[[1, 2]], y=[1, 2], names=["a", "b"]), "2 names for 1 members"),
        (dict(votes=[[1, 2]], y=[1, 2], weights=[-1]), "finite and not negative"),
        (dict(votes=[[1, 2]], y=[1, 2], weights=[0]), "all zero"),
        (dict(votes=[[1, 2]], y=[1, 2], sample_weight=[1]), r"shape \(1,\), expected \(2,\)"),
        (dict(proba=[[[0.5, 0.6]]]), "adds up to 1.1 over the classes at member 0, sample 0"),
        (dict(proba=[[[0.5, 0.5], [np.nan, 1]]]), "has nan at member 0, sample 1"),
        (dict(proba=[[[-0.5, 1.5]]]), "has -0.5 at member 0"),
        (dict(proba=np.ones((2, 3))), r"expected \(n_members, n_samples, n_classes\)"),
        (dict(proba=np.full((1, 2, 2), 0.5), y=[0, 0]), "2 classes on its last axis"),
        (dict(proba=np.full((4, 2, 2), 0.5), y=[0, 1, 0, 1]), r"pass np\.swapaxes\(proba, 0, 1\)"),
        (
            dict(proba=np.full((1, 2, 2), 0.5), votes=np.zeros((2, 2), int), classes=[0, 1]),
            "same members and samples",
        ),
    ],
)
def test_wrong_arrays_say_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        MemberOutputs(**arguments)


def test_mixed_labels_are_named():
    with pytest.raises(TypeError, match="types int, str"):
        MemberOutputs(np.array([["a", 1]], dtype=object), ["a", "b"])


# -- regressors --------------------------------------------------------------------------------

DATA, TARGET = load_diabetes(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingRegressor(n_estimators=4, max_features=3, random_state=0),
        RandomForestRegressor(4, random_state=0),
        VotingRegressor([("a", LinearRegression()), ("b", DecisionTreeRegressor(max_depth=2))]),
        make_pipeline(StandardScaler(), BaggingRegressor(LinearRegression(), 4, random_state=0)),
        FrozenEstimator(RandomForestRegressor(4, random_state=0).fit(DATA, TARGET)),
    ],
    ids=lambda e: type(e).__name__,
)
def test_the_mean_of_member_predictions_is_the_ensemble(ensemble):
    fitted = ensemble.fit(DATA, TARGET)
    assert_allclose(member_predictions(fitted, DATA).mean(axis=0), fitted.predict(DATA))


def test_a_list_of_regressors_is_an_ensemble():
    models = [LinearRegression().fit(DATA, TARGET), AdaBoostRegressor(n_estimators=2)]
    models[1].fit(DATA, TARGET)
    said = member_predictions({"a": models[0], "b": models[1]}, DATA)
    assert_allclose(said, [m.predict(DATA) for m in models])
    assert member_predictions(models[1], DATA).shape == (2, 442)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (GradientBoostingRegressor(n_estimators=2).fit(DATA, TARGET), "correct the sum of those"),
        (RandomForestClassifier(2).fit(X, CODES), "takes regressors"),
        ([], "at least one regressor"),
    ],
    ids=["additive", "classifier", "empty"],
)
def test_what_has_no_predictions_of_its_own_says_so(estimator, message):
    with pytest.raises(MemberError, match=message):
        member_predictions(estimator, X)


def test_the_breast_cancer_forest_end_to_end():
    data, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(10, random_state=0).fit(data[::2], y[::2])
    outputs = MemberOutputs.from_estimator(forest, data[1::2], y[1::2])
    assert repr(outputs) == "MemberOutputs(10 members, 284 samples, 2 classes)"
    assert outputs.errors.mean() < 0.12
