"""One readable tree in place of a fitted ensemble, and how far it speaks for it."""

import warnings
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from counterpoint import _members
from counterpoint._validation import as_labels
from counterpoint.datasets import TabularEncoder
from counterpoint.trees import (
    DistilledTreeClassifier,
    MergedTreeClassifier,
    PrunedTreeClassifier,
    from_sklearn,
    take_trees,
    tree_rules,
)
from counterpoint.trees.convert import to_sklearn
from counterpoint.trees.pruning.bottom_up import collapse, cut

__all__ = ["OneTree", "as_rows", "cut_back", "one_tree", "rules_of"]

_MOST_TREES = 50  # time to merge grows with the square of their number
_MOST_ROWS = 3000
_HELD = 0.3
_SIZES = [2**k for k in range(1, 12)]


@dataclass(frozen=True, kw_only=True)
class OneTree:
    """A tree that stands for an ensemble; made by :func:`one_tree`.

    Attributes
    ----------
    tree : DecisionTreeClassifier
        The tree, on the columns ``feature_names``: those that reach the ensemble when it is the
        last step of a pipeline, else those of the data, encoded where they are no numbers.
    method : {"merged", "distilled"}
        "merged": put together from the ensemble's own trees, as
        :class:`~counterpoint.trees.MergedTreeClassifier` does. "distilled": grown on what the
        ensemble says, as :class:`~counterpoint.trees.DistilledTreeClassifier` does.
    fidelity : float
        Share of the held-out rows on which tree and ensemble say the same.
    error, ensemble_error : float
        Of the two, on the held-out rows.
    n_leaves : int
        Leaves of the tree.
    rules : list of str
        The tree as text, a rule a leaf, the one with most support first. Support counts the rows
        the tree was made from, artificial ones included.
    classes : ndarray
        Labels that the tree can give.
    feature_names : list of str
        Columns of the tree.
    indicators : dict of str to (str, object)
        Which value a column of 0 and 1 stands for, where the ensemble's encoder tells.
    n_fit, n_held : int
        Rows it was made from, and rows held out.
    sizes : list of dict
        What smaller trees would cost: "n_leaves", "fidelity" and "error" of this one cut back
        to 2, 4, 8, ... leaves, itself last.
    n_trees, n_members : int or None
        For "merged": trees that were merged, and trees there are.
    """

    tree: DecisionTreeClassifier
    method: str
    fidelity: float
    error: float
    ensemble_error: float
    n_leaves: int
    rules: list[str]
    classes: NDArray
    feature_names: list[str]
    n_fit: int
    n_held: int
    sizes: list[dict[str, float]]
    n_trees: int | None = None
    n_members: int | None = None
    indicators: dict[str, tuple[str, Any]] = field(default_factory=dict, repr=False)
    _steps: list[Any] = field(default_factory=list, repr=False)

    def predict(self, X: Any) -> NDArray:
        """Return what the tree says about rows as the ensemble takes them.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.tree.predict(_dense(_through(self._steps, X)))

    def text(self) -> str:
        """Return all of it in words: where it comes from, how faithful it is, its rules."""
        made = "Grown on what the ensemble says"
        if self.method == "merged":
            some = f"{self.n_trees} of the {self.n_members}"
            of = "the" if self.n_trees == self.n_members else some
            made = f"Merged from {of} trees of the ensemble"
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        return "\n".join(
            [
                f"{made}: one tree with {leaves}.",
                f"On {self.n_held} rows held out it says what the ensemble says on "
                f"{self.fidelity:.1%}, and errs on {self.error:.1%}; the ensemble errs on "
                f"{self.ensemble_error:.1%}.".replace("%", " %"),
                "",
                *self.rules,
            ]
        )


def one_tree(
    fitted: Any,
    X: Any,
    y: Any,
    *,
    max_leaves: int | None = None,
    random_state: Any = 0,
    X_test: Any = None,
    y_test: Any = None,
) -> OneTree:
    """Make one tree that says what a fitted ensemble says, as far as one tree can.

    Trees with splits on columns are merged; of anything else a tree learns the answers. Either
    way the tree learns the labels that the ensemble gives, not the true ones: it is there to
    explain the ensemble. Fidelity is measured on rows that it was not made from.

    Parameters
    ----------
    fitted : classifier
        Fitted; a pipeline is fine.
    X : array-like or frame of shape (n_samples, n_features)
        Rows as ``fitted`` takes them, best those it was trained on. At most 3000 of them, drawn
        at random, are used.
    y : array-like of shape (n_samples,)
        Their true labels, to count errors by.
    max_leaves : int or None, default=None
        Most leaves; a tree with more is cut back, the split that separates least first.
    random_state : int, RandomState instance or None, default=0
        Seeds the split, and the artificial rows of a distilled tree.
    X_test, y_test : array-like, default=None
        Rows to measure on. None: 30 % of the rows given are held out for that.

    Returns
    -------
    OneTree

    References
    ----------
    .. [1] M. Eastwood's thesis, chapters 4 and 5 (merged trees), section 2.5.2 (distilling).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular.explanation import one_tree
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> tree = one_tree(forest, X[1::2], y[1::2])
    >>> tree.method, tree.fidelity > 0.8
    ('merged', True)
    """
    if not is_classifier(_members.strip(fitted)[1]):
        raise TypeError(
            f"A {type(fitted).__name__} was given, expected a fitted classifier: one tree can "
            "speak for a classifier only."
        )
    if max_leaves is not None and max_leaves < 1:
        raise ValueError(f"max_leaves={max_leaves}: a tree has at least one leaf.")
    labels = as_labels(y, "y")
    rng = check_random_state(random_state)
    X = as_rows(X)
    if X_test is None:
        X, labels, X_test, truth = _hold_out(X, labels, rng)
    else:
        truth = as_labels(y_test, "y_test")
    kept = np.sort(rng.permutation(len(labels))[:_MOST_ROWS])
    X = _members.select_rows(X, kept)
    before, ensemble = _members.strip(fitted)
    held_said = np.asarray(fitted.predict(X_test))
    said = np.asarray(fitted.predict(X))
    with warnings.catch_warnings():
        # Ensembles fitted on frames are asked about arrays on the way.
        warnings.filterwarnings("ignore", message=".*valid feature names")
        made = _merged(ensemble, before, X, said)
        if made is None:
            made = _distilled(fitted, before, X, said, rng)
    tree, steps, names, facts = made
    if max_leaves is not None:
        tree = cut_back(tree, max_leaves)
    asked = _dense(_through(steps, X_test))
    told = tree.predict(asked)
    encoded = steps and isinstance(steps[-1], TabularEncoder)
    indicators = steps[-1].indicators() if encoded else {}
    return OneTree(
        tree=tree,
        fidelity=float(np.mean(told == held_said)),
        error=float(np.mean(told != truth)),
        ensemble_error=float(np.mean(held_said != truth)),
        n_leaves=int(tree.get_n_leaves()),
        rules=rules_of(tree, names, indicators),
        indicators=indicators,
        sizes=_sizes(tree, asked, held_said, truth),
        classes=tree.classes_,
        feature_names=names,
        n_fit=len(said),
        n_held=len(truth),
        _steps=steps,
        **facts,
    )


def as_rows(X: Any) -> Any:
    """Return rows that can be picked by number: lists become arrays, texts stay texts."""
    if not isinstance(X, list | tuple):
        return X
    return np.array(X, dtype=object) if len(X) and isinstance(X[0], str) else np.asarray(X)


def rules_of(
    tree: DecisionTreeClassifier,
    names: list[str],
    indicators: dict[str, tuple[str, Any]] | None = None,
) -> list[str]:
    """Return the rules of a tree as text, the one with most support first."""
    rules = tree_rules(from_sklearn(tree), tree.classes_, names, indicators)
    return [rule.text for rule in rules]


def _sizes(
    tree: DecisionTreeClassifier, rows: NDArray, said: NDArray, truth: NDArray
) -> list[dict[str, float]]:
    found = []
    n_leaves = int(tree.get_n_leaves())
    for size in [*takewhile(lambda size: size < n_leaves, _SIZES), n_leaves]:
        told = cut_back(tree, size).predict(rows)
        found.append(
            {
                "n_leaves": size,
                "fidelity": float(np.mean(told == said)),
                "error": float(np.mean(told != truth)),
            }
        )
    return found


def _hold_out(X: Any, labels: NDArray, rng: Any) -> tuple[Any, NDArray, Any, NDArray]:
    if len(labels) < 4:
        raise ValueError(
            f"{len(labels)} rows were given: at least 4 are needed, some to make a tree from and "
            "some to try it on. Give more, or X_test and y_test."
        )
    # By class where there are enough of each to go on both sides.
    _, counts = np.unique(labels, return_counts=True)
    fair = counts.min() > 1 and len(counts) <= int(_HELD * len(labels))
    fit, held = train_test_split(
        np.arange(len(labels)), test_size=_HELD, random_state=rng, stratify=labels if fair else None
    )
    rows = _members.select_rows
    return rows(X, fit), labels[fit], rows(X, held), labels[held]


# -- two ways to a tree: each returns it, the steps before it, its columns and what to say of it


def _merged(ensemble: Any, before: list[Any], X: Any, said: NDArray) -> tuple | None:
    try:
        trees = take_trees(ensemble)
    except (TypeError, ValueError):
        return None  # no trees, or not all on the same columns
    if trees.kind == "scores" or any(tree.is_oblique for tree in trees.trees):
        return None
    rows = _dense(_through(before, X))
    names = _names_after(before, X, rows, ensemble)
    used = np.linspace(0, trees.n_trees - 1, min(trees.n_trees, _MOST_TREES)).round().astype(int)
    some = replace(trees, trees=tuple(trees.trees[k] for k in used), weights=trees.weights[used])
    model = MergedTreeClassifier(pool=some).fit(rows, said)
    facts = {"method": "merged", "n_trees": len(used), "n_members": trees.n_trees}
    return model.as_sklearn(), before, names, facts


def _distilled(fitted: Any, before: list[Any], X: Any, said: NDArray, rng: Any) -> tuple:
    seed = rng.randint(np.iinfo(np.int32).max)
    facts = {"method": "distilled"}
    if _all_numbers(X):
        # On the columns as they were given, so that limits are in units people know.
        rows = _dense(X)
        made = DistilledTreeClassifier(fitted, originals="pool", random_state=seed)
        tree = made.fit(rows, said).as_sklearn()
        return tree, [], _names_after([], X, rows, fitted), facts
    # Words and gaps among the values: no artificial rows can be drawn; the rows given must do.
    if len(getattr(X, "shape", ())) == 2 and not hasattr(X, "toarray"):
        steps = [TabularEncoder().fit(X)]
    else:  # texts, say: only the pipeline knows what to do with them
        steps = before
    rows = _dense(_through(steps, X))
    tree = PrunedTreeClassifier(random_state=seed).fit(rows, said).as_sklearn()
    return tree, steps, _names_after(steps, X, rows, None), facts


def cut_back(tree: DecisionTreeClassifier, max_leaves: int) -> DecisionTreeClassifier:
    """Cut a tree back to so many leaves, always the split that separates least.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        Fitted; it is not changed.
    max_leaves : int
        Most leaves, from 1.

    Returns
    -------
    DecisionTreeClassifier
    """
    arrays = from_sklearn(tree)
    left, right = arrays.children_left.tolist(), arrays.children_right.tolist()
    impurity = arrays.impurity * arrays.weighted_n_node_samples
    is_leaf = arrays.is_leaf.copy()
    n_leaves = int(is_leaf.sum())
    while n_leaves > max_leaves:
        last = [k for k in np.flatnonzero(~is_leaf) if is_leaf[left[k]] and is_leaf[right[k]]]
        lost = [impurity[k] - impurity[left[k]] - impurity[right[k]] for k in last]
        is_leaf[last[int(np.argmin(lost))]] = True
        n_leaves -= 1
    return to_sklearn(cut(arrays, collapse(left, right, is_leaf.tolist(), 0.0)), tree)


# -- columns ---------------------------------------------------------------------------------


def _through(steps: list[Any], X: Any) -> Any:
    for step in steps:
        X = step.transform(X)
    return X


def _dense(rows: Any) -> NDArray:
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.asarray(rows, dtype=np.float64)


def _all_numbers(rows: Any) -> bool:
    try:
        return bool(np.isfinite(_dense(rows)).all())
    except (TypeError, ValueError):
        return False


def _names_after(steps: list[Any], X: Any, rows: NDArray, ensemble: Any) -> list[str]:
    """Names of the columns that come out of the steps; numbered where nobody knows them."""
    names: Any = getattr(X, "columns", None)
    if steps:
        pipe = steps[0] if len(steps) == 1 else make_pipeline(*steps)
        try:
            names = pipe.get_feature_names_out()
        except (AttributeError, ValueError):
            names = None
    if names is None:
        names = getattr(ensemble, "feature_names_in_", None)
    if names is None or len(names) != rows.shape[1]:
        return [f"x{k}" for k in range(rows.shape[1])]
    return [str(name) for name in names]
