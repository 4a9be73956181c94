"""Is this ensemble worth it?

A hundred trees cost a hundred times one tree. `worth` says in a sentence what the vote gains over
its members, `trajectory` how the error falls with every tree, which is asked for in [scikit-learn
#7243](https://github.com/scikit-learn/scikit-learn/issues/7243). The picture says why: one point
per pair of trees, how far the two agree against how often they err. Boosted trees are worse one by
one, and differ far more. The measures are in [one table](../docs/measures.md);
[how to read the cloud](../docs/reading_clouds.md).

Seen: Three clouds of pairs of members; AdaBoost's lies far to the left and high, its vote below.
"""

from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.datasets import TabularEncoder, load
from counterpoint.diversity import trajectory, worth
from counterpoint.plots import KappaErrorDisplay

X, y = load("german-credit", return_X_y=True)
X = TabularEncoder().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

ensembles = {
    "bagging": BaggingClassifier(n_estimators=25, random_state=0),
    "forest": RandomForestClassifier(25, random_state=0),
    "AdaBoost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), random_state=0),
}
outputs = {}
for name, ensemble in ensembles.items():
    ensemble.fit(X_train, y_train)
    outputs[name] = MemberOutputs.from_estimator(ensemble, X_test, y_test)
    print(f"{name}: {worth(outputs[name]).verdict}")
errors = trajectory(outputs["forest"], "vote_error")
print(
    "1, 5, 10, 25 trees of the forest:", ", ".join(f"{errors[m - 1]:.3f}" for m in (1, 5, 10, 25))
)

display = KappaErrorDisplay.from_outputs(outputs)
