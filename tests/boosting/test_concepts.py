"""CNC on tables worked by hand, against its slow twin, and by what a concept is."""

import pickle
from copy import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import concepts as naive
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from counterpoint.boosting import (
    AdaBoostM2Classifier,
    NominalConcept,
    NominalConceptClassifier,
)
from counterpoint.boosting.discretize import MDLDiscretizer

# Quinlan's weather table.
WEATHER = """
sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rainy mild high weak yes
rainy cool normal weak yes
rainy cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rainy mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rainy mild high strong no
"""

# Cendrowska's contact lenses: all 24 combinations in order, age slowest, tears fastest.
LENSES = [
    (age, prescription, astigmatism, tears)
    for age in ("young", "pre-presbyopic", "presbyopic")
    for prescription in ("myope", "hypermetrope")
    for astigmatism in ("no", "yes")
    for tears in ("reduced", "normal")
]
FITTED = "nsnhnsnh nsnhnsnn nnnhnsnn".replace(" ", "")


@pytest.fixture
def weather():
    rows = [line.split() for line in WEATHER.split("\n") if line]
    frame = pd.DataFrame(rows, columns=["outlook", "temperature", "humidity", "wind", "play"])
    return frame.drop(columns="play"), frame["play"]


@pytest.fixture
def lenses():
    X = pd.DataFrame(LENSES, columns=["age", "prescription", "astigmatism", "tears"])
    return X, np.array([{"n": "none", "s": "soft", "h": "hard"}[c] for c in FITTED])


