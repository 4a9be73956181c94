"""Why boosting goes on getting better

The training error of AdaBoost is soon zero, and still its test error falls: votes go on getting
clearer. The margin of a vote says how clear it is and on which side. Schapire and others (1998)
explain boosting by it; the picture shows three boosters of the
[family](../docs/boosting_family.md) after the same number of rounds.

Seen: Cumulated margins of three boosters on new rows; AdaBoost.NC is clearest on both sides.
"""

from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostClassifier, AdaBoostNCClassifier, ArcX4Classifier
from counterpoint.datasets import load
from counterpoint.diversity import vote_margins
from counterpoint.plots import MarginDisplay

X, y = load("sonar", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

tree = DecisionTreeClassifier(max_depth=3, random_state=0)
boosters = {
    "AdaBoost": AdaBoostClassifier(tree, n_estimators=30, random_state=0),
    "AdaBoost.NC": AdaBoostNCClassifier(tree, n_estimators=30, lam=2.0, random_state=0),
    "arc-x4": ArcX4Classifier(tree, n_estimators=30, random_state=0),
}
for name, booster in boosters.items():
    booster.fit(X_train, y_train)
    margins = vote_margins(booster.member_outputs(X_train, y_train))
    print(
        f"{name:>11}: error in training {1 - booster.score(X_train, y_train):.3f}, "
        f"on new rows {1 - booster.score(X_test, y_test):.3f}, smallest margin {margins.min():.2f}"
    )

display = MarginDisplay.from_estimator(boosters, X_test, y_test)
