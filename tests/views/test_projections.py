"""Projections: each criterion finds what it looks for; rotations turn and do nothing else."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, FastICA

from counterpoint.views import ProjectionEnsembleClassifier, ProjectionView, RotationView

N = 1500


def mixed(*sources):
    """Sources of variance 1, mixed at random among normal columns."""
    rng = np.random.default_rng(1)
    S = np.column_stack([*sources, rng.normal(size=(N, 2))])
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    return S @ rng.normal(size=(S.shape[1], S.shape[1])), S


def found(kind, X, n_components=1):
    view = ProjectionView(kind, n_components=n_components)
    return view.fit(X, np.zeros(len(X)), None, np.random.RandomState(0)).X


def alike(one, two):
    return abs(np.corrcoef(one, two)[0, 1])


def test_pca_matches_scikit_learn():
    X, _ = load_iris(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    ours, peer = found("pca", X, 3), PCA(3).fit_transform(Z)
    for k in range(3):
        assert_allclose(np.abs(ours[:, k]), np.abs(peer[:, k]), atol=1e-9)


def test_each_criterion_finds_the_planted_source():
    rng = np.random.default_rng(0)
    peaked, skewed = rng.laplace(size=N), rng.exponential(size=N)
    two_groups = rng.choice([-1.0, 1.0], size=N) + 0.2 * rng.normal(size=N)
    X, S = mixed(peaked)
    assert alike(found("kurtosis", X)[:, 0], S[:, 0]) > 0.95
    X, S = mixed(skewed)
    assert alike(found("skewness", X)[:, 0], S[:, 0]) > 0.95
    X, S = mixed(two_groups)
    assert alike(found("clusters", X)[:, 0], S[:, 0]) > 0.95


def test_ica_finds_all_sources_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    X, S = mixed(rng.laplace(size=N), rng.uniform(size=N))
    ours = found("ica", X, 2)
    assert max(alike(ours[:, k], S[:, 0]) for k in range(2)) > 0.95
    assert max(alike(ours[:, k], S[:, 1]) for k in range(2)) > 0.95
    peer = FastICA(4, random_state=0, whiten="unit-variance", max_iter=1000, tol=1e-3)
    peer = peer.fit_transform(X)
    for k in range(2):
        assert max(alike(ours[:, k], peer[:, j]) for j in range(4)) > 0.95


@pytest.mark.parametrize("kind", ["ica", "kurtosis", "skewness", "clusters"])
def test_directions_are_uncorrelated_and_of_variance_one(kind):
    X, _ = load_iris(return_X_y=True)
    seen = found(kind, X, 4)
    assert_allclose(np.cov(seen.T, bias=True), np.eye(4), atol=1e-8)


def test_weights_count_as_rows():
    X, y = load_iris(return_X_y=True)
    weight = np.arange(150) % 3 + 1.0
    one, two = ProjectionView("pca"), ProjectionView("pca")
    one.fit(X, y, weight, np.random.RandomState(0))
    rows = np.repeat(np.arange(150), weight.astype(int))
    two.fit(X[rows], y[rows], None, np.random.RandomState(0))
    assert_allclose(one.directions_, two.directions_, atol=1e-9)


def test_a_rotation_turns_groups_of_columns_and_nothing_else():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)) @ rng.normal(size=(7, 7))
    y = np.arange(60) % 3
    view = RotationView(3)
    seen = view.fit(X, y, None, np.random.RandomState(0))
    assert sorted(np.concatenate(view.groups_).tolist()) == list(range(7))
    assert [len(group) for group in view.groups_] == [3, 3, 1]
    assert_allclose(view.rotation_.T @ view.rotation_, np.eye(7), atol=1e-12)
    inside = np.zeros((7, 7), dtype=bool)
    for group in view.groups_:
        inside[np.ix_(group, group)] = True
    assert not view.rotation_[~inside].any()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_allclose(np.linalg.norm(seen.X, axis=1), np.linalg.norm(Z, axis=1))
    tiny = RotationView(7).fit(X[:3], y[:3], None, np.random.RandomState(0))  # fewer rows than axes
    assert np.isfinite(tiny.X).all()


def test_members_take_the_kinds_in_turn():
    X, y = load_iris(return_X_y=True)
    fitted = ProjectionEnsembleClassifier(kinds=("pca", "rotation"), n_estimators=5, random_state=0)
    fitted.fit(X, y)
    assert fitted.kinds_ == ["pca", "rotation", "pca", "rotation", "pca"]
    assert not np.allclose(fitted.views_[0].directions_, fitted.views_[2].directions_)
    assert not np.allclose(fitted.views_[1].rotation_, fitted.views_[3].rotation_)
    forest = ProjectionEnsembleClassifier(kinds="rotation", n_estimators=10, random_state=0)
    assert forest.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_constant_and_dependent_columns():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(150, 3.3)])
    fitted = ProjectionEnsembleClassifier(random_state=0).fit(X, y)
    assert fitted.views_[0].directions_.shape == (6, 4)
    assert fitted.score(X, y) > 0.9
    with pytest.raises(ValueError, match="n_components=5, but X has 6 columns that span 4"):
        ProjectionEnsembleClassifier(n_components=5).fit(X, y)
    with pytest.raises(ValueError, match="All columns of X are constant"):
        ProjectionEnsembleClassifier().fit(np.ones((10, 3)), np.arange(10) % 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 5}, "n_components=5, but X has 4 columns: ask for at most 4"),
        ({"n_components": 0}, "n_components=0: give a whole number from 1, or None"),
        ({"kinds": "lda"}, "kinds='lda': choose 'pca'"),
        ({"kinds": ()}, "kinds is empty"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"group_size": 0}, "group_size=0"),
        ({"max_samples": 0.0}, "max_samples=0.0, but there are 150 rows: give a whole number"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ProjectionEnsembleClassifier(**options).fit(X, y)


def test_a_rotation_is_no_kind_of_projection_view():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="kind='rotation': choose 'pca'"):
        ProjectionView("rotation").fit(X, y, None, np.random.RandomState(0))
