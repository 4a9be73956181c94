import json
import pickle
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import hyperboxes as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.hyperboxes import HyperboxClassifier

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())
LEARNING = ["online", "agglomerative", "best-first"]


@parametrize_with_checks(
    [HyperboxClassifier(learning="agglomerative"), HyperboxClassifier(learning="best-first")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)  # the defaults are checked with all the others


# -- as others have it ------------------------------------------------------------------------


@pytest.mark.parametrize("learning", LEARNING)
@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"{len(case['X'])} samples")
def test_boxes_and_predictions_are_those_of_hyperbox_brain(case, learning):
    model = HyperboxClassifier(case["theta"], learning=learning, bounds=(0, 1))
    model.fit(case["X"], case["y"])
    expected = case[learning]
    assert model.box_classes_.tolist() == expected["classes"]
    # Online it leaves a gap of 1e-5 between boxes that it takes apart, and we none.
    atol = 5e-5 if learning == "online" else 1e-7
    assert_allclose(model.boxes_[0], expected["lower"], rtol=0, atol=atol)
    assert_allclose(model.boxes_[1], expected["upper"], rtol=0, atol=atol)
    assert model.predict(case["X_new"]).tolist() == expected["predicted"]


@pytest.mark.parametrize("seed", range(3))
def test_agglomerative_is_hyperbox_brain_where_it_is_installed(seed):
    name = "hbbrain.numerical_data.batch_learner.accel_agglo_gfmm"
    peer = pytest.importorskip(name).AccelAgglomerativeLearningGFMM
    rng = np.random.default_rng(seed)
    X, y = rng.random((80, 3)), rng.integers(3, size=80)
    theirs = peer(theta=0.4, min_simil=0.5, simil_measure="short").fit(X, y)
    model = HyperboxClassifier(
        0.4, learning="agglomerative", similarity="short", bounds=(0, 1)
    ).fit(X, y)
    assert_allclose(model.boxes_[0], theirs.V)
    assert_allclose(model.boxes_[1], theirs.W)


def test_a_hand_worked_contraction():
    # (0.2, 0.2) and (0.8, 0.8) make a box around the point of class 1, which is 0.28 below its
    # top and 0.3 or more from its other sides: the top comes down to the point.
    X = [[0.2, 0.2], [0.5, 0.52], [0.8, 0.8]]
    model = HyperboxClassifier(0.9, bounds=(0, 1)).fit(X, [0, 1, 0])
    assert_allclose(model.boxes_[0], [[0.2, 0.2], [0.5, 0.52]])
    assert_allclose(model.boxes_[1], [[0.8, 0.52], [0.5, 0.52]])
    assert model.predict([[0.5, 0.52], [0.3, 0.3], [0.5, 0.9]]).tolist() == [1, 0, 1]


# -- what always holds -------------------------------------------------------------------------


