import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from counterpoint.large import predict, write_outputs
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor

COLUMNS = list("abcde")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_files_get_the_answers_of_all_rows_at_once(ending, rows, tmp_path):
    few = rows[:5000].assign(id=range(5000))
    tree = HistTreeClassifier(max_depth=4).fit(few[COLUMNS], few["three"])
    for k in range(3):
        few[2000 * k : 2000 * k + 2000].to_parquet(tmp_path / f"part-{k}.parquet")
    out = tmp_path / f"said.{ending}"
    n = predict(tree, tmp_path / "part-*.parquet", out, keep=["id", "three"], proba=True)
    found = pd.read_parquet(out) if ending == "parquet" else pd.read_csv(out)
    assert n == len(found) == 5000
    np.testing.assert_array_equal(found["prediction"], tree.predict(few[COLUMNS]))
    np.testing.assert_array_equal(found[["id", "three"]], few[["id", "three"]])
    shares = found[["p(0)", "p(1)", "p(2)"]]
    np.testing.assert_allclose(shares, tree.predict_proba(few[COLUMNS]), rtol=1e-12)


def test_models_without_names_are_asked_about_numbers(rows, tmp_path):
    few = rows[:300]
    X = few[["a", "b"]]
    model = LinearRegression().fit(X.to_numpy(), few["number"])
    predict(model, few, tmp_path / "said.parquet", columns=["a", "b"])
    found = pd.read_parquet(tmp_path / "said.parquet")["prediction"]
    np.testing.assert_allclose(found, model.predict(X.to_numpy()))


def test_nothing_is_left_of_an_answer_that_failed(rows, tmp_path):
    few = rows[:400]
    tree = HistTreeClassifier(max_depth=2).fit(few[COLUMNS], few["two"])
    few[:200].to_parquet(tmp_path / "part-0.parquet")
    few[200:].to_parquet(tmp_path / "part-1.parquet")
    (tmp_path / "part-1.parquet").write_bytes((tmp_path / "part-1.parquet").read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"part-1\.parquet cannot be read"):
        predict(tree, tmp_path / "part-*.parquet", tmp_path / "said.csv")
    spoilt = few[200:].assign(a=np.inf)
    spoilt.to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1\.parquet, data rows 1 to 200: .*infinity"):
        predict(tree, tmp_path / "part-*.parquet", tmp_path / "said.csv")
    few[200:].drop(columns="c").to_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1\.parquet has no column 'c'"):
        predict(tree, tmp_path / "part-*.parquet", tmp_path / "said.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["part-0.parquet", "part-1.parquet"]


def test_wrong_questions_are_said(rows, tmp_path):
    few = rows[:100]
    tree = HistTreeRegressor(max_depth=2).fit(few[COLUMNS], few["number"])
    with pytest.raises(ValueError, match=r"ends in \.parquet or \.csv"):
        predict(tree, few, tmp_path / "said.txt")
    with pytest.raises(ValueError, match="has no probabilities"):
        predict(tree, few, tmp_path / "said.csv", proba=True)
    with pytest.raises(ValueError, match="hold no rows"):
        predict(tree, few[:0], tmp_path / "said.csv")
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        write_outputs([tree], few, tmp_path / "none" / "said.csv")
