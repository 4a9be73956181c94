import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import subset_kernels as naive
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from counterpoint.diversity import coverage_spread, enrichment
from counterpoint.subsets import StochasticDiscriminationClassifier
from counterpoint.subsets.boxes import BoxSpace
from counterpoint.subsets.coverage import chi


def separable(seed=0, n=200, n_classes=2):
    centers = np.array([[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 4.0]])[:n_classes]
    return make_blobs(n, centers=centers, cluster_std=0.7, random_state=seed)


def discriminate(n_estimators=100, **options):
    return StochasticDiscriminationClassifier(n_estimators, **{"random_state": 0, **options})


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.sampled_from([1, 3]), st.sampled_from([None, 5]))
def test_what_is_let_in_passes_the_filters(seed, n_boxes, patience):
    X, y = make_moons(120, noise=0.2, random_state=seed)
    model = discriminate(
        15, n_boxes=n_boxes, patience=patience, min_points=6, min_enrichment=0.05, random_state=seed
    ).fit(X, y)
    held = model.subsets(X)
    assert (held.sum(axis=1) >= 6).all()
    assert model.min_points_ == 6
    assert (model.enrichment_ >= 0.05).all()
    for c in (0, 1):
        mine = held[model.model_class_ == c]
        own = y == c
        captured = np.stack([mine[:, own].mean(axis=1), mine[:, ~own].mean(axis=1)], axis=1)
        np.testing.assert_allclose(model.captured_[model.model_class_ == c], captured)
        np.testing.assert_array_equal(model.coverage_[c], mine.sum(axis=0))
        # Each was needed when it came, but for those that patience let in.
        coverage, forced = np.zeros(len(X)), 0
        for row in mine:
            expected = (row & own).sum() * coverage[own].mean()
            expected += (row & ~own).sum() * coverage[~own].mean()
            forced += coverage[row].sum() > expected + 1e-6
            coverage += row
        assert forced == model.n_forced_[c]
        assert patience is not None or forced == 0
    np.testing.assert_array_equal(model.n_estimators_, [15, 15])


def test_attributes_are_the_measures_of_diversity():
    X, y = separable()
    model = discriminate().fit(X, y)
    held = model.subsets(X)
    np.testing.assert_allclose(model.enrichment_, enrichment(held, y)[:, 0])
    for c in (0, 1):
        mine = held[model.model_class_ == c]
        assert coverage_spread(mine, y)[c] == pytest.approx(model.uniformity_[c])


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_chi_has_the_means_the_theory_says(seed, n_classes):
    """Exactly +1 over a class and -1 over the rest, whatever the models."""
    X, y = separable(seed, 90, n_classes)
    model = discriminate(20, random_state=seed).fit(X, y)
    values = model.chi(X)
    for m, c in enumerate(model.model_class_):
        assert values[m, y == c].mean() == pytest.approx(1.0)
        assert values[m, y != c].mean() == pytest.approx(-1.0)


def scaled_variance(patience):
    """n times the variance of the mean of chi over n models, within the classes."""
    X, y = separable(n=300)
    counts, found = np.array([25, 100, 400]), []
    for seed in range(4):
        model = discriminate(400, patience=patience, random_state=seed).fit(X, y)
        values = model.chi(X)[model.model_class_ == 1]
        means = np.stack([values[:n].mean(axis=0) for n in counts])
        found.append(counts * (means[:, y == 1].var(axis=1) + means[:, y == 0].var(axis=1)))
    return np.mean(found, axis=0)


def test_the_variance_of_chi_falls_as_one_over_the_number_of_models():
    filtered = scaled_variance(patience=10)
    assert filtered.max() / filtered.min() < 1.5
    assert filtered[-1] / 400 < 0.05  # 400 models: a standard deviation below 0.16 in each class
    # Let all enriched models in, and uneven coverage keeps it from falling.
    unfiltered = scaled_variance(patience=1)
    assert unfiltered[-1] > 2 * unfiltered[0]