def samples(data, n_classes=3):
    """Draw samples on a grid, so that ties and shared edges are common; some intervals, some
    not known."""
    n, n_features = data.draw(st.integers(2, 25)), data.draw(st.integers(1, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    X = rng.integers(0, 9, size=(n, n_features)) / 8
    upper = X + rng.integers(0, 3, size=X.shape) / 8 * data.draw(st.booleans())
    if data.draw(st.booleans()):
        gone = rng.random(X.shape) < 0.2
        gone[:, 0] = False
        X[gone] = upper[gone] = np.nan
    y = rng.integers(n_classes, size=n)
    y[:2] = 0, 1
    return X, upper, y


@pytest.mark.parametrize("learning", LEARNING)
@settings(max_examples=50)
@given(st.data(), st.sampled_from([0.1, 0.25, 0.5, 1.0]))
def test_boxes_of_different_classes_never_overlap(learning, data, theta):
    X, upper, y = samples(data)
    if learning != "online":
        upper = X.copy()  # what is given is not cut, only kept apart: points do not overlap
    model = HyperboxClassifier(theta, learning=learning, bounds=(0, 1)).fit(X, y, X_upper=upper)
    low, high = model._lower, model._upper
    alone = (low >= high).all(axis=1)
    for a, b in combinations(range(model.n_boxes_), 2):
        if model.box_classes_[a] == model.box_classes_[b]:
            continue
        if (learning == "online" and (alone[a] or alone[b])) or (alone[a] and alone[b]):
            continue  # a sample inside of a box that was there before; or samples that coincide
        both = (low[a] <= high[a]) & (low[b] <= high[b])
        if ((low[a] == high[a]) & (low[b] == high[b]))[both].all():
            continue  # one and the same value in every column that both know: nothing to cut
        assert not naive.overlap((low[a], high[a]), (low[b], high[b]))


@pytest.mark.parametrize("learning", LEARNING)
@settings(max_examples=30)
@given(st.data(), st.sampled_from([0.1, 0.4, 1.0]))
def test_no_box_grows_past_theta_and_all_samples_are_counted(learning, data, theta):
    X, _, y = samples(data)
    model = HyperboxClassifier(theta, learning=learning, bounds=(0, 1)).fit(X, y)
    known = model._lower <= model._upper
    assert (model._upper - model._lower)[known].max() <= theta
    assert model.box_weights_.sum() == len(y)
    assert set(model.box_classes_) == set(y)


@pytest.mark.parametrize("learning", ["agglomerative", "best-first"])
@settings(max_examples=30)
@given(st.data())
def test_merged_boxes_hold_all_their_samples(learning, data):
    X, _, y = samples(data)
    model = HyperboxClassifier(0.5, learning=learning, bounds=(0, 1)).fit(X, y)
    own = model.memberships(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert (own == 1).all()


@pytest.mark.parametrize("learning", LEARNING)
def test_units_play_no_part(learning):
    X, y = load_iris(return_X_y=True)
    model = HyperboxClassifier(0.25, learning=learning).fit(X, y)
    # Powers of two, so that scaling back and forth is exact.
    other = HyperboxClassifier(0.25, learning=learning).fit(X * 4, y)
    assert_array_equal(other.predict_proba(X * 4), model.predict_proba(X))
    assert_allclose(other.boxes_[0], model.boxes_[0] * 4)
    assert_allclose(other.boxes_[1], model.boxes_[1] * 4)


def test_a_small_theta_keeps_every_sample():
    X, y = load_iris(return_X_y=True)
    X = np.unique(X, axis=0, return_index=True)
    y, X = y[X[1]], X[0]
    model = HyperboxClassifier(1e-6, learning="agglomerative").fit(X, y)
    assert model.n_boxes_ == len(X)
    assert model.score(X, y) == 1.0


# -- answers -----------------------------------------------------------------------------------


def test_probabilities_are_memberships_normalised():
    model = HyperboxClassifier(gamma=2.0, bounds=(0, 1)).fit([[0.1], [0.9]], ["a", "b"])
    assert_allclose(model.memberships([[0.2], [0.1]]), [[0.8, 0.0], [1.0, 0.0]])
    assert_allclose(model.memberships([[0.5]]), [[0.2, 0.2]])
    assert_allclose(model.predict_proba([[0.45]]), [[0.75, 0.25]])


def test_gamma_can_be_set_by_column():
    model = HyperboxClassifier(gamma=[1.0, 4.0], bounds=(0, 1)).fit([[0, 0], [1, 1]], [0, 1])
    assert_allclose(model.memberships([[0.1, 0.1]]), [[0.6, 0.0]])


def test_far_from_all_boxes_the_nearest_wins():
    model = HyperboxClassifier(gamma=10.0, bounds=(0, 1)).fit([[0.0], [1.0]], [0, 1])
    assert (model.memberships([[3.0]]) == 0).all()
    assert_allclose(model.predict_proba([[3.0]]), [[0.4, 0.6]])
    assert model.predict([[3.0], [-1e30]]).tolist() == [1, 0]


def test_ties_go_to_the_nearer_centre_then_to_more_samples_then_to_the_first_class():
    # Two boxes that share a face at 0.5; the centre of class 1 is nearer to it.
    model = HyperboxClassifier(1.0, bounds=(0, 1))
    model.fit_boxes([[0.0], [0.5]], [[0.5], [0.7]], [0, 1])
    assert_allclose(model.memberships([[0.5]]), [[1.0, 1.0]])
    assert model.predict([[0.5]]).tolist() == [1]
    share = model.predict_proba([[0.5]])[0]
    assert share[1] > share[0] > 0.499999
    # As near, but with more samples; then all alike.
    model.fit_boxes([[0.3], [0.5]], [[0.5], [0.7]], [0, 1], weights=[1, 2])
    assert model.predict([[0.5]]).tolist() == [1]
    model.fit_boxes([[0.3], [0.5]], [[0.5], [0.7]], [0, 1])
    assert model.predict([[0.5]]).tolist() == [0]


def test_rules_are_in_the_units_of_the_data():
    X = pd.DataFrame({"age": [10, 20, 50, 60], "income": [1.0, 3.0, 2.0, 1.5]})
    model = HyperboxClassifier(0.5, learning="agglomerative").fit(X, ["no", "no", "yes", "yes"])
    assert list(map(str, model.rules_)) == [
        "if age >= 50 and 1.5 <= income <= 2 then yes (2 samples)",
        "if age = 10 and income = 1 then no (1 sample)",
        "if age = 20 and income = 3 then no (1 sample)",
    ]
    first = model.rules_[0]
    assert (first.label, first.support, first.confidence, first.leaf) == ("yes", 2.0, 1.0, 2)
    # Both ends of a side are in the box.
    assert first.covers(X).tolist() == [False, False, True, True]
    assert str(model.rules_).count("\n") == 2


def test_a_rule_without_conditions_and_one_for_a_point():
    model = HyperboxClassifier(1.0).fit([[0.0], [2.0]], [1, 1])
    assert str(model.rules_) == "if anything then 1 (2 samples)"
    model = HyperboxClassifier(0.1).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert "if x0 = 1 then 1 (1 sample)" in str(model.rules_)


# -- intervals, missing values -----------------------------------------------------------------


@pytest.mark.parametrize("learning", LEARNING)
def test_intervals_are_learned_whole(learning):
    lower, upper = np.array([[0.0], [0.6]]), np.array([[0.3], [1.0]])
    model = HyperboxClassifier(0.5, learning=learning).fit(lower, [0, 1], X_upper=upper)
    assert_allclose(model.boxes_[0], lower)
    assert_allclose(model.boxes_[1], upper)
    # An interval belongs as far as all of it does.
    assert_allclose(model.memberships([[0.2]], [[0.5]]), [[0.8, 0.6]])
    assert model.predict([[0.2]], [[0.5]]).tolist() == [0]


def test_intervals_that_overlap_are_taken_apart_online():
    model = HyperboxClassifier(0.5, bounds=(0, 1))
    model.fit_boxes([[0.0], [0.3]], [[0.4], [0.6]], [0, 1])
    assert_allclose(np.hstack(model.boxes_), [[0.0, 0.35], [0.35, 0.6]])


@pytest.mark.parametrize("learning", LEARNING)
def test_a_missing_value_fits_anything(learning):
    X = [[0.0, np.nan], [0.1, np.nan], [1.0, 0.0], [0.9, 1.0]]
    model = HyperboxClassifier(0.3, learning=learning, bounds=(0, 1)).fit(X, [0, 0, 1, 1])
    lower, upper = model.boxes_
    assert lower[0].tolist() == [0.0, -np.inf]
    assert upper[0].tolist() == [0.1, np.inf]
    assert str(model.rules_[0]) == "if x0 <= 0.1 then 0 (2 samples)"
    assert model.predict([[0.05, 7.0], [np.nan, 1.0], [0.95, np.nan]]).tolist() == [0, 0, 1]


def test_a_side_becomes_known_with_the_first_value():
    model = HyperboxClassifier(0.3, bounds=(0, 1)).fit([[0.0, np.nan], [0.1, 0.5]], [0, 0])
    assert np.hstack(model.boxes_).tolist() == [[0.0, 0.5, 0.1, 0.5]]


def test_infinite_ends_are_cut_off_at_the_bounds():
    model = HyperboxClassifier(1.0, learning="agglomerative")
    model.fit_boxes([[-np.inf], [2.0]], [[1.0], [np.inf]], ["low", "high"])
    assert np.hstack(model.boxes_).tolist() == [[1.0, 1.0], [2.0, 2.0]]
    model = HyperboxClassifier(1.0, learning="agglomerative", bounds=(0, 4))
    model.fit_boxes([[-np.inf], [2.0]], [[1.0], [np.inf]], ["low", "high"])
    assert np.hstack(model.boxes_).tolist() == [[0.0, 1.0], [2.0, 4.0]]


# -- going on ----------------------------------------------------------------------------------


def test_partial_fit_goes_on_where_fit_stopped():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    bounds = X.min(axis=0), X.max(axis=0)
    whole = HyperboxClassifier(0.3, bounds=bounds).fit(X, y)
    parts = HyperboxClassifier(0.3, bounds=bounds)
    for rows in np.array_split(np.arange(len(y)), 7):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    for one, other in zip(parts.boxes_, whole.boxes_):
        assert_array_equal(one, other)
    assert_array_equal(parts.box_weights_, whole.box_weights_)
    assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))


def test_the_first_batch_sets_the_range():
    model = HyperboxClassifier(0.5).partial_fit([[0.0], [10.0]], [0, 1], classes=[0, 1, 2])
    model.partial_fit([[20.0]], [2])
    assert_array_equal(model.data_range_, [10.0])
    assert model.predict([[19.0]]).tolist() == [2]


def test_it_lives_in_pipelines_searches_and_pickles():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = HyperboxClassifier(0.3).fit(X, y)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    pipe = make_pipeline(StandardScaler(), HyperboxClassifier(0.3, learning="agglomerative"))
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(HyperboxClassifier(), {"theta": [0.2, 0.4]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


# -- wrong input -------------------------------------------------------------------------------

X2, Y2 = [[0.0, 1.0], [1.0, 0.0]], [0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"theta": 0}, r"theta=0: give a number above 0 and up to 1, the longest side of a box"),
        ({"theta": 1.5}, r"theta=1.5: give"),
        ({"theta": "wide"}, r"theta='wide'"),
        ({"theta": float("nan")}, r"theta=nan"),
        ({"gamma": -1.0}, r"gamma=-1.0: give numbers above 0"),
        ({"gamma": 1e-320}, r"gamma=1e-320: give a number from 1e-50"),
        ({"gamma": [1.0, 1e300]}, r"gamma=1e\+300: give a number above 0 and up to 1e\+50"),
        ({"gamma": [1.0, 0.0]}, r"gamma=\[1.0, 0.0\]: give numbers above 0"),
        ({"gamma": [1.0, 1.0, 1.0]}, r"gamma has shape \(3,\): give one .* of the 2 columns"),
        (
            {"learning": "batch"},
            r"learning='batch': choose 'online', 'agglomerative', 'best",
        ),
        ({"similarity": "mid"}, r"similarity='mid': choose 'short', 'long', 'mid-max', 'mid-min'"),
        ({"min_similarity": 2}, r"min_similarity=2: give a number from 0 to 1"),
        ({"bounds": 3}, r"bounds=3: give \(low, high\)"),
        ({"bounds": (0, [1, 1, 1])}, r"each a number or one for each of the 2 columns"),
        ({"bounds": (1, 0)}, r"low must be below high"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        HyperboxClassifier(**options).fit(X2, Y2)


def test_wrong_data():
    model = HyperboxClassifier()
    with pytest.raises(ValueError, match=r"Sample 1 goes from 1 to 0.5 in column 0: the lower end"):
        model.fit(X2, Y2, X_upper=[[0.0, 1.0], [0.5, 0.0]])
    with pytest.raises(ValueError, match=r"have shape \(2, 2\), the upper ones \(1, 2\)"):
        model.fit(X2, Y2, X_upper=[[1.0, 1.0]])
    with pytest.raises(ValueError, match=r"Nothing is known of sample 1"):
        model.fit([[0.0, 1.0], [np.nan, np.nan]], Y2)
    with pytest.raises(ValueError, match=r"2 boxes, but 3 labels"):
        model.fit_boxes(X2, X2, [0, 1, 1])
    with pytest.raises(ValueError, match=r"weights must be one number from 0 for each box"):
        model.fit_boxes(X2, X2, Y2, weights=[1, -1])


def test_more_pairs_than_can_be_listed(monkeypatch):
    monkeypatch.setattr("counterpoint.hyperboxes.learning._MOST_PAIRS", 2)
    with pytest.raises(
        ValueError, match=r'3 boxes make 3 pairs .* choose learning="agglomerative"'
    ):
        HyperboxClassifier(1.0, learning="best-first", min_similarity=0).fit(
            [[0.0], [0.1], [0.2]], [0, 0, 0]
        )


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_the_order_of_the_rows_plays_no_part_best_first(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.random((30, 2)), rng.integers(2, size=30)  # no ties
    order = rng.permutation(30)
    model = HyperboxClassifier(0.4, learning="best-first", similarity="long", bounds=(0, 1))
    one = np.hstack(model.fit(X, y).boxes_)
    other = np.hstack(model.fit(X[order], y[order]).boxes_)
    assert_array_equal(other[np.lexsort(other.T)], one[np.lexsort(one.T)])


def test_wrong_batches():
    with pytest.raises(ValueError, match="Pass classes, all labels there will be"):
        HyperboxClassifier().partial_fit(X2, Y2)
    model = HyperboxClassifier().partial_fit(X2, Y2, classes=[0, 1])
    with pytest.raises(ValueError, match=r"classes are \[0, 1, 2\], but the first batch had"):
        model.partial_fit(X2, Y2, classes=[0, 1, 2])
    with pytest.raises(ValueError, match=r"y holds .*7.*, which is not among the classes \[0, 1\]"):
        model.partial_fit(X2, [0, 7])
    with pytest.raises(AttributeError, match="partial_fit"):
        HyperboxClassifier(learning="agglomerative").partial_fit(X2, Y2)