@parametrize_with_checks(
    [
        NominalConceptClassifier(),
        NominalConceptClassifier(
            n_attributes="all",
            measure="gain_ratio",
            output="hard",
            match="value",
            discretize="numeric",
        ),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_weather_by_hand(weather):
    X, y = weather
    cnc = NominalConceptClassifier().fit(X, y)
    np.testing.assert_allclose(cnc.gains_, [0.247, 0.029, 0.152, 0.048], atol=5e-4)
    assert cnc.attribute_ == "outlook"
    assert [(c.value, c.extent_size, c.counts) for c in cnc.concepts_] == [
        ("overcast", 4, {"no": 0, "yes": 4}),
        ("rainy", 5, {"no": 2, "yes": 3}),
        ("sunny", 5, {"no": 3, "yes": 2}),
    ]
    assert list(map(str, cnc.rules_)) == [
        "IF outlook=overcast THEN yes (4 of 4, 100 %)",
        "IF outlook=rainy THEN yes (3 of 5, 60 %)",
        "IF outlook=sunny THEN no (3 of 5, 60 %)",
        "ELSE yes (9 of 14, 64 %)",
    ]
    np.testing.assert_allclose(cnc.predict_proba(X)[:4, 1], [0.4, 0.4, 1.0, 0.6])


def test_contact_lenses_by_hand(lenses):
    X, y = lenses
    cnc = NominalConceptClassifier().fit(X, y)
    np.testing.assert_allclose(cnc.gains_, [0.039, 0.040, 0.377, 0.549], atol=5e-4)
    assert cnc.attribute_ == "tears"
    normal, reduced = cnc.concepts_
    assert normal.counts == {"hard": 4, "none": 3, "soft": 5}
    assert reduced.counts == {"hard": 0, "none": 12, "soft": 0}
    assert reduced == NominalConcept(
        attribute="tears",
        value="reduced",
        intent={"tears": "reduced"},
        extent_size=12,
        extent_weight=12.0,
        counts={"hard": 0, "none": 12, "soft": 0},
        distribution={"hard": 0.0, "none": 1.0, "soft": 0.0},
    )


def test_the_intent_is_all_that_the_extent_shares(weather):
    X, _ = weather
    some = [3, 9, 2, 12]  # rainy mild . weak, twice; overcast hot . weak, twice
    cnc = NominalConceptClassifier().fit(X.iloc[some], ["a", "b", "c", "c"])
    assert [c.intent for c in cnc.concepts_] == [
        {"outlook": "overcast", "temperature": "hot", "wind": "weak"},
        {"outlook": "rainy", "temperature": "mild", "wind": "weak"},
    ]
    assert str(cnc.rules_[1]) == (
        "IF outlook=rainy AND temperature=mild AND wind=weak THEN a (1 of 2, 50 %)"
    )
    new = pd.DataFrame([["overcast", "hot", "low", "weak"], ["overcast", "cool", "low", "weak"]])
    new.columns = X.columns
    np.testing.assert_allclose(cnc.predict_proba(new), [[0, 0, 1], [0.25, 0.25, 0.5]])
    by_value = NominalConceptClassifier(match="value").fit(X.iloc[some], ["a", "b", "c", "c"])
    np.testing.assert_allclose(by_value.predict_proba(new), [[0, 0, 1], [0, 0, 1]])
    assert str(by_value.rules_[1]) == (
        "IF outlook=rainy (always with temperature=mild, wind=weak) THEN a (1 of 2, 50 %)"
    )


def test_unseen_values_get_the_prior(weather):
    X, y = weather
    new = X.head(3).assign(outlook=["foggy", None, "sunny"])
    cnc = NominalConceptClassifier().fit(X, y)
    np.testing.assert_allclose(cnc.predict_proba(new)[:, 1], [9 / 14, 9 / 14, 0.4])
    hard = NominalConceptClassifier(output="hard").fit(X, y)
    np.testing.assert_array_equal(hard.predict_proba(new), [[0, 1], [0, 1], [1, 0]])


def test_unseen_whole_numbers_get_the_prior():
    cnc = NominalConceptClassifier().fit([[1], [3], [3], [3]], ["a", "b", "b", "b"])
    shares = cnc.predict_proba([[0], [1], [2], [3], [4]])
    np.testing.assert_allclose(shares[:, 0], [0.25, 1, 0.25, 0, 0.25])


def test_missing_is_a_value_of_its_own():
    X = pd.DataFrame({"a": ["x", None, "x", None, np.nan]})
    cnc = NominalConceptClassifier().fit(X, [0, 1, 0, 1, 1])
    assert [c.value for c in cnc.concepts_] == ["x", None]
    assert str(cnc.rules_[1]) == "IF a is missing THEN 1 (3 of 3, 100 %)"
    assert cnc.predict(pd.DataFrame({"a": [None, "x", pd.NA]})).tolist() == [1, 0, 1]


def test_sorted_by_column_then_value_when_there_are_several_attributes(lenses):
    X, y = lenses
    cnc = NominalConceptClassifier(n_attributes=2).fit(X, y)
    assert cnc.attributes_ == ["tears", "astigmatism"]
    assert [(c.attribute, c.value) for c in cnc.concepts_] == [
        ("tears", "normal"),
        ("tears", "reduced"),
        ("astigmatism", "no"),
        ("astigmatism", "yes"),
    ]
    # young myope without astigmatism, reduced tears: (0, 1, 0) and (0, 7/12, 5/12), by gain
    gain = cnc.gains_[[3, 2]]
    expected = (gain[0] * np.array([0, 1, 0]) + gain[1] * np.array([0, 7, 5]) / 12) / gain.sum()
    np.testing.assert_allclose(cnc.predict_proba(X)[0], expected)
    assert len(NominalConceptClassifier(n_attributes=99).fit(X, y).attributes_) == 4
    hard = NominalConceptClassifier(n_attributes="all", output="hard").fit(X, y)
    assert set(np.unique(hard.predict_proba(X))) == {0.0, 1.0}


def test_gain_ratio_prefers_few_values():
    """A number for each row gains most, and is worth nothing; a constant has no ratio."""
    X = pd.DataFrame({"id": list("abcdefgh"), "good": list("xxxyyyyy"), "same": ["s"] * 8})
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    assert NominalConceptClassifier().fit(X, y).attribute_ == "id"
    cnc = NominalConceptClassifier(measure="gain_ratio").fit(X, y)
    assert cnc.attribute_ == "good"
    assert np.isnan(cnc.gains_[2])
    assert cnc.gains_[0] == pytest.approx(1 / 3)


def test_ties_go_to_the_first_column():
    X = [["a", "c"], ["b", "d"], ["a", "c"], ["b", "d"]]
    assert NominalConceptClassifier().fit(X, [0, 1, 0, 1]).attribute_ == "x0"


def test_constant_columns_answer_with_the_prior():
    X = pd.DataFrame({"a": ["u"] * 4})
    for measure in ("gain", "gain_ratio"):
        cnc = NominalConceptClassifier(measure=measure).fit(X, [0, 0, 0, 1])
        np.testing.assert_allclose(cnc.predict_proba(X)[0], [0.75, 0.25])
        assert list(map(str, cnc.rules_)) == [
            "IF a=u THEN 0 (3 of 4, 75 %)",
            "ELSE 0 (3 of 4, 75 %)",
        ]


def test_weighted_rules_say_so(weather):
    X, y = weather
    cnc = NominalConceptClassifier().fit(X, y, sample_weight=np.where(y == "no", 3.0, 1.0))
    assert str(cnc.rules_[1]) == "IF outlook=rainy THEN no (2 of 5 rows, 67 % of weight)"


# Kinds of input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert",
    [
        lambda X: X.astype("category"),
        lambda X: X.astype(object),
        lambda X: pl.DataFrame(X.to_dict("list")),
        lambda X: pl.DataFrame(X.to_dict("list")).with_columns(pl.all().cast(pl.Categorical)),
    ],
    ids=["category", "object", "polars", "polars-categorical"],
)
def test_all_kinds_of_frames_give_the_same_rules(weather, convert):
    X, y = weather
    expected = NominalConceptClassifier(n_attributes="all").fit(X, y)
    cnc = NominalConceptClassifier(n_attributes="all").fit(convert(X), y)
    assert str(cnc.rules_) == str(expected.rules_)
    covered = [rule.covers(convert(X)) for rule in cnc.rules_]
    sizes = [concept.extent_size for concept in cnc.concepts_]
    assert [int(rows.sum()) for rows in covered] == [*sizes, len(y)]  # the last is for the rest
    np.testing.assert_array_equal(cnc.predict_proba(convert(X)), expected.predict_proba(X))
    np.testing.assert_array_equal(cnc.predict_proba(X), expected.predict_proba(X))


def test_arrays_of_text_and_of_whole_numbers(weather):
    X, y = weather
    expected = NominalConceptClassifier().fit(X, y).predict_proba(X)
    codes = X.apply(lambda column: pd.factorize(column)[0]).to_numpy()
    for array in (X.to_numpy(dtype=object), X.to_numpy(dtype=str), codes):
        cnc = NominalConceptClassifier().fit(array, y)
        assert cnc.attribute_ == "x0"
        np.testing.assert_array_equal(cnc.predict_proba(array), expected)
    assert str(cnc.rules_[0]) == "IF x0=0 THEN no (3 of 5, 60 %)"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_which_numbers_are_cut(frame):
    rng = np.random.RandomState(0)
    y = rng.randint(2, size=200)
    X = frame({"few": y + rng.randint(2, size=200), "many": y * 100 + rng.randint(99, size=200)})
    y = y.astype(str)

    def kinds(discretize):
        cnc = NominalConceptClassifier(n_attributes=2, discretize=discretize).fit(X, y)
        return {c.attribute: isinstance(c.value, str) for c in cnc.concepts_}

    assert kinds("auto") == {"few": False, "many": True}
    assert kinds("numeric") == {"few": True, "many": True}
    assert kinds("none") == {"few": False, "many": False}


def test_numbers_are_cut_on_the_rows_given(weather):
    X, y = load_iris(return_X_y=True, as_frame=True)
    cnc = NominalConceptClassifier().fit(X, y)
    assert str(cnc.rules_[1]) == "IF petal width (cm) in (0.8, 1.75] THEN 1 (49 of 54, 91 %)"
    edges = MDLDiscretizer().fit(X, y).edges_[3]
    assert [c.value for c in cnc.concepts_] == ["(-inf, 0.8]", "(0.8, 1.75]", "(1.75, inf)"]
    np.testing.assert_allclose(edges, [0.8, 1.75])


def test_columns_without_a_cut_are_in_no_intent():
    X = pd.DataFrame({"a": list("xxyy") * 5, "noise": [0.1, 0.2] * 10})
    cnc = NominalConceptClassifier().fit(X, list("xxyy") * 5)
    assert [c.intent for c in cnc.concepts_] == [{"a": "x"}, {"a": "y"}]
    # so that a missing number, new at prediction, breaks no rule
    assert cnc.predict(pd.DataFrame({"a": ["y"], "noise": [np.nan]})).tolist() == ["y"]


def test_missing_numbers_have_their_concept():
    X = pd.DataFrame({"a": [np.nan] * 10 + [1.0] * 10 + [2.0] * 10})
    y = ["n"] * 10 + ["l"] * 10 + ["h"] * 10
    cnc = NominalConceptClassifier().fit(X, y)
    assert [c.value for c in cnc.concepts_] == ["(-inf, 1.5]", "(1.5, inf)", None]
    assert cnc.score(X, y) == 1.0


# Against the twin, and laws -------------------------------------------------------------------


@st.composite
def contexts(draw, max_weight=4):
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 4))
    cell = st.sampled_from("abc")
    rows = draw(st.lists(st.tuples(*[cell] * d), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(1, max_weight), min_size=n, max_size=n))
    return rows, labels, weights


