"""Prune a tree to any size

Post-pruning was asked for in [scikit-learn
#6557](https://github.com/scikit-learn/scikit-learn/issues/6557); what came was one way, by cost
and complexity. Here are [six](../docs/pruned_tree.md), error-based as C4.5's among them, and the
best tree of *every* size, found exactly, with its error on rows it was not grown on.

Seen: Errors of the best trees of every size; the size taken is marked.
"""

from sklearn.model_selection import train_test_split

from counterpoint.datasets import load
from counterpoint.plots import TreePathDisplay
from counterpoint.trees import MergedTreeClassifier, PrunedTreeClassifier

X, y = load("bupa", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

for criterion in ("error-based", "pessimistic", "minimum-error", "mdl", "cost-complexity"):
    pruned = PrunedTreeClassifier(criterion=criterion, random_state=0).fit(X_train, y_train)
    print(
        f"{criterion:>16}: {pruned.get_n_leaves():3} leaves, "
        f"error {1 - pruned.score(X_test, y_test):.3f}"
    )

sized = MergedTreeClassifier(30, max_leaf_nodes="auto", random_state=0).fit(X_train, y_train)
print(f"size by itself: {sized.n_leaves_} leaves, error {1 - sized.score(X_test, y_test):.3f}")
display = TreePathDisplay.from_estimator(sized)
