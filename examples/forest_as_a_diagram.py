"""A forest as a diagram, where no tree would do

One tree that decides as ten trees of depth 3 on thirty columns has more leaves than anybody can
print. Let branches meet again, and a few dozen blocks of questions are enough: `equivalent_diagram`
makes them, `certify` proves that they decide as the forest's vote does, everywhere, and
`sql` writes them for a data base. What became of all trees but one was asked of a forest in SQL in
[tidypredict #29](https://github.com/tidymodels/tidypredict/issues/29);
[how large, how fast](../docs/equivalent_tree.md).

Seen: The questions of the first three trees as one diagram; several ways lead to most of them.
"""

import sqlite3
from dataclasses import replace

import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from counterpoint.datasets import load
from counterpoint.plots import DiagramDisplay
from counterpoint.trees import certify, equivalent_diagram, take_trees

X, y = load("wdbc", return_X_y=True)
forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
votes = take_trees(list(forest.estimators_))
votes = replace(votes, classes=forest.classes_, feature_names=forest.feature_names_in_)
diagram = equivalent_diagram(votes)
print(f"{diagram.n_nodes} questions, at most {diagram.depth} on a way")
print(f"decides as the ten trees everywhere: {certify(diagram, votes).equal}")

base = sqlite3.connect(":memory:")
pd.DataFrame(X.to_numpy(), columns=diagram.names).to_sql("patients", base, index=False)
said = pd.read_sql(diagram.sql("patients"), base)["prediction"]
print(f"SQL says the same of {(said == diagram.predict(X.to_numpy())).mean():.0%} of the rows")

few = replace(votes, trees=votes.trees[:3], weights=votes.weights[:3])
display = DiagramDisplay.from_diagram(equivalent_diagram(few))
