"""Asking a pool about some queries; pools of scikit-learn trees in one kernel."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from counterpoint._kernels import walk as kernels
from counterpoint._kernels.threads import threads_for
from counterpoint._outputs import MemberOutputs
from counterpoint.trees.convert import from_sklearn
from counterpoint.trees.ensemble import stack_trees
from counterpoint.trees.structure import round_down

_TREES = (DecisionTreeClassifier, ExtraTreeClassifier)
_FORESTS = (BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier)


class Asker:
    """Ask the members of a fitted pool; answers are positions in ``classes``."""

    def __init__(self, pool, columns, classes, n_jobs):
        self.pool, self.columns, self.classes, self.n_jobs = pool, columns, classes, n_jobs
        self.trees = _stack(pool, columns, classes)

    def ask(self, X, *, proba: bool) -> tuple[NDArray, NDArray | None]:
        """Return votes (n_members, n_queries) and probabilities, or None; a query lies together."""
        if self.trees is not None and isinstance(X, np.ndarray) and X.dtype.kind in "fiub":
            plain = np.ascontiguousarray(X, dtype=np.float32)
            if not np.isnan(plain).any():
                return self._walk(plain, proba)
        outputs = MemberOutputs.from_estimator(
            self.pool, X, columns=self.columns, n_jobs=self.n_jobs
        ).over(self.classes)
        votes = np.ascontiguousarray(outputs.votes.T).T
        return votes, outputs.proba if proba else None

    def _walk(self, X, proba):
        roots, feature, cut, left, label, value = self.trees
        # Some ten levels a tree.
        with threads_for(10 * len(X) * len(roots)):
            if not proba:
                return kernels.look_up(X, roots, feature, cut, left, label).T, None
            numbers = np.arange(len(left), dtype=np.uint32)
            leaf = kernels.look_up(X, roots, feature, cut, left, numbers)
        return label[leaf].T, value[leaf].transpose(1, 0, 2)


def _stack(pool, columns, classes):
    """Return the way through the trees of a pool, labels and values; None for other pools."""
    if isinstance(pool, list):
        members, codes = [member for _, member in pool], False
        if columns is not None and any(c is not None for c in columns):
            return None
        features = [None] * len(members)
    elif type(pool) in _FORESTS:
        members, codes = list(pool.estimators_), True
        features = getattr(pool, "estimators_features_", [None] * len(members))
    else:
        return None
    if not all(type(m) in _TREES and m.n_outputs_ == 1 for m in members):
        return None
    trees = []
    for member, own in zip(members, features, strict=True):
        tree, known = from_sklearn(member), member.classes_
        at = known.astype(np.int64) if codes else np.searchsorted(classes, known)
        value = np.zeros((tree.node_count, len(classes)))
        value[:, at] = member.tree_.value[:, 0]
        feature = tree.feature if own is None else np.asarray(own)[tree.feature]
        trees.append(replace(tree, value=value, feature=feature))
    stacked = stack_trees(trees)
    # Level by level and children side by side: there a walk needs one child, and less memory.
    roots = np.append(stacked.roots, len(stacked.left)).astype(np.int64)
    first = np.repeat(roots[:-1], np.diff(roots))
    children = (np.where(stacked.is_leaf, -1, c - first) for c in (stacked.left, stacked.right))
    old, left = kernels.lay_out(roots, *children)
    leaf, value = stacked.is_leaf[old], stacked.value[old]
    cut = round_down(stacked.threshold, np.float32)[old]
    cut = np.where(leaf, np.float32(np.inf), cut)
    feature = np.where(leaf, 0, stacked.feature[old]).astype(np.uint32)
    label = value.argmax(axis=1).astype(np.int8 if len(classes) < 128 else np.int32)
    return roots, feature, cut, left, label, value
