import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone

from counterpoint import MemberOutputs
from counterpoint.sequences import HMMClassifier, HMMPairClassifier


def rising_and_falling(n=40, seed=0):
    rng = np.random.RandomState(seed)
    rising = [np.sort(rng.randn(rng.randint(4, 8), 1), axis=0) for _ in range(n)]
    return rising + [x[::-1] for x in rising], np.repeat([1, 0], n)


def test_order_in_time_is_what_tells_the_classes_apart():
    X, y = rising_and_falling()
    new_X, new_y = rising_and_falling(seed=1)
    model = HMMClassifier(3, random_state=0).fit(X, y)
    assert model.score(new_X, new_y) > 0.95
    # The events alone say nothing: both classes have the same ones.
    assert np.concatenate(X[:40]).mean() == pytest.approx(np.concatenate(X[40:]).mean())


def test_three_classes_of_sequences_of_any_length():
    rng = np.random.RandomState(0)
    X = [rng.randn(rng.randint(1, 6), 2) + 4 * k for k in range(3) for _ in range(30)]
    y = np.repeat(["a", "b", "c"], 30)
    model = HMMClassifier(2, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_probabilities_are_bayes_rule_over_the_models():
    X, y = rising_and_falling(20)
    model = HMMClassifier(2, priors=[0.2, 0.8], random_state=0).fit(X, y)
    joint = np.stack([m.score_samples(X) for m in model.estimators_[0].models], axis=1) + np.log(
        [0.2, 0.8]
    )
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), expected)


def test_starts_are_members():
    X, y = rising_and_falling(20)
    model = HMMClassifier(2, n_starts=3, random_state=0).fit(X, y)
    assert model.member_predict(X).shape == (3, 40)
    np.testing.assert_allclose(model.member_predict_proba(X).mean(axis=0), model.predict_proba(X))
    outputs = MemberOutputs.from_estimator(model, X, y)
    assert outputs.n_members == 3


def test_the_same_seed_gives_the_same_at_any_number_of_jobs():
    X, y = rising_and_falling(20)
    one = HMMPairClassifier(2, n_mixtures=1, n_starts=2, random_state=3).fit(X, y)
    with parallel_config(backend="threading"):
        two = clone(one).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.member_scores(X), two.member_scores(X))


def test_ranks_are_one_to_n_and_follow_the_score():
    X, y = rising_and_falling(30)
    model = HMMPairClassifier(2, n_mixtures=1, n_starts=3, random_state=0).fit(X, y)
    ranks = model.rank(X)
    assert sorted(ranks) == list(range(1, 61))
    assert (ranks[y == 1] <= 30).mean() > 0.9
    by_mean = clone(model).set_params(combine="mean").fit(X, y)
    order = np.argsort(by_mean.rank(X))
    assert (np.diff(by_mean.predict_proba(X)[order, 1]) <= 0).all()


def test_few_events_make_small_models_or_an_error():
    rng = np.random.RandomState(0)
    X = [rng.randn(2, 3) for _ in range(60)]
    y = [1] * 3 + [0] * 57
    model = HMMPairClassifier(random_state=0).fit(X, y)
    assert model.sizes_[1] == (1, 1)
    with pytest.raises(ValueError, match="Class 1 has 6 events in 3 sequences, too few for 48"):
        HMMPairClassifier(shrink=False, random_state=0).fit(X, y)


def test_sizes_by_class():
    X, y = rising_and_falling(20)
    model = HMMClassifier({0: 1, 1: 3}, random_state=0).fit(X, y)
    assert [m.n_states for m in model.estimators_[0].models] == [1, 3]
    with pytest.raises(ValueError, match="without the class"):
        HMMClassifier({0: 1}).fit(X, y)


def test_a_sequence_no_model_can_make_falls_back_to_the_priors():
    X, y = rising_and_falling(20)
    model = HMMClassifier(2, random_state=0).fit(X, y)
    for m in model.estimators_[0].models:
        m._chain.log_start[:] = -np.inf
    np.testing.assert_allclose(model.predict_proba(X[:2]), [[0.5, 0.5]] * 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_starts": 0}, "n_starts=0"),
        ({"priors": "none"}, "choose 'empirical', 'uniform'"),
        ({"priors": [0.5, 0.6]}, "add up to 1"),
    ],
)
def test_wrong_options_say_what_to_change(options, message):
    X, y = rising_and_falling(5)
    with pytest.raises(ValueError, match=message):
        HMMClassifier(**options).fit(X, y)


def test_wrong_targets_say_what_to_change():
    X, y = rising_and_falling(5)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        HMMClassifier().fit(X, y[:3])
    with pytest.raises(ValueError, match="one class only"):
        HMMClassifier().fit(X, np.zeros(10))
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        HMMPairClassifier().fit(X, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
