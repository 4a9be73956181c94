import numpy as np
import pytest
from sklearn.base import clone

from counterpoint.boosting import AdaBoostClassifier, AdaBoostNCClassifier, L2BoostClassifier
from counterpoint.large import fit_on_store
from counterpoint.trees import HistTreeClassifier

COLUMNS = list("abcde")


@pytest.mark.parametrize("lam", [0.0, 2.0])
def test_the_engines_grow_the_same_trees(lam, rows, stores):
    pytest.importorskip("xgboost")
    model = AdaBoostNCClassifier(
        HistTreeClassifier(max_depth=3), lam=lam, n_estimators=4, calibrate=False
    )
    own = clone(model).fit(stores["two"])
    other = fit_on_store(clone(model), stores["two"], engine="xgboost")
    few = rows[COLUMNS][:5000]
    same = own.member_predict(few) == other.member_predict(few)
    assert same.mean(axis=1).min() > 0.99
    np.testing.assert_allclose(other.estimator_weights_, own.estimator_weights_, rtol=1e-2)
    np.testing.assert_allclose(
        other.history_["train_error"], own.history_["train_error"], atol=2e-3
    )


def test_what_xgboost_cannot_do_is_said(stores):
    pytest.importorskip("xgboost")
    tree = HistTreeClassifier(max_depth=2)
    with pytest.raises(ValueError, match="is for two classes"):
        fit_on_store(AdaBoostClassifier(tree), stores["three"], engine="xgboost")
    with pytest.raises(ValueError, match="engine='xgboost' is for AdaBoostClassifier"):
        fit_on_store(L2BoostClassifier(), stores["two"], engine="xgboost")
    deep = HistTreeClassifier(max_depth=2, min_samples_leaf=5)
    with pytest.raises(ValueError, match="knows max_depth only"):
        fit_on_store(AdaBoostClassifier(deep), stores["two"], engine="xgboost")
    with pytest.raises(ValueError, match="engine='other'"):
        fit_on_store(tree, stores["two"], engine="other")
