"""Short commands: what they leave out is not needed, and nothing strange slips in."""

import importlib
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
import skops.io
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer
from tables import mixed_table

from counterpoint.tabular import fit, models, predict, put_off, quick, save

QUICK = """
import gc, json, sys
from counterpoint.tabular.put_off import put_off
from counterpoint.tabular.quick import SELDOM_USED, later, quick_skops, quickly
with quickly(), put_off(), later(*SELDOM_USED):
    quick_skops()
    from counterpoint import tabular
    from counterpoint.tabular import prediction
    model = tabular.load(sys.argv[1])
assert gc.isenabled()
import sklearn.utils
told = tabular.predict(model, sys.argv[2], proba=True).table["prediction"].tolist()
loaded = [name for name in ("pytest", "sklearn.gaussian_process", "sklearn.mixture",
                            "counterpoint.networks", "counterpoint.tabular.row_reasons",
                            "scipy.cluster", "scipy.stats", "scipy.integrate._ivp",
                            "sklearn.manifold._t_sne", "rich.progress", "numpy.f2py",
                            "matplotlib") if name in sys.modules]
n_estimators = len(sklearn.utils.all_estimators())
from scipy import optimize
from sklearn.metrics import *
assert optimize.rosen is optimize._optimize.rosen and optimize.__dict__["minimize"]
assert accuracy_score is sys.modules["sklearn.metrics"]._classification.accuracy_score
print(json.dumps([told, loaded, n_estimators > 50]))
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


@pytest.mark.parametrize("package", put_off.PACKAGES)
def test_names_of_packages_put_off_live_where_they_say(package):
    whole = pytest.importorskip(package)
    homes = put_off._homes(package, whole.__spec__.loader)
    for name, (home, there) in homes.items():
        place = importlib.import_module(home)
        if not hasattr(place, there):
            importlib.import_module(f"{home}.{there}")
        assert getattr(place, there) is getattr(whole, name)
    # Else it is the whole package that is imported, each time.
    assert len(homes) > 2 or package in ("coverage", "narwhals.stable", "narwhals.stable.v2")


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


LATER = """
import json, sys
import numpy as np
from counterpoint.tabular.quick import later
with later("scipy.stats", "numpy.f2py"):
    import scipy.stats
    from scipy import stats
    from scipy.stats import chi2, rankdata
    from sklearn.preprocessing import QuantileTransformer
    made = QuantileTransformer(n_quantiles=40, output_distribution="normal").fit_transform(
        np.random.default_rng(0).normal(size=(40, 2))
    )
    before = "scipy.stats._stats_py" in sys.modules
    ranks = rankdata([3, 1, 2]).tolist()  # used within: the module takes its place
    within = "scipy.stats._stats_py" in sys.modules
assert "numpy.f2py" not in sys.modules and "f2py" not in vars(np)
import scipy.stats.mstats
assert scipy.stats is sys.modules["scipy.stats"] and scipy.stats.norm.cdf(0.0) == 0.5
print(json.dumps([before, within, ranks, chi2.ppf(0.9, 3), stats.norm.ppf(0.9), made.tolist()]))
"""


def test_modules_that_are_named_only_are_imported_when_used():
    ran = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    before, within, ranks, chi2, normal, made = json.loads(ran.stdout)
    assert (before, within) == (False, True)
    assert ranks == [3, 1, 2]
    assert chi2 == scipy.stats.chi2.ppf(0.9, 3)
    assert normal == scipy.stats.norm.ppf(0.9)
    rows = np.random.default_rng(0).normal(size=(40, 2))
    shape = QuantileTransformer(n_quantiles=40, output_distribution="normal")
    np.testing.assert_array_equal(made, shape.fit_transform(rows))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_normal_distribution_that_stands_in_gives_the_same_numbers(kind):
    stand_in = quick._LateNormal(quick._LateModule("scipy.stats"), "norm")
    q = np.concatenate([np.random.default_rng(0).random(2000), [0, 0.5, 1, 2, -1, np.nan, 1e-300]])
    with np.errstate(all="ignore"):
        q = q.astype(kind)
    told, known = stand_in.ppf(q), scipy.stats.norm.ppf(q)
    assert told.dtype == known.dtype
    np.testing.assert_array_equal(told, known)
    assert not np.signbit(told[2001])
    assert stand_in.ppf(0.3, 2.0, scale=3.0) == scipy.stats.norm.ppf(0.3, 2.0, scale=3.0)
