"""Members that see the data turned

Trees cut along the axes. Turn the axes differently for each tree, and a slanted boundary is no
harder than a straight one: rotation forests (Rodriguez and others 2006; a wish of [CloudForest
#28](https://github.com/ryanbressler/CloudForest/issues/28)), random projections, noise and
subspaces are [views](../docs/views.md), small objects that can be put one after the other.

Seen: Boundaries of trees on turned axes; their vote follows a slanted boundary.
"""

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.plots import MemberBoundariesDisplay
from counterpoint.views import ProjectionEnsembleClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 2))
y = np.where(np.abs(X[:, 0] - X[:, 1]) < 0.8, "inside", "outside")

tree = DecisionTreeClassifier(max_depth=4)
models = {
    "bagging": BaggingClassifier(tree, 15, random_state=0),
    "rotation forest": ProjectionEnsembleClassifier(
        tree, kinds="rotation", n_estimators=15, random_state=0
    ),
}
for name, model in models.items():
    model.fit(X[:200], y[:200])
    print(f"{name}: error {1 - model.score(X[200:], y[200:]):.3f}")

display = MemberBoundariesDisplay.from_estimator(
    models["rotation forest"], X[200:], y[200:], grid_resolution=100
)
