import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_friedman1

from counterpoint.datasets import make_ripley
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.networks.negative_correlation import (
    NegativeCorrelationClassifier,
    NegativeCorrelationRegressor,
)


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    return X[::2], np.array(["a", "b", "c"])[y[::2]], X[1::2], np.array(["a", "b", "c"])[y[1::2]]


def test_the_last_record_is_what_the_estimator_says(data):
    X, y, X_new, y_new = data
    model = NegativeCorrelationClassifier(4, max_epochs=30, record=10, random_state=0)
    model.fit(X, y, eval_set=(X_new, y_new))
    assert_array_equal(model.dynamics_.epochs, [0, 10, 20, 30])
    assert list(model.dynamics_.traces) == ["train", "eval"]
    for name, inputs, labels in (("train", X, y), ("eval", X_new, y_new)):
        trace = model.dynamics_[name]
        outputs = model.member_decision_function(inputs)
        mean, targets = outputs.mean(axis=0), (labels[:, None] == model.classes_).astype(float)
        assert_allclose(trace.ensemble_error[-1], 1 - model.score(inputs, labels))
        assert_allclose(
            trace.member_error[-1], (model.member_predict(inputs) != labels).mean(axis=1)
        )
        assert_allclose(trace.spread[-1], np.abs(outputs - mean).mean(axis=(1, 2)))
        assert_allclose(trace.member_loss[-1], ((outputs - targets) ** 2).mean(axis=(1, 2)))
        assert_allclose(trace.ensemble_loss[-1], ((mean - targets) ** 2).mean())
        for c, label in enumerate(model.classes_):
            assert_allclose(
                trace.mean_output[-1, :, c], outputs[:, labels == label].mean(axis=1), rtol=1e-9
            )


def test_the_ambiguity_decomposition_is_exact_along_training(data):
    X, y, X_new, y_new = data
    model = NegativeCorrelationClassifier(
        3, strength=0.9, max_epochs=40, record=1, early_stopping=True, random_state=0
    )
    model.fit(X, y, eval_set={"new": (X_new, y_new)})
    for name in ("train", "validation", "new"):
        trace = model.dynamics_[name]
        assert_allclose(
            trace.ensemble_loss, trace.member_loss.mean(axis=1) - trace.ambiguity, atol=1e-12
        )
    outputs = model.member_decision_function(X_new)
    for k, label in enumerate(model.classes_):
        parts = ambiguity_decomposition(y_new == label, outputs[:, :, k])
        assert_allclose(parts.error, parts.member_error - parts.ambiguity, atol=1e-12)
        assert_allclose(
            parts.error.mean(), ((outputs[:, :, k].mean(axis=0) - (y_new == label)) ** 2).mean()
        )


@pytest.mark.parametrize(
    ("lam", "low", "high"), [(0.76, 10, np.inf), (0.75, 0.5, 3), (0.7, 0, 0.6), (0.0, 0, 0.25)]
)
@pytest.mark.filterwarnings("ignore:lam=0.76 is beyond lambda")
@pytest.mark.filterwarnings("ignore::counterpoint.exceptions.CollapseWarning")
@pytest.mark.parametrize("seed", [0, 1])
def test_figure_4_4(lam, low, high, seed):
    """Beyond lambda* members fly apart, at it they keep apart, below it they draw together."""
    X, y = make_ripley(random_state=0)
    model = NegativeCorrelationClassifier(
        3,
        hidden_layer_sizes=5,
        lam=lam,
        solver="gd",
        learning_rate=0.05,
        alpha=0.0,
        max_epochs=4000,
        patience=None,
        record=4000,
        random_state=seed,
    ).fit(X, y)
    spread = model.dynamics_["train"].spread.mean(axis=1)
    assert low < spread[-1] / spread[0] < high


def test_frames(data):
    X, y, X_new, y_new = data
    model = NegativeCorrelationClassifier(2, max_epochs=4, record=2, random_state=0)
    model.fit(X, y, eval_set=(X_new, y_new))
    frame = model.dynamics_.frame()
    assert len(frame) == 3 * 2 * 2
    row = frame.query("epoch == 4 and data == 'eval' and member == 1").iloc[0]
    assert row["member_error"] == model.dynamics_["eval"].member_error[2, 1]
    assert row["ensemble_loss"] == model.dynamics_["eval"].ensemble_loss[2]
    outputs = model.dynamics_.output_frame()
    assert len(outputs) == 3 * 2 * 2 * 3 * 3
    row = outputs.query(
        "epoch == 2 and data == 'train' and member == 0 and output == 'c' and `class` == 'b'"
    )
    assert row["mean"].item() == model.dynamics_["train"].mean_output[1, 0, 1, 2]


def test_a_regressor_records_in_the_units_of_y():
    X, y = make_friedman1(80, random_state=0)
    model = NegativeCorrelationRegressor(3, max_epochs=20, record=True, random_state=0)
    model.fit(X, 100 * y)
    trace = model.dynamics_["train"]
    assert len(model.dynamics_.epochs) == 21
    assert_allclose(trace.ensemble_loss[-1], np.mean((model.predict(X) - 100 * y) ** 2))
    assert_allclose(trace.ensemble_error[-1] ** 2, trace.ensemble_loss[-1])
    assert_allclose(trace.mean_output[-1, :, 0, 0], model.member_predict(X).mean(axis=1))
    assert set(model.dynamics_.output_frame()["class"]) == {"all"}


def test_weights_count_in_the_record(data):
    X, y, _, _ = data
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = NegativeCorrelationClassifier(2, max_epochs=5, record=5, random_state=0)
    trace = model.fit(X, y, weight).dynamics_["train"]
    assert_allclose(trace.ensemble_error[-1], 1 - model.score(X, y, weight))


def test_a_warm_start_goes_on_recording(data):
    X, y, _, _ = data
    options = dict(n_estimators=2, record=5, patience=None, random_state=0)
    once = NegativeCorrelationClassifier(max_epochs=20, **options).fit(X, y)
    twice = NegativeCorrelationClassifier(max_epochs=10, warm_start=True, **options)
    twice.fit(X, y).fit(X, y)
    assert_array_equal(twice.dynamics_.epochs, once.dynamics_.epochs)
    assert_allclose(twice.dynamics_["train"].spread, once.dynamics_["train"].spread, rtol=1e-9)


def test_nothing_is_recorded_unasked(data):
    X, y, _, _ = data
    model = NegativeCorrelationClassifier(2, max_epochs=2, record=True, random_state=0).fit(X, y)
    assert not hasattr(model.set_params(record=False).fit(X, y), "dynamics_")


def test_a_class_without_samples_has_no_mean_output(data):
    X, y, _, _ = data
    model = NegativeCorrelationClassifier(2, max_epochs=2, record=True, random_state=0)
    model.fit(X, y, eval_set=(X[y != "b"], y[y != "b"]))
    assert np.isnan(model.dynamics_["eval"].mean_output[:, :, 1]).all()
    assert np.isfinite(model.dynamics_["eval"].mean_output[:, :, [0, 2]]).all()
