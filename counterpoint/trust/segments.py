"""Which segment is getting worse: parts of the table where the estimated error has risen."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_random_state

from counterpoint._outputs import MemberOutputs
from counterpoint._typing import Seed
from counterpoint._validation import check_count
from counterpoint.base import draw_seed
from counterpoint.datasets.encoding import TabularEncoder
from counterpoint.trust.drift import both_frames, holm
from counterpoint.trust.error_methods import Seen, calibrated, calibrations
from counterpoint.trust.inputs import check_same, need_outputs


def error_by_segment(
    reference: MemberOutputs,
    new: MemberOutputs,
    X_reference: Any,
    X_new: Any,
    *,
    max_segments: int = 6,
    random_state: Seed = None,
) -> pd.DataFrame:
    """Find the parts of a table in which the error has changed most, by a small tree.

    Parameters
    ----------
    reference : MemberOutputs
        With ``y``, on rows that no member was trained on.
    new : MemberOutputs
        Of the same members.
    X_reference, X_new : array-like or frame of shape (n_samples, n_features)
        The rows of both.
    max_segments : int, default=6
        Most leaves of the tree.
    random_state : int, RandomState instance or None, default=None
        Draws the halves: the tree is grown on one and read off on the other.

    Returns
    -------
    DataFrame
        A row per segment, what adds most to the error first: "segment" in words, its
        "reference_share" and "new_share" of rows, the "reference_error" (known), the "new_error"
        (calibrated confidence), their difference "change", "p_holm" of no change (normal
        approximation, Holm's correction), and what the segment "adds" to the error of all rows.

    Notes
    -----
    The tree is fitted to ``e (g - s) / (s (1 - s))``, where e is the error of a row (estimated on
    both samples alike), g is 1 for new rows, and s is their share: its mean in a region is the
    difference of the errors (the transformed outcome of Athey and Imbens 2016). The halves keep
    what is found from flattering itself.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint import MemberOutputs
    >>> from counterpoint.trust import error_by_segment
    >>> X, y = make_classification(1500, 4, n_informative=3, n_redundant=0, random_state=0)
    >>> forest = RandomForestClassifier(30, max_depth=5, random_state=0).fit(X[:500], y[:500])
    >>> reference = MemberOutputs.from_estimator(forest, X[500:1000], y[500:1000])
    >>> new = MemberOutputs.from_estimator(forest, X[1000:])
    >>> table = error_by_segment(reference, new, X[500:1000], X[1000:], random_state=0)
    >>> bool(abs(table["new_share"].sum() - 1) < 1e-9)
    True
    """
    need_outputs(reference, "reference", truth=True)
    need_outputs(new, "new")
    check_same(reference, new)
    before, after = both_frames(X_reference, X_new)
    for name, X, outputs in (("X_reference", before, reference), ("X_new", after, new)):
        if len(X) != outputs.n_samples:
            raise ValueError(
                f"{name} has {len(X)} rows, but there are {outputs.n_samples} outputs."
            )
    check_count(max_segments, "max_segments", low=2)
    rng = check_random_state(random_state)
    seen, asked = Seen(reference), Seen(new)
    maps = calibrations(seen.proba, seen.y, seen.weight)
    doubt = np.concatenate([_doubt(maps, one) for one in (seen, asked)])
    weight = np.concatenate([seen.weight, asked.weight])
    is_new = np.repeat([0.0, 1.0], [reference.n_samples, new.n_samples])
    frame = pd.concat([before, after], ignore_index=True)
    encoder = TabularEncoder().fit(frame, (is_new > 0).astype(int))
    X, names = encoder.transform(frame), [str(n) for n in encoder.get_feature_names_out()]
    grow = rng.permutation(len(frame)) % 2 == 0
    share = is_new.mean()
    outcome = doubt * (is_new - share) / (share * (1 - share))
    tree = DecisionTreeRegressor(
        max_leaf_nodes=max_segments, min_samples_leaf=max(10, len(frame) // 40),
        random_state=draw_seed(rng),
    )  # fmt: skip
    tree.fit(X[grow], outcome[grow], sample_weight=weight[grow])
    leaf = tree.apply(X)
    told = np.concatenate([seen.wrong, doubt[reference.n_samples :]])
    rows = [
        _describe(_path(tree.tree_, at, names), leaf == at, grow, is_new, told, weight)
        for at in np.unique(leaf)
    ]
    table = pd.DataFrame(rows)
    table["p_holm"] = holm(table.pop("p").to_numpy())
    columns = ["segment", "reference_share", "new_share", "reference_error", "new_error", "change",
               "p_holm", "adds"]  # fmt: skip
    return table.sort_values("adds", ascending=False, kind="stable")[columns].reset_index(drop=True)


def _doubt(maps: Any, seen: Seen) -> NDArray:
    return 1 - calibrated(maps, seen.proba)[np.arange(len(seen.answer)), seen.answer]


def _describe(words, here, grow, is_new, told, weight):
    old, fresh = here & (is_new == 0), here & (is_new == 1)
    # Errors from the half that did not choose the segment, if it has rows of both kinds.
    part = ~grow if (old & ~grow).any() and (fresh & ~grow).any() else np.ones_like(grow)
    errors, squares = [], []
    for rows in (old & part, fresh & part):
        w = weight[rows]
        mean = w @ told[rows] / w.sum() if w.sum() > 0 else np.nan
        errors.append(mean)
        squares.append((w**2) @ (told[rows] - mean) ** 2 / w.sum() ** 2 if w.sum() > 0 else np.nan)
    shares = [weight[rows].sum() / weight[is_new == g].sum() for g, rows in ((0, old), (1, fresh))]
    change = errors[1] - errors[0]
    deviation = np.sqrt(squares[0] + squares[1])
    p = 2 * ndtr(-abs(change) / deviation) if deviation > 0 else np.nan
    adds = np.nansum([shares[1] * errors[1], -shares[0] * errors[0]])
    return {
        "segment": words, "reference_share": shares[0], "new_share": shares[1],
        "reference_error": errors[0], "new_error": errors[1], "change": change, "p": p,
        "adds": float(adds),
    }  # fmt: skip


def _path(tree, leaf, names):
    """Return the conditions that lead to a leaf, one per column and side."""
    parent = {}
    for node in range(tree.node_count):
        for child, side in ((tree.children_left[node], "<="), (tree.children_right[node], ">")):
            if child >= 0:
                parent[child] = (node, side)
    limits: dict[tuple[str, str], float] = {}
    while leaf in parent:
        leaf, side = parent[leaf]
        # Walking upwards, the first limit met is the tightest.
        limits.setdefault((names[tree.feature[leaf]], side), float(tree.threshold[leaf]))
    words = [f"{name} {side} {limit:.4g}" for (name, side), limit in reversed(limits.items())]
    return " and ".join(words) or "all rows"
