"""Choose members that differ, not only strong ones

The best models of a pool are often the same one several times. A criterion that also counts how
often two are wrong *together* chooses others: wanted in [pycaret
#1436](https://github.com/pycaret/pycaret/issues/1436), and new in [poniard
#51](https://github.com/rxavier/poniard/pull/51). It does not always pay, as here with trees alone;
a pool of many kinds has more to choose from. [When diversity
hurts](../docs/when_diversity_hurts.md).

Seen: Two clouds of pairs: members chosen for error and double fault lie further to the left.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint import MemberOutputs
from counterpoint.datasets import load
from counterpoint.plots import KappaErrorDisplay
from counterpoint.selection import WeightedSum, order_by_error, select_forward

X, y = load("vehicle", return_X_y=True)
X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=0.4, random_state=0)
X_held, X_test, y_held, y_test = train_test_split(rest, y_rest, train_size=0.5, random_state=0)

trees = RandomForestClassifier(40, random_state=0).fit(X_train.to_numpy(), y_train)
others = [GaussianNB(), *(KNeighborsClassifier(k) for k in (1, 5, 15))]
others += [LogisticRegression(C=c, max_iter=2000) for c in (0.01, 1, 100)]
pools = {
    "trees": trees,
    "many kinds": [
        make_pipeline(StandardScaler(), model).fit(X_train, y_train) for model in others
    ],
}
diverse = WeightedSum(["error", "double_fault"], [1.0, 1.0])
for name, pool in pools.items():
    ask = (lambda X: X.to_numpy()) if name == "trees" else (lambda X: X)
    held = MemberOutputs.from_estimator(pool, ask(X_held), y_held)
    test = MemberOutputs.from_estimator(pool, ask(X_test), y_test)
    chosen = {
        "strong": order_by_error(held)[:5],
        "strong and diverse": select_forward(held, diverse, n_members=5).steps[-1],
    }
    display = KappaErrorDisplay.from_outputs({k: test.take(v) for k, v in chosen.items()})
    print(f"five of {held.n_members}, {name}:")
    print(display.summary.round(3).to_string())
