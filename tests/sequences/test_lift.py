import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from counterpoint.sequences import (
    choose_cutoff,
    lift_at,
    lift_curve,
    lift_g,
    lift_rates,
    lift_scorer,
)

# Matrices 6.3-6.6, 6.9, 6.10 of Eastwood (2010): churn found and missed, false alarms, the rest.
PRINTED = {
    1: (27, 46, 85, 21026),
    2: (13, 64, 24, 21128),
    3: (29, 43, 43, 21067),
    4: (22, 54, 54, 21098),
    5: (19, 55, 78, 17700),
    6: (24, 49, 49, 17903),
    7: (26, 40, 1278, 13711),
    8: (28, 36, 16, 14866),
    9: (9, 57, 7, 14948),
    10: (3, 51, 34, 12384),
}


@pytest.mark.parametrize("cells", PRINTED.values(), ids=PRINTED)
def test_confusion_matrices_of_the_thesis(cells):
    hit, missed, false, passed = cells
    y = np.repeat([1, 1, 0, 0], cells)
    said = np.repeat([1, 0, 1, 0], cells)
    rates = lift_rates(y, said)
    total = sum(cells)
    # Eq. 6.2 and 6.11, as they are printed.
    assert rates["g"] == pytest.approx(hit * total / ((hit + false) * (missed + hit)))
    assert rates["specificity"] == pytest.approx(passed / (passed + false))
    assert rates["sensitivity"] == pytest.approx(hit / (hit + missed))
    assert lift_g(y, said) == rates["g"]
    weighted = lift_rates([1, 1, 0, 0], [1, 0, 1, 0], sample_weight=cells)
    assert weighted == pytest.approx(rates)


def test_what_the_thesis_says_about_them():
    g = {k: PRINTED[k][0] * sum(PRINTED[k]) for k in PRINTED}
    g = {k: g[k] / ((c[0] + c[2]) * (c[0] + c[1])) for k, c in PRINTED.items()}
    assert g[8] > g[9] > g[7]  # two events beat three, and one is "totally inadequate"
    assert g[3] > g[1]  # combined beats single


@given(
    arrays(int, st.shared(st.integers(1, 30), key="n"), elements=st.integers(0, 1)),
    arrays(float, st.shared(st.integers(1, 30), key="n"), elements=st.floats(0, 1, width=16)),
    st.floats(0.01, 1),
)
def test_the_curve_agrees_with_single_cuts(y, scores, share):
    curve = lift_curve(y, scores)
    n = max(1, round(share * len(y)))
    row, rates = curve.iloc[n - 1], lift_at(y, scores, share)
    for name, value in rates.items():
        np.testing.assert_allclose(row[name], value, rtol=1e-12, equal_nan=True)
    assert row["n"] == n
    best = choose_cutoff(scores, y)
    assert best.profit == pytest.approx(max(curve["profit"].max(), 0))
    if best.n:
        assert curve["profit"].iloc[best.n - 1] == pytest.approx(best.profit)


def test_undefined_is_nan():
    assert np.isnan(lift_g([0, 0], [1, 0]))
    assert np.isnan(lift_g([1, 0], [0, 0]))
    assert np.isnan(lift_rates([1, 1], [1, 1])["specificity"])


def test_five_times_the_cost_means_from_a_fifth_on():
    p = np.linspace(0, 1, 101)
    cut = choose_cutoff(p, gain=5, cost=1)
    assert cut.threshold == pytest.approx(0.21)
    assert choose_cutoff(p, gain=5, cost=1, capacity=10).n == 10
    assert choose_cutoff(p, gain=5, cost=1, capacity=0.05).n == 5
    assert choose_cutoff([0.1, 0.05]).n == 0
    assert np.isnan(choose_cutoff([0.1, 0.05]).threshold)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lift_at([0, 1], [0.1, 0.2], 0), "share=0"),
        (lambda: lift_at([0, 1], [0.1], 0.5), "expected the same"),
        (lambda: lift_at([0, 1], [0.1, np.nan], 0.5), "NaN"),
        (lambda: lift_g([0, 1], [1]), "expected the same"),
        (lambda: choose_cutoff([2.0, 0.1]), "taken for probabilities"),
        (lambda: choose_cutoff([0.2, 0.1], gain=0), "above 0"),
        (lambda: choose_cutoff([0.2, 0.1], capacity=0), "capacity=0"),
    ],
)
def test_wrong_input_says_what_to_change(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_scorers_rank_or_take_the_predictions():
    X = np.random.RandomState(0).randn(300, 2)
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 1.5, "yes", "no")
    model = LogisticRegression().fit(X[:, :1], y)
    p = model.predict_proba(X[:, :1])[:, 1]
    for metric in ("g", "precision", "sensitivity", "specificity"):
        at = lift_scorer(0.1, metric=metric, pos_label="yes")
        assert at(model, X[:, :1], y) == lift_at(y == "yes", p, 0.1)[metric]
        said = lift_scorer(metric=metric, pos_label="yes")
        expected = lift_rates(y, model.predict(X[:, :1]), pos_label="yes")[metric]
        assert said(model, X[:, :1], y) == expected


def test_scorers_go_into_searches():
    X = np.random.RandomState(0).randn(200, 2)
    y = (X[:, 0] > 1).astype(int)
    scorer = pickle.loads(pickle.dumps(lift_scorer(0.1)))
    search = GridSearchCV(LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scorer, cv=3)
    assert np.isfinite(search.fit(X, y).best_score_)


def test_wrong_scorers_say_what_to_change():
    with pytest.raises(ValueError, match="choose 'g', 'precision'"):
        lift_scorer(metric="luck")
    with pytest.raises(ValueError, match="share=2"):
        lift_scorer(2)


def test_a_label_that_the_type_of_labels_cannot_hold():
    y = np.array([0, 1, 1, 0], dtype=np.float16)
    with np.errstate(all="raise"):
        found = choose_cutoff([0.1, 0.9, 0.8, 0.3], y, gain=5, cost=1)
        none = choose_cutoff([0.1, 0.9, 0.8, 0.3], y, gain=5, cost=1, pos_label=1e300)
    assert (found.n, none.n) == (2, 0)
