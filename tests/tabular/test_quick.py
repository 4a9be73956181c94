"""Short commands: what they leave out is not needed, and nothing strange slips in."""

import json
import subprocess
import sys

import pytest
import skops.io
from sklearn.preprocessing import FunctionTransformer
from tables import mixed_table

from counterpoint.tabular import fit, models, predict, save

QUICK = """
import gc, json, sys
from counterpoint.tabular.quick import quick_skops, quickly
with quickly():
    quick_skops()
    from counterpoint import tabular
    model = tabular.load(sys.argv[1])
assert gc.isenabled()
import sklearn.utils
told = tabular.predict(model, sys.argv[2], proba=True).table["prediction"].tolist()
loaded = [name for name in ("pytest", "sklearn.gaussian_process", "sklearn.mixture",
                            "counterpoint.networks", "counterpoint.tabular.row_reasons",
                            "scipy.cluster", "matplotlib") if name in sys.modules]
print(json.dumps([told, loaded, len(sklearn.utils.all_estimators()) > 50]))
"""


@pytest.mark.parametrize("method", ["random-forest", "adaboost-nc", "logistic-regression"])
def test_a_model_is_read_without_all_of_scikit_learn(method, tmp_path):
    model = fit(mixed_table(), "class", method, random_state=0)
    path = save(model, tmp_path / "m.skops")
    rows = mixed_table(15, seed=2)
    rows.to_csv(tmp_path / "new.csv", index=False)
    ran = subprocess.run(
        [sys.executable, "-c", QUICK, path, tmp_path / "new.csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told, loaded, whole_again = json.loads(ran.stdout)
    assert told == predict(model, rows).table["prediction"].tolist()
    assert loaded == []
    assert whole_again


def test_strange_things_are_refused_all_the_same(tmp_path):
    model = fit(mixed_table(), "class", "tree")
    model.model.steps.insert(1, ("odd", FunctionTransformer(json.dumps)))
    path = save(model, tmp_path / "odd.skops")
    code = (
        "import sys\nfrom counterpoint.tabular.quick import quick_skops\nquick_skops()\n"
        "from counterpoint import tabular\ntabular.load(sys.argv[1])"
    )
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert "is refused: it names json.dumps" in ran.stderr


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("sklearn.tree._classes.DecisionTreeClassifier", True),
        ("sklearn.utils._mocking.CheckingClassifier", False),
        ("sklearn.utils.parallel.Parallel", False),
        ("sklearn.externals._packaging.version.Version", False),
        ("sklearn.datasets._base.load_files", False),
        ("sklearn.nowhere.Thing", False),
    ],
)
def test_what_counts_as_a_part_of_a_model(name, known):
    assert models._is_known(name) is known


def test_skops_trusts_no_more_than_we_do():
    names = skops.io._trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES
    assert len(names) > 100
    assert [name for name in names if not models._is_known(name)] == []
