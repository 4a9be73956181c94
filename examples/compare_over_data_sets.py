"""Which method is better, over many data sets?

One data set says nothing about methods. Ranks over many do: Friedman's test says whether the
methods differ at all, Nemenyi's distance which ones (Demšar 2006). Eight shipped sets and five
methods, kept small, in cross-validation. A picture without the test before it was the complaint of
[Orange #3000](https://github.com/biolab/orange3/issues/3000): here both come from one table. The
[claims of the literature](../docs/reproducing.md) are tried in the same way, with more of
everything.

Seen: Mean ranks of five methods on a line; a bar joins those that cannot be told apart.
"""

import pandas as pd
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from counterpoint.boosting import AdaBoostNCClassifier
from counterpoint.datasets import TabularEncoder, load
from counterpoint.plots import RankDisplay
from counterpoint.trees import HistTreeClassifier

SETS = ["iris", "wine", "glass", "bupa", "hepatitis", "heart-statlog", "new-thyroid", "labor"]
METHODS = {
    "naive Bayes": GaussianNB(),
    "stump": DecisionTreeClassifier(max_depth=1),
    "bagging": BaggingClassifier(n_estimators=7, random_state=0),
    "forest": RandomForestClassifier(10, random_state=0),
    "AdaBoost.NC": AdaBoostNCClassifier(HistTreeClassifier(max_depth=4), lam=2.0, n_estimators=10),
}


def error(method, X, y):
    """Return the mean error of two halves."""
    return 1 - cross_val_score(make_pipeline(TabularEncoder(), method), X, y, cv=2).mean()


errors = pd.DataFrame(
    {
        name: [error(method, *load(s, return_X_y=True)) for s in SETS]
        for name, method in METHODS.items()
    },
    index=SETS,
)
display = RankDisplay.from_table(errors)
told = display.comparison
print(
    f"p of Friedman's test: {told.p_value:.3f}; "
    f"two differ from {told.critical_difference:.2f} ranks on"
)
print(told.mean_ranks.round(2).to_string())
