"""A pool and a rule as one estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from counterpoint.combiners import (
    ChoquetCombiner,
    CombinedClassifier,
    MeanCombiner,
    StackingCombiner,
    VoteCombiner,
    WeightedMeanCombiner,
)

X, Y = load_iris(return_X_y=True)


def pool():
    return [
        ("nb", GaussianNB()),
        ("knn", KNeighborsClassifier(3)),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


@pytest.mark.parametrize(("voting", "rule"), [("hard", VoteCombiner), ("soft", MeanCombiner)])
@pytest.mark.parametrize("weights", [None, [1, 2, 3]])
def test_equal_to_voting_classifier(voting, rule, weights):
    theirs = VotingClassifier(pool(), voting=voting, weights=weights).fit(X, Y)
    ours = CombinedClassifier(pool(), combiner=rule(weights)).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_equal_to_stacking_classifier():
    model = LogisticRegression(max_iter=1000)
    theirs = StackingClassifier(pool(), model, cv=5, stack_method="predict_proba").fit(X, Y)
    ours = CombinedClassifier(pool(), combiner=StackingCombiner(model), cv=5).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_rules_that_learn_see_only_rows_the_members_did_not():
    noise = np.random.RandomState(0).randint(2, size=len(X))
    memory = ("memory", KNeighborsClassifier(1))  # right about every row it has seen
    humble = ("humble", GaussianNB())
    rule = WeightedMeanCombiner()
    model = CombinedClassifier([memory, humble], combiner=rule).fit(X, noise)
    assert model.combiner_.estimator_weights_[0] < 0.5
    seen = CombinedClassifier(
        [(n, m.fit(X, noise)) for n, m in (memory, humble)], combiner=rule
    ).fit(X, noise)
    assert seen.combiner_.estimator_weights_[0] > 0.9


def test_prefitted_members_stay_as_they_are_and_others_are_fitted():
    fitted = GaussianNB().fit(X[::2], Y[::2])
    model = CombinedClassifier([fitted, DecisionTreeClassifier()]).fit(X, Y)
    assert model.pool_[0][1] is fitted
    assert model.member_predict(X).shape == (2, 150)


def test_an_ensemble_is_a_pool():
    bag = BaggingClassifier(n_estimators=5, random_state=0)
    model = CombinedClassifier(bag, combiner=VoteCombiner()).fit(X, Y)
    assert model.member_outputs(X, Y).n_members == 5


def test_members_with_columns_of_their_own_in_a_frame():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    members = {"petal": GaussianNB(), "sepal": GaussianNB()}
    model = CombinedClassifier(members, columns=[["c", "d"], ["a", "b"]]).fit(frame, Y)
    alone = GaussianNB().fit(frame[["c", "d"]], Y)
    np.testing.assert_array_equal(model.member_predict(frame)[0], alone.predict(frame[["c", "d"]]))


def test_without_probabilities_votes_are_counted_and_soft_rules_name_the_member():
    members = [("svm", LinearSVC()), ("nb", GaussianNB()), ("tree", DecisionTreeClassifier())]
    model = CombinedClassifier(members).fit(X, Y)
    assert isinstance(model.combiner_, VoteCombiner)
    with pytest.raises(ValueError, match="needs probabilities, but svm has no predict_proba"):
        CombinedClassifier(members, combiner=MeanCombiner()).fit(X, Y)


def test_in_a_pipeline_and_a_search():
    model = make_pipeline(StandardScaler(), CombinedClassifier(pool()))
    rules = [MeanCombiner(), ChoquetCombiner()]
    search = GridSearchCV(model, {"combinedclassifier__combiner": rules}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9


def test_wrong_input_says_what_to_change():
    with pytest.raises(TypeError, match="combiner is a int, expected a Combiner"):
        CombinedClassifier(pool(), combiner=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"combiner='means': .* Did you mean 'mean'"):
        CombinedClassifier(pool(), combiner="means").fit(X, Y)
    with pytest.raises(ValueError, match="one class only"):
        CombinedClassifier(pool()).fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="empty"):
        CombinedClassifier([]).fit(X, Y)
    other = GaussianNB().fit(X, np.where(Y == 2, "rose", "lily"))
    with pytest.raises(ValueError, match="b was fitted on the classes \\['lily', 'rose'\\]"):
        CombinedClassifier([("a", GaussianNB()), ("b", other)], combiner=ChoquetCombiner()).fit(
            X, Y
        )
