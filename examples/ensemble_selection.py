"""Ensemble selection from a library of models

Train many models, then let members join one at a time, each the one that makes the ensemble best,
with repeats: Caruana and others (2004), asked for in [scikit-learn
#6329](https://github.com/scikit-learn/scikit-learn/issues/6329) for ten years. Members are
cross-fitted, so that one that knows its training rows by heart is not believed for it. Always look
at the simple order by error beside it: it is [hard to beat](../docs/selecting.md).

Seen: The criterion falls for some steps and then stays; the order by error is close behind.
"""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.datasets import load
from counterpoint.plots import SelectionDisplay
from counterpoint.selection import (
    EnsembleSelectionClassifier,
    order_by_error,
    select_by_order,
    select_forward,
)

X, y = load("vehicle", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

library = {
    f"tree {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in range(3, 12, 2)
}
for k in (1, 5, 15):
    library[f"{k} near"] = make_pipeline(StandardScaler(), KNeighborsClassifier(k))
for c in (0.1, 10):
    library[f"linear {c:g}"] = make_pipeline(
        StandardScaler(), LogisticRegression(C=c, max_iter=2000)
    )
library["discriminant"] = LinearDiscriminantAnalysis()
library["bayes"] = GaussianNB()

model = EnsembleSelectionClassifier(library, cv=3, random_state=0).fit(X_train, y_train)
scores = {name: member.score(X_test, y_test) for name, member in model.pool_}
best = max(scores, key=scores.get)
print(
    f"selection: accuracy {model.score(X_test, y_test):.3f}; best alone, {best}: {scores[best]:.3f}"
)
for k, weight in zip(model.selected_, model.estimator_weights_, strict=True):
    print(f"{model.pool_[k][0]:>14}: weight {weight:.2f}")

outputs = MemberOutputs.from_estimator(list(library.items()), X_train, y_train, cv=3)
traces = {
    "forward": select_forward(outputs, "log-loss", replace=True, n_members=12),
    "by error": select_by_order(outputs, order_by_error(outputs), "log-loss"),
}
display = SelectionDisplay.from_traces(traces, what="criterion")
