"""Soft targets: what an ensemble says of its own samples, each tree of those it did not see."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from counterpoint._kernels.trees import sum_up
from counterpoint.trees.convert import first_output
from counterpoint.trees.ensemble import predict_trees, stack_trees
from counterpoint.trees.growing.cases import content_order, out_of_bag
from counterpoint.trees.merging.crossed import crossed_rows
from counterpoint.trees.merging.targets import centre_and_spread
from counterpoint.trees.pruning.numbers import squares
from counterpoint.trees.shrinking import shrink_to_ancestors
from counterpoint.trees.structure import Tree, class_shares, impurities

# A leaf costs its errors and a tenth of its impurity.
_PURITY = 0.1
# The least weight of a leaf, in cases.
_FEWEST = 2.0
# What leaves of a path put out.
LEAVES = ("ensemble", "labels")


def node_sums(tree: Tree, leaf: NDArray, values: NDArray) -> NDArray:
    """Return sums of values (n_samples, k) over the samples in every node, by their leaves."""
    table = np.zeros((tree.node_count, values.shape[1]))
    np.add.at(table, leaf, values)
    sum_up(tree.children_left, tree.children_right, table)
    return table


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What candidates are judged on: ``n`` training samples, and then rows crossed from them.

    ``judge`` and ``value`` are those of :class:`SoftTargets`. All crossed rows together weigh as
    much as all samples.
    """

    X: NDArray
    weight: NDArray
    judge: NDArray
    value: NDArray
    n: int

    def own(self) -> NDArray:
        """Weights of the training samples alone."""
        return np.where(np.arange(len(self.X)) < self.n, self.weight, 0.0)


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

    def _of_answers(self, said: NDArray) -> NDArray:
        """Return ``judge`` of rows without a target, of which the ensemble says this."""
        raise NotImplementedError

    def _own(self, numbers: NDArray) -> NDArray:
        """Return answers in the unit that targets have here."""
        raise NotImplementedError

    def _soft(self, judge: NDArray) -> NDArray:
        """Return the soft targets in ``judge``."""
        raise NotImplementedError

    def _said_by(self, tree: Tree) -> NDArray:
        """Return what the nodes of a tree say."""
        raise NotImplementedError

    def _node_arrays(self, tree, leaf, weight, mean, held):
        """Return values and impurities of nodes that hold these means of what they put out."""
        raise NotImplementedError

    def _ask(self, trees, X, target, drawn, said=None):
        """Return what trees say of samples: those that did not see them, and all.

        ``said`` is what an ensemble says whose trees do not say it by themselves.
        """
        self.order = content_order(X, target)
        self.leaf = predict_trees(stack_trees(trees), X, kind="leaves")
        self.out = out_of_bag(X, target, drawn)
        if said is not None:
            said = self._own(said)
            return said, said
        both = zip(trees, self.leaf, strict=True)
        said = np.stack([self._said_by(tree)[leaf] for tree, leaf in both])
        everybody = said.mean(axis=0)
        count = self.out.sum(axis=0)[:, None]
        apart = np.einsum("ti,tik->ik", self.out.astype(float), said) / np.where(
            count > 0, count, 1.0
        )
        return np.where(count > 0, apart, everybody), everybody

    def judged(self, trees, X, weight, rng, ask: Any = None) -> Judged:
        """Return the samples, and rows crossed from them, of which all trees say what they are.

        ``ask`` gives answers to rows, (n_rows, k), where the trees do not give them by themselves.
        """
        made = crossed_rows(trees, self.leaf, X, weight, self.order, rng)
        if ask is None:
            leaves = predict_trees(stack_trees(trees), made, kind="leaves")
            said = np.zeros((len(made), self.value.shape[1]))
            for tree, leaf in zip(trees, leaves, strict=True):
                said += self._said_by(tree)[leaf]
            said /= len(trees)
        else:
            said = self._own(ask(made))
        return Judged(
            X=np.concatenate([X, made]),
            weight=np.concatenate([weight, np.full(len(made), weight.sum() / len(made))]),
            judge=np.concatenate([self.judge, self._of_answers(said)]),
            value=np.concatenate([self.value, said]),
            n=len(X),
        )

    def grown(self, on: Judged, most, random_state):
        """Return a tree of least squares, best split first: for shares, by the Gini index."""
        tree = DecisionTreeRegressor(
            max_leaf_nodes=most,
            min_weight_fraction_leaf=min(0.5, _FEWEST / on.weight.sum()),
            random_state=random_state,
        )
        return first_output(tree.fit(on.X, self._soft(on.judge), sample_weight=on.weight))

    def fill(self, tree, leaf, on: Judged, *, leaf_values="ensemble", shrinkage=0.0):
        """Return a tree whose nodes hold the means of what its leaves are to put out.

        These are means over samples and crossed rows, or over the targets of the samples; how many
        there are in a node is counted without crossed rows.
        """
        own = on.own()
        held = node_sums(tree, leaf, np.stack([own, own > 0], axis=1))
        if leaf_values == "ensemble":
            shown, weight = on.value, on.weight
        else:
            shown, weight = self.truth, own[: on.n]
        sums = node_sums(
            tree, leaf[: len(weight)], np.c_[shown, np.ones(len(shown))] * weight[:, None]
        )
        mean = sums[:, :-1] / np.where(sums[:, -1:] > 0, sums[:, -1:], 1.0)
        if shrinkage > 0:
            where = tree.children_left, tree.children_right
            mean = shrink_to_ancestors(*where, mean, held[:, 0], shrinkage)
        return replace(
            tree,
            bin_threshold=np.zeros(tree.node_count, dtype=np.uint8),
            weighted_n_node_samples=np.ascontiguousarray(held[:, 0]),
            n_node_samples=held[:, 1].astype(np.int64),
            **self._node_arrays(tree, leaf[: on.n], own[: on.n], mean, held[:, 0]),
        )


