import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from counterpoint._progress import listening
from counterpoint.auto import OverproduceSelectClassifier

POOL = [
    ("linear", LogisticRegression(max_iter=500)),
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(random_state=0)),
]


@pytest.mark.parametrize(("n_wanted", "reason"), [(2, "enough"), (9, "complete")])
def test_whoever_listens_hears_of_every_member_and_may_have_enough(n_wanted, reason):
    X, y = load_iris(return_X_y=True)
    heard = []

    def listen(step):
        heard.append(step)
        return len(heard) == n_wanted

    with listening(listen):
        model = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y)
    names = [name for name, _ in POOL][:n_wanted]
    assert [step["name"] for step in heard] == names
    assert model.stop_reason_ == reason
    assert sorted(model.leaderboard_["member"]) == sorted(names)
    last = heard[-1]
    assert list(last["weights"]) == names
    assert last["answers"].shape == (150, 3)
    assert np.mean(last["answers"].argmax(axis=1) == last["y"]) > 0.8
    assert heard[1]["loss"] <= heard[0]["loss"] + 1e-9


def test_without_a_listener_nothing_changes():
    X, y = load_iris(return_X_y=True)
    alone = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y)
    with listening(lambda step: False):
        heard = OverproduceSelectClassifier(POOL, random_state=0).fit(X, y)
    np.testing.assert_array_equal(alone.predict_proba(X), heard.predict_proba(X))
