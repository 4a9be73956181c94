"""Vote with models that are fitted already

`VotingClassifier` fits its members again. Often they are fitted, on other rows, by other people,
and must stay as they are: asked for since 2018 in [scikit-learn
#12297](https://github.com/scikit-learn/scikit-learn/issues/12297) and
[#23018](https://github.com/scikit-learn/scikit-learn/issues/23018). `CombinedClassifier` keeps
what is fitted, fits what is not, and lets [any rule](../docs/combining.md) decide; rules that
learn look at the rows given to `fit`, which no member has seen.

Seen: Three pairs of models, above the dash that is the error of their vote.
"""

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from counterpoint.combiners import CombinedClassifier
from counterpoint.datasets import load
from counterpoint.plots import KappaErrorDisplay

X, y = load("pima", return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=1)
X_train, X_held, y_train, y_held = train_test_split(X, y, stratify=y, random_state=1)

# Three people, three models; nobody wants theirs changed.
models = {
    "Ann": RandomForestClassifier(50, max_depth=5, random_state=0),
    "Bob": make_pipeline(StandardScaler(), LogisticRegression()),
    "Cat": GaussianNB(),
}
for name, model in models.items():
    model.fit(X_train, y_train)
    print(f"{name:>16}: error {1 - model.score(X_test, y_test):.3f}")

for rule in ("vote", "mean", "weighted-mean"):
    combined = CombinedClassifier(models, combiner=rule).fit(X_held, y_held)
    print(f"{rule:>16}: error {1 - combined.score(X_test, y_test):.3f}")

display = KappaErrorDisplay.from_outputs(combined.member_outputs(X_test, y_test))
