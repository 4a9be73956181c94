"""Which label should I ask for next?

Labels cost money. A committee asks for those its members disagree on most, spread out so that a
batch does not ask the same thing ten times, and says when there is little left to ask:
[modAL](https://github.com/modAL-python/modAL) has committees, no stopping rule and none that reads
any ensemble. Drawing by lot is the thing to beat, so it is beside it.
[More](../docs/trust_labels.md).

Seen: How far the committee disagrees on what it asks for; it falls as labels come in.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import load
from counterpoint.plots import QueryDisplay
from counterpoint.trust import QueryByCommittee

X, y = load("wine", return_X_y=True)
X, y = X.to_numpy(), np.asarray(y)
order = np.random.default_rng(0).permutation(len(y))
X, y = X[order], y[order]
X_test, y_test, X, y = X[:60], y[:60], X[60:], y[60:]

pool = [
    ("bayes", GaussianNB()),
    ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
]
for how in ("by lot", "by committee"):
    known = np.zeros(len(y), dtype=bool)
    known[:9] = True
    committee = QueryByCommittee(pool, random_state=0)
    draw = np.random.default_rng(1)
    scores = []
    while known.sum() < 45:
        committee.fit(X[known], y[known])
        scores.append(committee.score(X_test, y_test))
        open_ = np.flatnonzero(~known)
        asked = committee.query(X[open_], n_queries=4)
        known[open_[asked] if how == "by committee" else draw.choice(open_, 4, replace=False)] = (
            True
        )
    print(f"{how}: accuracy {', '.join(f'{score:.2f}' for score in scores)}")

display = QueryDisplay.from_estimator(committee)
