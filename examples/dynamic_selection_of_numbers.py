"""Dynamic selection of regressors

Dynamic selection is nearly always about classes; [DESlib
#215](https://github.com/scikit-learn-contrib/DESlib/issues/215) asks for numbers. Here each
regressor has a say by its squared error near the query. A line is right where the truth is
straight, a tree where it jumps: neither alone is right everywhere.

Seen: What members err on average, and what their disagreement takes away, in two halves of the
plane.
"""

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from counterpoint import member_predictions
from counterpoint.decomposition import ambiguity_decomposition
from counterpoint.dynamic import DynamicSelectionRegressor
from counterpoint.plots import DecompositionDisplay

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, size=(900, 2))
truth = np.where(X[:, 0] < 0, 2 * X[:, 0] + X[:, 1], np.floor(3 * X[:, 0]) % 2 * 4)
y = truth + rng.normal(0, 0.5, len(X))
train, held, test = slice(300), slice(300, 600), slice(600, None)

pool = {
    "line": LinearRegression(),
    "forest": RandomForestRegressor(30, random_state=0),
    "near": KNeighborsRegressor(5),
}
for name, model in pool.items():
    model.fit(X[train], y[train])
    print(f"{name:>8}: squared error {np.mean((model.predict(X[test]) - y[test]) ** 2):.2f}")
for method in ("best", "weighted"):
    dynamic = DynamicSelectionRegressor(pool, method=method).fit(X[held], y[held])
    print(f"{method:>8}: squared error {np.mean((dynamic.predict(X[test]) - y[test]) ** 2):.2f}")
print(dynamic.explain_selection(X[test][:2]).round(2).to_string(index=False))

said = member_predictions(pool, X[test])
parts = {}
for name, rows in {"straight": X[test, 0] < 0, "with jumps": X[test, 0] >= 0}.items():
    parts[name] = ambiguity_decomposition(y[test][rows], said[:, rows])
display = DecompositionDisplay.from_decompositions(parts)
