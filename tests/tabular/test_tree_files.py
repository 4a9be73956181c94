"""Files that run elsewhere and say what the tree says: SQL, Python, ONNX."""

import io
import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline

from counterpoint import tabular
from counterpoint.datasets import TabularEncoder, load
from counterpoint.tabular.columns import align_columns
from counterpoint.tabular.tree_files import to_python, to_sql
from counterpoint.tabular.tree_onnx import onnx_inputs, to_onnx

HOSTILE = "a \"quoted\"; DROP -- 'it'\n\\ \u202e{x}"
NEEDED = "pip install onnx onnxruntime to run it"


def _explained(name, method):
    data = load(name)
    X = data.X.copy()
    # Names and values that would break out of quotes that are pasted.
    X.columns = [HOSTILE, *X.columns[1:]]
    if isinstance(X[HOSTILE].dtype, pd.CategoricalDtype):
        X[HOSTILE] = X[HOSTILE].cat.rename_categories(lambda v: f"{v}'; \"--\\\n")
    model = tabular.fit(X.assign(target=data.y), "target", method, random_state=0)
    rows = pd.concat([model.X_train, model.X_test], ignore_index=True)
    return tabular.explain(model, random_state=0), rows


@pytest.fixture(
    scope="module",
    params=[
        ("german-credit", "bagging"),
        ("labor", "bagging"),
        ("hepatitis", "gradient-boosting"),
        ("breast-cancer", "pruned-tree"),
        ("hepatitis", "noise"),  # behind a scaler
        ("iris", "ncl"),
    ],
    ids="-".join,
)
def explained(request):
    return _explained(*request.param)


def strange_rows(rows):
    """Every column missing, and values never seen."""
    strange = rows.iloc[:4].copy()
    for name in strange.columns:
        number = pd.api.types.is_numeric_dtype(strange[name].dtype)
        strange[name] = [np.nan, -1e9, 1e9, 0.1] if number else [None, "never seen", "", "'"]
    return pd.concat([rows, strange], ignore_index=True)


def test_sqlite_says_the_same_on_all_rows(explained):
    one, rows = explained
    rows = strange_rows(rows)
    db = sqlite3.connect(":memory:")
    rows.to_sql('my "data"', db, index=False)
    told = [row[-1] for row in db.execute(to_sql(one.table_tree, table='my "data"'))]
    assert told == one.predict(rows).tolist()


def test_python_says_the_same_on_all_rows(explained):
    one, rows = explained
    rows = strange_rows(rows)
    scope = {"__name__": "tree"}
    exec(to_python(one.table_tree), scope)
    said = one.predict(rows).tolist()
    assert [scope["predict"](row) for row in rows.to_dict("records")] == said
    # As the csv module reads them: everything a text, gaps empty. An empty text is a gap then.
    told = rows.astype(object).where(rows.notna(), "").map(str).to_dict("records")
    again = [scope["predict"](row) for row in told]
    assert again[:-2] == said[:-2]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_python_runs_as_a_program(tmp_path, mark):
    one, rows = _explained("labor", "bagging")
    source = to_python(one.table_tree, missing=["?"], title='"""\\ title', file="x.py")
    (tmp_path / "x.py").write_text(source, encoding="utf-8")
    text = io.StringIO()
    rows.to_csv(text, index=False, na_rep="?", sep=mark)

    def run(given):
        return subprocess.run(
            [sys.executable, "-I", str(tmp_path / "x.py")],
            input=given, capture_output=True, text=True,
        )  # fmt: skip

    for start in ("", "\ufeff"):
        ran = run(start + text.getvalue())
        assert ran.stdout.split() == one.predict(rows).tolist()
    # A header without a column that is asked for is no row of gaps.
    first = one.table_tree.asked[0]
    ran = run(text.getvalue().replace(first, "other", 1))
    assert ran.returncode == 1
    assert ran.stderr.strip() == f"The header has no {first!r}."


def test_onnxruntime_says_the_same_on_all_rows(explained):
    pytest.importorskip("onnx", reason=NEEDED)
    runtime = pytest.importorskip("onnxruntime", reason=NEEDED)
    one, rows = explained
    rows = strange_rows(rows)
    session = runtime.InferenceSession(to_onnx(one.table_tree).SerializeToString())
    label, shares = session.run(None, onnx_inputs(one.table_tree, rows))
    assert label.tolist() == one.predict(rows).tolist()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)


def test_numbers_are_written_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200), "kind": rng.choice(["a", "b"], 200)})
    y = X["size"] * 3 + (X["kind"] == "a") * 10
    model = make_pipeline(TabularEncoder(), RandomForestRegressor(10, random_state=0)).fit(X, y)
    one = tabular.explain(model, X, y)
    assert one.classes is None
    assert one.fidelity > 0.9
    scope = {"__name__": "tree"}
    exec(to_python(one.table_tree), scope)
    said = one.predict(X)
    assert [scope["predict"](row) for row in X.to_dict("records")] == said.tolist()
    db = sqlite3.connect(":memory:")
    X.to_sql("data", db, index=False)
    assert [row[-1] for row in db.execute(to_sql(one.table_tree))] == said.tolist()


def test_units_of_the_table_are_written_and_read(tmp_path):
    rng = np.random.default_rng(0)
    discount, price = rng.integers(0, 40, 300), rng.uniform(5, 3000, 300).round(2)
    table = pd.DataFrame(
        {
            "discount": [f"{d}%" for d in discount],
            "price": [f"${p:,.2f}" for p in price],
            "when": [f"{1 + k % 28}.{1 + k % 12}.2024" for k in range(300)],
            "bought": np.where((discount > 12) & (price < 1500), "yes", "no"),
        }
    )
    table.to_csv(tmp_path / "shop.csv", index=False)
    model = tabular.fit(tmp_path / "shop.csv", "bought", "bagging", random_state=0)
    one = tabular.explain(model)
    assert any("discount > 12.5 %" in rule for rule in one.rules), one.rules
    assert any("price <= " in rule and " USD" in rule for rule in one.rules), one.rules
    scope = {"__name__": "tree"}
    exec(to_python(one.table_tree, missing=one.missing, forms=one.forms), scope)
    rows = pd.read_csv(tmp_path / "shop.csv", dtype=str).to_dict("records")
    if not one.made_columns:
        X, _, _ = align_columns(tabular.read_table(tmp_path / "shop.csv").frame, model.columns)
        assert [scope["predict"](row) for row in rows] == one.predict(X).tolist()


def test_columns_that_are_made_are_named():
    days = pd.date_range("2024-01-01", periods=300)
    table = pd.DataFrame({"when": days, "size": np.arange(300) % 7, "y": days.month > 6})
    table["y"] = np.where(table["y"], "late", "early")
    one = tabular.explain(tabular.fit(table, "y", "pruned-tree"))
    assert set(one.made_columns.values()) == {"when"}
    assert all(name.startswith("when: ") for name in one.made_columns)


def test_without_onnx_it_is_said(monkeypatch):
    one, _ = _explained("labor", "bagging")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ValueError, match="ONNX files need onnx"):
        to_onnx(one.table_tree)
