import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor, VotingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import TabularEncoder
from counterpoint.report import report


@pytest.fixture(autouse=True)
def quiet_backend():
    with mpl.rc_context({"backend": "agg"}):
        yield


HOSTILE = [
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=2</script>",
    "\"'><img src=x onerror=window.hacked=3>",
    "{{7*7}}{% raw %}",
    "<!--<svg onload=window.hacked=4>]]>&amp;\u2028",
    "' onmouseover='window.hacked=5",
    "txt.\u202eexe\x1b[2J",
]


@pytest.fixture(scope="session")
def hostile_names():
    return HOSTILE


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory):
    """Write a page on which every name and every value wants to be markup."""
    rng = np.random.default_rng(0)
    n = 90
    X = pd.DataFrame({f"{HOSTILE[k]}{k}": rng.normal(size=n) for k in range(3)})
    X[HOSTILE[3]] = np.array(HOSTILE)[rng.integers(7, size=n)]
    y = np.array(HOSTILE[:3])[(X.iloc[:, 0] > 0).astype(int) + (X.iloc[:, 1] > 0.5)]
    members = [
        (f"m{k}", DecisionTreeClassifier(max_depth=3, max_features=1, random_state=k))
        for k in range(7)
    ]
    model = make_pipeline(TabularEncoder(), VotingClassifier(members)).fit(X[:60], y[:60])
    return report(
        model, X[60:], y[60:], tmp_path_factory.mktemp("hostile") / "page.html",
        title=HOSTILE[1], names=HOSTILE, facts=dict.fromkeys(HOSTILE, HOSTILE[1]),
    )  # fmt: skip


@pytest.fixture(scope="session")
def model_page(tmp_path_factory):
    """Write the page of a forest on noisy irises; trees with many values to sort."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X + np.random.default_rng(0).normal(0, 0.6, X.shape)
    forest = RandomForestClassifier(12, max_depth=3, random_state=0).fit(X[::2], y[::2])
    return report(
        forest, X[1::2], y[1::2], tmp_path_factory.mktemp("model") / "page.html",
        X_train=X[::2], y_train=y[::2],
    )  # fmt: skip


@pytest.fixture(scope="session")
def number_page(tmp_path_factory):
    """Write the page of a forest that estimates numbers; names and words want to be markup."""
    rng = np.random.default_rng(0)
    n = 160
    X = pd.DataFrame({f"{HOSTILE[k]}{k}": rng.normal(size=n) for k in range(3)})
    X[HOSTILE[3]] = np.array(HOSTILE)[rng.integers(7, size=n)]
    y = 3 * X.iloc[:, 0] + X.iloc[:, 1] * (X[HOSTILE[3]] == HOSTILE[0]) + rng.normal(size=n)
    model = make_pipeline(TabularEncoder(), RandomForestRegressor(12, random_state=0))
    model.fit(X[:100], y[:100])
    return report(
        model, X[100:], y[100:].to_numpy(), tmp_path_factory.mktemp("numbers") / "page.html",
        title=HOSTILE[1], names=[f"{HOSTILE[k % 7]}{k}" for k in range(12)],
        X_train=X[:100], y_train=y[:100].to_numpy(),
    )  # fmt: skip
