"""How wrong am I on rows without labels?

Labels come late, if at all. `estimate_error` asks five methods, NannyML's confidence-based
estimate ([nannyml](https://github.com/NannyML/nannyml)) among them, tries each where the truth is
known, and combines those that pass. Members that disagree more than they used to are the first
sign. [What each assumes](../docs/trust_error.md).

Seen: Estimates of five methods with limits, their combination, and the known error beside them.
"""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from counterpoint import MemberOutputs
from counterpoint.datasets import TabularEncoder, load
from counterpoint.plots import ErrorEstimateDisplay
from counterpoint.trust import estimate_error

X, y = load("german-credit", return_X_y=True)
X, y = TabularEncoder().fit(X, y).transform(X), np.asarray(y)
X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=0.5, random_state=0)
X_ref, X_new, y_ref, y_new = train_test_split(rest, y_rest, train_size=0.5, random_state=0)

forest = RandomForestClassifier(40, max_depth=8, random_state=0).fit(X_train, y_train)
reference = MemberOutputs.from_estimator(forest, X_ref, y_ref)
new = MemberOutputs.from_estimator(forest, X_new)  # no labels
told = estimate_error(reference, new, random_state=0)

best = told.table().iloc[0]
print(f"estimated {best['estimate']:.3f}, between {best['low']:.3f} and {best['high']:.3f}")
print(f"came out {1 - forest.score(X_new, y_new):.3f}")
print(f"trusted: {told.trusted}")

display = ErrorEstimateDisplay.from_estimate(told)
