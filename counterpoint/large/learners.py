"""Learners whose rows are kept by a crew: they grow trees on sums."""

from copy import copy

import numpy as np
from sklearn.base import clone

from counterpoint.base import set_random_states
from counterpoint.boosting.learners import Learner, MemberAnswer
from counterpoint.large.crew import Crew
from counterpoint.large.rows import Member
from counterpoint.trees import HistTreeClassifier
from counterpoint.trees.growing.monotone import read_directions
from counterpoint.trees.growing.prepared import PreparedRows
from counterpoint.trees.growing.shards import ShardedWorkspace


def prepare(tree, crew: Crew) -> PreparedRows:
    """Read off a store what a tree reads off rows, and return rows that it can be grown on."""
    store = crew.store
    tree._check()
    tree.n_features_in_ = store.n_features
    tree.feature_names_in_ = np.array(store.feature_names, dtype=object)
    names = [n for n, values in zip(store.feature_names, store.categories, strict=True) if values]
    directions = None
    if isinstance(tree, HistTreeClassifier):
        if names:
            raise ValueError(
                f"Column {names[0]!r} of the store holds text, and trees for classes split "
                "numbers: write the store without it (columns=), or take LogitBoostClassifier or "
                "L2BoostClassifier, whose trees split categories."
            )
        tree.classes_ = store.classes
    else:
        if tree.categorical_features is not None:
            raise ValueError(
                f"categorical_features={tree.categorical_features!r}: a store knows its columns of "
                "text. Leave it out."
            )
        tree.is_categorical_ = store.cuts["categorical"] if names else None
        tree.categories_ = list(store.categories) if names else None
        directions = read_directions(
            tree.monotonic_cst, store.n_features, tree.feature_names_in_, tree.is_categorical_
        )
    # Rows as targets where the tree is fitted to numbers, whatever the store has.
    is_classifier = isinstance(tree, HistTreeClassifier)
    n_classes = len(store.classes) if is_classifier else None
    grower = ShardedWorkspace(crew, store.binned, n_classes=n_classes)
    data = PreparedRows(np.empty((0, store.n_features)), grower)
    data.directions = directions
    data.is_random = getattr(tree, "max_features", 1.0) < 1
    return data


class ShardedLearner(Learner):
    """Train trees on the weights that the crew keeps."""

    def __init__(self, estimator, crew, rng=None):
        self.template, self.crew = clone(estimator), crew
        self.data = prepare(self.template, crew)
        self.rng = np.random.RandomState(0) if rng is None else rng
        self.is_random = self.data.is_random

    def fit(self, weight=None, target=None):
        """Train one member on what the crew has now."""
        model = copy(self.template)
        if self.is_random:
            set_random_states(model, self.rng)
        model.fit_prepared(self.data)
        return self._answer(model, self.data.grower._begun)

    def answer(self, model):
        """Return a member trained before."""
        return self._answer(model, -1)

    def _answer(self, model, number):
        votes = isinstance(model, HistTreeClassifier)
        return MemberAnswer(model, votes=Member.of(model.tree_, number, votes=votes))


class ShardedColumnsLearner(ShardedLearner):
    """Train a tree for each output of a sum."""

    def fit(self, weight=None, target=None):
        """Train the trees of a round; ``target`` has the largest factor of weights per output."""
        answers = []
        for column in range(len(target)):
            self.crew.log.append(("aim", (column, target)))
            answers.append(super().fit())
        return _joined(answers)

    def answer(self, model):
        """Return the trees of a round trained before."""
        models = model if isinstance(model, list) else [model]
        return _joined([self._answer(one, -1) for one in models])


def _joined(answers):
    models = [answer.model for answer in answers]
    members = [answer.votes for answer in answers]
    return MemberAnswer(models[0] if len(models) == 1 else models, votes=members)