@settings(max_examples=80)
@given(
    contexts(),
    st.sampled_from(["gain", "gain_ratio"]),
    st.sampled_from(["intent", "value"]),
    st.integers(1, 4),
    st.lists(st.tuples(*[st.sampled_from("abcz")] * 4), min_size=1, max_size=6),
)
def test_matches_the_naive_twin(context, measure, match, k, new):
    rows, labels, weights = context
    cnc = NominalConceptClassifier(n_attributes=k, measure=measure, match=match)
    cnc.fit(np.array(rows), labels, sample_weight=weights)
    score = getattr(naive, measure)
    columns = list(zip(*rows))
    scores = [score(column, labels, weights) for column in columns]
    as_floats = [np.nan if s is None else s for s in scores]
    np.testing.assert_allclose(cnc.gains_, as_floats, atol=1e-9)
    chosen = naive.best_columns(scores, min(k, len(columns)))
    assert cnc.attributes_ == [f"x{j}" for j in chosen]
    expected = [(j, c) for j in chosen for c in naive.concepts(rows, labels, weights, j)]
    assert len(cnc.concepts_) == len(expected)
    for ours, (_, theirs) in zip(cnc.concepts_, expected):
        assert ours.value == theirs["value"]
        assert ours.extent_size == len(theirs["extent"])
        assert ours.intent == {f"x{j}": v for j, v in theirs["intent"].items()}
        total = sum(theirs["weights"].values())
        assert ours.extent_weight == pytest.approx(total)
        for c, w in theirs["weights"].items():
            assert ours.distribution[c] == pytest.approx(w / total)
    new = [row[: len(columns)] for row in [*rows, *new]]
    prior = naive.class_weights(labels, weights)
    shares = [naive.proba(row, expected, as_floats, prior, match) for row in new]
    np.testing.assert_allclose(cnc.predict_proba(np.array(new)), shares, atol=1e-9)


