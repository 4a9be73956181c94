"""Values of nodes drawn towards those of the nodes above them."""

import numpy as np
from numpy.typing import NDArray

from counterpoint.trees.structure import LEAF


def shrink_to_ancestors(
    left: NDArray, right: NDArray, mean: NDArray, weight: NDArray, strength: float
) -> NDArray:
    """Return means of nodes, (n_nodes, k), with every step down divided by 1 + strength / weight.

    The weight is that of the node that the step leaves: hierarchical shrinkage (Agarwal, Tan,
    Ronen, Singh and Yu, "Hierarchical shrinkage: improving the accuracy and interpretability of
    tree-based methods", ICML 2022, eq. 2). Children come after their parents; a node without weight
    says what the one above says.
    """
    made = np.array(mean, dtype=np.float64)
    for node in np.flatnonzero(left != LEAF):
        for child in (left[node], right[node]):
            step = mean[child] - mean[node] if weight[child] > 0 else 0.0
            made[child] = made[node] + step * (weight[node] / (weight[node] + strength))
    return made
