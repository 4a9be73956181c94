"""Trees of a model as bytes, to be compared."""

import numpy as np


def tree_bytes(model):
    """Return the bytes of all trees of a model."""
    found = []
    for member in getattr(model, "estimators_", [model]):
        for one in member if isinstance(member, list) else [member]:
            tree = one.tree_
            arrays = (
                tree.children_left, tree.children_right, tree.feature, tree.threshold,
                tree.bin_threshold, tree.missing_go_to_left, tree.value, tree.n_node_samples,
                tree.weighted_n_node_samples, tree.impurity,
            )  # fmt: skip
            found.append(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays))
    return found
