"""Learners that do once what all rounds need: trees on bins are binned once per fit.

What a member says about the training samples falls out of growing it, and all members are asked
about new samples in one kernel.
"""

from copy import copy

import numpy as np
from sklearn.utils.validation import validate_data

from counterpoint._kernels.threads import threads_for
from counterpoint._kernels.votes import votes_of_leaves
from counterpoint._validation import code_type
from counterpoint.boosting.concepts import NominalConceptClassifier
from counterpoint.boosting.learners import EstimatorLearner, Learner, MemberAnswer
from counterpoint.trees import HistTreeClassifier, HistTreeRegressor, PrunedTreeClassifier, Tree
from counterpoint.trees.binning import Binner
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.workspace import GrowWorkspace, grow
from counterpoint.trees.pruning.prune import prune_tree


def make_learner(estimator, X, y, codes, classes, *, resample, proba, weight, rng):
    """Return a learner that shares work between rounds where the estimator can, else any.

    ``weight`` is where the samples start, scaled to add up to the number of cases they stand for.
    """
    if not resample:
        shared = shared_learner(estimator, X, codes, classes, proba=proba, weight=weight)
        if shared is not None:
            return shared
    return EstimatorLearner(estimator, X, y, classes, resample=resample, proba=proba, rng=rng)


def shared_learner(estimator, X, codes, classes, *, proba, weight):
    """Return a learner that shares work, or None for estimators that cannot."""
    if type(estimator) is HistTreeClassifier and estimator.class_weight is None:
        return HistLearner(estimator, X, codes, classes, proba)
    if (
        type(estimator) is PrunedTreeClassifier
        and estimator.grower == "hist"
        and estimator.class_weight is None
        and (estimator.criterion, estimator.limit) == ("error-based", "binomial")
    ):
        return PrunedLearner(estimator, X, codes, classes, proba, float(weight.sum()))
    every = len(np.unique(codes)) == len(classes) if classes is not None else False
    if type(estimator) is NominalConceptClassifier and every:
        return ConceptLearner(estimator, X, classes[codes], weight)
    if type(estimator) is HistTreeRegressor:
        return RegressionLearner(estimator, X)
    return None


class _BinnedLearner(Learner):
    def __init__(self, estimator, X, codes=None, classes=None, proba=False):
        # The checks of the estimator's own fit, once; the template remembers names of columns.
        self.template = copy(estimator)
        try:
            self.X = validate_data(
                self.template, X, dtype=estimator._input_dtype, ensure_all_finite="allow-nan"
            )
        except ValueError as error:
            if "could not convert" not in str(error):
                raise
            raise ValueError(
                f"{type(estimator).__name__} takes numbers, but X holds text ({error}). Put "
                "counterpoint.datasets.TabularEncoder() before the booster in a pipeline, or boost "
                "NominalConceptClassifier, which takes nominal columns."
            ) from error
        estimator._check()
        self.classes, self.proba = classes, proba
        n_classes = None if classes is None else len(classes)
        binned = Binner(getattr(estimator, "max_bins", 255)).fit_transform(self.X)
        self.workspace = GrowWorkspace(binned, codes, n_classes=n_classes)
        self.n = len(self.X)

    def _answer(self, tree, leaf):
        model = self.template._with_tree(tree, self.classes)
        if self.classes is None:
            return MemberAnswer(model, values=tree.value[leaf, 0])
        labels = tree.value.argmax(axis=1).astype(code_type(len(self.classes)))
        with threads_for(len(leaf)):
            votes = votes_of_leaves(labels, leaf)
        proba = None
        if self.proba:
            proba = tree.value[leaf]
            proba = proba / proba.sum(axis=1, keepdims=True)
        return MemberAnswer(model, votes=votes, proba=proba)

    def answer(self, model):
        """Return what a member predicts for the training samples."""
        leaf = predict_trees(stack_trees([model.tree_]), self.X, kind="leaves")[0]
        return self._answer(model.tree_, leaf)


class HistLearner(_BinnedLearner):
    """Histogram trees on data binned once."""

    def fit(self, weight, target=None):
        """Grow one tree."""
        own = self.template
        tree = grow(
            self.workspace,
            weight,
            target=target,
            criterion=own.criterion,
            max_depth=own.max_depth,
            max_leaf_nodes=own.max_leaf_nodes,
            min_samples_split=own.min_samples_split,
            min_samples_leaf=own.min_samples_leaf,
            min_impurity_decrease=own.min_impurity_decrease,
        )
        return self._answer(tree, self.workspace.leaf)


class RegressionLearner(HistLearner):
    """Histogram regression trees on data binned once; several targets make several trees."""

    def fit(self, weight, target=None):
        """Grow a tree per column of the target."""
        if target.ndim == 1:
            return super().fit(weight, target)
        weights = weight if weight.ndim == 2 else np.tile(weight[:, None], (1, target.shape[1]))
        answers = [
            super(RegressionLearner, self).fit(
                np.ascontiguousarray(w), np.ascontiguousarray(column)
            )
            for w, column in zip(weights.T, target.T, strict=True)
        ]
        return MemberAnswer(
            [a.model for a in answers], values=np.stack([a.values for a in answers], axis=1)
        )

    def answer(self, model):
        """Return what a member, or the members for several targets, predict for the samples."""
        if isinstance(model, list):
            return MemberAnswer(
                model, values=np.stack([self.answer(m).values for m in model], axis=1)
            )
        return super().answer(model)


class PrunedLearner(_BinnedLearner):
    """Trees on data binned once, pruned by the error-based criterion."""

    def __init__(self, estimator, X, codes, classes, proba, n_cases):
        super().__init__(estimator, X, codes, classes, proba)
        self.n_cases = n_cases

    def fit(self, weight, target=None):
        """Grow one tree and prune it."""
        own = self.template
        # Booster weights say which samples matter more, not how many cases there are.
        cases = weight * (self.n_cases / weight.sum())
        tree = grow(
            self.workspace,
            cases,
            criterion=own.split_criterion,
            max_depth=own.max_depth,
            min_weight_leaf=own.min_samples_leaf * (1 - 1e-6),
        )
        pruned, pruning = prune_tree(tree, own.cf, total=self.n_cases)
        return self._answer(pruned, pruning.new_node[self.workspace.leaf])


class ConceptLearner(Learner):
    """Concepts on nominal columns coded, and cut, once."""

    def __init__(self, estimator, X, y, weight):
        self.template = copy(estimator)
        # The cuts of numeric columns are made once, by the weights the samples start from.
        self.codes, self.y, _ = self.template._learn_codes(X, y, weight)

    def fit(self, weight, target=None):
        """Find the pertinent attribute by these weights, and its concepts."""
        return self.answer(copy(self.template)._fit_codes(self.codes, self.y, weight))

    def answer(self, model):
        """Say what a member says about the training samples."""
        proba = model._predict_codes(self.codes)
        return MemberAnswer(model, votes=proba.argmax(axis=1).astype(np.int32), proba=proba)


def stacked_members(models):
    """Return the trees of all members laid end to end, or None if some are no trees of ours."""
    trees = [getattr(model, "tree_", None) for model in models]
    return stack_trees(trees) if all(isinstance(tree, Tree) for tree in trees) else None


def stacked_votes(owner, stacked, X, model):
    """Class codes of all members about X, (n_members, n_samples)."""
    X = validate_data(
        owner, X, reset=False, dtype=model._input_dtype, ensure_all_finite="allow-nan"
    )
    return predict_trees(stacked, X)
