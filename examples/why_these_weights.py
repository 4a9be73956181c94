"""Why does this member have that weight?

Greedy selection gives some models most of the weight and others none, and users ask why
([AutoGluon #3819](https://github.com/autogluon/autogluon/issues/3819)) or want weights of their
own ([#486](https://github.com/autogluon/autogluon/issues/486)). `member_contributions` says for
each member its error alone, its weight, what is lost without it and how often it disagrees; the
picture shows which rows each wins and loses as it joins. Weights of your own are an argument.

Seen: Bars of rows won and lost as members join; the first brings most, later ones a little.
"""

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from counterpoint.combiners import CombinedClassifier, MeanCombiner, member_contributions
from counterpoint.datasets import load
from counterpoint.plots import VoteGainsDisplay
from counterpoint.selection import EnsembleSelectionClassifier

X, y = load("segment", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=600, stratify=y, random_state=0
)
pool = {
    "tree": DecisionTreeClassifier(max_depth=8, random_state=0),
    "twin": DecisionTreeClassifier(max_depth=8, random_state=1),
    "near": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "linear": make_pipeline(StandardScaler(), LogisticRegression()),
    "discriminant": LinearDiscriminantAnalysis(),
    "bayes": GaussianNB(),
}
model = EnsembleSelectionClassifier(pool, random_state=0).fit(X_train, y_train)
outputs = model.member_outputs(X_test, y_test)
print(member_contributions(outputs).round(3).to_string(index=False))

mine = MeanCombiner(weights=[2, 0, 1, 1, 0, 0])
own = CombinedClassifier(pool, combiner=mine).fit(X_train, y_train)
print(f"greedy weights: {model.score(X_test, y_test):.3f}, my own: {own.score(X_test, y_test):.3f}")

display = VoteGainsDisplay.from_outputs(own.member_outputs(X_test, y_test))
