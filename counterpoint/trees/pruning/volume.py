"""Prune what covers too little of the space."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from counterpoint._kernels import boxes as kernels
from counterpoint._kernels.trees import sum_up
from counterpoint._validation import check_number
from counterpoint.trees.boxes import box_volumes, check_columns
from counterpoint.trees.pruning.bottom_up import collapse, cut
from counterpoint.trees.structure import Tree, class_shares, impurities


def prune_by_volume(tree: Tree, bounds: tuple[ArrayLike, ArrayLike], least: float) -> Tree:
    """Make leaves of the nodes that cover less than ``least`` of the box ``bounds`` (low, high).

    A new leaf decides as most of its volume did: by the sum of the leaves' decisions, times
    volume (Eastwood's thesis, 2010, section 5.1.2). Nodes outside the box count all alike.
    """
    check_number(least, "least", low=0, high=1, hint=", a share of the volume")
    low = np.asarray(bounds[0], dtype=np.float64)
    check_columns([tree], len(low))
    lower, upper = kernels.node_boxes(
        tree.children_left, tree.children_right, tree.feature, tree.threshold, len(low)
    )
    volume = box_volumes(lower, upper, bounds, relative=True)
    said = class_shares(tree.value)
    here = np.where(tree.is_leaf, volume, 0.0)[:, None] * np.eye(tree.value.shape[1])[tree.label]
    alike = np.where(tree.is_leaf[:, None], said, 0.0)
    sums = np.hstack([here, alike])
    sum_up(tree.children_left, tree.children_right, sums)
    by_volume, outside = np.hsplit(sums, 2)
    held = by_volume.sum(axis=1, keepdims=True) > 0
    value = np.where(held, by_volume, outside)
    value = np.where(tree.is_leaf[:, None], tree.value, value)
    is_leaf = tree.is_leaf | (volume < least)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    kept = replace(tree, value=value, impurity=impurities(class_shares(value)))
    return cut(kept, collapse(left, right, is_leaf.tolist(), 0.0))
