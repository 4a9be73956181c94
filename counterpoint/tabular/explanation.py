"""One readable tree in place of a fitted model, and how far it speaks for it."""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from counterpoint import _members, _tables
from counterpoint._arrays import as_labels
from counterpoint._validation import check_count
from counterpoint.base import draw_seed
from counterpoint.datasets import TabularEncoder
from counterpoint.tabular.plain import plain
from counterpoint.tabular.prediction import explaining_rows
from counterpoint.tabular.small_tree import (
    Indicators,
    cut_back,
    rules_of,
    tree_nodes,
    tree_sizes,
)
from counterpoint.tabular.table_model import TableModel
from counterpoint.tabular.words import percent
from counterpoint.trees import (
    DistilledTreeClassifier,
    MergedTreeClassifier,
    PrunedTreeClassifier,
    take_trees,
)

_MOST_TREES = 50  # time to merge grows with the square of their number
_MOST_ROWS = 3000
_TEST_SHARE = 0.3
_SHOWN_LEAVES = 16  # one of the sizes whose fidelity is known


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A tree that stands for a model; made by :func:`explain`.

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
    error, model_error : float
        Of the tree and of the model, on the held-out rows.
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
    n_fit, n_test : int
        Rows it was made from, and rows held out.
    sizes : list of dict
        What smaller trees would cost: "n_leaves", "fidelity" and "error" of this one cut back
        to 2, 4, 8, ... leaves, itself last.
    n_trees, n_members : int or None
        For "merged": trees that were merged, and trees there are.
    notes : list of str
        What to know about the rows.
    """

    tree: DecisionTreeClassifier
    method: str
    fidelity: float
    error: float
    model_error: float
    n_leaves: int
    rules: list[str]
    classes: NDArray
    feature_names: list[str]
    n_fit: int
    n_test: int
    sizes: list[dict[str, float]]
    n_trees: int | None = None
    n_members: int | None = None
    notes: list[str] = field(default_factory=list)
    indicators: Indicators = field(default_factory=dict, repr=False)
    _steps: list[Any] = field(default_factory=list, repr=False)

    def predict(self, X: Any) -> NDArray:
        """Return what the tree says about rows as the ensemble takes them, shape (n_samples,)."""
        return self.tree.predict(_dense(_through(self._steps, X)))

    def sentences(self) -> tuple[str, str]:
        """Return in words where it comes from, and how faithful it is."""
        made = "Grown on what the model says"
        if self.method == "merged":
            some = f"{self.n_trees} of the {self.n_members}"
            of = "the" if self.n_trees == self.n_members else some
            made = f"Merged from {of} trees of the ensemble"
        leaves = "1 leaf" if self.n_leaves == 1 else f"{self.n_leaves} leaves"
        return (
            f"{made}: one tree with {leaves}.",
            f"On {self.n_test} rows held out it says what the model says on "
            f"{percent(self.fidelity)}, and errs on {percent(self.error)}; the model errs on "
            f"{percent(self.model_error)}.",
        )

    def text(self) -> str:
        """Return all of it in words: where it comes from, how faithful it is, its rules."""
        return "\n".join([*self.sentences(), "", *self.rules])

    def important_columns(self) -> list[str]:
        """Name the columns it asks for, the one that separates most first."""
        importance = self.tree.feature_importances_
        order = np.argsort(-importance, kind="stable")
        return [self.feature_names[k] for k in order if importance[k]]

    def summary(self) -> dict[str, Any]:
        """Return all of it as plain data; "shown" is the tree cut back to 16 leaves at most."""
        shown = cut_back(self.tree, _SHOWN_LEAVES)
        size = int(shown.get_n_leaves())
        return plain(
            {
                **{name: getattr(self, name) for name in _PLAIN},
                "sentences": self.sentences(),
                "shown": {
                    "n_leaves": size,
                    "fidelity": next(r["fidelity"] for r in self.sizes if r["n_leaves"] == size),
                    "rules": rules_of(shown, self.feature_names, self.indicators),
                    "nodes": tree_nodes(shown, self.feature_names, self.indicators),
                },
            }
        )


_PLAIN = (
    "method", "n_leaves", "fidelity", "error", "model_error", "n_fit", "n_test", "n_trees",
    "n_members", "classes", "sizes", "rules", "notes",
)  # fmt: skip


def explain(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    max_leaves: int | None = None,
    random_state: Any = 0,
    separator: str | None = None,
) -> Explanation:
    """Make one tree that says what a fitted model says, as far as one tree can.

    Trees with splits on columns are merged; of anything else a tree learns the answers. Either
    way the tree learns the labels that the model gives, not the true ones: it is there to
    explain the model. Fidelity is measured on rows that it was not made from.

    Parameters
    ----------
    model : classifier or TableModel
        Fitted; a pipeline is fine, and so is what :func:`~counterpoint.tabular.fit` or ``load``
        returned.
    X : array-like or frame of shape (n_samples, n_features)
        Rows as the model takes them, best those it was trained on. At most 3000 of them, drawn
        at random, are used. For a TableModel: a table with labels, or its file; None takes the
        rows it keeps.
    y : array-like of shape (n_samples,)
        Their true labels, to count errors by; not for a TableModel.
    X_test, y_test : array-like, default=None
        Rows to measure on. None: 30 % of the rows given are held out for that.
    max_leaves : int or None, default=None
        Most leaves; a tree with more is cut back, the split that separates least first.
    random_state : int, RandomState instance or None, default=0
        Seeds the split, and the artificial rows of a distilled tree.
    separator : str, default=None
        What stands between two fields of a file.

    Returns
    -------
    Explanation

    References
    ----------
    .. [1] M. Eastwood's thesis, chapters 4 and 5 (merged trees), section 2.5.2 (distilling).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from counterpoint.tabular import explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    >>> tree = explain(forest, X[1::2], y[1::2])
    >>> tree.method, tree.fidelity > 0.8
    ('merged', True)
    """
    notes: list[str] = []
    if isinstance(model, TableModel):
        rows, notes = explaining_rows(model, X, separator=separator)
        model, X, y = model.model, rows["X"], rows["y"]
        X_test, y_test = rows.get("X_test"), rows.get("y_test")
    if not is_classifier(_members.strip(model)[1]):
        raise TypeError(
            f"A {type(model).__name__} was given, expected a fitted classifier: one tree can "
            "speak for a classifier only."
        )
    if max_leaves is not None:
        check_count(max_leaves, "max_leaves")
    labels = as_labels(y, "y")
    rng = check_random_state(random_state)
    X = as_rows(X)
    if X_test is None:
        X, labels, X_test, truth = _hold_out(X, labels, rng)
    else:
        truth = as_labels(y_test, "y_test")
    kept = np.sort(rng.permutation(len(labels))[:_MOST_ROWS])
    X = _tables.select_rows(X, kept)
    before, ensemble = _members.strip(model)
    test_answers = np.asarray(model.predict(X_test))
    answers = np.asarray(model.predict(X))
    with warnings.catch_warnings():
        # Ensembles fitted on frames are asked about arrays on the way.
        warnings.filterwarnings("ignore", message=".*valid feature names")
        made = _merged(ensemble, before, X, answers)
        if made is None:
            made = _distilled(model, before, X, answers, rng)
    tree, steps, names, facts = made
    if max_leaves is not None:
        tree = cut_back(tree, max_leaves)
    test_rows = _dense(_through(steps, X_test))
    tree_answers = tree.predict(test_rows)
    encoded = steps and isinstance(steps[-1], TabularEncoder)
    indicators = steps[-1].indicators() if encoded else {}
    return Explanation(
        tree=tree,
        fidelity=float(np.mean(tree_answers == test_answers)),
        error=float(np.mean(tree_answers != truth)),
        model_error=float(np.mean(test_answers != truth)),
        n_leaves=int(tree.get_n_leaves()),
        rules=rules_of(tree, names, indicators),
        indicators=indicators,
        sizes=tree_sizes(tree, test_rows, test_answers, truth),
        classes=tree.classes_,
        feature_names=names,
        n_fit=len(answers),
        n_test=len(truth),
        notes=notes,
        _steps=steps,
        **facts,
    )


def as_rows(X: Any) -> Any:
    """Return rows that can be picked by number: lists become arrays, texts stay texts."""
    if not isinstance(X, list | tuple):
        return X
    return np.array(X, dtype=object) if len(X) and isinstance(X[0], str) else np.asarray(X)


def _hold_out(X: Any, labels: NDArray, rng: Any) -> tuple[Any, NDArray, Any, NDArray]:
    if len(labels) < 4:
        raise ValueError(
            f"{len(labels)} rows were given: at least 4 are needed, some to make a tree from and "
            "some to try it on. Give more, or X_test and y_test."
        )
    # By class where there are enough of each to go on both sides.
    _, counts = np.unique(labels, return_counts=True)
    fair = counts.min() > 1 and len(counts) <= int(_TEST_SHARE * len(labels))
    fit, test = train_test_split(
        np.arange(len(labels)),
        test_size=_TEST_SHARE,
        random_state=rng,
        stratify=labels if fair else None,
    )
    rows = _tables.select_rows
    return rows(X, fit), labels[fit], rows(X, test), labels[test]


# -- two ways to a tree: each returns it, the steps before it, its columns and what to say of it


def _merged(ensemble: Any, before: list[Any], X: Any, answers: NDArray) -> tuple | None:
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
    model = MergedTreeClassifier(pool=some).fit(rows, answers)
    facts = {"method": "merged", "n_trees": len(used), "n_members": trees.n_trees}
    return model.as_sklearn(), before, names, facts


def _distilled(fitted: Any, before: list[Any], X: Any, answers: NDArray, rng: Any) -> tuple:
    seed = draw_seed(rng)
    facts = {"method": "distilled"}
    if _all_numbers(X):
        # On the columns as they were given, so that limits are in units people know.
        rows = _dense(X)
        made = DistilledTreeClassifier(fitted, originals="pool", random_state=seed)
        tree = made.fit(rows, answers).as_sklearn()
        return tree, [], _names_after([], X, rows, fitted), facts
    # Words and gaps among the values: no artificial rows can be drawn; the rows given must do.
    if len(getattr(X, "shape", ())) == 2 and not hasattr(X, "toarray"):
        steps = [TabularEncoder().fit(X)]
    else:  # texts, say: only the pipeline knows what to do with them
        steps = before
    rows = _dense(_through(steps, X))
    tree = PrunedTreeClassifier(random_state=seed).fit(rows, answers).as_sklearn()
    return tree, steps, _names_after(steps, X, rows, None), facts


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
