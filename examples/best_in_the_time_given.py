"""The best ensemble in the time you give it

Overproduce, then select: a pool is cross-fitted, and how to combine it is chosen on rows that its
members had not seen. Without a pool of your own it makes one and stops when `time_limit` is over;
how that stands beside AutoGluon is [measured](../docs/overproduce_select.md). `explain` says what
was chosen and why, which [AutoGluon #4981](https://github.com/autogluon/autogluon/issues/4981)
wants written down.

Seen: Pairs of the five members that were kept; the dash is the error of their plain vote.
"""

from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import load
from counterpoint.plots import KappaErrorDisplay

X, y = load("vehicle", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

pool = [
    ("extra trees", ExtraTreesClassifier(40, random_state=0)),
    ("boosting", AdaBoostNCClassifier(n_estimators=20, random_state=0)),
    ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
    ("near", make_pipeline(StandardScaler(), KNeighborsClassifier(3))),
    ("bayes", GaussianNB()),
]
model = OverproduceSelectClassifier(pool, cv=3, random_state=0).fit(X_train, y_train)
outputs = model.member_outputs(X_test, y_test)
for name, right in zip(outputs.names, outputs.correct, strict=True):
    print(f"{name:>12} alone: accuracy {right.mean():.3f}")
print(f"    together: accuracy {model.score(X_test, y_test):.3f}")
why = model.explain()  # a page of words: who is in, with what weight, and what would be lost

display = KappaErrorDisplay.from_outputs(outputs, name="kept")
