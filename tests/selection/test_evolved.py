import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from counterpoint import MemberOutputs
from counterpoint.combiners import MeanCombiner, VoteCombiner, WeightedMeanCombiner
from counterpoint.exceptions import InterruptedFitWarning, MemberError
from counterpoint.selection import EvolvedEnsembleClassifier


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    noise = np.random.default_rng(0).normal(0, 9, (150, 4))
    return np.concatenate([X, noise], axis=1), y


def test_it_finds_what_helps(data):
    X, y = data
    pool = [
        ("constant", DummyClassifier()),
        ("nb", GaussianNB()),
        ("near", KNeighborsClassifier()),
    ]
    model = EvolvedEnsembleClassifier(pool, population=16, n_generations=12, random_state=0)
    model.fit(X, y)
    assert (np.diff(model.history_["fitness"]) <= 1e-12).all()
    whole = MemberOutputs.from_estimator(pool, X, y, cv=3)
    assert model.history_["fitness"].iloc[-1] < (whole.majority != whole.y).mean()
    # Noise is in half of the columns; and what knows nothing goes even where it does no harm.
    real = sum((own < 4).sum() for own in model.columns_)
    assert real > sum((own >= 4).sum() for own in model.columns_)
    assert "constant" not in dict(model.pool_)
    assert model.score(X, y) > 0.93
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    again = EvolvedEnsembleClassifier(pool, population=16, n_generations=12, random_state=0)
    assert again.fit(X, y).history_.equals(model.history_)


def test_columns_on_which_a_member_answers_nothing_lose(data):
    X, y = data
    flat = X.copy()
    flat[:, 1:] = 0.0  # naive Bayes says NaN where it sees these alone
    for seed in range(3):
        model = EvolvedEnsembleClassifier(random_state=seed).fit(flat, y)
        assert np.isfinite(model.predict_proba(flat)).all()
    with pytest.raises(MemberError, match=r"naive Bayes gives sample 0 the probability nan"):
        EvolvedEnsembleClassifier([("naive Bayes", GaussianNB())]).fit(0.0 * X, y)


def test_rules_that_need_probabilities_lose_where_there_are_none(data):
    X, y = data
    pool = [LinearSVC(), GaussianNB()]
    rules = [MeanCombiner(), VoteCombiner()]
    model = EvolvedEnsembleClassifier(pool, combiners=rules, random_state=0).fit(X, y)
    if any(isinstance(m, LinearSVC) for _, m in model.pool_):
        assert isinstance(model.combiner_, VoteCombiner)
    with pytest.raises(ValueError, match="put VoteCombiner"):
        EvolvedEnsembleClassifier([LinearSVC()], combiners=rules[:1], random_state=0).fit(X, y)


def test_rules_that_learn_are_fitted(data):
    X, y = data
    model = EvolvedEnsembleClassifier(combiners=[WeightedMeanCombiner()], random_state=0).fit(X, y)
    assert len(model.combiner_.estimator_weights_) == len(model.pool_)
    assert len(model.predict(X)) == 150


class Interrupting(ClassifierMixin, BaseEstimator):
    calls = 0

    def fit(self, X, y):
        type(self).calls += 1
        if type(self).calls > 40:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_ctrl_c_keeps_the_best_so_far(data):
    X, y = data
    Interrupting.calls = 0
    pool = [("stop", Interrupting()), ("nb", GaussianNB())]
    model = EvolvedEnsembleClassifier(
        pool, combiners=[VoteCombiner()], n_generations=200, mutation=0.3, random_state=0
    )
    with pytest.warns(InterruptedFitWarning, match="keeps the best of"):
        model.fit(X, y)
    assert model.stop_reason_ == "interrupted"
    assert 1 <= len(model.history_) < 200


def test_wrong_input_says_what_to_change(data):
    X, y = data
    with pytest.raises(ValueError, match="population=3: give a whole number from 4"):
        EvolvedEnsembleClassifier(population=3).fit(X, y)
    with pytest.raises(TypeError, match="list of Combiner"):
        EvolvedEnsembleClassifier(combiners=["vote"]).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        EvolvedEnsembleClassifier().fit(X, np.zeros(150))
