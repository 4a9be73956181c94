"""Other people's small trees and rules, for :mod:`benchmarks.tree_sizes`; imported when called.

Each wants an environment of its own, with what counterpoint needs beside it: ``pystreed``,
``imodels`` (and ``six``, which it does not name), ``licketysplit``, ``interpret-core``, and
RuleCOSI+ from its repository (jobregon1212/rulecosi; with ``bitarray`` and ``gmpy2``).
"""

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

# What a leaf costs in LicketySPLIT, in shares of the rows: the least that keeps within the budget.
_PER_LEAF = tuple(float(x) for x in np.geomspace(0.2, 0.002, 12))


def streed(size, seed):
    """Return a tree of least training error, where that can be found in ten seconds."""
    from pystreed import STreeDClassifier

    depth = int(np.log2(size))
    return STreeDClassifier(
        "accuracy", max_depth=depth, max_num_nodes=size - 1, time_limit=10, n_thresholds=5
    )


def shrunk(size, seed):
    """Return CART with hierarchical shrinkage, its strength chosen by cross-validation."""
    from imodels import HSTreeClassifierCV

    tree = DecisionTreeClassifier(max_leaf_nodes=size, random_state=seed)
    return HSTreeClassifierCV(tree, cv=3)


def figs(size, seed):
    """Return a sum of trees with as many splits."""
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=size - 1, random_state=seed)


class LicketySplit:
    """Near-optimal trees of several sizes, on columns cut by its own binariser."""

    def __init__(self, sizes, seed):
        self.sizes, self.seed = sizes, seed

    def fit(self, X, y):
        """Fit with falling costs of a leaf as long as the budget is kept; gives {size: model}."""
        from licketysplit import LicketySPLITClassifier, ThresholdGuessBinarizer

        binarizer = ThresholdGuessBinarizer(random_state=self.seed).fit(X, y)
        cut = np.asarray(binarizer.transform(X)).astype(np.uint8)
        found = {}
        for size in self.sizes:
            for cost in _PER_LEAF:
                # Its depth counts leaves as well: complete trees of the size have room.
                model = LicketySPLITClassifier(
                    lambda_leaf=cost, depth_budget=int(np.log2(size)) + 1
                ).fit(cut, y)
                if len(model.get_tree_paths()[0]) > size:
                    break
                found[size] = _Cut(model, binarizer)
        return found


class _Cut:
    """A model on columns that a binariser cuts first."""

    def __init__(self, model, binarizer):
        self.model, self.binarizer = model, binarizer

    def predict_proba(self, X):
        return self.model.predict_proba(np.asarray(self.binarizer.transform(X)).astype(np.uint8))


def additive(seed):
    """Return an explainable boosting machine: a sum of curves, no tree; one core."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=seed)


def rules(seed):
    """Return RuleCOSI+ on a hundred boosted trees of depth 3, as many rules as it takes."""
    from rulecosi import RuleCOSIClassifier

    boosted = GradientBoostingClassifier(n_estimators=100, max_depth=3, random_state=seed)
    return RuleCOSIClassifier(base_ensemble=boosted, random_state=seed)


OF_SIZE = {"HSTreeCV": shrunk, "FIGS": figs, "STreeD": streed}
OF_SIZES = {"LicketySPLIT": LicketySplit}
# Larger trees are not found in time.
SMALL_ONLY = ("STreeD", "LicketySPLIT")
OF_NO_SIZE = {"EBM": additive, "RuleCOSI+": rules}
