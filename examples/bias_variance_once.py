"""Bias and variance that add up

There are many ways to split the error of a classifier, and some do not add up to it ([mlxtend
#745](https://github.com/rasbt/mlxtend/issues/745) asks why two programs differ). `decompose`
trains on fresh samples, splits by the definition you name, and shows the residual of the identity.
Here bagged trees of growing depth, by Kohavi and Wolpert: deep trees have little bias, and bagging
takes away their variance. [All definitions](../docs/decomposition.md).

Seen: Bars of bias and variance by depth: as trees deepen, variance takes the place of bias.
"""

from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import make_ripley
from counterpoint.decomposition import decompose
from counterpoint.plots import DecompositionDisplay

X, y = make_ripley(600, random_state=0)
X_test, y_test = make_ripley(300, random_state=1)
options = {"X_test": X_test, "y_test": y_test, "train_size": 120, "n_trials": 12, "random_state": 0}

for name in ("kohavi-wolpert", "breiman", "domingos", "james"):
    split = decompose(DecisionTreeClassifier(), X, y, method=name, **options)
    parts = ", ".join(f"{part} {value:.3f}" for part, value in split.averages.items())
    print(f"{name}: {parts}; adds up: {split.residual < 1e-12}")

bagged = BaggingClassifier(DecisionTreeClassifier(), n_estimators=8)
display = DecompositionDisplay.from_estimator(
    bagged,
    X,
    y,
    param_name="estimator__max_depth",
    param_range=[1, 2, 3, 5, 8],
    method="kohavi-wolpert",
    **options,
)
