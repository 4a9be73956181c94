"""Why do forests, boosting and stochastic discrimination work? Two of their virtues, measured.

Each is a collection of subsets of the space. Eastwood ("Building well-performing classifier
ensembles", PhD thesis, Bournemouth University, 2010, chapter 3) argues that all three make subsets
that hold more of one class than of the rest (enrichment), and that hold the samples of a class
evenly (uniformity), by growing, by reweighting, and by filtering. Here are the numbers, on the
data the collections were made from and on data they never saw (projectability).

Run with: python examples/enrichment_uniformity.py
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.diversity import coverage_spread, enrichment, enrichment_degree, member_subsets
from counterpoint.subsets import StochasticDiscriminationClassifier, ensemble_to_features

ENSEMBLES = {
    "forest without bootstraps": RandomForestClassifier(
        200, bootstrap=False, max_features="sqrt", random_state=0
    ),
    "random forest (bootstraps)": RandomForestClassifier(200, random_state=0),
    "AdaBoost, depth 2": AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=200, random_state=0
    ),
    "stochastic discrimination": StochasticDiscriminationClassifier(500, random_state=0),
    "the same, let in unfiltered": StochasticDiscriminationClassifier(
        500, patience=1, random_state=0
    ),
}


def leaves_or_boxes(model, X):
    """Return the small subsets: leaves of trees, or models of stochastic discrimination."""
    return ensemble_to_features(model, X).T.toarray().astype(bool)


def regions(model, X):
    """Return the large subsets: for each member and class, what it gives that class."""
    return member_subsets(MemberOutputs.from_estimator(model, X))


def evenness(subsets, y):
    """Return the spread of coverage over its mean: 0 is uniform, for subsets of any size."""
    own = []
    for label in np.unique(y):
        inside = y == label
        favours = subsets[:, inside].mean(axis=1) > subsets[:, ~inside].mean(axis=1)
        own.append(subsets[favours][:, inside].mean())
    return float(np.mean(coverage_spread(subsets, y) / own))


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    print(f"{'':38}   test     enrichment   least  unevenness of cover")
    print(f"{'subsets of':38}  error   train    test   train   train    test")
    for name, model in ENSEMBLES.items():
        model.fit(X_train, y_train)
        error = 1 - model.score(X_test, y_test)
        views = {"": leaves_or_boxes}
        if hasattr(model, "estimators_"):
            views = {", leaves": leaves_or_boxes, ", votes": regions}
        for kind, look in views.items():
            train, test = look(model, X_train), look(model, X_test)
            held = train.any(axis=1)  # a leaf may be empty on rows that its bootstrap left out
            train, test = train[held], test[held]
            numbers = (
                enrichment(train, y_train).mean(),
                enrichment(test, y_test).mean(),
                enrichment_degree(train, y_train),
                evenness(train, y_train),
                evenness(test, y_test),
            )
            print(f"{name + kind:37}", end=" ")
            print(" ".join(f"{value:7.3f}" for value in (error, *numbers)))


if __name__ == "__main__":
    main()
