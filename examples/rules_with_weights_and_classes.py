"""Rules for many classes, with weights

Rule models often know two classes and no weights: [imodels
#93](https://github.com/csinva/imodels/issues/93),
[#157](https://github.com/csinva/imodels/issues/157). Here a forest teaches [one small
tree](../docs/distilled_tree.md), for any number of classes, and a sample of weight two counts as
two. Its rules can be read one at a time, and `fidelity_` says how often it decides as the forest
does. [Rules of trees grown on parts](../docs/rule_merging.md) can be merged, too.

Seen: A tree of six leaves for three kinds of wine.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint.plots import TreeDisplay
from counterpoint.trees import DistilledTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
y = np.array(["Barolo", "Grignolino", "Barbera"])[y]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

forest = RandomForestClassifier(30, random_state=0)
small = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
model = DistilledTreeClassifier(forest, estimator=small, sampling="data", random_state=0)
model.fit(X_train, y_train, sample_weight=np.where(y_train == "Barbera", 2.0, 1.0))
print(model.rules_)
print(
    f"forest {model.pool_.score(X_test.to_numpy(), y_test):.3f}, "
    f"tree {model.score(X_test, y_test):.3f}, "
    f"decides alike on {model.fidelity_:.0%}"
)

display = TreeDisplay.from_estimator(model)
