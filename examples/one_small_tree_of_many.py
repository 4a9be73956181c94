"""One small tree grafted together from many

A hundred trees are pruned *together*, from the smallest node to the root they share; what is left
is one tree that fits on a page, the best of every size up to the one you ask for. It also drops
leaves that say what their siblings say, as [scikit-learn
#25612](https://github.com/scikit-learn/scikit-learn/issues/25612) wants. [How it
compares](../docs/merged_tree.md#a-tree-of-4-8-16-or-32-leaves).

Seen: Six leaves that tell diabetes from three columns, with numbers of few digits.
"""

from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import load
from counterpoint.plots import TreeDisplay
from counterpoint.trees import MergedTreeClassifier

X, y = load("pima", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

merged = MergedTreeClassifier(40, max_leaf_nodes=8, readable=True, random_state=0)
merged.fit(X_train, y_train)
for leaves in (2, 4, 8):
    plain = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X_train, y_train)
    print(
        f"{leaves} leaves: merged {merged.at_size(leaves).score(X_test, y_test):.3f}, "
        f"grown at once {plain.score(X_test, y_test):.3f}"
    )

display = TreeDisplay.from_estimator(merged)