@settings(max_examples=40)
@given(contexts(), st.integers(1, 4))
def test_concepts_are_closed_and_extents_partition_the_rows(context, k):
    rows, labels, _ = context
    cnc = NominalConceptClassifier(n_attributes=k).fit(np.array(rows), labels)
    for attribute in cnc.attributes_:
        extents = []
        for concept in (c for c in cnc.concepts_ if c.attribute == attribute):
            intent = {int(name[1:]): value for name, value in concept.intent.items()}
            extent = naive.extent_of(rows, intent)
            assert naive.intent_of(rows, extent) == intent
            assert len(extent) == concept.extent_size
            extents += extent
        assert sorted(extents) == list(range(len(rows)))


@settings(max_examples=30)
@given(contexts(), st.sampled_from(["intent", "value"]), st.sampled_from(["soft", "hard"]))
def test_weights_are_repeats(context, match, output):
    rows, labels, weights = context
    weights = [w - 1 for w in weights]
    weights[0] = 1
    X, y = np.array(rows), np.array(labels)
    again = np.repeat(np.arange(len(y)), weights)
    options = dict(n_attributes=2, match=match, output=output)
    weighted = NominalConceptClassifier(**options).fit(X, y, sample_weight=weights)
    repeated = NominalConceptClassifier(**options).fit(X[again], y[again])
    assert weighted.attributes_ == repeated.attributes_
    there = np.isin(weighted.classes_, repeated.classes_)
    shares = weighted.predict_proba(X)
    np.testing.assert_allclose(shares[:, there], repeated.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(shares[:, ~there], 0)


@settings(max_examples=20)
@given(contexts())
def test_match_makes_no_difference_to_training_rows(context):
    rows, labels, weights = context
    X = np.array(rows)
    one, other = (
        NominalConceptClassifier(n_attributes=2, match=match).fit(X, labels, weights)
        for match in ("intent", "value")
    )
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


# As a weak learner ----------------------------------------------------------------------------


def test_preparing_other_rows_forgets_the_concepts(weather):
    X, y = weather
    model = NominalConceptClassifier().fit(X, y)
    model.prepare(X[:5], y[:5])
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_refitting_codes_is_the_same_as_fitting(weather):
    """What the boosting loop does: code once, then only weights change."""
    X, y = weather
    rng = np.random.RandomState(0)
    template = NominalConceptClassifier(n_attributes=2)
    data = template.prepare(X, y)
    for _ in range(5):
        weight = rng.exponential(size=len(y)) * (rng.uniform(size=len(y)) > 0.2)
        member = copy(template).fit_prepared(data, weight)
        alone = clone(template).fit(X, y, sample_weight=weight)
        assert member.rules_ == alone.rules_
        _, shares = member.predict_prepared(data, proba=True)
        np.testing.assert_allclose(shares, alone.predict_proba(X))
        np.testing.assert_allclose(member.predict_proba(X), alone.predict_proba(X))


def test_weights_that_add_up_to_one_still_cut_numbers():
    X, y = make_blobs(n_samples=200, centers=2, random_state=1)
    weight = np.full(200, 1 / 200)
    one = NominalConceptClassifier().fit(X, y)
    other = NominalConceptClassifier().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.score(X, y) > 0.9


def test_boosting_it_helps():
    X, y = load_iris(return_X_y=True)
    X, y = np.round(X[50:]).astype(int), y[50:]
    alone = NominalConceptClassifier().fit(X, y)
    boosted = AdaBoostClassifier(NominalConceptClassifier(), n_estimators=20).fit(X, y)
    assert boosted.score(X, y) > alone.score(X, y)


def test_pickles(weather):
    X, y = weather
    cnc = NominalConceptClassifier().fit(X, y)
    again = pickle.loads(pickle.dumps(cnc))
    assert again.rules_ == cnc.rules_
    assert again.concepts_ == cnc.concepts_


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "gini"}, "measure='gini': choose 'gain', 'gain_ratio'"),
        ({"output": "both"}, "output='both': choose 'soft', 'hard'"),
        ({"match": "all"}, "match='all': choose 'intent', 'value'"),
        ({"discretize": True}, "discretize=True: choose 'auto', 'numeric', 'none'"),
        ({"n_attributes": 0}, "n_attributes=0: give a whole number from 1, or 'all'"),
        ({"n_attributes": 1.5}, "n_attributes=1.5: give a whole number"),
        ({"n_attributes": True}, "n_attributes=True: give a whole number"),
    ],
)
def test_wrong_options(weather, options, message):
    with pytest.raises(ValueError, match=message):
        NominalConceptClassifier(**options).fit(*weather)


