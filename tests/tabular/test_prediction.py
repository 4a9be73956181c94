"""What fit returns can be asked like what load returns, about frames and about files."""

import numpy as np
import pytest
from tables import mixed_table

from counterpoint import tabular

TABLE = mixed_table()


@pytest.fixture(scope="module")
def fitted():
    return tabular.fit(TABLE, "class", "bagging", progress=False)


@pytest.fixture(scope="module")
def loaded(fitted, tmp_path_factory):
    return tabular.load(tabular.save(fitted, tmp_path_factory.mktemp("m") / "model.skops"))


@pytest.mark.parametrize("which", ["fitted", "loaded"])
def test_frames_and_files(which, request, tmp_path):
    model = request.getfixturevalue(which)
    TABLE.to_csv(tmp_path / "data.csv", index=False)
    one, other = (tabular.predict(model, table) for table in (TABLE, tmp_path / "data.csv"))
    assert one.table.equals(other.table)
    assert one.n_judged == len(model.y_test)
    assert one.error == pytest.approx(model.score.error)
    summary = tabular.assess(model, TABLE).summary(tree=False)
    assert summary["score"]["error"] == pytest.approx(model.score.error)
    assert summary["title"] == "bagging"
    assert tabular.assess(model, tmp_path / "data.csv").title == "bagging on data.csv"
    assert f"{len(model.y_train)} rows that the model was trained on left out." in summary["notes"]


def test_an_explanation_is_of_the_rows_kept(fitted, loaded):
    one, other = (tabular.explain(model, max_leaves=4) for model in (fitted, loaded))
    assert one.rules == other.rules
    assert one.n_test == len(fitted.y_test)
    assert one.model_error == pytest.approx(fitted.score.error)
    by_table = tabular.explain(loaded, TABLE, max_leaves=4)
    assert (by_table.n_fit, by_table.n_test) == (one.n_fit, one.n_test)


def test_the_same_numbers_as_by_hand(fitted):
    by_hand = tabular.assess(
        fitted.model, fitted.X_test, fitted.y_test, X_train=fitted.X_train, y_train=fitted.y_train
    )
    assert by_hand.score == fitted.score
    assert by_hand.baselines == fitted.baselines
    assert np.array_equal(by_hand.answers, fitted.assessment.answers)