class SoftLabels(SoftTargets):
    """Shares of classes, judged by half the label and half the trees that did not see it."""

    def __init__(self, trees, X, codes, drawn, n_classes, *, said=None):
        apart, everybody = self._ask(trees, X, codes, drawn, said)
        self.codes, self.truth = codes, np.eye(n_classes)[codes]
        self.judge = 0.5 * (apart + self.truth)
        self.value = 0.5 * (apart + everybody)

    def _said_by(self, tree):
        return class_shares(tree.value)

    def _of_answers(self, said):
        return said

    def _own(self, numbers):
        return numbers

    def costs(self, sums):
        """Errors expected of nodes as leaves, and a tenth of their impurity."""
        total = sums.sum(axis=1)
        impurity = total - (sums**2).sum(axis=1) / np.where(total > 0, total, 1.0)
        return np.maximum(total - sums.max(axis=1), 0.0) + _PURITY * impurity

    def answers(self, sums):
        """Return the class that nodes say."""
        return sums.argmax(axis=1)

    def losses(self, said, rows):
        """Whether these samples are errors."""
        return (said != self.codes[rows]).astype(float)

    def _soft(self, judge):
        return judge

    def _node_arrays(self, tree, leaf, weight, mean, held):
        value = np.maximum(mean, 0.0) * held[:, None]  # shrinkage may round below 0
        return {"value": value, "impurity": impurities(value)}


class SoftNumbers(SoftTargets):
    """Numbers, from their mean and in units of their spread until leaves put them out.

    They are judged by a third of the target, of the trees that did not see it, and of all trees.
    """

    def __init__(self, trees, X, y, weight, drawn, *, said=None):
        self.centre, self.scale = centre_and_spread(y, weight)
        apart, everybody = self._ask(trees, X, y, drawn, said)
        self.truth = self._own(y)[:, None]
        self.judge = self._of_answers((self.truth + apart + everybody) / 3.0)
        self.value = 0.5 * (apart + everybody)

    def _said_by(self, tree):
        return self._own(tree.value)

    def _of_answers(self, said):
        return np.hstack([np.ones_like(said), said, said**2])

    def _own(self, numbers):
        return (numbers - self.centre) / self.scale

    def costs(self, sums):
        """Squared errors expected of nodes as leaves."""
        return squares(sums)

    def answers(self, sums):
        """Return the mean that nodes say."""
        return sums[:, 1] / np.where(sums[:, 0] > 0, sums[:, 0], 1.0)

    def losses(self, said, rows):
        """Squared errors of these samples."""
        return (said - self.truth[rows, 0]) ** 2

    def _soft(self, judge):
        return judge[:, 1]

    def _node_arrays(self, tree, leaf, weight, mean, held):
        own = np.hstack([np.ones_like(self.truth), self.truth, self.truth**2])
        spread = squares(node_sums(tree, leaf, own * weight[:, None]))
        return {
            "value": self.centre + self.scale * mean,
            "impurity": self.scale**2 * spread / np.where(held > 0, held, 1.0),
        }
