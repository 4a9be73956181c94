"""Members with columns of their own

One model knows what was measured in the morning, another what a second laboratory found: each
member has its own columns, and still they are asked, measured and combined as one pool. Asked for
in [DESlib #73](https://github.com/scikit-learn-contrib/DESlib/issues/73),
[#218](https://github.com/scikit-learn-contrib/DESlib/issues/218) and
[#223](https://github.com/scikit-learn-contrib/DESlib/issues/223).

Seen: Three members that see different columns disagree on up to every eighth row.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint.combiners import CombinedClassifier
from counterpoint.plots import DiversityMatrixDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

kinds = {"mean": "mean ", "error": " error", "worst": "worst "}
columns = [[c for c in X.columns if part in c] for part in kinds.values()]
pool = {name: make_pipeline(StandardScaler(), LogisticRegression()) for name in kinds}

model = CombinedClassifier(pool, combiner="weighted-mean", columns=columns).fit(X_train, y_train)
outputs = model.member_outputs(X_test, y_test)
for name, seen, right in zip(outputs.names, columns, outputs.correct, strict=True):
    print(f"{name:>6}, {len(seen)} columns: error {1 - right.mean():.3f}")
print(f"together: error {1 - model.score(X_test, y_test):.3f}")

display = DiversityMatrixDisplay.from_outputs(outputs, measure="label_disagreement")
