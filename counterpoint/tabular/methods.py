"""The methods a table can be given to by name: one table of them all.

A method is a line of words and a factory. What the factory makes takes a frame that mixes numbers,
categories and gaps: a pipeline of :class:`counterpoint.datasets.TabularEncoder` and the classifier.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

from counterpoint._validation import check_choice
from counterpoint.auto import OverproduceSelectClassifier
from counterpoint.boosting import (
    AdaBoostClassifier,
    AdaBoostNCClassifier,
    DecorateClassifier,
    LogitBoostClassifier,
)
from counterpoint.combiners import CombinedClassifier, StackingCombiner
from counterpoint.dynamic import DynamicSelectionClassifier
from counterpoint.hyperboxes import HyperboxClassifier
from counterpoint.networks import MixtureOfExpertsClassifier, NegativeCorrelationClassifier
from counterpoint.selection import EnsembleSelectionClassifier
from counterpoint.subsets import StochasticDiscriminationClassifier
from counterpoint.tabular.encoder import with_encoder
from counterpoint.trees import (
    DistilledTreeClassifier,
    HistTreeClassifier,
    MergedTreeClassifier,
    PrunedTreeClassifier,
)
from counterpoint.views import (
    ForestRCClassifier,
    NoiseInjectionClassifier,
    ProjectionEnsembleClassifier,
)


@dataclass(frozen=True)
class Method:
    """A way to learn a table.

    Attributes
    ----------
    name : str
        As it is typed.
    what : str
        What it is, in one line.
    make : callable
        ``make(seed, time_limit, n_jobs)`` gives the classifier, unfitted, without the encoder.
    scale : bool
        Whether numbers are brought to mean 0 and variance 1 first.
    """

    name: str
    what: str
    make: Callable[[int | None, float | None, int | None], BaseEstimator]
    scale: bool = False


def make_method(
    name: str,
    *,
    random_state: int | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    task: str = "classification",
) -> Pipeline:
    """Make the pipeline of a method: an encoder for frames of any kind, then the classifier.

    Parameters
    ----------
    name : str
        A key of :data:`METHODS`.
    random_state : int or None, default=None
        The seed.
    time_limit : float or None, default=None
        Seconds. Only ``auto`` can be bounded; the others take what they take.
    n_jobs : int or None, default=None
        Passed to the classifiers that take it.
    progress : bool or None, default=None
        Passed to the classifiers that draw a progress bar; None: on a terminal.
    task : {"classification", "regression"}, default="classification"
        For classes, or for numbers: then it is a key of
        :data:`~counterpoint.tabular.number_methods.NUMBER_METHODS`.

    Returns
    -------
    Pipeline
        With the steps "encode" and "model".

    Raises
    ------
    ValueError
        If there is no such method, with the nearest name.

    Examples
    --------
    >>> from counterpoint.datasets import load
    >>> from counterpoint.tabular.methods import make_method
    >>> X, y = load("labor", return_X_y=True)
    >>> model = make_method("merged-tree", random_state=0).fit(X, y)
    >>> model.predict(X).shape
    (57,)
    """
    method = find_method(name, task)
    model = method.make(random_state, time_limit, n_jobs)
    if "progress" in model.get_params(deep=False):
        model.set_params(progress=progress)
    return with_encoder(model, scale="standard" if method.scale else False)


def find_method(name: str, task: str = "classification") -> Method:
    """Return the method of a name, or raise a ValueError that names the nearest one."""
    numbers, known = _numbers(), METHODS
    if task == "regression":
        known, numbers = numbers, known
    if name in numbers and name not in known:
        what = ("classes", "numbers") if task == "regression" else ("numbers", "classes")
        raise ValueError(
            f"method={name} is for {what[0]}, and this target is {what[1]}: choose "
            f"{', '.join(map(repr, known))}."
        )
    return known[check_choice(name, "method", known)]


def know_method(name: str) -> None:
    """Raise unless there is a method of that name, for classes or for numbers."""
    if name not in _numbers():
        find_method(name)


def _numbers() -> dict[str, Method]:
    # Late: they are methods like these.
    from counterpoint.tabular.number_methods import NUMBER_METHODS

    return NUMBER_METHODS


def _pool(seed: int | None) -> list[tuple[str, Any]]:
    return [
        ("naive Bayes", GaussianNB(var_smoothing=1e-6)),
        ("logistic regression", LogisticRegression(max_iter=2000)),
        ("neighbours", KNeighborsClassifier(10, weights="distance")),
        ("random forest", RandomForestClassifier(100, random_state=seed)),
        ("gradient boosting", HistGradientBoostingClassifier(max_iter=100, random_state=seed)),
    ]


def _weak() -> HistTreeClassifier:
    # Leaves of three: boosting stops at a tree that knows its training rows by heart.
    return HistTreeClassifier(max_depth=5, min_samples_leaf=3)


def _bag(seed: int | None, n_jobs: int | None) -> BaggingClassifier:
    return BaggingClassifier(n_estimators=50, random_state=seed, n_jobs=n_jobs)


_ALL = [
    Method("auto", "a wide pool of learners, those kept and weighed that are best together",
           lambda s, t, j: OverproduceSelectClassifier(
               time_limit=t, n_jobs=j, random_state=s)),
    Method("adaboost-nc", "boosting that also rewards members for disagreeing",
           lambda s, t, j: AdaBoostNCClassifier(  # "auto" would mostly be the next one again
               _weak(), n_estimators=100, strength=0.5, random_state=s)),
    Method("adaboost", "boosting: each tree on rows reweighted towards earlier mistakes",
           lambda s, t, j: AdaBoostClassifier(
               _weak(), n_estimators=100, random_state=s)),
    Method("logitboost", "boosting of the logistic likelihood with small regression trees",
           lambda s, t, j: LogitBoostClassifier(learning_rate=0.3, random_state=s)),
    Method("gradient-boosting", "scikit-learn's gradient boosting on histograms",
           lambda s, t, j: HistGradientBoostingClassifier(random_state=s)),
    Method("decorate", "trees on artificial rows labelled against the ensemble, for small data",
           lambda s, t, j: DecorateClassifier(random_state=s)),
    Method("ncl", "networks trained together, each pushed away from the mean of the others",
           lambda s, t, j: NegativeCorrelationClassifier(
               8, loss="cross-entropy", random_state=s), scale=True),
    Method("experts", "a mixture of experts, a gate choosing among them row by row",
           lambda s, t, j: MixtureOfExpertsClassifier(random_state=s), scale=True),
    Method("bagging", "full trees on bootstrap samples",
           lambda s, t, j: _bag(s, j)),
    Method("random-forest", "bagging, and each cut looks at a few random columns only",
           lambda s, t, j: RandomForestClassifier(300, random_state=s, n_jobs=j)),
    Method("extra-trees", "a forest with cuts drawn at random",
           lambda s, t, j: ExtraTreesClassifier(300, random_state=s, n_jobs=j)),
    Method("forest-rc", "a forest with cuts on random combinations of columns",
           lambda s, t, j: ForestRCClassifier(100, random_state=s, n_jobs=j), scale=True),
    Method("rotation", "trees that each see the columns turned in another way",
           lambda s, t, j: ProjectionEnsembleClassifier(
               kinds=("rotation",), n_estimators=30, random_state=s, n_jobs=j), scale=True),
    Method("noise", "trees on rows shaken by noise",
           lambda s, t, j: NoiseInjectionClassifier(
               n_estimators=30, random_state=s, n_jobs=j), scale=True),
    Method("stochastic", "stochastic discrimination: thousands of weak random boxes",
           lambda s, t, j: StochasticDiscriminationClassifier(random_state=s)),
    Method("selection", "the members of 50 bagged trees that are best together",
           lambda s, t, j: EnsembleSelectionClassifier(
               _bag(s, None), criterion="error", random_state=s, n_jobs=j)),
    Method("dynamic", "for each row, those of 50 bagged trees that are right nearby (KNORA-E)",
           lambda s, t, j: DynamicSelectionClassifier(_bag(s, None), n_jobs=j), scale=True),
    Method("stacking", "five learners of different kinds under a logistic regression",
           lambda s, t, j: CombinedClassifier(
               _pool(s), combiner=StackingCombiner(), n_jobs=j), scale=True),
    Method("merged-tree", "one readable tree, merged from 21 trees",
           lambda s, t, j: MergedTreeClassifier(random_state=s, n_jobs=j)),
    Method("distilled-tree", "one readable tree that imitates a forest",
           lambda s, t, j: DistilledTreeClassifier(
               RandomForestClassifier(100, random_state=s, n_jobs=j), random_state=s)),
    Method("pruned-tree", "one readable tree, grown and pruned back",
           lambda s, t, j: PrunedTreeClassifier(random_state=s)),
    Method("hyperboxes", "boxes around the rows of each class (fuzzy min-max)",
           lambda s, t, j: HyperboxClassifier(0.2)),
    Method("logistic-regression", "a linear model",
           lambda s, t, j: LogisticRegression(max_iter=2000), scale=True),
    Method("naive-bayes", "Gaussian naive Bayes",
           lambda s, t, j: GaussianNB(var_smoothing=1e-6)),
    Method("neighbours", "the ten nearest rows",
           lambda s, t, j: KNeighborsClassifier(10, weights="distance", n_jobs=j), scale=True),
    Method("tree", "a single full tree: the baseline to beat",
           lambda s, t, j: DecisionTreeClassifier(random_state=s)),
    Method("majority", "always the most frequent class: the least baseline",
           lambda s, t, j: DummyClassifier(strategy="prior")),
]  # fmt: skip

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods, by name."""

COMPARED: Sequence[str] = (
    "majority", "tree", "pruned-tree", "merged-tree", "logistic-regression", "random-forest",
    "gradient-boosting", "adaboost-nc", "ncl", "auto",
)  # fmt: skip
"""What ``counterpoint compare`` compares if nothing is said."""
