"""The methods for a target of numbers: one table of them all."""

from collections.abc import Sequence

from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from counterpoint.auto import OverproduceSelectRegressor
from counterpoint.boosting import HistBoostRegressor, L2BoostRegressor
from counterpoint.networks import MixtureOfExpertsRegressor, NegativeCorrelationRegressor
from counterpoint.selection import EnsembleSelectionRegressor
from counterpoint.tabular.methods import Method
from counterpoint.trees import HistTreeRegressor

_ALPHAS = tuple(10.0**k for k in range(-3, 4))

_ALL = [
    Method("auto", "a wide pool of learners, those kept and weighed that are best together",
           lambda s, t, j: OverproduceSelectRegressor(time_limit=t, n_jobs=j, random_state=s)),
    Method("hist-boosting", "our gradient boosting on histograms, stopped when it gains no more",
           lambda s, t, j: HistBoostRegressor(random_state=s)),
    Method("l2-boosting", "boosting: each small tree learns what the sum of those before left over",
           lambda s, t, j: L2BoostRegressor(
               HistTreeRegressor(max_depth=4), n_estimators=150, random_state=s)),
    Method("gradient-boosting", "scikit-learn's gradient boosting on histograms",
           lambda s, t, j: HistGradientBoostingRegressor(random_state=s)),
    Method("ncl", "networks trained together, each pushed away from the mean of the others",
           lambda s, t, j: NegativeCorrelationRegressor(8, random_state=s), scale=True),
    Method("experts", "a mixture of experts, a gate choosing among them row by row",
           lambda s, t, j: MixtureOfExpertsRegressor(random_state=s), scale=True),
    Method("bagging", "full trees on bootstrap samples",
           lambda s, t, j: BaggingRegressor(n_estimators=50, random_state=s, n_jobs=j)),
    Method("random-forest", "bagging, and each cut looks at a few random columns only",
           lambda s, t, j: RandomForestRegressor(
               300, max_features=1 / 3, random_state=s, n_jobs=j)),
    Method("extra-trees", "a forest with cuts drawn at random",
           lambda s, t, j: ExtraTreesRegressor(300, random_state=s, n_jobs=j)),
    Method("selection", "the members of 50 bagged trees that are best together",
           lambda s, t, j: EnsembleSelectionRegressor(
               BaggingRegressor(n_estimators=50, random_state=s), random_state=s, n_jobs=j)),
    Method("linear", "a linear model (ridge regression)",
           lambda s, t, j: RidgeCV(_ALPHAS), scale=True),
    Method("neighbours", "the ten nearest rows",
           lambda s, t, j: KNeighborsRegressor(10, weights="distance", n_jobs=j), scale=True),
    Method("tree", "a single tree with five rows or more in a leaf: the baseline to beat",
           lambda s, t, j: DecisionTreeRegressor(min_samples_leaf=5, random_state=s)),
    Method("median", "always the median: the least baseline for absolute errors",
           lambda s, t, j: DummyRegressor(strategy="median")),
    Method("mean", "always the mean: the least baseline",
           lambda s, t, j: DummyRegressor()),
]  # fmt: skip

NUMBER_METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods for numbers, by name."""

NUMBERS_COMPARED: Sequence[str] = (
    "mean", "median", "tree", "linear", "neighbours", "random-forest", "gradient-boosting",
    "hist-boosting", "ncl", "auto",
)  # fmt: skip
"""What ``counterpoint compare`` compares for numbers if nothing is said."""
