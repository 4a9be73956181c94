"""Who agrees with whom?

Before models are combined, look at them two by two: where two are always wrong together, one of
them is enough. Any list of estimators will do, also one of different kinds; none is fitted on the
rows it is asked about. Others choose models by it, too: [poniard
#51](https://github.com/rxavier/poniard/pull/51).

Seen: Heat map of eight models; the stump and naive Bayes stand apart, linear models are alike.
"""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.datasets import load
from counterpoint.diversity import double_fault, matrix
from counterpoint.plots import DiversityMatrixDisplay

X, y = load("vehicle", return_X_y=True)
models = [
    ("forest", RandomForestClassifier(30, random_state=0)),
    ("extra trees", ExtraTreesClassifier(30, random_state=0)),
    ("tree", DecisionTreeClassifier(random_state=0)),
    ("stump", DecisionTreeClassifier(max_depth=1)),
    ("linear", make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))),
    ("discriminant", LinearDiscriminantAnalysis()),
    ("neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(7))),
    ("naive Bayes", GaussianNB()),
]
outputs = MemberOutputs.from_estimator(models, X, y, cv=3)

names = outputs.names
both = matrix(outputs, "double_fault")
pairs = {(a, b): both[i, j] for i, a in enumerate(names) for j, b in enumerate(names) if i < j}
most, least = max(pairs, key=pairs.get), min(pairs, key=pairs.get)
print(f"mean over pairs: both wrong on {double_fault(outputs):.0%} of the rows")
print(f"most often wrong together: {' and '.join(most)}, {pairs[most]:.0%}")
print(f"least often: {' and '.join(least)}, {pairs[least]:.0%}")

display = DiversityMatrixDisplay.from_outputs(outputs, measure="disagreement", order="cluster")
