import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.combiners import ChoquetCombiner, VoteCombiner
from counterpoint.selection import EnsembleSelectionClassifier, select_forward

X, Y = load_iris(return_X_y=True)


def pool():
    return [
        ("nb", GaussianNB()),
        ("constant", DummyClassifier()),
        ("knn", KNeighborsClassifier(3)),
        ("logistic", LogisticRegression(max_iter=1000)),
    ]


def test_a_member_that_knows_nothing_is_left_out():
    model = EnsembleSelectionClassifier(pool(), n_members=8).fit(X, Y)
    assert 1 not in model.selected_
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert model.score(X, Y) > 0.93


def test_selection_looks_at_cross_fitted_outputs():
    model = EnsembleSelectionClassifier(pool(), cv=5).fit(X, Y)
    proba = np.stack([cross_val_predict(m, X, Y, cv=5, method="predict_proba") for _, m in pool()])
    outputs = MemberOutputs(proba=proba, y=Y)
    expected = select_forward(outputs, "neg_log_loss", replace=True)
    assert model.selected_.tolist() == expected.selected.tolist()
    np.testing.assert_allclose(model.trace_.values, expected.values)


def test_the_answer_is_the_weighted_mean_of_the_selected():
    model = EnsembleSelectionClassifier(pool()).fit(X, Y)
    each = [model.pool_[k][1].predict_proba(X) for k in model.selected_]
    np.testing.assert_allclose(
        model.predict_proba(X), np.tensordot(model.estimator_weights_, each, axes=1), atol=1e-12
    )


@pytest.mark.parametrize(
    "search",
    ["forward", "backward", "floating", "thinning", "exhaustive", "genetic", "error", "kappa",
     "margin", "complementarity"],
)  # fmt: skip
def test_every_search_cuts_a_bag_down(search):
    X, y = make_classification(200, 8, random_state=0)
    bag = BaggingClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=7, random_state=0
    ).fit(X[:100], y[:100])
    model = EnsembleSelectionClassifier(
        bag, search=search, criterion="error", combiner=VoteCombiner(), random_state=0
    ).fit(X[100:], y[100:])
    assert 1 <= len(model.selected_) <= 7
    # The full bag is one step of most searches; the vote of what is kept is no worse than that.
    whole = (bag.predict(X[100:]) != y[100:]).mean()
    assert model.trace_.errors[model.trace_.best] <= whole + 0.05


def test_any_combiner_and_a_search_over_searches():
    model = EnsembleSelectionClassifier(pool(), combiner=ChoquetCombiner(), n_members=3)
    grid = GridSearchCV(model, {"search": ["forward", "backward"]}, cv=2).fit(X, Y)
    assert grid.best_score_ > 0.9


def test_wrong_input_says_what_to_change():
    with pytest.raises(ValueError, match="search='luck'"):
        EnsembleSelectionClassifier(pool(), search="luck").fit(X, Y)
    with pytest.raises(TypeError, match="expected a Combiner"):
        EnsembleSelectionClassifier(pool(), combiner=3).fit(X, Y)