def test_the_filter_makes_the_cover_more_even():
    X, y = make_moons(300, noise=0.2, random_state=0)
    with_filter = discriminate(200).fit(X, y)
    without = discriminate(200, patience=1).fit(X, y)  # the first that comes is let in
    assert (with_filter.uniformity_ < 0.8 * without.uniformity_).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_fit_is_that_of_the_twin(n_classes):
    """Candidates as drawn, filtered and averaged in plain Python."""
    X, y = separable(1, 60, n_classes)
    model = discriminate(12, n_boxes=2, min_points=5, min_enrichment=0.1, patience=4).fit(X, y)
    rng, space = np.random.RandomState(0), BoxSpace().fit(X)
    rows = space.columns(X).T.tolist()
    scores = np.zeros((n_classes, len(X)))
    for c in range(n_classes):
        own = (y == c).tolist()
        drawn = space.draw(rng, 1000, 2, 2, (0.02, 0.5))
        models = [
            [
                None
                if f[0] < 0
                else [(f[j], int(low[j]), int(low[j]) + int(span[j])) for j in range(2)]
                for f, low, span in zip(*model)
            ]
            for model in zip(drawn.features, drawn.low, drawn.span)
        ]
        good, shares = [], []
        for row in naive.hold(rows, models):
            n_own = sum(a and b for a, b in zip(row, own))
            share = n_own / sum(own), (sum(row) - n_own) / (len(own) - sum(own))
            if sum(row) >= 5 and share[0] - share[1] >= 0.1:
                good.append(row)
                shares.append(share)
        coverage = [0] * len(X)
        taken = naive.accept(good, own, 4, coverage, 12)
        assert len(taken) == 12
        assert coverage == model.coverage_[c].tolist()
        for m, _ in taken:
            scores[c] += [naive.chi(inside, *shares[m]) / 12 for inside in good[m]]
    found = model.decision_function(X)
    np.testing.assert_allclose(found, scores.T if n_classes > 2 else (scores[1] - scores[0]) / 2)


def test_on_a_uniform_cover_the_mean_of_chi_is_the_optimal_hyperplane():
    """Thesis, section 3.2: all margins equal, and no other hyperplane has a wider one."""
    # All pairs of three samples of one class, each with one of three of the other in turn:
    # every sample of a class is in as many subsets, each has enrichment 1/3.
    y = np.array([1, 1, 1, -1, -1, -1])
    subsets = np.zeros((9, 6), dtype=bool)
    for m, (a, b) in enumerate((a, b) for a in range(3) for b in range(3)):
        subsets[m, [i for i in range(3) if i != a]] = True
        subsets[m, 3 + b] = True
    np.testing.assert_allclose(coverage_spread(subsets, y)[1], 0.0)
    captured = subsets[:, y == 1].mean(axis=1)
    rest = subsets[:, y == -1].mean(axis=1)
    values = chi(subsets, captured, rest)
    np.testing.assert_allclose(values.mean(axis=0), y)  # one margin for all
    machine = SVC(kernel="linear", C=1e6, tol=1e-10).fit(values.T, y)
    np.testing.assert_allclose(machine.coef_[0], np.full(9, 1 / 9), atol=1e-6)
    np.testing.assert_allclose(machine.intercept_, 0.0, atol=1e-6)


def test_without_uniformity_it_is_not():
    y = np.array([1, 1, 1, -1, -1, -1])
    subsets = np.array([[1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 0, 1]], dtype=bool)
    values = chi(subsets, subsets[:, :3].mean(axis=1), subsets[:, 3:].mean(axis=1))
    machine = SVC(kernel="linear", C=1e6, tol=1e-10).fit(values.T, y)
    assert np.ptp(machine.coef_[0]) > 0.01


@given(st.floats(0.05, 0.9), st.floats(0, 1), st.booleans())
def test_chi_is_that_of_the_twin(captured, rest, inside):
    value = chi([[inside]], [captured], [rest])[0, 0]
    assert value == pytest.approx(naive.chi(inside, captured, rest))


def test_it_classifies_and_scales_do_not_matter():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    scores = cross_val_score(discriminate(60), X, labels, cv=5)
    assert scores.mean() > 0.92
    model = discriminate(60).fit(X, labels)
    assert model.decision_function(X).shape == (150, 3)
    stretched = discriminate(60).fit(X * [1e-3, 1, 1e3, 5], labels)
    np.testing.assert_array_equal(stretched.coverage_, model.coverage_)


def test_same_seed_same_models_at_any_thread_count_and_memory(monkeypatch):
    from counterpoint.subsets import stochastic

    X, y = separable(n=3000)
    model = discriminate(20).fit(X, y)
    monkeypatch.setattr(stochastic, "_ROOM", 1)  # rows of a few models at a time
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
        again = discriminate(20).fit(X, y)
        scores = again.decision_function(X)
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(again.boxes_.low, model.boxes_.low)
    np.testing.assert_array_equal(again.n_forced_, model.n_forced_)
    np.testing.assert_array_equal(scores, model.decision_function(X))
    other = discriminate(20, random_state=1).fit(X, y)
    assert not np.array_equal(other.boxes_.low, model.boxes_.low)


