"""Output codes: the known table, search never below chance, decoding up to the distance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import views as naive
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from counterpoint import MemberOutputs
from counterpoint.views import (
    OutputCodeClassifier,
    code_distances,
    code_diversity,
    column_distance,
    design_code,
    exhaustive_code,
    row_distance,
)
from counterpoint.views.decoding import distances_to_proba


@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 7])
def test_exhaustive_codes_match_the_known_table(n_classes):
    """Dietterich and Bakiri: 2^(K-1) - 1 columns, all rows 2^(K-2) apart, all splits once."""
    code = exhaustive_code(n_classes)
    assert code.shape == (n_classes, 2 ** (n_classes - 1) - 1)
    rows = code.tolist()
    apart = {naive.hamming(rows[i], rows[j]) for i in range(n_classes) for j in range(i)}
    assert apart == {2 ** (n_classes - 2)}
    splits = naive.splits(rows)
    assert len(set(splits)) == len(splits)
    assert frozenset() not in splits
    assert row_distance(code) == 2 ** (n_classes - 2)
    assert_array_equal(design_code(n_classes), code)
    # The code as printed in the paper, up to complements of columns: row 1 all ones, row i runs of
    # 2^(K-i) zeros and ones in turn.
    width = code.shape[1]
    printed = [[1] * width] + [
        [(j // 2 ** (n_classes - i)) % 2 for j in range(width)] for i in range(2, n_classes + 1)
    ]
    assert set(naive.splits(printed)) == set(splits)


@given(
    st.integers(2, 9).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=1, max_size=9
        )
    )
)
@settings(max_examples=40)
def test_distances_match_naive(columns):
    code = np.array(columns).T
    assert row_distance(code) == naive.row_distance(code.tolist())
    assert_allclose(column_distance(code), naive.column_distance(code.tolist()))


@given(st.integers(3, 14), st.data())
@settings(max_examples=30)
def test_codes_have_no_twins(n_classes, data):
    fewest = int(np.ceil(np.log2(n_classes)))
    n_bits = data.draw(st.integers(fewest, min(2 ** (n_classes - 1) - 1, 24)))
    design = data.draw(st.sampled_from(["auto", "random", "evolutionary"]))
    code = design_code(n_classes, n_bits, design=design, n_trials=30, random_state=0)
    assert code.shape == (n_classes, n_bits)
    rows = code.tolist()
    assert len({tuple(row) for row in rows}) == n_classes
    splits = naive.splits(rows)
    assert len(set(splits)) == n_bits
    assert frozenset() not in splits


@pytest.mark.parametrize(("n_classes", "n_bits"), [(5, 8), (8, 12), (10, 15), (16, 20), (26, 30)])
def test_searched_codes_are_never_below_random_ones_at_equal_cost(n_classes, n_bits):
    for seed in range(3):
        plain = [
            design_code(n_classes, n_bits, design="random", n_trials=1, random_state=rng)
            for rng in [np.random.RandomState(seed)]
            for _ in range(150)
        ]
        best = max(row_distance(code) for code in plain)
        options = {"n_trials": 150, "random_state": seed}
        assert row_distance(design_code(n_classes, n_bits, design="random", **options)) == best
        evolved = design_code(n_classes, n_bits, design="evolutionary", **options)
        assert row_distance(evolved) >= best


@given(st.integers(3, 8), st.integers(0, 1000), st.data())
@settings(max_examples=40)
def test_decoding_corrects_as_many_errors_as_the_distance_allows(n_classes, seed, data):
    n_bits = min(2 ** (n_classes - 1) - 1, 20)
    code = design_code(n_classes, n_bits, n_trials=40, random_state=seed)
    n_wrong = (row_distance(code) - 1) // 2
    true = data.draw(st.integers(0, n_classes - 1))
    wrong = data.draw(st.permutations(range(n_bits)))[:n_wrong]
    said = code[true].astype(float)
    said[wrong] = 1 - said[wrong]
    assert code_distances(said[:, None], code, decoding="hard").argmin() == true
    assert code_distances(said[:, None], code, decoding="soft").argmin() == true
    for loss in ("exponential", "logistic", "hinge"):
        margins = 2 * said[:, None] - 1
        assert code_distances(margins, code, decoding="loss", loss=loss).argmin() == true


@given(st.integers(0, 10_000), st.sampled_from(["hard", "soft", "loss"]))
@settings(max_examples=30)
def test_decoding_matches_naive(seed, decoding):
    rng = np.random.default_rng(seed)
    code = design_code(5, 9, n_trials=5, random_state=seed)
    said = {
        "hard": rng.integers(2, size=(9, 4)),
        "soft": rng.random((9, 4)),
        "loss": rng.normal(size=(9, 4)),
    }[decoding]
    for loss in ("exponential", "logistic", "hinge"):
        twin = [
            [
                naive.code_distance(said[:, i].tolist(), word, decoding, loss)
                for word in code.tolist()
            ]
            for i in range(4)
        ]
        actual = code_distances(said, code, decoding=decoding, loss=loss)
        assert_allclose(actual, twin, rtol=1e-9, atol=1e-12)
        proba = distances_to_proba(actual, code, decoding)
        assert_allclose(proba.sum(axis=1), 1.0)
        assert_array_equal(proba[np.arange(4), actual.argmin(axis=1)], proba.max(axis=1))


@given(st.integers(3, 6), st.integers(0, 1000))
@settings(max_examples=30)
def test_probabilities_are_exact_for_calibrated_bits_of_an_exhaustive_code(n_classes, seed):
    truth = np.random.default_rng(seed).dirichlet(np.full(n_classes, 0.5), size=6)
    code = exhaustive_code(n_classes)
    bits = code.T.astype(float) @ truth.T  # probability of a 1
    proba = distances_to_proba(code_distances(bits, code), code, "soft")
    assert_allclose(proba, truth, atol=1e-12)


def test_far_from_all_codewords_the_nearest_is_taken():
    code = np.array([[0, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])
    distances = code_distances(np.array([[1, 1, 1, 0, 1]]).T, code, decoding="hard")
    assert_allclose(distances_to_proba(distances, code, "hard"), [[0, 1, 0]])


@pytest.mark.parametrize("decoding", ["hard", "soft", "loss"])
def test_a_classifier_decodes_what_its_members_say(decoding):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    coded = OutputCodeClassifier(LogisticRegression(max_iter=500), decoding=decoding).fit(X, names)
    assert coded.code_book_.shape == (3, 3)
    assert (coded.row_distance_, coded.column_distance_, coded.n_correctable_) == (2, 1.0, 0)
    for bits, model in zip(coded.code_book_.T, coded.estimators_):
        assert_array_equal(model.coef_, LogisticRegression(max_iter=500).fit(X, bits[y]).coef_)
    said = {
        "hard": [m.predict(X) for m in coded.estimators_],
        "soft": [m.predict_proba(X)[:, 1] for m in coded.estimators_],
        "loss": [m.decision_function(X) for m in coded.estimators_],
    }[decoding]
    expected = code_distances(np.stack(said), coded.code_book_, decoding=decoding)
    assert_allclose(coded.code_distances(X), expected)
    assert_array_equal(coded.predict(X), coded.classes_[expected.argmin(axis=1)])
    assert coded.score(X, names) > 0.6


def test_members_are_bits():
    X, y = load_iris(return_X_y=True)
    coded = OutputCodeClassifier(GaussianNB()).fit(X, y)
    outputs = MemberOutputs.from_estimator(coded, X, y)
    right = [m.predict(X) == bits[y] for m, bits in zip(coded.estimators_, coded.code_book_.T)]
    assert_array_equal(outputs.correct, right)


def test_margins_without_decision_function_come_from_probabilities():
    X, y = load_iris(return_X_y=True)
    coded = OutputCodeClassifier(GaussianNB(), decoding="loss", loss="hinge").fit(X, y)
    said = np.stack([2 * m.predict_proba(X)[:, 1] - 1 for m in coded.estimators_])
    expected = code_distances(said, coded.code_book_, decoding="loss", loss="hinge")
    assert_allclose(coded.code_distances(X), expected)
    margins = OutputCodeClassifier(LinearSVC(), decoding="loss").fit(X, y)
    assert margins.score(X, y) > 0.7


def test_a_long_code_corrects_its_members():
    X, y = load_digits(return_X_y=True)
    coded = OutputCodeClassifier(n_bits=31, random_state=0, n_trials=100).fit(X[:600], y[:600])
    bits = MemberOutputs.from_estimator(coded, X[600:], y[600:]).correct
    assert coded.score(X[600:], y[600:]) > bits.mean() - 0.05
    assert coded.n_correctable_ >= 4


def test_two_classes_have_one_split():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    coded = OutputCodeClassifier(GaussianNB()).fit(X, y)
    assert coded.code_book_.tolist() == [[0], [1]]
    assert np.isnan(coded.column_distance_)
    assert_allclose(coded.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), atol=1e-12)
    with pytest.raises(ValueError, match="Two classes can be split in one way only"):
        OutputCodeClassifier(n_bits=3).fit(X, y)
    for design in ("random", "evolutionary"):
        with pytest.raises(ValueError, match="there is nothing to search and nothing to correct"):
            OutputCodeClassifier(design=design).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bits": 4}, "n_bits=4, but 3 classes can be split in two in 3 ways"),
        ({"n_bits": 1}, "n_bits=1 gives 2 codewords for 3 classes"),
        ({"n_bits": 2, "design": "exhaustive"}, "exhaustive code for 3 classes has 3"),
        ({"design": "best"}, "design='best': choose 'auto'"),
        ({"decoding": "fuzzy"}, "decoding='fuzzy': choose 'hard'"),
        ({"loss": "square"}, "loss='square': choose"),
        ({"n_trials": 0, "n_bits": 2}, "n_trials=0"),
        ({"design": [[0, 1], [1, 0]]}, "design has 2 codewords, but y has 3 classes"),
        ({"design": [[0, 1], [1, 0], [0, 1]]}, "Codewords 0 and 2 are the same"),
        ({"design": [[0, 1, 0], [0, 0, 1], [0, 0, 0]]}, "Column 0 puts all classes on one side"),
        ({"design": [[0, 1, 0], [0, 1, 1], [1, 0, 0]]}, "Columns 0 and 1 are the same split"),
        ({"design": [[0, 2], [1, 0], [1, 1]]}, "expected 0 and 1 only"),
        ({"design": [0, 1]}, r"design has shape \(2,\), expected"),
        ({"estimator": LinearSVC()}, "LinearSVC has no predict_proba, which decoding='soft' needs"),
    ],
)
def test_wrong_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        OutputCodeClassifier(**options).fit(X, y)


def test_wrong_input_of_functions():
    with pytest.raises(ValueError, match="An exhaustive code for 13 classes has"):
        exhaustive_code(13)
    with pytest.raises(ValueError, match="An exhaustive code for 13 classes has"):
        design_code(13, design="exhaustive")
    with pytest.raises(ValueError, match="n_classes=1"):
        design_code(1)
    code = exhaustive_code(3)
    with pytest.raises(ValueError, match=r"answers has shape \(2, 1\), expected \(3, n_samples\)"):
        code_distances([[1], [0]], code)
    with pytest.raises(ValueError, match="for margins choose decoding='loss'"):
        code_distances([[1], [0], [-2]], code)
    with pytest.raises(ValueError, match="one class only"):
        OutputCodeClassifier().fit([[1.0], [2.0]], [1, 1])


def test_a_code_of_ones_own_is_kept():
    X, y = load_iris(return_X_y=True)
    own = [[0, 1], [1, 0], [1, 1]]
    coded = OutputCodeClassifier(GaussianNB(), design=own).fit(X, y)
    assert coded.code_book_.tolist() == own
    assert coded.score(X, y) > 0.9


def test_diverse_codes_by_disagreement():
    from itertools import combinations

    code = design_code(9, 12, design="diverse", n_trials=300, random_state=0)
    rows = [np.mean(a != b) for a, b in combinations(code, 2)]
    splits = [min(np.mean(a != b), np.mean(a == b)) for a, b in combinations(code.T, 2)]
    assert code_diversity(code) == pytest.approx((np.mean(rows) + np.mean(splits)) / 2)
    other = design_code(9, 12, design="evolutionary", n_trials=300, random_state=0)
    assert code_diversity(code) >= code_diversity(other)
    assert row_distance(code) > 0
