"""Experts, and a gate that says whom to ask

A mixture of experts learns the members and the regions in which each is asked, together (Jacobs
and others 1991); for models of all kinds it is asked for in [aprender
#101](https://github.com/paiml/aprender/issues/101). On two moons four linear experts share the
plane: none of them could tell the moons apart alone. [More](../docs/mixture_of_experts.md).

Seen: Straight boundaries of the experts over the curved region that the gate makes of them.
"""

from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from counterpoint.networks import MixtureOfExpertsClassifier
from counterpoint.plots import MemberBoundariesDisplay

X, y = make_moons(400, noise=0.15, random_state=0)
X_test, y_test = make_moons(400, noise=0.15, random_state=1)

line = LogisticRegression().fit(X, y)
model = MixtureOfExpertsClassifier(4, random_state=0).fit(X, y)
print(f"one line: accuracy {line.score(X_test, y_test):.3f}")
print(f"four with a gate: {model.score(X_test, y_test):.3f}")
outputs = model.member_outputs(X_test, y_test)
print("experts alone:", ", ".join(f"{right.mean():.2f}" for right in outputs.correct))

display = MemberBoundariesDisplay.from_estimator(model, X_test, y_test, grid_resolution=100)
