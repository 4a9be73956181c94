"""Concepts of words: rules straight from a table of names

Where columns are words and not numbers, one-hot columns hide them. A nominal concept is a value,
all rows that have it, and all they share; its rule says so in the table's own words. Alone it is
weak and cheap. On strands of DNA boosting makes much of it (Meddouri, Khoufi and Maddouri 2012);
on some other tables nothing. Rules on categories are asked for in [imodels
#77](https://github.com/csinva/imodels/issues/77). [More](../docs/concepts.md).

Seen: Error of the vote and Q statistic as concepts join.
"""

from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

from counterpoint.boosting import AdaBoostM2Classifier, NominalConceptClassifier
from counterpoint.datasets import load
from counterpoint.plots import TrajectoryDisplay

X, y = load("promoters", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

one = NominalConceptClassifier()
print(one.fit(X_train, y_train).rules_)
models = {
    "one attribute": one,
    "five attributes": NominalConceptClassifier(n_attributes=5),
    "boosted": AdaBoostM2Classifier(one, n_estimators=15, random_state=0),
}
folds = StratifiedKFold(3, shuffle=True, random_state=0)
for name, model in models.items():
    print(f"{name}: error {1 - cross_val_score(model, X, y, cv=folds).mean():.3f}")
boosted = models["boosted"].fit(X_train, y_train)

display = TrajectoryDisplay.from_estimator(boosted, X_test, y_test, measures=["q"])