def test_it_lives_in_pipelines_searches_and_frames():
    X, y = separable(n=80)
    frame = pd.DataFrame(X, columns=list("abc"))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), discriminate(10)),
        {"stochasticdiscriminationclassifier__n_boxes": [1, 2]},
        cv=2,
    ).fit(frame, y)
    assert search.score(frame, y) > 0.9
    model = clone(discriminate(10)).fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_constant_columns_are_not_used():
    X, y = separable(n=80)
    padded = np.column_stack([np.ones(80), X, np.zeros(80)])
    model = discriminate(30, max_features=5).fit(padded, y)
    used = model.boxes_.features
    assert set(np.unique(used[used >= 0])) == {1, 2, 3}
    assert used.shape[2] == 3


def test_columns_with_few_values_work():
    rng = np.random.RandomState(0)
    X = rng.randint(2, size=(200, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    assert discriminate(100).fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0: give a whole number from 1"),
        ({"n_boxes": 1.5}, "n_boxes=1.5"),
        ({"patience": 0}, "patience=0.*or None"),
        ({"max_candidates": True}, "max_candidates=True"),
        ({"min_points": 500}, "from 1 to 80, the number of rows"),
        ({"min_points": 1.0}, "min_points=1.0"),
        ({"min_enrichment": "some"}, "min_enrichment='some'"),
        ({"min_enrichment": -0.1}, "from 0 to 1"),
        ({"box_share": (0.5, 0.1)}, "box_share"),
        ({"box_share": 0.3}, "give two numbers"),
        ({"max_features": 9}, "from 1 to 3, the number of columns"),
        ({"max_features": "log"}, "max_features='log'"),
    ],
)
def test_wrong_options_say_what_to_change(options, message):
    X, y = separable(n=80)
    with pytest.raises(ValueError, match=message):
        StochasticDiscriminationClassifier(**options).fit(X, y)


def test_boxes_that_cannot_be_enriched_are_an_error():
    X, y = separable(n=80)
    with pytest.raises(ValueError, match="one class only, 0: "):
        discriminate().fit(X, np.zeros(80, dtype=int))
    with pytest.raises(ValueError, match="All 3 columns are constant"):
        discriminate().fit(np.ones((80, 3)), y)
    with pytest.raises(ValueError, match=r"was enriched enough for class .*min_enrichment=1"):
        discriminate(2, min_enrichment=1.0, box_share=(0.01, 0.02)).fit(X, y)
    with pytest.raises(ValueError, match="held min_points=80 rows"):
        discriminate(2, min_points=80, max_candidates=500).fit(X, y)
    same = np.tile([[0.0], [1.0]], (40, 1))  # both classes have both values equally often
    with pytest.raises(ValueError, match="asked was more than 0"):
        discriminate(2).fit(same, np.repeat([0, 1], 40))


def test_too_few_models_are_a_warning():
    X, y = make_moons(300, noise=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="of 100 models .* passed the filters"):
        model = discriminate(100, n_boxes=1, patience=None, max_candidates=20).fit(X, y)
    assert (model.n_estimators_ < 100).all()
    assert (model.n_forced_ == 0).all()
    assert np.isfinite(model.decision_function(X)).all()


def test_asking_before_fitting_or_about_other_columns_is_an_error():
    X, y = separable(n=80)
    with pytest.raises(NotFittedError):
        discriminate().subsets(X)
    model = discriminate(5).fit(X, y)
    with pytest.raises(ValueError, match="2 features"):
        model.predict(X[:, :2])


def test_chi_wants_one_share_a_subset():
    with pytest.raises(ValueError, match=r"captured has shape .*one share a subset"):
        chi([[1, 0]], [0.5, 0.5], [0.1])
    with pytest.raises(ValueError, match="captured_rest"):
        chi([[1, 0]], [0.5], 0.1)


def test_noisy_rows_are_given_up():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 4))
    clean = (X[:, 0] + X[:, 1] > 1).astype(int)
    noisy = rng.uniform(size=400) < 0.1
    y = np.where(noisy, 1 - clean, clean)
    options = {"n_estimators": 150, "random_state": 0}
    model = StochasticDiscriminationClassifier(give_up=0.12, **options).fit(X, y)
    assert model.given_up_.mean() == pytest.approx(0.12, abs=0.01)
    assert model.given_up_[noisy].mean() > 0.4  # by lot it would be 0.12
    assert model.coverage_.shape == (2, 400)
    held = model.subsets(X)
    for c in range(2):
        np.testing.assert_array_equal(model.coverage_[c], held[model.model_class_ == c].sum(axis=0))
    all_of_them = StochasticDiscriminationClassifier(**options).fit(X, y)
    assert model.uniformity_.mean() < all_of_them.uniformity_.mean()
    assert not all_of_them.given_up_.any()
    fresh = rng.uniform(size=(1000, 4))
    truth = (fresh[:, 0] + fresh[:, 1] > 1).astype(int)
    assert model.score(fresh, truth) >= all_of_them.score(fresh, truth) - 0.02
