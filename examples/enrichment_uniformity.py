"""Why do forests, boosting and stochastic discrimination work?

Each is a collection of subsets of the space. Eastwood (2010, chapter 3) argues that all three make
subsets that hold more of one class than of the rest (enrichment), and that hold the samples of a
class evenly (uniformity): by growing, by reweighting, and by filtering. Here are the numbers, on
the rows the collections were made from and on rows they never saw.
[More](../docs/stochastic_discrimination.md).

Seen: The cover of each class evens out as subsets are added, with the filter and without.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint.diversity import coverage_spread, enrichment
from counterpoint.plots import CoverageDisplay
from counterpoint.subsets import StochasticDiscriminationClassifier, ensemble_to_features

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

models = {
    "forest": RandomForestClassifier(50, random_state=0),
    "AdaBoost": AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=50, random_state=0
    ),
    "stochastic": StochasticDiscriminationClassifier(200, random_state=0),
}


def evenness(subsets, y):
    """Return the spread of coverage over its mean: 0 is uniform, for subsets of any size."""
    own = []
    for label in np.unique(y):
        inside = y == label
        favours = subsets[:, inside].mean(axis=1) > subsets[:, ~inside].mean(axis=1)
        own.append(subsets[favours][:, inside].mean())
    return float(np.mean(coverage_spread(subsets, y) / own))


print("             error  enrichment, new  unevenness, new")
for name, model in models.items():
    model.fit(X_train, y_train)
    subsets = [ensemble_to_features(model, X).T.toarray().astype(bool) for X in (X_train, X_test)]
    held = subsets[0].any(axis=1)  # a leaf may be empty on rows that its bootstrap left out
    (train, test), rows = (part[held] for part in subsets), (y_train, y_test)
    rich = [enrichment(part, y).mean() for part, y in zip((train, test), rows, strict=True)]
    even = [evenness(part, y) for part, y in zip((train, test), rows, strict=True)]
    print(
        f"{name:>12} {1 - model.score(X_test, y_test):.3f}   {rich[0]:.3f}  {rich[1]:.3f}      "
        f"{even[0]:.3f}  {even[1]:.3f}"
    )

display = CoverageDisplay.from_estimator(models["stochastic"], X_train, y_train)
