"""A few boxes in place of a forest

The leaves of the trees overlap in small boxes; those on which most trees agree are joined until a
few per class are left. A box is a rule with limits on both sides, and it says how far outside of
it a sample is. DESlib users asked for regions of other shapes
([#175](https://github.com/scikit-learn-contrib/DESlib/issues/175)): boxes around mistakes serve
[dynamic selection](../docs/dynamic_selection.md#boxes-around-mistakes), too.

Seen: Boxes of two classes over Ripley's problem.
"""

from sklearn.ensemble import RandomForestClassifier

from counterpoint.datasets import bayes_error, make_ripley
from counterpoint.hyperboxes import HyperboxEnsembleClassifier
from counterpoint.plots import HyperboxDisplay

X, y = make_ripley(250, random_state=0)
X_test, y_test = make_ripley(1000, random_state=1)

forest = RandomForestClassifier(20, max_depth=5, random_state=0)
boxes = HyperboxEnsembleClassifier(forest, threshold=0.7, random_state=0).fit(X, y)
print(
    f"forest: error {1 - boxes.pool_.score(X_test, y_test):.3f}, "
    f"{sum(tree.get_n_leaves() for tree in boxes.pool_.estimators_)} leaves"
)
print(f"boxes: error {1 - boxes.score(X_test, y_test):.3f}, {boxes.n_boxes_} boxes")
print(f"nobody can do better than {bayes_error('ripley'):.3f}")

display = HyperboxDisplay.from_estimator(boxes, X, y)
