"""Dynamic selection that says who decided

Members that are poor on the whole may be the ones to ask about some queries. DESlib does not run
on current scikit-learn in its newest release ([DESlib
#284](https://github.com/scikit-learn-contrib/DESlib/issues/284)) and does not say which members it
asked ([#263](https://github.com/scikit-learn-contrib/DESlib/issues/263)). `explain_selection`
does: who had a say about a query, with what competence, and what came out.

Seen: Boundaries of shallow trees over the regions that dynamic selection makes of them.
"""

from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from counterpoint.datasets import make_cone_torus
from counterpoint.dynamic import DynamicSelectionClassifier, NeighbourRegion
from counterpoint.plots import MemberBoundariesDisplay

X, y = make_cone_torus(1200, random_state=0)
bag = BaggingClassifier(DecisionTreeClassifier(max_depth=2), 15, max_samples=0.2, random_state=0)
bag.fit(X[:300], y[:300])

model = DynamicSelectionClassifier(bag, method="knora-e", region=NeighbourRegion(9))
model.fit(X[300:600], y[300:600])
print(f"vote {bag.score(X[600:], y[600:]):.3f}, dynamic {model.score(X[600:], y[600:]):.3f}")
told = model.explain_selection(X[600:])
sure = told.groupby("query").size()
print(f"members with a say: {sure.mean():.1f} of {len(bag.estimators_)} on average")
print(told[told["query"] == 0].round(2).to_string(index=False))

display = MemberBoundariesDisplay.from_estimator(model, X[600:], y[600:], grid_resolution=100)
