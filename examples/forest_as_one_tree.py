"""A forest as one tree, exactly

Every forest is one large tree; the question is how large. `EnsembleTreeClassifier` makes it, and
`verify` proves region by region that the two decide alike everywhere. Asked for as "how do I use
this on my own data" in [BA-Trees #1](https://github.com/vidalt/BA-Trees/issues/1), and in the
thread of [scikit-learn #6557](https://github.com/scikit-learn/scikit-learn/issues/6557). No solver
is needed; [sizes and times](../docs/equivalent_tree.md).

Seen: One tree on two columns that decides as a forest of seven trees everywhere.
"""

from sklearn.ensemble import RandomForestClassifier

from counterpoint.datasets import load
from counterpoint.plots import TreeDisplay
from counterpoint.trees import EnsembleTreeClassifier

X, y = load("iris", return_X_y=True)
X = X[["petal_length", "petal_width"]] if "petal_length" in X else X.iloc[:, 2:]

forest = RandomForestClassifier(7, max_depth=3, random_state=0)
one = EnsembleTreeClassifier(forest).fit(X, y)
proof = one.verify()
print(
    f"{sum(tree.get_n_leaves() for tree in one.pool_.estimators_)} leaves in seven trees, "
    f"{one.n_leaves_} in one"
)
print(f"proven equal in {proof.n_regions} regions: {proof.equal}")
print(one.rules_[0])

display = TreeDisplay.from_estimator(one)
