"""What the penalty of AdaBoost.NC does

AdaBoost.NC (Wang and Yao 2010) takes weight from samples over which the members so far are split.
Four public programs of it that we read depart from the rule of the paper in ways that undo it;
ours is checked against [its equations](../docs/adaboost_nc.md). What comes out depends on the
members: trees of depth 5 on these data have no room for a large `lam`. Hard samples lose weight,
members become better alone and more alike, and their vote worse. `lam="auto"`, the default, tries
before it penalises.

Seen: Three clouds of pairs; at lambda 4 they lie further to the right, lower, and vote worse.
"""

from sklearn.model_selection import train_test_split

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import load
from counterpoint.plots import KappaErrorDisplay
from counterpoint.trees import HistTreeClassifier

X, y = load("vehicle", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

outputs = {}
for lam in (0.0, 0.5, 4.0, "auto"):
    tree = HistTreeClassifier(max_depth=5)
    model = AdaBoostNCClassifier(tree, n_estimators=25, lam=lam, random_state=0)
    model.fit(X_train, y_train)
    print(f"lam={lam}: error {1 - model.score(X_test, y_test):.3f}")
    if lam != "auto":
        outputs[f"lambda {lam:g}"] = model.member_outputs(X_test, y_test)

display = KappaErrorDisplay.from_outputs(outputs)
