import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris, make_moons
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from counterpoint.exceptions import MemberError
from counterpoint.subsets import (
    EnsembleKernelSVC,
    StochasticDiscriminationClassifier,
    ensemble_kernel,
    svc,
)

X, Y = load_iris(return_X_y=True)
LABELS = np.array(["x", "y", "z"])[Y]


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(15, min_samples_leaf=3),
        BaggingClassifier(n_estimators=10),
        StochasticDiscriminationClassifier(40),
    ],
    ids=lambda e: type(e).__name__,
)
def test_it_is_a_machine_on_the_kernel(estimator, monkeypatch):
    machine = EnsembleKernelSVC(estimator, C=2.0, random_state=0).fit(X[::2], LABELS[::2])
    plain = SVC(kernel="precomputed", C=2.0)
    plain.fit(ensemble_kernel(machine.pool_, X[::2]), LABELS[::2])
    test = ensemble_kernel(machine.pool_, X[1::2], X[::2])
    np.testing.assert_allclose(
        machine.decision_function(X[1::2]), plain.decision_function(test), atol=1e-6
    )
    np.testing.assert_array_equal(machine.predict(X[1::2]), plain.predict(test))
    assert machine.score(X[1::2], LABELS[1::2]) > 0.9
    whole = machine.decision_function(X)
    monkeypatch.setattr(svc, "_BLOCK", 200)  # rows two by two
    np.testing.assert_allclose(machine.decision_function(X), whole)
    again = EnsembleKernelSVC(estimator, C=2.0, random_state=0).fit(X[::2], LABELS[::2])
    np.testing.assert_array_equal(again.decision_function(X), whole)


def test_a_fitted_ensemble_can_be_kept():
    forest = RandomForestClassifier(10, random_state=0).fit(X[::2], LABELS[::2])
    machine = EnsembleKernelSVC(FrozenEstimator(forest)).fit(X[1::2], LABELS[1::2])
    kernel = ensemble_kernel(forest, X[1::2])
    plain = SVC(kernel="precomputed").fit(kernel, LABELS[1::2])
    np.testing.assert_array_equal(machine.support_, plain.support_)


def test_class_weights_go_by_label():
    rows, y = make_moons(120, noise=0.35, random_state=0)
    named = np.where(y == 1, "rare", "often")

    def share(weight):
        machine = EnsembleKernelSVC(C=0.1, class_weight=weight, random_state=0)
        return (machine.fit(rows, named).predict(rows) == "rare").mean()

    assert share({"rare": 20.0}) > share(None) > share({"often": 20.0})


def test_weights_of_samples_count_for_ensemble_and_machine():
    rows, y = make_moons(120, noise=0.35, random_state=0)

    def share(factor):
        machine = EnsembleKernelSVC(C=0.1, random_state=0)
        return (
            machine.fit(rows, y, sample_weight=np.where(y == 1, factor, 1.0)).predict(rows).mean()
        )

    assert share(20.0) > share(1.0) > share(0.05)
    some = np.arange(120) % 3 > 0
    machine = EnsembleKernelSVC(random_state=0).fit(rows, y, sample_weight=some.astype(float))
    alone = EnsembleKernelSVC(random_state=0).fit(rows[some], y[some], sample_weight=np.ones(80))
    np.testing.assert_array_equal(machine.decision_function(rows), alone.decision_function(rows))
    with pytest.raises(ValueError, match="StochasticDiscriminationClassifier takes no sample_wei"):
        EnsembleKernelSVC(StochasticDiscriminationClassifier(5)).fit(rows, y, np.ones(120))
    with sklearn.config_context(enable_metadata_routing=True):
        forest = RandomForestClassifier(5).set_fit_request(sample_weight=True)
        EnsembleKernelSVC(forest).fit(rows, y, sample_weight=np.ones(120))
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            EnsembleKernelSVC(RandomForestClassifier(5)).fit(rows, y, sample_weight=np.ones(120))


def test_what_cannot_work_is_an_error():
    with pytest.raises(ValueError, match="one class only, 'x'"):
        EnsembleKernelSVC().fit(X[:50], LABELS[:50])
    with pytest.raises(MemberError, match="LogisticRegression is neither"):
        EnsembleKernelSVC(LogisticRegression(max_iter=1000)).fit(X, Y)
    machine = EnsembleKernelSVC().fit(X, Y)
    with pytest.raises(ValueError, match="3 features"):
        machine.predict(X[:, :3])