def test_wrong_data(weather):
    X, y = weather
    with pytest.raises(ValueError, match="infinity in column 'a'"):
        NominalConceptClassifier().fit(pd.DataFrame({"a": [1.0, np.inf]}), [0, 1])
    cnc = NominalConceptClassifier().fit(X, y)
    with pytest.raises(TypeError, match="each argument must be a string or a number"):
        cnc.predict(X.assign(outlook=[{}] * len(X)))
    cnc = NominalConceptClassifier().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ValueError, match="Column 'a' was numeric in training"):
        cnc.predict(pd.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NominalConceptClassifier().fit(X, y[:5])
    with pytest.raises(ValueError, match="all zero"):
        NominalConceptClassifier().fit(X, y, sample_weight=np.zeros(14))
    with pytest.raises(ValueError, match="Unknown label type"):
        NominalConceptClassifier().fit(X, np.linspace(0, 1, 14))


# Ties


def tied():
    """Two values with as many rows of each of three classes, one with a majority."""
    X = pd.DataFrame({"a": list("pppqqqrrr")})
    return X, np.array(list("xyzxyzxxy"))


def test_ties_go_to_the_first_class_or_to_a_drawn_one():
    X, y = tied()
    new = pd.DataFrame({"a": list("pqrs")})
    assert NominalConceptClassifier().fit(X, y).predict(new).tolist() == ["x", "x", "x", "x"]
    said = np.array(
        [
            NominalConceptClassifier(ties="random", random_state=seed).fit(X, y).predict(new)
            for seed in range(300)
        ]
    )
    for column in (0, 1):  # a third each, within four standard errors
        shares = [(said[:, column] == label).mean() for label in "xyz"]
        np.testing.assert_allclose(shares, 1 / 3, atol=4 * np.sqrt(2 / 9 / 300))
    # Each concept draws for itself, and there is nothing to draw where one class is ahead.
    assert 0.2 < (said[:, 0] == said[:, 1]).mean() < 0.5
    assert set(said[:, 2]) == set(said[:, 3]) == {"x"}


@pytest.mark.parametrize("output", ["soft", "hard"])
def test_random_ties_are_the_same_for_all_that_asks(output):
    X, y = tied()
    model = NominalConceptClassifier(ties="random", output=output, random_state=3).fit(X, y)
    again = NominalConceptClassifier(ties="random", output=output, random_state=3).fit(X, y)
    said = model.predict(X)
    np.testing.assert_array_equal(said, model.predict(X))
    np.testing.assert_array_equal(said, again.predict(X))
    rules = {rule.text.split("=")[1][0]: rule.label for rule in list(model.rules_)[:-1]}
    assert [rules[value] for value in X["a"]] == said.tolist()
    proba = model.predict_proba(X)
    if output == "hard":
        np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], said)
    else:
        np.testing.assert_allclose(proba[:6], 1 / 3)


@pytest.mark.parametrize("resample", [False, True])
def test_boosted_members_draw_their_own_ties(resample):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({k: rng.choice(list("abc"), 90) for k in "uvw"})
    y = rng.choice(list("xyz"), 90)
    options = {"n_estimators": 4, "resample": resample, "calibrate": False, "random_state": 0}
    base = NominalConceptClassifier(ties="random", output="hard")
    model = AdaBoostM2Classifier(base, **options).fit(X, y)
    seeds = {member.random_state for member in model.estimators_}
    assert len(seeds) == len(model.estimators_)
    again = AdaBoostM2Classifier(base, **options).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
