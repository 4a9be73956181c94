"""Labels that are wrong

Members that were not trained on a row and still agree against its label are a reason to look at it
again. With one member this is the method of [cleanlab](https://github.com/cleanlab/cleanlab)
(Northcutt, Jiang and Chuang 2021); with several a label is named only where most of them say
something else. [More](../docs/trust_labels.md).

Seen: How far each label is believed; those named stand apart at the low end.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.datasets import load
from counterpoint.plots import LabelErrorDisplay
from counterpoint.trust import find_label_errors

X, y = load("wdbc", return_X_y=True)
y = np.asarray(y)
rng = np.random.default_rng(0)
planted = rng.choice(len(y), 25, replace=False)
given = y.copy()
given[planted] = np.where(y[planted] == y[0], np.unique(y[y != y[0]])[0], y[0])

pool = [
    ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
    ("bayes", GaussianNB()),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
]
found = find_label_errors(MemberOutputs.from_estimator(pool, X, given, cv=5))
named = np.flatnonzero(found.wrong)
print(
    f"named {len(named)} of {len(y)} labels; {np.isin(named, planted).sum()} of the 25 planted ones"
)

display = LabelErrorDisplay.from_errors(found)
