"""Soft targets: what an ensemble says of its own samples, each tree of those it did not see."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from counterpoint._kernels.trees import sum_up
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.cases import out_of_bag
from counterpoint.trees.merging.targets import centre_and_spread
from counterpoint.trees.pruning.numbers import squares
from counterpoint.trees.shrinking import shrink_to_ancestors
from counterpoint.trees.structure import Tree, class_shares, impurities

# Among prunings of equal error the purer one: a thousandth of the impurity is added.
_PURITY = 1e-3
# What leaves of a path put out.
LEAVES = ("ensemble", "labels")


def node_sums(tree: Tree, leaf: NDArray, values: NDArray) -> NDArray:
    """Return sums of values (n_samples, k) over the samples in every node, by their leaves."""
    table = np.zeros((tree.node_count, values.shape[1]))
    np.add.at(table, leaf, values)
    sum_up(tree.children_left, tree.children_right, table)
    return table


def _shares(tree):
    return class_shares(tree.value)


class SoftTargets:
    """What trees say of samples, ``leaf`` (n_trees, n_samples) by the leaves they are in.

    ``out`` (n_trees, n_samples) says which trees were not grown on a sample, nor on a copy of it.
    ``judge`` (n_samples, k) adds up over a node to what candidates are judged by: the target mixed
    with what the trees say, above all those that were not grown on the sample, which is smooth
    where the ensemble takes a target for noise. ``value`` is half what these say and half what all
    trees say, which leaves may put out; ``truth`` are the targets themselves.
    """

    judge: NDArray
    value: NDArray
    truth: NDArray

    def _node_arrays(self, tree, leaf, weight, mean, held):
        """Return values and impurities of nodes that hold these means of what they put out."""
        raise NotImplementedError

    def _ask(self, trees, X, target, drawn, said_by):
        """Return what trees say of samples: those that did not see them, and all."""
        self.leaf = predict_trees(stack_trees(trees), X, kind="leaves")
        said = np.stack([said_by(tree)[leaf] for tree, leaf in zip(trees, self.leaf, strict=True)])
        everybody = said.mean(axis=0)
        self.out = out_of_bag(X, target, drawn)
        count = self.out.sum(axis=0)[:, None]
        apart = np.einsum("ti,tik->ik", self.out.astype(float), said) / np.where(
            count > 0, count, 1.0
        )
        return np.where(count > 0, apart, everybody), everybody

    def fill(self, tree, leaf, weight, *, leaf_values="ensemble", shrinkage=0.0):
        """Return a tree whose nodes hold the means of what its leaves are to put out."""
        held = node_sums(tree, leaf, np.stack([weight, weight > 0], axis=1))
        shown = self.value if leaf_values == "ensemble" else self.truth
        sums = node_sums(tree, leaf, shown * weight[:, None])
        mean = sums / np.where(held[:, :1] > 0, held[:, :1], 1.0)
        if shrinkage > 0:
            where = tree.children_left, tree.children_right
            mean = shrink_to_ancestors(*where, mean, held[:, 0], shrinkage)
        return replace(
            tree,
            bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
            weighted_n_node_samples=np.ascontiguousarray(held[:, 0]),
            n_node_samples=held[:, 1].astype(np.int64),
            **self._node_arrays(tree, leaf, weight, mean, held[:, 0]),
        )


class SoftLabels(SoftTargets):
    """Shares of classes, judged by half the label and half the trees that did not see it."""

    def __init__(self, trees, X, codes, drawn, n_classes):
        apart, everybody = self._ask(trees, X, codes, drawn, _shares)
        self.codes, self.truth = codes, np.eye(n_classes)[codes]
        self.judge = 0.5 * (apart + self.truth)
        self.value = 0.5 * (apart + everybody)

    def costs(self, sums):
        """Errors expected of nodes as leaves, and a little of their impurity."""
        total = sums.sum(axis=1)
        impurity = total - (sums**2).sum(axis=1) / np.where(total > 0, total, 1.0)
        return np.maximum(total - sums.max(axis=1), 0.0) + _PURITY * impurity

    def standard_error(self, cost, n):
        """Return the standard error of so many errors among n."""
        return np.sqrt(max(cost * (1.0 - cost / n), 0.0))

    def answers(self, sums):
        """Return the class that nodes say."""
        return sums.argmax(axis=1)

    def losses(self, said, rows):
        """Whether these samples are errors."""
        return (said != self.codes[rows]).astype(float)

    def greedy(self, X, weight, most, random_state):
        """Grow trees on all samples, best split first: by labels, and by soft labels."""
        made, n_classes = {}, self.judge.shape[1]
        size = {"max_leaf_nodes": most, "random_state": random_state}
        by_label = DecisionTreeClassifier(**size)
        made["greedy"] = from_sklearn(by_label.fit(X, self.codes, sample_weight=weight))
        # A sample once for every class, with its share of it.
        rows, labels = np.tile(X, (n_classes, 1)), np.repeat(np.arange(n_classes), len(X))
        least = min(0.5, 2.0 / weight.sum())
        by_share = DecisionTreeClassifier(min_weight_fraction_leaf=least, **size)
        shares = (self.judge * weight[:, None]).T.ravel()
        made["soft"] = from_sklearn(by_share.fit(rows, labels, sample_weight=shares))
        return made

    def _node_arrays(self, tree, leaf, weight, mean, held):
        value = np.maximum(mean, 0.0) * held[:, None]  # shrinkage may round below 0
        return {"value": value, "impurity": impurities(value)}


class SoftNumbers(SoftTargets):
    """Numbers, from their mean and in units of their spread until leaves put them out.

    They are judged by a third of the target, of the trees that did not see it, and of all trees.
    """

    def __init__(self, trees, X, y, weight, drawn, *, said=None):
        self.centre, self.scale = centre_and_spread(y, weight)
        apart, everybody = self._ask(trees, X, y, drawn, lambda tree: self._own(tree.value))
        if said is not None:  # an ensemble whose trees do not say it by themselves
            apart = everybody = self._own(said)[:, None]
        self.truth = self._own(y)[:, None]
        mixed = (self.truth + apart + everybody) / 3.0
        self.judge = np.hstack([np.ones_like(mixed), mixed, mixed**2])
        self.value = 0.5 * (apart + everybody)

    def _own(self, numbers):
        return (numbers - self.centre) / self.scale

    def costs(self, sums):
        """Squared errors expected of nodes as leaves."""
        return squares(sums)

    def standard_error(self, cost, n):
        """Return the standard error of the sum of n squares, as if of normal numbers."""
        return cost * np.sqrt(2.0 / n)

    def answers(self, sums):
        """Return the mean that nodes say."""
        return sums[:, 1] / np.where(sums[:, 0] > 0, sums[:, 0], 1.0)

    def losses(self, said, rows):
        """Squared errors of these samples."""
        return (said - self.truth[rows, 0]) ** 2

    def greedy(self, X, weight, most, random_state):
        """Grow trees on all samples, best split first: by numbers, and by soft numbers."""
        least = min(0.5, 2.0 / weight.sum())
        made = {}
        for name, target in (("greedy", self.truth[:, 0]), ("soft", self.judge[:, 1])):
            tree = DecisionTreeRegressor(
                max_leaf_nodes=most, min_weight_fraction_leaf=least, random_state=random_state
            )
            made[name] = from_sklearn(tree.fit(X, target, sample_weight=weight))
        return made

    def _node_arrays(self, tree, leaf, weight, mean, held):
        own = np.hstack([np.ones_like(self.truth), self.truth, self.truth**2])
        spread = squares(node_sums(tree, leaf, own * weight[:, None]))
        return {
            "value": self.centre + self.scale * mean,
            "impurity": self.scale**2 * spread / np.where(held > 0, held, 1.0),
        }
