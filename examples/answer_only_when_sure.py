"""Answer only when sure, with a guarantee

Leave out the rows on which members disagree most, and the error of the rest falls. A threshold set
by hand, as asked for in [scikit-learn
#34628](https://github.com/scikit-learn/scikit-learn/issues/34628), promises nothing; how far to go
for an error below 5 %, with 95 % confidence, is worked out on rows set aside (Geifman and El-Yaniv
2017). For sets of classes that hold the truth as often as asked there is `conformal_sets`.
[More](../docs/trust_acting.md).

Seen: Error among the rows answered, against their share, by a forest and by bagged stumps.
"""

from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from counterpoint import MemberOutputs
from counterpoint.datasets import load
from counterpoint.plots import SelectiveDisplay
from counterpoint.trust import conformal_sets, guarantee_risk

X, y = load("satimage", return_X_y=True)
X_train, rest, y_train, y_rest = train_test_split(X, y, train_size=600, random_state=0)
X_held, X_new, y_held, y_new = train_test_split(rest, y_rest, train_size=1000, random_state=0)

models = {
    "forest": RandomForestClassifier(30, random_state=0),
    "bagged stumps": BaggingClassifier(DecisionTreeClassifier(max_depth=3), 15, random_state=0),
}
held = {}
for name, model in models.items():
    model.fit(X_train, y_train)
    held[name] = MemberOutputs.from_estimator(model, X_held, y_held)

new = MemberOutputs.from_estimator(models["forest"], X_new, y_new)
rule = guarantee_risk(held["forest"], risk=0.05, confidence=0.95)
answered = rule.accept(new)
wrong = models["forest"].predict(X_new) != y_new
print(
    f"answered: {answered.mean():.0%}, error there {wrong[answered].mean():.3f}, "
    f"without the rule {wrong.mean():.3f}"
)
sets = conformal_sets(held["forest"], new, coverage=0.95)
print(
    f"sets of {sets.sets.sum(axis=1).mean():.2f} classes on average hold the truth 19 times in 20"
)

display = SelectiveDisplay.from_outputs(held["forest"], name="forest")
SelectiveDisplay.from_outputs(held["bagged stumps"], name="bagged stumps", ax=display.ax_)
