"""Trees grown by weight with either grower, many on the same rows."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import compute_sample_weight

from counterpoint._arrays import count_cases
from counterpoint.base import check_weights
from counterpoint.trees.binning import Binner
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.growing.workspace import GrowWorkspace, grow

# A leaf may be so much lighter than the least weight: sums of weights are rounded.
_ROUNDING = 1e-6


def case_weights(X, y, sample_weight, class_weight):
    """Return weights as numbers of cases: whole numbers as they are, others scaled."""
    weight = check_weights(sample_weight, X)
    weight = np.ones(len(X)) if weight is None else weight
    if class_weight is not None:
        weight = weight * compute_sample_weight(class_weight, y)
    n_held = np.count_nonzero(weight)
    if n_held == 0:
        raise ValueError("Weights are all zero: at least one sample must count.")
    if count_cases(weight) is not None:
        return weight
    return weight * (n_held / weight.sum())


class Grower:
    """Grows trees on the same rows with one weight after another, by the options of a model."""

    def __init__(self, model, X, y, codes, weight, *, max_features=None):
        self.X, self.y = X, y
        self.split_criterion, self.max_depth = model.split_criterion, model.max_depth
        self.min_samples_leaf, self.max_features = model.min_samples_leaf, max_features
        self.workspace = None
        if model.grower == "hist":
            self.held = weight > 0
            binned = Binner().fit_transform(X[self.held])
            n_classes = len(model.classes_)
            self.workspace = GrowWorkspace(binned, codes[self.held], n_classes=n_classes)

    @property
    def leaf(self):
        """The leaf of every row in the tree grown last; None where it is not known."""
        if self.workspace is None or not self.held.all():
            return None
        return self.workspace.leaf

    def grow(self, weight, random_state=None):
        """Return a tree, and the estimator of scikit-learn that holds it or None."""
        if self.workspace is None:
            return self._grow_sklearn(weight, random_state)
        tree = grow(
            self.workspace,
            weight[self.held],
            criterion=self.split_criterion,
            max_depth=self.max_depth,
            min_weight_leaf=self.min_samples_leaf * (1 - _ROUNDING),
        )
        return tree, None

    def _grow_sklearn(self, weight, random_state):
        # By weight, not by rows: a leaf of one sample with weight 2 holds two cases. The share
        # may be a half at most, and a tree too light for a split must not be split at all.
        least = self.min_samples_leaf * (1 - _ROUNDING) / weight.sum()
        numbers = self.split_criterion == "squared_error"
        template = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(
            criterion=self.split_criterion,
            max_depth=self.max_depth,
            min_samples_split=2 if least <= 0.5 else len(self.X) + 1,
            min_weight_fraction_leaf=min(least, 0.5),
            max_features=self.max_features,
            random_state=random_state,
        ).fit(self.X, self.y, sample_weight=weight)
        return from_sklearn(template), template
